//! Times, resolved: which states of a store are asked.

use crate::language::ast::RangeEnd;

/// The states that a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// One state.
    One(State),
    /// Every snapshot.
    Every,
    /// Snapshots to be compared, newest first, at least one.
    Range {
        /// How they were asked for.
        kind: RangeKind,
        /// The snapshots.
        stops: Vec<Stop>,
        /// Whether older ones were left out because of a limit on their number.
        cut: bool,
    },
}

/// A state of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// The snapshot of a cycle.
    Cycle(u64),
    /// What was being worked on right after an event.
    Event {
        /// The event.
        seq: u64,
        /// The last cycle committed by then; 0 before the first.
        after: u64,
    },
    /// What is being worked on; newer than every snapshot.
    Working,
}

impl State {
    /// Older states have smaller ones.
    fn age(self) -> (u64, u64) {
        match self {
            State::Cycle(cycle) => (cycle, 0),
            State::Event { seq, after } => (after, seq),
            State::Working => (u64::MAX, u64::MAX),
        }
    }
}

impl Ord for State {
    fn cmp(&self, other: &State) -> std::cmp::Ordering {
        self.age().cmp(&other.age())
    }
}

impl PartialOrd for State {
    fn partial_cmp(&self, other: &State) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// By which kind of address a range was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeKind {
    /// `@t-3..@t0`
    Relative,
    /// `@c1..@c5`
    Cycles,
}

/// One snapshot of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// Which state.
    pub state: State,
    /// The number in its address: 0, -1, … or the cycle.
    pub value: i64,
    /// Its cycle; of the working state the one that it will get.
    pub cycle: u64,
}

impl Stop {
    /// Its address as people write it.
    pub fn label(&self, kind: RangeKind) -> String {
        match kind {
            RangeKind::Relative => format!("@t{}", self.value),
            RangeKind::Cycles => format!("@c{}", self.value),
        }
    }
}

/// An end of a relative range against the oldest address there is.
pub(crate) fn end_value(end: RangeEnd, oldest: i64) -> i64 {
    match end {
        RangeEnd::Relative(value) => value,
        RangeEnd::Oldest => oldest,
    }
}
