//! The headers that a diff tracks, in their order (R8.3), and which of them differ.

use super::result::Field;
use crate::json::Json;
use crate::model::{HEADERS, Name, ReadError};
use crate::query::eval::Hit;
use crate::snapshot::{Contents, hex};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The field that differs most often.
pub(super) const TTL: Field = Field::Borrowed("ttl");

/// A field that differs: its name, its newer and its older value.
pub(in crate::query) type Difference = (Field, Json, Json);

/// What differs between two states of one node; each ttl is counted to the cycle beside it. What
/// one field says already is not said again by another: a content by its hash, a text of a time by
/// the time.
pub(in crate::query) fn differences(
    (newer, newer_cycle): (&Hit, u64),
    (older, older_cycle): (&Hit, u64),
    contents: &dyn Contents,
) -> Result<Vec<Difference>, ReadError> {
    let ttls = (newer.node.ttl_at(newer_cycle), older.node.ttl_at(older_cycle));
    let same = Arc::ptr_eq(&newer.node, &older.node) || newer.node == older.node;
    if same && newer.parent == older.parent && ttls.0 == ttls.1 {
        return Ok(Vec::new());
    }
    if Arc::ptr_eq(&newer.node, &older.node) && newer.parent == older.parent {
        let ttl = |ttl: Option<u64>| ttl.map_or(Json::Null, number);
        return Ok(vec![(TTL, ttl(ttls.0), ttl(ttls.1))]);
    }
    let mut found: Vec<Difference> = Vec::new();
    let headers = headers(newer, newer_cycle).into_iter().zip(headers(older, older_cycle));
    for ((name, new), (_, old)) in headers {
        let told = |by: &str| found.iter().any(|(name, ..)| name == by);
        let (new, old) = match name {
            CONTENT if told("content_hash") || newer.node.content == older.node.content => continue,
            CONTENT => (content(newer, contents)?, content(older, contents)?),
            "created_at_iso" if told("created_at_ns") => continue,
            _ => (new, old),
        };
        if new != old {
            found.push((Field::Borrowed(name), new, old));
        }
    }
    let names: BTreeSet<&Name> = newer.node.attrs.keys().chain(older.node.attrs.keys()).collect();
    for name in names.into_iter().filter(|name| !HEADERS.contains(&&***name)) {
        let value = |hit: &Hit| hit.node.attrs.get(name).cloned().unwrap_or(Json::Null);
        let (new, old) = (value(newer), value(older));
        if new != old {
            found.push((Field::Owned(name.to_string()), new, old));
        }
    }
    Ok(found)
}

/// The content is only read where it matters.
const CONTENT: &str = "content";

fn content(hit: &Hit, contents: &dyn Contents) -> Result<Json, ReadError> {
    match &hit.node.content {
        Some(content) => Ok((*contents.content(content)?).clone()),
        None => Ok(Json::Null),
    }
}

fn headers(hit: &Hit, cycle: u64) -> [(&'static str, Json); 22] {
    let node = &hit.node;
    let text = |text: Option<&str>| text.map_or(Json::Null, Json::from);
    let flag = |flag: bool| if flag { Json::Bool(true) } else { Json::Null };
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
        ("pinned", flag(node.pinned)),
        ("refs", list(&node.refs)),
        ("mime", node.mime_value().unwrap_or(Json::Null)),
        ("encoding", node.encoding_value().unwrap_or(Json::Null)),
        ("content_hash", node.shown_hash().map_or(Json::Null, |hash| Json::Str(hex(&hash)))),
        (CONTENT, Json::Null),
        ("provenance", text(node.provenance.as_deref())),
        ("removable", flag(node.removable)),
        ("cycle", number(node.cycle)),
        ("created_at_ns", Json::Int(node.created_at_ns)),
        ("created_at_iso", Json::Str(node.created_at_iso())),
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
