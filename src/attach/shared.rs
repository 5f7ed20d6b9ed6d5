//! What the connections of one holder share: the store as long as there is one, what runs, who is
//! there.

use super::hello::{Access, Hello, PROTOCOL};
use crate::budget::Cancel;
use crate::limits::MAX_CONNECTIONS;
use crate::protocol::LocalClient;
use interprocess::local_socket::Stream;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

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

/// One of the connections that a holder has at a time.
pub(super) struct Seat {
    shared: Arc<Shared>,
    number: u64,
}

impl Seat {
    /// None if all are taken.
    pub(super) fn take(shared: &Arc<Shared>, stream: &Arc<Stream>) -> Option<Seat> {
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
    /// A store that is shared from now on.
    pub(super) fn new(store: LocalClient, access: Access) -> Shared {
        Shared {
            store: RwLock::new(Some(store)),
            access,
            ended: AtomicBool::new(false),
            running: Mutex::default(),
            next: AtomicU64::new(0),
            connections: Mutex::default(),
        }
    }

    /// Takes no more clients.
    pub(super) fn close(&self) {
        self.ended.store(true, Ordering::SeqCst);
    }

    /// Whether no more clients are taken.
    pub(super) fn is_closed(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// Whether somebody is there.
    pub(super) fn is_attended(&self) -> bool {
        !self.connections().is_empty()
    }

    /// Ends what runs, waits for what writes, lets go of the store and of everybody.
    pub(super) fn end_all(&self) {
        self.running().values().for_each(Cancel::cancel);
        *self.store.write().unwrap_or_else(PoisonError::into_inner) = None;
        self.connections().values().for_each(|stream| hang_up(stream));
    }

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
    pub(super) fn begin(&self, cancel: &Cancel) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.running().insert(number, cancel.clone());
        // The end may just have come, and cannot have seen it.
        if self.is_closed() {
            cancel.cancel();
        }
        number
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
