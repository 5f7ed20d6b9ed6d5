//! The memtable: what the newest commits add to the index, in memory until the next checkpoint.
//!
//! Every 64th commit writes it to the tables (see `checkpoint`), so most commits touch none of
//! them. It is lost when the process ends: the rows of the commits have the same facts, and opening
//! a store makes it again from them. It knows nothing of tables.

use super::expiry::last_due;
use super::figures::Figures;
use super::turn_sizes::SizeChange;
use crate::change::{Expiry, IndexDelta};
use crate::model::{Id, Instance, Name, Place, Slot, Subtree};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the commits since the last checkpoint add to the index.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memtable {
    /// For each id, where its node came to lie and from which cycle; nowhere if it was only used.
    pub(super) ids: BTreeMap<Id, Vec<(u64, Place)>>,
    pub(super) refs: BTreeSet<(Id, Id)>,
    pub(super) expiry: BTreeSet<Expiry>,
    pub(super) instances: BTreeMap<Name, Instance>,
    /// New versions of turns, each by the cycle that it holds from.
    pub(super) turns: BTreeMap<(Slot, u64), NewTurn>,
    /// The figures of each commit, by its cycle.
    pub(super) figures: BTreeMap<u64, Figures>,
    /// By how much turns grew or shrank.
    pub(super) sizes: BTreeMap<Slot, SizeChange>,
}

/// What the commit of a cycle brought.
pub(crate) struct NewCycle<'a, T> {
    pub(crate) delta: &'a IndexDelta,
    /// The versions of parts that it made.
    pub(crate) parts: T,
    pub(crate) figures: Figures,
}

/// A version of a part that a commit made, and by how much it grew or shrank.
pub(crate) struct NewPart {
    pub(crate) place: Place,
    pub(crate) version: NewTurn,
    pub(crate) size: SizeChange,
}

/// A version of a turn that is not in the tables of the index yet.
#[derive(Debug, Clone)]
pub(crate) enum NewTurn {
    /// The turn.
    Held(Arc<Subtree>),
    /// It has to be read.
    Stored,
    /// The turn has gone.
    Gone,
}

impl Memtable {
    /// Adds what the commit of a cycle brought.
    pub(crate) fn add(&mut self, new: NewCycle<'_, impl Iterator<Item = NewPart>>) {
        let NewCycle { delta, parts, figures } = new;
        let cycle = figures.cycle;
        for NewPart { place, version, size } in parts {
            if let Place::Turn(slot) = place {
                self.turns.insert((slot, cycle), version);
                let sum = self.sizes.entry(slot).or_default();
                *sum = sum.plus(size);
            }
        }
        self.figures.insert(cycle, figures);
        for id in &delta.used {
            self.ids.entry(id.clone()).or_default();
        }
        for (id, place) in &delta.placed {
            self.ids.entry(id.clone()).or_default().push((cycle, *place));
        }
        self.refs.extend(delta.refs.iter().cloned());
        self.expiry.extend(delta.expiry.iter().copied());
        self.instances.extend(delta.instances.iter().cloned());
    }

    /// The places of an id; none if it was never used.
    pub(crate) fn places(&self, id: &str) -> Option<&[(u64, Place)]> {
        self.ids.get(id).map(Vec::as_slice)
    }

    /// Nodes that named an id in their `refs`.
    pub(crate) fn referrers(&self, id: &str) -> Vec<Id> {
        let from: (Id, Id) = (id.into(), "".into());
        let same = |(target, _): &&(Id, Id)| &**target == id;
        self.refs.range(from..).take_while(same).map(|(_, referrer)| referrer.clone()).collect()
    }

    /// Places that may hold a node due at one of the cycles `after + 1 ..= upto`.
    pub(crate) fn expiring(&self, after: u64, upto: u64) -> impl Iterator<Item = Place> + '_ {
        let due = move |expiry: &&Expiry| (after + 1..=upto).contains(&expiry.due);
        self.expiry.iter().filter(due).map(|expiry| expiry.place)
    }

    /// Places that may hold a node with a finite ttl at a cycle, of which at most so much remains.
    pub(crate) fn finite(&self, cycle: u64, most: u64) -> impl Iterator<Item = Place> + '_ {
        let lives = move |expiry: &&Expiry| {
            expiry.due > cycle && expiry.due <= last_due(cycle, expiry.span, most)
        };
        self.expiry.iter().filter(lives).map(|expiry| expiry.place)
    }

    /// The newest instance of a key.
    pub(crate) fn instance(&self, key: &str) -> Option<&Instance> {
        self.instances.get(key)
    }

    /// The newest instances of all keys that have a new one.
    pub(crate) fn instances(&self) -> &BTreeMap<Name, Instance> {
        &self.instances
    }

    /// The turns of which there is a version, as of a cycle, that the tables do not know.
    pub(crate) fn newer_turns(&self, cycle: u64) -> BTreeSet<Slot> {
        self.turns.keys().filter(|(_, from)| *from <= cycle).map(|(slot, _)| *slot).collect()
    }

    /// The figures of the newest commits, oldest first.
    pub(crate) fn figures(&self) -> impl Iterator<Item = &Figures> {
        self.figures.values()
    }

    /// By how much the turns before a slot, or from it on, grew or shrank.
    pub(crate) fn size_change(&self, slot: Slot, before: bool) -> SizeChange {
        let turns = match before {
            true => self.sizes.range(..slot),
            false => self.sizes.range(slot..),
        };
        turns.fold(SizeChange::default(), |sum, (_, change)| sum.plus(*change))
    }

    /// All turns of which there is a version that the tables do not know.
    pub(crate) fn turns(&self) -> BTreeSet<Slot> {
        self.turns.keys().map(|(slot, _)| *slot).collect()
    }
}
