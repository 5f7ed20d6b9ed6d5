//! A store's file: opening it, reading it at one moment, and its size.

use super::backend::FileStorage;
use super::base::{Base, SharedBase};
use super::file::{self, NewFile, Watch, exists_already, io_error};
use super::guarded::{Readable, guard};
use super::read::LogReader;
use super::record::ChainHash;
use super::shown::Shown;
use super::tables::{FORMAT, META, Side, derived_row, identity_row};
use super::{StoreError, tables};
use crate::limits::CACHE_BYTES;
use crate::model::Generation;
use redb::StorageBackend;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Where the log ends.
pub(super) struct Head {
    pub(super) next_seq: u64,
    pub(super) hash: ChainHash,
    /// The cycle whose row has the newest whole skeleton.
    pub(super) skeleton_at: u64,
    pub(super) compressor: zstd::bulk::Compressor<'static>,
    /// How many writes were begun.
    pub(super) writes: u64,
    /// Whether something was written that need not be on disk yet.
    pub(super) unsynced: bool,
    /// Whether what is written and what is shown have come apart. Then nothing more is written.
    pub(super) stopped: bool,
}

impl Head {
    pub(super) fn at(next_seq: u64, hash: ChainHash, skeleton_at: u64) -> Result<Head, StoreError> {
        let compressor = zstd::bulk::Compressor::new(1)
            .map_err(|error| StoreError::Io(format!("compression cannot be set up: {error}")))?;
        let (writes, unsynced, stopped) = (0, false, false);
        Ok(Head { next_seq, hash, skeleton_at, compressor, writes, unsynced, stopped })
    }

    /// Refuses to go on where a write failed half way.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        match self.stopped {
            true => {
                Err(StoreError::Io("an earlier write failed half way: open the store again".into()))
            }
            false => Ok(()),
        }
    }
}

/// An open store.
pub struct Store {
    pub(super) db: SharedBase,
    pub(super) reader: Arc<LogReader>,
    pub(super) head: Mutex<Head>,
    pub(super) generation: Generation,
    path: Option<PathBuf>,
    /// The file of a store that has no name yet.
    new: Mutex<Option<NewFile>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Store({:?})", self.path)
    }
}

/// The sizes of a store, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct StoreSizes {
    /// The whole file.
    pub file_bytes: u64,
    /// Keys and values.
    pub live_bytes: u64,
    /// Pages that are in use.
    pub used_bytes: u64,
    /// Pages that can be used again, and the room that was taken ahead.
    pub free_bytes: u64,
}

impl Store {
    /// Makes a store in a file that does not exist or is empty. A file that does not exist gets its
    /// name from [`Store::place`].
    pub fn create(path: &Path, generation: Generation) -> Result<Store, StoreError> {
        if path.exists() {
            return Store::create_in(path, generation);
        }
        let new = NewFile::create(path)?;
        let storage = file_storage(path, new.file()?)?;
        let base = guard(|| Base::create(storage).map_err(|e| open_error(Some((path, None)), e)))?;
        let mut store = Store::initialize(base, generation, Some(path.to_owned()))?;
        store.new = Mutex::new(Some(new));
        Ok(store)
    }

    /// Makes a store in an empty file, which is empty again if that fails.
    fn create_in(path: &Path, generation: Generation) -> Result<Store, StoreError> {
        if file::holds_something(path) {
            return Err(exists_already(path));
        }
        let file = file::open(path)?;
        let empty = file.try_clone().map_err(|error| io_error(path, &error))?;
        let id = file_id(&file);
        let storage = file_storage(path, file)?;
        let base = guard(|| Base::create(storage).map_err(|e| open_error(Some((path, id)), e)))?;
        let made = Store::initialize(base, generation, Some(path.to_owned()));
        match &made {
            Ok(store) => store.watch(Watch::new(path, &empty)?),
            Err(StoreError::Io(_)) => drop(empty.set_len(0)),
            Err(_) => {}
        }
        made
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

    fn watch(&self, watch: Watch) {
        self.db.write().unwrap_or_else(PoisonError::into_inner).watch(watch);
    }

    /// Whether there is a file to open: one with something in it.
    pub fn is_there(path: &Path) -> bool {
        file::holds_something(path)
    }

    /// Opens the store in a file. What is not a store, and what cannot be opened, is not touched.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        let file = file::open(path)?;
        let watch = Watch::new(path, &file)?;
        let (id, storage) = (file_id(&file), file_storage(path, file)?);
        let store = Store::open_storage(storage, Some((path, id)))?;
        store.watch(watch);
        Ok(store)
    }

