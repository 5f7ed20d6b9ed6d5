//! An open store: what its clones share, its locks, and what is done with all of it at once.
//!
//! What it can be asked and told is in the files beside this one.

use super::ops::{KeptPrompt, ThreadFormat};
use super::settings::Settings;
use crate::change::Working;
use crate::code::Code;
use crate::error::{Error, Result};
use crate::language::Dialect;
use crate::model::{Generation, Tree};
use crate::query::Question;
use crate::store::{Opened, Packed, Progress, Store, Verified};
use quick_cache::sync::Cache;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

/// An open store. Clones share it; it can be used from several threads at once.
///
/// ```
/// use pactdb::{Add, Commit, Db, Generation};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("memory.pactdb");
/// let db = Db::create(&path, Generation::V0_1)?;
/// db.add(Add::user("Where is the key?"))?;
/// let commit = db.commit(Commit::new())?;
/// assert_eq!(commit.cycle, 1);
/// # Ok::<(), pactdb::Error>(())
/// ```
#[derive(Clone)]
pub struct Db {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) store: Store,
    pub(super) working: RwLock<Arc<Working>>,
    /// The last event that was published, for those who wait for the next.
    published: Mutex<u64>,
    more: Condvar,
    /// Held while something is decided and written.
    writer: Mutex<()>,
    pub(super) settings: Settings,
    /// Selectors that were read lately: most programs ask the same few again and again.
    pub(super) selectors: Cache<(Dialect, Box<str>), Arc<Question>>,
    /// Held to be read by whoever asks, and to be written while what was made anew takes its place.
    derived: RwLock<()>,
    /// Snapshots that were asked lately, by cycle. They hold `^sys` and `^ah`; turns are read when
    /// they are wanted.
    pub(super) snapshots: Cache<u64, Tree>,
    /// How much of the prompt before is left in that of a snapshot, as far as somebody has asked.
    prompts: Cache<(ThreadFormat, u64), KeptPrompt>,
}

impl std::fmt::Debug for Db {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Db({:?})", self.inner.store.path())
    }
}

impl Db {
    /// How much of the prompt before is left in that of a snapshot, as far as that was found out.
    pub(crate) fn kept_prompts(&self) -> &Cache<(ThreadFormat, u64), KeptPrompt> {
        &self.inner.prompts
    }

    pub(super) fn attach(store: Store, settings: Settings) -> Result<Db> {
        let Opened { store, working } = store.recover()?;
        let published = Mutex::new(store.next_seq() - 1);
        let inner = Inner {
            store,
            published,
            more: Condvar::new(),
            working: RwLock::new(Arc::new(working)),
            writer: Mutex::new(()),
            settings,
            selectors: Cache::new(256),
            derived: RwLock::new(()),
            snapshots: Cache::new(256),
            prompts: Cache::new(32 << 10),
        };
        Ok(Db { inner: Arc::new(inner) })
    }

    /// The generation of the specification that the store was made for.
    pub fn generation(&self) -> Generation {
        self.inner.store.generation()
    }

    /// The id of the store: random, made with it, and another one for a fork or a loaded dump. A store
    /// that was made before stores had ids has none.
    pub fn id(&self) -> Result<Option<String>> {
        Ok(self.inner.store.id()?)
    }

    /// The file, if the store lies in one.
    pub fn path(&self) -> Option<&Path> {
        self.inner.store.path()
    }

    /// Checks the whole store against its log, and names the first thing that is wrong. It looks at
    /// the state as it is when this begins; edits and commits go on meanwhile.
    ///
    /// ```
    /// use pactdb::{Commit, Db, Generation};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.commit(Commit::new())?;
    /// let verified = db.verify(|progress| println!("{} of {}", progress.done, progress.total))?;
    /// assert_eq!(verified.commits, 1);
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn verify(&self, mut progress: impl FnMut(Progress)) -> Result<Verified> {
        Ok(self.inner.store.verify(&mut progress)?)
    }

    /// Makes everything that is derived again from the log.
    ///
    /// ```
    /// use pactdb::{Commit, Db, Generation};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.commit(Commit::new())?;
    /// let before = db.export(Some("@t0"))?;
    /// db.rebuild(|_| {})?;
    /// assert_eq!(db.export(Some("@t0"))?, before);
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn rebuild(&self, mut progress: impl FnMut(Progress)) -> Result<Verified> {
        let run = || {
            let rebuilt = self.inner.store.rebuild(&mut progress)?;
            // Whoever asks meanwhile waits: half of an old index and half of a new one are none.
            let _readers = self.inner.derived.write().unwrap_or_else(PoisonError::into_inner);
            self.inner.snapshots.clear();
            Ok(self.inner.store.exchange(rebuilt)?)
        };
        self.alone(run, || Ok(self.inner.store.forget_rebuild()?))
    }

