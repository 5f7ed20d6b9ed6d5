//! Reading a store: who does it, what is remembered of what was read, and the events. Snapshots are
//! read in `history`, contents in `contents`.
//!
//! Nothing here holds what is shown longer than one call, so no past page is pinned. What was
//! read is cached by its key; the caches can be emptied at any moment without changing an answer.

use super::StoreError;
use super::base::SharedBase;
use super::checked::{get_number, number};
use super::codec::unseal;
use super::contents::content_from_row;
use super::extras::WholeAttempt;
use super::guarded::Readable;
use super::index::Tail;
use super::nodes::Names;
use super::record::{Record, read_record};
use super::rows::CycleHead;
use super::shown::Shown;
use super::tables::{ATTEMPT_CYCLES, ATTEMPTS, ORIGINS, PartKey, Side, attempt_key_bytes};
use crate::change::{Attempt, History};
use crate::json::Json;
use crate::model::{Skeleton, Subtree, Template};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The first and a last cycle of some versions of a part.
pub(super) type Versions = SmallVec<[(u64, u64); 2]>;

/// Weighs what is cached by about the bytes that it takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes;

impl Weighter<PartKey, Arc<Subtree>> for Bytes {
    fn weight(&self, _: &PartKey, part: &Arc<Subtree>) -> u64 {
        64 + part.len() as u64 * 400
    }
}

impl Weighter<Box<[u8]>, Template> for Bytes {
    fn weight(&self, key: &Box<[u8]>, template: &Template) -> u64 {
        64 + key.len() as u64 + template.nodes.len() as u64 * 400
    }
}

impl Weighter<(u64, u32), Arc<Json>> for Bytes {
    fn weight(&self, _: &(u64, u32), content: &Arc<Json>) -> u64 {
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

/// An event as it stands in the log, with the contents that it brought.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The event.
    pub record: Record,
    /// Its contents, as parts 1, 2, …
    pub contents: Vec<Json>,
}

/// Who reads a store.
pub struct LogReader {
    db: SharedBase,
    /// Which derived tables it reads.
    pub(super) side: Side,
    pub(super) tail: RwLock<Tail>,
    pub(super) parts: Cache<PartKey, Arc<Subtree>, Bytes>,
    /// The last part that was too large for the cache, so that asking for its nodes one after the
    /// other reads it once.
    pub(super) large: Mutex<Option<(PartKey, Arc<Subtree>)>>,
    /// Which versions of parts there are, as far as that was found out: the cycle that each holds
    /// from, and one up to which it does.
    pub(super) versions: Cache<(u64, u32), Versions>,
    pub(super) contents: Cache<(u64, u32), Arc<Json>, Bytes>,
    /// Versions of parts that are about to be written; they are newer than all that is shown.
    pub(super) ahead: RwLock<BTreeMap<PartKey, Option<Arc<Subtree>>>>,
    /// Names that many nodes share.
    pub(super) names: Mutex<Names>,
    /// Whole skeletons by their cycles.
    pub(super) skeletons: Cache<u64, Arc<(Skeleton, History)>>,
    /// The beginnings of the rows of commits.
    pub(super) cycles: Cache<u64, Arc<CycleHead>>,
    /// Templates of sketches by their bytes.
    pub(super) templates: Cache<Box<[u8]>, Template, Bytes>,
}

impl std::fmt::Debug for LogReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LogReader({} parts cached)", self.parts.len())
    }
}

impl LogReader {
    pub(super) fn new(db: SharedBase, side: Side, cache_bytes: u64) -> LogReader {
        LogReader {
            db,
            side,
            tail: RwLock::default(),
            parts: Cache::with_weighter(4096, cache_bytes / 2, Bytes),
            large: Mutex::default(),
            versions: Cache::new(64 << 10),
            contents: Cache::with_weighter(4096, cache_bytes / 2, Bytes),
            ahead: RwLock::default(),
            names: Mutex::default(),
            skeletons: Cache::new(64),
            cycles: Cache::new(16 << 10),
            templates: Cache::with_weighter(1024, cache_bytes / 8, Bytes),
        }
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
    }

    /// Runs something on the newest durable state.
    pub(super) fn with<T>(
        &self,
        run: impl FnOnce(&Shown) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
        let shown = db.shown(self.side)?;
        run(&shown)
    }

    /// An event.
    pub fn record(&self, seq: u64) -> Result<Option<Record>, StoreError> {
        self.with(|txn| {
            let table = txn.log()?;
            let Some(row) = table.get((seq, 0))? else { return Ok(None) };
            let previous = match seq {
                0 | 1 => Some(super::record::chain_start()),
                _ => match table.get((seq - 1, 0))? {
                    Some(row) => Some(super::record::hash_of(seq - 1, row.value())?),
                    None => return Err(missing_event(seq - 1)),
                },
            };
            read_record(seq, row.value(), previous.as_ref()).map(Some)
        })
    }

