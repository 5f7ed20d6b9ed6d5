//! A file that is only read. What redb writes to it, or a rebuild, lies over it and is forgotten when
//! it is closed: the file keeps every byte.
//!
//! The lock on the file is shared, so others may read it too while nobody writes to it. What lies over
//! it is kept in a temporary file without a name, at the same offsets; in memory where there can be
//! none. Most files never need it.

use super::page_format::PAGE;
use redb::backends::{FileBackend, InMemoryBackend};
use redb::{BackendError, DatabaseError, StorageBackend};
use std::fs::File;
use std::io;
use std::ops::Bound;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

#[cfg(test)]
mod tests;

/// A file that is only read.
#[derive(Debug)]
pub(super) struct ReadOnlyFile {
    file: FileBackend,
    over: RwLock<Over>,
}

/// What lies over the file.
#[derive(Debug)]
struct Over {
    /// There is none before the first write.
    storage: Option<Box<dyn StorageBackend>>,
    /// One bit for each page that lies there.
    written: Vec<u64>,
    /// The length with everything, and how much of the file shows.
    len: u64,
    shows: u64,
}

impl ReadOnlyFile {
    /// A file that is open for reading.
    pub(super) fn new(file: File) -> Result<ReadOnlyFile, DatabaseError> {
        let file = FileBackend::new(file)?;
        let len = file.len().map_err(redb::StorageError::Io)?;
        let over = Over { storage: None, written: Vec::new(), len, shows: len };
        Ok(ReadOnlyFile { file, over: RwLock::new(over) })
    }

    fn over_mut(&self) -> RwLockWriteGuard<'_, Over> {
        self.over.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what the file has, and zeros behind its end.
    fn read_below(&self, over: &Over, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let end = offset + out.len() as u64;
        let (old, new) = out.split_at_mut(end.min(over.shows).saturating_sub(offset) as usize);
        if !old.is_empty() {
            self.file.read(offset, old)?;
        }
        new.fill(0);
        Ok(())
    }

    /// Brings a page that is to be written in part over the file.
    fn lift(&self, over: &mut Over, page: u64) -> io::Result<()> {
        if over.has(page) {
            return Ok(());
        }
        let mut bytes = vec![0; PAGE as usize];
        self.read_below(over, page * PAGE, &mut bytes)?;
        over.storage()?.write(page * PAGE, &bytes)?;
        over.set(page);
        Ok(())
    }
}

impl Over {
    fn has(&self, page: u64) -> bool {
        let word = self.written.get((page / 64) as usize);
        word.is_some_and(|bits| bits >> (page % 64) & 1 == 1)
    }

    fn set(&mut self, page: u64) {
        let word = (page / 64) as usize;
        if self.written.len() <= word {
            self.written.resize(word + 1, 0);
        }
        self.written[word] |= 1 << (page % 64);
    }

    /// Forgets the pages from one on.
    fn cut_off(&mut self, page: u64) {
        let word = (page / 64) as usize;
        self.written.truncate(word + 1);
        if let Some(bits) = self.written.get_mut(word) {
            *bits &= (1 << (page % 64)) - 1;
        }
    }

    /// Where it lies, made when it is first needed.
    fn storage(&mut self) -> io::Result<&dyn StorageBackend> {
        if self.storage.is_none() {
            let file = tempfile::tempfile().ok().and_then(|file| FileBackend::new(file).ok());
            let storage: Box<dyn StorageBackend> = match file {
                Some(file) => Box::new(file),
                None => Box::new(InMemoryBackend::new()),
            };
            storage.set_len(self.len.next_multiple_of(PAGE))?;
            self.storage = Some(storage);
        }
        self.storage.as_deref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Another length. What comes to lie behind the end, and what comes anew, are zeros.
    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.len = len;
        self.shows = self.shows.min(len);
        self.cut_off(len.div_ceil(PAGE));
        self.storage()?.set_len(len.next_multiple_of(PAGE))?;
        let (page, rest) = (len / PAGE, len.next_multiple_of(PAGE) - len);
        if rest > 0 && self.has(page) {
            self.storage()?.write(len, &vec![0; rest as usize])?;
        }
        Ok(())
    }
}

impl StorageBackend for ReadOnlyFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.over.read().unwrap_or_else(PoisonError::into_inner).len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let over = self.over.read().unwrap_or_else(PoisonError::into_inner);
        if offset.checked_add(out.len() as u64).is_none_or(|end| end > over.len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let Some(storage) = &over.storage else { return self.file.read(offset, out) };
        let (mut at, mut left) = (offset, out);
        while !left.is_empty() {
            let page = at / PAGE;
            let len = left.len().min(((page + 1) * PAGE - at) as usize);
            let (piece, rest) = left.split_at_mut(len);
            match over.has(page) {
                true => storage.read(at, piece)?,
                false => self.read_below(&over, at, piece)?,
            }
            (at, left) = (at + len as u64, rest);
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.over_mut().set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        let mut over = self.over_mut();
        let end = offset + data.len() as u64;
        if end > over.len {
            over.set_len(end)?;
        }
        let (first, last) = (offset / PAGE, (end - 1) / PAGE);
        if !offset.is_multiple_of(PAGE) {
            self.lift(&mut over, first)?;
        }
        if !end.is_multiple_of(PAGE) {
            self.lift(&mut over, last)?;
        }
        over.storage()?.write(offset, data)?;
        (first..=last).for_each(|page| over.set(page));
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.over_mut().storage = None;
        self.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.query_lock_range(start, end)
    }
}
