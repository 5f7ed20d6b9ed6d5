//! A store as a program uses it. [`Db`] owns the state in progress and the file; everything below
//! it is either pure or storage.
//!
//! Writers take turns. Readers never wait for a writer's disk: they take the state as it was last
//! published, and every committed part of it stays readable for ever.

mod attempts;
mod bulk;
mod clock;
mod edit;
mod log;
mod moment;
mod ops;
mod options;
mod read;
mod resolve;
mod series;
mod transfer;
mod view;

pub use attempts::Sent;
pub use clock::{Clock, SystemClock};
pub use log::{concerned_ids, log_entry};
pub use ops::{
    Add, AttemptAction, AttemptRequest, Batch, Commit, CommitReply, Diff, EditOp, EditReply,
    EndCadence, IdReply, IdsReply, ImportReply, ImportTurn, KeyReply, Log, LogEntry, Move,
    PolicyRequest, Remove, Restore, Select, Set, Stats, ThreadFormat, TurnsRequest, UndoReply,
};
pub(crate) use ops::{in_words, read};
pub use options::{Durability, Options};
pub use read::{Address, Snapshot};
pub use series::check_import;
pub use transfer::{NewStore, Source};

use crate::change::Working;
use crate::code::Code;
use crate::error::{Error, Result};
use crate::language::Dialect;
use crate::language::ast::Selector;
use crate::model::{Generation, Tree};
use crate::store::{Opened, Progress, Store, Verified};
use quick_cache::sync::Cache;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

/// An open store. Clones share it; it can be used from several threads at once.
///
/// ```
/// use pactdb::{Add, Commit, Db, Generation};
/// # fn main() -> pactdb::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("memory.pactdb");
/// let db = Db::create(&path, Generation::V0_1)?;
/// db.add(Add::user("Where is the key?"))?;
/// let commit = db.commit(Commit::new())?;
/// assert_eq!(commit.cycle, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Db {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    working: RwLock<Arc<Working>>,
    /// Held while something is decided and written.
    writer: Mutex<()>,
    clock: Box<dyn Clock>,
    durability: Durability,
    room: Option<options::Room>,
    /// Selectors that were read lately: most programs ask the same few again and again.
    selectors: Cache<(Dialect, Box<str>), Arc<Selector>>,
    /// Held to be read by whoever asks, and to be written while what was made anew takes its place.
    derived: RwLock<()>,
    /// Snapshots that were asked lately, by cycle. They hold `^sys` and `^ah`; turns are read when
    /// they are wanted.
    snapshots: Cache<u64, Tree>,
}

impl std::fmt::Debug for Db {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Db({:?})", self.inner.store.path())
    }
}

impl Db {
    /// Makes a store in a file that does not exist.
    ///
    /// ```
    /// use pactdb::{Db, Generation};
    /// # fn main() -> pactdb::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("a.pactdb");
    /// let db = Db::create(&path, Generation::V0_1)?;
    /// assert_eq!(db.last_cycle(), 0);
    /// assert!(Db::create(&path, Generation::V0_1).is_err(), "it exists now");
    /// # Ok(())
    /// # }
    /// ```
    pub fn create(path: impl AsRef<Path>, generation: Generation) -> Result<Db> {
        Options::new().generation(generation).create(path)
    }

    /// Opens the store in a file.
    ///
    /// ```
    /// use pactdb::{Add, Code, Commit, Db, Generation};
    /// # fn main() -> pactdb::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("a.pactdb");
    /// let db = Db::create(&path, Generation::V0_1)?;
    /// db.add(Add::user("Where is the key?"))?;
    /// db.commit(Commit::new())?;
    /// // Only one process has a store open, and only once.
    /// assert_eq!(Db::open(&path).unwrap_err().code, Code::StoreLocked);
    /// drop(db);
    /// assert_eq!(Db::open(&path)?.last_cycle(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Db> {
        Options::new().open(path)
    }

    fn attach(store: Store, options: Options) -> Result<Db> {
        let Opened { store, working } = store.recover()?;
        let inner = Inner {
            store,
            working: RwLock::new(Arc::new(working)),
            writer: Mutex::new(()),
            clock: options.clock,
            durability: options.durability,
            room: options.room,
            selectors: Cache::new(256),
            derived: RwLock::new(()),
            snapshots: Cache::new(256),
        };
        Ok(Db { inner: Arc::new(inner) })
    }

    /// The generation of the specification that the store was made for.
    pub fn generation(&self) -> Generation {
        self.inner.store.generation()
    }

    /// The file, if the store lies in one.
    pub fn path(&self) -> Option<&Path> {
        self.inner.store.path()
    }

    /// Checks the whole store against its log, and names the first thing that is wrong.
    ///
    /// ```
    /// use pactdb::{Commit, Db, Generation};
    /// # fn main() -> pactdb::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.commit(Commit::new())?;
    /// let verified = db.verify(|progress| println!("{} of {}", progress.done, progress.total))?;
    /// assert_eq!(verified.commits, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn verify(&self, mut progress: impl FnMut(Progress)) -> Result<Verified> {
        self.alone(|| Ok(self.inner.store.verify(&mut progress)?), || Ok(()))
    }

    /// Makes everything that is derived again from the log.
    ///
    /// ```
    /// use pactdb::{Commit, Db, Generation};
    /// # fn main() -> pactdb::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.commit(Commit::new())?;
    /// let before = db.export(Some("@t0"))?;
    /// db.rebuild(|_| {})?;
    /// assert_eq!(db.export(Some("@t0"))?, before);
    /// # Ok(())
    /// # }
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

    /// Packs the file and gives free room back. Where the disk has no room to write the tables anew,
    /// they stay as they are: returns whether they were packed.
    pub fn compact(&self) -> Result<bool> {
        let _writer = self.write_lock()?;
        Ok(self.inner.store.compact(self.room())?)
    }

    /// How many bytes can still be written, as far as that is known.
    fn room(&self) -> Option<u64> {
        match &self.inner.room {
            Some(room) => Some(room()),
            None => self.inner.store.room(),
        }
    }

    /// Forgets what was read from the file. No answer changes by it.
    pub fn clear_cache(&self) {
        self.inner.store.reader().clear_cache();
        self.inner.snapshots.clear();
    }

    /// Waits until nobody else writes. After a panic in the middle of a write nobody does any more.
    fn write_lock(&self) -> Result<MutexGuard<'_, ()>> {
        self.inner.writer.lock().map_err(|_| {
            let message = "a thread panicked while it wrote to the store: open it again";
            Error::new(Code::StoreIo, message)
        })
    }

    /// Runs something long that calls back into the caller's code. A panic there goes through, and
    /// leaves the store to the others as `undo` makes it.
    fn alone<T>(
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
    fn all_or_nothing<T>(&self, run: impl FnOnce() -> Result<T>) -> Result<T> {
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
    fn reading(&self) -> RwLockReadGuard<'_, ()> {
        self.inner.derived.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state as it was last published.
    fn working(&self) -> Arc<Working> {
        self.inner.working.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn publish(&self, working: Working) {
        *self.inner.working.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(working);
    }
}

/// A conflict with the cycle that the caller expected.
fn check_cycle(expected: Option<i64>, last: u64) -> Result<()> {
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
