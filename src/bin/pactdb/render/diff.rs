//! What differs between two states: + for what came, − for what went, ~ for what changed.

use super::columns::{Cell, Columns};
use super::content::content_diff;
use super::look::{Look, Tone};
use super::node::{NodeView, words};
use super::text::{cut, visible};
use super::units::plural;
use pactdb::answer::Delta;
use pactdb::{Json, Map, RichDiffReply};
use std::collections::HashMap;

/// Nodes of one state, by their ids.
pub type NodesById = HashMap<String, Map>;

/// The nodes that a difference speaks of, as both states have them.
#[derive(Debug, Clone, Default)]
pub struct Sides {
    /// Those of the older state: what went, and what changed.
    pub older: NodesById,
    /// Those of the newer state: what came, and what changed.
    pub newer: NodesById,
}

impl Sides {
    /// The contents of a node in both states.
    pub(super) fn contents(&self, id: &str) -> [Option<&Json>; 2] {
        [&self.older, &self.newer].map(|nodes| nodes.get(id)?.get("content"))
    }
}

/// A difference, from the older to the newer state.
pub fn diff(look: Look, sides: &Sides, diff: &RichDiffReply) -> String {
    let mut out = String::new();
    let mut table = Columns::default();
    for id in &diff.added {
        let origin = diff.moved.iter().find(|moved| moved.to == *id).map(|moved| &*moved.from);
        table.push(one_sided("+", Tone::Added, &sides.newer, id, origin));
    }
    for id in &diff.removed {
        table.push(one_sided("-", Tone::Removed, &sides.older, id, None));
    }
    out.push_str(&table.render(look));
    for changed in &diff.changed {
        let contents = sides.contents(&changed.id);
        out.push_str(&change(look, &changed.id, &changed.delta, false, contents));
    }
    let counts = [diff.added.len(), diff.removed.len(), diff.changed.len()].map(|n| n as u64);
    out.push_str(&format!("{}\n", summary(look, counts)));
    out
}

/// A line for a node that only one of two states has.
pub(super) fn one_sided(
    sign: &str,
    tone: Tone,
    nodes: &NodesById,
    id: &str,
    origin: Option<&str>,
) -> Vec<Cell> {
    let view = match nodes.get(id) {
        Some(object) => NodeView::of(object),
        None => NodeView { id: id.to_owned(), ..NodeView::default() },
    };
    let origin = origin.map(|id| format!("was {id}")).unwrap_or_default();
    vec![
        Cell::new(tone, format!("{sign} {id}")),
        Cell::new(Tone::Plain, view.special_type().unwrap_or_default()),
        view.voice(),
        view.remaining("ttl "),
        Cell::new(Tone::Dim, origin),
        Cell::new(Tone::Tool, view.called()).and(Tone::Plain, &view.words),
    ]
}

/// A line for a node that changed, and its content's difference below. `newer_first` says which
/// side of the delta is the newer one: ranges have it first.
pub(super) fn change(
    look: Look,
    id: &str,
    delta: &Delta,
    newer_first: bool,
    [older, newer]: [Option<&Json>; 2],
) -> String {
    let mut parts = Vec::new();
    for (name, values) in &delta.0 {
        let (old, new) = match newer_first {
            true => (&values.to, &values.from),
            false => (&values.from, &values.to),
        };
        match &**name {
            "content_hash" => parts.push("content".to_owned()),
            _ => parts.push(format!("{name} {} → {}", short(old), short(new))),
        }
    }
    let sign = look.paint(Tone::Changed, &format!("~ {id}"));
    let mut out = format!("{sign}  {}\n", visible(&parts.join(", ")));
    if delta.0.iter().any(|(name, _)| name == "content_hash") {
        out.push_str(&content_diff(look, older, newer, "    "));
    }
    out
}

/// How much there is of each.
pub(super) fn summary(look: Look, [added, removed, changed]: [u64; 3]) -> String {
    if added + removed + changed == 0 {
        return look.paint(Tone::Dim, "no difference");
    }
    let parts = [(added, "added"), (removed, "removed"), (changed, "changed")];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> =
        parts.map(|(count, what)| format!("{} {what}", plural(*count, "node"))).collect();
    look.paint(Tone::Dim, &words.join(", "))
}

/// A value in a few words.
fn short(value: &Json) -> String {
    match value {
        Json::Null => "none".to_owned(),
        other => cut(&visible(&words(other)), 32),
    }
}
