//! What a store has to offer to completion: the types, roles, keys, tags and ids seen in it.
//!
//! Bounded, however long the history is: the standing instructions, the head and the newest turns
//! are looked at.

use super::statement::{COMMIT_FIELDS, MOVE_FIELDS, POLICY_FIELDS, add_fields, set_fields};
use crate::db::{Address, Db, Select};
use crate::json::{Json, Map};
use crate::language::complete::Words;
use crate::language::words::Keyword;

/// How many of the newest turns are looked at.
const TURNS: u64 = 50;

/// How many nodes are looked at.
const NODES: u64 = 1000;

/// How many of the newest cycles are offered.
const CYCLES: usize = 20;

/// The longest text that is offered as a value, in characters.
const LONGEST: usize = 40;

/// The names of the fields that a statement takes in braces; none if it takes no fields.
pub fn statement_fields(statement: Keyword) -> Option<Vec<&'static str>> {
    Some(match statement {
        Keyword::Add => add_fields(),
        Keyword::Set => set_fields(),
        Keyword::Move => MOVE_FIELDS.to_vec(),
        Keyword::Commit => COMMIT_FIELDS.to_vec(),
        Keyword::Policy => POLICY_FIELDS.to_vec(),
        _ => return None,
    })
}

/// The words seen in a store: in its working state, or at an address.
pub fn words_of(db: &Db, at: Option<Address>) -> Words {
    let cycles = db.history().iter().rev().take(CYCLES).collect();
    let mut words = Words::new(cycles, db.events());
    let at = at.map(|at| format!("{at} ")).unwrap_or_default();
    let asks = [
        format!("{at}^ah *, ^sys *"),
        format!("{at}^seq .mt:depth(1-{TURNS}), ^seq .mt:depth(1-{TURNS}) *"),
    ];
    for q in asks {
        // Completion offers what it can; an error here is none of the line's.
        let Ok(found) = db.nodes(Select::new(q).limit(NODES)) else { continue };
        found.nodes.iter().for_each(|node| add_node(&mut words, node));
    }
    words
}

fn add_node(words: &mut Words, node: &Map) {
    for (name, value) in node {
        match (name.as_str(), value) {
            ("id", Json::Str(id)) => words.ids.push(id.clone()),
            ("nodeType", Json::Str(name)) => words.add_value("type", name),
            ("tags", Json::List(tags)) => {
                tags.iter().filter_map(Json::as_str).for_each(|tag| words.add_value("tag", tag));
            }
            ("content" | "content_hash" | "created_at_iso" | "parent", _) => {
                words.add_attribute(name);
            }
            (name, Json::Str(text)) if text.chars().count() <= LONGEST => {
                words.add_value(name, text);
            }
            (name, _) => words.add_attribute(name),
        }
    }
}
