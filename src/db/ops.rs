//! Requests and replies of the operations, as plain data.
//!
//! Nodes are named by selectors in text. In Rust, fill in what you need and leave the rest to
//! `..Default::default()`; as JSON they have the fields of the operation protocol.

use crate::json::{Json, Map};
use crate::lifecycle::Policy;
use serde::Serialize;

/// Adds a node.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AddRequest {
    /// Where: a selector or a position; `^ah` if there is none. With `?` at its end it may match
    /// nothing, and then nothing happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Its type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub node_type: Option<String>,
    /// Whether it is a container, for types that do not say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<bool>,
    /// Its id; one is made if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Who speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// What sort of thing it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The family that it is an instance of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Cycles to live.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<i64>,
    /// Cycles until it comes back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cad: Option<i64>,
    /// Its offset; 0 if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<i64>,
    /// Lower goes first when a policy prunes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i64>,
    /// A text or any other JSON value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Json>,
    /// Nodes that must stay while this one does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// Never pruned.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// A container that goes when it becomes empty.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub removable: bool,
    /// Who or what made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<String>,
    /// The media type of its content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// How its content is encoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Custom attributes.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub attrs: Map,
    /// When it was made; the clock if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at_ns: Option<i64>,
}

/// Sets headers of nodes: `None` leaves one alone, `Some(None)` removes it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SetRequest {
    /// Which nodes.
    pub target: String,
    /// The content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Option<Json>>,
    /// Cycles to live, from the cycle in progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<Option<i64>>,
    /// The priority; removing it means 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Option<i64>>,
    /// The key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<Option<String>>,
    /// The tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The cadence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cad: Option<Option<i64>>,
    /// Whether it is pinned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// The references.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refs: Option<Vec<String>>,
    /// The media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime: Option<Option<String>>,
    /// The encoding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Option<String>>,
    /// Custom attributes; null removes one.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub attrs: Map,
}

/// Moves nodes.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MoveRequest {
    /// Which nodes.
    pub target: String,
    /// Their new parent; with `?` at its end it may match nothing.
    pub to: String,
    /// Their new offset; each keeps its own if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<i64>,
    /// The time of a core that has to be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at_ns: Option<i64>,
}

/// Removes nodes with what is below them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RemoveRequest {
    /// Which nodes.
    pub target: String,
    /// Also if others refer to them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

/// Closes the cycle in progress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CommitRequest {
    /// When; the clock if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at_ns: Option<i64>,
    /// The last cycle that the caller knows of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_cycle: Option<i64>,
    /// Whether only to say what would happen. Not in a batch.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// An operation of a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum EditOp {
    /// Adds a node.
    Add(Box<AddRequest>),
    /// Sets headers.
    Set(Box<SetRequest>),
    /// Moves nodes.
    Move(MoveRequest),
    /// Removes nodes.
    Remove(RemoveRequest),
    /// Sets the policies.
    Policy(Vec<Policy>),
    /// Ends a cadence.
    EndCadence(String),
    /// Closes the cycle; only as the last one.
    Commit(CommitRequest),
}

/// Edits that happen together or not at all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BatchRequest {
    /// The operations, in order.
    pub ops: Vec<EditOp>,
    /// The last cycle that the caller knows of.
    pub expected_cycle: Option<i64>,
}

/// Makes a past snapshot the newest one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RestoreRequest {
    /// The snapshot: a time address.
    pub at: String,
    /// Throws uncommitted edits away.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub discard: bool,
}

/// Compares two states.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DiffRequest {
    /// One of them: a time address, or the working state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// The other one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    /// Which nodes; all of them if there is no selector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// The rich report.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rich: bool,
    /// The dialect of the selector and the addresses; the store's own if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<crate::language::Dialect>,
}

/// Records provider calls.
#[derive(Debug, Clone, PartialEq)]
pub enum AttemptAction {
    /// One begins. What is not given is made: a name, the time.
    Start,
    /// One ends.
    Finish,
    /// Which there are.
    List,
}

/// A provider call to start, to finish or to look up (R10).
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptRequest {
    /// What to do.
    pub action: AttemptAction,
    /// Its name.
    pub attempt_id: Option<String>,
    /// How it ended.
    pub status: Option<crate::change::AttemptStatus>,
    /// When it started.
    pub started_at: Option<i64>,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// Whose model.
    pub provider: Option<String>,
    /// Which model.
    pub model: Option<String>,
    /// A hash of the parameters.
    pub params_hash: Option<String>,
    /// Tokens sent.
    pub token_in: Option<u64>,
    /// Tokens received.
    pub token_out: Option<u64>,
    /// What went wrong.
    pub error: Option<String>,
    /// For a list: only those of this cycle.
    pub cycle: Option<u64>,
}

impl AttemptRequest {
    /// A request with nothing but what to do.
    pub fn new(action: AttemptAction) -> AttemptRequest {
        AttemptRequest {
            action,
            attempt_id: None,
            status: None,
            started_at: None,
            ended_at: None,
            provider: None,
            model: None,
            params_hash: None,
            token_in: None,
            token_out: None,
            error: None,
            cycle: None,
        }
    }
}

/// The node that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IdReply {
    /// Its id; none if the place matches nothing and ends in `?`.
    pub id: Option<String>,
}

/// The nodes concerned, in result order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IdsReply {
    /// Their ids.
    pub ids: Vec<String>,
}

/// A cadence that was ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeyReply {
    /// Its key.
    pub key: String,
}

/// A closed cycle.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
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

/// Turns to import.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnsRequest {
    /// The turns, oldest first.
    pub turns: Vec<ImportTurn>,
    /// Where they come from: noted in the log, and refused if it came before.
    pub origin: Option<crate::change::Origin>,
    /// Whether to take them although they came before.
    pub again: bool,
}

/// One turn to import: blocks for `^sys` and the head, and the commit that closes it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportTurn {
    /// The blocks, in order, each with its own time.
    pub adds: Vec<AddRequest>,
    /// When the turn was closed; the clock if there is none.
    pub created_at_ns: Option<i64>,
}

/// What an import made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UndoReply {
    /// The kinds of the events, in the order in which they happened.
    pub undone: Vec<String>,
    /// The sequence number of the first of them.
    pub seq: u64,
}

/// The answer to one edit.
#[derive(Debug, Clone, PartialEq, Serialize)]
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

/// Which events to show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogRequest {
    /// The first event.
    pub from: Option<u64>,
    /// How many.
    pub limit: Option<u64>,
    /// Only those of a cycle, the one in progress too.
    pub cycle: Option<u64>,
    /// Only those of a kind.
    pub kind: Option<String>,
    /// Only those that concern the node with this id.
    pub node: Option<String>,
    /// Whether the newest comes first.
    pub newest_first: bool,
}

/// An event as a person reads it.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    /// How large the file is, and what fills it.
    #[serde(flatten)]
    pub sizes: crate::store::StoreSizes,
}
