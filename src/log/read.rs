//! Reading a store: parts of the tree at any cycle, contents, commits and events.
//!
//! Nothing here holds a read transaction longer than one call, so no past page is pinned. What was
//! read is cached by its key; the caches can be emptied at any moment without changing an answer.

use super::StoreError;
use super::base::{SharedBase, guard};
use super::codec::unseal;
use super::index::{Tables, Tail};
use super::record::{Record, read_content, read_record};
use super::rows::{CycleInfo, PartRow, StoredCycle};
use super::stored::StoredAttempt;
use super::tables::{
    ATTEMPT_CYCLES, ATTEMPTS, LOG, ORIGINS, PARTS, PartKey, cycle_key, log_key_bytes, part_key,
    place_key,
};
use crate::change::{Attempt, History};
use crate::json::Json;
use crate::model::{ContentRef, Id, Instance, Place, ReadError, Skeleton, Subtree, TurnSource};
use crate::snapshot::Contents;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use redb::{ReadTransaction, ReadableTable};
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

/// Weighs what is cached by about the bytes that it takes.
#[derive(Debug, Clone, Copy)]
struct Bytes;

impl Weighter<PartKey, Arc<Subtree>> for Bytes {
    fn weight(&self, _: &PartKey, part: &Arc<Subtree>) -> u64 {
        64 + part.len() as u64 * 400
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
    pub(super) tail: RwLock<Tail>,
    parts: Cache<PartKey, Arc<Subtree>, Bytes>,
    contents: Cache<(u64, u32), Arc<Json>, Bytes>,
}

impl std::fmt::Debug for LogReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LogReader({} parts cached)", self.parts.len())
    }
}

impl LogReader {
    pub(super) fn new(db: SharedBase, tail: Tail, cache_bytes: u64) -> LogReader {
        LogReader {
            db,
            tail: RwLock::new(tail),
            parts: Cache::with_weighter(4096, cache_bytes / 2, Bytes),
            contents: Cache::with_weighter(4096, cache_bytes / 2, Bytes),
        }
    }

    /// Empties the caches.
    pub fn clear_cache(&self) {
        self.parts.clear();
        self.contents.clear();
    }

    /// Runs something on the newest durable state.
    pub(super) fn with<T>(
        &self,
        run: impl FnOnce(&ReadTransaction) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        guard(|| {
            let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
            let txn = db.begin_read()?;
            run(&txn)
        })
    }

