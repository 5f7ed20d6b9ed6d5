//! The reader of a store: log and index together, with what it remembers of what it read.
//!
//! It holds no read transaction longer than one call, so no old page is pinned; only a reader that
//! goes through everything, as `verify` does, keeps one. What was read is
//! cached by its key; the caches can be emptied at any moment without changing an answer. What is
//! asked for is in other files: parts of the tree in `parts`, snapshots in `snapshots`, contents in
//! `contents`, turns by their index in `lookups`.

use crate::change::{Attempt, History};
use crate::index::{
    self, CycleHead, Interner, Memtable, OpenedTables, PartKey, TemplateCache, View,
};
use crate::json::Json;
use crate::log::{Entry, LogKey, Record, find_end, get_entries, get_record, get_records};
use crate::model::{Skeleton, Subtree};
use crate::storage::{self, LongView, Side, StoreError};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The database, with the tables that readers open.
pub(super) type Base = storage::Base<OpenedTables>;

/// The same, which only compaction and going back need for themselves alone.
pub(super) type SharedBase = storage::SharedBase<OpenedTables>;

/// The first and a last cycle of some versions of a part.
pub(super) type Versions = SmallVec<[(u64, u64); 2]>;

/// Versions of parts, by key; none if the part goes with that version.
pub(super) type Announced = BTreeMap<PartKey, Option<Arc<Subtree>>>;

/// The caches of a reader that goes through everything once.
const ONCE_CACHE_BYTES: u64 = 1 << 20;

/// Weighs what is cached by about the bytes that it takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByteWeight;

impl Weighter<PartKey, Arc<Subtree>> for ByteWeight {
    fn weight(&self, _: &PartKey, part: &Arc<Subtree>) -> u64 {
        64 + part.len() as u64 * 400
    }
}

impl Weighter<LogKey, Arc<Json>> for ByteWeight {
    fn weight(&self, _: &LogKey, content: &Arc<Json>) -> u64 {
        64 + weigh(content)
    }
}

fn weigh(value: &Json) -> u64 {
    32 + match value {
        Json::Str(text) => text.len() as u64,
        Json::List(items) => items.iter().map(weigh).sum(),
        Json::Map(map) => map.iter().map(|(key, value)| key.len() as u64 + weigh(value)).sum(),
        _ => 0,
    }
}

/// The reader of everything in a store.
pub struct StoreReader {
    db: SharedBase,
    /// Which derived tables it reads.
    pub(super) side: Side,
    /// The one state that it reads, if it is not always the newest.
    at: Option<Arc<LongView<OpenedTables>>>,
    /// What the newest commits add to the index.
    memtable: RwLock<Memtable>,
    /// Versions of parts that are about to be written; they are newer than all that is in the
    /// tables.
    announced: RwLock<Announced>,
    pub(super) parts: Cache<PartKey, Arc<Subtree>, ByteWeight>,
    /// The last part that was too large for the cache, so that asking for its nodes one after the
    /// other reads it once.
    pub(super) large: Mutex<Option<(PartKey, Arc<Subtree>)>>,
    /// Which versions of parts there are, as far as that was found out: the cycle that each holds
    /// from, and one up to which it does.
    pub(super) versions: Cache<(u64, u32), Versions>,
    pub(super) contents: Cache<LogKey, Arc<Json>, ByteWeight>,
    /// Names that many nodes share.
    pub(super) names: Mutex<Interner>,
    /// Whole skeletons by their cycles.
    pub(super) skeletons: Cache<u64, Arc<(Skeleton, History)>>,
    /// The beginnings of the rows of commits.
    pub(super) cycles: Cache<u64, Arc<CycleHead>>,
    /// The earliest times of commits, a block of cycles each.
    pub(super) earliest: Cache<u64, i64>,
    /// How many tokens contents have.
    pub(super) tokens: Cache<LogKey, u64>,
    pub(super) templates: TemplateCache,
    /// By the hashes of names that many turns have: more than so many.
    pub(super) common: Cache<u32, usize>,
}

impl std::fmt::Debug for StoreReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StoreReader({} parts cached)", self.parts.len())
    }
}

