//! What differs between two lists of nodes (R8.2–R8.4, R8.7).

use super::tree::Tree;
use crate::support::model::canon::canonical;
use serde_json::{Map, Value, json};

/// A state, and the nodes of it that are compared.
pub(crate) type Side<'a> = (&'a Tree, &'a [usize]);

const TRACKED: [&str; 22] = [
    "ttl",
    "priority",
    "parent",
    "offset",
    "nodeType",
    "role",
    "kind",
    "key",
    "tags",
    "cad",
    "pinned",
    "refs",
    "mime",
    "encoding",
    "content_hash",
    "content",
    "provenance",
    "removable",
    "cycle",
    "created_at_ns",
    "created_at_iso",
    "creation_index",
];

/// Which of two fields is silent if the other one has spoken (R14.1).
const SILENT: [(&str, &str); 2] =
    [("content", "content_hash"), ("created_at_iso", "created_at_ns")];

/// Ids that came, ids that went, and `{id, fields, delta}` for each node that changed.
pub(crate) struct Found {
    pub(crate) added: Vec<Value>,
    pub(crate) removed: Vec<Value>,
    pub(crate) changed: Vec<Value>,
}

pub(crate) fn compare(newer: Side<'_>, older: Side<'_>) -> Found {
    let mut found = Found { added: vec![], removed: vec![], changed: vec![] };
    let mut in_order = newer.1.to_vec();
    in_order.sort_unstable();
    for node in in_order {
        let id = newer.0.nodes[node].id();
        match older.1.iter().find(|old| older.0.nodes[**old].id() == id) {
            None => found.added.push(json!(id)),
            Some(old) => {
                let (fields, delta) = differences((newer.0, node), (older.0, *old));
                if !fields.is_empty() {
                    found.changed.push(json!({"id": id, "fields": fields, "delta": delta}));
                }
            }
        }
    }
    let mut gone: Vec<&str> = older.1.iter().map(|node| older.0.nodes[*node].id()).collect();
    gone.retain(|id| !newer.1.iter().any(|node| newer.0.nodes[*node].id() == *id));
    gone.sort_unstable();
    found.removed = gone.into_iter().map(|id| json!(id)).collect();
    found
}

/// The exact shape of R8.7.
pub(crate) fn plain(newer: Side<'_>, older: Side<'_>) -> Value {
    let found = compare(newer, older);
    let changed: Vec<Value> = found
        .changed
        .iter()
        .map(|changed| json!({"id": changed["id"], "fields": changed["fields"]}))
        .collect();
    json!({"added": found.added, "removed": found.removed, "changed": changed})
}

fn differences(newer: (&Tree, usize), older: (&Tree, usize)) -> (Vec<String>, Map<String, Value>) {
    let value = |(tree, node): (&Tree, usize), name: &str| match name {
        "parent" => tree.parent_id(node),
        _ => tree.nodes[node].get(name),
    };
    let mut custom: Vec<&String> = Vec::new();
    for (tree, node) in [newer, older] {
        custom.extend(tree.nodes[node].object.keys());
    }
    custom.retain(|name| !TRACKED.contains(&name.as_str()) && *name != "id" && *name != "children");
    custom.sort();
    custom.dedup();
    let (mut fields, mut delta) = (Vec::new(), Map::new());
    for name in TRACKED.into_iter().chain(custom.into_iter().map(String::as_str)) {
        let (new, old) = (value(newer, name), value(older, name));
        let other = SILENT.iter().find(|(silent, _)| *silent == name).map(|(_, other)| *other);
        let silent = other.is_some_and(|other| fields.iter().any(|field| field == other));
        if !silent && canonical(&new) != canonical(&old) {
            fields.push(name.to_owned());
            delta.insert(name.to_owned(), json!({"from": new, "to": old}));
        }
    }
    (fields, delta)
}
