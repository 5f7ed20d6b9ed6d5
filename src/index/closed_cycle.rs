//! A cycle that was closed, as what is derived from it needs it.

use crate::change::{Closed, State};
use serde::{Deserialize, Serialize};

/// How a cycle was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CycleKind {
    /// By a commit.
    Commit,
    /// By an import.
    Import,
    /// By restoring the snapshot of a cycle.
    Restore(u64),
}

/// What the derived rows of a cycle are made from.
#[derive(Clone, Copy)]
pub(crate) struct ClosedCycle<'a> {
    pub(crate) closed: &'a Closed,
    /// The state after it, before cadences.
    pub(crate) next: &'a State,
    pub(crate) kind: CycleKind,
    /// The sequence number of the event that closed it.
    pub(crate) seq: u64,
    /// The time of that event.
    pub(crate) time: i64,
}
