//! Reading snapshots: commits, what holds the parts of a snapshot together, and where nodes have
//! been. This is what the tree asks of a store.

use super::reader::StoreReader;
use crate::budget;
use crate::change::{Event, History};
use crate::index::{
    self, CycleHead, CycleInfo, StoredCycle, StoredPartChange, get_cycle, get_cycle_head,
    get_skeleton,
};
use crate::model::{
    ChangedPart, Id, Instance, Node, Place, PruneRank, ReadError, Skeleton, Slot, Subtree,
    ThreadSize, TurnSource,
};
use crate::storage::StoreError;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Cycles whose times are looked at together.
const BLOCK: u64 = 256;

impl StoreReader {
    pub(super) fn cycle_row(&self, cycle: u64) -> Result<StoredCycle, StoreError> {
        self.with(|view| get_cycle(view, cycle))
    }

    fn cycle_head(&self, cycle: u64) -> Result<Arc<CycleHead>, StoreError> {
        if let Some(head) = self.cycles.get(&cycle) {
            return Ok(head);
        }
        let head = Arc::new(self.with(|view| get_cycle_head(view, cycle))?);
        self.cycles.insert(cycle, head.clone());
        Ok(head)
    }

    /// The parts that a cycle changed.
    pub fn changed_parts(&self, cycle: u64) -> Result<Vec<ChangedPart>, StoreError> {
        let head = self.cycle_head(cycle)?;
        let changed = head.parts.iter().map(|StoredPartChange { place, old, new, .. }| {
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

    /// When a cycle was closed, in nanoseconds since 1970: a commit says so itself.
    fn closed_at(&self, cycle: u64) -> Result<i64, StoreError> {
        let seq = self.cycle_row(cycle)?.seq;
        let missing = || StoreError::corrupt(format!("event {seq}, which closed cycle {cycle}"));
        let record = self.record(seq)?.ok_or_else(missing)?;
        Ok(match &record.event {
            Event::Committed(commit) => commit.created_at_ns,
            _ => record.time,
        })
    }

    /// The newest cycle that was closed at this time or before it. Times need not rise with cycles, so
    /// it is looked for from the newest on; what is known of older blocks of cycles is kept.
    pub fn newest_until(&self, history: &History, ns: i64) -> Result<Option<u64>, StoreError> {
        let newest = history.iter().next_back().map(|cycle| cycle / BLOCK);
        let (mut block, mut earliest, mut passed) = (None, i64::MAX, false);
        for cycle in history.iter().rev() {
            let here = Some(cycle / BLOCK);
            if block != here {
                if let Some(done) = block.filter(|_| !passed && block != newest) {
                    self.earliest.insert(done, earliest);
                }
                let known = here.and_then(|here| self.earliest.get(&here));
                (block, earliest, passed) = (here, i64::MAX, known.is_some_and(|time| time > ns));
            }
            if passed {
                continue;
            }
            budget::check()?;
            let time = self.closed_at(cycle)?;
            if time <= ns {
                return Ok(Some(cycle));
            }
            earliest = earliest.min(time);
        }
        Ok(None)
    }

    pub(super) fn skeleton_and_history(
        &self,
        cycle: u64,
    ) -> Result<(Skeleton, History), StoreError> {
        let own = self.cycle_head(cycle)?.skeleton_at;
        let whole = match self.skeletons.get(&own) {
            Some(whole) => whole,
            None => {
                let whole = Arc::new(self.with(|view| get_skeleton(view, own))?);
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
        let newer = self.memtable().places(id);
        let stored = self.with(|view| index::places(view, id))?;
        if newer.is_none() && stored.is_none() {
            return Ok(None);
        }
        let mut places = stored.unwrap_or_default();
        places.extend(newer.unwrap_or_default());
        places.sort_by_key(|(cycle, _)| *cycle);
        places.dedup();
        Ok(Some(places))
    }

    /// Parts that may hold a node with a finite ttl in the snapshot of a cycle, of which at most
    /// so much remains. A part may come several times.
    pub fn finite_places(&self, cycle: u64, most: u64) -> Result<Vec<Place>, StoreError> {
        let mut found: Vec<Place> = self.memtable().finite(cycle, most).collect();
        found.extend(self.with(|view| index::finite(view, cycle, most))?);
        Ok(found)
    }

    /// The newest instance of a key.
    pub(super) fn instance(&self, key: &str) -> Result<Option<Instance>, StoreError> {
        let newer = self.memtable().instance(key).cloned();
        match newer {
            Some(instance) => Ok(Some(instance)),
            None => self.with(|view| index::instance(view, key)),
        }
    }
}

impl TurnSource for StoreReader {
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
        let places = self.places_of(id)?;
        let Some((from, place)) = places.last().copied() else { return Ok(None) };
        Ok(self.last_version(id, place, from)?)
    }

    fn was_used(&self, id: &str) -> Result<bool, ReadError> {
        Ok(self.known_places(id)?.is_some())
    }

    fn may_refer_to(&self, id: &str) -> Result<Vec<Id>, ReadError> {
        let newer = self.memtable().referrers(id);
        let mut found: BTreeSet<Id> = newer.into_iter().collect();
        found.extend(self.with(|view| index::referrers(view, id))?);
        Ok(found.into_iter().collect())
    }

    fn newest_instance(&self, key: &str) -> Result<Option<Instance>, ReadError> {
        Ok(self.instance(key)?)
    }

    fn may_expire(&self, after: u64, upto: u64) -> Result<BTreeSet<Place>, ReadError> {
        let mut found: BTreeSet<Place> = self.memtable().expiring(after, upto).collect();
        found.extend(self.with(|view| index::expiring(view, after, upto))?);
        Ok(found)
    }

    fn turns_before(&self, slot: Slot, all: ThreadSize) -> Result<ThreadSize, ReadError> {
        let newest = self.with(|view| view.last_cycle())?.unwrap_or_default();
        // Fewer rows are read from the nearer end.
        let before = slot.cycle <= newest / 2;
        let change = self.memtable().size_change(slot, before);
        let size = change.of(self.with(|view| index::stored_size(view, slot, before))?);
        Ok(if before { size } else { all.minus(size) })
    }

    fn unranked(&self, cycle: u64) -> Result<Option<BTreeSet<Slot>>, ReadError> {
        let newest = self.with(|view| view.last_cycle())?.unwrap_or_default();
        // The table knows the newest cycle alone.
        Ok((newest <= cycle).then(|| self.memtable().turns()))
    }

    fn ranked(&self, after: Option<&PruneRank>) -> Result<Vec<(PruneRank, Slot)>, ReadError> {
        Ok(self.with(|view| index::ranked_blocks(view, after))?)
    }
}
