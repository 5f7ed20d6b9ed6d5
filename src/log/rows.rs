//! Rows of the `parts` table: versions of parts of the tree, and commits.
//!
//! A version's row begins with the cycle that the next version holds from, 0 while it is the
//! newest. So whoever finds a version knows that no newer one was missed, and for how long it
//! holds.

use super::StoreError;
use super::codec::{Numbers, decode, encode, put_number, seal, unseal};
use super::extras::WholeNode;
use super::index::Version;
use super::nodes::{Names, read_node, read_nodes, write_node, write_nodes};
use super::stored::StoredPolicy;
use super::tables::{PartKey, part_key_bytes, place_from_key, place_key};
use crate::change::{Closed, Expiry, History, IndexDelta, PartChange, State};
use crate::lifecycle::{Policy, RegionTotals, Removed};
use crate::model::{Id, Instance, Name, Place, Skeleton, Spine, Subtree};
use crate::snapshot::TurnsHash;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const TABLE: &str = "parts";

fn row_name(key: PartKey) -> String {
    match key {
        (0, 1, version) => format!("^sys of cycle {version}"),
        (0, 2, version) => format!("^ah of cycle {version}"),
        (cycle, 0, _) => format!("the commit of cycle {cycle}"),
        (cycle, _, version) => format!("the turn of cycle {cycle} as of cycle {version}"),
    }
}

/// The row of a version; `None` says that the part has gone, and has no nodes.
pub(super) fn write_part(key: PartKey, until: u64, part: Option<&Subtree>) -> Vec<u8> {
    let mut row = until.to_le_bytes().to_vec();
    if let Some(part) = part {
        write_nodes(part, &mut row);
    }
    seal(TABLE, &part_key_bytes(key), row)
}

/// The same row with another end.
pub(super) fn end_part(key: PartKey, row: &[u8], until: u64) -> Result<Vec<u8>, StoreError> {
    let bytes = unseal(TABLE, &part_key_bytes(key), row, || row_name(key))?;
    let mut ended = until.to_le_bytes().to_vec();
    ended.extend_from_slice(bytes.get(8..).unwrap_or_default());
    Ok(seal(TABLE, &part_key_bytes(key), ended))
}

/// A version's bytes, once its check is right.
pub(super) struct PartRow<'a> {
    key: PartKey,
    /// The cycle that the next version holds from; 0 if there is none.
    pub(super) until: u64,
    nodes: &'a [u8],
}

impl<'a> PartRow<'a> {
    pub(super) fn read(key: PartKey, row: &'a [u8]) -> Result<PartRow<'a>, StoreError> {
        let bytes = unseal(TABLE, &part_key_bytes(key), row, || row_name(key))?;
        let Some((until, nodes)) = bytes.split_first_chunk::<8>() else {
            return Err(StoreError::corrupt(format!("{} is too short", row_name(key))));
        };
        Ok(PartRow { key, until: u64::from_le_bytes(*until), nodes })
    }

    /// The part; `None` if it has gone.
    pub(super) fn part(&self, names: &mut Names) -> Result<Option<Arc<Subtree>>, StoreError> {
        if self.nodes.is_empty() {
            return Ok(None);
        }
        read_nodes(self.nodes, names, &|| row_name(self.key)).map(|part| Some(Arc::new(part)))
    }
}

/// How a cycle was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CycleKind {
    /// By a commit.
    Commit,
    /// By an import.
    Import,
    /// By restoring the snapshot of a cycle.
    Restore(u64),
}

/// A commit on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredCycle {
    /// Stands before the rest.
    #[serde(skip)]
    head: CycleHead,
    pub(super) seq: u64,
    pub(super) kind: CycleKind,
    pub(super) digest: [u8; 32],
    pub(super) removed: [Vec<String>; 3],
    pub(super) next_id: u64,
    pub(super) last_ns: i64,
    policies: Vec<StoredPolicy>,
    pub(super) totals: RegionTotals,
    used: Vec<String>,
    placed: Vec<(String, Place)>,
    refs: Vec<(String, String)>,
    expiry: Vec<Expiry>,
    instances: Vec<(String, WholeNode, bool, bool)>,
}

/// The beginning of a commit's row, which is all that most questions need of it.
#[derive(Debug, Clone, Default)]
pub(super) struct CycleHead {
    /// The cycle whose row has the skeleton that this one extends, or its own.
    pub(super) skeleton_at: u64,
    /// The parts that changed, with their hashes before and after.
    pub(super) parts: Vec<StoredPartChange>,
}

