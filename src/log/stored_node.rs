//! The stored form of a node in a record. Fields never change: headers that came later are in
//! `extras`.
//!
//! Records are hashed, so these bytes are frozen. Derived tables have a form of their own that is
//! faster to read, see `index::nodes`.

use crate::json::{self, Json, canonical_string};
use crate::model::{Class, ContentRef, Lifetime, Name, Node};
use crate::storage::StoreError;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A node on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredNode {
    id: String,
    node_type: String,
    class: u8,
    offset: i64,
    lifetime: Option<(u64, u64, u64)>,
    priority: i64,
    cycle: u64,
    created_at_ns: i64,
    created_at_iso: Option<String>,
    creation_index: u64,
    role: Option<String>,
    kind: Option<String>,
    key: Option<String>,
    tags: Vec<String>,
    cad: Option<u64>,
    content: Option<(u64, u32, u64)>,
    content_hash: Option<[u8; 32]>,
    provenance: Option<String>,
    removable: bool,
    pinned: bool,
    refs: Vec<String>,
    attrs: Vec<(String, String)>,
}

/// What stands for each class on disk is its place here.
pub(crate) const CLASSES: [Class; 7] =
    [Class::Root, Class::Sys, Class::Seq, Class::Ah, Class::Turn, Class::Container, Class::Block];

impl From<&Node> for StoredNode {
    fn from(node: &Node) -> StoredNode {
        let text = |name: &Option<Name>| name.as_deref().map(str::to_owned);
        let list = |names: &[Name]| names.iter().map(|name| name.to_string()).collect();
        StoredNode {
            id: node.id.to_string(),
            node_type: node.node_type.to_string(),
            // The position cannot be missing: the list has every class.
            class: CLASSES.iter().position(|class| *class == node.class).unwrap_or(0) as u8,
            offset: node.offset,
            lifetime: node.lifetime.map(|life| (life.given, life.since, life.expires_at)),
            priority: node.priority,
            cycle: node.cycle,
            created_at_ns: node.created_at_ns,
            created_at_iso: text(&node.created_at_iso),
            creation_index: node.creation_index,
            role: text(&node.role),
            kind: text(&node.kind),
            key: text(&node.key),
            tags: list(&node.tags),
            cad: node.cad,
            content: node.content.map(|content| (content.seq, content.item, content.bytes)),
            content_hash: node.content_hash,
            provenance: text(&node.provenance),
            removable: node.removable,
            pinned: node.pinned,
            refs: list(&node.refs),
            attrs: node
                .attrs
                .iter()
                .map(|(name, value)| (name.to_string(), canonical_string(value)))
                .collect(),
        }
    }
}

impl StoredNode {
    pub(crate) fn into_node(self) -> Result<Node, StoreError> {
        let class = CLASSES.get(usize::from(self.class)).copied().ok_or_else(|| {
            StoreError::corrupt(format!("node {} has an unknown class {}", self.id, self.class))
        })?;
        let list = |names: Vec<String>| names.into_iter().map(Name::from).collect();
        Ok(Node {
            offset: self.offset,
            lifetime: self.lifetime.map(|(given, since, expires_at)| Lifetime {
                given,
                since,
                expires_at,
            }),
            priority: self.priority,
            cycle: self.cycle,
            created_at_ns: self.created_at_ns,
            created_at_iso: self.created_at_iso.map(Name::from),
            creation_index: self.creation_index,
            role: self.role.map(Name::from),
            kind: self.kind.map(Name::from),
            key: self.key.map(Name::from),
            tags: list(self.tags),
            cad: self.cad,
            content: self.content.map(|(seq, item, bytes)| ContentRef { seq, item, bytes }),
            content_hash: self.content_hash,
            provenance: self.provenance.map(Name::from),
            removable: self.removable,
            pinned: self.pinned,
            refs: list(self.refs),
            attrs: self
                .attrs
                .into_iter()
                .map(|(name, value)| Ok((name.into(), stored_json(&value)?)))
                .collect::<Result<_, StoreError>>()?,
            // The rest came later, see `extras`.
            ..Node::bare(self.id.into(), self.node_type.into(), class)
        })
    }
}

/// A JSON value that was stored as canonical text.
pub(crate) fn stored_json(text: &str) -> Result<Json, StoreError> {
    json::parse(text).map_err(|error| StoreError::corrupt(format!("a stored value: {error}")))
}

/// Nodes in pre-order with parent indexes.
pub(super) type StoredNodes = Vec<(StoredNode, u32)>;

pub(super) fn store_nodes(nodes: &[(Arc<Node>, u32)]) -> StoredNodes {
    nodes.iter().map(|(node, parent)| (StoredNode::from(&**node), *parent)).collect()
}

pub(super) fn load_nodes(nodes: StoredNodes) -> Result<Vec<(Arc<Node>, u32)>, StoreError> {
    nodes.into_iter().map(|(node, parent)| Ok((Arc::new(node.into_node()?), parent))).collect()
}
