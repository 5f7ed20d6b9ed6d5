//! What the operations answer, as plain data.

use crate::lifecycle::Policy;
use serde::{Deserialize, Serialize};

/// The node that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct IdReply {
    /// Its id; none if the place matches nothing and ends in `?`.
    // It is always there: by it this answer is told from those to other edits.
    #[serde(deserialize_with = "Option::deserialize")]
    pub id: Option<String>,
}

/// The nodes concerned, in result order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct IdsReply {
    /// Their ids.
    pub ids: Vec<String>,
}

/// A cadence that was ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct KeyReply {
    /// Its key.
    pub key: String,
}

/// A closed cycle.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CommitReply {
    /// The cycle.
    pub cycle: u64,
    /// The new turn; a restore makes none.
    pub turn: Option<String>,
    /// The topmost nodes that expired, in canonical order.
    pub expired: Vec<String>,
    /// Removable containers that became empty.
    pub cascaded: Vec<String>,
    /// Blocks that policies removed, in the order in which they went.
    pub pruned: Vec<String>,
    /// Instances that cadences put into the next head.
    pub materialized: Vec<String>,
    /// The digest of the snapshot, in hex.
    pub digest: String,
}

/// What an import made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ImportReply {
    /// The newest cycle.
    pub cycle: u64,
    /// How many cycles the import made.
    pub commits: u64,
    /// How many nodes the newest snapshot has.
    pub nodes: u64,
    /// The digest of the newest snapshot, in hex.
    pub digest: String,
    /// What else there is to say; in a reply of the protocol it stands beside this.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

/// What was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct UndoReply {
    /// The kinds of the events, in the order in which they happened.
    pub undone: Vec<String>,
    /// The sequence number of the first of them.
    pub seq: u64,
}

/// The answer to one edit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum EditReply {
    /// To an add.
    Id(IdReply),
    /// To a set, a move or a remove.
    Ids(IdsReply),
    /// To a policy.
    Policies(Vec<Policy>),
    /// To a cadence.
    Key(KeyReply),
    /// To a commit.
    Commit(Box<CommitReply>),
}

/// An event as a person reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LogEntry {
    /// Its sequence number.
    pub seq: u64,
    /// The first sequence number of its batch.
    pub group: u64,
    /// The cycle that it closes, or that was in progress.
    pub cycle: u64,
    /// When it was written, in nanoseconds since 1970.
    pub time_ns: i64,
    /// The same in words.
    pub time: String,
    /// What sort of event it is.
    pub kind: String,
    /// The nodes that it names.
    pub ids: Vec<String>,
    /// What happened, in one line.
    pub summary: String,
    /// Its hash in the chain, in hex.
    pub hash: String,
}

/// Figures of a store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Stats {
    /// Its generation.
    pub spec: String,
    /// The last cycle.
    pub cycle: u64,
    /// How many snapshots there are.
    pub snapshots: u64,
    /// How many turns are alive.
    pub turns: u64,
    /// Live nodes of the newest snapshot, in the regions and the turns.
    pub nodes: u64,
    /// Live blocks of it.
    pub blocks: u64,
    /// Their content, in bytes.
    pub content_bytes: u64,
    /// Events in the log.
    pub events: u64,
    /// Events since the last commit that are not undone.
    pub uncommitted: u64,
    /// Why the store is only read, in words; it is not there if the store can be written to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<String>,
    /// How large the file is, and what fills it.
    #[serde(flatten)]
    pub sizes: crate::store::StoreSizes,
    /// Each table of the file, if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<Vec<crate::store::TableSizes>>,
}
