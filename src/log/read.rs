//! Reading a store: parts of the tree at any cycle, contents, commits and events.
//!
//! Nothing here holds what is shown longer than one call, so no past page is pinned. What was
//! read is cached by its key; the caches can be emptied at any moment without changing an answer.

use super::StoreError;
use super::base::{SharedBase, guard};
use super::codec::unseal;
use super::index::{Tables, Tail};
use super::nodes::Names;
use super::record::{Record, plain_text, read_content, read_record};
use super::rows::{CycleHead, CycleInfo, PartRow, StoredCycle, StoredPartChange};
use super::shown::Shown;
use super::stored::StoredAttempt;
use super::tables::{
    ATTEMPT_CYCLES, ATTEMPTS, ORIGINS, PartKey, cycle_key, log_key_bytes, part_key, place_key,
};
use crate::change::{Attempt, History};
use crate::json::Json;
use crate::model::{
    ChangedPart, ContentRef, Id, Instance, Place, ReadError, Skeleton, Subtree, Template,
    TurnSource,
};
use crate::snapshot::{Body, Contents};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use redb::ReadableTable;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// How many contents are read at once.
const SCAN: usize = 1024;

/// How many events are passed over rather than leapt over.
const LEAP: u64 = 8;

/// How many versions of a part are remembered.
const VERSIONS: usize = 4;

