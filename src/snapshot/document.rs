//! A snapshot document as it was read: its nodes, what it says of their births, and its faults.
//!
//! How a document is read is the business of `import` and `headers`.

use crate::json::Json;
use crate::model::{Generation, Node};

/// A fault in a document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (at {path})")]
pub struct ImportError {
    /// Whether it is a bound of the engine, and not a rule, that it breaks.
    pub limit: bool,
    /// Where, as a JSON path.
    pub path: String,
    /// What is wrong and what would be right.
    pub message: String,
}

/// A node of a document, its content beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentNode {
    /// The node; its content reference is not set.
    pub node: Node,
    /// Its content.
    pub content: Option<Json>,
    /// The index of its parent in the same list; its own for the first.
    pub parent: u32,
    /// What the document says of its birth; the rest has its default.
    pub given: Given,
}

/// Which headers of a node's birth a document gives. A node that history has keeps the others
/// (R14.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Given {
    /// Its cycle.
    pub cycle: bool,
    /// Its `created_at_ns`.
    pub time: bool,
    /// Its `created_at_iso`.
    pub iso: bool,
    /// Its creation index.
    pub index: bool,
}

impl Given {
    /// All of them.
    pub const ALL: Given = Given { cycle: true, time: true, iso: true, index: true };
}

/// A snapshot document that obeys the rules. Siblings are in the document's order.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The generation that it names, if it names one.
    pub generation: Option<Generation>,
    /// The cycle that it makes.
    pub cycle: u64,
    /// The root.
    pub root: DocumentNode,
    /// `^seq`, without its turns.
    pub seq: DocumentNode,
    /// `^sys` and what is in it, in pre-order.
    pub sys: Vec<DocumentNode>,
    /// `^ah` and what is in it, in pre-order.
    pub ah: Vec<DocumentNode>,
    /// Each turn and what is in it, in pre-order.
    pub turns: Vec<Vec<DocumentNode>>,
}
