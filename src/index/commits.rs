//! Commits: the row of a closed cycle in the table `parts`.
//!
//! It says how the cycle was closed, which parts it changed, and what it adds to the index, so that
//! opening a store can make the memtable again from the newest rows. The list of live turns, the
//! skeleton, is in the row only if it changed in another way than by one more turn.

use super::closed_cycle::{ClosedCycle, CycleKind};
use super::figures::{Closing, Figures};
use super::memtable::{NewPart, NewTurn};
use super::nodes::{Interner, read_node, write_node};
use super::parts::row_name;
use super::tables::{PARTS, PartKey, cycle_key, part_key_bytes, place_from_key, place_key};
use super::turn_sizes::SizeChange;
use super::view::View;
use crate::change::{Expiry, History, IndexDelta, PartChange, ThreadChange};
use crate::lifecycle::{Policy, RegionTotals, Removed, Totals};
use crate::log::{StoredPolicy, WholeNode};
use crate::model::{Id, Instance, Name, Place, Skeleton, Spine, ThreadSize};
use crate::snapshot::TurnsHash;
use crate::storage::{
    Numbers, Readable, StoreError, decode, encode, put_number, put_signed, seal, unseal,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A commit on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredCycle {
    /// Stands before the rest.
    #[serde(skip)]
    head: CycleHead,
    pub(crate) seq: u64,
    pub(crate) kind: CycleKind,
    pub(crate) digest: [u8; 32],
    removed: [Vec<String>; 3],
    pub(crate) next_id: u64,
    pub(crate) last_ns: i64,
    policies: Vec<StoredPolicy>,
    pub(crate) totals: RegionTotals,
    used: Vec<String>,
    placed: Vec<(String, Place)>,
    refs: Vec<(String, String)>,
    expiry: Vec<Expiry>,
    instances: Vec<(String, WholeNode, bool, bool)>,
    time: i64,
    pub(crate) thread: ThreadChange,
}

/// The beginning of a commit's row, which is all that most questions need of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct CycleHead {
    /// The cycle whose row has the skeleton that this one extends, or its own.
    pub(crate) skeleton_at: u64,
    /// The parts that changed, with their hashes before and after.
    pub(crate) parts: Vec<StoredPartChange>,
}

impl CycleHead {
    /// The head, the bytes of the skeleton, none if the cycle has none of its own, and the rest.
    fn split(key: PartKey, row: &[u8]) -> Result<(CycleHead, &[u8], &[u8]), StoreError> {
        let bytes = unseal(PARTS.name(), &part_key_bytes(key), row, || row_name(key))?;
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
            let (old, new) = (hash()?, hash()?);
            let size = SizeChange { blocks: rest.signed()?, bytes: rest.signed()? };
            parts.push(StoredPartChange { place, old, new, size });
        }
        Some(CycleHead { skeleton_at, parts })
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        put_number(self.skeleton_at, bytes);
        put_number(self.parts.len() as u64, bytes);
        for StoredPartChange { place, old, new, size } in &self.parts {
            let (cycle, rank) = place_key(*place);
            put_number(cycle, bytes);
            put_number(u64::from(rank), bytes);
            for hash in [old, new] {
                put_number(u64::from(hash.is_some()), bytes);
                bytes.extend_from_slice(hash.as_ref().map_or(&[], |hash| &hash[..]));
            }
            put_signed(size.blocks, bytes);
            put_signed(size.bytes, bytes);
        }
    }
}

