//! How a store is opened.

use super::clock::{Clock, SystemClock};
use super::handle::Db;
use super::settings::{Durability, Settings};
use crate::change::Event;
use crate::code::Code;
use crate::error::{Error, Result};
use crate::limits::CACHE_BYTES;
use crate::log::NewEvent;
use crate::model::Generation;
use crate::storage::StorageBackend;
use crate::store::{Append, Progress, Store};
use std::path::Path;
use std::sync::Arc;

impl Db {
    /// Makes a store in a file that does not exist.
    ///
    /// ```
    /// use pactdb::{Db, Generation};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("a.pactdb");
    /// let db = Db::create(&path, Generation::V0_1)?;
    /// assert_eq!(db.last_cycle(), 0);
    /// assert!(Db::create(&path, Generation::V0_1).is_err(), "it exists now");
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn create(path: impl AsRef<Path>, generation: Generation) -> Result<Db> {
        Options::new().generation(generation).create(path)
    }

    /// Opens the store in a file.
    ///
    /// ```
    /// use pactdb::{Add, Code, Commit, Db, Generation};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("a.pactdb");
    /// let db = Db::create(&path, Generation::V0_1)?;
    /// db.add(Add::user("Where is the key?"))?;
    /// db.commit(Commit::new())?;
    /// // Only one process has a store open, and only once.
    /// assert_eq!(Db::open(&path).unwrap_err().code, Code::StoreLocked);
    /// drop(db);
    /// assert_eq!(Db::open(&path)?.last_cycle(), 1);
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Db> {
        Options::new().open(path)
    }
}

/// Options for making or opening a store.
///
/// ```
/// use pactdb::{Add, Durability, Generation, Options};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("memory.pactdb");
/// // Edits reach the disk with the next commit; a clock that stands still, for a test.
/// let options = Options::new()
///     .generation(Generation::V0_1)
///     .durability(Durability::AtCommit)
///     .clock(1_700_000_000_000_000_000);
/// let db = options.open_or_create(&path)?;
/// db.add(Add::user("Where is the key?"))?;
/// # Ok::<(), pactdb::Error>(())
/// ```
pub struct Options {
    pub(super) generation: Generation,
    pub(super) settings: Settings,
    read_only: bool,
    cache_bytes: u64,
    progress: Box<dyn FnMut(Progress)>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            generation: Generation::default(),
            settings: Settings {
                durability: Durability::default(),
                clock: Box::new(SystemClock),
                room: None,
            },
            read_only: false,
            cache_bytes: CACHE_BYTES,
            progress: Box::new(|_| {}),
        }
    }
}

impl Options {
    /// The defaults: generation 0.1, every edit durable, the machine's clock.
    pub fn new() -> Options {
        Options::default()
    }

    /// The generation of a new store.
    #[must_use]
    pub fn generation(mut self, generation: Generation) -> Options {
        self.generation = generation;
        self
    }

    /// When edits between commits are durable.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Options {
        self.settings.durability = durability;
        self
    }

    /// Whether the store is only read: nothing is written to its file, others may read it at the
    /// same time, and edits are refused. A file that may not be written to is opened so in any case.
    ///
    /// ```
    /// use pactdb::{Add, Code, Db, Generation, Options};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("archive.pactdb");
    /// Db::create(&path, Generation::V0_1)?.add(Add::user("Where is the key?"))?;
    /// let one = Options::new().read_only(true).open(&path)?;
    /// let other = Options::new().read_only(true).open(&path)?;
    /// assert_eq!(one.export(None)?, other.export(None)?);
    /// assert_eq!(one.undo().unwrap_err().code, Code::ReadOnly);
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Options {
        self.read_only = read_only;
        self
    }

    /// How many bytes of the store are kept in memory at most: half of them pages of its file, half what
    /// was read from them. The default is 128 MiB.
    #[must_use]
    pub fn cache_bytes(mut self, bytes: u64) -> Options {
        self.cache_bytes = bytes;
        self
    }

    /// Another clock.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Options {
        self.settings.clock = Box::new(clock);
        self
    }

    /// Who says how many bytes can still be written to the storage; of a file, the file system says it.
    /// What would need more is refused before it begins.
    #[doc(hidden)]
    #[must_use]
    pub fn room(mut self, room: impl Fn() -> u64 + Send + Sync + 'static) -> Options {
        self.settings.room = Some(Box::new(room));
        self
    }

    /// Who is told how far a rebuild has come, if opening needs one.
    #[must_use]
    pub fn progress(mut self, progress: impl FnMut(Progress) + 'static) -> Options {
        self.progress = Box::new(progress);
        self
    }

    /// Makes a store.
    pub fn create(self, path: impl AsRef<Path>) -> Result<Db> {
        self.check_may_write(path.as_ref())?;
        let store = self.found(Store::create(path.as_ref(), self.generation, self.cache_bytes)?)?;
        Db::attach(store, self.settings)
    }

    /// Opens a store.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Db> {
        let store = match self.read_only {
            true => Store::open_to_read(path.as_ref(), self.cache_bytes)?,
            false => Store::open(path.as_ref(), self.cache_bytes)?,
        };
        self.finish(store)
    }

    /// Opens a store, or makes one if there is no file or an empty one.
    pub fn open_or_create(self, path: impl AsRef<Path>) -> Result<Db> {
        let path = path.as_ref();
        if Store::is_there(path) {
            return self.open(path);
        }
        self.check_may_write(path)?;
        let made = Store::create(path, self.generation, self.cache_bytes).map_err(Error::from);
        match made.and_then(|store| self.found(store)) {
            Ok(store) => Db::attach(store, self.settings),
            // Somebody else made it meanwhile.
            Err(_) if Store::is_there(path) => self.open(path),
            Err(error) => Err(error),
        }
    }

    /// Makes a store on storage of another sort than a file.
    #[doc(hidden)]
    pub fn create_on(self, storage: impl StorageBackend) -> Result<Db> {
        let store = self.found(Store::create_on(storage, self.generation, self.cache_bytes)?)?;
        Db::attach(store, self.settings)
    }

    /// Opens a store on storage of another sort than a file.
    #[doc(hidden)]
    pub fn open_on(self, storage: impl StorageBackend) -> Result<Db> {
        let store = Store::open_on(storage, self.cache_bytes)?;
        self.finish(store)
    }

    fn finish(mut self, store: Store) -> Result<Db> {
        if !store.derived_is_current()? {
            let rebuilt = store.rebuild(&mut *self.progress)?;
            store.exchange(rebuilt)?;
        }
        // Whoever may write does it; until then it hinders nobody.
        if store.why_only_read().is_none() {
            store.forget_rebuild()?;
        }
        let store = if store.next_seq() == 1 { self.found(store)? } else { store };
        Db::attach(store, self.settings)
    }

    fn check_may_write(&self, path: &Path) -> Result<()> {
        if !self.read_only {
            return Ok(());
        }
        let message = format!("{} is to be only read, and there is no store", path.display());
        Err(Error::new(Code::ReadOnly, message))
    }

    /// Writes the first event of every log, and gives a new file its name.
    fn found(&self, store: Store) -> Result<Store> {
        let event = Arc::new(Event::Created { generation: store.generation() });
        let events = [NewEvent { event, contents: Vec::new() }];
        let time = self.settings.now();
        store.append(&Append { events: &events, time, closed: None, durable: true })?;
        store.place()?;
        Ok(store)
    }
}
