//! Neighbours compared one after the other, from the newest back, each version of a part looked at
//! once.
//!
//! From a snapshot to the one before it only the parts change that the commit changed, so what was
//! found in the others is kept; in those, only what remains of a finite ttl differs. The parts with a
//! finite ttl are known for the newest snapshot, and from there on by what each commit changed.

use super::findings::{Countdown, Item, Key, LoadedPart, StepFindings, key, keyed, ttl_change};
use super::pages::IndexPages;
use crate::model::{ChangedPart, Id, Place, PlaceOrder, ReadError, Subtree};
use crate::query::eval::{Finder, Hit, TemplateQuery};
use crate::query::plan::{Ask, Depends};
use crate::query::range::difference::{Change, NeighbourDiff};
use crate::query::range::fields::differences;
use crate::query::timeline::{Moment, Read, Timeline};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// A scan back through snapshots.
pub(crate) struct BackwardScan<'a> {
    timeline: &'a dyn Timeline,
    /// Whether what remains of a ttl decides what is found.
    by_ttl: bool,
    finder: Finder<'a>,
    pages: Option<IndexPages>,
    /// Parts that were read, as they are in the newer snapshot.
    parts: HashMap<Place, LoadedPart>,
    /// Where a ttl decides: parts of the newer snapshot that have a finite one.
    finite: BTreeMap<Place, Arc<Subtree>>,
    /// Else: the nodes with a finite ttl that are found in the newer snapshot, in order.
    counting: Vec<Countdown>,
}

