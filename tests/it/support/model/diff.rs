//! The plain diff of two states (R8.7, R8.2–R8.4), for the selector `*` only.

use serde_json::{Value, json};

use super::Model;
use super::canon::{canonical, content_hash};
use super::export::View;
use super::fail::{Codes, Res, UNSUPPORTED};
use super::fields;
use super::node::Class;

impl Model {
    pub(super) fn diff(&self, request: &Value) -> Res<Value> {
        let mut codes = Codes::default();
        fields::only(request, &["a", "b", "q", "rich"], &mut codes);
        let plain = fields::header(request, "rich").is_none();
        if !plain || fields::given(request, "q").is_some_and(|q| q.as_str() != Some("*")) {
            codes.add(UNSUPPORTED);
        }
        let a = codes.keep(self.view(request.get("a")));
        let b = codes.keep(self.view(request.get("b")));
        let (Some(a), Some(b)) = (a, b) else { return Err(codes.finish().unwrap_err()) };
        codes.finish()?;
        let age = |view: &View<'_>| (view.is_working, view.cycle);
        let (older, newer) = if age(&a) <= age(&b) { (a, b) } else { (b, a) };
        let mut added = newer.tree.preorder();
        let mut both = added.clone();
        added.retain(|id| !older.tree.has(id));
        both.retain(|id| older.tree.has(id));
        let mut removed = older.tree.preorder();
        removed.retain(|id| !newer.tree.has(id));
        removed.sort();
        let changed: Vec<Value> = both
            .iter()
            .map(|id| (id, changes(&older, &newer, id)))
            .filter(|(_, fields)| !fields.is_empty())
            .map(|(id, fields)| json!({"id": id, "fields": fields}))
            .collect();
        Ok(json!({"added": added, "removed": removed, "changed": changed}))
    }
}

/// The names of the tracked fields that differ, in the order of R14.1.
fn changes(older: &View<'_>, newer: &View<'_>, id: &str) -> Vec<String> {
    let tracked = [
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
    let mut names: Vec<String> = tracked.iter().map(|name| name.to_string()).collect();
    let custom = [older, newer].map(|view| view.tree.get(id).attrs.keys().cloned());
    let mut custom: Vec<String> = custom.into_iter().flatten().collect();
    custom.sort();
    custom.dedup();
    names.extend(custom);
    let same =
        |name: &str| canonical(&value(older, id, name)) == canonical(&value(newer, id, name));
    names.retain(|name| !same(name));
    // These two are said by another field already.
    names.retain(|name| name != "content" || same("content_hash"));
    names.retain(|name| name != "created_at_iso" || same("created_at_ns"));
    names
}

fn value(view: &View<'_>, id: &str, name: &str) -> Value {
    let node = view.tree.get(id);
    match name {
        "ttl" => json!(view.ttl(node)),
        "priority" => json!(node.priority),
        "parent" => json!(node.parent),
        "offset" => json!(node.offset),
        "nodeType" => json!(node.node_type),
        "content_hash" if node.class == Class::Block => json!(content_hash(node)),
        "provenance" => json!(node.provenance),
        "removable" => json!(node.removable),
        "cycle" => json!(node.cycle),
        "created_at_ns" => json!(node.created_at_ns),
        "created_at_iso" => node.json(None)["created_at_iso"].clone(),
        "creation_index" => json!(node.creation_index),
        _ => {
            let header = node.optional(name);
            header.or_else(|| node.attrs.get(name).cloned()).unwrap_or(Value::Null)
        }
    }
}
