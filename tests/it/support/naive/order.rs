//! The order of results (R7).

use super::tree::{Node, Tree};
use pactdb::language::ast::Order;
use std::cmp::Reverse;

pub(crate) fn arrange(tree: &Tree, nodes: &mut [usize], order: Order) {
    match order {
        Order::Path => nodes.sort_unstable(),
        Order::Recent => nodes.sort_by_key(|node| recency(&tree.nodes[*node])),
        Order::Id => {
            nodes.sort_by_key(|node| tree.nodes[*node].get("id").as_str().map(String::from))
        }
    }
}

/// Depth 0, 1, 2, … then −1, then none; within a depth the newest first.
fn recency(node: &Node) -> impl Ord + use<> {
    let depth = match node.depth {
        Some(-1) => i64::MAX - 1,
        Some(depth) => depth,
        None => i64::MAX,
    };
    let number = |name| Reverse(node.get(name).as_i64());
    let id = node.get("id").as_str().map(String::from);
    (depth, number("created_at_ns"), number("creation_index"), id)
}
