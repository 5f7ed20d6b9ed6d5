//! What a chain can be kept to: which parts of a tree it has to read.
//!
//! A chain only ever goes down, so what it finds in a part depends on that part, on `^root` and on
//! `^seq` and on nothing else, unless a positional pseudo counts over several parts. A part
//! that has no match for one of the steps, where `^root` and `^seq` have none either, gives
//! nothing. Steps behind a pseudo that counts over several parts prove nothing: what they refuse
//! has been counted by then.

use super::flat::{AH_RANK, FIRST_TURN_RANK, Flat, SYS_RANK};
use super::summary::{Need, Summary, needs_of};
use super::walk::{Spot, Walk};
use crate::index::Indexed;
use crate::model::{Class, Place, ReadError, Slot, Subtree};
use crate::query::ast::Op;
use crate::query::plan::{
    Attr, Chain, Check, Compound, DepthSet, Number, NumberAttr, Reach, Start, Step, Test, Value,
    ValueText,
};
use crate::query::timeline::Moment;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// So few turns are read without asking first what is known of them.
const FEW: usize = 4;

/// Whether it pays to ask what is known of turns before they are read: what is known of
/// neighbours lies together.
pub(super) fn is_dense(wanted: &[Wanted]) -> bool {
    let mut neighbours: Vec<(u64, u32)> =
        wanted.iter().filter_map(|(place, ..)| place.slot()).map(Slot::page).collect();
    neighbours.dedup();
    wanted.len() > FEW && neighbours.len() <= wanted.len() / 8
}

/// A part to be read: where it is, its depth, and its rank.
pub(super) type Wanted = (Place, i64, u64);

/// The bounds of a chain.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    /// The depths of the parts that can matter.
    pub(super) depths: DepthSet,
    /// In each part that matters lies one of the ids of each set.
    pub(super) ids: Vec<BTreeSet<Box<str>>>,
    /// What each part that matters holds.
    pub(super) needs: Vec<Need>,
    /// Whether something is counted over several parts.
    pub(super) crosses: bool,
}

impl Scope {
    /// The bounds of a chain at a moment; `shared` has `^root` and `^seq` alone.
    pub(super) fn of(
        chain: &Chain,
        shared: &Flat,
        moment: &Moment<'_>,
    ) -> Result<Scope, ReadError> {
        let mut scope = Scope::open();
        scope.chain(chain, Walk::lenient(shared, moment))?;
        Ok(scope)
    }

    fn open() -> Scope {
        Scope { depths: DepthSet::all(), ids: Vec::new(), needs: Vec::new(), crosses: false }
    }

    /// Returns where in `^root` and `^seq` the chain may come to. Recursion is as deep as
    /// parentheses nest.
    fn chain(&mut self, chain: &Chain, walk: Walk<'_>) -> Result<Vec<Spot>, ReadError> {
        let mut spots = match &chain.start {
            Start::Step(step) => {
                let spots = walk.anywhere(step)?;
                self.step(step, spots.is_empty());
                self.crosses |= has_picks(step);
                spots
            }
            Start::Chains(chains) => self.any_of(chains, walk)?,
        };
        for link in &chain.links {
            if self.crosses {
                return Ok(spots);
            }
            let counted_over = link.reach != Reach::Itself && !spots.is_empty();
            spots = walk.follow(&spots, link)?;
            self.step(&link.step, spots.is_empty());
            self.crosses |= counted_over && has_picks(&link.step);
        }
        if !self.crosses && !chain.filter.tests.is_empty() {
            spots = walk.filter(&spots, &chain.filter)?;
            if spots.is_empty() {
                self.require(&chain.filter);
            }
        }
        Ok(spots)
    }

