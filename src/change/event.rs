//! Events: what happened, with every input that the log does not determine by itself (R3.1).
//!
//! An event names nodes by id and carries the nodes that it makes whole, so applying it needs no
//! clock, no randomness and no judgement. How events are written down is the log's business.

use crate::json::Json;
use crate::lifecycle::Policy;
use crate::model::{ContentRef, Generation, Id, Lifetime, Name, Node, TextField};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Something that happened to a store.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The store was made.
    Created {
        /// Its generation of the specification.
        generation: Generation,
    },
    /// A node was added.
    Added(Addition),
    /// Headers of nodes were set.
    Changed {
        /// The nodes.
        ids: Vec<Id>,
        /// What was set.
        change: Change,
    },
    /// Nodes were moved, one after the other.
    Moved {
        /// The steps.
        steps: Vec<Relocation>,
    },
    /// Nodes were removed, with what was below them.
    Removed {
        /// The topmost of them.
        ids: Vec<Id>,
    },
    /// The pruning policies were set.
    PolicySet {
        /// All policies in force from now on.
        policies: Vec<Policy>,
    },
    /// A cadence was ended by name.
    CadenceEnded {
        /// Its key.
        key: Name,
    },
    /// A provider call was started or finished.
    Attempt(Attempt),
    /// An earlier uncommitted edit, or batch of edits, was taken back.
    Undone {
        /// The sequence number of its first event.
        group: u64,
    },
    /// A cycle was committed.
    Committed(Commit),
    /// A snapshot was imported.
    Imported(Import),
    /// A past snapshot was made the newest one.
    Restored(Restore),
    /// Where what follows came from, or all that is before.
    Origin(Origin),
}

impl Event {
    /// The event's kind in one word, as the log shows it.
    pub fn kind(&self) -> &'static str {
        match self {
            Event::Created { .. } => "created",
            Event::Added(_) => "add",
            Event::Changed { .. } => "set",
            Event::Moved { .. } => "move",
            Event::Removed { .. } => "remove",
            Event::PolicySet { .. } => "policy",
            Event::CadenceEnded { .. } => "cadence",
            Event::Attempt(_) => "attempt",
            Event::Undone { .. } => "undo",
            Event::Committed(_) => "commit",
            Event::Imported(_) => "import",
            Event::Restored(_) => "restore",
            Event::Origin(_) => "origin",
        }
    }

    /// Whether `undo` can take it back.
    pub fn is_undoable(&self) -> bool {
        self.edits_tree() || matches!(self, Event::PolicySet { .. })
    }

    /// Whether it is an edit that stands in the way of an import or a restore.
    pub fn edits_tree(&self) -> bool {
        matches!(
            self,
            Event::Added(_)
                | Event::Changed { .. }
                | Event::Moved { .. }
                | Event::Removed { .. }
                | Event::CadenceEnded { .. }
        )
    }

    /// The contents that its nodes name.
    pub fn contents(&self) -> Vec<ContentRef> {
        let of = |node: &Arc<Node>| node.content;
        let additions = |list: &[Addition]| list.iter().filter_map(|a| of(&a.node)).collect();
        match self {
            Event::Added(addition) => additions(std::slice::from_ref(addition)),
            Event::Changed { change, .. } => change.content.flatten().into_iter().collect(),
            Event::Committed(commit) => additions(&commit.materialized),
            Event::Restored(restore) => additions(&restore.materialized),
            Event::Imported(import) => {
                let parts = [&import.sys, &import.ah].into_iter().chain(&import.turns);
                let nodes = parts.flatten().map(|(node, _)| node).chain(&import.regions);
                nodes.filter_map(of).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether it closes a cycle.
    pub fn closes_cycle(&self) -> bool {
        matches!(self, Event::Committed(_) | Event::Imported(_) | Event::Restored(_))
    }
}

/// A new node and where it goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Addition {
    /// The parent; the core's id if a core is made with it.
    pub parent: Id,
    /// The node.
    pub node: Arc<Node>,
    /// A core for the active head, made first.
    pub core: Option<Arc<Node>>,
    /// Siblings that make room, with their new offsets.
    pub shifts: Vec<(Id, i64)>,
}

/// A node that changes its parent or offset.
#[derive(Debug, Clone, PartialEq)]
pub struct Relocation {
    /// The node.
    pub id: Id,
    /// Its new parent.
    pub parent: Id,
    /// Its new offset.
    pub offset: i64,
    /// A core for the active head, made first.
    pub core: Option<Arc<Node>>,
}

/// Headers to set; `None` leaves one alone, `Some(None)` removes it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Change {
    /// The content.
    pub content: Option<Option<ContentRef>>,
    /// The time to live, already counted from its cycle.
    pub lifetime: Option<Option<Lifetime>>,
    /// The priority.
    pub priority: Option<i64>,
    /// The tags.
    pub tags: Option<Vec<Name>>,
    /// The cadence.
    pub cad: Option<Option<u64>>,
    /// Whether it is pinned.
    pub pinned: Option<bool>,
    /// The references.
    pub refs: Option<Vec<Id>>,
    /// Texts.
    pub texts: BTreeMap<TextField, Option<Name>>,
    /// Custom attributes.
    pub attrs: BTreeMap<Name, Option<Json>>,
    /// The content hashes of the nodes after the change, in the order of the event's ids; empty
    /// if none changes.
    pub hashes: Vec<Option<[u8; 32]>>,
}

