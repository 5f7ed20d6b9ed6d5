//! A node: its class (R1.2), its headers (R2) and the object that an export shows of it (R9.2).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::canon;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Root,
    Sys,
    Seq,
    Ah,
    Turn,
    Container,
    Block,
}

impl Class {
    /// The class that a nodeType fixes by itself; `None` for the types that leave it open.
    pub(crate) fn of_type(node_type: &str) -> Option<Class> {
        let base = node_type.split_once(':').map_or(node_type, |(base, _)| base);
        match (node_type, base) {
            ("^root", _) => Some(Class::Root),
            ("^sys", _) => Some(Class::Sys),
            ("^seq", _) => Some(Class::Seq),
            ("^ah", _) => Some(Class::Ah),
            (_, "mt" | "seg") => Some(Class::Turn),
            (_, "mc" | "cont") => Some(Class::Container),
            (_, "cb" | "block") => Some(Class::Block),
            _ => None,
        }
    }

    pub(crate) fn is_region(self) -> bool {
        matches!(self, Class::Root | Class::Sys | Class::Seq | Class::Ah)
    }
}

const OPTIONAL: [&str; 10] =
    ["role", "kind", "key", "tags", "cad", "content", "pinned", "refs", "mime", "encoding"];

/// A finite life: what was asked for, from which cycle it counts, and where it ends (R4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Life {
    /// The ttl as it was given; a new instance of a cadence starts with it again.
    pub(crate) given: i64,
    pub(crate) base: i64,
    pub(crate) expires_at: i64,
}

impl Life {
    pub(crate) fn new(given: i64, base: i64) -> Life {
        Life { given, base, expires_at: base.saturating_add(given) }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    pub(crate) class: Class,
    pub(crate) node_type: String,
    pub(crate) offset: i64,
    pub(crate) life: Option<Life>,
    pub(crate) priority: i64,
    pub(crate) cycle: i64,
    pub(crate) created_at_ns: i64,
    /// Only when an import gave one.
    pub(crate) created_at_iso: Option<String>,
    pub(crate) creation_index: i64,
    pub(crate) role: Option<String>,
    pub(crate) kind: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) cad: Option<i64>,
    pub(crate) content: Option<Value>,
    pub(crate) provenance: Option<Value>,
    pub(crate) removable: bool,
    pub(crate) pinned: bool,
    pub(crate) refs: Vec<String>,
    pub(crate) mime: Option<String>,
    pub(crate) encoding: Option<String>,
    pub(crate) attrs: BTreeMap<String, Value>,
}

impl Node {
    pub(crate) fn new(id: &str, class: Class, node_type: &str) -> Node {
        Node {
            id: id.to_string(),
            parent: None,
            class,
            node_type: node_type.to_string(),
            offset: 0,
            life: None,
            priority: 0,
            cycle: 0,
            created_at_ns: 0,
            created_at_iso: None,
            creation_index: 0,
            role: None,
            kind: None,
            key: None,
            tags: Vec::new(),
            cad: None,
            content: None,
            provenance: None,
            removable: false,
            pinned: false,
            refs: Vec::new(),
            mime: None,
            encoding: None,
            attrs: BTreeMap::new(),
        }
    }

    /// Every header and attribute that the node shows, without children; `ttl` is what remains.
    pub(crate) fn json(&self, ttl: Option<i64>) -> Map<String, Value> {
        let mut out: Map<String, Value> = self.attrs.clone().into_iter().collect();
        let iso = self.created_at_iso.clone().unwrap_or_else(|| canon::iso(self.created_at_ns));
        for (name, value) in [
            ("id", json!(self.id)),
            ("nodeType", json!(self.node_type)),
            ("offset", json!(self.offset)),
            ("ttl", json!(ttl)),
            ("priority", json!(self.priority)),
            ("cycle", json!(self.cycle)),
            ("created_at_ns", json!(self.created_at_ns)),
            ("created_at_iso", json!(iso)),
            ("creation_index", json!(self.creation_index)),
        ] {
            out.insert(name.into(), value);
        }
        for name in OPTIONAL {
            if let Some(value) = self.optional(name) {
                out.insert(name.into(), value);
            }
        }
        if let Some(provenance) = &self.provenance {
            out.insert("provenance".into(), provenance.clone());
        }
        if self.removable {
            out.insert("removable".into(), json!(true));
        }
        if self.class == Class::Block {
            out.insert("content_hash".into(), json!(canon::content_hash(self)));
        }
        out
    }

    /// An editable or descriptive header by name, `None` if the node does not have it.
    pub(crate) fn optional(&self, name: &str) -> Option<Value> {
        match name {
            "role" => self.role.as_ref().map(|v| json!(v)),
            "kind" => self.kind.as_ref().map(|v| json!(v)),
            "key" => self.key.as_ref().map(|v| json!(v)),
            "tags" => (!self.tags.is_empty()).then(|| json!(self.tags)),
            "cad" => self.cad.map(|v| json!(v)),
            "content" => self.content.clone(),
            "pinned" => self.pinned.then_some(Value::Bool(true)),
            "refs" => (!self.refs.is_empty()).then(|| json!(self.refs)),
            "mime" => self.mime.as_ref().map(|v| json!(v)),
            "encoding" => self.encoding.as_ref().map(|v| json!(v)),
            _ => None,
        }
    }
}
