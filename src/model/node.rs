//! A node and its headers (R2). Nodes are immutable: a change makes a new one.

use super::{Class, Generation, iso_from_ns};
use crate::json::Json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The id of a node: opaque, case-sensitive, unique over the whole history of a store.
pub type Id = Arc<str>;

/// A name that many nodes share: a type, a role, a kind, a key, a tag.
pub type Name = Arc<str>;

/// Where the content of a block is kept: it is stored once, beside the event that brought it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentRef {
    /// The sequence number of the event.
    pub seq: u64,
    /// Which of the event's contents: 1, 2, …
    pub item: u32,
    /// Its size as policies count it: UTF-8 of a string, else of its canonical JSON.
    pub bytes: u64,
}

/// A finite time to live (R4.1). What a reader sees is derived from it and never rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lifetime {
    /// The ttl that was given.
    pub given: u64,
    /// The cycle that it counts from.
    pub since: u64,
    /// The first commit that removes the node; [`Lifetime::OVERDUE`] once that commit has passed.
    pub expires_at: u64,
}

impl Lifetime {
    /// A ttl given for a node of the cycle `since`.
    pub fn starting(given: u64, since: u64) -> Lifetime {
        Lifetime { given, since, expires_at: since.saturating_add(given) }
    }

    /// When a node expires that should have gone already. It is one value whatever the cycle, so
    /// that two trees that read alike are alike.
    pub const OVERDUE: u64 = 0;

    /// The same lifetime as a snapshot of `cycle` has it.
    pub fn settled(self, cycle: u64) -> Lifetime {
        let overdue = self.expires_at <= cycle;
        Lifetime { expires_at: if overdue { Lifetime::OVERDUE } else { self.expires_at }, ..self }
    }

    /// The cycles that remain at `cycle`, the last one committed (R5.1).
    pub fn remaining(&self, cycle: u64) -> u64 {
        self.expires_at.saturating_sub(cycle.max(self.since))
    }
}

/// One node of the tree with all its headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its id.
    pub id: Id,
    /// Its type, exactly as given.
    pub node_type: Name,
    /// What it is.
    pub class: Class,
    /// Its place among its siblings; 0 is the core of a turn.
    pub offset: i64,
    /// Its time to live, if that is finite.
    pub lifetime: Option<Lifetime>,
    /// Lower goes first when a policy prunes.
    pub priority: i64,
    /// The cycle that it was made for.
    pub cycle: u64,
    /// When it was made.
    pub created_at_ns: i64,
    /// The text that an import gave for that time, where it is not the derived one.
    pub created_at_iso: Option<Name>,
    /// Its number among the nodes made in its cycle.
    pub creation_index: u64,
    /// Who speaks.
    pub role: Option<Name>,
    /// What sort of thing it says.
    pub kind: Option<Name>,
    /// The family that it is an instance of.
    pub key: Option<Name>,
    /// Its tags, in the order given.
    pub tags: Vec<Name>,
    /// It comes back every so many cycles.
    pub cad: Option<u64>,
    /// Where its content is.
    pub content: Option<ContentRef>,
    /// The hash of R2.7, of every block; of a container only if it has a content, and then it is
    /// for digests alone. Readers ask [`Node::shown_hash`].
    pub content_hash: Option<[u8; 32]>,
    /// Who or what made it.
    pub provenance: Option<Name>,
    /// A container that goes when its last child has gone.
    pub removable: bool,
    /// Never pruned.
    pub pinned: bool,
    /// Nodes that must stay while this one does.
    pub refs: Vec<Id>,
    /// The media type of a block's content.
    pub mime: Option<Name>,
    /// How a block's content is encoded, `base64` for instance.
    pub encoding: Option<Name>,
    /// Custom attributes.
    pub attrs: BTreeMap<Name, Json>,
}

impl Node {
    /// Whether it is the call of a tool.
    pub fn is_call(&self) -> bool {
        self.kind.as_deref() == Some("call")
    }

    /// Whether it is what a tool answered.
    pub fn is_result(&self) -> bool {
        match self.kind.as_deref() {
            Some("result") => true,
            Some("call") => false,
            _ => matches!(self.role.as_deref(), Some("tool" | "function")),
        }
    }

    /// The name that a call and its result share.
    pub fn call_id(&self) -> Option<&str> {
        self.attrs.get("data_call_id").and_then(Json::as_str)
    }

    /// A node with an id, a type and a class, and every other header at its default.
    pub fn bare(id: Id, node_type: Name, class: Class) -> Node {
        Node {
            id,
            node_type,
            class,
            offset: 0,
            lifetime: None,
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
            content_hash: None,
            provenance: None,
            removable: false,
            pinned: false,
            refs: Vec::new(),
            mime: None,
            encoding: None,
            attrs: BTreeMap::new(),
        }
    }

    /// The root or a region of a new store (R1.1).
    pub fn region(class: Class, id: Id) -> Node {
        let creation_index = match class {
            Class::Sys => 1,
            Class::Seq => 2,
            Class::Ah => 3,
            _ => 0,
        };
        // The regions' words are the same in both generations.
        let word = Generation::default().word(class);
        Node { creation_index, ..Node::bare(id, word.into(), class) }
    }

    /// The content hash that a reader sees: that of a block.
    pub fn shown_hash(&self) -> Option<[u8; 32]> {
        self.content_hash.filter(|_| self.class == Class::Block)
    }

    /// The ttl that a reader sees at `cycle`, the last one committed.
    pub fn ttl_at(&self, cycle: u64) -> Option<u64> {
        self.lifetime.map(|lifetime| lifetime.remaining(cycle))
    }

    /// The time it was made, as text.
    pub fn created_at_iso(&self) -> String {
        match &self.created_at_iso {
            Some(text) => text.to_string(),
            None => iso_from_ns(self.created_at_ns),
        }
    }

    /// Whether this is the container at offset 0 that a turn has one of.
    pub fn is_core_shaped(&self) -> bool {
        self.class == Class::Container && self.offset == 0
    }
}
