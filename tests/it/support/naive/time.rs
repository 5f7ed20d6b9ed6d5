//! Time addresses (R5.2–R5.4).

use super::{Store, Wrong};
use pactdb::Dialect;
use pactdb::language::ast::{RangeEnd, TimeKind};

/// A state: none is the working state, else an index into the snapshots, and beyond these into
/// the states after events.
pub(crate) type Which = Option<usize>;

/// A snapshot of a range, with the number in its address.
#[derive(Clone, Copy)]
pub(crate) struct Stop {
    pub(crate) which: Which,
    pub(crate) value: i64,
}

const NOT_FOUND: &str = "E_SNAPSHOT_NOT_FOUND";

impl Store {
    /// The addresses that exist, newest first, with what they name.
    fn addresses(&self, dialect: Dialect) -> Vec<Stop> {
        let mut found = Vec::new();
        if dialect == Dialect::V1_0 {
            found.push(Stop { which: None, value: 0 });
        }
        for index in (0..self.snapshots.len()).rev() {
            found.push(Stop { which: Some(index), value: -(found.len() as i64) });
        }
        found
    }

    pub(crate) fn state_at(&self, time: TimeKind, dialect: Dialect) -> Result<Which, Wrong> {
        let found = match time {
            TimeKind::Relative(value) => {
                let addresses = self.addresses(dialect).into_iter();
                addresses.filter(|stop| stop.value == value).map(|stop| stop.which).next()
            }
            TimeKind::Cycle(cycle) => {
                self.snapshots.iter().position(|(at, _)| *at == cycle).map(Some)
            }
            TimeKind::Event(event) => {
                let found = self.events.iter().position(|(seq, ..)| *seq == event);
                found.map(|index| Some(self.snapshots.len() + index))
            }
            // These states have no times.
            TimeKind::Clock(_) | TimeKind::ClockRange(..) => {
                return Err(vec!["E_SNAPSHOT_NOT_FOUND"]);
            }
            _ => return Err(vec!["E_SELECTOR_INVALID"]),
        };
        found.ok_or(vec![NOT_FOUND])
    }

    /// The snapshots of a range, newest first, and whether it was clipped.
    pub(crate) fn stops(
        &self,
        time: TimeKind,
        dialect: Dialect,
    ) -> Result<(Vec<Stop>, bool), Wrong> {
        let (low, high, all) = match time {
            TimeKind::RelativeRange(a, b) => {
                let all = self.addresses(dialect);
                // Without any snapshot `@t-*` is the working state, if that has an address.
                let oldest = all.last().map_or(i64::MAX, |stop| stop.value);
                let value = |end| match end {
                    RangeEnd::Relative(value) => value,
                    RangeEnd::Oldest => oldest,
                };
                (value(a).min(value(b)), value(a).max(value(b)), all)
            }
            TimeKind::CycleRange(a, b) => {
                let all = (0..self.snapshots.len()).rev();
                let all = all.map(|i| Stop { which: Some(i), value: self.snapshots[i].0 as i64 });
                let held = |cycle: u64| i64::try_from(cycle).unwrap_or(i64::MAX);
                (held(a.min(b)), held(a.max(b)), all.collect())
            }
            // These states have no times.
            TimeKind::Clock(_) | TimeKind::ClockRange(..) => {
                return Err(vec!["E_SNAPSHOT_NOT_FOUND"]);
            }
            _ => return Err(vec!["E_SELECTOR_INVALID"]),
        };
        let inside = all.into_iter().filter(|stop| low <= stop.value && stop.value <= high);
        let stops: Vec<Stop> = inside.collect();
        match (stops.first(), stops.last()) {
            (Some(newest), Some(oldest)) => {
                let clipped = newest.value != high || oldest.value != low;
                Ok((stops, clipped))
            }
            _ => Err(vec![NOT_FOUND]),
        }
    }

    /// Older states have smaller ones: a snapshot comes before the events after it.
    pub(crate) fn age(&self, which: Which) -> (u64, u64) {
        match which {
            None => (u64::MAX, 0),
            Some(index) if index < self.snapshots.len() => (self.snapshots[index].0, 0),
            Some(index) => {
                let (seq, cycle, _) = &self.events[index - self.snapshots.len()];
                (*cycle, *seq)
            }
        }
    }

    /// The cycle of a state; the working state has the one that it will get (R8.1).
    pub(crate) fn cycle_of(&self, which: Which) -> u64 {
        which.map_or(self.last_cycle + 1, |index| self.snapshots[index].0)
    }
}
