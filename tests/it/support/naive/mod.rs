//! A naive evaluator of selectors: a second reading of R1.5 and R5–R8, slow and obvious.
//!
//! It sees a state only as an exported document, and shares the syntax tree with the engine but
//! nothing behind it. There is no plan and no index: every step looks at every node. Answers are
//! ids, or JSON values in the shape of the protocol.

pub(crate) mod chain;
pub(crate) mod compare;
pub(crate) mod compound;
pub(crate) mod diff;
pub(crate) mod number;
pub(crate) mod order;
pub(crate) mod position;
pub(crate) mod range;
pub(crate) mod select;
pub(crate) mod time;
pub(crate) mod tree;
pub(crate) mod types;

pub(crate) use select::Answer;

use pactdb::Dialect;
use serde_json::Value;
use tree::Tree;

/// Every code of R11 that is right for a question without an answer.
pub(crate) type Wrong = Vec<&'static str>;

/// All states of a store, as documents.
pub(crate) struct Store {
    /// The snapshots, oldest first.
    pub(crate) snapshots: Vec<(u64, Tree)>,
    pub(crate) working: Tree,
    pub(crate) last_cycle: u64,
    /// The working state right after events: the event, the last cycle committed by then.
    pub(crate) events: Vec<(u64, u64, Tree)>,
}

impl Store {
    /// `snapshots` are exports, oldest first; `working` is the export of the working state. `word`
    /// is the store's own word for a container.
    pub(crate) fn new(snapshots: &[Value], working: &Value, word: &str) -> Store {
        let last_cycle = working["cycle"].as_u64().unwrap();
        let snapshots = snapshots.iter().map(|document| {
            let cycle = document["cycle"].as_u64().unwrap();
            (cycle, Tree::new(document, cycle as i64, word))
        });
        Store {
            snapshots: snapshots.collect(),
            // R13: an age in the working state counts to the coming cycle.
            working: Tree::new(working, last_cycle as i64 + 1, word),
            last_cycle,
            events: Vec::new(),
        }
    }

    /// Learns the export of the working state as it was right after an event.
    pub(crate) fn after_event(&mut self, seq: u64, document: &Value, word: &str) {
        let cycle = document["cycle"].as_u64().unwrap();
        self.events.push((seq, cycle, Tree::new(document, cycle as i64 + 1, word)));
    }
}

/// What the dialect decides in a single state (R6.1).
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) dialect: Dialect,
}
