//! A question in one snapshot after the other, where more than the parts that changed decides: which
//! alternative of `A ?? B` counts, what a positional pseudo picks, what lies below `^root` and `^seq`.
//!
//! Each chain is settled anew, by trackers that know what changed. As long as it is settled in the same
//! way it is local, and only parts that changed are asked; of alternatives it is kept in which parts they
//! found how many nodes. A chain that is settled in another way is asked of everything, or of the one part
//! that was picked. Chains must not ask for ages, which change everywhere. Nothing here knows how snapshots
//! follow each other.

use super::eval::{
    Aids, Arranged, ByPart, FoundId, Outcome, Picked, Search, Trackers, counts_nothing,
    effective_order, node_of, picked_by, place_of, settled_by,
};
use super::plan::{Ask, Chain, Group, Window};
use super::timeline::{Moment, Read};
use super::turn_pages::TurnPages;
use crate::budget;
use crate::model::{Id, Place};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// How many ways to settle a chain are remembered, if it changes between them.
const KEPT: usize = 4;

/// The chains of a question.
pub(super) struct Following {
    /// Of each group.
    groups: Vec<Vec<Followed>>,
}

struct Followed {
    chain: Arc<Chain>,
    /// Whether nothing stands in for it.
    alone: bool,
    trackers: Trackers,
    /// What is known of it as it was settled, the last one first.
    known: Vec<Known>,
}

/// What a chain came to when it was last asked.
struct Known {
    outcome: Outcome,
    by_part: ByPart,
    /// How many nodes it found in each part that has any, and in none: `^root` and `^seq`. Empty if nothing
    /// stands in for it.
    found: HashMap<Option<Place>, usize>,
    /// The parts that may have changed since.
    stale: BTreeSet<Place>,
}

impl Following {
    /// The chains of a question, none of which was asked yet.
    pub(super) fn of(ask: &Ask) -> Following {
        let groups = ask.groups.iter().map(|group| {
            let alone = group.chains.len() == 1;
            group.chains.iter().map(|chain| Followed::new(chain, alone)).collect()
        });
        Following { groups: groups.collect() }
    }

    /// Forgets what was found.
    pub(super) fn forget(&mut self) {
        for one in self.groups.iter_mut().flatten() {
            *one = Followed::new(&one.chain, one.alone);
        }
    }

    /// Takes note that all which is found in a snapshot with the same root and `^seq` was given.
    pub(super) fn all_given(&mut self) {
        for one in self.groups.iter_mut().flatten() {
            if one.alone && one.known.is_empty() && counts_nothing(&one.chain) {
                one.known.push(Known::new(&one.chain, Outcome::default()));
            }
        }
    }

    /// Takes note of parts that may differ in the next snapshot that is asked.
    pub(super) fn changed(&mut self, places: &BTreeSet<Place>) {
        for one in self.groups.iter_mut().flatten() {
            one.trackers.changed(places);
            one.known.iter_mut().for_each(|known| known.stale.extend(places));
        }
    }

    /// What a question finds in a snapshot: all nodes that are not among those that were seen, in order,
    /// and maybe others; none if what a chain counts cannot be followed. Whatever it found in the snapshots
    /// that were asked before has to be among those.
    pub(super) fn find<R: Arranged>(
        &mut self,
        ask: &Ask,
        moment: &Moment<'_>,
        seen: &HashSet<Id>,
        pages: &mut TurnPages,
    ) -> Read<Option<Vec<R>>> {
        let (mut found, mut used) = (Vec::new(), None);
        for group in &mut self.groups {
            for (number, one) in group.iter_mut().enumerate() {
                if !one.refresh(moment, seen, pages, &mut found)? {
                    return Ok(None);
                }
                if one.alone || one.finds() {
                    used = Some(number);
                    break;
                }
            }
        }
        R::arrange(&mut found, effective_order(ask, used));
        Ok(Some(found))
    }
}

