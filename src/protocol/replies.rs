//! What operations answer, where no module below has a type for it.

use crate::change::Attempt;
use crate::db::{EditReply, ImportReply};
use crate::json::Json;
use crate::language::Dialect;
use crate::model::Id;
use crate::query::{DiffReply, RangeDiffLatestResult, RichDiffReply};
use crate::session::{ImportReport, Step};
use serde::{Deserialize, Serialize};

/// What a selector yields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Selection {
    /// Ids, in result order.
    Ids(Vec<Id>),
    /// What changed over a range.
    Range(Box<RangeDiffLatestResult>),
}

/// What differs between two states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Difference {
    /// With values, moves, and what parents gained and lost.
    Rich(Box<RichDiffReply>),
    /// Ids and names of fields.
    Plain(DiffReply),
}

/// The answers to the operations of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BatchReply {
    /// One for each operation, in order.
    pub results: Vec<EditReply>,
}

/// The record of a provider call, or those that a list asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Attempts {
    /// The one that was started or finished.
    One(Box<Attempt>),
    /// Those of a list.
    List(Vec<Attempt>),
}

/// What an import made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Imported {
    /// Of a document in a foreign format.
    Document(Box<ImportReport>),
    /// Of a snapshot, or of messages.
    Plain(ImportReply),
}

/// The events of a replay; none if each was sent as a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Replayed {
    /// One after the other.
    Steps(Vec<Step>),
    /// Those of each cycle.
    Cycles(Vec<Vec<Step>>),
}

/// What a dump holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dumped {
    /// Events.
    pub events: u64,
    /// The hash of the last one, in hex.
    pub hash: String,
    /// The last cycle that is closed in it.
    pub cycle: u64,
    /// The lines, each an object; not there if each was sent as a part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Json>,
}

/// What packing a file gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compacted {
    /// The bytes of the file before.
    pub before: u64,
    /// Its bytes now.
    pub after: u64,
    /// Whether the tables were packed; where the disk has no room they stay as they are.
    pub packed: bool,
    /// Whether they were written into a new file, which took the place of the old one.
    #[serde(default)]
    pub copied: bool,
}

/// What sort of states an address means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum StateKind {
    /// The working state.
    Working,
    /// The snapshot of a cycle.
    Snapshot,
    /// The working state right after an event.
    Event,
    /// A range of snapshots.
    Range,
    /// Every snapshot.
    Every,
}

/// Which states were meant, and where the store stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StateReply {
    /// What sort of states.
    pub kind: StateKind,
    /// The last cycle committed in it; of several states, that of the newest.
    pub cycle: u64,
    /// Of several states, the cycle of the oldest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest: Option<u64>,
    /// The event that it is the state after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
    /// The cycle that ages are counted to, if it is one state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<u64>,
    /// How many turns are alive in it, if it is one state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// How many snapshots are meant, if it is not one state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshots: Option<u64>,
    /// How many nodes the selector finds without its `@limit` and `@skip`, if that was asked and it
    /// is not about a range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether there may be more of them: counting ends after 10,000 and after 50 ms.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// The store.
    pub store: StoreState,
}

/// A selector in canonical form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Formatted {
    /// Its canonical text.
    pub canonical: String,
    /// The dialect that it is said in.
    pub dialect: Dialect,
    /// What was done that is more than another spelling.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How far a watch came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchedUntil {
    /// How many events were told.
    pub told: u64,
    /// The last of them; a watch `after` it goes on where this one ended.
    pub after: u64,
}

/// Where a store stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoreState {
    /// Its generation.
    pub spec: String,
    /// The dialect of its selectors.
    pub dialect: Dialect,
    /// The last cycle.
    pub cycle: u64,
    /// How many snapshots there are.
    pub snapshots: u64,
    /// Events in the log.
    pub events: u64,
    /// Events since the last commit that are not undone.
    pub uncommitted: u64,
}

/// What could be typed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Completed {
    /// The bytes of the line that a candidate replaces.
    pub span: (u64, u64),
    /// The candidates.
    pub candidates: Vec<String>,
}
