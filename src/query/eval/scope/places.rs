//! From the bounds of a chain to the parts that have to be read, by whatever index finds fewest.

use super::bounds::Scope;
use super::needs::Need;
use super::parts::{Parts, Wanted};
use super::signature::Signature;
use crate::index::Indexed;
use crate::language::ast::DepthSet;
use crate::model::{Place, Slot, Subtree};
use crate::query::eval::walk::{AH_RANK, FIRST_TURN_RANK, SYS_RANK};
use crate::query::timeline::{Moment, Read};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// So few turns are loaded without asking the turn index first.
const FEW: usize = 4;

/// From so many parts on it pays to find out which of them matter.
const MANY: usize = 512;

/// Whether it pays to ask the turn index before turns are loaded: its pages hold neighbours, so few
/// pages must have many of the turns.
pub(crate) fn is_dense(wanted: &[Wanted]) -> bool {
    let mut pages = 0;
    let mut last = None;
    for page in wanted.iter().filter_map(|(place, ..)| place.slot()).map(Slot::page) {
        pages += usize::from(last.replace(page) != Some(page));
    }
    wanted.len() > FEW && pages <= wanted.len() / 8
}

impl Scope<'_> {
    /// The parts that matter, in canonical order.
    pub(crate) fn places(&self, moment: &Moment<'_>) -> Read<Parts> {
        Ok(match self.listed(moment)? {
            Some(list) => Parts::listed(list),
            None => self.places_by_depth(moment),
        })
    }

    /// Keeps those of some parts that matter. The indexes of the store are asked only for many.
    pub(crate) fn restrict(&self, list: &mut Vec<Wanted>, moment: &Moment<'_>) -> Read<()> {
        list.retain(|(_, depth, _)| self.depths.contains(*depth));
        if list.len() >= MANY
            && let Some(known) = self.listed(moment)?
        {
            list.retain(|(.., rank)| known.binary_search_by_key(rank, |known| known.2).is_ok());
        }
        Ok(())
    }

    /// The parts that matter, in canonical order, if an index of the store finds them.
    fn listed(&self, moment: &Moment<'_>) -> Read<Option<Vec<Wanted>>> {
        Ok(match self.ids.iter().min_by_key(|ids| ids.len()) {
            Some(ids) => Some(self.places_of_ids(ids, moment)?),
            None => match self.finite_places(moment)? {
                Some(places) => Some(self.known_places(places.into_iter().collect(), moment)),
                None => {
                    let turns = self.turns_from_lookups(moment)?;
                    turns.map(|turns| self.known_turns(&turns, moment))
                }
            },
        })
    }

    /// Turns that may hold what is needed, in order, if there are many turns and few such ones.
    fn turns_from_lookups(&self, moment: &Moment<'_>) -> Read<Option<Vec<Slot>>> {
        let (count, tree) = (moment.tree.spine().len(), &moment.tree);
        let turns = i64::try_from(count).unwrap_or(i64::MAX);
        let within = self.depths.and(&DepthSet::span(1, turns)).count();
        let (true, Some(timeline)) = (within > FEW as u64, moment.timeline) else {
            return Ok(None);
        };
        let mut found: Option<Vec<Slot>> = None;
        for need in &self.needs {
            let Need::Lookup(lookup) = need else { continue };
            let most = usize::try_from(count / 4).unwrap_or(usize::MAX);
            if let Some(turns) = timeline.turns_with(tree.as_of(), lookup, most)? {
                found = Some(match found {
                    Some(others) => both(&others, &turns),
                    None => turns,
                });
            }
        }
        if let Some(found) = &mut found {
            // What was changed since the last commit may hold anything.
            found.extend(tree.changed_turns().keys());
            found.sort_unstable();
            found.dedup();
            let skipped = count.saturating_sub(found.len() as u64);
            moment.note(|tally| tally.turns_skipped += skipped);
        }
        Ok(found)
    }

    fn known_turns(&self, turns: &[Slot], moment: &Moment<'_>) -> Vec<Wanted> {
        let spine = moment.tree.spine();
        let count = i64::try_from(spine.len()).unwrap_or(i64::MAX);
        let mut found = Vec::with_capacity(turns.len() + 2);
        found.push((Place::Sys, -1, SYS_RANK));
        found.extend(spine.indexes_of(turns).map(|(index, slot)| {
            (Place::Turn(slot), count - index as i64, FIRST_TURN_RANK + index)
        }));
        found.push((Place::Ah, 0, AH_RANK));
        found.retain(|(_, depth, _)| self.depths.contains(*depth));
        found
    }

    /// The same without the turns that the turn index excludes.
    pub(crate) fn needed_places(&self, moment: &Moment<'_>) -> Read<Vec<Wanted>> {
        let mut wanted = self.places(moment)?.all(moment.tree.spine());
        if self.needs.is_empty() || !is_dense(&wanted) {
            return Ok(wanted);
        }
        let turns: Vec<Slot> = wanted.iter().filter_map(|(place, ..)| place.slot()).collect();
        let known: RefCell<HashMap<*const Subtree, (Arc<Subtree>, bool)>> = RefCell::default();
        let may = |template: &Arc<Subtree>| {
            let mut known = known.borrow_mut();
            let judge = || (template.clone(), Signature::of(template).may_hold(&self.needs));
            known.entry(Arc::as_ptr(template)).or_insert_with(judge).1
        };
        let mut excluded = BTreeSet::new();
        moment.summaries(&turns, false, &mut |template| may(template), &mut |i, indexed| {
            let excludes = match indexed {
                Indexed::No => false,
                Indexed::CannotMatch => true,
                Indexed::Summary(summary) => !may(summary.template),
            };
            if excludes {
                excluded.insert(Place::Turn(turns[i]));
            }
        })?;
        moment.note(|tally| {
            tally.turns_from_index += turns.len() as u64;
            tally.turns_skipped += excluded.len() as u64;
        });
        wanted.retain(|(place, ..)| !excluded.contains(place));
        Ok(wanted)
    }

    fn places_of_ids(&self, ids: &BTreeSet<Box<str>>, moment: &Moment<'_>) -> Read<Vec<Wanted>> {
        let mut places = Vec::with_capacity(ids.len());
        for id in ids {
            places.extend(moment.tree.find(id)?.map(|position| position.place));
        }
        Ok(self.known_places(places, moment))
    }

    /// Where nodes with a finite ttl may be, if only such nodes matter and there is a store to ask.
    fn finite_places(&self, moment: &Moment<'_>) -> Read<Option<BTreeSet<Place>>> {
        let finite = self.needs.iter().filter_map(|need| match need {
            Need::Finite(most) => Some(*most),
            _ => None,
        });
        let (Some(most), Some(timeline)) = (finite.min(), moment.timeline) else {
            return Ok(None);
        };
        let tree = &moment.tree;
        let mut places = BTreeSet::from([Place::Sys, Place::Ah]);
        places.extend(tree.changed_turns().keys().map(|slot| Place::Turn(*slot)));
        if tree.as_of() > 0 {
            places.extend(timeline.finite_places(tree.as_of(), most)?);
        }
        Ok(Some(places))
    }

    fn known_places(&self, mut places: Vec<Place>, moment: &Moment<'_>) -> Vec<Wanted> {
        let place = |place| Some((place, rank_of(place, moment)?));
        places.sort_unstable();
        places.dedup();
        let mut found: Vec<Wanted> = places
            .into_iter()
            .filter_map(place)
            .filter(|(_, (depth, _))| self.depths.contains(*depth))
            .map(|(place, (depth, rank))| (place, depth, rank))
            .collect();
        found.sort_unstable_by_key(|(.., rank)| *rank);
        found
    }

    fn places_by_depth(&self, moment: &Moment<'_>) -> Parts {
        let count = i64::try_from(moment.tree.spine().len()).unwrap_or(i64::MAX);
        let mut parts = Parts::default();
        if self.depths.contains(-1) {
            parts.add_region(Place::Sys);
        }
        for (from, to) in self.depths.and(&DepthSet::span(1, count)).spans().iter().rev() {
            parts.add_turns(*from, *to, count);
        }
        if self.depths.contains(0) {
            parts.add_region(Place::Ah);
        }
        parts
    }
}

/// The turns that are in both of two lists, which are in order.
fn both(some: &[Slot], others: &[Slot]) -> Vec<Slot> {
    some.iter().copied().filter(|slot| others.binary_search(slot).is_ok()).collect()
}

/// The depth and rank of a place; none if it is not there.
pub(crate) fn rank_of(place: Place, moment: &Moment<'_>) -> Option<(i64, u64)> {
    match place {
        Place::Sys => Some((-1, SYS_RANK)),
        Place::Ah => Some((0, AH_RANK)),
        Place::Turn(slot) => {
            let spine = moment.tree.spine();
            let index = spine.index_of(slot)?;
            Some((i64::try_from(spine.len() - index).ok()?, FIRST_TURN_RANK + index))
        }
    }
}

/// Every part of a tree.
pub(crate) fn all_places(moment: &Moment<'_>) -> Vec<Wanted> {
    Scope::open().places_by_depth(moment).all(moment.tree.spine())
}
