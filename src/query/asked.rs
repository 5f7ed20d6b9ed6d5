//! Which states a text asks, without asking them: what every answer names as its source.

use super::ast::Selector;
use super::dialect::Dialect;
use super::plan::{State, When};
use super::query_error::QueryError;
use super::resolve::{Facts, resolve_time};
use super::timeline::Timeline;

/// The states that a selector is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The working state.
    Working,
    /// The snapshot of a cycle.
    Snapshot(u64),
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
pub fn asked(
    timeline: &dyn Timeline,
    selector: &Selector,
    dialect: Dialect,
) -> Result<Asked, QueryError> {
    let facts = Facts { history: timeline.history(), last_cycle: timeline.last_cycle() };
    let time = selector.time.as_ref();
    Ok(match resolve_time(time, dialect, facts, None, &mut Vec::new())? {
        When::One(State::Working) => Asked::Working,
        When::One(State::Cycle(cycle)) => Asked::Snapshot(cycle),
        When::Every => Asked::Every { snapshots: timeline.history().len() },
        When::Range { stops, .. } => Asked::Range {
            newest: stops.first().map_or(0, |stop| stop.cycle),
            oldest: stops.last().map_or(0, |stop| stop.cycle),
            snapshots: stops.len() as u64,
        },
    })
}
