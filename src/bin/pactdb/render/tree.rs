//! A state as a tree: regions, turns with their depth, blocks with who speaks, how old they are,
//! what remains of their time, and their first words.

use super::columns::{Cell, Columns};
use super::look::{Look, Tone};
use super::node::NodeView;
use super::text::{cut, visible};
use super::units::plural;
use std::collections::HashMap;

/// A state, or parts of one, to be drawn.
#[derive(Debug, Clone)]
pub struct TreeView {
    /// The cycle that ages are counted to.
    pub now: u64,
    /// One below the other.
    pub parts: Vec<TreePart>,
}

/// A part of a drawing.
#[derive(Debug, Clone)]
pub enum TreePart {
    /// Nodes with what is below them, in pre-order.
    Nodes {
        /// The nodes.
        nodes: Vec<NodeView>,
        /// How many more there would be behind them.
        left_out: u64,
    },
    /// Turns.
    Turns {
        /// How many there are.
        count: u64,
        /// How many of the newest are shown.
        shown: u64,
        /// Those, with what is below them, in pre-order.
        nodes: Vec<NodeView>,
    },
}

/// A state as a tree.
pub fn tree(look: Look, view: &TreeView) -> String {
    let mut painter = Painter { table: Columns::default(), now: view.now };
    for part in &view.parts {
        match part {
            TreePart::Nodes { nodes, left_out } => {
                painter.add(nodes, false);
                painter.left_out(*left_out, "more node");
            }
            TreePart::Turns { count, shown, nodes } => painter.turns(*count, *shown, nodes),
        }
    }
    painter.table.render(look)
}

struct Painter {
    table: Columns,
    now: u64,
}

impl Painter {
    fn line(&mut self, cells: Vec<Cell>) {
        self.table.push(cells);
    }

    fn turns(&mut self, count: u64, shown: u64, nodes: &[NodeView]) {
        let words = format!("  {}", plural(count, "turn"));
        self.line(vec![Cell::new(Tone::Region, "^seq").and(Tone::Dim, words)]);
        self.left_out(count - shown, "older turn");
        if shown > 0 {
            self.add(nodes, true);
        }
    }

    /// Says that something is missing here, and how to see it.
    fn left_out(&mut self, count: u64, what: &str) {
        if count > 0 {
            let words =
                format!("⋮  {} not shown: --turns N or --all shows more", plural(count, what));
            self.line(vec![Cell::new(Tone::Dim, words)]);
        }
    }

    /// Adds nodes in pre-order. A node whose parent is not among them is a top; `below` says that
    /// tops hang from the line before.
    fn add(&mut self, nodes: &[NodeView], below: bool) {
        let index: HashMap<&str, usize> =
            nodes.iter().enumerate().map(|(i, node)| (node.id.as_str(), i)).collect();
        let parent = |node: &NodeView| node.parent.as_deref().and_then(|id| index.get(id)).copied();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        let mut tops = Vec::new();
        for (i, node) in nodes.iter().enumerate() {
            match parent(node) {
                Some(above) if above != i => children[above].push(i),
                _ => tops.push(i),
            }
        }
        let mut stack: Vec<(usize, String, String)> = match below {
            true => branches(&tops, ""),
            false => tops.iter().rev().map(|top| (*top, String::new(), String::new())).collect(),
        };
        while let Some((i, lead, rest)) = stack.pop() {
            self.node(&nodes[i], &lead, children[i].is_empty());
            stack.extend(branches(&children[i], &rest));
        }
    }

    fn node(&mut self, node: &NodeView, lead: &str, is_leaf: bool) {
        let mut name = Cell::new(Tone::Dim, lead);
        if node.node_type.starts_with('^') {
            name = name.and(Tone::Region, node.node_type.clone());
            let words = if is_leaf { "  empty" } else { "" };
            self.line(vec![name.and(Tone::Dim, words)]);
            return;
        }
        if node.offset != 0 {
            name = name.and(Tone::Dim, format!("{:+} ", node.offset));
        }
        if let Some(special) = node.special_type() {
            name = name.and(Tone::Plain, format!("{} ", cut(&visible(special), 20)));
        }
        name = name.and(Tone::Id, node.id.clone());
        if let (Some(depth @ 1..), true) = (node.depth, node.is_turn()) {
            name = name.and(Tone::Dim, format!("  d{depth}"));
        }
        let age = i64::try_from(self.now).unwrap_or(i64::MAX) - node.cycle;
        let is_block = !(node.is_turn() || is_container(node));
        let age = if is_block && age > 0 { format!("age {age}") } else { String::new() };
        self.line(vec![
            name,
            node.voice(),
            Cell::new(Tone::Dim, age),
            node.remaining("ttl "),
            node.marked_words(),
        ]);
    }
}

/// Children with what stands before each of them and before what is below it, the last one first.
fn branches(children: &[usize], indent: &str) -> Vec<(usize, String, String)> {
    let last = children.len().saturating_sub(1);
    let with_lead = |(n, child): (usize, &usize)| {
        let (branch, rest) = if n == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        (*child, format!("{indent}{branch}"), format!("{indent}{rest}"))
    };
    children.iter().enumerate().rev().map(with_lead).collect()
}

fn is_container(node: &NodeView) -> bool {
    matches!(node.node_type.split(':').next(), Some("mc" | "cont"))
}
