//! The only comparators of the crate (R7.1, R4.4). Everything that sorts nodes comes here.

use super::Node;
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

/// The order in which a policy removes blocks: priority, then age, then id.
pub fn older_first(a: &Node, b: &Node) -> Ordering {
    (a.priority, a.created_at_ns, &a.id).cmp(&(b.priority, b.created_at_ns, &b.id))
}
