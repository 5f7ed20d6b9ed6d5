//! Sketches: what most questions ask of a turn, without reading it.
//!
//! Turns of a conversation look alike: the same types, roles and kinds at the same places. What
//! they have in common is a *template*, a subtree whose nodes lack all that is their own; turns
//! that look alike share one. A sketch is a template, and the ids and contents of the turn's
//! nodes. Whatever depends on the template alone is decided once for all turns that share it.

use super::{ContentRef, Lifetime, Node, Subtree};
use std::sync::Arc;

/// The template of a part: the same nodes without ids, times, contents and custom attributes.
/// A finite ttl and a content are there, but not which. Nodes keep their order.
pub fn template(part: &Subtree) -> Subtree {
    let mut copy = part.clone();
    for index in 0..part.len() {
        let node = part.node(index);
        let common = Node {
            offset: node.offset,
            lifetime: node.lifetime.map(|_| Lifetime { given: 0, since: 0, expires_at: 0 }),
            priority: node.priority,
            // The order among siblings, which times and ids decide, is kept by this.
            creation_index: index as u64,
            role: node.role.clone(),
            kind: node.kind.clone(),
            key: node.key.clone(),
            tags: node.tags.clone(),
            cad: node.cad,
            content: node.content.map(|_| ContentRef { seq: 0, part: 0, bytes: 0 }),
            removable: node.removable,
            pinned: node.pinned,
            ..Node::bare("".into(), node.node_type.clone(), node.class)
        };
        copy.replace(index, Arc::new(common));
    }
    copy
}

/// What is known of a turn without reading it.
#[derive(Debug, Clone, Copy)]
pub struct Sketch<'a> {
    /// What it has in common with others; the nodes are the turn's, in its order.
    pub template: &'a Arc<Subtree>,
    /// The ids of many nodes, one behind the other.
    ids: &'a str,
    /// Where the id of each node of the turn begins, and where the last one ends.
    bounds: &'a [u32],
    /// The sequence number and the part of the content of each node that has one.
    contents: &'a [(u64, u32)],
}

impl<'a> Sketch<'a> {
    /// A sketch. `bounds` has one number more than there are nodes.
    pub fn new(
        template: &'a Arc<Subtree>,
        ids: &'a str,
        bounds: &'a [u32],
        contents: &'a [(u64, u32)],
    ) -> Sketch<'a> {
        Sketch { template, ids, bounds, contents }
    }

    /// The id of a node; none if there is no such node.
    pub fn id(&self, index: usize) -> Option<&'a str> {
        let (from, to) = (self.bounds.get(index)?, self.bounds.get(index + 1)?);
        self.ids.get(*from as usize..*to as usize)
    }

    /// Where the content of a node is; none if it has no content. Its size is not known.
    pub fn content(&self, index: usize) -> Option<ContentRef> {
        let has = |entry: &&super::Entry| entry.node.content.is_some();
        self.template.entries().get(index).filter(has)?;
        let before = self.template.entries()[..index].iter().filter(has).count();
        let (seq, part) = *self.contents.get(before)?;
        Some(ContentRef { seq, part, bytes: 0 })
    }
}

/// What can be said of a turn without reading it.
#[derive(Debug, Clone, Copy)]
pub enum Glance<'a> {
    /// Nothing: it has to be read.
    Unknown,
    /// Its template is none of those that matter.
    Lacking,
    /// This.
    Known(Sketch<'a>),
}

/// A sketch on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedSketch {
    template: Arc<Subtree>,
    ids: String,
    bounds: Vec<u32>,
    contents: Vec<(u64, u32)>,
}

impl OwnedSketch {
    /// The sketch of a part.
    pub fn of(part: &Subtree) -> OwnedSketch {
        let (mut ids, mut bounds) = (String::new(), vec![0]);
        for entry in part.entries() {
            ids.push_str(&entry.node.id);
            bounds.push(ids.len() as u32);
        }
        let contents = part.entries().iter().filter_map(|entry| entry.node.content);
        OwnedSketch {
            template: Arc::new(template(part)),
            ids,
            bounds,
            contents: contents.map(|content| (content.seq, content.part)).collect(),
        }
    }

    /// The same, borrowed.
    pub fn sketch(&self) -> Sketch<'_> {
        Sketch::new(&self.template, &self.ids, &self.bounds, &self.contents)
    }
}
