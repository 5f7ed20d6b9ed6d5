//! The database below a store. A damaged page can make redb panic; nothing of that leaves here.
//!
//! Every use of redb runs inside [`guard`]. One thing cannot be caught: where a commit panics, its
//! cleaning up may panic too, and that ends the process. Closing is a commit to redb, so a store
//! that was only read is closed without one.

use super::StoreError;
use super::approval::OnApproval;
use super::file::Watch;
use super::shown::Shown;
use crate::limits::CACHE_BYTES;
use redb::{
    Database, DatabaseError, DatabaseStats, ReadTransaction, ReadableDatabase, StorageBackend,
    StorageError, WriteTransaction,
};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// The database, which only compaction needs for itself alone.
pub(super) type SharedBase = Arc<RwLock<Base>>;

/// An open database.
pub(super) struct Base {
    /// There is one until this is dropped.
    db: Option<Database>,
    /// What lies below, if it was there before.
    storage: Option<OnApproval>,
    /// The file that it lies in, if it has a name already.
    watch: Option<Watch>,
    /// Whether opening had to repair it.
    repaired: bool,
    /// The newest state, if somebody read since the last writing.
    shown: RwLock<Option<Arc<Shown>>>,
}

/// Runs something on the storage below. A damaged page can make it panic; to its caller that is
/// corruption like any other.
pub(super) fn guard<T>(run: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        Err(StoreError::corrupt("the file is damaged: its pages do not fit together"))
    })
}

impl Base {
    /// Makes a database.
    pub(super) fn create(storage: impl StorageBackend) -> Result<Base, DatabaseError> {
        let db = builder().create_with_backend(storage)?;
        Ok(Base {
            db: Some(db),
            storage: None,
            watch: None,
            repaired: false,
            shown: RwLock::default(),
        })
    }

    /// Opens a database. Nothing is written to it before the first commit.
    pub(super) fn open(storage: impl StorageBackend) -> Result<Base, DatabaseError> {
        let storage = OnApproval::new(storage).map_err(StorageError::Io)?;
        let repaired = Arc::new(AtomicBool::new(false));
        let mut builder = builder();
        let noted = repaired.clone();
        builder.set_repair_callback(move |_| noted.store(true, Ordering::Relaxed));
        let db = builder.create_with_backend(storage.clone())?;
        let repaired = repaired.load(Ordering::Relaxed);
        Ok(Base {
            db: Some(db),
            storage: Some(storage),
            watch: None,
            repaired,
            shown: RwLock::default(),
        })
    }

    /// Says which file it lies in.
    pub(super) fn watch(&mut self, watch: Watch) {
        self.watch = Some(watch);
    }

    /// Keeps a repair, so that it need not be made again: for what proved to be a store.
    pub(super) fn keep_repair(&self) -> Result<(), StoreError> {
        if self.repaired { self.approve() } else { Ok(()) }
    }

    /// Lets what opening wrote reach the storage.
    fn approve(&self) -> Result<(), StoreError> {
        let approved = self.storage.as_ref().map_or(Ok(()), OnApproval::approve);
        approved.map_err(|error| StoreError::Io(error.to_string()))
    }

    pub(super) fn begin_read(&self) -> Result<ReadTransaction, StoreError> {
        Ok(self.db.as_ref().ok_or_else(closed)?.begin_read()?)
    }

    /// The newest state.
    pub(super) fn shown(&self) -> Result<Arc<Shown>, StoreError> {
        if let Some(shown) = &*self.shown.read().unwrap_or_else(PoisonError::into_inner) {
            return Ok(shown.clone());
        }
        // Held while the state is looked up: else an old one could be shown after a commit.
        let mut held = self.shown.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(shown) = &*held {
            return Ok(shown.clone());
        }
        let txn = self.begin_read()?;
        Ok(held.insert(Arc::new(Shown::new(txn))).clone())
    }

    /// Shows nothing until somebody reads again.
    fn hide(&self) {
        *self.shown.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Begins to write. The transaction is to be given to [`Base::commit`].
    pub(super) fn begin_write(&self) -> Result<WriteTransaction, StoreError> {
        self.hide();
        Ok(self.db.as_ref().ok_or_else(closed)?.begin_write()?)
    }

    /// Commits: from here on the storage is written to.
    pub(super) fn commit(&self, txn: WriteTransaction) -> Result<(), StoreError> {
        self.watch.as_ref().map_or(Ok(()), Watch::check)?;
        self.approve()?;
        let committed = txn.commit();
        self.hide();
        Ok(committed?)
    }

    /// Figures about pages.
    pub(super) fn stats(&self) -> Result<DatabaseStats, StoreError> {
        let txn = self.db.as_ref().ok_or_else(closed)?.begin_write()?;
        let stats = txn.stats()?;
        txn.abort()?;
        Ok(stats)
    }

    /// Moves pages to the front of the file and cuts it off behind them.
    pub(super) fn compact(&mut self) -> Result<(), StoreError> {
        self.watch.as_ref().map_or(Ok(()), Watch::check)?;
        self.approve()?;
        self.hide();
        let compacted = self.db.as_mut().ok_or_else(closed)?.compact();
        compacted.map(|_| ()).map_err(|error| match error {
            redb::CompactionError::Storage(error) => error.into(),
            other => StoreError::Io(other.to_string()),
        })
    }
}

fn builder() -> redb::Builder {
    let mut builder = redb::Builder::new();
    builder.set_cache_size(CACHE_BYTES as usize);
    builder
}

fn closed() -> StoreError {
    StoreError::Io("the store is closed".into())
}

impl Drop for Base {
    fn drop(&mut self) {
        let (db, shown) = (self.db.take(), std::mem::take(&mut self.shown));
        let written = self.storage.as_ref().is_none_or(OnApproval::is_approved);
        // What closing cannot write, the next opening repairs.
        let _ = catch_unwind(AssertUnwindSafe(move || {
            let _db = db;
            drop(shown);
            if cfg!(panic = "unwind") && !written && !std::thread::panicking() {
                // redb closes without a commit only while a thread unwinds. No hook hears of this.
                resume_unwind(Box::new(()));
            }
        }));
    }
}