    /// Packs the file and gives free room back: its rows are written into a new file, which takes its
    /// place. Where the disk has no room for that, they stay as they are: returns whether they were
    /// packed.
    ///
    /// ```
    /// use pactdb::{Add, Commit, Db, Generation};
    /// # fn main() -> pactdb::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::user("Where is the key?"))?;
    /// db.commit(Commit::new())?;
    /// let before = db.export(Some("@t0"))?;
    /// assert!(db.compact()?);
    /// assert_eq!(db.export(Some("@t0"))?, before);
    /// # Ok(())
    /// # }
    /// ```
    pub fn compact(&self) -> Result<bool> {
        Ok(self.compact_watched(|_| {})? != Packed::Trimmed)
    }

    /// The same with a look at how far it has come, and how it was done.
    pub fn compact_watched(&self, mut progress: impl FnMut(Progress)) -> Result<Packed> {
        let run = || Ok(self.inner.store.compact(self.room(), &mut progress)?);
        self.alone(run, || Ok(()))
    }

    /// How many bytes can still be written, as far as that is known.
    pub(super) fn room(&self) -> Option<u64> {
        match &self.inner.settings.room {
            Some(room) => Some(room()),
            None => self.inner.store.room(),
        }
    }

    /// Forgets what was read from the file. No answer changes by it.
    pub fn clear_cache(&self) {
        self.inner.store.reader().clear_cache();
        self.inner.snapshots.clear();
    }

    /// Whether the store is only read, because its file may not be written to or because it was opened
    /// so. Edits are refused then.
    pub fn is_read_only(&self) -> bool {
        self.inner.store.why_only_read().is_some()
    }

    /// Waits until nobody else writes, and refuses a store that is only read.
    pub(super) fn write_lock(&self) -> Result<MutexGuard<'_, ()>> {
        match self.inner.store.why_only_read() {
            Some(why) => Err(Error::new(Code::ReadOnly, why)),
            None => self.turn(),
        }
    }

    /// Waits until nobody else writes. After a panic in the middle of a write nobody does any more.
    pub(super) fn turn(&self) -> Result<MutexGuard<'_, ()>> {
        self.inner.writer.lock().map_err(|_| {
            let message = "a thread panicked while it wrote to the store: open it again";
            Error::new(Code::StoreIo, message)
        })
    }

    /// Runs something long that calls back into the caller's code. A panic there goes through, and
    /// leaves the store to the others as `undo` makes it.
    pub(super) fn alone<T>(
        &self,
        run: impl FnOnce() -> Result<T>,
        undo: impl FnOnce() -> Result<()>,
    ) -> Result<T> {
        let writer = self.write_lock()?;
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(done) => done,
            Err(panic) => {
                let undone = undo();
                if undone.is_err() {
                    self.inner.store.stop();
                }
                drop(writer);
                resume_unwind(panic)
            }
        }
    }

    /// Runs something of many writes, of which only the last is durable: all of it happens, or
    /// nothing, whether it fails, panics, or is cut off.
    pub(super) fn all_or_nothing<T>(&self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        let mark = Cell::new(None);
        let undo = || match mark.take() {
            Some(mark) => {
                self.inner.snapshots.clear();
                Ok(self.inner.store.go_back(mark)?)
            }
            None => Ok(()),
        };
        let run = || {
            mark.set(Some(self.inner.store.mark()?));
            // What went wrong first is of more interest than what goes wrong now.
            run().inspect_err(|_| drop(undo()))
        };
        self.alone(run, undo)
    }

    /// To be held by whoever reads more than one thing that is derived, and once only: then nothing
    /// is exchanged meanwhile.
    pub(super) fn reading(&self) -> RwLockReadGuard<'_, ()> {
        self.inner.derived.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state as it was last published.
    pub(super) fn working(&self) -> Arc<Working> {
        self.inner.working.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn publish(&self, working: Working) {
        *self.inner.working.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(working);
        self.tell_of_events();
    }

    /// Wakes those who wait for events: what was written so far is published.
    pub(super) fn tell_of_events(&self) {
        let mut published = self.inner.published.lock().unwrap_or_else(PoisonError::into_inner);
        *published = self.inner.store.next_seq() - 1;
        self.inner.more.notify_all();
    }

    /// The last event that was published, as soon as there is one after `known`; at most so long.
    pub(crate) fn wait_for_event(&self, known: u64, at_most: Duration) -> u64 {
        let published = self.inner.published.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.inner.more.wait_timeout_while(published, at_most, |last| *last <= known);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// A conflict with the cycle that the caller expected.
pub(super) fn check_cycle(expected: Option<i64>, last: u64) -> Result<()> {
    match expected {
        Some(expected) if u64::try_from(expected) != Ok(last) => {
            let message =
                format!("the store is at cycle {last}, not {expected}: look again, then retry");
            let mut error = Error::new(Code::Conflict, message);
            error.details.cycle = Some(last);
            Err(error)
        }
        _ => Ok(()),
    }
}

/// A conflict with the event that the caller took for the newest.
pub(super) fn check_event(expected: Option<i64>, last: u64) -> Result<()> {
    match expected {
        Some(expected) if u64::try_from(expected) != Ok(last) => {
            let message = format!(
                "the newest event is {last}, not {expected}: somebody else edited meanwhile; look again, then retry"
            );
            Err(Error::new(Code::Conflict, message))
        }
        _ => Ok(()),
    }
}
