//! Neighbours compared one after the other, from the newest back, each version of a part looked at
//! once.
//!
//! This is for questions whose answer in each part depends on that part alone. From a snapshot to
//! the one before it only the parts change that the commit changed, so what was found in the others
//! is kept; in those, only what remains of a finite ttl differs. The parts with a finite ttl are
//! known for the newest snapshot, and from there on by what each commit changed.
//!
//! Where the templates of turns answer the question, turns are not read either: their pages say
//! which nodes came, went and stayed. A turn is read where something else happened to a node.

use super::compare::{Change, Step};
use super::fields::differences;
use super::pages::Pages;
use crate::index::TurnSummary;
use crate::model::{ChangedPart, Id, Lifetime, Place, ReadError, Slot, Subtree};
use crate::query::eval::{Finder, Hit, Timeless};
use crate::query::plan::{Ask, Depends};
use crate::query::timeline::{Moment, Timeline};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// A walk back through snapshots.
pub(super) struct Sweep<'a> {
    timeline: &'a dyn Timeline,
    /// Whether what remains of a ttl decides what is found.
    by_ttl: bool,
    finder: Finder<'a>,
    pages: Option<Pages<'a>>,
    /// Parts that were read, as they are in the newer snapshot.
    parts: HashMap<Place, Held>,
    /// Where a ttl decides: parts of the newer snapshot that have a finite one.
    finite: BTreeMap<Place, Arc<Subtree>>,
    /// Else: the nodes with a finite ttl that are found in the newer snapshot, in order.
    counting: Vec<Counting>,
}

/// A part, and what is found in it.
struct Held {
    nodes: Arc<Subtree>,
    hits: Vec<Hit>,
}

/// A node whose ttl counts down.
struct Counting {
    key: Key,
    id: Id,
    life: Lifetime,
}

/// A node that was found in one of two neighbours; one that was not read knows where it is.
enum Item {
    Read(Hit),
    Sketched(Id, Place),
}

impl Item {
    fn id(&self) -> &Id {
        match self {
            Item::Read(hit) => &hit.node.id,
            Item::Sketched(id, _) => id,
        }
    }
}

/// What two neighbours have and the other has not, and what is known to differ.
#[derive(Default)]
struct Found {
    here: Vec<(Key, Item)>,
    before: Vec<Item>,
    changed: Vec<(Key, Change)>,
    /// What counts down from here on.
    counting: Vec<Counting>,
    /// What was read of the older one.
    past: Vec<(Place, Held)>,
}

