//! What a query asks of a store: its states, and what changed between them.
//!
//! The store implements [`Timeline`]; queries never see a log or a file. A [`Moment`] is one
//! state, ready to be asked. Every answer about a committed cycle stays the same for ever, so
//! an implementation may cache as it likes.

use super::plan::State;
use crate::budget;
use crate::change::History;
use crate::index::{Indexed, Lookup, SummaryPage};
use crate::model::{ChangedPart, Generation, Place, ReadError, Slot, Subtree, Tree};
use crate::snapshot::Contents;
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What reading a store gives.
pub type Read<T> = Result<T, ReadError>;

/// The states of a store and the differences between them.
pub trait Timeline {
    /// The generation of the store.
    fn generation(&self) -> Generation;

    /// The cycles that have a snapshot.
    fn history(&self) -> &History;

    /// The last cycle that was committed; 0 before the first.
    fn last_cycle(&self) -> u64;

    /// The working state.
    fn working(&self) -> Read<Tree>;

    /// The snapshot of a cycle that history has.
    fn at(&self, cycle: u64) -> Read<Tree>;

    /// The newest snapshot whose commit was made at this time or before it, in nanoseconds since 1970.
    fn newest_until(&self, ns: i64) -> Read<Option<u64>> {
        let _ = ns;
        Ok(None)
    }

    /// Whether an event has a state of its own.
    fn event(&self, seq: u64) -> Read<EventState> {
        let _ = seq;
        Ok(EventState::Unknown { newest: 0 })
    }

    /// The working state right after an event, which has one of its own, and how many events were
    /// applied again for it; `after` is the last cycle committed by then.
    fn after_event(&self, seq: u64, after: u64) -> Read<(Tree, u64)> {
        let _ = after;
        Err(ReadError::Corrupt(format!("there is no event {seq}")))
    }

    /// The contents of blocks.
    fn contents(&self) -> &dyn Contents;

    /// The parts that differ between the snapshot of a cycle and the one before it in history;
    /// parts that came and parts that went are among them.
    fn changed_parts(&self, cycle: u64) -> Read<Vec<ChangedPart>>;

    /// Whether the root and `^seq` have the same headers in the snapshots of two cycles.
    fn same_top(&self, one: u64, other: u64) -> Read<bool> {
        let (one, other) = (self.at(one)?, self.at(other)?);
        Ok(one.root() == other.root() && one.seq() == other.seq())
    }

    /// Every place that a node came to lie in, with the cycle from which, in any order. It may
    /// have gone from there since.
    fn places_of(&self, id: &str) -> Read<Vec<(u64, Place)>>;

    /// Parts that may hold a node with a finite ttl in the snapshot of a cycle, of which at most
    /// so much remains.
    fn finite_places(&self, cycle: u64, most: u64) -> Read<Vec<Place>>;

    /// The cycles of `from..=upto` whose snapshot has another version of a part than the one
    /// before, ascending.
    fn versions(&self, place: Place, from: u64, upto: u64) -> Read<Vec<u64>> {
        let mut found = Vec::new();
        for cycle in self.history().iter().filter(|cycle| (from..=upto).contains(cycle)) {
            if self.changed_parts(cycle)?.iter().any(|part| part.place == place) {
                found.push(cycle);
            }
        }
        Ok(found)
    }

    /// Turns that a lookup in the inverted lists finds, in order: every other turn of the snapshot
    /// of a cycle has nothing of the sort. None if there is no such list, or if there are more than
    /// `most`.
    fn turns_with(&self, cycle: u64, lookup: &Lookup, most: usize) -> Read<Option<Vec<Slot>>> {
        let _ = (cycle, lookup, most);
        Ok(None)
    }

    /// The page of the turn index with all versions of a turn and of others near it; none if there
    /// is none. Some versions may be missing, those of [`Timeline::unindexed`] among them.
    fn summary_page(&self, slot: Slot) -> Read<Option<Arc<SummaryPage>>> {
        let _ = slot;
        Ok(None)
    }

    /// Turns with a version that is so new that a page of the index asked for later may lack it, up
    /// to a cycle.
    fn unindexed(&self, cycle: u64) -> BTreeSet<Slot> {
        let _ = cycle;
        BTreeSet::new()
    }

    /// Gives to `each` what the turn index has of some turns as they are in the snapshot of a
    /// cycle, with the number of the turn in the list. The list is in order, and has turns of that
    /// snapshot alone. `matters` says of a template whether turns that have it can match; of others
    /// it may be said that they cannot. Where contents are has to be known only if `contents` is
    /// set.
    fn summaries(
        &self,
        cycle: u64,
        turns: &[Slot],
        contents: bool,
        matters: &mut dyn FnMut(&Arc<Subtree>) -> bool,
        each: &mut dyn FnMut(usize, Indexed<'_>),
    ) -> Read<()> {
        let _ = (cycle, contents, matters);
        (0..turns.len()).for_each(|i| each(i, Indexed::No));
        Ok(())
    }
}

/// Whether the number of an event names a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventState {
    /// The event has a state of its own: the cycle is the last one committed by then.
    After(u64),
    /// It lies inside a batch, which happened at once: the last event of that has the state.
    Inside {
        /// The last event of the batch.
        last: u64,
    },
    /// There is no such event.
    Unknown {
        /// The newest one.
        newest: u64,
    },
}