impl Followed {
    fn new(chain: &Arc<Chain>, alone: bool) -> Followed {
        let (trackers, known) = (Trackers::default(), Vec::new());
        Followed { chain: chain.clone(), alone, trackers, known }
    }

    /// Whether it found anything when it was last asked.
    fn finds(&self) -> bool {
        self.known.first().is_some_and(|known| !known.found.is_empty())
    }

    /// Asks it of all parts that may have changed. All nodes that were not seen are in what it adds. False
    /// if it cannot be settled.
    fn refresh<R: Arranged>(
        &mut self,
        moment: &Moment<'_>,
        seen: &HashSet<Id>,
        pages: &mut TurnPages,
        out: &mut Vec<R>,
    ) -> Read<bool> {
        let mut aids = Aids { trackers: &mut self.trackers, pages };
        let settled = settled_by(&self.chain, moment, &mut aids)?;
        let (outcome, picked) = self.trackers.decided();
        let Some(settled) = settled else { return Ok(false) };
        // If this ends early, all of it is asked again.
        let known = self.known.iter().position(|known| known.outcome == outcome);
        let known = match known.map(|at| self.known.remove(at)) {
            Some(mut known) => {
                known.again(moment, pages, self.alone, out)?;
                known
            }
            None => {
                let mut known = Known::new(&settled, outcome);
                match picked_by(&settled, &picked) {
                    Some(picked) => known.picked(&settled, picked, moment, pages, out)?,
                    None => known.first(moment, seen, self.alone, out)?,
                }
                known
            }
        };
        self.known.insert(0, known);
        self.known.truncate(KEPT);
        Ok(true)
    }
}

impl Known {
    fn new(settled: &Arc<Chain>, outcome: Outcome) -> Known {
        let groups = [Group { chains: vec![settled.clone()] }].into();
        let ask = Ask { groups, order: None, window: Window::default() };
        let by_part = ByPart::new(ask);
        Known { outcome, by_part, found: HashMap::new(), stale: BTreeSet::new() }
    }

    /// Asks it of all parts that may have changed.
    fn again<R: Arranged>(
        &mut self,
        moment: &Moment<'_>,
        pages: &mut TurnPages,
        alone: bool,
        out: &mut Vec<R>,
    ) -> Read<()> {
        for place in std::mem::take(&mut self.stale) {
            let before = out.len();
            self.by_part.find(place, moment, pages, out)?;
            match out.len() - before {
                0 => drop(self.found.remove(&Some(place))),
                _ if alone => {}
                count => drop(self.found.insert(Some(place), count)),
            }
        }
        Ok(())
    }

    /// Asks it for the first time, of everything.
    fn first<R: Arranged>(
        &mut self,
        moment: &Moment<'_>,
        seen: &HashSet<Id>,
        alone: bool,
        out: &mut Vec<R>,
    ) -> Read<()> {
        let mut search = Search::<FoundId>::new(&self.by_part.ask);
        loop {
            budget::check()?;
            let page = search.next(&self.by_part.ask, moment, 4096)?;
            if page.is_empty() {
                return Ok(());
            }
            for found in page {
                if !alone {
                    let place = place_of(found.rank.0, &moment.tree);
                    *self.found.entry(place).or_default() += 1;
                }
                if !seen.contains(&found.id) {
                    out.push(node_of(found, moment)?);
                }
            }
        }
    }

    /// Asks it for the first time, where it goes on from a node that was picked and so stays in its part.
    fn picked<R: Arranged>(
        &mut self,
        settled: &Chain,
        picked: &Picked,
        moment: &Moment<'_>,
        pages: &mut TurnPages,
        out: &mut Vec<R>,
    ) -> Read<()> {
        let before = out.len();
        if settled.links.is_empty() && settled.filter.tests.is_empty() {
            out.push(node_of(FoundId { id: picked.id.clone(), rank: picked.rank }, moment)?);
        } else {
            self.by_part.find(picked.place, moment, pages, out)?;
        }
        if out.len() > before {
            self.found.insert(Some(picked.place), out.len() - before);
        }
        Ok(())
    }
}
