//! A store's file: opening it, reading it at one moment, and its size.

use super::backend::FileStorage;
use super::index::Tail;
use super::read::LogReader;
use super::record::ChainHash;
use super::tables::{DERIVED, FORMAT, LOG, META, PARTS};
use super::{StoreError, tables};
use crate::limits::CACHE_BYTES;
use crate::model::Generation;
use redb::{Database, ReadableDatabase, ReadableTable, StorageBackend};
use std::fs::{File, OpenOptions};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The database, which only compaction needs for itself alone.
pub(super) type SharedDatabase = Arc<RwLock<Database>>;

/// Where the log ends.
pub(super) struct Head {
    pub(super) next_seq: u64,
    pub(super) hash: ChainHash,
    /// The cycle whose row has the newest whole skeleton.
    pub(super) skeleton_at: u64,
    pub(super) compressor: zstd::bulk::Compressor<'static>,
}

/// An open store.
pub struct Store {
    pub(super) db: SharedDatabase,
    pub(super) reader: Arc<LogReader>,
    pub(super) head: Mutex<Head>,
    pub(super) generation: Generation,
    path: Option<PathBuf>,
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

/// Runs something on the storage below. A damaged page can make it panic; to its caller that is
/// corruption like any other.
pub(super) fn guard<T>(run: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        Err(StoreError::corrupt("the file is damaged: its pages do not fit together"))
    })
}

impl Store {
    /// Makes a store in a file that does not exist or is empty.
    pub fn create(path: &Path, generation: Generation) -> Result<Store, StoreError> {
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|error| io_error(path, &error))?;
        let length = file.metadata().map_err(|error| io_error(path, &error))?.len();
        if length > 0 {
            let message = format!("{} exists already", path.display());
            return Err(StoreError::Format(message));
        }
        let db = database(path, file)?;
        Store::initialize(db, generation, Some(path.to_owned()))
    }

    /// Opens the store in a file.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        let mut file = file.map_err(|error| io_error(path, &error))?;
        check_magic(path, &mut file)?;
        let db = database(path, file)?;
        Store::attach(db, Some(path.to_owned()))
    }

    /// Makes a store on storage of another sort.
    pub fn create_on(
        storage: impl StorageBackend,
        generation: Generation,
    ) -> Result<Store, StoreError> {
        let db = guard(|| builder().create_with_backend(storage).map_err(|e| open_error(None, e)))?;
        Store::initialize(db, generation, None)
    }

    /// Opens a store on storage of another sort.
    pub fn open_on(storage: impl StorageBackend) -> Result<Store, StoreError> {
        let db = guard(|| builder().create_with_backend(storage).map_err(|e| open_error(None, e)))?;
        Store::attach(db, None)
    }

    fn initialize(
        db: Database,
        generation: Generation,
        path: Option<PathBuf>,
    ) -> Result<Store, StoreError> {
        guard(|| {
            let txn = db.begin_write()?;
            tables::create_all(&txn)?;
            {
                let mut meta = txn.open_table(META)?;
                meta.insert("format", FORMAT.to_le_bytes().as_slice())?;
                meta.insert("derived", DERIVED.to_le_bytes().as_slice())?;
                meta.insert("generation", generation.name().as_bytes())?;
            }
            txn.commit()?;
            Ok(())
        })?;
        Store::attach(db, path)
    }

    fn attach(db: Database, path: Option<PathBuf>) -> Result<Store, StoreError> {
        let generation = guard(|| check_meta(&db, path.as_deref()))?;
        let db = Arc::new(RwLock::new(db));
        let reader = Arc::new(LogReader::new(db.clone(), Tail::default(), CACHE_BYTES));
        let head = guard(|| super::open::find_head(&reader))?;
        Ok(Store { db, reader, head: Mutex::new(head), generation, path })
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

    /// How large the store is.
    pub fn sizes(&self) -> Result<StoreSizes, StoreError> {
        guard(|| {
            let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
            let txn = db.begin_write()?;
            let stats = txn.stats()?;
            txn.abort()?;
            let used = stats.allocated_pages() * stats.page_size() as u64;
            let file = match &self.path {
                Some(path) => {
                    std::fs::metadata(path).map_err(|error| io_error(path, &error))?.len()
                }
                None => used,
            };
            Ok(StoreSizes {
                file_bytes: file,
                live_bytes: stats.stored_bytes(),
                used_bytes: used,
                free_bytes: file.saturating_sub(used),
            })
        })
    }

    /// Packs the tables densely and gives free room back to the file system. Returns whether the
    /// file changed.
    pub fn compact(&self) -> Result<(), StoreError> {
        guard(|| {
            let mut db = self.db.write().unwrap_or_else(PoisonError::into_inner);
            let txn = db.begin_write()?;
            tables::repack(&txn)?;
            txn.commit()?;
            let compacted = db.compact();
            compacted.map(|_| ()).map_err(|error| match error {
                redb::CompactionError::Storage(error) => error.into(),
                other => StoreError::Io(other.to_string()),
            })
        })
    }
}