/// The skeleton in the row of a commit.
fn read_skeleton(key: PartKey, row: &[u8]) -> Result<(Skeleton, History), StoreError> {
    let (_, bytes, _) = CycleHead::split(key, row)?;
    if bytes.is_empty() {
        return Err(StoreError::corrupt(format!("{} has no skeleton", row_name(key))));
    }
    let mut rest = Numbers(bytes);
    let mut names = Interner::default();
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
pub(crate) struct StoredPartChange {
    pub(crate) place: Place,
    pub(crate) old: Option<[u8; 32]>,
    pub(crate) new: Option<[u8; 32]>,
    /// By how much it grew or shrank.
    size: SizeChange,
}

/// The row of a commit. `skeleton_at` is the cycle whose row has the newest whole skeleton.
pub(super) fn write_cycle(
    key: PartKey,
    cycle: &ClosedCycle<'_>,
    skeleton_at: Option<u64>,
) -> Result<Vec<u8>, StoreError> {
    let ClosedCycle { closed, next, kind, seq, time } = *cycle;
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
        policies: StoredPolicy::list_of(&next.policies),
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
        time,
        thread: closed.thread,
    };
    let mut row = Vec::new();
    cycle.head.write(&mut row);
    put_number(skeleton.len() as u64, &mut row);
    row.extend_from_slice(&skeleton);
    row.extend_from_slice(&encode(&cycle)?);
    Ok(seal(PARTS.name(), &part_key_bytes(key), row))
}

/// By how much a part grew or shrank.
pub(super) fn size_change(part: &PartChange) -> SizeChange {
    let [old, new] = part.totals.map(|Totals { blocks, bytes, .. }| ThreadSize { blocks, bytes });
    SizeChange::between(old, new)
}

fn store_part_change(part: &PartChange) -> StoredPartChange {
    let [old, new] = part.hashes;
    StoredPartChange { place: part.place, old, new, size: size_change(part) }
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
    fn read(key: PartKey, row: &[u8]) -> Result<StoredCycle, StoreError> {
        let (head, _, bytes) = CycleHead::split(key, row)?;
        let cycle: StoredCycle = decode(bytes, &row_name(key))?;
        Ok(StoredCycle { head, ..cycle })
    }

    pub(crate) fn info(&self, cycle: u64) -> CycleInfo {
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
    pub(crate) fn skeleton_at(&self) -> u64 {
        self.head.skeleton_at
    }

    pub(crate) fn policies(&self) -> Result<Vec<Policy>, StoreError> {
        StoredPolicy::policies(self.policies.iter().cloned())
    }

    /// What the cycle adds to the index.
    pub(crate) fn delta(&self) -> Result<IndexDelta, StoreError> {
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

    /// The versions of parts that the cycle made.
    pub(crate) fn versions(&self) -> impl Iterator<Item = NewPart> + '_ {
        self.head.parts.iter().map(|part| NewPart {
            place: part.place,
            version: match part.new {
                Some(_) => NewTurn::Stored,
                None => NewTurn::Gone,
            },
            size: part.size,
        })
    }

    /// The figures of its snapshot.
    pub(crate) fn figures(&self, cycle: u64) -> Figures {
        Figures::of(&Closing {
            cycle,
            time: self.time,
            kind: self.kind,
            totals: &self.totals,
            removed: [&self.removed[0], &self.removed[1], &self.removed[2]].map(Vec::len),
            thread: &self.thread,
        })
    }

    /// Adds the cycle's turns to the sum over all turns.
    pub(crate) fn add_to(&self, turns: &mut TurnsHash) {
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

/// The row of the commit of a cycle.
pub(crate) fn get_cycle(view: &View, cycle: u64) -> Result<StoredCycle, StoreError> {
    let key = cycle_key(cycle);
    let row = view.parts()?.get(key)?.ok_or_else(|| missing_cycle(cycle))?;
    StoredCycle::read(key, row.value())
}

/// The beginning of the row of a commit.
pub(crate) fn get_cycle_head(view: &View, cycle: u64) -> Result<CycleHead, StoreError> {
    let key = cycle_key(cycle);
    let row = view.parts()?.get(key)?.ok_or_else(|| missing_cycle(cycle))?;
    CycleHead::split(key, row.value()).map(|(head, ..)| head)
}

/// The skeleton in the row of the commit of a cycle, which must have one of its own.
pub(crate) fn get_skeleton(view: &View, cycle: u64) -> Result<(Skeleton, History), StoreError> {
    let key = cycle_key(cycle);
    let row = view.parts()?.get(key)?.ok_or_else(|| missing_cycle(cycle))?;
    read_skeleton(key, row.value())
}

fn missing_cycle(cycle: u64) -> StoreError {
    StoreError::corrupt(format!("the commit of cycle {cycle} is missing"))
}
