//! `A ?? B` in one snapshot after the other: which alternative counts, found out from what changed.
//!
//! Of each alternative that was asked it is kept in which parts it found how many nodes, and which parts
//! may have changed since. When it is asked again, only these are. An alternative that finds something is
//! the one that counts, so all that it found has been given, and what is kept is no more than the answer.
//! Chains must be local, and must not ask for ages, which change everywhere. Nothing here knows how
//! snapshots follow each other.

use super::eval::{FoundId, Hit, Search, arrange, effective_order, find_in, node_of, place_of};
use super::plan::{Ask, Group, Window};
use super::timeline::{Moment, Read};
use crate::budget;
use crate::model::{Id, Place};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// The alternatives of a question.
pub(super) struct Alternatives {
    /// Of each group.
    groups: Vec<Vec<Alternative>>,
}

struct Alternative {
    /// The chain alone.
    ask: Ask,
    asked: Option<Asked>,
}

/// What an alternative came to when it was last asked.
#[derive(Default)]
struct Asked {
    /// How many nodes it found in each part that has any, and in none: `^root` and `^seq`.
    found: HashMap<Option<Place>, usize>,
    /// The parts that may have changed since.
    stale: BTreeSet<Place>,
}

impl Alternatives {
    /// The alternatives of a question, none of which was asked yet.
    pub(super) fn of(ask: &Ask) -> Alternatives {
        let alone = |chain: &Arc<_>| Alternative {
            ask: Ask {
                groups: [Group { chains: vec![Arc::clone(chain)] }].into(),
                order: None,
                window: Window::default(),
            },
            asked: None,
        };
        let groups = ask.groups.iter().map(|group| group.chains.iter().map(alone).collect());
        Alternatives { groups: groups.collect() }
    }

    /// Forgets what was found.
    pub(super) fn forget(&mut self) {
        self.groups.iter_mut().flatten().for_each(|alternative| alternative.asked = None);
    }

    /// Takes note of parts that may differ in the next snapshot that is asked.
    pub(super) fn changed(&mut self, places: &BTreeSet<Place>) {
        let asked = self.groups.iter_mut().flatten().filter_map(|one| one.asked.as_mut());
        asked.for_each(|asked| asked.stale.extend(places));
    }

    /// What a question finds in a snapshot: all nodes that are not among those that were seen, in order,
    /// and maybe others. Whatever it found in the snapshots that were asked before has to be among those.
    pub(super) fn find(
        &mut self,
        ask: &Ask,
        moment: &Moment<'_>,
        seen: &HashSet<Id>,
    ) -> Read<Vec<Hit>> {
        let (mut hits, mut used) = (Vec::new(), None);
        for group in &mut self.groups {
            for (number, alternative) in group.iter_mut().enumerate() {
                hits.extend(alternative.refresh(moment, seen)?);
                if alternative.finds() {
                    used = Some(number);
                    break;
                }
            }
        }
        arrange(&mut hits, effective_order(ask, used));
        Ok(hits)
    }
}

impl Alternative {
    /// Whether it found anything when it was last asked.
    fn finds(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| !asked.found.is_empty())
    }

    /// Asks it of all parts that may have changed. All nodes that were not seen are in what it gives.
    fn refresh(&mut self, moment: &Moment<'_>, seen: &HashSet<Id>) -> Read<Vec<Hit>> {
        let Some(asked) = &mut self.asked else { return self.first(moment, seen) };
        // If this ends early, all of it is asked again.
        let places = std::mem::take(&mut asked.stale);
        let found = find_in(&self.ask, moment, &places);
        let hits = match found {
            Ok(hits) => hits,
            Err(reason) => {
                self.asked = None;
                return Err(reason);
            }
        };
        asked.found.remove(&None);
        places.iter().for_each(|place| {
            asked.found.remove(&Some(*place));
        });
        for hit in &hits {
            *asked.found.entry(place_of(hit.rank.0, &moment.tree)).or_default() += 1;
        }
        Ok(hits)
    }

    /// Asks it for the first time, of everything.
    fn first(&mut self, moment: &Moment<'_>, seen: &HashSet<Id>) -> Read<Vec<Hit>> {
        let mut search = Search::<FoundId>::new(&self.ask);
        let (mut asked, mut hits) = (Asked::default(), Vec::new());
        loop {
            budget::check()?;
            let page = search.next(&self.ask, moment, 4096)?;
            if page.is_empty() {
                break;
            }
            for found in page {
                *asked.found.entry(place_of(found.rank.0, &moment.tree)).or_default() += 1;
                if !seen.contains(&found.id) {
                    hits.push(node_of(found, moment)?);
                }
            }
        }
        self.asked = Some(asked);
        Ok(hits)
    }
}
