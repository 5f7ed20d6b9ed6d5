//! The content hash of R2.7, and how the size of a content is counted.

use crate::json::{Json, canonical, canonical_string, write_canonical, write_canonical_str};
use crate::model::{Name, Node, hex};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// SHA-256 over the canonical JSON of content, kind, role and the attributes that belong to the
/// content.
pub fn content_hash(
    content: Option<&Json>,
    kind: Option<&str>,
    role: Option<&str>,
    attrs: &BTreeMap<Name, Json>,
) -> [u8; 32] {
    let mut fields: BTreeMap<&str, Field<'_>> = BTreeMap::new();
    fields.insert("content", content.map_or(Field::Text(""), Field::Value));
    fields.insert("kind", Field::Text(kind.unwrap_or("")));
    fields.insert("role", Field::Text(role.unwrap_or("")));
    for (name, value) in attrs {
        if is_content_attr(name) {
            fields.insert(name, Field::Value(value));
        }
    }
    let mut text = String::from("{");
    for (i, (name, field)) in fields.iter().enumerate() {
        if i > 0 {
            text.push(',');
        }
        write_canonical_str(name, &mut text);
        text.push(':');
        match field {
            Field::Text(value) => write_canonical_str(value, &mut text),
            Field::Value(value) => write_canonical(value, &mut text),
        }
    }
    text.push('}');
    text_hash(&text)
}

/// SHA-256 over the bytes of a text.
pub fn text_hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

enum Field<'a> {
    Text(&'a str),
    Value(&'a Json),
}

/// Whether an attribute is part of what the content hash covers.
pub fn is_content_attr(name: &str) -> bool {
    (name.starts_with("content_") || name.starts_with("data_")) && name != "content_hash"
}

/// The size of a content as policies count it.
pub fn content_bytes(content: &Json) -> u64 {
    match content {
        Json::Str(text) => text.len() as u64,
        other => canonical(other).len() as u64,
    }
}

/// The hash of a provider call's parameters (R14.13): SHA-256 over their canonical JSON, in hex.
pub fn params_hash(params: &Json) -> String {
    hex(&text_hash(&canonical_string(params)))
}

/// The hash that a node carries, given its content.
pub fn node_hash(node: &Node, content: Option<&Json>) -> [u8; 32] {
    content_hash(content, node.kind.as_deref(), node.role.as_deref(), &node.attrs)
}

/// The text that attributes add to a digest.
pub(super) fn attrs_text(attrs: &BTreeMap<Name, Json>) -> String {
    if attrs.is_empty() {
        return "{}".to_owned();
    }
    let map = attrs.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    canonical_string(&Json::Map(map))
}
