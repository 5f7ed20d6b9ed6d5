//! All that a chain counts over several parts, followed from one snapshot to the one before.
//!
//! A chain asks in the same order for what it counts as long as `^root` and `^seq` are the same and what
//! `:has(…)` comes to for these two is; so what is followed is known by these answers and by its number.
//! What cannot be followed is said so, and has to be found anew in each snapshot.

use super::scope::Scope;
use super::tracker::{Picked, Tracker};
use super::walk::Flat;
use crate::model::{Class, Id, Place};
use crate::query::plan::{Chain, Has, Pick};
use crate::query::timeline::{Moment, Read};
use crate::query::turn_pages::TurnPages;
use std::collections::{BTreeSet, HashMap};

/// What was decided for a chain in a snapshot: with the same outcome it is settled in the same way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// What `:has(…)` came to for `^root` and `^seq`.
    answers: Vec<bool>,
    /// What was picked: a node, or the implied core of a turn.
    picks: Vec<Option<(Id, bool)>>,
}

/// What a chain counts over several parts.
#[derive(Default)]
pub(crate) struct Trackers {
    /// By what is asked, of which of the two, the way, and whether it leads to implied cores.
    holds: HashMap<(usize, Class, usize, bool), Followed>,
    /// By the answers, and the number among what is picked.
    picks: HashMap<(Vec<bool>, usize), Followed>,
    /// Of the present snapshot.
    outcome: Outcome,
    picked: Vec<Picked>,
    /// Whether something could not be followed.
    pub(crate) lost: bool,
    /// Whether nothing is looked for, because only that is to be found out.
    pub(super) only_looks: bool,
}

/// Trackers with the pages of the turn index that they look at.
pub(crate) struct Aids<'a> {
    pub(crate) trackers: &'a mut Trackers,
    pub(crate) pages: &'a mut TurnPages,
}

impl Aids<'_> {
    /// Whether a way from `^root` or `^seq` leads anywhere; none if that cannot be followed. `Has` is held
    /// by whoever asks.
    pub(super) fn holds(
        &mut self,
        key: (&Has, Class, usize, bool),
        chain: &Chain,
        moment: &Moment<'_>,
    ) -> Read<Option<bool>> {
        self.trackers.holds(key, chain, moment, self.pages)
    }

    /// What is picked next, from what a chain finds; none if that cannot be followed.
    pub(super) fn pick(
        &mut self,
        from: &Chain,
        pick: (Pick, bool),
        moment: &Moment<'_>,
    ) -> Read<Option<Option<Id>>> {
        self.trackers.pick(from, pick, moment, self.pages)
    }
}

enum Followed {
    By(Box<Tracker>),
    /// It cannot be followed.
    Not,
}

impl Trackers {
    /// Trackers that find nothing, to see whether all that is asked of them can be followed.
    pub(crate) fn that_only_look() -> Trackers {
        Trackers { only_looks: true, ..Trackers::default() }
    }

    /// Takes note of parts that may differ in the next snapshot that is asked.
    pub(crate) fn changed(&mut self, places: &BTreeSet<Place>) {
        for followed in self.holds.values_mut().chain(self.picks.values_mut()) {
            if let Followed::By(tracker) = followed {
                tracker.changed(places);
            }
        }
    }

    /// What was decided, and the nodes that were picked.
    pub(crate) fn decided(&mut self) -> (Outcome, Vec<Picked>) {
        (std::mem::take(&mut self.outcome), std::mem::take(&mut self.picked))
    }

    fn holds(
        &mut self,
        (has, class, way, implied): (&Has, Class, usize, bool),
        chain: &Chain,
        moment: &Moment<'_>,
        pages: &mut TurnPages,
    ) -> Read<Option<bool>> {
        if self.only_looks {
            self.lost |= ends_above(chain, moment)?;
            return Ok(Some(true));
        }
        let key = (std::ptr::from_ref(has).addr(), class, way, implied);
        let followed = match self.holds.entry(key) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(free) => {
                let make = || Tracker::new(chain.clone(), Pick::Nth(1), false);
                free.insert(follow(chain, moment, make)?)
            }
        };
        match followed {
            Followed::By(tracker) => Ok(Some(tracker.picked(moment, pages)?.is_some())),
            Followed::Not => {
                self.lost = true;
                Ok(None)
            }
        }
    }

    /// Takes an answer for `^root` or `^seq`.
    pub(super) fn answer(&mut self, answer: bool) {
        self.outcome.answers.push(answer);
    }

    fn pick(
        &mut self,
        from: &Chain,
        (pick, recent): (Pick, bool),
        moment: &Moment<'_>,
        pages: &mut TurnPages,
    ) -> Read<Option<Option<Id>>> {
        if self.only_looks {
            self.lost |= ends_above(from, moment)?;
            return Ok(Some(None));
        }
        let key = (self.outcome.answers.clone(), self.outcome.picks.len());
        let followed = match self.picks.entry(key) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(free) => {
                let make = || Tracker::new(from.clone(), pick, recent);
                free.insert(follow(from, moment, make)?)
            }
        };
        let Followed::By(tracker) = followed else {
            self.lost = true;
            return Ok(None);
        };
        let picked = tracker.picked(moment, pages)?;
        let id = picked.as_ref().map(|picked| picked.id.clone());
        self.take(id.clone().map(|id| (id, false)));
        self.picked.extend(picked);
        Ok(Some(id))
    }

    /// Takes what was picked without being followed.
    pub(super) fn take(&mut self, picked: Option<(Id, bool)>) {
        self.outcome.picks.push(picked);
    }

    /// Takes a node that was picked by the number of its part.
    pub(super) fn take_top(&mut self, picked: Picked) {
        self.take(Some((picked.id.clone(), false)));
        self.picked.push(picked);
    }
}

fn follow(chain: &Chain, moment: &Moment<'_>, make: impl FnOnce() -> Tracker) -> Read<Followed> {
    Ok(match ends_above(chain, moment)? {
        true => Followed::Not,
        false => Followed::By(Box::new(make())),
    })
}

/// Whether a chain may end at `^root` or `^seq`, or counts over several parts itself.
fn ends_above(chain: &Chain, moment: &Moment<'_>) -> Read<bool> {
    Ok(Scope::of(chain, &Flat::shared(moment), moment)?.ends_above)
}
