//! What turns can be looked up by without reading them: the names that their nodes have, and the
//! trigrams (runs of three bytes) of their contents. Both are kept as hashes.
//!
//! Hashes collide, so a lookup may find a turn that has nothing of the sort (a false positive), and
//! never misses one that has. The hashes are written to disk: other ones need a new version of the
//! derived tables. Nothing here knows of storage.

use crate::model::Subtree;

/// What to look turns up by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    /// A node that has one of the names with these hashes, see `NameKind::hash`.
    Names(Vec<u32>),
    /// A node that has an attribute of the user's own, one of those with these hashes.
    Attributes(Vec<u32>),
    /// A content in which one of these texts may stand.
    Texts(Vec<Trigrams>),
}

/// Which of a node's headers a name stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// The role.
    Role,
    /// The kind.
    Kind,
    /// The key.
    Key,
    /// A tag.
    Tag,
    /// The type, whole.
    NodeType,
    /// What stands behind a colon of the type, and the type itself.
    TypeEnd,
    /// The name of an attribute of the user's own.
    Attribute,
}

impl NameKind {
    /// The hash of a name of this kind: FNV-1a.
    pub fn hash(self, name: &str) -> u32 {
        let kind = match self {
            NameKind::Role => b'r',
            NameKind::Kind => b'k',
            NameKind::Key => b'K',
            NameKind::Tag => b'+',
            NameKind::NodeType => b'T',
            NameKind::TypeEnd => b't',
            NameKind::Attribute => b'a',
        };
        let bytes = std::iter::once(&kind).chain(name.as_bytes());
        bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
    }
}

/// The hashes of all names that the nodes of a part have, sorted.
pub fn name_hashes(part: &Subtree) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in part.entries() {
        let node = &entry.node;
        found.extend(node.role.as_deref().map(|role| NameKind::Role.hash(role)));
        found.extend(node.kind.as_deref().map(|kind| NameKind::Kind.hash(kind)));
        found.extend(node.key.as_deref().map(|key| NameKind::Key.hash(key)));
        found.extend(node.tags.iter().map(|tag| NameKind::Tag.hash(tag)));
        found.extend(node.attrs.keys().map(|name| NameKind::Attribute.hash(name)));
        push_type(&node.node_type, &mut found);
    }
    if part.children(0).any(|child| part.node(child).offset == 0) {
        // There may be an implied core.
        push_type("mc", &mut found);
        push_type("cont", &mut found);
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn push_type(node_type: &str, found: &mut Vec<u32>) {
    found.push(NameKind::NodeType.hash(node_type));
    let mut rest = node_type;
    found.push(NameKind::TypeEnd.hash(rest));
    while let Some((_, end)) = rest.split_once(':') {
        rest = end;
        found.push(NameKind::TypeEnd.hash(rest));
    }
}

/// The hashes of all trigrams of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigrams(Vec<u32>);

impl Trigrams {
    /// Those of a text; none if it is too short to have any.
    pub fn of(text: &[u8]) -> Option<Trigrams> {
        let mut hashes: Vec<u32> = trigram_hashes(text).collect();
        hashes.sort_unstable();
        hashes.dedup();
        (!hashes.is_empty()).then_some(Trigrams(hashes))
    }

    /// The hashes, sorted.
    pub fn hashes(&self) -> &[u32] {
        &self.0
    }
}

/// The hash of every trigram of a text; its upper bits are the best ones.
pub fn trigram_hashes(text: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let (first, rest) = text.split_at(text.len().min(2));
    let mut trigram = first.iter().fold(0, slide);
    rest.iter().map(move |byte| {
        trigram = slide(trigram, byte);
        trigram.wrapping_mul(0x9E37_79B1)
    })
}

/// The trigram that ends one byte further on.
fn slide(trigram: u32, byte: &u8) -> u32 {
    trigram >> 8 | u32::from(*byte) << 16
}
