//! The memtable: what the newest commits add to the index, in memory until it is in the tables.
//!
//! It has two layers. The newer one grows, commit by commit. When it has 64 commits it becomes the
//! older one, and the commits after that write it to the tables, a slice each (see `schedule`). What
//! was written whole is dropped here; of what was written in part the tables know some already, and
//! to be told twice changes no answer. It is lost when the process ends: the rows of the commits
//! have the same facts, and opening a store makes it again from them. It knows nothing of tables.

use super::expiry::last_due;
use super::figures::Figures;
use super::schedule::{Field, is_written};
use super::turn_sizes::SizeChange;
use crate::change::{Expiry, IndexDelta};
use crate::model::{Id, Instance, Name, Place, Slot, Subtree};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the commits that are not in the tables yet add to the index.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memtable {
    /// 64 commits that are being written.
    pub(super) older: Layer,
    /// The commits since.
    newer: Layer,
    /// The turns of both.
    changed: Arc<BTreeSet<Slot>>,
}

/// What some commits add to the index.
#[derive(Debug, Clone, Default)]
pub(super) struct Layer {
    /// The last of its cycles.
    pub(super) last: u64,
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

impl Layer {
    /// Adds what the commit of a cycle brought.
    fn add(&mut self, new: NewCycle<'_, impl Iterator<Item = NewPart>>) {
        let NewCycle { delta, parts, figures } = new;
        let cycle = figures.cycle;
        self.last = cycle;
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

    /// Drops what is in the tables once the commit at a position is written.
    fn forget(&mut self, position: u64) {
        fn drop_if<T: Default>(written: bool, field: &mut T) {
            if written {
                *field = T::default();
            }
        }
        drop_if(is_written(Field::Turns, position), &mut self.turns);
        drop_if(is_written(Field::Ids, position), &mut self.ids);
        let rest = is_written(Field::Rest, position);
        drop_if(rest, &mut self.refs);
        drop_if(rest, &mut self.expiry);
        drop_if(rest, &mut self.instances);
        drop_if(rest, &mut self.figures);
        drop_if(rest, &mut self.sizes);
    }

    fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.turns.keys().map(|(slot, _)| *slot)
    }
}

impl Memtable {
    /// Adds what the commit of a cycle brought.
    pub(crate) fn add(&mut self, new: NewCycle<'_, impl Iterator<Item = NewPart>>) {
        let cycle = new.figures.cycle;
        self.newer.add(new);
        let slots = self.newer.turns.keys().filter(|(_, from)| *from == cycle);
        Arc::make_mut(&mut self.changed).extend(slots.map(|(slot, _)| *slot));
    }

    /// The commit at a position among its 64 is written, with its slice. At position 0 the newer layer is
    /// complete, and takes the place of the older one, which is in the tables.
    pub(crate) fn advance(&mut self, position: u64) {
        let turns = self.older.turns.len();
        match position {
            0 => self.older = std::mem::take(&mut self.newer),
            _ => self.older.forget(position),
        }
        if self.older.turns.len() != turns {
            self.changed = Arc::new(self.layers().into_iter().flat_map(Layer::slots).collect());
        }
    }

    fn layers(&self) -> [&Layer; 2] {
        [&self.older, &self.newer]
    }

    /// The places of an id, oldest first; none if it was never used.
    pub(crate) fn places(&self, id: &str) -> Option<Vec<(u64, Place)>> {
        match self.layers().map(|layer| layer.ids.get(id)) {
            [None, None] => None,
            found => Some(found.into_iter().flatten().flatten().copied().collect()),
        }
    }

    /// Nodes that named an id in their `refs`.
    pub(crate) fn referrers(&self, id: &str) -> Vec<Id> {
        let from: (Id, Id) = (id.into(), "".into());
        let same = |(target, _): &&(Id, Id)| &**target == id;
        let of = |layer: &Layer| -> Vec<Id> {
            let refs = layer.refs.range(from.clone()..).take_while(same);
            refs.map(|(_, referrer)| referrer.clone()).collect()
        };
        self.layers().into_iter().flat_map(of).collect()
    }

    fn expiry(&self) -> impl Iterator<Item = &Expiry> {
        self.layers().into_iter().flat_map(|layer| &layer.expiry)
    }

    /// Places that may hold a node due at one of the cycles `after + 1 ..= upto`.
    pub(crate) fn expiring(&self, after: u64, upto: u64) -> impl Iterator<Item = Place> + '_ {
        let due = move |expiry: &&Expiry| (after + 1..=upto).contains(&expiry.due);
        self.expiry().filter(due).map(|expiry| expiry.place)
    }

    /// Places that may hold a node with a finite ttl at a cycle, of which at most so much remains.
    pub(crate) fn finite(&self, cycle: u64, most: u64) -> impl Iterator<Item = Place> + '_ {
        let lives = move |expiry: &&Expiry| {
            expiry.due > cycle && expiry.due <= last_due(cycle, expiry.span, most)
        };
        self.expiry().filter(lives).map(|expiry| expiry.place)
    }

    /// The newest instance of a key.
    pub(crate) fn instance(&self, key: &str) -> Option<&Instance> {
        self.newer.instances.get(key).or_else(|| self.older.instances.get(key))
    }

    /// The keys that have a new instance. A key may come twice.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Name> {
        self.layers().into_iter().flat_map(|layer| layer.instances.keys())
    }

    /// The turns of which there is a version, as of a cycle, that the tables may not know.
    pub(crate) fn newer_turns(&self, cycle: u64) -> Arc<BTreeSet<Slot>> {
        if cycle >= self.newer.last.max(self.older.last) {
            return self.changed.clone();
        }
        let turns = self.layers().into_iter().flat_map(|layer| layer.turns.keys());
        Arc::new(turns.filter(|(_, from)| *from <= cycle).map(|(slot, _)| *slot).collect())
    }

    /// The figures of the newest commits, oldest first.
    pub(crate) fn figures(&self) -> impl Iterator<Item = &Figures> {
        self.layers().into_iter().flat_map(|layer| layer.figures.values())
    }

    /// By how much the turns before a slot, or from it on, grew or shrank.
    pub(crate) fn size_change(&self, slot: Slot, before: bool) -> SizeChange {
        let of = |layer: &Layer| {
            let turns = match before {
                true => layer.sizes.range(..slot),
                false => layer.sizes.range(slot..),
            };
            turns.fold(SizeChange::default(), |sum, (_, change)| sum.plus(*change))
        };
        of(&self.older).plus(of(&self.newer))
    }

    /// All turns of which there is a version that the tables may not know.
    pub(crate) fn turns(&self) -> BTreeSet<Slot> {
        (*self.changed).clone()
    }
}
