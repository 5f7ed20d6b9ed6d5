//! Neighbours compared one after the other, from the newest back, each version of a part read
//! once.
//!
//! This is for questions whose answer in each part depends on that part alone. From a snapshot to
//! the one before it only the parts change that the commit changed, so what was found in the others
//! is kept; in those, only what remains of a finite ttl differs.

use super::compare::{Comparison, compare_hits};
use super::fields::differences;
use crate::model::{Place, ReadError, Skeleton, Slot, Subtree};
use crate::query::eval::{Hit, find_in_part};
use crate::query::plan::{Ask, Depends};
use crate::query::timeline::{Moment, Timeline};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// A walk back through snapshots.
pub(super) struct Sweep<'a> {
    timeline: &'a dyn Timeline,
    ask: &'a Ask,
    /// Whether what remains of a ttl decides what is found.
    by_ttl: bool,
    moment: Moment<'a>,
    newer: Option<Skeleton>,
    /// What is known of parts as they are in the newer snapshot; none if one is not there.
    parts: HashMap<Place, Option<Held>>,
    /// Places that may hold a finite ttl, with the first and the last cycle, last ones last.
    finite: Vec<(Place, u64, u64)>,
    /// Those of them that may hold one now.
    active: Vec<(Place, u64)>,
}

#[derive(Clone)]
struct Held {
    nodes: Arc<Subtree>,
    hits: Rc<[Hit]>,
}

impl<'a> Sweep<'a> {
    /// A walk that begins at the snapshot of a moment and goes back to that of a cycle.
    pub(super) fn new(
        timeline: &'a dyn Timeline,
        ask: &'a Ask,
        moment: Moment<'a>,
        back_to: u64,
    ) -> Result<Sweep<'a>, ReadError> {
        let mut finite = timeline.finite_spans(back_to, moment.cycle)?;
        finite.sort_unstable_by_key(|(_, _, last)| *last);
        Ok(Sweep {
            timeline,
            ask,
            by_ttl: Depends::of(ask).ttl,
            newer: None,
            moment,
            parts: HashMap::new(),
            finite,
            active: Vec::new(),
        })
    }

    /// Compares the snapshot of `newer` with that of `older`, its neighbour. None if the root or
    /// `^seq` differ, which this cannot compare; the walk is over then.
    pub(super) fn step(&mut self, newer: u64, older: u64) -> Result<Option<Comparison>, ReadError> {
        let source = self.moment.tree.source().clone();
        let new = match self.newer.take() {
            Some(skeleton) => skeleton,
            None => source.skeleton(newer)?,
        };
        let old = source.skeleton(older)?;
        if new.root != old.root || new.seq != old.seq {
            return Ok(None);
        }
        let changed: BTreeSet<Place> = self.timeline.changed_places(newer)?.into_iter().collect();
        let finite = self.finite(newer, older);
        let (mut here, mut before) = (Vec::new(), Vec::new());
        for place in &changed {
            here.extend(
                self.hits(*place, &new, newer)?.iter().flat_map(|held| keyed(*place, held)),
            );
            self.parts.remove(place);
            before.extend(
                self.hits(*place, &old, older)?.iter().flat_map(|held| keyed(*place, held)),
            );
        }
        let mut counted = Vec::new();
        for place in finite.difference(&changed) {
            if self.by_ttl {
                let (now, then) =
                    (self.hits(*place, &new, newer)?, self.hits(*place, &old, older)?);
                here.extend(now.iter().flat_map(|held| keyed(*place, held)));
                before.extend(then.iter().flat_map(|held| keyed(*place, held)));
            } else if let Some(held) = self.hits(*place, &old, older)? {
                for (key, hit) in
                    keyed(*place, &held).filter(|(_, hit)| hit.node.lifetime.is_some())
                {
                    let fields = differences((&hit, newer), (&hit, older));
                    if !fields.is_empty() {
                        counted.push((key, hit.clone(), hit, fields));
                    }
                }
            }
        }
        self.newer = Some(old);
        Ok(Some(compare_hits((here, newer), (before, older), counted)))
    }

    /// The places that may hold a finite ttl in one of two neighbours.
    fn finite(&mut self, newer: u64, older: u64) -> BTreeSet<Place> {
        while let Some((place, first, _)) = self.finite.pop_if(|(.., last)| *last >= older) {
            self.active.push((place, first));
        }
        self.active.retain(|(_, first)| *first <= newer);
        self.active.iter().map(|(place, _)| *place).collect()
    }

    /// What is found in a part. Where a ttl decides that, it depends on the cycle though the part
    /// stays the same, and only the part is kept.
    fn hits(
        &mut self,
        place: Place,
        skeleton: &Skeleton,
        cycle: u64,
    ) -> Result<Option<Held>, ReadError> {
        match self.parts.get(&place).cloned() {
            Some(Some(held)) if self.by_ttl => self.find(place, held.nodes, cycle).map(Some),
            Some(held) => Ok(held),
            None => {
                let held = self.read(place, skeleton, cycle)?;
                self.parts.insert(place, held.clone());
                Ok(held)
            }
        }
    }

    fn read(
        &mut self,
        place: Place,
        skeleton: &Skeleton,
        cycle: u64,
    ) -> Result<Option<Held>, ReadError> {
        if place.slot().is_some_and(|slot| !skeleton.spine.contains(slot)) {
            return Ok(None);
        }
        let nodes = self.moment.tree.source().part(place, cycle)?;
        self.find(place, nodes, cycle).map(Some)
    }

    fn find(&mut self, place: Place, nodes: Arc<Subtree>, cycle: u64) -> Result<Held, ReadError> {
        self.moment.cycle = cycle;
        let hits = find_in_part(self.ask, &self.moment, place, nodes.clone())?;
        Ok(Held { nodes, hits: hits.into() })
    }
}

/// Where a hit stands in canonical order, whatever snapshot it was found in.
pub(super) type Key = (u8, Slot, u32);

fn keyed(place: Place, held: &Held) -> impl Iterator<Item = (Key, Hit)> + use<> {
    let (region, slot) = match place {
        Place::Sys => (1, Slot { cycle: 0, rank: 0 }),
        Place::Turn(slot) => (3, slot),
        Place::Ah => (4, Slot { cycle: 0, rank: 0 }),
    };
    let hits = held.hits.clone();
    (0..hits.len()).map(move |i| ((region, slot, hits[i].rank.1), hits[i].clone()))
}
