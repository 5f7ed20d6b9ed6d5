//! The headers that a diff tracks, in their order (R8.3), and which of them differ.

use super::result::Field;
use crate::json::Json;
use crate::model::Name;
use crate::query::eval::Hit;
use crate::snapshot::hex;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The field that differs most often.
pub(super) const TTL: Field = Field::Borrowed("ttl");

/// A field that differs: its name, its newer and its older value.
pub(in crate::query) type Difference = (Field, Json, Json);

/// What differs between two states of one node; each ttl is counted to the cycle beside it.
pub(in crate::query) fn differences(
    (newer, newer_cycle): (&Hit, u64),
    (older, older_cycle): (&Hit, u64),
) -> Vec<Difference> {
    let ttls = (newer.node.ttl_at(newer_cycle), older.node.ttl_at(older_cycle));
    let same = Arc::ptr_eq(&newer.node, &older.node) || newer.node == older.node;
    if same && newer.parent == older.parent && ttls.0 == ttls.1 {
        return Vec::new();
    }
    if Arc::ptr_eq(&newer.node, &older.node) && newer.parent == older.parent {
        let ttl = |ttl: Option<u64>| ttl.map_or(Json::Null, number);
        return vec![(TTL, ttl(ttls.0), ttl(ttls.1))];
    }
    let headers = headers(newer, newer_cycle).into_iter().zip(headers(older, older_cycle));
    let mut found: Vec<Difference> = headers
        .filter(|((_, new), (_, old))| new != old)
        .map(|((name, new), (_, old))| (Field::Borrowed(name), new, old))
        .collect();
    let names: BTreeSet<&Name> = newer.node.attrs.keys().chain(older.node.attrs.keys()).collect();
    for name in names {
        let value = |hit: &Hit| hit.node.attrs.get(name).cloned().unwrap_or(Json::Null);
        let (new, old) = (value(newer), value(older));
        if new != old {
            found.push((Field::Owned(name.to_string()), new, old));
        }
    }
    found
}

fn headers(hit: &Hit, cycle: u64) -> [(&'static str, Json); 15] {
    let node = &hit.node;
    let text = |text: Option<&str>| text.map_or(Json::Null, Json::from);
    let list = |list: &[Name]| match list {
        [] => Json::Null,
        list => Json::List(list.iter().map(|item| Json::from(&**item)).collect()),
    };
    [
        ("ttl", node.ttl_at(cycle).map_or(Json::Null, number)),
        ("priority", Json::Int(node.priority)),
        ("parent", text(hit.parent.as_deref())),
        ("offset", Json::Int(node.offset)),
        ("nodeType", text(Some(&node.node_type))),
        ("role", text(node.role.as_deref())),
        ("kind", text(node.kind.as_deref())),
        ("key", text(node.key.as_deref())),
        ("tags", list(&node.tags)),
        ("cad", node.cad.map_or(Json::Null, number)),
        ("pinned", if node.pinned { Json::Bool(true) } else { Json::Null }),
        ("refs", list(&node.refs)),
        ("content_hash", node.shown_hash().map_or(Json::Null, |hash| Json::Str(hex(&hash)))),
        ("created_at_ns", Json::Int(node.created_at_ns)),
        ("creation_index", number(node.creation_index)),
    ]
}

/// A count as JSON.
pub(super) fn number(value: u64) -> Json {
    match i64::try_from(value) {
        Ok(value) => Json::Int(value),
        Err(_) => Json::BigInt(value.to_string().into()),
    }
}