    /// An event.
    pub fn record(&self, seq: u64) -> Result<Option<Record>, StoreError> {
        self.with(|txn| {
            let table = txn.open_table(LOG)?;
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
            let table = txn.open_table(LOG)?;
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
        self.with(|txn| Ok(txn.open_table(ORIGINS)?.get(key)?.map(|seq| seq.value())))
    }

    /// The events that say where something came from, oldest first.
    pub fn origins(&self) -> Result<Vec<u64>, StoreError> {
        let found: Result<BTreeSet<u64>, StoreError> = self.with(|txn| {
            let table = txn.open_table(ORIGINS)?;
            table.iter()?.map(|row| Ok(row?.1.value())).collect()
        });
        Ok(found?.into_iter().collect())
    }

    pub(super) fn cycle_row(&self, cycle: u64) -> Result<StoredCycle, StoreError> {
        self.with(|txn| read_cycle(txn, cycle))
    }

    /// What is known of a committed cycle.
    pub fn cycle(&self, cycle: u64) -> Result<CycleInfo, StoreError> {
        Ok(self.cycle_row(cycle)?.info(cycle))
    }

    pub(super) fn skeleton_and_history(
        &self,
        cycle: u64,
    ) -> Result<(Skeleton, History), StoreError> {
        self.with(|txn| {
            let row = read_cycle(txn, cycle)?;
            let own = row.skeleton_at();
            let whole = if own == cycle { row } else { read_cycle(txn, own)? };
            whole.skeleton(own, cycle)
        })
    }

    /// Every place that a node came to lie in, with the cycle from which, oldest first.
    pub fn places_of(&self, id: &str) -> Result<Vec<(u64, Place)>, StoreError> {
        Ok(self.known_places(id)?.unwrap_or_default())
    }

    fn known_places(&self, id: &str) -> Result<Option<Vec<(u64, Place)>>, StoreError> {
        // The tail first: what it loses to the tables meanwhile is found there.
        let tail = {
            let tail = self.tail.read().unwrap_or_else(PoisonError::into_inner);
            tail.places(id).map(<[_]>::to_vec)
        };
        let stored = self.with(|txn| Tables(txn).places(id))?;
        if tail.is_none() && stored.is_none() {
            return Ok(None);
        }
        let mut places = stored.unwrap_or_default();
        places.extend(tail.unwrap_or_default());
        places.sort_by_key(|(cycle, _)| *cycle);
        places.dedup();
        Ok(Some(places))
    }

    /// Parts that may hold a node with a finite ttl in the snapshot of a cycle.
    pub fn finite_places(&self, cycle: u64) -> Result<BTreeSet<Place>, StoreError> {
        let mut found: BTreeSet<Place> = {
            let tail = self.tail.read().unwrap_or_else(PoisonError::into_inner);
            tail.finite(cycle).collect()
        };
        found.extend(self.with(|txn| Tables(txn).finite(cycle))?);
        Ok(found)
    }

    /// The cycles of `from..=upto` in which a part changed, oldest first.
    pub fn versions(&self, place: Place, from: u64, upto: u64) -> Result<Vec<u64>, StoreError> {
        self.with(|txn| {
            let table = txn.open_table(PARTS)?;
            let (slot, rank) = place_key(place);
            let range = table.range((slot, rank, from)..=(slot, rank, upto))?;
            range.map(|entry| Ok(entry?.0.value().2)).collect()
        })
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
        self.with(|txn| {
            let table = txn.open_table(ATTEMPT_CYCLES)?;
            Ok(table.get(id)?.map(|cycle| cycle.value()))
        })
    }

    fn read_part(&self, place: Place, cycle: u64) -> Result<Arc<Subtree>, StoreError> {
        self.with(|txn| {
            let table = txn.open_table(PARTS)?;
            let (slot, rank) = place_key(place);
            let mut range = table.range((slot, rank, 0)..=(slot, rank, cycle))?;
            let missing = || {
                let (slot, rank, _) = part_key(place, cycle);
                StoreError::corrupt(format!(
                    "the part {slot}/{rank} as of cycle {cycle} is missing"
                ))
            };
            let Some(entry) = range.next_back() else { return Err(missing()) };
            let (key, row) = entry?;
            let key = key.value();
            let holds = |until: u64| until == 0 || until > cycle;
            if let Some(part) = self.parts.get(&key)
                && row.value().first_chunk::<8>().is_some_and(|u| holds(u64::from_le_bytes(*u)))
            {
                return Ok(part);
            }
            let row = PartRow::read(key, row.value())?;
            if !holds(row.until) {
                return Err(missing());
            }
            let part = row.part()?.ok_or_else(missing)?;
            self.parts.insert(key, part.clone());
            Ok(part)
        })
    }

    fn read_content(&self, content: &ContentRef) -> Result<Arc<Json>, StoreError> {
        let ContentRef { seq, part, .. } = *content;
        if let Some(content) = self.contents.get(&(seq, part)) {
            return Ok(content);
        }
        let value = self.with(|txn| {
            let table = txn.open_table(LOG)?;
            let Some(row) = table.get((seq, part))? else {
                let message = format!("content {part} of event {seq} is missing");
                return Err(StoreError::corrupt(message));
            };
            content_from_row(seq, part, row.value())
        })?;
        let value = Arc::new(value);
        self.contents.insert((seq, part), value.clone());
        Ok(value)
    }
}

fn records_in(txn: &ReadTransaction, from: u64, count: usize) -> Result<Vec<Record>, StoreError> {
    let from = from.max(1);
    let table = txn.open_table(LOG)?;
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

pub(super) fn attempt_in(
    txn: &ReadTransaction,
    cycle: u64,
    id: &str,
) -> Result<Option<Attempt>, StoreError> {
    let table = txn.open_table(ATTEMPTS)?;
    let row = table.get((cycle, id))?;
    row.map(|row| read_attempt((cycle, id), row.value())).transpose()
}

pub(super) fn content_from_row(seq: u64, part: u32, row: &[u8]) -> Result<Json, StoreError> {
    let what = || format!("content {part} of event {seq}");
    read_content(seq, part, unseal("log", &log_key_bytes(seq, part), row, what)?)
}

fn read_attempt(key: (u64, &str), row: &[u8]) -> Result<Attempt, StoreError> {
    let what = || format!("the attempt {}", key.1);
    let bytes = unseal("attempts", key.1.as_bytes(), row, what)?;
    super::codec::decode::<StoredAttempt>(bytes, &what())?.into_attempt()
}

pub(super) fn read_cycle(txn: &ReadTransaction, cycle: u64) -> Result<StoredCycle, StoreError> {
    let table = txn.open_table(PARTS)?;
    let key = cycle_key(cycle);
    match table.get(key)? {
        Some(row) => StoredCycle::read(key, row.value()),
        None => Err(StoreError::corrupt(format!("the commit of cycle {cycle} is missing"))),
    }
}

pub(super) fn missing_event(seq: u64) -> StoreError {
    StoreError::corrupt(format!("event {seq} is missing from the log"))
}

impl TurnSource for LogReader {
    fn part(&self, place: Place, cycle: u64) -> Result<Arc<Subtree>, ReadError> {
        Ok(self.read_part(place, cycle)?)
    }

    fn skeleton(&self, cycle: u64) -> Result<Skeleton, ReadError> {
        Ok(self.skeleton_and_history(cycle)?.0)
    }

    fn place_of(&self, id: &str, cycle: u64) -> Result<Option<Place>, ReadError> {
        let places = self.known_places(id)?.unwrap_or_default();
        let found = places.iter().rev().find(|(from, _)| *from <= cycle);
        Ok(found.map(|(_, place)| *place))
    }

    fn was_used(&self, id: &str) -> Result<bool, ReadError> {
        Ok(self.known_places(id)?.is_some())
    }

    fn may_refer_to(&self, id: &str) -> Result<Vec<Id>, ReadError> {
        let tail = self.tail.read().unwrap_or_else(PoisonError::into_inner).referrers(id);
        let mut found: BTreeSet<Id> = tail.into_iter().collect();
        found.extend(self.with(|txn| Tables(txn).referrers(id))?);
        Ok(found.into_iter().collect())
    }

    fn newest_instance(&self, key: &str) -> Result<Option<Instance>, ReadError> {
        let tail = {
            let tail = self.tail.read().unwrap_or_else(PoisonError::into_inner);
            tail.instance(key).cloned()
        };
        match tail {
            Some(instance) => Ok(Some(instance)),
            None => Ok(self.with(|txn| Tables(txn).instance(key))?),
        }
    }

    fn may_expire(&self, after: u64, upto: u64) -> Result<BTreeSet<Place>, ReadError> {
        let mut found: BTreeSet<Place> = {
            let tail = self.tail.read().unwrap_or_else(PoisonError::into_inner);
            tail.expiring(after, upto).collect()
        };
        found.extend(self.with(|txn| Tables(txn).expiring(after, upto))?);
        Ok(found)
    }
}

impl Contents for LogReader {
    fn content(&self, content: &ContentRef) -> Result<Arc<Json>, ReadError> {
        Ok(self.read_content(content)?)
    }
}
