//! The handle of an open store: what the other files of this folder add their methods to.

use super::head::{Head, derived_is_current};
use super::reader::{Base, SharedBase, StoreReader};
use crate::log::{LOG, META};
use crate::model::Generation;
use crate::storage::{NewFile, Readable, Side, StoreError, Watch, file_bytes, room};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// An open store.
pub struct Store {
    db: SharedBase,
    pub(super) reader: Arc<StoreReader>,
    head: Mutex<Head>,
    pub(super) generation: Generation,
    path: Option<PathBuf>,
    /// The bytes of its caches.
    cache: u64,
    /// Why it is only read, in words, if it is.
    only_read: Option<String>,
    /// The file of a store that has no name yet.
    new: Mutex<Option<NewFile>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Store({:?})", self.path)
    }
}

/// The sizes of a store, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct StoreSizes {
    /// The whole file.
    pub file_bytes: u64,
    /// Keys and values. Of a table with more than some dozens of pages this is reckoned from a few
    /// of them, evenly apart.
    pub live_bytes: u64,
    /// Pages that the newest state on disk consists of, those that the storage below needs for
    /// itself included.
    pub used_bytes: u64,
    /// Pages that can be used again, and the room that was taken ahead.
    pub free_bytes: u64,
}

/// The sizes of one table of a store.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TableSizes {
    /// Its name, as in docs/storage.md.
    pub table: String,
    /// Whether it can be made again from the log.
    pub derived: bool,
    /// How many rows it has.
    pub rows: u64,
    /// Its keys and values, in bytes, reckoned from some of its pages if there are many.
    pub stored_bytes: u64,
    /// Its pages, in bytes.
    pub used_bytes: u64,
    /// What of its pages is neither keys nor values: room that is empty, and what finds the rows.
    pub slack_bytes: u64,
}

impl Store {
    /// The store in a database that was found to be one.
    pub(super) fn attach(
        base: Base,
        generation: Generation,
        path: Option<PathBuf>,
        cache: u64,
    ) -> Result<Store, StoreError> {
        let db = Arc::new(RwLock::new(base));
        let reader = Arc::new(StoreReader::new(db.clone(), Side::Main, cache / 2));
        let head = Head::find(&reader)?;
        let (head, new) = (Mutex::new(head), Mutex::default());
        Ok(Store { db, reader, head, generation, path, cache, only_read: None, new })
    }

    /// The same store, as whoever makes its shadow tables sees it.
    pub(super) fn beside(&self) -> Result<Store, StoreError> {
        let head = Head::at(self.head().end, 0)?;
        Ok(Store {
            db: self.db.clone(),
            reader: Arc::new(StoreReader::new(self.db.clone(), Side::Beside, self.cache / 2)),
            head: Mutex::new(head),
            generation: self.generation,
            path: None,
            cache: self.cache,
            only_read: None,
            new: Mutex::default(),
        })
    }

    pub(super) fn db(&self) -> RwLockReadGuard<'_, Base> {
        self.db.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn db_mut(&self) -> RwLockWriteGuard<'_, Base> {
        self.db.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many bytes of pages are kept in memory.
    pub(super) fn page_cache(&self) -> u64 {
        self.cache / 2
    }

    pub(super) fn head(&self) -> MutexGuard<'_, Head> {
        self.head.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says which file the store lies in, from now on.
    pub(super) fn watch(&self, watch: Watch) {
        self.db_mut().watch(watch);
    }

    /// The store, of which nothing is written to its file. What is written to it is seen by this
    /// process alone, and forgotten when it is closed.
    pub(super) fn only_read(mut self, why: &str) -> Store {
        let name = self.path.as_deref().unwrap_or(Path::new("the store")).display();
        self.only_read = Some(format!("{name} may only be read: {why}"));
        self
    }

    /// Why the store is only read, in words; nothing if it can be written to.
    pub fn why_only_read(&self) -> Option<&str> {
        self.only_read.as_deref()
    }

    /// Keeps the file of a store that has no name yet.
    pub(super) fn with_new_file(mut self, new: NewFile) -> Store {
        self.new = Mutex::new(Some(new));
        self
    }

    /// Gives a new store's file its name. From then on it can be found, and only then.
    pub fn place(&self) -> Result<(), StoreError> {
        let mut new = self.new.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &*new {
            self.watch(file.place()?);
            *new = None;
        }
        Ok(())
    }

    /// Whether the derived tables were made by this version of the code, and completely.
    pub fn derived_is_current(&self) -> Result<bool, StoreError> {
        self.reader.with(derived_is_current)
    }

    /// The generation that the store was made for.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The id of the store, in hexadecimal digits. One that was made before stores had ids has none.
    pub fn id(&self) -> Result<Option<String>, StoreError> {
        self.reader.with(|view| {
            let meta = view.open_table(META)?;
            let row = meta.get("id")?;
            Ok(row.map(|row| row.value().iter().map(|byte| format!("{byte:02x}")).collect()))
        })
    }

    /// The file, if the store lies in one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The reader of the store.
    pub fn reader(&self) -> &Arc<StoreReader> {
        &self.reader
    }

    /// The sequence number of the next event.
    pub fn next_seq(&self) -> u64 {
        self.head().end.next_seq
    }

    /// Takes no more events. For whoever cannot apply what was written, or has applied what was
    /// not: what the log holds is found out by opening the store again.
    pub fn stop(&self) {
        self.head().stopped = true;
    }

    /// How large the store is. Whoever writes is not waited for, and does not wait.
    pub fn sizes(&self) -> Result<StoreSizes, StoreError> {
        let measured = self.db().measure()?;
        let file = match &self.path {
            Some(path) => file_bytes(path)?,
            None => measured.used,
        };
        Ok(StoreSizes {
            file_bytes: file,
            live_bytes: measured.live,
            used_bytes: measured.used,
            free_bytes: file.saturating_sub(measured.used),
        })
    }

    /// How large each table is, in the order of their names. Whoever writes is not waited for.
    pub fn table_sizes(&self) -> Result<Vec<TableSizes>, StoreError> {
        let tables = self.db().measure()?.tables.into_iter();
        let sizes = tables.map(|table| TableSizes {
            derived: table.name != LOG.name() && table.name != META.name(),
            table: table.name,
            rows: table.rows,
            stored_bytes: table.live,
            used_bytes: table.used,
            slack_bytes: table.used.saturating_sub(table.live),
        });
        Ok(sizes.collect())
    }

    /// How many bytes the disk has left for the store; none where that is not known.
    pub fn room(&self) -> Option<u64> {
        self.path.as_deref().and_then(room)
    }
}
