//! Where a subtree lives: `^sys`, `^ah`, or the slot of a turn.
//!
//! A slot is a turn's number for ever: the cycle that brought it and its rank among the turns of
//! that cycle. Slots only grow, and the live ones in slot order are the turns in canonical order.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A turn's place in the history of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Slot {
    /// The cycle that brought the turn.
    pub cycle: u64,
    /// Its rank among the turns of that cycle, from 0; more than one only after an import.
    pub rank: u32,
}

impl Slot {
    /// The number of the page that its summaries are on: that of 64 cycles, and of 64 ranks of an
    /// import.
    pub fn page(self) -> (u64, u32) {
        (self.cycle / 64, self.rank / 64)
    }
}

/// The part of the tree that a node is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Place {
    /// `^sys` and what is in it.
    Sys,
    /// `^ah` and what is in it.
    Ah,
    /// A turn and what is in it.
    Turn(Slot),
}

impl Place {
    /// The slot of a turn.
    pub fn slot(self) -> Option<Slot> {
        match self {
            Place::Turn(slot) => Some(slot),
            Place::Sys | Place::Ah => None,
        }
    }

    /// Where it stands in canonical order, whatever snapshot it is looked at in.
    pub fn order(self) -> PlaceOrder {
        match self {
            Place::Sys => (0, Slot { cycle: 0, rank: 0 }),
            Place::Turn(slot) => (1, slot),
            Place::Ah => (2, Slot { cycle: 0, rank: 0 }),
        }
    }
}

/// A place in canonical order: less is before.
pub type PlaceOrder = (u8, Slot);

/// Slots that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Run {
    /// The turns sealed by the commits `from..=to`.
    Sealed {
        /// The first cycle.
        from: u64,
        /// The last cycle.
        to: u64,
    },
    /// Turns that one import brought.
    Imported {
        /// The cycle of the import.
        cycle: u64,
        /// The first rank.
        from: u32,
        /// The last rank.
        to: u32,
    },
}

impl Run {
    fn len(&self) -> u64 {
        match *self {
            Run::Sealed { from, to } => to - from + 1,
            Run::Imported { from, to, .. } => u64::from(to - from) + 1,
        }
    }

    fn nth(&self, index: u64) -> Slot {
        match *self {
            Run::Sealed { from, .. } => Slot { cycle: from + index, rank: 0 },
            // The cast is exact: a run is never longer than its 32-bit ranks.
            Run::Imported { cycle, from, .. } => Slot { cycle, rank: from + index as u32 },
        }
    }

    fn index_of(&self, slot: Slot) -> Option<u64> {
        match *self {
            Run::Sealed { from, to } => {
                (slot.rank == 0 && (from..=to).contains(&slot.cycle)).then(|| slot.cycle - from)
            }
            Run::Imported { cycle, from, to } => (slot.cycle == cycle
                && (from..=to).contains(&slot.rank))
            .then(|| u64::from(slot.rank - from)),
        }
    }

    fn starting(slot: Slot, imported: bool) -> Run {
        if imported {
            Run::Imported { cycle: slot.cycle, from: slot.rank, to: slot.rank }
        } else {
            Run::Sealed { from: slot.cycle, to: slot.cycle }
        }
    }

    fn between(&self, from: u64, to: u64) -> Option<Run> {
        (from < to).then(|| match *self {
            Run::Sealed { from: base, .. } => Run::Sealed { from: base + from, to: base + to - 1 },
            Run::Imported { cycle, from: base, .. } => {
                Run::Imported { cycle, from: base + from as u32, to: base + (to - 1) as u32 }
            }
        })
    }
}

/// The live turns, oldest first. A session of any length without imports is one run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spine {
    runs: Vec<Run>,
}

impl Spine {
    /// How many turns there are.
    pub fn len(&self) -> u64 {
        self.runs.iter().map(Run::len).sum()
    }

    /// Whether there is no turn.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The runs, oldest first.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The turn at an index, the oldest first.
    pub fn nth(&self, mut index: u64) -> Option<Slot> {
        for run in &self.runs {
            if index < run.len() {
                return Some(run.nth(index));
            }
            index -= run.len();
        }
        None
    }

    /// The index of a live turn.
    pub fn index_of(&self, slot: Slot) -> Option<u64> {
        let mut before = 0;
        for run in &self.runs {
            if let Some(index) = run.index_of(slot) {
                return Some(before + index);
            }
            before += run.len();
        }
        None
    }

