//! The words that completion does not know of itself: those of a store and of its requests.

use crate::language::words::Keyword;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Who knows words beside those of the language. It is asked only where they are needed.
pub trait Vocabulary {
    /// The words seen in a store.
    fn words(&self) -> Rc<Words>;

    /// The names of the fields that a statement takes in braces; none if it takes no fields.
    fn fields(&self, statement: Keyword) -> Option<Vec<&'static str>>;
}

/// Words seen in a store.
#[derive(Debug, Default)]
pub struct Words {
    /// Values by the name of their attribute; `tag` for tags, `type` for types.
    values: BTreeMap<String, BTreeSet<String>>,
    /// Ids, the newest turn's first.
    pub ids: Vec<String>,
    /// Cycles that have a snapshot, the newest first.
    pub cycles: Vec<u64>,
    /// The newest event.
    pub event: u64,
}

impl Words {
    /// Nothing but the cycles that have a snapshot, the newest first, and the newest event.
    pub fn new(cycles: Vec<u64>, event: u64) -> Words {
        Words { cycles, event, ..Words::default() }
    }

    /// Adds an attribute whose values are not offered.
    pub fn add_attribute(&mut self, name: &str) {
        self.values.entry(name.to_owned()).or_default();
    }

    /// Adds a value of an attribute.
    pub fn add_value(&mut self, name: &str, value: &str) {
        self.values.entry(name.to_owned()).or_default().insert(value.to_owned());
    }

    /// The values seen of an attribute, by whatever name a filter calls it.
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