    fn any_of(&mut self, chains: &[Chain], walk: Walk<'_>) -> Result<Vec<Spot>, ReadError> {
        let mut spots = Vec::new();
        let mut scopes = Vec::with_capacity(chains.len());
        for chain in chains {
            let mut scope = Scope::open();
            spots.extend(scope.chain(chain, walk)?);
            scopes.push(scope);
        }
        self.crosses |= scopes.iter().any(|scope| scope.crosses);
        if let [only] = &mut scopes[..] {
            self.ids.append(&mut only.ids);
            self.needs.append(&mut only.needs);
        }
        let either = scopes.iter().fold(DepthSet::none(), |sum, scope| sum.or(&scope.depths));
        self.depths = self.depths.and(&either);
        spots.sort_unstable();
        spots.dedup();
        Ok(spots)
    }

    fn step(&mut self, step: &Step, only_in_parts: bool) {
        if let (Step::Nodes(compound), true) = (step, only_in_parts) {
            self.require(compound);
        }
    }

    fn require(&mut self, compound: &Compound) {
        for test in &compound.tests {
            self.depths = self.depths.and(&depths_of(test));
            if let Test::Ids(ids) = test {
                self.ids.push(ids.clone());
            }
        }
        self.needs.extend(needs_of(compound));
    }

    /// The parts that matter, in canonical order.
    pub(super) fn places(&self, moment: &Moment<'_>) -> Result<Vec<Wanted>, ReadError> {
        Ok(match self.ids.iter().min_by_key(|ids| ids.len()) {
            Some(ids) => self.places_of_ids(ids, moment)?,
            None => match self.finite_places(moment)? {
                Some(places) => self.known_places(places, moment),
                None => match self.clued_turns(moment)? {
                    Some(turns) => self.known_turns(&turns, moment),
                    None => self.places_by_depth(moment),
                },
            },
        })
    }

