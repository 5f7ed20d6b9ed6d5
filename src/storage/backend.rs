//! Where the bytes of a store lie: a file that is written ahead with zeros.
//!
//! A B-tree that grows into the holes of a sparse file makes the file system allocate blocks, and
//! write them down, at every sync. Filling a stretch ahead of the writes with zeros does that once
//! for many commits. File systems have been wrong about their holes, so what they say is a hint: a
//! stretch is filled only if every byte of it reads as zero, and so no byte of the file changes.

use super::locks::pass_locks_on;
use redb::{StorageBackend, backends::FileBackend};
use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::sync::{Mutex, PoisonError};

/// How much is looked at, and filled, at once.
const STRETCH: u64 = 1 << 20;

/// How many stretches ahead are filled.
const AHEAD: u64 = 4;

/// A file as storage.
#[derive(Debug)]
pub struct FileStorage {
    inner: FileBackend,
    file: File,
    is_hole: IsHole,
    /// Stretches that are known to have been written.
    filled: Mutex<HashSet<u64>>,
}

/// Whether a file system says that nothing was ever written between two offsets.
pub type IsHole = fn(&File, u64, u64) -> bool;

impl FileStorage {
    /// Storage in a file that is open for reading and writing.
    pub fn new(file: File) -> Result<FileStorage, redb::DatabaseError> {
        FileStorage::with_holes(file, is_hole)
    }

    /// The same on a file system that has its own idea of holes.
    pub fn with_holes(file: File, is_hole: IsHole) -> Result<FileStorage, redb::DatabaseError> {
        let copy = file.try_clone()?;
        Ok(FileStorage {
            inner: FileBackend::new(file)?,
            file: copy,
            is_hole,
            filled: Mutex::new(HashSet::new()),
        })
    }

    /// Fills the stretch of a write, and some behind it, if they were never written.
    fn fill_ahead(&self, offset: u64, len: usize) -> io::Result<()> {
        let mut filled = self.filled.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, last) = (offset / STRETCH, (offset + len as u64).saturating_sub(1) / STRETCH);
        if (first..=last).all(|stretch| filled.contains(&stretch)) {
            return Ok(());
        }
        let end = self.inner.len()?;
        let mut wrote = false;
        for stretch in first..=last + AHEAD {
            let (from, to) = (stretch * STRETCH, ((stretch + 1) * STRETCH).min(end));
            // A stretch that is cut off by the end of the file is looked at again when it grows.
            if from >= end || (to - from < STRETCH && stretch > last) {
                break;
            }
            if to - from == STRETCH && !filled.insert(stretch) {
                continue;
            }
            // Nobody writes to it meanwhile: whoever wants to waits for the lock.
            if (self.is_hole)(&self.file, from, to) && self.reads_as_zeros(from, to)? {
                zeros(&self.file, from, to)?;
                wrote = true;
            }
        }
        if wrote {
            self.file.sync_all()?;
        }
        Ok(())
    }

    fn reads_as_zeros(&self, from: u64, to: u64) -> io::Result<bool> {
        let mut page = vec![0; 64 << 10];
        for at in (from..to).step_by(page.len()) {
            let piece = page.len().min((to - at) as usize);
            self.inner.read(at, &mut page[..piece])?;
            if page[..piece].iter().any(|byte| *byte != 0) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

#[cfg(target_os = "linux")]
fn is_hole(file: &File, from: u64, to: u64) -> bool {
    match rustix::fs::seek(file, rustix::fs::SeekFrom::Data(from)) {
        Ok(data) => data >= to,
        Err(rustix::io::Errno::NXIO) => true,
        Err(_) => false,
    }
}

#[cfg(not(target_os = "linux"))]
fn is_hole(_: &File, _: u64, _: u64) -> bool {
    false
}

#[cfg(unix)]
fn zeros(file: &File, from: u64, to: u64) -> io::Result<()> {
    use std::os::unix::fs::FileExt;
    let zeros = vec![0; (to - from) as usize];
    file.write_all_at(&zeros, from)
}

#[cfg(not(unix))]
fn zeros(_: &File, _: u64, _: u64) -> io::Result<()> {
    Ok(())
}

impl StorageBackend for FileStorage {
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.inner.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut filled = self.filled.lock().unwrap_or_else(PoisonError::into_inner);
        filled.retain(|stretch| (stretch + 1) * STRETCH <= len);
        self.inner.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.inner.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.fill_ahead(offset, data.len())?;
        self.inner.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.inner.close()
    }

    pass_locks_on!(self => self.inner);
}
