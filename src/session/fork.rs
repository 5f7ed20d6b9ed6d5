//! Another store with the same history: the same events with the same numbers and hashes, up to a
//! point. Reading the old store changes nothing in it.

use crate::budget;
use crate::change::{Origin, OriginKind};
use crate::code::Code;
use crate::db::{Address, Db, NewStore, Options};
use crate::error::{Error, Result};
use crate::log::Entry;
use crate::storage::StorageBackend;
use std::path::Path;

/// Events that are read at a time.
const PAGE: usize = 256;

/// How much of a history to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// All of it, uncommitted edits too.
    End,
    /// Up to the event that closed a cycle.
    Cycle(u64),
    /// Up to an event.
    Event(u64),
}

impl From<u64> for Until {
    fn from(cycle: u64) -> Until {
        Until::Cycle(cycle)
    }
}

impl From<Address> for Until {
    fn from(address: Address) -> Until {
        match address {
            Address::Cycle(cycle) => Until::Cycle(cycle),
            Address::Event(seq) => Until::Event(seq),
        }
    }
}

/// The last event of a history that ends there.
pub fn last_event(db: &Db, until: Until) -> Result<u64> {
    match until {
        Until::End => Ok(db.events()),
        Until::Cycle(0) => {
            let message = "there is no snapshot yet to end with: commit first";
            Err(Error::new(Code::SnapshotNotFound, message))
        }
        Until::Cycle(cycle) => db.seq_of_cycle(cycle),
        Until::Event(seq) if (1..=db.events()).contains(&seq) => Ok(seq),
        Until::Event(seq) => {
            let message = format!("there is no event {seq}: the last one is {}", db.events());
            Err(Error::new(Code::NodeNotFound, message))
        }
    }
}

/// The last cycle that is closed in a history that ends there.
pub fn last_closed(db: &Db, until: Until) -> Result<u64> {
    Ok(match until {
        Until::Cycle(cycle) => cycle,
        Until::Event(seq) => db.after_event(seq)?.cycle(),
        Until::End => db.last_cycle(),
    })
}

/// Makes a store in a new file with the same events up to a point, and nothing else. `progress` is
/// told how many events are done, and of how many.
pub fn copy(
    db: &Db,
    until: Until,
    path: impl AsRef<Path>,
    options: Options,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Db> {
    let last = last_event(db, until)?;
    fill(db, last, NewStore::create(path, db.generation())?, progress)?.finish(options)
}

/// Like [`copy`], on storage of another sort than a file.
#[doc(hidden)]
pub fn copy_on(
    db: &Db,
    until: Until,
    storage: impl StorageBackend,
    options: Options,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Db> {
    let last = last_event(db, until)?;
    fill(db, last, NewStore::create_on(storage, db.generation())?, progress)?.finish(options)
}

/// Makes a store whose history is this one's up to a cycle or to an event that has a state of its
/// own, and notes in it where it came from.
///
/// ```
/// use pactdb::session::{Until, fork};
/// use pactdb::{Add, Commit, Db, Generation, Options};
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// db.add(Add::user("Where is the key?"))?;
/// db.commit(Commit::new())?;
/// db.add(Add::user("Forget it."))?;
/// db.commit(Commit::new())?;
/// # let path = folder.path().join("b.pactdb");
/// let other = fork(&db, Until::Cycle(1), &path, Options::new(), &mut |_, _| {})?;
/// assert_eq!(other.last_cycle(), 1);
/// # Ok::<(), pactdb::Error>(())
/// ```
pub fn fork(
    db: &Db,
    until: impl Into<Until>,
    path: impl AsRef<Path>,
    options: Options,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Db> {
    let until = until.into();
    let origin = origin(db, until)?;
    let forked = copy(db, until, path, options, progress)?;
    forked.record_origin(origin)?;
    Ok(forked)
}

/// Like [`fork`], on storage of another sort than a file.
#[doc(hidden)]
pub fn fork_on(
    db: &Db,
    until: impl Into<Until>,
    storage: impl StorageBackend,
    options: Options,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Db> {
    let until = until.into();
    let origin = origin(db, until)?;
    let forked = copy_on(db, until, storage, options, progress)?;
    forked.record_origin(origin)?;
    Ok(forked)
}

fn origin(db: &Db, until: Until) -> Result<Origin> {
    let cycle = last_closed(db, until)?;
    Ok(Origin {
        kind: OriginKind::Fork,
        name: db.path().map(|path| path.display().to_string()),
        format: None,
        session: None,
        digest: db.chain_hash(last_event(db, until)?)?,
        cycle: Some(cycle),
    })
}

fn fill(
    db: &Db,
    last: u64,
    mut store: NewStore,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<NewStore> {
    pages(db, last, "events were copied", &mut |upto, entries| {
        entries.into_iter().try_for_each(|entry| store.take(entry))?;
        progress(upto, last);
        Ok(())
    })?;
    Ok(store)
}

/// Hands on the log up to an event, page by page, each with the number of its last event.
pub(super) fn pages(
    db: &Db,
    last: u64,
    what: &'static str,
    each: &mut dyn FnMut(u64, Vec<Entry>) -> Result<()>,
) -> Result<()> {
    let mut done = 0;
    while done < last {
        let entries = db.entries(done + 1, PAGE.min((last - done) as usize))?;
        if entries.is_empty() {
            let message = format!("event {} is missing from the log", done + 1);
            return Err(Error::new(Code::LogCorrupt, message));
        }
        done += entries.len() as u64;
        each(done, entries)?;
        budget::reached(what, done, Some(last))?;
    }
    Ok(())
}