/// The commit of a cycle: the inputs that are not determined by what came before.
#[derive(Debug, Clone, PartialEq)]
pub struct Commit {
    /// The cycle.
    pub cycle: u64,
    /// The new turn.
    pub turn: Id,
    /// The core made for it, if the head had none.
    pub core: Option<Id>,
    /// When the turn was made; a core made with it is one nanosecond younger.
    pub created_at_ns: i64,
    /// Instances that cadences put into the next head, in order.
    pub materialized: Vec<Addition>,
    /// The digest of the snapshot.
    pub digest: [u8; 32],
}

/// The import of a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// The cycle it makes.
    pub cycle: u64,
    /// The root and the regions, in the order root, sys, seq, ah.
    pub regions: [Arc<Node>; 4],
    /// The other nodes: for `^sys`, `^ah` and each turn, in pre-order with parent indexes.
    pub sys: Vec<(Arc<Node>, u32)>,
    /// See `sys`.
    pub ah: Vec<(Arc<Node>, u32)>,
    /// See `sys`; the first node of each is the turn itself.
    pub turns: Vec<Vec<(Arc<Node>, u32)>>,
    /// The digest of the snapshot.
    pub digest: [u8; 32],
}

/// The restoration of a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct Restore {
    /// The snapshot.
    pub at: u64,
    /// The cycle it makes.
    pub cycle: u64,
    /// Instances that cadences put into the next head, in order.
    pub materialized: Vec<Addition>,
    /// The digest of the new snapshot.
    pub digest: [u8; 32],
}

/// Where a part of a log came from. It says nothing about the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// How it came.
    pub kind: OriginKind,
    /// What it was called where it came from: a file, or a store.
    pub name: Option<String>,
    /// The format that an import was in.
    pub format: Option<String>,
    /// The name that the imported session gives itself.
    pub session: Option<String>,
    /// A digest of the imported records; the hash of the last record that a fork shares.
    pub digest: [u8; 32],
    /// The last cycle that a fork shares.
    pub cycle: Option<u64>,
}

/// How a part of a log came to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginKind {
    /// The turns that follow were imported.
    Import,
    /// Everything before is the history of another store.
    Fork,
}

impl Origin {
    /// The names under which it is found again.
    pub fn keys(&self) -> Vec<String> {
        let kind = match self.kind {
            OriginKind::Import => "import",
            OriginKind::Fork => "fork",
        };
        let digest = format!("{kind} {}", crate::snapshot::hex(&self.digest));
        let session = self.session.as_ref().map(|session| {
            format!("{kind} {} session {session}", self.format.as_deref().unwrap_or_default())
        });
        std::iter::once(digest).chain(session).collect()
    }
}

/// How a provider call went (R10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AttemptStatus {
    /// It has not ended.
    Running,
    /// It ended well.
    Completed,
    /// Somebody stopped it.
    Canceled,
    /// It failed.
    Error,
}

impl std::str::FromStr for AttemptStatus {
    type Err = String;

    fn from_str(name: &str) -> Result<AttemptStatus, String> {
        Ok(match name {
            "running" => AttemptStatus::Running,
            "completed" => AttemptStatus::Completed,
            "canceled" => AttemptStatus::Canceled,
            "error" => AttemptStatus::Error,
            other => return Err(format!("a status is completed, canceled or error, not {other}")),
        })
    }
}

/// A provider call inside a cycle. Telemetry: never part of the tree.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Attempt {
    /// Its name.
    pub attempt_id: String,
    /// The cycle in progress when it started.
    pub cycle_id: u64,
    /// How it went.
    pub status: AttemptStatus,
    /// When it started, in nanoseconds since 1970.
    pub started_at: i64,
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
    /// The event after which it was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_event: Option<u64>,
    /// The format of the thread that it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_format: Option<String>,
    /// SHA-256 over the bytes of that thread; in JSON as lower-case hex.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "hex_hash")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub thread_sha256: Option<[u8; 32]>,
}

/// A hash as JSON has it.
mod hex_hash {
    use crate::snapshot::{hex, unhex};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(
        hash: &Option<[u8; 32]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match hash {
            Some(hash) => serializer.serialize_some(&hex(hash)),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<[u8; 32]>, D::Error> {
        let wrong = || D::Error::custom("a hash is 64 digits of lower-case hex");
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| unhex(&text).ok_or_else(wrong)).transpose()
    }
}

impl Attempt {
    /// How long it took, once it has ended and if its times make sense.
    pub fn duration_ns(&self) -> Option<i64> {
        // Times may be given, and then they may contradict each other.
        self.ended_at?.checked_sub(self.started_at).filter(|duration| *duration >= 0)
    }
}
