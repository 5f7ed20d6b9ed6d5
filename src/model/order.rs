//! The only comparators of the crate (R7.1, R4.4). Everything that sorts nodes comes here.

use super::{Id, Node};
use std::cmp::Ordering;

/// The order of siblings: offset, time, creation index, then id by bytes.
pub fn sibling_order(a: &Node, b: &Node) -> Ordering {
    (a.offset, a.created_at_ns, a.creation_index, &a.id).cmp(&(
        b.offset,
        b.created_at_ns,
        b.creation_index,
        &b.id,
    ))
}

/// Where a block stands in the order in which policies remove: priority, then age, then id.
pub type PruneRank = (i64, i64, Id);

/// The rank of a block.
pub fn prune_rank(node: &Node) -> PruneRank {
    (node.priority, node.created_at_ns, node.id.clone())
}