impl<'a> BackwardScan<'a> {
    /// A scan that begins at the snapshot of a moment.
    pub(crate) fn new(
        timeline: &'a dyn Timeline,
        ask: &'a Ask,
        moment: Moment<'a>,
    ) -> Read<BackwardScan<'a>> {
        let newest = moment.cycle;
        let by_ttl = Depends::of(ask).ttl;
        let question = if by_ttl { None } else { TemplateQuery::of(ask, &moment) };
        let pages = IndexPages::new(question, timeline, newest);
        let places: BTreeSet<Place> = timeline
            .finite_places(newest, u64::MAX)?
            .into_iter()
            .filter(|place| place.slot().is_none_or(|slot| moment.tree.spine().contains(slot)))
            .collect();
        let mut scan = BackwardScan {
            timeline,
            by_ttl,
            finder: Finder::new(ask, moment),
            pages,
            parts: HashMap::new(),
            finite: BTreeMap::new(),
            counting: Vec::new(),
        };
        for place in places {
            let known = match (&mut scan.pages, place.slot()) {
                (Some(pages), Some(slot)) => pages.countdowns(slot, &scan.finder.moment, newest)?,
                _ => None,
            };
            match known {
                Some(countdowns) => scan.counting.extend(countdowns),
                None => {
                    let held = scan.read(place, newest)?;
                    scan.hold(place, held);
                }
            }
        }
        scan.counting.sort_unstable_by_key(|node| node.key);
        Ok(scan)
    }

    /// Compares the snapshot of `newer` with that of `older`, its neighbour. None if the root or
    /// `^seq` differ, which this cannot compare; the scan is over then.
    pub(crate) fn step(&mut self, newer: u64, older: u64) -> Read<Option<NeighbourDiff>> {
        if !self.timeline.same_top(newer, older)? {
            return Ok(None);
        }
        let changed = self.timeline.changed_parts(newer)?;
        let mut found = StepFindings::default();
        for part in &changed {
            if !self.compare_by_index(part, newer, older, &mut found)? {
                self.read_both(part, newer, older, &mut found)?;
            }
        }
        self.forget(&changed, newer);
        for (place, nodes) in std::mem::take(&mut self.finite) {
            let now = self.find(place, nodes.clone(), newer)?;
            let then = self.find(place, nodes.clone(), older)?;
            found.here.extend(keyed(place, now.hits));
            found.before.extend(then.hits.into_iter().map(Item::Read));
            self.finite.insert(place, nodes);
        }
        let mut changes = found.changed;
        changes.reserve(self.counting.len());
        changes.extend(self.counting.iter().filter_map(|Countdown { key, id, life }| {
            Some((*key, ttl_change(id, *life, newer, older)?))
        }));
        if !found.counting.is_empty() || !found.past.is_empty() {
            self.counting.append(&mut found.counting);
            for (place, held) in found.past {
                self.hold(place, held);
            }
            // All but what was added just now is in order: this finds the runs.
            self.counting.sort_by_key(|node| node.key);
        }
        let (added, removed) =
            self.compare((found.here, newer), (found.before, older), &mut changes)?;
        changes.sort_by_key(|(key, _)| *key);
        let changed = changes.into_iter().map(|(_, change)| change).collect();
        Ok(Some(NeighbourDiff { added, removed, changed }))
    }

    /// Compares a changed turn by its page of the index, if that says enough.
    fn compare_by_index(
        &mut self,
        part: &ChangedPart,
        newer: u64,
        older: u64,
        found: &mut StepFindings,
    ) -> Read<bool> {
        let (Some(slot), Some(pages)) = (part.place.slot(), &mut self.pages) else {
            return Ok(false);
        };
        if !pages.compare(part, slot, &self.finder.moment, (newer, older), found)? {
            return Ok(false);
        }
        self.parts.remove(&part.place);
        self.finder.moment.note(|tally| tally.turns_from_index += 1);
        Ok(true)
    }

    /// Reads a changed part as it was and as it is.
    fn read_both(
        &mut self,
        part: &ChangedPart,
        newer: u64,
        older: u64,
        found: &mut StepFindings,
    ) -> Read<()> {
        let place = part.place;
        if part.after {
            let now = match self.parts.remove(&place) {
                Some(held) if self.by_ttl => self.find(place, held.nodes, newer)?,
                Some(held) => held,
                None => self.read(place, newer)?,
            };
            found.here.extend(keyed(place, now.hits));
        }
        if part.before {
            let then = self.read(place, older)?;
            found.before.extend(then.hits.iter().cloned().map(Item::Read));
            found.past.push((place, then));
        }
        Ok(())
    }

    /// What is only in one of two neighbours; the others of the same id differ or are the same.
    fn compare(
        &mut self,
        (mut here, newer): (Vec<(Key, Item)>, u64),
        (before, older): (Vec<Item>, u64),
        changed: &mut Vec<(Key, Change)>,
    ) -> Read<(Vec<Id>, Vec<Id>)> {
        here.sort_unstable_by_key(|(key, _)| *key);
        if before.is_empty() {
            return Ok((here.iter().map(|(_, item)| item.id().clone()).collect(), Vec::new()));
        }
        let mut gone: BTreeMap<Id, Item> =
            before.into_iter().map(|item| (item.id().clone(), item)).collect();
        let mut added = Vec::new();
        for (key, item) in here {
            let Some(before) = gone.remove(item.id()) else {
                added.push(item.id().clone());
                continue;
            };
            let (item, before) = (self.hit(item, newer)?, self.hit(before, older)?);
            let contents = self.timeline.contents();
            let fields = differences((&item, newer), (&before, older), contents)?;
            if !fields.is_empty() {
                changed.push((key, Change::Fields(Box::new((item, before, fields)))));
            }
        }
        Ok((added, gone.into_keys().collect()))
    }

    /// A node with its headers.
    fn hit(&mut self, item: Item, cycle: u64) -> Read<Hit> {
        match item {
            Item::Read(hit) => Ok(hit),
            Item::Indexed(id, place) => {
                let held = self.read(place, cycle)?;
                held.hits.into_iter().find(|hit| hit.node.id == id).ok_or_else(|| {
                    ReadError::Corrupt(format!("{id} is not where the turn index says it is"))
                })
            }
        }
    }

    /// Keeps what is known of a part of the newer snapshot.
    fn hold(&mut self, place: Place, held: LoadedPart) {
        if self.by_ttl {
            if held.nodes.entries().iter().any(|entry| entry.node.lifetime.is_some()) {
                self.finite.insert(place, held.nodes.clone());
            }
        } else {
            let finite = held.hits.iter().filter_map(|hit| {
                let (key, id) = (key(place, hit.rank.1), hit.node.id.clone());
                hit.node.lifetime.map(|life| Countdown { key, id, life })
            });
            self.counting.extend(finite);
        }
        self.parts.insert(place, held);
    }

    /// Leaves out of account what is in changed parts, which are compared, and what was known of
    /// turns that were not there yet before a cycle.
    fn forget(&mut self, changed: &[ChangedPart], cycle: u64) {
        let mut keys: Vec<PlaceOrder> = changed.iter().map(|part| part.place.order()).collect();
        keys.sort_unstable();
        let is_changed = |key: PlaceOrder| keys.binary_search(&key).is_ok();
        self.counting.retain(|node| !is_changed((node.key.0, node.key.1)));
        self.finite.retain(|place, _| !is_changed(place.order()));
        if let Some(pages) = &mut self.pages {
            pages.forget(cycle);
        }
    }

    fn read(&mut self, place: Place, cycle: u64) -> Read<LoadedPart> {
        let nodes = self.finder.moment.tree.source().part(place, cycle)?;
        self.find(place, nodes, cycle)
    }

    fn find(&mut self, place: Place, nodes: Arc<Subtree>, cycle: u64) -> Read<LoadedPart> {
        self.finder.moment.cycle = cycle;
        let hits = self.finder.in_part(place, nodes.clone())?;
        Ok(LoadedPart { nodes, hits })
    }
}