    /// Turns that may hold what is needed, in order, if there are many turns and few such ones.
    fn clued_turns(&self, moment: &Moment<'_>) -> Result<Option<Vec<Slot>>, ReadError> {
        let (count, tree) = (moment.tree.spine().len(), &moment.tree);
        let turns = i64::try_from(count).unwrap_or(i64::MAX);
        let within = self.depths.and(&DepthSet::span(1, turns)).count();
        let (true, Some(timeline)) = (within > FEW as u64, moment.timeline) else {
            return Ok(None);
        };
        let mut found: Option<Vec<Slot>> = None;
        for need in &self.needs {
            let Need::Clue(clue) = need else { continue };
            let most = usize::try_from(count / 4).unwrap_or(usize::MAX);
            if let Some(turns) = timeline.turns_with(tree.as_of(), clue, most)? {
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

    /// The same without turns of which it is known that they do not hold what is needed.
    pub(super) fn needed_places(&self, moment: &Moment<'_>) -> Result<Vec<Wanted>, ReadError> {
        let mut wanted = self.places(moment)?;
        if self.needs.is_empty() || !is_dense(&wanted) {
            return Ok(wanted);
        }
        let turns: Vec<Slot> = wanted.iter().filter_map(|(place, ..)| place.slot()).collect();
        let known: RefCell<HashMap<*const Subtree, (Arc<Subtree>, bool)>> = RefCell::default();
        let may = |template: &Arc<Subtree>| {
            let mut known = known.borrow_mut();
            let judge = || (template.clone(), Summary::of(template).may(&self.needs));
            known.entry(Arc::as_ptr(template)).or_insert_with(judge).1
        };
        let mut lacking = BTreeSet::new();
        moment.sketches(&turns, false, &mut |template| may(template), &mut |i, glance| {
            let lacks = match glance {
                Indexed::No => false,
                Indexed::CannotMatch => true,
                Indexed::Summary(sketch) => !may(sketch.template),
            };
            if lacks {
                lacking.insert(Place::Turn(turns[i]));
            }
        })?;
        moment.note(|tally| {
            tally.turns_sketched += turns.len() as u64;
            tally.turns_skipped += lacking.len() as u64;
        });
        wanted.retain(|(place, ..)| !lacking.contains(place));
        Ok(wanted)
    }

    fn places_of_ids(
        &self,
        ids: &BTreeSet<Box<str>>,
        moment: &Moment<'_>,
    ) -> Result<Vec<Wanted>, ReadError> {
        let mut places = BTreeSet::new();
        for id in ids {
            places.extend(moment.tree.find(id)?.map(|position| position.place));
        }
        Ok(self.known_places(places, moment))
    }

    /// Where nodes with a finite ttl may be, if only such nodes matter and somebody knows.
    fn finite_places(&self, moment: &Moment<'_>) -> Result<Option<BTreeSet<Place>>, ReadError> {
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

    fn known_places(&self, places: BTreeSet<Place>, moment: &Moment<'_>) -> Vec<Wanted> {
        let place = |place| Some((place, rank_of(place, moment)?));
        let mut found: Vec<Wanted> = places
            .into_iter()
            .filter_map(place)
            .filter(|(_, (depth, _))| self.depths.contains(*depth))
            .map(|(place, (depth, rank))| (place, depth, rank))
            .collect();
        found.sort_unstable_by_key(|(.., rank)| *rank);
        found
    }

    fn places_by_depth(&self, moment: &Moment<'_>) -> Vec<Wanted> {
        let spine = moment.tree.spine();
        let count = i64::try_from(spine.len()).unwrap_or(i64::MAX);
        let mut found = Vec::new();
        if self.depths.contains(-1) {
            found.push((Place::Sys, -1, SYS_RANK));
        }
        let turn =
            |index: u64, slot| (Place::Turn(slot), count - index as i64, FIRST_TURN_RANK + index);
        if self.depths.and(&DepthSet::span(1, count)) == DepthSet::span(1, count) {
            let turns = spine.iter().enumerate();
            found.extend(turns.map(|(index, slot)| turn(index as u64, slot)));
        } else {
            for (from, to) in self.depths.and(&DepthSet::span(1, count)).spans().iter().rev() {
                let indexes = (count - to) as u64..=(count - from) as u64;
                found.extend(indexes.filter_map(|at| spine.nth(at).map(|slot| turn(at, slot))));
            }
        }
        if self.depths.contains(0) {
            found.push((Place::Ah, 0, AH_RANK));
        }
        found
    }
}

/// The turns that are in both of two lists, which are in order.
fn both(some: &[Slot], others: &[Slot]) -> Vec<Slot> {
    some.iter().copied().filter(|slot| others.binary_search(slot).is_ok()).collect()
}

/// The depth and rank of a place; none if it is not there.
pub(super) fn rank_of(place: Place, moment: &Moment<'_>) -> Option<(i64, u64)> {
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
pub(super) fn all_places(moment: &Moment<'_>) -> Vec<Wanted> {
    Scope::open().places_by_depth(moment)
}

fn has_picks(step: &Step) -> bool {
    matches!(step, Step::Nodes(compound) if !compound.picks.is_empty())
}

/// The depths that a node in a part can have if it passes a test.
fn depths_of(test: &Test) -> DepthSet {
    match test {
        Test::Class(classes) => {
            if classes.contains(Class::Container) || classes.contains(Class::Block) {
                return DepthSet::all();
            }
            let spans = [(Class::Sys, -1, -1), (Class::Ah, 0, 0), (Class::Turn, 1, i64::MAX)];
            spans
                .into_iter()
                .filter(|(class, ..)| classes.contains(*class))
                .fold(DepthSet::none(), |sum, (_, from, to)| sum.or(&DepthSet::span(from, to)))
        }
        Test::Depth(depths) | Test::Container(depths) => depths.clone(),
        // An implied core has no such attribute, and what is null passes `!=`.
        Test::Attr(
            Attr::Number(NumberAttr::Depth),
            Check::Compare(
                op @ (Op::Eq | Op::Lt | Op::Le | Op::Gt | Op::Ge),
                Value::Given(ValueText { number: Some(Number::Int(n)), .. }),
            ),
        ) => i64::try_from(*n).map_or(DepthSet::all(), |n| DepthSet::compared(*op, n)),
        Test::Any(tests) => {
            tests.iter().fold(DepthSet::none(), |sum, test| sum.or(&depths_of(test)))
        }
        Test::All(tests) => {
            tests.iter().fold(DepthSet::all(), |rest, test| rest.and(&depths_of(test)))
        }
        _ => DepthSet::all(),
    }
}