    /// Makes a store on empty storage of another sort.
    pub fn create_on(
        storage: impl StorageBackend,
        generation: Generation,
    ) -> Result<Store, StoreError> {
        if storage.len().map_err(storage_error)? > 0 {
            return Err(StoreError::Format("there is something on this storage already".into()));
        }
        let base = guard(|| Base::create(storage).map_err(|error| open_error(None, error)))?;
        Store::initialize(base, generation, None)
    }

    /// Opens a store on storage of another sort.
    pub fn open_on(storage: impl StorageBackend) -> Result<Store, StoreError> {
        Store::open_storage(storage, None)
    }

    fn open_storage(
        storage: impl StorageBackend,
        file: Option<FileName<'_>>,
    ) -> Result<Store, StoreError> {
        check_magic(&storage, file)?;
        let base = guard(|| Base::open(storage).map_err(|error| open_error(file, error)))?;
        let store = Store::attach(base, file.map(|(path, _)| path.to_owned()))?;
        store.db.read().unwrap_or_else(PoisonError::into_inner).keep_repair()?;
        Ok(store)
    }

    fn initialize(
        base: Base,
        generation: Generation,
        path: Option<PathBuf>,
    ) -> Result<Store, StoreError> {
        let txn = base.begin_write(Side::Main)?;
        tables::create_all(&txn)?;
        {
            let mut meta = txn.open_table(META)?;
            if meta.get("format")?.is_some() {
                // Somebody was faster.
                return Err(exists_already(path.as_deref().unwrap_or(Path::new("the store"))));
            }
            meta.insert("format", FORMAT.to_le_bytes().as_slice())?;
            meta.insert("derived", derived_row().as_slice())?;
            meta.insert("generation", generation.name().as_bytes())?;
            meta.insert("identity", identity_row(FORMAT, generation).as_slice())?;
        }
        base.commit(txn)?;
        Store::attach(base, path)
    }

    fn attach(base: Base, path: Option<PathBuf>) -> Result<Store, StoreError> {
        let generation = check_meta(&base, path.as_deref())?;
        let db = Arc::new(RwLock::new(base));
        let reader = Arc::new(LogReader::new(db.clone(), Side::Main, CACHE_BYTES));
        let head = super::open::find_head(&reader)?;
        Ok(Store { db, reader, head: Mutex::new(head), generation, path, new: Mutex::default() })
    }

    /// The same store, as whoever makes its derived tables anew beside the others sees it.
    pub(super) fn beside(&self) -> Result<Store, StoreError> {
        let head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        let head = Head::at(head.next_seq, head.hash, 0)?;
        Ok(Store {
            db: self.db.clone(),
            reader: Arc::new(LogReader::new(self.db.clone(), Side::Beside, CACHE_BYTES)),
            head: Mutex::new(head),
            generation: self.generation,
            path: None,
            new: Mutex::default(),
        })
    }

    /// The generation that the store was made for.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The file, if the store lies in one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Who reads the store.
    pub fn reader(&self) -> &Arc<LogReader> {
        &self.reader
    }

    /// The sequence number of the next event.
    pub fn next_seq(&self) -> u64 {
        self.head.lock().unwrap_or_else(PoisonError::into_inner).next_seq
    }

    /// Takes no more events. For whoever cannot show what was written, or has shown what was not:
    /// what the log holds is found out by opening the store again.
    pub fn stop(&self) {
        self.head.lock().unwrap_or_else(PoisonError::into_inner).stopped = true;
    }

    /// How large the store is.
    pub fn sizes(&self) -> Result<StoreSizes, StoreError> {
        let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
        let stats = db.stats()?;
        let used = stats.allocated_pages() * stats.page_size() as u64;
        let file = match &self.path {
            Some(path) => std::fs::metadata(path).map_err(|error| io_error(path, &error))?.len(),
            None => used,
        };
        Ok(StoreSizes {
            file_bytes: file,
            live_bytes: stats.stored_bytes(),
            used_bytes: used,
            free_bytes: file.saturating_sub(used),
        })
    }

    /// How many bytes the disk has left for the store; none where that is not known.
    pub fn room(&self) -> Option<u64> {
        self.path.as_deref().and_then(file::room)
    }

    /// Packs the tables densely, if the disk has room for both forms of them, and gives free room
    /// back to the file system. Returns whether the tables were packed.
    pub fn compact(&self, room: Option<u64>) -> Result<bool, StoreError> {
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        let mut db = self.db.write().unwrap_or_else(PoisonError::into_inner);
        db.check_pages()?;
        let packs = match room {
            Some(room) => room > db.stats()?.stored_bytes().saturating_mul(2) + SPARE,
            None => true,
        };
        if packs {
            let txn = db.begin_write(Side::Main)?;
            tables::repack(&txn, &mut head.compressor)?;
            db.commit(txn)?;
        }
        db.compact()?;
        Ok(packs)
    }
}