fn builder() -> redb::Builder {
    let mut builder = redb::Builder::new();
    builder.set_cache_size(CACHE_BYTES as usize);
    builder
}

fn database(path: &Path, file: File) -> Result<Database, StoreError> {
    let id = file_id(&file);
    guard(|| {
        let storage =
            FileStorage::new(file).map_err(|error| open_error(Some((path, id)), error))?;
        builder().create_with_backend(storage).map_err(|error| open_error(Some((path, id)), error))
    })
}

/// The first bytes of every redb file; a file without them is none, and is not touched.
const MAGIC: [u8; 9] = [b'r', b'e', b'd', b'b', 0x1A, 0x0A, 0xA9, 0x0D, 0x0A];

fn check_magic(path: &Path, file: &mut File) -> Result<(), StoreError> {
    use std::io::{Read, Seek, SeekFrom};
    let mut found = [0; MAGIC.len()];
    let read = file.read_exact(&mut found).and_then(|()| file.seek(SeekFrom::Start(0)));
    if read.is_err() || found != MAGIC {
        let message = format!("{} is not a pactdb store", path.display());
        return Err(StoreError::Format(message));
    }
    Ok(())
}

fn check_meta(db: &Database, path: Option<&Path>) -> Result<Generation, StoreError> {
    let name = path.map_or("this".to_owned(), |path| path.display().to_string());
    let foreign = || StoreError::Format(format!("{name} is a redb file, but not a pactdb store"));
    let txn = db.begin_read()?;
    let meta = match txn.open_table(META) {
        Ok(meta) => meta,
        Err(redb::TableError::Storage(error)) => return Err(error.into()),
        Err(_) => return Err(foreign()),
    };
    let number = |key: &str| -> Result<Option<u32>, StoreError> {
        let row = meta.get(key)?;
        Ok(row.and_then(|row| row.value().try_into().ok().map(u32::from_le_bytes)))
    };
    match number("format")? {
        None => return Err(foreign()),
        Some(format) if format > FORMAT => {
            return Err(StoreError::Format(format!(
                "{name} has format {format}, this release of pactdb knows formats up to {FORMAT}: use a newer one"
            )));
        }
        Some(_) => {}
    }
    let generation = meta.get("generation")?;
    generation
        .and_then(|row| std::str::from_utf8(row.value()).ok().and_then(Generation::from_name))
        .ok_or_else(|| StoreError::corrupt(format!("{name} does not say its generation")))
}

fn io_error(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Io(format!("{}: {error}", path.display()))
}

fn open_error(file: Option<(&Path, Option<u64>)>, error: redb::DatabaseError) -> StoreError {
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
pub(super) fn last_log_key(txn: &redb::ReadTransaction) -> Result<Option<(u64, u32)>, StoreError> {
    let table = txn.open_table(LOG)?;
    Ok(table.last()?.map(|(key, _)| key.value()))
}

/// The newest cycle that has a row.
pub(super) fn last_cycle(txn: &redb::ReadTransaction) -> Result<Option<u64>, StoreError> {
    let table = txn.open_table(PARTS)?;
    Ok(table.last()?.map(|(key, _)| key.value().0).filter(|cycle| *cycle > 0))
}