/// The first and a last cycle of some versions of a part.
type Versions = SmallVec<[(u64, u64); 2]>;

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
    /// Which versions of parts there are, as far as that was found out: the cycle that each holds
    /// from, and one up to which it does.
    versions: Cache<(u64, u32), Versions>,
    contents: Cache<(u64, u32), Arc<Json>, Bytes>,
    /// Versions of parts that are about to be written; they are newer than all that is shown.
    pub(super) ahead: RwLock<BTreeMap<PartKey, Option<Arc<Subtree>>>>,
    /// Names that many nodes share.
    names: Mutex<Names>,
    /// Whole skeletons by their cycles.
    skeletons: Cache<u64, Arc<(Skeleton, History)>>,
    /// The beginnings of the rows of commits.
    cycles: Cache<u64, Arc<CycleHead>>,
    /// Templates of sketches by their bytes.
    pub(super) templates: Cache<Box<[u8]>, Template>,
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
            versions: Cache::new(64 << 10),
            contents: Cache::with_weighter(4096, cache_bytes / 2, Bytes),
            ahead: RwLock::default(),
            names: Mutex::default(),
            skeletons: Cache::new(64),
            cycles: Cache::new(16 << 10),
            templates: Cache::new(1024),
        }
    }

    /// Empties the caches.
    pub fn clear_cache(&self) {
        self.parts.clear();
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
        guard(|| {
            let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
            run(&*db.shown()?)
        })
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

    fn cycle_head(&self, cycle: u64) -> Result<Arc<CycleHead>, StoreError> {
        if let Some(head) = self.cycles.get(&cycle) {
            return Ok(head);
        }
        let head = self.with(|txn| {
            let table = txn.parts()?;
            let key = cycle_key(cycle);
            let row = table.get(key)?.ok_or_else(|| missing_cycle(cycle))?;
            CycleHead::read(key, row.value())
        })?;
        let head = Arc::new(head);
        self.cycles.insert(cycle, head.clone());
        Ok(head)
    }

    /// The parts that a cycle changed.
    pub fn changed_parts(&self, cycle: u64) -> Result<Vec<ChangedPart>, StoreError> {
        let head = self.cycle_head(cycle)?;
        let changed = head.parts.iter().map(|StoredPartChange { place, old, new }| {
            // The regions are always there, and have no hashes.
            let is_region = place.slot().is_none();
            let (before, after) = (is_region || old.is_some(), is_region || new.is_some());
            ChangedPart { place: *place, before, after }
        });
        Ok(changed.collect())
    }

    /// Whether the root and `^seq` have the same headers in the snapshots of two cycles.
    pub fn same_top(&self, one: u64, other: u64) -> Result<bool, StoreError> {
        if self.cycle_head(one)?.skeleton_at == self.cycle_head(other)?.skeleton_at {
            return Ok(true);
        }
        let top = |cycle| self.skeleton_and_history(cycle).map(|(skeleton, _)| skeleton);
        let (one, other) = (top(one)?, top(other)?);
        Ok(one.root == other.root && one.seq == other.seq)
    }

    /// What is known of a committed cycle.
    pub fn cycle(&self, cycle: u64) -> Result<CycleInfo, StoreError> {
        Ok(self.cycle_row(cycle)?.info(cycle))
    }

    pub(super) fn skeleton_and_history(
        &self,
        cycle: u64,
    ) -> Result<(Skeleton, History), StoreError> {
        let own = self.cycle_head(cycle)?.skeleton_at;
        let whole = match self.skeletons.get(&own) {
            Some(whole) => whole,
            None => {
                let whole = Arc::new(self.cycle_head(own)?.skeleton(own)?);
                self.skeletons.insert(own, whole.clone());
                whole
            }
        };
        let (mut skeleton, mut history) = (*whole).clone();
        skeleton.spine.extend_sealed(own + 1, cycle);
        history.extend(own + 1, cycle);
        Ok((skeleton, history))
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

    /// Parts that may hold a node with a finite ttl in the snapshot of a cycle, of which at most
    /// so much remains. A part may come several times.
    pub fn finite_places(&self, cycle: u64, most: u64) -> Result<Vec<Place>, StoreError> {
        let mut found: Vec<Place> = {
            let tail = self.tail.read().unwrap_or_else(PoisonError::into_inner);
            tail.finite(cycle, most).collect()
        };
        found.extend(self.with(|txn| Tables(txn).finite(cycle, most))?);
        Ok(found)
    }

    /// The cycles of `from..=upto` in which a part changed, oldest first.
    pub fn versions(&self, place: Place, from: u64, upto: u64) -> Result<Vec<u64>, StoreError> {
        self.with(|txn| {
            let table = txn.parts()?;
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

    /// A version that is about to be written, if there is one for that cycle.
    fn part_ahead(&self, place: Place, cycle: u64) -> Option<Arc<Subtree>> {
        let ahead = self.ahead.read().unwrap_or_else(PoisonError::into_inner);
        if ahead.is_empty() {
            return None;
        }
        let (slot, rank) = place_key(place);
        let mut versions = ahead.range((slot, rank, 0)..=(slot, rank, cycle));
        versions.next_back().and_then(|(_, part)| part.clone())
    }

    fn read_part(&self, place: Place, cycle: u64) -> Result<Arc<Subtree>, StoreError> {
        if let Some(part) = self.part_ahead(place, cycle) {
            return Ok(part);
        }
        let (slot, rank) = place_key(place);
        let known = self.versions.get(&(slot, rank)).unwrap_or_default();
        let version = known.iter().find(|(from, upto)| (*from..=*upto).contains(&cycle));
        if let Some((from, _)) = version
            && let Some(part) = self.parts.get(&(slot, rank, *from))
        {
            return Ok(part);
        }
        self.with(|txn| {
            let table = txn.parts()?;
            let missing = || {
                let (slot, rank, _) = part_key(place, cycle);
                StoreError::corrupt(format!(
                    "the part {slot}/{rank} as of cycle {cycle} is missing"
                ))
            };
            // Most turns are as they were sealed.
            let first = match place {
                Place::Turn(slot) if slot.cycle <= cycle => {
                    table.get(part_key(place, slot.cycle))?.map(|row| (slot.cycle, row))
                }
                _ => None,
            };
            let holds = |row: &[u8]| {
                let until = row.first_chunk::<8>().map_or(0, |until| u64::from_le_bytes(*until));
                until == 0 || until > cycle
            };
            let (version, row) = match first.filter(|(_, row)| holds(row.value())) {
                Some(first) => first,
                None => {
                    let mut range = table.range((slot, rank, 0)..=(slot, rank, cycle))?;
                    let Some(entry) = range.next_back() else { return Err(missing()) };
                    let (key, row) = entry?;
                    (key.value().2, row)
                }
            };
            let key = (slot, rank, version);
            let row = PartRow::read(key, row.value())?;
            if row.until > 0 && row.until <= cycle {
                return Err(missing());
            }
            // The newest version holds at least up to the last commit.
            let upto = match row.until {
                0 => txn.last_cycle()?.unwrap_or_default(),
                until => until - 1,
            };
            let part = match self.parts.get(&key) {
                Some(part) => part,
                None => {
                    let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
                    let part = row.part(&mut names)?.ok_or_else(missing)?;
                    self.parts.insert(key, part.clone());
                    part
                }
            };
            let mut versions = known;
            versions.retain(|(from, _)| *from != key.2);
            versions.truncate(VERSIONS - 1);
            versions.insert(0, (key.2, upto));
            self.versions.insert((slot, rank), versions);
            Ok(part)
        })
    }

    /// Contents in the order of the log, without keeping them: by walking along the log, and by
    /// leaping where the next one is far.
    fn scan_contents(
        &self,
        list: &[ContentRef],
        each: &mut dyn FnMut(usize, Body<'_>),
    ) -> Result<(), StoreError> {
        self.with(|txn| {
            let table = txn.log()?;
            let Some(first) = list.first() else { return Ok(()) };
            let mut rows = table.range((first.seq, first.part)..)?;
            let mut at = (first.seq, first.part);
            for (i, content) in list.iter().enumerate() {
                let key = (content.seq, content.part);
                if key.0 > at.0.saturating_add(LEAP) || key < at {
                    rows = table.range(key..)?;
                }
                let row = loop {
                    match rows.next().transpose()? {
                        Some((found, row)) if found.value() == key => break row,
                        Some((found, _)) if found.value() < key => {}
                        _ => return Err(missing_content(key.0, key.1)),
                    }
                };
                at = (key.0, key.1 + 1);
                let name = || format!("content {} of event {}", key.1, key.0);
                let bytes = unseal("log", &log_key_bytes(key.0, key.1), row.value(), name)?;
                match plain_text(bytes) {
                    Some(text) => each(i, Body::Text(text)),
                    None => each(i, Body::of(&read_content(key.0, key.1, bytes)?)),
                }
            }
            Ok(())
        })
    }

    fn read_content(&self, content: &ContentRef) -> Result<Arc<Json>, StoreError> {
        let ContentRef { seq, part, .. } = *content;
        if let Some(content) = self.contents.get(&(seq, part)) {
            return Ok(content);
        }
        let value = self.with(|txn| {
            let table = txn.log()?;
            let row = table.get((seq, part))?.ok_or_else(|| missing_content(seq, part))?;
            content_from_row(seq, part, row.value())
        })?;
        let value = Arc::new(value);
        self.contents.insert((seq, part), value.clone());
        Ok(value)
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

pub(super) fn content_from_row(seq: u64, part: u32, row: &[u8]) -> Result<Json, StoreError> {
    let what = || format!("content {part} of event {seq}");
    read_content(seq, part, unseal("log", &log_key_bytes(seq, part), row, what)?)
}

fn read_attempt(key: (u64, &str), row: &[u8]) -> Result<Attempt, StoreError> {
    let what = || format!("the attempt {}", key.1);
    let bytes = unseal("attempts", key.1.as_bytes(), row, what)?;
    super::codec::decode::<StoredAttempt>(bytes, &what())?.into_attempt()
}

pub(super) fn read_cycle(txn: &Shown, cycle: u64) -> Result<StoredCycle, StoreError> {
    let table = txn.parts()?;
    let key = cycle_key(cycle);
    match table.get(key)? {
        Some(row) => StoredCycle::read(key, row.value()),
        None => Err(missing_cycle(cycle)),
    }
}

fn missing_cycle(cycle: u64) -> StoreError {
    StoreError::corrupt(format!("the commit of cycle {cycle} is missing"))
}

fn missing_content(seq: u64, part: u32) -> StoreError {
    StoreError::corrupt(format!("content {part} of event {seq} is missing"))
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

    fn each(
        &self,
        list: &[ContentRef],
        each: &mut dyn FnMut(usize, Body<'_>),
    ) -> Result<(), ReadError> {
        for (i, chunk) in list.chunks(SCAN).enumerate() {
            self.scan_contents(chunk, &mut |k, body| each(i * SCAN + k, body))?;
        }
        Ok(())
    }
}
