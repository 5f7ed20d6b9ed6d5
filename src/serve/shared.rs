//! What all requests of a server have in common.

use super::metrics::Metrics;
use super::sessions::Sessions;
use super::settings::Settings;
use super::stores::Stores;
use crate::budget::Cancel;
use crate::error::Result;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use tokio::sync::Semaphore;

/// What all requests of a server have in common.
pub(super) struct Shared {
    pub(super) settings: Settings,
    pub(super) stores: Arc<Stores>,
    pub(super) metrics: Metrics,
    /// Browsers that have shown a token.
    pub(super) sessions: Sessions,
    /// One for each connection.
    pub(super) seats: Arc<Semaphore>,
    /// One for each request that may be answered at a time.
    pub(super) workers: Arc<Semaphore>,
    /// One for each watch.
    pub(super) watches: Arc<Semaphore>,
    /// Ends every request.
    pub(super) stopping: Cancel,
    /// Ends every watch: they do not end by themselves.
    pub(super) watches_end: Cancel,
    /// Bytes of bodies that are held.
    pub(super) body_bytes: AtomicUsize,
}

impl Shared {
    pub(super) fn new(settings: Settings) -> Result<Shared> {
        let limits = &settings.limits;
        Ok(Shared {
            stores: Arc::new(Stores::new(&settings)?),
            metrics: Metrics::new(),
            sessions: Sessions::default(),
            seats: Arc::new(Semaphore::new(limits.connections.max(1))),
            workers: Arc::new(Semaphore::new(limits.workers.max(1))),
            watches: Arc::new(Semaphore::new(limits.watches)),
            stopping: Cancel::new(),
            watches_end: Cancel::new(),
            body_bytes: AtomicUsize::new(0),
            settings,
        })
    }
}
