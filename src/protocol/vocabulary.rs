//! What this store has to offer to completion: the types, roles, keys, tags and ids seen in it.
//!
//! Bounded, however long the history is: the standing instructions, the head and the newest turns
//! are looked at, and kept until something changes.

use pactdb::json::Map;
use pactdb::query::SelectOptions;
use pactdb::{Address, Db, Json};
use std::collections::{BTreeMap, BTreeSet};

/// How many of the newest turns are looked at.
const TURNS: u64 = 50;

/// How many nodes are looked at.
const NODES: u64 = 1000;

/// How many of the newest cycles are offered.
const CYCLES: usize = 20;

/// Words seen in a store.
#[derive(Debug, Default)]
pub struct Words {
    /// Values by the name of their attribute; `tag` for tags, `id` for ids, `type` for types.
    values: BTreeMap<String, BTreeSet<String>>,
    /// Ids, the newest turn's first.
    pub ids: Vec<String>,
    /// Cycles that have a snapshot, the newest first.
    pub cycles: Vec<u64>,
    /// The newest event.
    pub event: u64,
}

impl Words {
    /// Looks at a store, through the lens if there is one.
    pub fn of(db: &Db, lens: Option<Address>) -> Words {
        let cycles = db.history().iter().rev().take(CYCLES).collect();
        let mut words = Words { cycles, event: db.events(), ..Words::default() };
        let at = lens.map(|lens| format!("{lens} ")).unwrap_or_default();
        let asks = [
            format!("{at}^ah *, ^sys *"),
            format!("{at}^seq .mt:depth(1-{TURNS}), ^seq .mt:depth(1-{TURNS}) *"),
        ];
        for q in asks {
            let options = SelectOptions { limit: Some(NODES), ..SelectOptions::default() };
            // Completion offers what it can; an error here is none of the line's.
            let Ok(found) = db.nodes(&q, None, &options) else { continue };
            found.nodes.iter().for_each(|node| words.take(node));
        }
        words
    }

    fn take(&mut self, node: &Map) {
        for (name, value) in node {
            match (name.as_str(), value) {
                ("id", Json::Str(id)) => self.ids.push(id.clone()),
                ("nodeType", Json::Str(name)) => self.add("type", name),
                ("tags", Json::List(tags)) => {
                    tags.iter().filter_map(Json::as_str).for_each(|tag| self.add("tag", tag));
                }
                ("content" | "content_hash" | "created_at_iso" | "parent", _) => {
                    self.values.entry(name.clone()).or_default();
                }
                (name, Json::Str(text)) if text.chars().count() <= 40 => self.add(name, text),
                (name, _) => {
                    self.values.entry(name.to_owned()).or_default();
                }
            }
        }
    }

    fn add(&mut self, name: &str, value: &str) {
        self.values.entry(name.to_owned()).or_default().insert(value.to_owned());
    }

    /// The values seen of an attribute.
    pub fn values(&self, name: &str) -> Vec<String> {
        let name = match name {
            "nodeType" => "type",
            "tags" => "tag",
            "id" | "refs" | "parent" => return self.ids.clone(),
            name => name,
        };
        // A name may be short for an attribute of somebody's own.
        let found = self.values.get(name).or_else(|| self.values.get(&format!("data_{name}")));
        found.into_iter().flatten().cloned().collect()
    }

    /// The attributes seen.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }
}
