//! The process that has the store open, and answers others.

use super::connection;
use super::hello::{Hello, PROTOCOL};
use super::place::Places;
use crate::budget::Cancel;
use crate::db::Db;
use crate::error::{Error, Result};
use crate::limits::MAX_CONNECTIONS;
use crate::protocol::LocalClient;
use interprocess::local_socket::traits::{Listener as _, Stream as _};
use interprocess::local_socket::{Listener, ListenerOptions, Stream};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::thread::JoinHandle;

/// What others may do with a store that is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// They may ask.
    Read,
    /// They may ask and edit.
    Write,
}

/// A store that answers other processes of the same user, until this is dropped.
///
/// ```
/// use pactdb::attach::{Access, Attached, Sharing};
/// use pactdb::protocol::ClientExt;
/// use pactdb::{Add, Db, Generation};
/// # fn main() -> pactdb::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("memory.pactdb");
/// let db = Db::create(&path, Generation::V0_1)?;
/// let _sharing = Sharing::start(&db, Access::Write)?;
/// // Another process may do this meanwhile.
/// let attached = Attached::to(&path)?;
/// attached.ask(Add::user("Where is the key?").id("q1"))?;
/// assert!(db.at(None)?.node("q1")?.is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Sharing {
    shared: Arc<Shared>,
    places: Places,
    listening: Option<JoinHandle<()>>,
}

/// What the connections of a holder have in common.
pub(super) struct Shared {
    /// The store, until the sharing ends.
    store: RwLock<Option<LocalClient>>,
    pub(super) access: Access,
    ended: AtomicBool,
    /// What runs and what waits, of all connections.
    running: Mutex<HashMap<u64, Cancel>>,
    next: AtomicU64,
    connections: Mutex<HashMap<u64, Arc<Stream>>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Shared({:?})", self.access)
    }
}

impl Sharing {
    /// Shares an open store, which lies in a file.
    pub fn start(db: &Db, access: Access) -> Result<Sharing> {
        let path = db.path().ok_or_else(|| {
            Error::request("only a store in a file can be shared with other processes")
        })?;
        let failed = |error| Error::io("the store cannot be shared", error);
        let places = Places::of(path).map_err(failed)?;
        let listener = places.first(|place| {
            place.clear()?;
            ListenerOptions::new().name(place.name()?).create_sync()
        });
        let listener = listener.map_err(failed)?;
        let shared = Arc::new(Shared {
            store: RwLock::new(Some(LocalClient::new(db.clone()))),
            access,
            ended: AtomicBool::new(false),
            running: Mutex::default(),
            next: AtomicU64::new(0),
            connections: Mutex::default(),
        });
        let listened = shared.clone();
        let thread = std::thread::Builder::new().name("pactdb-attach".into());
        let listening = thread.spawn(move || listen(&listener, &listened)).map_err(failed)?;
        Ok(Sharing { shared, places, listening: Some(listening) })
    }
}

impl Drop for Sharing {
    /// Ends what others asked, waits for what they edit, and takes the socket away; then the store may
    /// be closed.
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        // Whoever listens looks up when somebody comes.
        let _ = self.places.first(|place| Stream::connect(place.name()?));
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
        self.shared.running().values().for_each(Cancel::cancel);
        *self.shared.store.write().unwrap_or_else(PoisonError::into_inner) = None;
        self.shared.connections().values().for_each(|stream| hang_up(stream));
    }
}

fn listen(listener: &Listener, shared: &Arc<Shared>) {
    loop {
        let came = listener.accept();
        if shared.ended.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = came else {
            // Too many files are open: those who wait are still there a little later.
            std::thread::sleep(RETRY);
            continue;
        };
        let stream = Arc::new(stream);
        let Some(seat) = Seat::take(shared, &stream) else {
            connection::refuse(&stream);
            continue;
        };
        let thread = std::thread::Builder::new().name("pactdb-attached".into());
        // Without a thread the stream is dropped, and the client is told that way.
        let _ = thread.spawn(move || connection::answer(&stream, &seat));
    }
}

/// Ends a connection in both directions.
pub(super) fn hang_up(stream: &Stream) {
    #[cfg(unix)]
    {
        let Stream::UdSocket(socket) = stream;
        let _ = rustix::net::shutdown(socket, rustix::net::Shutdown::Both);
    }
    // A named pipe ends with its process, or with its client.
    #[cfg(not(unix))]
    let _ = stream;
}

/// How long to wait when the system cannot take a connection.
const RETRY: std::time::Duration = std::time::Duration::from_millis(50);

/// One of the connections that a holder has at a time.
pub(super) struct Seat {
    shared: Arc<Shared>,
    number: u64,
}

impl Seat {
    /// None if all are taken.
    fn take(shared: &Arc<Shared>, stream: &Arc<Stream>) -> Option<Seat> {
        let number = shared.next.fetch_add(1, Ordering::Relaxed);
        let mut connections = shared.connections();
        if connections.len() >= MAX_CONNECTIONS {
            return None;
        }
        connections.insert(number, stream.clone());
        Some(Seat { shared: shared.clone(), number })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.shared.connections().remove(&self.number);
    }
}

impl std::ops::Deref for Seat {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl Shared {
    /// The store; none when the sharing has ended. It is not closed while this is held.
    pub(super) fn store(&self) -> RwLockReadGuard<'_, Option<LocalClient>> {
        self.store.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// What this holder says first.
    pub(super) fn hello(&self) -> Option<Hello> {
        let store = self.store();
        let db = store.as_ref()?.db();
        Some(Hello {
            pactdb: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: PROTOCOL,
            store: db.id().ok()?,
            cycle: db.last_cycle(),
            process: std::process::id(),
            access: self.access,
        })
    }

    /// A request has come, which the end of the sharing ends.
    pub(super) fn begin(&self) -> (u64, Cancel) {
        let (number, cancel) = (self.next.fetch_add(1, Ordering::Relaxed), Cancel::new());
        self.running().insert(number, cancel.clone());
        // The end may just have come, and cannot have seen it.
        if self.ended.load(Ordering::SeqCst) {
            cancel.cancel();
        }
        (number, cancel)
    }

    /// It is answered.
    pub(super) fn end(&self, number: u64) {
        self.running().remove(&number);
    }

    fn connections(&self) -> MutexGuard<'_, HashMap<u64, Arc<Stream>>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> MutexGuard<'_, HashMap<u64, Cancel>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
