//! A store that is open: in this process, or in another to which this one is attached.

use crate::attach::{Access, Attached, Sharing};
use crate::code::Code;
use crate::db::Options;
use crate::error::{Error, Result};
use crate::model::Generation;
use crate::protocol::{Client, Envelope, LocalClient, Reply, Sink};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;

/// How long a process is waited for that has the store open and does not share it.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often to look whether it has ended.
const LOOK: Duration = Duration::from_millis(20);

/// How a store is opened.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opening {
    /// Whether to attach to who has it open.
    pub(super) attach: bool,
    /// What others may do with it.
    pub(super) share: Option<Access>,
    /// What is made if there is none.
    pub(super) make: Option<Generation>,
}

/// A store that is open.
pub(super) struct Opened {
    client: Box<dyn Client>,
    /// Whether another process has it.
    pub(super) attached: bool,
    pub(super) path: PathBuf,
    /// One of the stores that may be open; given back when this one is closed.
    _room: OwnedSemaphorePermit,
}

impl Opened {
    /// Opens the store in a file, or attaches to who has it open. This blocks.
    pub(super) fn open(
        path: PathBuf,
        opening: Opening,
        room: OwnedSemaphorePermit,
    ) -> Result<Opened> {
        let start = Instant::now();
        loop {
            let locked = match hold(&path, opening) {
                Ok(held) => {
                    return Ok(Opened {
                        client: Box::new(held),
                        attached: false,
                        path,
                        _room: room,
                    });
                }
                Err(error) if error.code == Code::StoreLocked && opening.attach => error,
                Err(error) => return Err(error),
            };
            match Attached::to(&path) {
                Ok(attached) => {
                    let pool = Pool { path: path.clone(), idle: Mutex::new(vec![attached]) };
                    return Ok(Opened {
                        client: Box::new(pool),
                        attached: true,
                        path,
                        _room: room,
                    });
                }
                // Somebody answered, and refused.
                Err(refused) if refused.io_kind().is_none() => return Err(refused),
                Err(_) if start.elapsed() < PATIENCE => std::thread::sleep(LOOK),
                Err(_) => return Err(locked),
            }
        }
    }

    /// The size of its file.
    pub(super) fn bytes(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |file| file.len())
    }
}

impl Client for Opened {
    fn call(&self, envelope: Envelope, sink: Sink<'_>) -> Reply {
        self.client.call(envelope, sink)
    }
}

/// Opens the store in this process.
fn hold(path: &Path, opening: Opening) -> Result<Held> {
    let db = match opening.make {
        Some(generation) => Options::new().generation(generation).open_or_create(path)?,
        None => Options::new().open(path)?,
    };
    // Where it cannot be shared, it is used without.
    let sharing = opening.share.and_then(|access| Sharing::start(&db, access).ok());
    Ok(Held { _sharing: sharing, store: LocalClient::new(db) })
}

/// A store in this process, which may answer others too.
struct Held {
    /// Ends before the store is closed.
    _sharing: Option<Sharing>,
    store: LocalClient,
}

impl Client for Held {
    fn call(&self, envelope: Envelope, sink: Sink<'_>) -> Reply {
        self.store.call(envelope, sink)
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
                return Reply { rid: envelope.rid, result: Err(error), warnings: Vec::new() };
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
