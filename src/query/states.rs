//! Which states a text asks, without asking them: what every answer names as its source.

use super::plan::{State, When};
use super::query_error::QueryError;
use super::resolve::resolve_time;
use super::timeline::Timeline;
use crate::language::Dialect;
use crate::language::ast::Selector;

/// The states that a selector is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadStates {
    /// The working state.
    Working,
    /// The snapshot of a cycle.
    Snapshot(u64),
    /// The working state right after an event.
    Event {
        /// The event.
        seq: u64,
        /// The last cycle committed by then; 0 before the first.
        after: u64,
    },
    /// Every snapshot.
    Every {
        /// How many there are.
        snapshots: u64,
    },
    /// A range of snapshots.
    Range {
        /// The cycle of the newest one; the working state counts as the cycle that it will get.
        newest: u64,
        /// The cycle of the oldest one.
        oldest: u64,
        /// How many there are.
        snapshots: u64,
    },
}

/// The states that a selector is about in a store.
pub fn states_read(
    timeline: &dyn Timeline,
    selector: &Selector,
    dialect: Dialect,
) -> Result<ReadStates, QueryError> {
    let time = selector.time.as_ref();
    Ok(match resolve_time(time, dialect, timeline, None, &mut Vec::new())? {
        When::One(State::Working) => ReadStates::Working,
        When::One(State::Cycle(cycle)) => ReadStates::Snapshot(cycle),
        When::One(State::Event { seq, after }) => ReadStates::Event { seq, after },
        When::Every => ReadStates::Every { snapshots: timeline.history().len() },
        When::Range { stops, .. } => ReadStates::Range {
            newest: stops.first().map_or(0, |stop| stop.cycle),
            oldest: stops.last().map_or(0, |stop| stop.cycle),
            snapshots: stops.len() as u64,
        },
    })
}
