//! The two orders of results (R7): the canonical one and recency.

use crate::model::{Id, Node};
use std::cmp::Reverse;

/// What recency sorts by: depth 0, 1, 2, …, then -1, then none; in each the newest first.
pub(crate) fn recency(node: &Node, depth: Option<i64>) -> (u64, Reverse<i64>, Reverse<u64>, Id) {
    let level = depth_level(depth);
    (level, Reverse(node.created_at_ns), Reverse(node.creation_index), node.id.clone())
}

/// The place of a depth in recency.
fn depth_level(depth: Option<i64>) -> u64 {
    match depth {
        // A depth is -1 or more.
        Some(depth) => u64::try_from(depth).unwrap_or(u64::MAX - 1),
        None => u64::MAX,
    }
}
