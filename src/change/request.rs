//! Edits as they are asked for, once selectors are resolved: nodes are named by id.

use super::Attempt;
use crate::json::{Json, Map};
use crate::lifecycle::Policy;
use crate::model::{Id, TextField};

/// What a decision may use beside the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// The sequence number that the event will have.
    pub seq: u64,
    /// The wall clock, in nanoseconds since 1970.
    pub now: i64,
}

/// One edit.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// Add a node.
    Add(Box<Add>),
    /// Set headers.
    Set(Box<Set>),
    /// Move nodes.
    Move(Move),
    /// Remove nodes.
    Remove(Remove),
    /// Set the pruning policies.
    Policy(Vec<Policy>),
    /// End a cadence.
    EndCadence(String),
    /// Record a provider call.
    Attempt(Box<Attempt>),
}

/// Where a new node goes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Parent {
    /// Below this node; a turn or the head means its core if the offset is 0.
    Node(Id),
    /// Into the core of the head, which is made if it is missing.
    #[default]
    HeadCore,
}

/// A place among the children of the parent (R3.5); children count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Insert {
    /// Before the first child.
    Start,
    /// After the last child.
    End,
    /// After child N.
    After(u64),
    /// Before child N.
    Before(u64),
}

/// A node to add. Values are as given; what is wrong with them is found by the decision.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Add {
    /// Its parent.
    pub parent: Parent,
    /// Its place among the parent's children, instead of an offset.
    pub insert: Option<Insert>,
    /// Its type; the store's word for a block or a container if there is none.
    pub node_type: Option<String>,
    /// Whether it is a container, for types that do not say so.
    pub container: Option<bool>,
    /// Its id; the engine makes one if there is none.
    pub id: Option<String>,
    /// See [`Node`](crate::model::Node).
    pub role: Option<String>,
    /// See [`Node`](crate::model::Node).
    pub kind: Option<String>,
    /// See [`Node`](crate::model::Node).
    pub key: Option<String>,
    /// See [`Node`](crate::model::Node).
    pub tags: Vec<String>,
    /// Its time to live in cycles.
    pub ttl: Option<i64>,
    /// See [`Node`](crate::model::Node).
    pub cad: Option<i64>,
    /// Its offset, 0 if none is given.
    pub offset: Option<i64>,
    /// See [`Node`](crate::model::Node).
    pub priority: i64,
    /// Its content.
    pub content: Option<Json>,
    /// See [`Node`](crate::model::Node).
    pub refs: Vec<String>,
    /// See [`Node`](crate::model::Node).
    pub pinned: bool,
    /// See [`Node`](crate::model::Node).
    pub removable: bool,
    /// See [`Node`](crate::model::Node).
    pub provenance: Option<String>,
    /// See [`Node`](crate::model::Node).
    pub mime: Option<String>,
    /// See [`Node`](crate::model::Node).
    pub encoding: Option<String>,
    /// Custom attributes; a null one is not set.
    pub attrs: Map,
    /// Headers that are kept among the attributes.
    pub headers: Map,
    /// The time it was made; the wall clock if none is given.
    pub created_at_ns: Option<i64>,
}

impl Add {
    /// The texts that it gives the node.
    pub fn texts(&self) -> [(TextField, &Option<String>); TextField::ALL.len()] {
        [
            (TextField::Role, &self.role),
            (TextField::Kind, &self.kind),
            (TextField::Key, &self.key),
            (TextField::Provenance, &self.provenance),
            (TextField::Mime, &self.mime),
            (TextField::Encoding, &self.encoding),
        ]
    }
}

/// Headers to set on nodes: `None` leaves one alone, `Some(None)` removes it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Set {
    /// The nodes, in result order.
    pub targets: Vec<Id>,
    /// The content.
    pub content: Option<Option<Json>>,
    /// The time to live, counted from the cycle in progress.
    pub ttl: Option<Option<i64>>,
    /// The priority.
    pub priority: Option<i64>,
    /// The key.
    pub key: Option<Option<String>>,
    /// The tags.
    pub tags: Option<Vec<String>>,
    /// The cadence.
    pub cad: Option<Option<i64>>,
    /// Whether it is pinned.
    pub pinned: Option<bool>,
    /// The references.
    pub refs: Option<Vec<String>>,
    /// The media type.
    pub mime: Option<Option<String>>,
    /// The encoding.
    pub encoding: Option<Option<String>>,
    /// Custom attributes; null removes one.
    pub attrs: Map,
    /// Headers that are kept among the attributes; null removes one.
    pub headers: Map,
}

impl Set {
    /// The texts that it sets.
    pub fn texts(&self) -> [(TextField, &Option<Option<String>>); 3] {
        [
            (TextField::Key, &self.key),
            (TextField::Mime, &self.mime),
            (TextField::Encoding, &self.encoding),
        ]
    }
}

/// Nodes to move below another parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The nodes, in result order.
    pub targets: Vec<Id>,
    /// The new parent.
    pub to: Id,
    /// The new offset; each keeps its own if none is given.
    pub offset: Option<i64>,
    /// The time of a core that has to be made.
    pub created_at_ns: Option<i64>,
}

/// Nodes to remove, with what is below them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remove {
    /// The nodes, in result order.
    pub targets: Vec<Id>,
    /// Also if others refer to them.
    pub force: bool,
}
