//! What the tree asks of whoever keeps its committed parts. Storage implements it; tests and
//! empty stores may answer with nothing.

use super::{Id, Node, Place, PruneRank, Slot, Spine, Subtree};
use crate::budget::Stopped;
use crate::cause::{Cause, Failure};
use crate::code::Code;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

/// Why a committed part could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// What is stored is not what was written.
    #[error("{0}")]
    Corrupt(String),
    /// The storage below failed.
    #[error("{0}")]
    Io(Failure),
    /// Whoever asked is not interested any more, or the time was over.
    #[error("{0}")]
    Stopped(#[from] Stopped),
}

impl ReadError {
    /// The code of R11.
    pub fn code(&self) -> Code {
        match self {
            ReadError::Corrupt(_) => Code::LogCorrupt,
            ReadError::Io(_) => Code::StoreIo,
            ReadError::Stopped(stopped) => stopped.code(),
        }
    }

    /// What stands behind it.
    pub fn cause(&self) -> Cause {
        match self {
            ReadError::Io(failure) => failure.cause.clone(),
            ReadError::Corrupt(_) | ReadError::Stopped(_) => Cause::default(),
        }
    }
}

/// The newest node that was ever made with a key, alive or gone (R4.7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The node, as it was last seen.
    pub node: Arc<Node>,
    /// Whether somebody ended the cadence by name.
    pub ended: bool,
    /// Whether an edit removed it.
    pub removed: bool,
}

impl Instance {
    /// An instance that was just made.
    pub fn new(node: Arc<Node>) -> Instance {
        Instance { node, ended: false, removed: false }
    }

    /// Whether its cadence runs.
    pub fn runs(&self) -> bool {
        !self.ended && !self.removed && self.node.cad.is_some()
    }
}

/// A snapshot without its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skeleton {
    /// The root's headers.
    pub root: Arc<Node>,
    /// The headers of `^seq`.
    pub seq: Arc<Node>,
    /// The live turns.
    pub spine: Spine,
}

/// A part that a commit changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedPart {
    /// Where it is.
    pub place: Place,
    /// Whether it is in the snapshot before.
    pub before: bool,
    /// Whether it is in the snapshot of the commit.
    pub after: bool,
}

/// How much of a thread (R9.5) something is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ThreadSize {
    /// Blocks.
    pub blocks: u64,
    /// The bytes of their contents.
    pub bytes: u64,
}

impl ThreadSize {
    /// This and that.
    pub fn plus(self, other: ThreadSize) -> ThreadSize {
        ThreadSize { blocks: self.blocks + other.blocks, bytes: self.bytes + other.bytes }
    }

    /// This without that.
    pub fn minus(self, other: ThreadSize) -> ThreadSize {
        ThreadSize {
            blocks: self.blocks.saturating_sub(other.blocks),
            bytes: self.bytes.saturating_sub(other.bytes),
        }
    }
}

/// Read access to the committed parts of a tree. Every answer about a committed cycle stays the
/// same for ever.
pub trait TurnSource: Debug + Send + Sync {
    /// A part of the tree as it was in the snapshot of `cycle`.
    fn part(&self, place: Place, cycle: u64) -> Result<Arc<Subtree>, ReadError>;

    /// What holds the parts of a snapshot together.
    fn skeleton(&self, cycle: u64) -> Result<Skeleton, ReadError>;

    /// The place that a node was last put in, at or before `cycle`. It may have gone since.
    fn place_of(&self, id: &str, cycle: u64) -> Result<Option<Place>, ReadError>;

    /// A node of a part as it is in the newest snapshot that has it.
    fn last_seen(&self, id: &str) -> Result<Option<Arc<Node>>, ReadError>;

    /// Whether an id was ever used by a committed cycle.
    fn was_used(&self, id: &str) -> Result<bool, ReadError>;

    /// Nodes that at some time named `id` in their `refs`; some may not any more.
    fn may_refer_to(&self, id: &str) -> Result<Vec<Id>, ReadError>;

    /// The newest instance of a key.
    fn newest_instance(&self, key: &str) -> Result<Option<Instance>, ReadError>;

    /// Places that may hold a node due at one of the cycles `after + 1 ..= upto`.
    fn may_expire(&self, after: u64, upto: u64) -> Result<BTreeSet<Place>, ReadError>;

    /// How much of the thread of the newest snapshot is in the turns before a slot; `all` is how much
    /// is in all turns. Nothing is before any if that is not kept.
    fn turns_before(&self, slot: Slot, all: ThreadSize) -> Result<ThreadSize, ReadError> {
        let _ = (slot, all);
        Ok(ThreadSize::default())
    }

    /// The turns whose blocks [`TurnSource::ranked`] does not know as they are at `cycle`; none if it
    /// knows nothing of that cycle.
    fn unranked(&self, cycle: u64) -> Result<Option<BTreeSet<Slot>>, ReadError> {
        let _ = cycle;
        Ok(None)
    }

    /// The next blocks of all other turns in the order in which a policy would remove them, after one
    /// of them or from the first; no more if there are none.
    fn ranked(&self, after: Option<&PruneRank>) -> Result<Vec<(PruneRank, Slot)>, ReadError> {
        let _ = after;
        Ok(Vec::new())
    }
}
