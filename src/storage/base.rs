//! The database below a store: opening and closing it, showing its newest state, and going back to
//! what is on disk.
//!
//! Every call of redb is guarded (see `guarded` and `writing`). Closing is a commit to redb, so a
//! store that was only read is closed without one, and so is one that is to forget what it has not
//! put on disk yet.

use super::approval::OnApproval;
use super::error::StoreError;
use super::file::{NewFile, Watch};
use super::guarded::{caught, guard};
use super::pages::{Measured, Pages};
use super::table::Side;
use super::view::ReadView;
use super::writing::{Broken, Writer};
use redb::{Database, DatabaseError, ReadableDatabase, StorageBackend, StorageError};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

/// The database, which only compaction and going back need for themselves alone.
pub(crate) type SharedBase<T> = Arc<RwLock<Base<T>>>;

/// The newest state of each side, if somebody read it since the last writing.
type Newest<T> = RwLock<[Option<Arc<ReadView<T>>>; 2]>;

/// An open database. Views of it keep the tables that were opened in them in a `T`.
pub(crate) struct Base<T> {
    /// There is one until this is dropped.
    db: Option<Database>,
    /// What lies below, and what redb reads of it.
    storage: OnApproval,
    pages: Pages,
    /// The file that it lies in, if it has a name already.
    watch: Option<Watch>,
    /// The bytes of pages that are kept.
    cache: u64,
    /// Whether opening had to repair it.
    repaired: bool,
    broken: Broken,
    shown: Newest<T>,
    /// States that somebody reads for long.
    long_views: Mutex<Vec<Weak<LongView<T>>>>,
}

/// A state that somebody reads for long, see [`Base::long_view`].
pub(crate) struct LongView<T>(Mutex<Option<Arc<ReadView<T>>>>);

