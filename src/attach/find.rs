//! A store for whoever comes: opened here, or, if another process has it, asked over there.

use super::client::Attached;
use super::hello::Access;
use super::holder::Sharing;
use crate::code::Code;
use crate::db::Db;
use crate::error::{Error, Result};
use crate::protocol::{Client, Envelope, LocalClient, Reply, Sink};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a process is waited for that has the store open and does not share it: most are about to end.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often to look whether it has ended.
const LOOK: Duration = Duration::from_millis(20);

/// Who answers for a store.
pub enum Found {
    /// This process: it has the store open.
    Here(Db),
    /// Another one, to which this one is attached.
    There(Attached),
}

/// Has `open` open the store at this path; if another process has it, attaches to that one. One that
/// does not share the store is waited for as long as `patient`, for some seconds at most.
///
/// ```
/// use pactdb::attach::{Found, find};
/// use pactdb::{Db, Generation};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("memory.pactdb");
/// # drop(Db::create(&path, Generation::V0_1)?);
/// match find(&path, || Db::open(&path), || true)? {
///     Found::Here(db) => assert_eq!(db.last_cycle(), 0),
///     Found::There(attached) => println!("process {} has it", attached.hello().process),
/// }
/// # Ok::<(), pactdb::Error>(())
/// ```
pub fn find(
    path: &Path,
    open: impl Fn() -> Result<Db>,
    patient: impl Fn() -> bool,
) -> Result<Found> {
    let start = Instant::now();
    loop {
        let locked = match open() {
            Err(error) if error.code == Code::StoreLocked => error,
            opened => return opened.map(Found::Here),
        };
        match Attached::to(path) {
            Ok(attached) => return Ok(Found::There(attached)),
            // Somebody answered, and refused.
            Err(refused) if refused.io_kind().is_none() => return Err(refused),
            Err(_) if start.elapsed() < PATIENCE && patient() => std::thread::sleep(LOOK),
            Err(_) => return Err(locked),
        }
    }
}

/// A store that is open in this process and answers others too, if it is shared.
#[derive(Debug)]
pub struct Held {
    /// Ends before the store is closed.
    sharing: Option<Sharing>,
    store: LocalClient,
}

impl Held {
    /// Shares a store, if that is wanted; where it cannot be shared, `complain` hears why, and it is used
    /// without. A file that may only be read is open in as many processes as like, and none stands for
    /// it.
    pub fn new(db: Db, access: Option<Access>, complain: impl FnOnce(Error)) -> Held {
        let access = access.filter(|_| !db.is_read_only());
        let shared = access.map(|access| Sharing::start(&db, access)).transpose();
        let sharing = shared.unwrap_or_else(|error| {
            complain(error);
            None
        });
        Held { sharing, store: LocalClient::new(db) }
    }

    /// Whether another process is attached.
    pub fn is_attended(&self) -> bool {
        self.sharing.as_ref().is_some_and(Sharing::is_attended)
    }
}

impl Client for Held {
    fn call(&self, envelope: Envelope, sink: Sink<'_>) -> Reply {
        self.store.call(envelope, sink)
    }
}
