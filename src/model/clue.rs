//! What turns can be found by without reading them: hashes of the names that their nodes have, and
//! of the runs of three bytes in their contents.
//!
//! Hashes collide, so a clue may lead to a turn that has nothing of the sort, and never past one
//! that has. They are written to disk: another hash needs a new version of the derived tables.

use super::Subtree;

/// Something that a turn holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clue {
    /// A node with one of these features.
    Features(Vec<u32>),
    /// A content in which one of these texts may stand.
    Texts(Vec<Grams>),
}

/// A sort of name that nodes are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
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
}

impl Feature {
    /// The hash of a name of this sort: FNV-1a.
    pub fn hash(self, name: &str) -> u32 {
        let sort = match self {
            Feature::Role => b'r',
            Feature::Kind => b'k',
            Feature::Key => b'K',
            Feature::Tag => b'+',
            Feature::NodeType => b'T',
            Feature::TypeEnd => b't',
        };
        let bytes = std::iter::once(&sort).chain(name.as_bytes());
        bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
    }
}

/// The features of all nodes of a part, sorted.
pub fn features(part: &Subtree) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in part.entries() {
        let node = &entry.node;
        found.extend(node.role.as_deref().map(|role| Feature::Role.hash(role)));
        found.extend(node.kind.as_deref().map(|kind| Feature::Kind.hash(kind)));
        found.extend(node.key.as_deref().map(|key| Feature::Key.hash(key)));
        found.extend(node.tags.iter().map(|tag| Feature::Tag.hash(tag)));
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
    found.push(Feature::NodeType.hash(node_type));
    let mut rest = node_type;
    found.push(Feature::TypeEnd.hash(rest));
    while let Some((_, end)) = rest.split_once(':') {
        rest = end;
        found.push(Feature::TypeEnd.hash(rest));
    }
}

/// The hashes of all runs of three bytes of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grams(Vec<u32>);

impl Grams {
    /// Those of a text; none if it is too short to have any.
    pub fn of(text: &[u8]) -> Option<Grams> {
        let mut hashes: Vec<u32> = gram_hashes(text).collect();
        hashes.sort_unstable();
        hashes.dedup();
        (!hashes.is_empty()).then_some(Grams(hashes))
    }

    /// The hashes, sorted.
    pub fn hashes(&self) -> &[u32] {
        &self.0
    }
}

/// The hash of every run of three bytes of a text; its upper bits are the best ones.
pub fn gram_hashes(text: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let (first, rest) = text.split_at(text.len().min(2));
    let mut run = first.iter().fold(0, slide);
    rest.iter().map(move |byte| {
        run = slide(run, byte);
        run.wrapping_mul(0x9E37_79B1)
    })
}

/// The run of three bytes that ends one byte further on.
fn slide(run: u32, byte: &u8) -> u32 {
    run >> 8 | u32::from(*byte) << 16
}