/// What was done for an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tally {
    /// Parts of the tree that were read.
    pub parts_read: u64,
    /// Turns that were looked at in the turn index, without reading them.
    #[serde(rename = "turns_sketched")]
    pub turns_from_index: u64,
    /// Turns of these in which nothing could be.
    pub turns_skipped: u64,
    /// Nodes that were evaluated; those of a template count once for all its turns.
    pub nodes: u64,
    /// Contents that were read to decide on a node.
    pub contents: u64,
}

/// One state of the tree, with all that its attributes depend on.
#[derive(Clone)]
pub struct Moment<'a> {
    /// The tree.
    pub tree: Tree,
    /// The last cycle committed in it: what remains of each ttl is counted to it.
    pub cycle: u64,
    /// The cycle that ages are counted to.
    pub now: u64,
    /// The generation of the store: the word for an implied core.
    pub generation: Generation,
    /// The contents of blocks.
    pub contents: &'a dyn Contents,
    /// Who has indexes of it; none for a tree that no store keeps.
    pub timeline: Option<&'a dyn Timeline>,
    /// Where the work is counted, for `explain`.
    pub tally: Option<&'a Cell<Tally>>,
    /// How many events were applied again to come to this state.
    pub replayed: u64,
}

/// What a [`Moment`] is without the store that it belongs to.
#[derive(Debug)]
pub(crate) struct HeldMoment {
    tree: Tree,
    cycle: u64,
    now: u64,
    replayed: u64,
}

impl<'a> Moment<'a> {
    /// A working tree, for edits: `last_cycle` is the last one committed.
    pub fn working(
        tree: Tree,
        last_cycle: u64,
        generation: Generation,
        contents: &'a dyn Contents,
    ) -> Moment<'a> {
        let now = last_cycle.saturating_add(1);
        Moment {
            tree,
            cycle: last_cycle,
            now,
            generation,
            contents,
            timeline: None,
            tally: None,
            replayed: 0,
        }
    }

    /// A state of a store.
    pub fn of(timeline: &'a dyn Timeline, state: State) -> Read<Moment<'a>> {
        budget::check()?;
        let mut replayed = 0;
        let (tree, cycle, now) = match state {
            State::Working => {
                let last = timeline.last_cycle();
                (timeline.working()?, last, last.saturating_add(1))
            }
            State::Event { seq, after } => {
                let (tree, events) = timeline.after_event(seq, after)?;
                replayed = events;
                (tree, after, after.saturating_add(1))
            }
            State::Cycle(cycle) => (timeline.at(cycle)?, cycle, cycle),
        };
        Ok(Moment::held(HeldMoment { tree, cycle, now, replayed }, timeline))
    }

    /// The moment without the store, to be kept between pages.
    pub(crate) fn hold(self) -> HeldMoment {
        let Moment { tree, cycle, now, replayed, .. } = self;
        HeldMoment { tree, cycle, now, replayed }
    }

    /// The moment again, in the same store.
    pub(crate) fn held(held: HeldMoment, timeline: &'a dyn Timeline) -> Moment<'a> {
        let HeldMoment { tree, cycle, now, replayed } = held;
        Moment {
            tree,
            cycle,
            now,
            generation: timeline.generation(),
            contents: timeline.contents(),
            timeline: Some(timeline),
            tally: None,
            replayed,
        }
    }

    /// What the turn index has of some turns, like [`Timeline::summaries`].
    pub(super) fn summaries(
        &self,
        turns: &[Slot],
        contents: bool,
        matters: &mut dyn FnMut(&Arc<Subtree>) -> bool,
        each: &mut dyn FnMut(usize, Indexed<'_>),
    ) -> Read<()> {
        let (Some(timeline), true) = (self.timeline, self.tree.as_of() > 0) else {
            (0..turns.len()).for_each(|i| each(i, Indexed::No));
            return Ok(());
        };
        let (cycle, changed) = (self.tree.as_of(), self.tree.changed_turns());
        if changed.is_empty() {
            return timeline.summaries(cycle, turns, contents, matters, each);
        }
        timeline.summaries(cycle, turns, contents, matters, &mut |i, indexed| {
            each(i, if changed.contains_key(&turns[i]) { Indexed::No } else { indexed });
        })
    }

    /// Counts some work, if it is being counted.
    pub(super) fn note(&self, count: impl FnOnce(&mut Tally)) {
        if let Some(cell) = self.tally {
            let mut tally = cell.get();
            count(&mut tally);
            cell.set(tally);
        }
    }
}

impl std::fmt::Debug for Moment<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Moment").field("cycle", &self.cycle).field("now", &self.now).finish()
    }
}
