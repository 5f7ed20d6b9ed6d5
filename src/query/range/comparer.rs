//! Two states compared: what is only in one, and what differs.
//!
//! [`Comparer::compare`] reads the parts that changed between the two, and those with a finite
//! ttl, when the answer in each part depends on that part alone; else, and for
//! [`Comparer::compare_whole`], it asks both states in full. A part that did not change gives both
//! states the same nodes, so nothing is missed.

use super::backward::BackwardScan;
use super::difference::Comparison;
use super::fields::differences;
use crate::budget;
use crate::model::Place;
use crate::query::eval::{Hit, find, find_in, find_whole, is_local};
use crate::query::plan::{Ask, Depends, State};
use crate::query::timeline::{Moment, Read, Timeline};
use crate::snapshot::Contents;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Compares states of one store by one question.
pub(crate) struct Comparer<'a> {
    timeline: &'a dyn Timeline,
    ask: &'a Ask,
    depends: Depends,
    /// What was found in the older state of the last pair, which is the newer one of the next.
    older: RefCell<Option<(State, Vec<Hit>)>>,
}

impl<'a> Comparer<'a> {
    pub(crate) fn new(timeline: &'a dyn Timeline, ask: &'a Ask) -> Comparer<'a> {
        Comparer { timeline, ask, depends: Depends::of(ask), older: RefCell::default() }
    }

    pub(crate) fn moment(&self, state: State) -> Read<Moment<'a>> {
        Moment::of(self.timeline, state)
    }

    /// The difference between two states, the newer one first.
    pub(crate) fn compare(
        &self,
        (newer, new_state): (&Moment<'_>, State),
        (older, old_state): (&Moment<'_>, State),
    ) -> Read<Comparison> {
        let by_parts = !self.depends.depth
            && !self.depends.age
            && self.ask.window.is_open()
            && is_local(self.ask, newer)?
            && is_local(self.ask, older)?;
        let (new, old) = if by_parts {
            let places = self.changed_between((newer, new_state), (older, old_state))?;
            (find_in(self.ask, newer, &places)?, find_in(self.ask, older, &places)?)
        } else {
            let known = self.older.take().filter(|(state, _)| *state == new_state);
            let new = match known {
                Some((_, hits)) => hits,
                None => find(self.ask, newer)?,
            };
            let old = find(self.ask, older)?;
            self.older.replace(Some((old_state, old.clone())));
            (new, old)
        };
        compare_hits((new, newer.cycle), (old, older.cycle), self.timeline.contents())
    }

    /// A backward scan over committed neighbours; none if the question does not allow one.
    pub(super) fn backward_scan(&self, newest: State) -> Read<Option<BackwardScan<'a>>> {
        let State::Cycle(_) = newest else { return Ok(None) };
        let moment = self.moment(newest)?;
        let fits = !self.depends.depth
            && !self.depends.age
            && self.ask.window.is_open()
            && is_local(self.ask, &moment)?;
        match fits {
            true => BackwardScan::new(self.timeline, self.ask, moment).map(Some),
            false => Ok(None),
        }
    }

    /// The same by reading everything.
    pub(crate) fn compare_whole(&self, newer: &Moment<'_>, older: &Moment<'_>) -> Read<Comparison> {
        let (new, old) = (find_whole(self.ask, newer)?, find_whole(self.ask, older)?);
        compare_hits((new, newer.cycle), (old, older.cycle), self.timeline.contents())
    }

    /// Every part that may read differently in the two states.
    fn changed_between(
        &self,
        (newer, new_state): (&Moment<'_>, State),
        (older, old_state): (&Moment<'_>, State),
    ) -> Read<BTreeSet<Place>> {
        let mut places = BTreeSet::new();
        for moment in [newer, older] {
            let turns = moment.tree.changed_turns().keys();
            places.extend(turns.map(|slot| Place::Turn(*slot)));
        }
        if [new_state, old_state].iter().any(|state| !matches!(state, State::Cycle(_))) {
            places.extend([Place::Sys, Place::Ah]);
        }
        let (newest, oldest) = (newer.cycle, older.cycle);
        for (from, to) in self.timeline.history().runs() {
            for cycle in (*from).max(oldest + 1)..=(*to).min(newest) {
                budget::check()?;
                let parts = self.timeline.changed_parts(cycle)?;
                places.extend(parts.into_iter().map(|part| part.place));
            }
        }
        if newest != oldest {
            places.extend(self.timeline.finite_places(newest, u64::MAX)?);
            places.extend(self.timeline.finite_places(oldest, u64::MAX)?);
        }
        Ok(places)
    }
}

/// Compares what was found in two states.
fn compare_hits(
    (mut new, new_cycle): (Vec<Hit>, u64),
    (old, old_cycle): (Vec<Hit>, u64),
    contents: &dyn Contents,
) -> Read<Comparison> {
    new.sort_unstable_by_key(|hit| hit.rank);
    let mut gone: BTreeMap<_, Hit> =
        old.into_iter().map(|hit| (hit.node.id.clone(), hit)).collect();
    let mut found = Comparison::default();
    for hit in new {
        match gone.remove(&hit.node.id) {
            None => found.added.push(hit),
            Some(before) => {
                let fields = differences((&hit, new_cycle), (&before, old_cycle), contents)?;
                if !fields.is_empty() {
                    found.changed.push((hit, before, fields));
                }
            }
        }
    }
    found.removed = gone.into_values().collect();
    Ok(found)
}
