//! From a path, or from storage of another sort, to a database. What is not a database, and what
//! cannot be opened, is not touched. `cache` is how many bytes of pages are kept in memory.

use super::backend::FileStorage;
use super::base::Base;
use super::error::StoreError;
use super::file::{self, NewFile, Watch, exists_already, io_error};
use super::guarded::guard;
use super::read_only::ReadOnlyFile;
use redb::StorageBackend;
use std::fs::File;
use std::io;
use std::path::Path;

/// A database in a new file, which has no name yet.
pub(crate) fn create_new_file<T: Default>(
    path: &Path,
    cache: u64,
) -> Result<(Base<T>, NewFile), StoreError> {
    let new = NewFile::create(path)?;
    let storage = file_storage(path, new.file()?)?;
    let base =
        guard(|| Base::create(storage, cache).map_err(|e| open_error(Some((path, None)), e)))?;
    Ok((base, new))
}

/// A database in an empty file, and the file, which whoever does not need the database empties
/// again.
pub(crate) fn create_in_file<T: Default>(
    path: &Path,
    cache: u64,
) -> Result<(Base<T>, File), StoreError> {
    if file::holds_something(path) {
        return Err(exists_already(path));
    }
    let file = file::open(path).map_err(|error| io_error(path, error))?;
    let empty = file.try_clone().map_err(|error| io_error(path, error))?;
    let id = file_id(&file);
    let storage = file_storage(path, file)?;
    let base = guard(|| Base::create(storage, cache).map_err(|e| open_error(Some((path, id)), e)))?;
    Ok((base, empty))
}

/// A database on empty storage of another sort.
pub(crate) fn create_on<T: Default>(
    storage: impl StorageBackend,
    cache: u64,
) -> Result<Base<T>, StoreError> {
    if storage.len().map_err(storage_error)? > 0 {
        return Err(StoreError::Format("there is something on this storage already".into()));
    }
    guard(|| Base::create(storage, cache).map_err(|error| open_error(None, error)))
}

/// The database in a file, and why it is only read if the file may not be written to. What is written
/// to the database then is forgotten when it is closed.
pub(crate) fn open_file<T: Default>(
    path: &Path,
    cache: u64,
) -> Result<(Base<T>, Option<&'static str>), StoreError> {
    newest(|| match file::open(path) {
        Ok(file) => {
            let watch = Watch::new(path, &file)?;
            Ok(((open_to_write(path, file, cache)?, None), watch))
        }
        Err(error) => match why_only_read(&error) {
            Some(why) => {
                let (base, watch) = open_once_to_read(path, cache)?;
                Ok(((base, Some(why)), watch))
            }
            None => Err(io_error(path, error)),
        },
    })
}

/// How often a file is opened again that was replaced between its opening and its locking.
const TRIES: usize = 8;

/// Opens a file, and opens it again if another one has taken its name before it was locked: whoever
/// held the lock may have put a copy in its place.
fn newest<T>(mut open: impl FnMut() -> Result<(T, Watch), StoreError>) -> Result<T, StoreError> {
    let mut tries = 0;
    loop {
        let (opened, watch) = open()?;
        match watch.check() {
            Ok(()) => return Ok(opened),
            Err(error) if tries == TRIES => return Err(error),
            Err(_) => tries += 1,
        }
    }
}

/// The same without an attempt to write to the file.
pub(crate) fn open_to_read<T: Default>(path: &Path, cache: u64) -> Result<Base<T>, StoreError> {
    newest(|| open_once_to_read(path, cache))
}

fn open_once_to_read<T: Default>(path: &Path, cache: u64) -> Result<(Base<T>, Watch), StoreError> {
    let file = File::open(path).map_err(|error| io_error(path, error))?;
    let (id, watch) = (file_id(&file), Watch::new(path, &file)?);
    let storage = ReadOnlyFile::new(file).map_err(|error| open_error(Some((path, id)), error))?;
    Ok((open_storage(storage, Some((path, id)), cache)?, watch))
}

/// Whether a file that cannot be opened to be written may still be read, and what hinders.
fn why_only_read(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Some("permission denied"),
        io::ErrorKind::ReadOnlyFilesystem => Some("read-only file system"),
        _ => None,
    }
}

fn open_to_write<T: Default>(path: &Path, file: File, cache: u64) -> Result<Base<T>, StoreError> {
    let watch = Watch::new(path, &file)?;
    let (id, storage) = (file_id(&file), file_storage(path, file)?);
    let mut base = open_storage(storage, Some((path, id)), cache)?;
    base.watch(watch);
    Ok(base)
}

/// The database on storage of another sort.
pub(crate) fn open_on<T: Default>(
    storage: impl StorageBackend,
    cache: u64,
) -> Result<Base<T>, StoreError> {
    open_storage(storage, None, cache)
}

fn open_storage<T: Default>(
    storage: impl StorageBackend,
    file: Option<FileName<'_>>,
    cache: u64,
) -> Result<Base<T>, StoreError> {
    check_magic(&storage, file)?;
    guard(|| Base::open(storage, cache).map_err(|error| open_error(file, error)))
}

/// A file's path, and its number in the file system where there is one.
type FileName<'a> = (&'a Path, Option<u64>);

pub(super) fn file_storage(path: &Path, file: File) -> Result<FileStorage, StoreError> {
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

fn storage_error(error: io::Error) -> StoreError {
    StoreError::Io(error.into())
}

pub(super) fn open_error(file: Option<FileName<'_>>, error: redb::DatabaseError) -> StoreError {
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
            StoreError::Io(failure) => StoreError::Io(failure.of(path)),
            StoreError::Corrupt(message) => StoreError::Corrupt(format!("{path}: {message}")),
            other => other,
        },
        other => StoreError::Io(format!("{path}: {other}").into()),
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
