//! Which stores are open: opened on demand, closed when nobody uses them, a bounded number at a time.
//!
//! A store is opened and closed under the lock of its slot, so that nobody opens it while it is being
//! closed. Whoever uses it has a [`Lease`], and it is not closed before that is given back.

use super::catalogue::{Catalogue, check_name, no_store};
use super::opened::{Opened, Opening};
use super::settings::{OpenStore, Settings};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::model::Generation;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

/// How long to wait at least, for a store to be opened or for one to be given back.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often to look whether one is not used any more.
const LOOK: Duration = Duration::from_millis(5);

/// The stores of a server.
pub(super) struct Stores {
    catalogue: Catalogue,
    slots: Mutex<HashMap<String, Arc<Slot>>>,
    /// What was open before the server was there. It is in use as long as it stands here.
    given: HashMap<String, Arc<Opened>>,
    room: Arc<Semaphore>,
    opening: Opening,
    create: bool,
    most: usize,
    idle: Duration,
    /// How long whoever asks waits for a store to be opened.
    timeout: Duration,
}

/// A store that may be open.
struct Slot {
    open: tokio::sync::Mutex<Option<Arc<Opened>>>,
    used: Mutex<Instant>,
}

impl Slot {
    fn new(opened: Option<&Arc<Opened>>) -> Arc<Slot> {
        let open = tokio::sync::Mutex::new(opened.cloned());
        Arc::new(Slot { open, used: Mutex::new(Instant::now()) })
    }

    fn used(&self) -> MutexGuard<'_, Instant> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A store in use.
pub(super) struct Lease {
    slot: Arc<Slot>,
    opened: Arc<Opened>,
}

impl Lease {
    fn new(slot: &Arc<Slot>, opened: &Arc<Opened>) -> Lease {
        *slot.used() = Instant::now();
        Lease { slot: slot.clone(), opened: opened.clone() }
    }

    /// Lets go of a store whose holder has left: the next request opens it anew.
    pub(super) async fn forget(self) {
        self.slot.open.lock().await.take_if(|open| Arc::ptr_eq(open, &self.opened));
    }
}

impl std::ops::Deref for Lease {
    type Target = Opened;

    fn deref(&self) -> &Opened {
        &self.opened
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        *self.slot.used() = Instant::now();
    }
}

impl Stores {
    /// The stores that are configured. None is opened yet.
    pub(super) fn new(settings: &Settings) -> Result<Stores> {
        let limits = &settings.limits;
        let mut given = HashMap::new();
        for OpenStore { name, client } in &settings.open {
            check_name(name)?;
            given.insert(name.clone(), Arc::new(Opened::given(client.clone())));
        }
        let slots = given.iter().map(|(name, opened)| (name.clone(), Slot::new(Some(opened))));
        Ok(Stores {
            catalogue: Catalogue::new(&settings.places, settings.create)?,
            slots: Mutex::new(slots.collect()),
            given,
            room: Arc::new(Semaphore::new(limits.open_stores.max(1))),
            opening: Opening {
                attach: settings.attach,
                share: settings.share,
                options: settings.options,
                cache_bytes: limits.cache_bytes / limits.open_stores.max(1) as u64,
                make: None,
            },
            create: settings.create,
            most: limits.open_stores.max(1),
            idle: limits.idle,
            timeout: limits.timeout.max(PATIENCE),
        })
    }

    /// The names of all stores.
    pub(super) async fn names(self: &Arc<Self>) -> Result<BTreeSet<String>> {
        let stores = self.clone();
        let names = spawn_blocking(move || stores.catalogue.names()).await;
        let mut names = names.unwrap_or_else(|_| Err(lost()))?;
        names.extend(self.given.keys().cloned());
        Ok(names)
    }

    /// A store, opened if it is not open yet, made if it is not there and `make` says so.
    pub(super) async fn open(
        self: &Arc<Self>,
        name: &str,
        make: Option<Generation>,
    ) -> Result<Lease> {
        check_name(name)?;
        let known = self.slots().get(name).cloned();
        if let Some(slot) = known
            && let Ok(open) = slot.open.try_lock()
            && let Some(opened) = &*open
        {
            return Ok(Lease::new(&slot, opened));
        }
        let (stores, name) = (self.clone(), name.to_owned());
        // What has begun goes on if whoever waits for it leaves.
        let task = tokio::spawn(async move { stores.open_slowly(&name, make).await });
        match tokio::time::timeout(self.timeout, task).await {
            Ok(opened) => opened.unwrap_or_else(|_| Err(lost())),
            Err(_) => {
                let message = "the store is being opened, and that takes long: try again later";
                Err(Error::new(Code::Busy, message))
            }
        }
    }

