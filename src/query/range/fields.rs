//! The headers that a diff tracks, in their order (R8.3), and which of them differ.

use super::result::Field;
use crate::json::Json;
use crate::model::{HEADERS, Header, Name, PARENT_TRACKED, TABLE};
use crate::query::eval::Hit;
use crate::query::timeline::Read;
use crate::snapshot::Contents;
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

/// The field that differs most often.
pub(super) const TTL: Field = Field::Borrowed("ttl");

/// A field that differs: its name, its newer and its older value.
pub(crate) type Difference = (Field, Json, Json);

/// What differs between two states of one node; each ttl is counted to the cycle beside it. What
/// one field says already is not said again by another: a content by its hash, a text of a time by
/// the time.
pub(crate) fn differences(
    (newer, newer_cycle): (&Hit, u64),
    (older, older_cycle): (&Hit, u64),
    contents: &dyn Contents,
) -> Read<Vec<Difference>> {
    let ttls = (newer.node.ttl_at(newer_cycle), older.node.ttl_at(older_cycle));
    let same = Arc::ptr_eq(&newer.node, &older.node) || newer.node == older.node;
    if same && newer.parent == older.parent && ttls.0 == ttls.1 {
        return Ok(Vec::new());
    }
    if Arc::ptr_eq(&newer.node, &older.node) && newer.parent == older.parent {
        let ttl = |ttl: Option<u64>| ttl.map_or(Json::Null, count);
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

fn content(hit: &Hit, contents: &dyn Contents) -> Read<Json> {
    match &hit.node.content {
        Some(content) => Ok((*contents.content(content)?).clone()),
        None => Ok(Json::Null),
    }
}

/// The values of what a diff tracks, in its order; null where there is none. The content is
/// [`CONTENT`]'s matter.
fn headers(hit: &Hit, cycle: u64) -> Vec<(&'static str, Json)> {
    let parent = || hit.parent.as_deref().map_or(Json::Null, Json::from);
    TRACKED
        .iter()
        .map(|tracked| match tracked {
            Some(header) => (header.name, header.value(&hit.node, cycle).unwrap_or(Json::Null)),
            None => ("parent", parent()),
        })
        .collect()
}

/// The headers that a diff tracks, in its order; none stands for the parent.
static TRACKED: LazyLock<Vec<Option<&'static Header>>> = LazyLock::new(|| {
    let mut rows: Vec<(u8, Option<&Header>)> = vec![(PARENT_TRACKED, None)];
    rows.extend(TABLE.iter().map(|header| (header.tracked, Some(header))));
    rows.retain(|(place, _)| *place > 0);
    rows.sort_by_key(|(place, _)| *place);
    rows.into_iter().map(|(_, header)| header).collect()
});

/// A count as JSON.
pub(super) fn count(value: u64) -> Json {
    Json::from(i128::from(value))
}