impl<T> LongView<T> {
    /// The state, if it was not taken away.
    pub(crate) fn view(&self) -> Option<Arc<ReadView<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl<T: Default> Base<T> {
    /// Makes a database, of which so many bytes of pages are kept in memory.
    pub(crate) fn create(
        storage: impl StorageBackend,
        cache: u64,
    ) -> Result<Base<T>, DatabaseError> {
        let storage = OnApproval::new(storage).map_err(StorageError::Io)?;
        storage.approve().map_err(StorageError::Io)?;
        Base::on(storage, cache)
    }

    /// Opens a database. Nothing is written to it before the first commit.
    pub(crate) fn open(storage: impl StorageBackend, cache: u64) -> Result<Base<T>, DatabaseError> {
        Base::on(OnApproval::new(storage).map_err(StorageError::Io)?, cache)
    }

    fn on(storage: OnApproval, cache: u64) -> Result<Base<T>, DatabaseError> {
        let pages = Pages::new(storage.clone());
        let (db, repaired) = open(&pages, cache)?;
        Ok(Base {
            db: Some(db),
            storage,
            broken: Broken::new(pages.clone()),
            pages,
            watch: None,
            cache,
            repaired,
            shown: Newest::default(),
            long_views: Mutex::default(),
        })
    }

    /// Says which file it lies in.
    pub(crate) fn watch(&mut self, watch: Watch) {
        self.watch = Some(watch);
    }

    /// Refuses to go on if the file cannot be found any more.
    fn check_file(&self) -> Result<(), StoreError> {
        self.watch.as_ref().map_or(Ok(()), Watch::check)
    }

    /// Keeps a repair, so that it need not be made again: for what proved to be a store.
    pub(crate) fn keep_repair(&self) -> Result<(), StoreError> {
        if self.repaired { self.approve() } else { Ok(()) }
    }

    /// Lets what opening wrote reach the storage.
    fn approve(&self) -> Result<(), StoreError> {
        self.storage.approve().map_err(|error| StoreError::Io(error.into()))
    }

    fn db(&self) -> Result<&Database, StoreError> {
        match &self.db {
            Some(db) if !self.broken.is_set() => Ok(db),
            Some(_) => {
                let what = "the file is damaged, and a write to it failed half way: open it again";
                Err(StoreError::corrupt(what))
            }
            None => Err(StoreError::Io("the store is closed".into())),
        }
    }

    /// The newest state of one side.
    pub(crate) fn shown(&self, side: Side) -> Result<Arc<ReadView<T>>, StoreError> {
        let at = side as usize;
        if let Some(shown) = &self.shown.read().unwrap_or_else(PoisonError::into_inner)[at] {
            return Ok(shown.clone());
        }
        // Held while the state is looked up: else an old one could be shown after a commit.
        let mut held = self.shown.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(shown) = &held[at] {
            return Ok(shown.clone());
        }
        let Some(db) = &self.db else { return Err(StoreError::Io("the store is closed".into())) };
        let txn = guard(|| db.begin_read())?;
        Ok(held[at].insert(Arc::new(ReadView::new(txn, side))).clone())
    }

    /// Shows nothing until somebody reads again.
    fn hide(&self) {
        *self.shown.write().unwrap_or_else(PoisonError::into_inner) = Default::default();
    }

    /// Begins to write to one side. The transaction is to be given to [`Base::commit`].
    pub(crate) fn begin_write(&self, side: Side) -> Result<Writer, StoreError> {
        self.hide();
        let db = self.db()?;
        self.pages.check()?;
        let txn = self.broken.guard(|| db.begin_write())?;
        Ok(Writer::new(txn, side, self.broken.clone()))
    }

    /// Commits: from here on the storage is written to.
    pub(crate) fn commit(&self, txn: Writer) -> Result<(), StoreError> {
        self.check_file()?;
        // Somebody may have read a page that does not fit, which redb now has.
        if let Err(error) = self.pages.check() {
            txn.abandon();
            return Err(error);
        }
        self.approve()?;
        let committed = txn.commit();
        self.hide();
        committed
    }

    /// How much of the storage is in use.
    pub(crate) fn measure(&self) -> Result<Measured, StoreError> {
        self.db()?;
        self.pages.check()?;
        let _stays = self.shown(Side::Main)?;
        self.pages.measure()
    }

    /// Refuses to go on if a page of the file is not the one that was written there. For work that is
    /// more than one transaction.
    pub(crate) fn check_pages(&self) -> Result<(), StoreError> {
        self.page_check()()
    }

    /// The same for the pages that were read until now.
    pub(crate) fn check_pages_read(&self) -> Result<(), StoreError> {
        self.pages.check()
    }

    /// The same for later, beside whoever writes.
    pub(crate) fn page_check(&self) -> impl FnOnce() -> Result<(), StoreError> + use<T> {
        let pages = self.pages.clone();
        move || pages.check_all()
    }

    /// The newest state of one side, to be kept for as long as it takes. Its pages are not used again
    /// meanwhile. Whoever needs the database alone takes it away.
    pub(crate) fn long_view(&self, side: Side) -> Result<Arc<LongView<T>>, StoreError> {
        let view = Arc::new(LongView(Mutex::new(Some(self.shown(side)?))));
        let mut long_views = self.long_views.lock().unwrap_or_else(PoisonError::into_inner);
        long_views.retain(|view| view.strong_count() > 0);
        long_views.push(Arc::downgrade(&view));
        Ok(view)
    }

    fn take_views_away(&self) {
        let mut long_views = self.long_views.lock().unwrap_or_else(PoisonError::into_inner);
        for view in long_views.drain(..).filter_map(|view| view.upgrade()) {
            view.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
    }

    /// Moves pages to the front of the file and cuts it off behind them.
    pub(crate) fn compact(&mut self) -> Result<(), StoreError> {
        self.db()?;
        self.pages.check()?;
        self.check_file()?;
        self.approve()?;
        self.hide();
        self.take_views_away();
        let Some(db) = &mut self.db else { return Ok(()) };
        self.broken.guard(|| db.compact().map(drop))
    }

    /// An empty file that may take the place of this one's.
    pub(super) fn successor(&self) -> Option<NewFile> {
        self.watch.as_ref().and_then(Watch::successor)
    }

    /// Puts a database that has all that this one has, and its file, in the place of this one. The
    /// folder is not synced yet. If this fails, everything is as it was.
    pub(super) fn replace_by(
        &mut self,
        mut new: Base<T>,
        file: &NewFile,
    ) -> Result<(), StoreError> {
        let Some(watch) = &self.watch else {
            return Err(StoreError::Io("there is no file".into()));
        };
        new.watch = Some(watch.replace_by(file)?);
        self.hide();
        self.take_views_away();
        let mut old = std::mem::replace(self, new);
        // Nobody finds it any more, so nothing is written to it.
        if let Some(db) = old.db.take() {
            discard(db, &old.broken);
        }
        let _ = old.storage.close();
        Ok(())
    }

    /// Forgets everything that is not on disk, as if the process had ended and the store had been
    /// opened again. Nothing is written before the next commit.
    pub(crate) fn go_back(&mut self) -> Result<(), StoreError> {
        self.hide();
        self.take_views_away();
        self.storage.hold(true);
        if let Some(db) = self.db.take() {
            discard(db, &self.broken);
        }
        let (storage, pages, cache) = (self.storage.clone(), self.pages.clone(), self.cache);
        let opened = guard(|| {
            storage.begin_anew().map_err(StorageError::Io)?;
            pages.forget();
            open(&pages, cache).map_err(|error| StoreError::Io(error.to_string().into()))
        });
        self.storage.hold(false);
        let (db, repaired) = opened?;
        self.broken = Broken::new(self.pages.clone());
        (self.db, self.repaired) = (Some(db), repaired);
        Ok(())
    }
}

fn open(pages: &Pages, cache: u64) -> Result<(Database, bool), DatabaseError> {
    let repaired = Arc::new(AtomicBool::new(false));
    let mut builder = redb::Builder::new();
    builder.set_cache_size(usize::try_from(cache).unwrap_or(usize::MAX));
    let noted = repaired.clone();
    builder.set_repair_callback(move |_| noted.store(true, Ordering::Relaxed));
    let db = builder.create_with_backend(pages.clone())?;
    Ok((db, repaired.load(Ordering::Relaxed)))
}

/// Closes a database without a commit, which redb does only while a thread unwinds. What it has not
/// put on disk is forgotten.
fn discard(db: Database, broken: &Broken) {
    if broken.is_set() || cfg!(not(panic = "unwind")) {
        return std::mem::forget(db);
    }
    let _ = caught(move || {
        let _db = db;
        if !std::thread::panicking() {
            // No hook hears of this.
            resume_unwind(Box::new(()));
        }
    });
}

impl<T> Drop for Base<T> {
    fn drop(&mut self) {
        let shown = std::mem::take(&mut self.shown);
        let _ = caught(move || drop(shown));
        let Some(db) = self.db.take() else { return };
        // What closing cannot write, the next opening repairs. It goes by redb's own pages alone.
        match self.storage.is_approved() && !self.pages.redbs_are_damaged() {
            true => self.broken.take_down(db),
            false => discard(db, &self.broken),
        }
        // A database that was not taken down has not given up its lock.
        let _ = self.storage.close();
    }
}