    /// Makes a store that must not be there.
    pub(super) async fn make(
        self: &Arc<Self>,
        name: &str,
        generation: Generation,
    ) -> Result<Lease> {
        check_name(name)?;
        let (stores, asked) = (self.clone(), name.to_owned());
        let found = spawn_blocking(move || stores.catalogue.find(&asked));
        match found.await {
            Ok(None) => self.open(name, Some(generation)).await,
            Ok(Some(_)) => {
                Err(Error::new(Code::Conflict, format!("there is a store {name} already")))
            }
            Err(_) => Err(lost()),
        }
    }

    async fn open_slowly(self: &Arc<Self>, name: &str, make: Option<Generation>) -> Result<Lease> {
        let (stores, asked) = (self.clone(), name.to_owned());
        let found = spawn_blocking(move || stores.catalogue.find(&asked));
        let (path, make) = match (found.await.map_err(|_| lost())?, make) {
            (Some(path), _) => (path, None),
            (None, Some(generation)) if self.create => {
                (self.catalogue.new_file(name).ok_or_else(|| no_store(name))?, Some(generation))
            }
            (None, _) => return Err(no_store(name)),
        };
        let slot = self.slot(name);
        let mut open = slot.open.lock().await;
        if let Some(opened) = &*open {
            return Ok(Lease::new(&slot, opened));
        }
        let room = self.room().await?;
        let opening = Opening { make, ..self.opening };
        let opened = spawn_blocking(move || Opened::open(path, opening, room));
        let opened = Arc::new(opened.await.unwrap_or_else(|_| Err(lost()))?);
        let lease = Lease::new(&slot, &opened);
        *open = Some(opened);
        Ok(lease)
    }

    /// The right to open one more store; for that another one may have to be closed.
    async fn room(&self) -> Result<OwnedSemaphorePermit> {
        let busy = || {
            let message = format!("{} stores are open and in use: try again later", self.most);
            Error::new(Code::Busy, message)
        };
        // Whoever came first gets what is given back first.
        let mut waiting = std::pin::pin!(self.room.clone().acquire_owned());
        let (start, mut pause) = (Instant::now(), Duration::ZERO);
        while start.elapsed() < PATIENCE {
            if let Ok(room) = tokio::time::timeout(pause, waiting.as_mut()).await {
                return room.map_err(|_| busy());
            }
            self.close_oldest().await;
            pause = LOOK;
        }
        Err(busy())
    }

    /// Closes the store that was not used for the longest time, of those that nobody uses.
    async fn close_oldest(&self) {
        let mut slots: Vec<_> = self.slots().values().cloned().collect();
        // They are used meanwhile: each is asked once.
        slots.sort_by_cached_key(|slot| *slot.used());
        for slot in slots {
            if close(&slot, Duration::ZERO).await {
                return;
            }
        }
    }

    /// Closes stores that were not used for long, again and again.
    pub(super) async fn sweep(&self) {
        let every = (self.idle / 4).clamp(Duration::from_millis(20), Duration::from_secs(60));
        loop {
            tokio::time::sleep(every).await;
            let slots: Vec<_> = self.slots().values().cloned().collect();
            for slot in slots {
                close(&slot, self.idle).await;
            }
        }
    }

    /// Closes all of them. One that is in use is closed when it is given back.
    pub(super) async fn close_all(&self) {
        let slots: Vec<_> = self.slots().values().cloned().collect();
        for slot in slots {
            let opened = slot.open.lock().await.take();
            let _ = spawn_blocking(move || drop(opened)).await;
        }
    }

    /// How many are open, and the bytes of their files.
    pub(super) fn figures(&self) -> (usize, u64) {
        let slots: Vec<_> = self.slots().values().cloned().collect();
        let open = |slot: &Arc<Slot>| slot.open.try_lock().ok().and_then(|open| open.clone());
        let open: Vec<_> = slots.iter().filter_map(open).collect();
        // One that is being closed is open until it is closed.
        let count = self.most - self.room.available_permits();
        (count, open.iter().map(|opened| opened.bytes()).sum())
    }

    fn slot(&self, name: &str) -> Arc<Slot> {
        self.slots().entry(name.to_owned()).or_insert_with(|| Slot::new(None)).clone()
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<String, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes a store that nobody has used for so long; false if there was nothing to close.
async fn close(slot: &Slot, idle: Duration) -> bool {
    let Ok(mut open) = slot.open.try_lock() else { return false };
    let unused = |opened: &Arc<Opened>| Arc::strong_count(opened) == 1 && !opened.is_attended();
    if !open.as_ref().is_some_and(unused) || slot.used().elapsed() < idle {
        return false;
    }
    let opened = open.take();
    // The slot stays locked: nobody opens the store before it is closed.
    spawn_blocking(move || drop(opened)).await.is_ok()
}

/// The error of work whose thread did not come back.
fn lost() -> Error {
    Error::new(Code::StoreIo, "the server could not finish this")
}
