//! Reading what was committed: commits, parts of the tree at any cycle, and where nodes have been.

use super::StoreError;
use super::guarded::Readable;
use super::index::Tables;
use super::read::LogReader;
use super::rows::{CycleHead, CycleInfo, PartRow, StoredCycle, StoredPartChange, read_skeleton};
use super::shown::Shown;
use super::tables::{PartKey, cycle_key, part_key, place_key};
use crate::change::History;
use crate::model::{
    ChangedPart, Id, Instance, Node, Place, PruneRank, ReadError, Skeleton, Slot, Subtree,
    TurnSource,
};
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

/// How many versions of a part are remembered.
const VERSIONS: usize = 4;

impl LogReader {
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
                let whole = self.with(|txn| {
                    let key = cycle_key(own);
                    let row = txn.parts()?.get(key)?.ok_or_else(|| missing_cycle(own))?;
                    read_skeleton(key, row.value())
                })?;
                let whole = Arc::new(whole);
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

    /// A node in the last version of a part that has it. Where it was put last it stayed for some
    /// versions, and in none after them: coming back would have put it there anew.
    fn last_version(&self, id: &str) -> Result<Option<Arc<Node>>, StoreError> {
        let places = self.places_of(id)?;
        let Some((from, place)) = places.last().copied() else { return Ok(None) };
        let mut versions: BTreeSet<u64> =
            self.versions(place, from, u64::MAX)?.into_iter().collect();
        let (slot, rank) = place_key(place);
        {
            let ahead = self.ahead.read().unwrap_or_else(PoisonError::into_inner);
            let range = ahead.range((slot, rank, from)..=(slot, rank, u64::MAX));
            versions.extend(range.map(|((.., version), _)| *version));
        }
        let versions: Vec<u64> = versions.into_iter().collect();
        let (mut low, mut high) = (0, versions.len());
        let mut found = None;
        while low < high {
            let middle = low + (high - low) / 2;
            let part = self.version(place, versions[middle])?;
            let node = part.and_then(|part| part.find(id).map(|index| part.node(index).clone()));
            match node {
                Some(_) => (found, low) = (node, middle + 1),
                None => high = middle,
            }
        }
        Ok(found)
    }

    /// A version of a part; none if the part went with it.
    fn version(&self, place: Place, version: u64) -> Result<Option<Arc<Subtree>>, StoreError> {
        let (slot, rank) = place_key(place);
        let key = (slot, rank, version);
        {
            let ahead = self.ahead.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(part) = ahead.get(&key) {
                return Ok(part.clone());
            }
        }
        self.with(|txn| {
            let table = txn.parts()?;
            let Some(row) = table.get(key)? else { return Ok(None) };
            let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
            PartRow::read(key, row.value())?.part(&mut names)
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

    fn cached_part(&self, key: &PartKey) -> Option<Arc<Subtree>> {
        let large = || {
            let large = self.large.lock().unwrap_or_else(PoisonError::into_inner);
            large.as_ref().filter(|(at, _)| at == key).map(|(_, part)| part.clone())
        };
        self.parts.get(key).or_else(large)
    }

    fn cache_part(&self, key: PartKey, part: &Arc<Subtree>) {
        self.parts.insert(key, part.clone());
        if self.parts.peek(&key).is_none() {
            *self.large.lock().unwrap_or_else(PoisonError::into_inner) = Some((key, part.clone()));
        }
    }

    fn read_part(&self, place: Place, cycle: u64) -> Result<Arc<Subtree>, StoreError> {
        if let Some(part) = self.part_ahead(place, cycle) {
            return Ok(part);
        }
        let (slot, rank) = place_key(place);
        let known = self.versions.get(&(slot, rank)).unwrap_or_default();
        let version = known.iter().find(|(from, upto)| (*from..=*upto).contains(&cycle));
        if let Some((from, _)) = version
            && let Some(part) = self.cached_part(&(slot, rank, *from))
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
            let part = match self.cached_part(&key) {
                Some(part) => part,
                None => {
                    let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
                    let part = row.part(&mut names)?.ok_or_else(missing)?;
                    self.cache_part(key, &part);
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

    fn last_seen(&self, id: &str) -> Result<Option<Arc<Node>>, ReadError> {
        Ok(self.last_version(id)?)
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

    fn unranked(&self, cycle: u64) -> Result<Option<BTreeSet<Slot>>, ReadError> {
        Ok(self.unranked_turns(cycle)?)
    }

    fn ranked(&self, after: Option<&PruneRank>) -> Result<Vec<(PruneRank, Slot)>, ReadError> {
        Ok(self.ranked_blocks(after)?)
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