    /// Those of some slots that are live turns, each with its index. The slots come in order.
    pub fn indexes_of(&self, slots: &[Slot]) -> impl Iterator<Item = (u64, Slot)> {
        let (mut runs, mut before) = (self.runs.as_slice(), 0);
        slots.iter().filter_map(move |slot| {
            while let Some((run, rest)) = runs.split_first()
                && run.nth(run.len() - 1) < *slot
            {
                (runs, before) = (rest, before + run.len());
            }
            let index = runs.first()?.index_of(*slot)?;
            Some((before + index, *slot))
        })
    }

    /// Whether a turn is alive.
    pub fn contains(&self, slot: Slot) -> bool {
        self.runs.iter().any(|run| run.index_of(slot).is_some())
    }

    /// The turn at a depth: 1 is the newest.
    pub fn at_depth(&self, depth: u64) -> Option<Slot> {
        self.len().checked_sub(depth).and_then(|index| self.nth(index))
    }

    /// Every live turn, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Slot> + '_ {
        self.runs.iter().flat_map(|run| (0..run.len()).map(move |index| run.nth(index)))
    }

    /// The live turns of some indexes, oldest first.
    pub fn slots(&self, indexes: Range<u64>) -> impl Iterator<Item = Slot> + '_ {
        let mut end = 0;
        self.runs.iter().flat_map(move |run| {
            let start = end;
            end += run.len();
            let [from, to] = [indexes.start, indexes.end].map(|at| at.clamp(start, end) - start);
            (from..to).map(move |index| run.nth(index))
        })
    }

    /// The live turns behind a slot, oldest first.
    pub fn after(&self, slot: Slot) -> impl Iterator<Item = Slot> + '_ {
        let behind = self.runs.partition_point(|run| run.nth(run.len() - 1) <= slot);
        let runs = self.runs.get(behind..).unwrap_or_default().iter();
        runs.flat_map(move |run| {
            // Slots of a run differ in one of their numbers, and only the first run may begin before.
            let skip = match *run {
                Run::Sealed { from, .. } => (slot.cycle + 1).saturating_sub(from),
                Run::Imported { cycle, from, .. } if cycle == slot.cycle => {
                    u64::from(slot.rank.saturating_add(1).saturating_sub(from))
                }
                Run::Imported { .. } => 0,
            };
            (skip.min(run.len())..run.len()).map(move |index| run.nth(index))
        })
    }

    /// Whether a longer spine begins with this one.
    pub fn is_prefix_of(&self, other: &Spine) -> bool {
        let mut start = other.clone();
        start.truncate(self.len());
        start == *self
    }

    /// Appends a sealed turn.
    pub fn push_sealed(&mut self, cycle: u64) {
        match self.runs.last_mut() {
            Some(Run::Sealed { to, .. }) if *to + 1 == cycle => *to = cycle,
            _ => self.runs.push(Run::Sealed { from: cycle, to: cycle }),
        }
    }

    /// Appends the turns sealed by the commits `from..=to`, at a cost that does not depend on how
    /// many there are.
    pub fn extend_sealed(&mut self, from: u64, to: u64) {
        if from > to {
            return;
        }
        self.push_sealed(from);
        if let Some(Run::Sealed { to: end, .. }) = self.runs.last_mut() {
            *end = to;
        }
    }

    /// Appends a turn that an import brought.
    pub fn push_imported(&mut self, slot: Slot) {
        match self.runs.last_mut() {
            Some(Run::Imported { cycle, to, .. })
                if *cycle == slot.cycle && *to + 1 == slot.rank =>
            {
                *to = slot.rank;
            }
            _ => self.runs.push(Run::starting(slot, true)),
        }
    }

    /// Keeps the first `count` turns.
    pub fn truncate(&mut self, count: u64) {
        let mut left = count;
        let mut runs = Vec::new();
        for run in &self.runs {
            runs.extend(run.between(0, run.len().min(left)));
            left = left.saturating_sub(run.len());
        }
        self.runs = runs;
    }

    /// Takes one turn out.
    pub fn remove(&mut self, slot: Slot) {
        let mut runs = Vec::with_capacity(self.runs.len() + 1);
        for run in &self.runs {
            match run.index_of(slot) {
                Some(index) => {
                    runs.extend(run.between(0, index));
                    runs.extend(run.between(index + 1, run.len()));
                }
                None => runs.push(*run),
            }
        }
        self.runs = runs;
    }
}
