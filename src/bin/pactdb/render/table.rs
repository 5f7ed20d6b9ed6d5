//! Nodes as a table.

use super::columns::{Cell, Columns};
use super::look::{Look, Tone};
use super::node::NodeView;
use super::text::visible;

/// A table of nodes. Ages are counted to `now`, the cycle of the snapshot that was asked.
pub fn nodes(look: Look, nodes: &[NodeView], now: Option<u64>) -> String {
    let names = ["id", "in", "at", "type", "role", "age", "ttl", "content"];
    let mut table = Columns::with_head(&names).optional(&[5, 2]);
    for node in nodes {
        let age = now.and_then(|now| i64::try_from(now).ok()).map(|now| now - node.cycle);
        table.push(vec![
            Cell::new(Tone::Id, node.id.clone()),
            node.snapshot(),
            Cell::new(Tone::Dim, place(node)),
            Cell::new(Tone::Plain, node.special_type().unwrap_or_default()),
            node.voice(),
            Cell::right(Tone::Dim, age.map(|age| age.to_string()).unwrap_or_default()),
            node.remaining(""),
            node.marked_words(),
        ]);
    }
    if nodes.is_empty() { String::new() } else { table.render(look) }
}

/// Ids with the snapshots that they are from, and what was searched for.
pub fn found(look: Look, nodes: &[NodeView]) -> String {
    let mut table = Columns::default();
    for node in nodes {
        table.push(vec![
            Cell::new(Tone::Id, node.id.clone()),
            node.snapshot(),
            node.matched_words(),
        ]);
    }
    table.render(look)
}

/// Ids, one a line.
pub fn ids<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    ids.map(|id| format!("{}\n", visible(id))).collect()
}

/// The depth, and the offset if it is not 0: `d3`, `d1 -1`.
fn place(node: &NodeView) -> String {
    let depth = match node.depth {
        Some(-1) => "^sys".to_owned(),
        Some(0) => "^ah".to_owned(),
        Some(depth) => format!("d{depth}"),
        None => String::new(),
    };
    if node.offset == 0 { depth } else { format!("{depth} {:+}", node.offset) }
}