impl CycleHead {
    pub(super) fn read(key: PartKey, row: &[u8]) -> Result<CycleHead, StoreError> {
        CycleHead::split(key, row).map(|(head, ..)| head)
    }

    /// The head, the bytes of the skeleton, none if the cycle has none of its own, and the rest.
    fn split(key: PartKey, row: &[u8]) -> Result<(CycleHead, &[u8], &[u8]), StoreError> {
        let bytes = unseal(TABLE, &part_key_bytes(key), row, || row_name(key))?;
        let mut rest = Numbers(bytes);
        let head = CycleHead::parse(&mut rest);
        let (head, skeleton) = head
            .zip(rest.bytes())
            .ok_or_else(|| StoreError::corrupt(format!("{} cannot be decoded", row_name(key))))?;
        Ok((head, skeleton, rest.0))
    }

    fn parse(rest: &mut Numbers<'_>) -> Option<CycleHead> {
        let (skeleton_at, count) = (rest.next()?, rest.next()?);
        let mut parts = Vec::with_capacity(usize::try_from(count).ok()?.min(rest.0.len()));
        for _ in 0..count {
            let (cycle, rank) = (rest.next()?, u32::try_from(rest.next()?).ok()?);
            let place = place_from_key(cycle, rank)?;
            let mut hash = || {
                let (hash, after) = match rest.next()? {
                    0 => return Some(None),
                    _ => rest.0.split_first_chunk::<32>()?,
                };
                rest.0 = after;
                Some(Some(*hash))
            };
            parts.push(StoredPartChange { place, old: hash()?, new: hash()? });
        }
        Some(CycleHead { skeleton_at, parts })
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        put_number(self.skeleton_at, bytes);
        put_number(self.parts.len() as u64, bytes);
        for StoredPartChange { place, old, new } in &self.parts {
            let (cycle, rank) = place_key(*place);
            put_number(cycle, bytes);
            put_number(u64::from(rank), bytes);
            for hash in [old, new] {
                put_number(u64::from(hash.is_some()), bytes);
                bytes.extend_from_slice(hash.as_ref().map_or(&[], |hash| &hash[..]));
            }
        }
    }
}

/// The skeleton in the row of a commit.
pub(super) fn read_skeleton(key: PartKey, row: &[u8]) -> Result<(Skeleton, History), StoreError> {
    let (_, bytes, _) = CycleHead::split(key, row)?;
    if bytes.is_empty() {
        return Err(StoreError::corrupt(format!("{} has no skeleton", row_name(key))));
    }
    let mut rest = Numbers(bytes);
    let mut names = Names::default();
    let nodes = (read_node(&mut rest, &mut names)?, read_node(&mut rest, &mut names)?);
    let (Some(root), Some(seq)) = nodes else {
        return Err(StoreError::corrupt(format!("{} has no root", row_name(key))));
    };
    let (spine, history): (Spine, History) =
        decode(rest.0, &format!("the skeleton in {}", row_name(key)))?;
    Ok((Skeleton { root, seq, spine }, history))
}

/// A part that a cycle changed.
#[derive(Debug, Clone)]
pub(super) struct StoredPartChange {
    pub(super) place: Place,
    pub(super) old: Option<[u8; 32]>,
    pub(super) new: Option<[u8; 32]>,
}

/// The row of a commit. `skeleton_at` is the cycle whose row has the newest whole skeleton.
pub(super) fn write_cycle(
    key: PartKey,
    closed: &Closed,
    next: &State,
    seq: u64,
    kind: CycleKind,
    skeleton_at: Option<u64>,
) -> Result<Vec<u8>, StoreError> {
    let texts = |ids: &[Id]| ids.iter().map(|id| id.to_string()).collect::<Vec<_>>();
    let Removed { expired, cascaded, pruned } = &closed.removed;
    let mut skeleton = Vec::new();
    if skeleton_at.is_none() {
        write_node(closed.tree.root(), &mut skeleton);
        write_node(closed.tree.seq(), &mut skeleton);
        skeleton.extend_from_slice(&encode(&(closed.tree.spine(), &next.history))?);
    }
    let IndexDelta { used, placed, refs, expiry, instances } = &closed.delta;
    let cycle = StoredCycle {
        head: CycleHead {
            skeleton_at: skeleton_at.unwrap_or(closed.cycle),
            parts: closed.parts.iter().map(store_part_change).collect(),
        },
        seq,
        kind,
        digest: closed.digest,
        removed: [texts(expired), texts(cascaded), texts(pruned)],
        // What the instances at the start of the next cycle use is counted when they are applied.
        next_id: next.next_id,
        last_ns: next.last_ns,
        policies: next.policies.iter().map(StoredPolicy::from).collect(),
        totals: next.totals,
        used: used.iter().map(|id| id.to_string()).collect(),
        placed: placed.iter().map(|(id, place)| (id.to_string(), *place)).collect(),
        refs: refs.iter().map(|(to, from)| (to.to_string(), from.to_string())).collect(),
        expiry: expiry.iter().copied().collect(),
        instances: instances
            .iter()
            .map(|(key, instance)| {
                let node = WholeNode::from(&*instance.node);
                (key.to_string(), node, instance.ended, instance.removed)
            })
            .collect(),
    };
    let mut row = Vec::new();
    cycle.head.write(&mut row);
    put_number(skeleton.len() as u64, &mut row);
    row.extend_from_slice(&skeleton);
    row.extend_from_slice(&encode(&cycle)?);
    Ok(seal(TABLE, &part_key_bytes(key), row))
}

