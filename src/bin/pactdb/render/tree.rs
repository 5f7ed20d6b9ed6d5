//! A state as a tree: regions, turns with their depth, blocks with who speaks, how old they are,
//! what remains of their time, and their first words.

use super::columns::{Cell, Columns};
use super::look::{Look, Tone};
use super::node::NodeView;
use super::text::{cut, visible};
use super::units::plural;
use pactdb::{Db, Dialect, Result, Select, Snapshot};
use std::collections::HashMap;

/// What of a tree is shown.
#[derive(Debug, Clone)]
pub struct TreeOptions {
    /// How many of the newest turns; all of them if there is no number.
    pub turns: Option<u64>,
    /// Only these nodes and what is below them, by id, in order.
    pub only: Option<Vec<String>>,
}

/// A state as a tree.
pub fn tree(look: Look, db: &Db, state: &Snapshot, options: &TreeOptions) -> Result<String> {
    let now = if state.is_committed() { state.cycle() } else { state.cycle() + 1 };
    let mut painter = Painter { table: Columns::default(), now };
    match &options.only {
        Some(ids) => {
            for id in ids {
                let id = quoted(id);
                painter.add(&read(db, state, &format!("#{id}, #{id} *"))?, false);
            }
        }
        None => whole(db, state, options, &mut painter)?,
    }
    Ok(painter.table.render(look))
}

fn whole(db: &Db, state: &Snapshot, options: &TreeOptions, painter: &mut Painter) -> Result<()> {
    painter.add(&read(db, state, "^sys, ^sys *")?, false);
    let count = state.turns();
    let shown = options.turns.unwrap_or(count).min(count);
    painter.line(vec![
        Cell::new(Tone::Region, "^seq").and(Tone::Dim, format!("  {}", plural(count, "turn"))),
    ]);
    if shown < count {
        let words =
            format!("{} not shown: ask for more, or for all", plural(count - shown, "older turn"));
        painter.line(vec![Cell::new(Tone::Dim, format!("⋮  {words}"))]);
    }
    if shown > 0 {
        let q = format!(".mt:depth(1-{shown}), .mt:depth(1-{shown}) *");
        painter.add(&read(db, state, &q)?, true);
    }
    painter.add(&read(db, state, "^ah, ^ah *")?, false);
    Ok(())
}

/// Nodes of a state, in canonical order.
fn read(db: &Db, state: &Snapshot, q: &str) -> Result<Vec<NodeView>> {
    let text = match state.address() {
        Some(at) => format!("{at} {q}"),
        None => q.to_owned(),
    };
    let nodes = db.nodes(Select::new(&text).dialect(Some(Dialect::V0_1)))?;
    Ok(nodes.nodes.iter().map(NodeView::of).collect())
}

/// An id as a selector has it.
fn quoted(id: &str) -> String {
    format!("'{}'", id.replace('\\', "\\\\").replace('\'', "\\'"))
}

struct Painter {
    table: Columns,
    now: u64,
}

impl Painter {
    fn line(&mut self, cells: Vec<Cell>) {
        self.table.push(cells);
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
        if let (Some(depth @ 1..), true) = (node.depth, is_turn(node)) {
            name = name.and(Tone::Dim, format!("  d{depth}"));
        }
        let age = i64::try_from(self.now).unwrap_or(i64::MAX) - node.cycle;
        let is_block = !(is_turn(node) || is_container(node));
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

fn is_turn(node: &NodeView) -> bool {
    matches!(node.node_type.split(':').next(), Some("mt" | "seg"))
}

fn is_container(node: &NodeView) -> bool {
    matches!(node.node_type.split(':').next(), Some("mc" | "cont"))
}
