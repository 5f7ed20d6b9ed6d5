//! Neighbours compared one after the other, from the newest back, each version of a part read
//! once.
//!
//! This is for questions whose answer in each part depends on that part alone. From a snapshot to
//! the one before it only the parts change that the commit changed, so what was found in the others
//! is kept; in those, only what remains of a finite ttl differs. The parts with a finite ttl are
//! known for the newest snapshot, and from there on by what each commit changed.

use super::compare::{Change, Step, compare_hits};
use crate::model::{ChangedPart, Id, Lifetime, Place, ReadError, Slot, Subtree};
use crate::query::eval::{Finder, Hit};
use crate::query::plan::{Ask, Depends};
use crate::query::timeline::{Moment, Timeline};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// A walk back through snapshots.
pub(super) struct Sweep<'a> {
    timeline: &'a dyn Timeline,
    /// Whether what remains of a ttl decides what is found.
    by_ttl: bool,
    finder: Finder<'a>,
    /// Parts as they are in the newer snapshot, as far as they were met.
    parts: HashMap<Place, Held>,
    /// Where a ttl decides: parts of the newer snapshot that have a finite one.
    finite: BTreeMap<Place, Arc<Subtree>>,
    /// Else: the nodes with a finite ttl that are found in the newer snapshot, in order.
    counting: Vec<Counting>,
}

/// A part, and what is found in it; nothing of that is known where a ttl decides it.
#[derive(Clone)]
struct Held {
    nodes: Arc<Subtree>,
    hits: Rc<[Hit]>,
}

/// A node whose ttl counts down.
struct Counting {
    key: Key,
    id: Id,
    life: Lifetime,
}

impl<'a> Sweep<'a> {
    /// A walk back that begins at the snapshot of a moment.
    pub(super) fn new(
        timeline: &'a dyn Timeline,
        ask: &'a Ask,
        moment: Moment<'a>,
    ) -> Result<Sweep<'a>, ReadError> {
        let newest = moment.cycle;
        let places: BTreeSet<Place> = timeline
            .finite_places(newest, u64::MAX)?
            .into_iter()
            .filter(|place| place.slot().is_none_or(|slot| moment.tree.spine().contains(slot)))
            .collect();
        let mut sweep = Sweep {
            timeline,
            by_ttl: Depends::of(ask).ttl,
            finder: Finder::new(ask, moment),
            parts: HashMap::new(),
            finite: BTreeMap::new(),
            counting: Vec::new(),
        };
        for place in places {
            let held = sweep.read(place, newest)?;
            sweep.hold(place, held);
        }
        sweep.counting.sort_unstable_by_key(|node| node.key);
        Ok(sweep)
    }

    /// Compares the snapshot of `newer` with that of `older`, its neighbour. None if the root or
    /// `^seq` differ, which this cannot compare; the walk is over then.
    pub(super) fn step(&mut self, newer: u64, older: u64) -> Result<Option<Step>, ReadError> {
        if !self.timeline.same_top(newer, older)? {
            return Ok(None);
        }
        let changed = self.timeline.changed_parts(newer)?;
        let (mut here, mut before, mut past) = (Vec::new(), Vec::new(), Vec::new());
        for ChangedPart { place, before: was, after: is } in &changed {
            if *is {
                let now = match self.parts.remove(place) {
                    Some(held) if self.by_ttl => self.find(*place, held.nodes, newer)?,
                    Some(held) => held,
                    None => self.read(*place, newer)?,
                };
                here.extend(keyed(*place, &now.hits));
            }
            if *was {
                let then = self.read(*place, older)?;
                before.extend(keyed(*place, &then.hits));
                past.push((*place, then));
            }
        }
        self.forget(&changed);
        for (place, nodes) in std::mem::take(&mut self.finite) {
            let now = self.find(place, nodes.clone(), newer)?;
            let then = self.find(place, nodes.clone(), older)?;
            here.extend(keyed(place, &now.hits));
            before.extend(keyed(place, &then.hits));
            self.finite.insert(place, nodes);
        }
        let mut found = compare_hits((here, newer), (before, older));
        found.changed.extend(self.counting.iter().filter_map(|Counting { key, id, life }| {
            let [newer, older] = [newer, older].map(|cycle| life.remaining(cycle));
            (newer != older).then(|| (*key, Change::Ttl { id: id.clone(), newer, older }))
        }));
        for (place, held) in past {
            self.hold(place, held);
        }
        // What is counted is in order but for what was added just now: this finds the runs.
        self.counting.sort_by_key(|node| node.key);
        Ok(Some(found.finish()))
    }

    /// Keeps what is known of a part of the newer snapshot.
    fn hold(&mut self, place: Place, held: Held) {
        if self.by_ttl {
            if held.nodes.entries().iter().any(|entry| entry.node.lifetime.is_some()) {
                self.finite.insert(place, held.nodes.clone());
            }
        } else {
            let finite = held.hits.iter().filter_map(|hit| {
                let (key, id) = (key(place, hit), hit.node.id.clone());
                hit.node.lifetime.map(|life| Counting { key, id, life })
            });
            self.counting.extend(finite);
        }
        self.parts.insert(place, held);
    }

    /// Leaves out of account what is in changed parts: they are compared.
    fn forget(&mut self, changed: &[ChangedPart]) {
        let mut spans: Vec<(u8, Slot)> = changed.iter().map(|part| span(part.place)).collect();
        spans.sort_unstable();
        let is_changed = |span: (u8, Slot)| spans.binary_search(&span).is_ok();
        self.counting
            .retain(|Counting { key: (region, slot, _), .. }| !is_changed((*region, *slot)));
        self.finite.retain(|place, _| !is_changed(span(*place)));
    }

    fn read(&mut self, place: Place, cycle: u64) -> Result<Held, ReadError> {
        let nodes = self.finder.moment.tree.source().part(place, cycle)?;
        self.find(place, nodes, cycle)
    }

    fn find(&mut self, place: Place, nodes: Arc<Subtree>, cycle: u64) -> Result<Held, ReadError> {
        self.finder.moment.cycle = cycle;
        let hits = self.finder.in_part(place, nodes.clone())?;
        Ok(Held { nodes, hits: hits.into() })
    }
}

/// Where a hit stands in canonical order, whatever snapshot it was found in.
pub(super) type Key = (u8, Slot, u32);

/// Where a part stands in that order.
fn span(place: Place) -> (u8, Slot) {
    match place {
        Place::Sys => (1, Slot { cycle: 0, rank: 0 }),
        Place::Turn(slot) => (3, slot),
        Place::Ah => (4, Slot { cycle: 0, rank: 0 }),
    }
}

fn key(place: Place, hit: &Hit) -> Key {
    let (region, slot) = span(place);
    (region, slot, hit.rank.1)
}

fn keyed(place: Place, hits: &[Hit]) -> impl Iterator<Item = (Key, Hit)> + '_ {
    hits.iter().map(move |hit| (key(place, hit), hit.clone()))
}