/// What is left alone of a disk: a full one is of no use to anybody.
const SPARE: u64 = 8 << 20;

/// A file's path, and its number in the file system where there is one.
type FileName<'a> = (&'a Path, Option<u64>);

fn file_storage(path: &Path, file: File) -> Result<FileStorage, StoreError> {
    let id = file_id(&file);
    FileStorage::new(file).map_err(|error| open_error(Some((path, id)), error))
}

/// The first bytes of every redb file; storage without them holds none, and is not touched.
const MAGIC: [u8; 9] = [b'r', b'e', b'd', b'b', 0x1A, 0x0A, 0xA9, 0x0D, 0x0A];

/// The first page, without which nothing can be said about the others.
const FIRST_PAGE: u64 = 4096;

fn check_magic(
    storage: &impl StorageBackend,
    file: Option<FileName<'_>>,
) -> Result<(), StoreError> {
    let mut found = [0; MAGIC.len()];
    let whole = storage.len().map_err(storage_error)? >= FIRST_PAGE;
    if whole {
        storage.read(0, &mut found).map_err(storage_error)?;
    }
    if found != MAGIC {
        let name = file.map_or("this".to_owned(), |(path, _)| path.display().to_string());
        return Err(StoreError::Format(format!("{name} is not a pactdb store")));
    }
    Ok(())
}

fn check_meta(base: &Base, path: Option<&Path>) -> Result<Generation, StoreError> {
    let name = path.map_or("this".to_owned(), |path| path.display().to_string());
    let foreign = || StoreError::Format(format!("{name} is a redb file, but not a pactdb store"));
    let shown = base.shown(Side::Main)?;
    if !shown.has(META)? {
        return Err(foreign());
    }
    let meta = shown.open_table(META)?;
    let number = |key: &str| -> Result<Option<u32>, StoreError> {
        let row = meta.get(key)?;
        Ok(row.and_then(|row| row.value().try_into().ok().map(u32::from_le_bytes)))
    };
    let format = number("format")?.ok_or_else(foreign)?;
    match format {
        format if format > FORMAT => {
            return Err(StoreError::Format(format!(
                "{name} has format {format}, this release of pactdb knows formats up to {FORMAT}: use a newer one"
            )));
        }
        _ => {}
    }
    let generation = meta
        .get("generation")?
        .and_then(|row| std::str::from_utf8(row.value()).ok().and_then(Generation::from_name))
        .ok_or_else(|| StoreError::corrupt(format!("{name} does not say its generation")))?;
    // Earlier releases wrote no such row; it comes with the tables that this one derives.
    let known = match meta.get("identity")? {
        Some(row) => row.value() == identity_row(format, generation).as_slice(),
        None => !super::open::derived_is_current(&shown)?,
    };
    match known {
        true => Ok(generation),
        false => Err(StoreError::corrupt(format!("what {name} says of itself is damaged"))),
    }
}

fn storage_error(error: std::io::Error) -> StoreError {
    StoreError::Io(error.to_string())
}

fn open_error(file: Option<FileName<'_>>, error: redb::DatabaseError) -> StoreError {
    let path = file.map_or("the store".to_owned(), |(path, _)| path.display().to_string());
    match error {
        redb::DatabaseError::DatabaseAlreadyOpen => StoreError::Locked {
            path,
            holder: file.and_then(|(_, inode)| inode).and_then(lock_holder),
        },
        redb::DatabaseError::UpgradeRequired(version) => {
            StoreError::Format(format!("{path} has the file format {version} of an older redb"))
        }
        redb::DatabaseError::Storage(error) => match StoreError::from(error) {
            StoreError::Io(message) => StoreError::Io(format!("{path}: {message}")),
            StoreError::Corrupt(message) => StoreError::Corrupt(format!("{path}: {message}")),
            other => other,
        },
        other => StoreError::Io(format!("{path}: {other}")),
    }
}

#[cfg(unix)]
fn file_id(file: &File) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    file.metadata().ok().map(|metadata| metadata.ino())
}

#[cfg(not(unix))]
fn file_id(_: &File) -> Option<u64> {
    None
}

/// The process that holds a lock on a file, as the kernel lists it.
fn lock_holder(inode: u64) -> Option<u32> {
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let suffix = format!(":{inode}");
    locks.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let at = fields.iter().position(|field| field.ends_with(&suffix))?;
        fields.get(at.checked_sub(1)?)?.parse().ok()
    })
}

/// The newest key of the log, if there is an event.
pub(super) fn last_log_key(txn: &Shown) -> Result<Option<(u64, u32)>, StoreError> {
    Ok(txn.log()?.last()?.map(|(key, _)| key.value()))
}
