//! Secrets that a store has already: keys, tokens and cards in its contents and attributes.
//!
//! The log is read once, event by event, so what was undone, overwritten or removed is found too. An
//! answer says where something is and what it looks like, never the text itself.

mod cards;
mod patterns;

use crate::budget;
use crate::change::{Addition, Event};
use crate::db::Db;
use crate::error::Result;
use crate::json::Json;
use crate::log::Entry;
use crate::model::{ContentRef, Id, Node};
use patterns::Patterns;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Events that are read at a time.
const AT_ONCE: usize = 256;

/// The most places that a report names; the rest are counted.
const MAX_NAMED: usize = 1000;

/// What looks like a secret, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Suspect {
    /// The pattern.
    pub pattern: String,
    /// The node.
    pub id: String,
    /// The cycle that the event closes, or that was in progress.
    pub cycle: u64,
    /// The event that brought it.
    pub event: u64,
    /// The attribute that has it; none for the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attr: Option<String>,
    /// How often the pattern is there.
    pub count: u64,
}

/// What a scan found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Scanned {
    /// The patterns that were looked for.
    pub patterns: Vec<String>,
    /// How many events were read.
    pub events: u64,
    /// The places, oldest first.
    pub found: Vec<Suspect>,
    /// How many more there are.
    #[serde(default, skip_serializing_if = "crate::db::is_default")]
    pub more: u64,
}

/// Looks through the whole log, for the patterns of these names and for expressions of one's own;
/// without either, for all that need not be asked for by name.
pub fn scan(
    db: &Db,
    names: &[String],
    own: &[String],
    progress: &mut dyn FnMut(u64, u64) -> Result<()>,
) -> Result<Scanned> {
    let patterns = Patterns::new(names, own)?;
    let last = db.events();
    let scanned =
        Scanned { patterns: patterns.names().map(str::to_owned).collect(), ..Scanned::default() };
    let mut scan = Scan { patterns, scanned, last_cycle: 0 };
    let mut next = 1;
    while next <= last {
        for entry in db.entries(next, AT_ONCE.min((last - next + 1) as usize))? {
            budget::check()?;
            next = entry.record.seq + 1;
            scan.event(&entry);
        }
        progress(next - 1, last)?;
    }
    scan.scanned.events = last;
    Ok(scan.scanned)
}

struct Scan {
    patterns: Patterns,
    scanned: Scanned,
    last_cycle: u64,
}

impl Scan {
    fn event(&mut self, entry: &Entry) {
        let event = &entry.record.event;
        let closes = match event {
            Event::Committed(commit) => Some(commit.cycle),
            Event::Imported(import) => Some(import.cycle),
            Event::Restored(restore) => Some(restore.cycle),
            _ => None,
        };
        match event {
            Event::Added(Addition { node, .. }) => self.node(entry, closes, node),
            Event::Changed { ids, change } => {
                self.content(entry, closes, ids, change.content.flatten());
                for (name, value) in &change.attrs {
                    self.value(entry, closes, ids, Some(name), value.as_ref());
                }
            }
            Event::Imported(import) => {
                let parts = [&import.sys, &import.ah].into_iter().chain(&import.turns);
                let inner = [&import.regions[0], &import.regions[2]];
                for node in inner.into_iter().chain(parts.flatten().map(|(node, _)| node)) {
                    self.node(entry, closes, node);
                }
            }
            // Instances and restored nodes have what an earlier event brought.
            _ => {}
        }
        self.last_cycle = closes.unwrap_or(self.last_cycle);
    }

    fn node(&mut self, entry: &Entry, closes: Option<u64>, node: &Node) {
        let ids = std::slice::from_ref(&node.id);
        self.content(entry, closes, ids, node.content);
        for (name, value) in &node.attrs {
            self.value(entry, closes, ids, Some(name), Some(value));
        }
    }

    /// A content, if this event brought it.
    fn content(
        &mut self,
        entry: &Entry,
        closes: Option<u64>,
        ids: &[Id],
        content: Option<ContentRef>,
    ) {
        let own = content.filter(|content| content.seq == entry.record.seq && content.item > 0);
        let value = own.and_then(|content| entry.contents.get(content.item as usize - 1));
        self.value(entry, closes, ids, None, value);
    }

    fn value(
        &mut self,
        entry: &Entry,
        closes: Option<u64>,
        ids: &[Id],
        attr: Option<&str>,
        value: Option<&Json>,
    ) {
        let mut counts = BTreeMap::new();
        if let Some(value) = value {
            self.count(value, &mut counts);
        }
        let cycle = closes.unwrap_or(self.last_cycle + 1);
        for (pattern, count) in counts {
            for id in ids {
                if self.scanned.found.len() == MAX_NAMED {
                    self.scanned.more += 1;
                    continue;
                }
                self.scanned.found.push(Suspect {
                    pattern: self.scanned.patterns[pattern].clone(),
                    id: id.to_string(),
                    cycle,
                    event: entry.record.seq,
                    attr: attr.map(str::to_owned),
                    count,
                });
            }
        }
    }

    /// Every string of a value, and every name in it.
    fn count(&self, value: &Json, counts: &mut BTreeMap<usize, u64>) {
        match value {
            Json::Str(string) => self.count_text(string, counts),
            // A card may be written as a number.
            Json::Int(number) => self.count_text(&number.to_string(), counts),
            Json::BigInt(number) => self.count_text(number, counts),
            Json::List(items) => items.iter().for_each(|item| self.count(item, counts)),
            Json::Map(map) => {
                for (name, value) in map {
                    self.count_text(name, counts);
                    self.count(value, counts);
                }
            }
            Json::Null | Json::Bool(_) | Json::Float(_) => {}
        }
    }

    fn count_text(&self, text: &str, counts: &mut BTreeMap<usize, u64>) {
        for (pattern, count) in self.patterns.count(text) {
            *counts.entry(pattern).or_default() += count;
        }
    }
}
