//! The digest of a snapshot, kept incrementally.
//!
//! A subtree's hash is BLAKE3 over its nodes. The turns are combined by a lattice hash: each
//! turn's hash is stretched to 1024 lanes of 16 bits, and the lanes of all turns are added up. A
//! turn that changes costs one subtraction and one addition, wherever it stands, and no tree of
//! inner hashes has to be kept. The order of turns needs no place in the sum, because the headers
//! that decide it are part of each turn's hash.
//!
//! A digest depends on the tree and its cycle alone. The bytes that are hashed are spelled out
//! here, field by field, so that no codec can change a digest.

use super::hash::attrs_text;
use crate::model::{Node, Subtree};

const LANES: usize = 1024;

/// The sum over all turns.
#[derive(Clone, PartialEq, Eq)]
pub struct TurnsHash {
    lanes: Box<[u16; LANES]>,
}

impl Default for TurnsHash {
    fn default() -> TurnsHash {
        TurnsHash { lanes: Box::new([0; LANES]) }
    }
}

impl std::fmt::Debug for TurnsHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TurnsHash({})", blake3::hash(&self.to_bytes()).to_hex())
    }
}

impl TurnsHash {
    /// Adds a turn.
    pub fn add(&mut self, turn: &[u8; 32]) {
        for (lane, value) in self.lanes.iter_mut().zip(stretch(turn)) {
            *lane = lane.wrapping_add(value);
        }
    }

    /// Takes a turn out that was added.
    pub fn subtract(&mut self, turn: &[u8; 32]) {
        for (lane, value) in self.lanes.iter_mut().zip(stretch(turn)) {
            *lane = lane.wrapping_sub(value);
        }
    }

    /// The lanes as bytes, little end first.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.lanes.iter().flat_map(|lane| lane.to_le_bytes()).collect()
    }

    /// The lanes from bytes; `None` if there are too few or too many.
    pub fn from_bytes(bytes: &[u8]) -> Option<TurnsHash> {
        let mut hash = TurnsHash::default();
        if bytes.len() != LANES * 2 {
            return None;
        }
        for (lane, pair) in hash.lanes.iter_mut().zip(bytes.chunks_exact(2)) {
            *lane = u16::from_le_bytes([pair[0], pair[1]]);
        }
        Some(hash)
    }
}

fn stretch(turn: &[u8; 32]) -> impl Iterator<Item = u16> {
    let mut bytes = [0u8; LANES * 2];
    blake3::Hasher::new_derive_key("pactdb 1 turn in a snapshot")
        .update(turn)
        .finalize_xof()
        .fill(&mut bytes);
    (0..LANES).map(move |i| u16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]))
}

/// The hash of a part of the tree.
pub fn subtree_hash(part: &Subtree) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("pactdb 1 subtree");
    for entry in part.entries() {
        hasher.update(&entry.parent.to_le_bytes());
        hash_node(&mut hasher, &entry.node);
    }
    hasher.finalize().into()
}

/// What the digest of a snapshot covers.
pub struct SnapshotParts<'a> {
    /// The `spec_version` of the store.
    pub spec_version: &'a str,
    /// The cycle.
    pub cycle: u64,
    /// The root's headers.
    pub root: &'a Node,
    /// The headers of `^seq`.
    pub seq: &'a Node,
    /// `^sys`.
    pub sys: &'a Subtree,
    /// `^ah`.
    pub ah: &'a Subtree,
    /// How many turns there are.
    pub turns: u64,
    /// The sum over them.
    pub turns_hash: &'a TurnsHash,
}

/// The digest of a snapshot.
pub fn snapshot_digest(parts: &SnapshotParts<'_>) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("pactdb 1 snapshot");
    text(&mut hasher, parts.spec_version);
    hasher.update(&parts.cycle.to_le_bytes());
    hash_node(&mut hasher, parts.root);
    hash_node(&mut hasher, parts.seq);
    hasher.update(&subtree_hash(parts.sys));
    hasher.update(&subtree_hash(parts.ah));
    hasher.update(&parts.turns.to_le_bytes());
    hasher.update(&parts.turns_hash.to_bytes());
    hasher.finalize().into()
}

fn hash_node(hasher: &mut blake3::Hasher, node: &Node) {
    text(hasher, &node.id);
    text(hasher, &node.node_type);
    hasher.update(&[node.class as u8]);
    hasher.update(&node.offset.to_le_bytes());
    // Of a lifetime only its end shows in the tree; the rest is derived or has passed.
    optional(hasher, node.lifetime.as_ref(), |hasher, life| {
        hasher.update(&life.expires_at.to_le_bytes());
    });
    hasher.update(&node.priority.to_le_bytes());
    hasher.update(&node.cycle.to_le_bytes());
    hasher.update(&node.created_at_ns.to_le_bytes());
    hasher.update(&node.creation_index.to_le_bytes());
    let texts = [&node.created_at_iso, &node.role, &node.kind, &node.key, &node.provenance];
    for value in texts {
        optional(hasher, value.as_ref(), |hasher, value| text(hasher, value));
    }
    list(hasher, &node.tags);
    list(hasher, &node.refs);
    optional(hasher, node.cad.as_ref(), |hasher, cad| {
        hasher.update(&cad.to_le_bytes());
    });
    hasher.update(&[u8::from(node.content.is_some())]);
    optional(hasher, node.content_hash.as_ref(), |hasher, hash| {
        hasher.update(hash);
    });
    // Headers that came later are announced in a byte that was 0 or 1 before them, so a node
    // without them hashes as it always did.
    let later = node.mime.is_some() || node.encoding.is_some();
    hasher.update(&[u8::from(node.removable) | u8::from(later) << 1, u8::from(node.pinned)]);
    text(hasher, &attrs_text(&node.attrs));
    if later {
        for value in [&node.mime, &node.encoding] {
            optional(hasher, value.as_ref(), |hasher, value| text(hasher, value));
        }
    }
}

fn text(hasher: &mut blake3::Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

fn list(hasher: &mut blake3::Hasher, items: &[std::sync::Arc<str>]) {
    hasher.update(&(items.len() as u64).to_le_bytes());
    for item in items {
        text(hasher, item);
    }
}

fn optional<T: ?Sized>(
    hasher: &mut blake3::Hasher,
    value: Option<&T>,
    write: impl FnOnce(&mut blake3::Hasher, &T),
) {
    hasher.update(&[u8::from(value.is_some())]);
    if let Some(value) = value {
        write(hasher, value);
    }
}
