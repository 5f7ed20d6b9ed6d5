//! What happened to nodes between two trees.

use crate::error::Result;
use crate::json::{Json, Map};
use crate::model::{Id, Node, Place, Position, Tree};
use crate::named::named;
use crate::snapshot::{Contents, node_object};
use std::collections::BTreeSet;
use std::sync::Arc;

named! {
    /// What happened to a node.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum What {
        /// It was made, or came back.
        Added = "added",
        /// A header or its content changed.
        Changed = "changed",
        /// It came to lie elsewhere.
        Moved = "moved",
        /// An edit took it away, or taking an edit back did.
        Removed = "removed",
        /// Its time to live was over.
        Expired = "expired",
        /// It was a removable container that became empty.
        Cascaded = "cascaded",
        /// A policy took it away.
        Pruned = "pruned",
        /// It was sealed into history.
        Sealed = "sealed",
        /// A cadence made it.
        Materialized = "materialized",
    }
}

impl What {
    /// The word for it.
    pub fn word(self) -> &'static str {
        self.name()
    }
}

/// A header before and after; null where there is none.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FieldChange {
    /// The header, `parent` or `content`.
    pub name: String,
    /// What it was.
    pub from: Json,
    /// What it is.
    pub to: Json,
}

/// What happened to one node.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct NodeChange {
    /// The node.
    pub id: String,
    /// What happened to it.
    pub what: What,
    /// How; of a new node its role, kind and content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldChange>,
}

/// The same for all of a list.
pub(super) fn listed(what: What, ids: &[Id]) -> Vec<NodeChange> {
    let change = |id: &Id| NodeChange { id: id.to_string(), what, fields: Vec::new() };
    ids.iter().map(change).collect()
}

/// What happened to some nodes. `cycle` is the last one committed.
pub(super) fn compare(
    ids: &[Id],
    before: &Tree,
    after: &Tree,
    cycle: u64,
    contents: &dyn Contents,
) -> Result<Vec<NodeChange>> {
    let mut changes = Vec::new();
    let mut seen = BTreeSet::new();
    for id in ids.iter().filter(|id| seen.insert((*id).clone())) {
        let (old, new) = (facts(before, id, cycle, contents)?, facts(after, id, cycle, contents)?);
        let what = match (&old, &new) {
            (None, None) => continue,
            (None, Some(_)) => What::Added,
            (Some(_), None) => What::Removed,
            (Some(_), Some(_)) => What::Changed,
        };
        let fields = match what {
            What::Removed => Vec::new(),
            What::Added => {
                let mut fields = differences(&Map::new(), &new.unwrap_or_default());
                fields.retain(|field| ["role", "kind", "content"].contains(&field.name.as_str()));
                fields
            }
            _ => differences(&old.unwrap_or_default(), &new.unwrap_or_default()),
        };
        if what == What::Changed && fields.is_empty() {
            continue;
        }
        let moved = |field: &FieldChange| ["parent", "offset"].contains(&field.name.as_str());
        let what = match what {
            What::Changed if fields.iter().all(moved) => What::Moved,
            what => what,
        };
        changes.push(NodeChange { id: id.to_string(), what, fields });
    }
    Ok(changes)
}

type Facts = Map;

fn facts(tree: &Tree, id: &str, cycle: u64, contents: &dyn Contents) -> Result<Option<Facts>> {
    let Some(position) = tree.find(id)? else { return Ok(None) };
    let node: Arc<Node> = tree.subtree(position.place)?.node(position.index).clone();
    let content = node.content.as_ref().map(|content| contents.content(content)).transpose()?;
    let mut facts = node_object(&node, cycle, content.as_deref());
    facts.remove("content_hash");
    if let Some(parent) = parent(tree, position)? {
        facts.insert("parent".into(), Json::from(&*parent));
    }
    Ok(Some(facts))
}

/// The parent of the node at a position.
pub(super) fn parent(tree: &Tree, position: Position) -> Result<Option<Id>> {
    let part = tree.subtree(position.place)?;
    Ok(Some(match part.parent(position.index) {
        Some(parent) => part.node(parent).id.clone(),
        None => match position.place {
            Place::Turn(_) => tree.seq().id.clone(),
            Place::Sys | Place::Ah => tree.root().id.clone(),
        },
    }))
}

pub(super) fn differences(old: &Facts, new: &Facts) -> Vec<FieldChange> {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let value = |facts: &Facts, name: &str| facts.get(name).cloned().unwrap_or(Json::Null);
    let changed = names.into_iter().map(|name| FieldChange {
        name: name.clone(),
        from: value(old, name),
        to: value(new, name),
    });
    changed.filter(|field| field.from != field.to).collect()
}