    /// Events from a sequence number on, each with its contents and checked against the one
    /// before: at most `count` of them.
    pub fn entries(&self, from: u64, count: usize) -> Result<Vec<Entry>, StoreError> {
        self.with(|txn| {
            let table = txn.log()?;
            let mut entries = Vec::new();
            for record in records_in(txn, from, count)? {
                let parts = (record.seq, 1)..(record.seq + 1, 0);
                let contents: Result<Vec<Json>, StoreError> = table
                    .range(parts)?
                    .map(|row| {
                        let (key, row) = row?;
                        let (seq, part) = key.value();
                        content_from_row(seq, part, row.value())
                    })
                    .collect();
                let contents = contents?;
                if record.contents.len() != contents.len() {
                    let message = format!("contents of event {} are missing", record.seq);
                    return Err(StoreError::corrupt(message));
                }
                entries.push(Entry { record, contents });
            }
            Ok(entries)
        })
    }

    /// Events from a sequence number on, each checked against the one before: at most `count`.
    pub fn records(&self, from: u64, count: usize) -> Result<Vec<Record>, StoreError> {
        self.with(|txn| records_in(txn, from, count))
    }

    /// The event that first said where something came from, by one of its names.
    pub fn origin(&self, key: &str) -> Result<Option<u64>, StoreError> {
        self.with(|txn| get_number(&txn.open_table(ORIGINS)?, "origins", key))
    }

    /// The events that say where something came from, oldest first.
    pub fn origins(&self) -> Result<Vec<u64>, StoreError> {
        let found: Result<BTreeSet<u64>, StoreError> = self.with(|txn| {
            let table = txn.open_table(ORIGINS)?;
            table.iter()?.map(|entry| number("origins", &entry?)).collect()
        });
        Ok(found?.into_iter().collect())
    }

    /// Provider calls, of one cycle or of all.
    pub fn attempts(&self, cycle: Option<u64>) -> Result<Vec<Attempt>, StoreError> {
        self.with(|txn| {
            let table = txn.open_table(ATTEMPTS)?;
            let range = match cycle {
                Some(cycle) => table.range((cycle, "")..(cycle.saturating_add(1), ""))?,
                None => table.range((0, "")..)?,
            };
            range
                .map(|entry| {
                    let (key, row) = entry?;
                    read_attempt(key.value(), row.value())
                })
                .collect()
        })
    }

    /// The cycle of a provider call, if there is one of that name.
    pub fn attempt_cycle(&self, id: &str) -> Result<Option<u64>, StoreError> {
        self.with(|txn| get_number(&txn.open_table(ATTEMPT_CYCLES)?, "attempt_cycles", id))
    }
}

fn records_in(txn: &Shown, from: u64, count: usize) -> Result<Vec<Record>, StoreError> {
    let from = from.max(1);
    let table = txn.log()?;
    let mut hash = match from {
        1 => super::record::chain_start(),
        _ => match table.get((from - 1, 0))? {
            Some(row) => super::record::hash_of(from - 1, row.value())?,
            None => return Ok(Vec::new()),
        },
    };
    let mut records: Vec<Record> = Vec::new();
    for row in table.range((from, 0)..)? {
        let (key, row) = row?;
        let (seq, part) = key.value();
        let next = from + records.len() as u64;
        if part > 0 && seq + 1 == next {
            continue;
        }
        if records.len() == count {
            break;
        }
        if part > 0 || seq != next {
            return Err(missing_event(next));
        }
        let record = read_record(seq, row.value(), Some(&hash))?;
        hash = record.hash;
        records.push(record);
    }
    Ok(records)
}

pub(super) fn attempt_in(txn: &Shown, cycle: u64, id: &str) -> Result<Option<Attempt>, StoreError> {
    let table = txn.open_table(ATTEMPTS)?;
    let row = table.get((cycle, id))?;
    row.map(|row| read_attempt((cycle, id), row.value())).transpose()
}

fn read_attempt(key: (u64, &str), row: &[u8]) -> Result<Attempt, StoreError> {
    let what = || format!("the attempt {}", key.1);
    let bytes = unseal("attempts", &attempt_key_bytes(key), row, what)?;
    super::codec::decode::<WholeAttempt>(bytes, &what())?.into_attempt()
}

pub(super) fn missing_event(seq: u64) -> StoreError {
    StoreError::corrupt(format!("event {seq} is missing from the log"))
}