impl<'a> Sweep<'a> {
    /// A walk back that begins at the snapshot of a moment.
    pub(super) fn new(
        timeline: &'a dyn Timeline,
        ask: &'a Ask,
        moment: Moment<'a>,
    ) -> Result<Sweep<'a>, ReadError> {
        let newest = moment.cycle;
        let by_ttl = Depends::of(ask).ttl;
        let question = if by_ttl { None } else { Timeless::of(ask, &moment) };
        let pages = Pages::new(question, timeline, newest);
        let places: BTreeSet<Place> = timeline
            .finite_places(newest, u64::MAX)?
            .into_iter()
            .filter(|place| place.slot().is_none_or(|slot| moment.tree.spine().contains(slot)))
            .collect();
        let mut sweep = Sweep {
            timeline,
            by_ttl,
            finder: Finder::new(ask, moment),
            pages,
            parts: HashMap::new(),
            finite: BTreeMap::new(),
            counting: Vec::new(),
        };
        for place in places {
            match sweep.sketched_lives(place, newest)? {
                Some(lives) => sweep.counting.extend(lives),
                None => {
                    let held = sweep.read(place, newest)?;
                    sweep.hold(place, held);
                }
            }
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
        let mut found = Found::default();
        for part in &changed {
            if !self.sketched(part, newer, older, &mut found)? {
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
        changes.extend(self.counting.iter().filter_map(|Counting { key, id, life }| {
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
        Ok(Some(Step { added, removed, changed }))
    }

    /// Compares a changed turn by its page, if it is known well enough.
    fn sketched(
        &mut self,
        part: &ChangedPart,
        newer: u64,
        older: u64,
        found: &mut Found,
    ) -> Result<bool, ReadError> {
        let (place, Some(slot), Some(pages)) = (part.place, part.place.slot(), &mut self.pages)
        else {
            return Ok(false);
        };
        let Some(page) = pages.of(slot, self.timeline)? else { return Ok(false) };
        let now = part.after.then(|| page.at(slot, newer));
        let then = part.before.then(|| page.at(slot, older));
        let (Some(now), Some(then)) = (known(now), known(then)) else { return Ok(false) };
        let (here, before) = (pages.nodes(now)?, pages.nodes(then)?);
        let (Some(here), Some(mut before)) = (here, before) else { return Ok(false) };
        let stays =
            |index: u32| now.is_some_and(|now| now.from == newer && now.is_same(index as usize));
        let stayed = |id: &str, before: &[(u32, &str)]| before.iter().position(|(_, o)| *o == id);
        if here.iter().any(|(index, id)| stayed(id, &before).is_some() && !stays(*index)) {
            return Ok(false);
        }
        for (index, id) in &before {
            if let Some(life) = then.and_then(|then| then.life(*index as usize)) {
                let key = key(place, *index);
                found.counting.push(Counting { key, id: Id::from(*id), life });
            }
        }
        for (index, id) in here {
            let key = key(place, index);
            match stayed(id, &before) {
                Some(at) => {
                    before.swap_remove(at);
                    let life = now.and_then(|now| now.life(index as usize));
                    let change = life.and_then(|life| ttl_change(&id.into(), life, newer, older));
                    found.changed.extend(change.map(|change| (key, change)));
                }
                None => found.here.push((key, Item::Sketched(id.into(), place))),
            }
        }
        let gone = before.into_iter().map(|(_, id)| Item::Sketched(id.into(), place));
        found.before.extend(gone);
        self.parts.remove(&place);
        self.finder.moment.note(|tally| tally.turns_sketched += 1);
        Ok(true)
    }

    /// Reads a changed part as it was and as it is.
    fn read_both(
        &mut self,
        part: &ChangedPart,
        newer: u64,
        older: u64,
        found: &mut Found,
    ) -> Result<(), ReadError> {
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
    ) -> Result<(Vec<Id>, Vec<Id>), ReadError> {
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
    fn hit(&mut self, item: Item, cycle: u64) -> Result<Hit, ReadError> {
        match item {
            Item::Read(hit) => Ok(hit),
            Item::Sketched(id, place) => {
                let held = self.read(place, cycle)?;
                held.hits.into_iter().find(|hit| hit.node.id == id).ok_or_else(|| {
                    ReadError::Corrupt(format!("{id} is not where its sketch says it is"))
                })
            }
        }
    }

    /// What counts down in a turn, if that is known without reading it.
    fn sketched_lives(
        &mut self,
        place: Place,
        cycle: u64,
    ) -> Result<Option<Vec<Counting>>, ReadError> {
        let (Some(slot), Some(pages)) = (place.slot(), &mut self.pages) else { return Ok(None) };
        let Some(page) = pages.of(slot, self.timeline)? else { return Ok(None) };
        let Some(sketch) = page.at(slot, cycle) else { return Ok(None) };
        let matches = pages.question.matches(sketch.template)?;
        let lives = matches.iter().filter_map(|index| {
            let life = sketch.life(*index as usize)?;
            let id = Id::from(sketch.id(*index as usize)?);
            Some(Counting { key: key(place, *index), id, life })
        });
        Ok(Some(lives.collect()))
    }

    /// Keeps what is known of a part of the newer snapshot.
    fn hold(&mut self, place: Place, held: Held) {
        if self.by_ttl {
            if held.nodes.entries().iter().any(|entry| entry.node.lifetime.is_some()) {
                self.finite.insert(place, held.nodes.clone());
            }
        } else {
            let finite = held.hits.iter().filter_map(|hit| {
                let (key, id) = (key(place, hit.rank.1), hit.node.id.clone());
                hit.node.lifetime.map(|life| Counting { key, id, life })
            });
            self.counting.extend(finite);
        }
        self.parts.insert(place, held);
    }

    /// Leaves out of account what is in changed parts, which are compared, and what was known of
    /// turns that were not there yet before a cycle.
    fn forget(&mut self, changed: &[ChangedPart], cycle: u64) {
        let mut spans: Vec<(u8, Slot)> = changed.iter().map(|part| span(part.place)).collect();
        spans.sort_unstable();
        let is_changed = |span: (u8, Slot)| spans.binary_search(&span).is_ok();
        self.counting.retain(|node| !is_changed((node.key.0, node.key.1)));
        self.finite.retain(|place, _| !is_changed(span(*place)));
        if let Some(pages) = &mut self.pages {
            pages.forget(cycle);
        }
    }

    fn read(&mut self, place: Place, cycle: u64) -> Result<Held, ReadError> {
        let nodes = self.finder.moment.tree.source().part(place, cycle)?;
        self.find(place, nodes, cycle)
    }

    fn find(&mut self, place: Place, nodes: Arc<Subtree>, cycle: u64) -> Result<Held, ReadError> {
        self.finder.moment.cycle = cycle;
        let hits = self.finder.in_part(place, nodes.clone())?;
        Ok(Held { nodes, hits })
    }
}

/// A sketch that is not wanted is known to be none.
fn known<'p>(sketch: Option<Option<TurnSummary<'p>>>) -> Option<Option<TurnSummary<'p>>> {
    match sketch {
        None => Some(None),
        Some(sketch) => sketch.map(Some),
    }
}

/// What counting down makes of a ttl from one snapshot to the next, if anything.
fn ttl_change(id: &Id, life: Lifetime, newer: u64, older: u64) -> Option<Change> {
    let [newer, older] = [newer, older].map(|cycle| life.remaining(cycle));
    (newer != older).then(|| Change::Ttl { id: id.clone(), newer, older })
}

/// Where a hit stands in canonical order, whatever snapshot it was found in.
type Key = (u8, Slot, u32);

/// Where a part stands in that order.
fn span(place: Place) -> (u8, Slot) {
    match place {
        Place::Sys => (1, Slot { cycle: 0, rank: 0 }),
        Place::Turn(slot) => (3, slot),
        Place::Ah => (4, Slot { cycle: 0, rank: 0 }),
    }
}

fn key(place: Place, index: u32) -> Key {
    let (region, slot) = span(place);
    (region, slot, index)
}

fn keyed(place: Place, hits: Vec<Hit>) -> impl Iterator<Item = (Key, Item)> {
    hits.into_iter().map(move |hit| (key(place, hit.rank.1), Item::Read(hit)))
}