impl StoreReader {
    pub(super) fn new(db: SharedBase, side: Side, cache_bytes: u64) -> StoreReader {
        StoreReader {
            db,
            side,
            at: None,
            memtable: RwLock::default(),
            announced: RwLock::default(),
            parts: Cache::with_weighter(4096, cache_bytes / 2, ByteWeight),
            large: Mutex::default(),
            versions: Cache::new(64 << 10),
            contents: Cache::with_weighter(4096, cache_bytes / 2, ByteWeight),
            names: Mutex::default(),
            skeletons: Cache::new(64),
            cycles: Cache::new(16 << 10),
            earliest: Cache::new(16 << 10),
            tokens: Cache::new(256 << 10),
            templates: TemplateCache::new(cache_bytes / 8),
            common: Cache::new(4096),
        }
    }

    /// A reader of the tables as they are now, whatever is written from now on, with caches of its
    /// own. It knows nothing that is not in the tables.
    pub(super) fn of_now(&self) -> Result<StoreReader, StoreError> {
        let view = self.db.read().unwrap_or_else(PoisonError::into_inner).long_view(self.side)?;
        Ok(StoreReader {
            at: Some(view),
            ..StoreReader::new(self.db.clone(), self.side, ONCE_CACHE_BYTES)
        })
    }

    /// Whether its state was taken away, by somebody who needed the file alone.
    pub(super) fn lost_its_state(&self) -> bool {
        self.at.as_ref().is_some_and(|at| at.view().is_none())
    }

    /// Empties the caches.
    pub fn clear_cache(&self) {
        self.parts.clear();
        self.large.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.versions.clear();
        self.contents.clear();
        self.skeletons.clear();
        self.cycles.clear();
        self.templates.clear();
        self.common.clear();
    }

    /// Runs something on the newest committed version of the tables, or on the one that it is for.
    pub(super) fn with<T>(
        &self,
        run: impl FnOnce(&View) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
        let view = match &self.at {
            None => db.shown(self.side)?,
            Some(at) => at.view().ok_or_else(|| {
                StoreError::Io("the state that was read was taken away: read again".into())
            })?,
        };
        run(&view)
    }

    /// What the newest commits add to the index. Whoever asks both asks this before the tables:
    /// what it loses to a checkpoint meanwhile is found there.
    pub(super) fn memtable(&self) -> RwLockReadGuard<'_, Memtable> {
        self.memtable.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn memtable_mut(&self) -> RwLockWriteGuard<'_, Memtable> {
        self.memtable.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn announced(&self) -> RwLockReadGuard<'_, Announced> {
        self.announced.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn announced_mut(&self) -> RwLockWriteGuard<'_, Announced> {
        self.announced.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many events there are.
    pub(super) fn events(&self) -> Result<u64, StoreError> {
        Ok(self.with(|view| find_end(view.log()?))?.next_seq.saturating_sub(1))
    }

    /// An event.
    pub fn record(&self, seq: u64) -> Result<Option<Record>, StoreError> {
        self.with(|view| get_record(view.log()?, seq))
    }

    /// Events from a sequence number on, each with its contents and checked against the one
    /// before: at most `count` of them.
    pub fn entries(&self, from: u64, count: usize) -> Result<Vec<Entry>, StoreError> {
        self.with(|view| get_entries(view.log()?, from, count))
    }

    /// Events from a sequence number on, each checked against the one before: at most `count`.
    pub fn records(&self, from: u64, count: usize) -> Result<Vec<Record>, StoreError> {
        self.with(|view| get_records(view.log()?, from, count))
    }

    /// The event that first said where something came from, by one of its names.
    pub fn origin(&self, key: &str) -> Result<Option<u64>, StoreError> {
        self.with(|view| index::origin(view, key))
    }

    /// The events that say where something came from, oldest first.
    pub fn origins(&self) -> Result<Vec<u64>, StoreError> {
        Ok(self.with(index::origins)?.into_iter().collect())
    }

    /// Provider calls, of one cycle or of all.
    pub fn attempts(&self, cycle: Option<u64>) -> Result<Vec<Attempt>, StoreError> {
        self.with(|view| index::attempts(view, cycle))
    }

    /// The cycle of a provider call, if there is one of that name.
    pub fn attempt_cycle(&self, id: &str) -> Result<Option<u64>, StoreError> {
        self.with(|view| index::attempt_cycle(view, id))
    }
}