fn store_part_change(part: &PartChange) -> StoredPartChange {
    let [old, new] = part.hashes;
    StoredPartChange { place: part.place, old, new }
}

/// What a store knows of a committed cycle.
#[derive(Debug, Clone, PartialEq)]
pub struct CycleInfo {
    /// The cycle.
    pub cycle: u64,
    /// The sequence number of the event that closed it.
    pub seq: u64,
    /// How it was closed.
    pub kind: CycleKind,
    /// The digest of its snapshot.
    pub digest: [u8; 32],
    /// What it removed.
    pub removed: Removed,
    /// The parts of the tree that it changed.
    pub changed: Vec<Place>,
    /// Totals of its snapshot.
    pub totals: RegionTotals,
}

impl StoredCycle {
    pub(super) fn read(key: PartKey, row: &[u8]) -> Result<StoredCycle, StoreError> {
        let (head, _, bytes) = CycleHead::split(key, row)?;
        let cycle: StoredCycle = decode(bytes, &row_name(key))?;
        Ok(StoredCycle { head, ..cycle })
    }

    pub(super) fn info(&self, cycle: u64) -> CycleInfo {
        let ids = |ids: &[String]| ids.iter().map(|id| Id::from(id.as_str())).collect();
        let [expired, cascaded, pruned] = &self.removed;
        CycleInfo {
            cycle,
            seq: self.seq,
            kind: self.kind,
            digest: self.digest,
            removed: Removed {
                expired: ids(expired),
                cascaded: ids(cascaded),
                pruned: ids(pruned),
            },
            changed: self.head.parts.iter().map(|part| part.place).collect(),
            totals: self.totals,
        }
    }

    /// Where to find the skeleton: in this row, or in that of an earlier cycle.
    pub(super) fn skeleton_at(&self) -> u64 {
        self.head.skeleton_at
    }

    pub(super) fn policies(&self) -> Result<Vec<Policy>, StoreError> {
        self.policies.iter().cloned().map(StoredPolicy::into_policy).collect()
    }

    /// What the indexes learnt from the cycle.
    pub(super) fn delta(&self) -> Result<IndexDelta, StoreError> {
        let id = |text: &String| Id::from(text.as_str());
        Ok(IndexDelta {
            used: self.used.iter().map(id).collect(),
            placed: self.placed.iter().map(|(text, place)| (id(text), *place)).collect(),
            refs: self.refs.iter().map(|(to, from)| (id(to), id(from))).collect(),
            expiry: self.expiry.iter().copied().collect(),
            instances: self
                .instances
                .iter()
                .map(|(key, node, ended, removed)| {
                    let node = Arc::new(node.clone().into_node()?);
                    let instance = Instance { node, ended: *ended, removed: *removed };
                    Ok((Name::from(key.as_str()), instance))
                })
                .collect::<Result<_, StoreError>>()?,
        })
    }

    /// The versions of turns that the cycle made.
    pub(super) fn versions(&self) -> impl Iterator<Item = (Place, Version)> + '_ {
        self.head.parts.iter().map(|part| match part.new {
            Some(_) => (part.place, Version::Stored),
            None => (part.place, Version::Gone),
        })
    }

    /// Adds the cycle's turns to the sum over all turns.
    pub(super) fn add_to(&self, turns: &mut TurnsHash) {
        for part in &self.head.parts {
            if let Some(old) = &part.old {
                turns.subtract(old);
            }
            if let Some(new) = &part.new {
                turns.add(new);
            }
        }
    }
}
