//! A store that is open: in this process, or in another to which this one is attached.

use crate::attach::{self, Access, Attached, Found, Held};
use crate::code::Code;
use crate::db::Options;
use crate::error::{Error, Result};
use crate::model::Generation;
use crate::protocol::{Client, Envelope, Reply, Sink};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OwnedSemaphorePermit;

/// How a store is opened.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opening {
    /// Whether to attach to who has it open.
    pub(super) attach: bool,
    /// What others may do with it.
    pub(super) share: Option<Access>,
    /// How it is opened, and what its caches may take.
    pub(super) options: fn() -> Options,
    pub(super) cache_bytes: u64,
    /// What is made if there is none.
    pub(super) make: Option<Generation>,
}

/// The way to a store.
enum Way {
    Held(Held),
    Pool(Pool),
    /// Somebody else in this process has it, and keeps it.
    Given(Arc<dyn Client>),
}

/// A store that is open.
pub(super) struct Opened {
    store: Way,
    pub(super) path: PathBuf,
    /// One of the stores that may be open; given back when this one is closed.
    _room: Option<OwnedSemaphorePermit>,
}

impl Opened {
    /// Opens the store in a file, or attaches to who has it open. This blocks.
    pub(super) fn open(
        path: PathBuf,
        opening: Opening,
        room: OwnedSemaphorePermit,
    ) -> Result<Opened> {
        let open = || {
            let options = (opening.options)().cache_bytes(opening.cache_bytes);
            match opening.make {
                Some(generation) => options.generation(generation).open_or_create(&path),
                None => options.open(&path),
            }
        };
        let found = match opening.attach {
            true => attach::find(&path, open, || true)?,
            false => Found::Here(open()?),
        };
        let store = match found {
            // Where it cannot be shared, it is used without.
            Found::Here(db) => Way::Held(Held::new(db, opening.share, |_| {})),
            Found::There(attached) => {
                Way::Pool(Pool { path: path.clone(), idle: Mutex::new(vec![attached]) })
            }
        };
        Ok(Opened { store, path, _room: Some(room) })
    }

    /// A store that this process has open already.
    pub(super) fn given(client: Arc<dyn Client>) -> Opened {
        Opened { store: Way::Given(client), path: PathBuf::new(), _room: None }
    }

    /// Whether another process has it.
    pub(super) fn is_attached(&self) -> bool {
        matches!(self.store, Way::Pool(_))
    }

    /// Whether another process is attached to it.
    pub(super) fn is_attended(&self) -> bool {
        matches!(&self.store, Way::Held(held) if held.is_attended())
    }

    /// The size of its file.
    pub(super) fn bytes(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |file| file.len())
    }
}

impl Client for Opened {
    fn call(&self, envelope: Envelope, sink: Sink<'_>) -> Reply {
        match &self.store {
            Way::Held(held) => held.call(envelope, sink),
            Way::Pool(pool) => pool.call(envelope, sink),
            Way::Given(client) => client.call(envelope, sink),
        }
    }
}

/// Connections to the process that has a store. Each answers one request at a time, so a request takes
/// one for itself.
struct Pool {
    path: PathBuf,
    idle: Mutex<Vec<Attached>>,
}

impl Pool {
    fn take(&self) -> Result<Attached> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connected = idle.map_or_else(|| Attached::to(&self.path), Ok);
        connected.map_err(|error| match error.io_kind() {
            None => error,
            Some(_) => {
                let message = "the process that held the store has ended: nothing was done";
                Error::new(Code::StoreGone, message)
            }
        })
    }
}

impl Client for Pool {
    fn call(&self, envelope: Envelope, sink: Sink<'_>) -> Reply {
        let attached = match self.take() {
            Ok(attached) => attached,
            Err(error) => {
                return Reply::refused(envelope.rid, error);
            }
        };
        let reply = attached.call(envelope, sink);
        if !is_gone(&reply) {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(attached);
        }
        reply
    }
}

/// Whether the process that had the store has left.
pub(super) fn is_gone(reply: &Reply) -> bool {
    reply.result.as_ref().is_err_and(|error| error.code == Code::StoreGone)
}
