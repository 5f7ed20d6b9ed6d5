//! How a store is opened.

use super::Db;
use super::clock::{Clock, SystemClock};
use crate::change::Event;
use crate::error::{Error, Result};
use crate::log::NewEvent;
use crate::model::Generation;
use crate::storage::StorageBackend;
use crate::store::{Append, Progress, Store};
use std::path::Path;
use std::sync::Arc;

/// When an edit is safe on disk. Commits always are, before they are acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Before it is acknowledged.
    #[default]
    Immediate,
    /// With the next commit at the latest: a crash may take the edits since the last one.
    AtCommit,
}

/// Options for making or opening a store.
///
/// ```
/// use pactdb::{Add, Durability, Generation, Options};
/// # fn main() -> pactdb::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("memory.pactdb");
/// // Edits reach the disk with the next commit; a clock that stands still, for a test.
/// let options = Options::new()
///     .generation(Generation::V0_1)
///     .durability(Durability::AtCommit)
///     .clock(1_700_000_000_000_000_000);
/// let db = options.open_or_create(&path)?;
/// db.add(Add::user("Where is the key?"))?;
/// # Ok(())
/// # }
/// ```
pub struct Options {
    pub(super) generation: Generation,
    pub(super) durability: Durability,
    pub(super) clock: Box<dyn Clock>,
    pub(super) room: Option<Room>,
    progress: Box<dyn FnMut(Progress)>,
}

/// Who says how many bytes can still be written.
pub(super) type Room = Box<dyn Fn() -> u64 + Send + Sync>;

impl Default for Options {
    fn default() -> Options {
        Options {
            generation: Generation::default(),
            durability: Durability::default(),
            clock: Box::new(SystemClock),
            room: None,
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
        self.durability = durability;
        self
    }

    /// Another clock.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Options {
        self.clock = Box::new(clock);
        self
    }

    /// Who says how many bytes can still be written to the storage; of a file, the file system says it.
    /// What would need more is refused before it begins.
    #[doc(hidden)]
    #[must_use]
    pub fn room(mut self, room: impl Fn() -> u64 + Send + Sync + 'static) -> Options {
        self.room = Some(Box::new(room));
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
        let store = self.found(Store::create(path.as_ref(), self.generation)?)?;
        Db::attach(store, self)
    }

    /// Opens a store.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Db> {
        let store = Store::open(path.as_ref())?;
        self.finish(store)
    }

    /// Opens a store, or makes one if there is no file or an empty one.
    pub fn open_or_create(self, path: impl AsRef<Path>) -> Result<Db> {
        let path = path.as_ref();
        if Store::is_there(path) {
            return self.open(path);
        }
        let made = Store::create(path, self.generation).map_err(Error::from);
        match made.and_then(|store| self.found(store)) {
            Ok(store) => Db::attach(store, self),
            // Somebody else made it meanwhile.
            Err(_) if Store::is_there(path) => self.open(path),
            Err(error) => Err(error),
        }
    }

    /// Makes a store on storage of another sort than a file.
    #[doc(hidden)]
    pub fn create_on(self, storage: impl StorageBackend) -> Result<Db> {
        let store = self.found(Store::create_on(storage, self.generation)?)?;
        Db::attach(store, self)
    }

    /// Opens a store on storage of another sort than a file.
    #[doc(hidden)]
    pub fn open_on(self, storage: impl StorageBackend) -> Result<Db> {
        let store = Store::open_on(storage)?;
        self.finish(store)
    }

    fn finish(mut self, store: Store) -> Result<Db> {
        if !store.derived_is_current()? {
            let rebuilt = store.rebuild(&mut *self.progress)?;
            store.exchange(rebuilt)?;
        }
        store.forget_rebuild()?;
        let store = if store.next_seq() == 1 { self.found(store)? } else { store };
        Db::attach(store, self)
    }

    /// Writes the first event of every log, and gives a new file its name.
    fn found(&self, store: Store) -> Result<Store> {
        let event = Arc::new(Event::Created { generation: store.generation() });
        let events = [NewEvent { event, contents: Vec::new() }];
        let time = self.clock.now();
        store.append(&Append { events: &events, time, closed: None, durable: true })?;
        store.place()?;
        Ok(store)
    }
}
