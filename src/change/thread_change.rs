//! What a closed cycle makes of the thread (R9.5): how many bytes each role has in it, how much of
//! the thread before it still stands at its beginning, and how many blocks came and were removed.
//!
//! All of it follows from the parts that changed. Only where the two threads part is looked for,
//! and nothing is read beyond that point. Knows nothing of tables and contents: that a block says
//! the same is seen by where its content is kept and by its hash.

use super::part_change::PartChange;
use super::state::{Newest, State};
use crate::lifecycle::{RegionTotals, Removed, Totals};
use crate::model::{
    Class, Generation, Node, Place, ReadError, RoleBytes, Slot, Speaker, Subtree, ThreadSize, Tree,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How the thread of a snapshot differs from that of the snapshot before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ThreadChange {
    /// The bytes of its blocks by role.
    pub roles: RoleBytes,
    /// The thread before.
    pub before: ThreadSize,
    /// The leading part of it that is the leading part of this one.
    pub kept: ThreadSize,
    /// Blocks that the snapshot before does not have.
    pub came: u64,
    /// Blocks of the snapshot before that went in another way than by expiry, cascade or a policy.
    pub removed: u64,
}

/// What is compared.
pub(super) struct Compared<'a> {
    /// The state before, with the bytes by role and the totals of its newest snapshot.
    pub(super) state: &'a State,
    /// Its newest snapshot, if there is one.
    pub(super) before: Option<&'a Newest>,
    /// The snapshot.
    pub(super) tree: &'a Tree,
    /// The parts that differ.
    pub(super) parts: &'a [PartChange],
    /// What the commit removed.
    pub(super) removed: &'a Removed,
}

impl Compared<'_> {
    pub(super) fn change(&self) -> Result<ThreadChange, ReadError> {
        let (came, removed) = self.came_and_removed();
        let kept = match self.before {
            Some(before) => self.kept(before)?,
            None => ThreadSize::default(),
        };
        let before = size_of(&self.state.totals.of(None));
        Ok(ThreadChange { roles: self.roles(), before, kept, came, removed })
    }

    fn roles(&self) -> RoleBytes {
        let mut roles = self.state.roles;
        let generation = self.state.generation;
        // What comes is added first, so no sum falls below zero on the way.
        for part in self.parts {
            for block in blocks(part.place, part.new.as_deref()) {
                roles[block.speaker(generation) as usize] += block.bytes();
            }
        }
        for part in self.parts {
            for block in blocks(part.place, part.old.as_deref()) {
                let sum = &mut roles[block.speaker(generation) as usize];
                *sum = sum.saturating_sub(block.bytes());
            }
        }
        roles
    }

    fn came_and_removed(&self) -> (u64, u64) {
        let all = |part: &Option<Arc<Subtree>>| {
            blocks(Place::Ah, part.as_deref())
                .map(|block| block.node.id.clone())
                .collect::<Vec<_>>()
        };
        let new: Vec<_> = self.parts.iter().flat_map(|part| all(&part.new)).collect();
        let old: BTreeSet<_> = self.parts.iter().flat_map(|part| all(&part.old)).collect();
        if old.is_empty() {
            return (new.len() as u64, 0);
        }
        let came = new.iter().filter(|id| !old.contains(*id)).count();
        let new: BTreeSet<_> = new.into_iter().collect();
        let Removed { expired, cascaded, pruned } = self.removed;
        let told: BTreeSet<&str> =
            expired.iter().chain(cascaded).chain(pruned).map(|id| &**id).collect();
        let removed = self.parts.iter().filter_map(|part| part.old.as_deref()).map(|old| {
            let gone = |index: &usize| {
                let node = old.node(*index);
                node.class == Class::Block && !new.contains(&node.id)
            };
            let by_edit = |index: &usize| {
                let mut above = Some(*index);
                while let Some(index) = above {
                    if told.contains(&*old.node(index).id) {
                        return false;
                    }
                    above = old.parent(index);
                }
                true
            };
            (0..old.len()).filter(gone).filter(by_edit).count() as u64
        });
        (came as u64, removed.sum())
    }

    /// The leading part of the thread before that is still the leading part.
    fn kept(&self, before: &Newest) -> Result<ThreadSize, ReadError> {
        let mut parts: Vec<&PartChange> = self.parts.iter().collect();
        parts.sort_by_key(|part| thread_order(part.place));
        for part in parts {
            let old: Vec<Block> = blocks(part.place, part.old.as_deref()).collect();
            let new: Vec<Block> = blocks(part.place, part.new.as_deref()).collect();
            let says_same = |(old, new): &(&Block, &Block)| old.same(new, self.state.generation);
            let same = old.iter().zip(&new).take_while(says_same).count();
            if same == old.len() && same == new.len() {
                continue;
            }
            let mut kept = self.size_before(before, part.place)?;
            old[..same].iter().for_each(|block| kept = kept.plus(block.size()));
            if same == old.len() || same == new.len() {
                let rest =
                    [old.into_iter().skip(same).collect(), new.into_iter().skip(same).collect()];
                kept = kept.plus(self.kept_behind(before, part.place, rest)?);
            }
            return Ok(kept);
        }
        Ok(size_of(&self.state.totals.of(None)))
    }

    /// How much of the two threads is the same from inside of a part on, in which one of them has
    /// nothing more: the blocks of the next parts may go on where the other one does.
    fn kept_behind(
        &self,
        before: &Newest,
        place: Place,
        rest: [Vec<Block>; 2],
    ) -> Result<ThreadSize, ReadError> {
        let (source, cycle) = (self.tree.source(), self.state.last_cycle);
        let [old, new] = rest;
        let mut old = Ahead::new(old, behind(place, |slot| before.skeleton.spine.after(slot)));
        let mut new = Ahead::new(new, behind(place, |slot| self.tree.spine().after(slot)));
        let mut kept = ThreadSize::default();
        loop {
            let was = old.next(&mut |place| match place {
                Place::Sys => Ok(before.sys.clone()),
                Place::Ah => Ok(before.ah.clone()),
                Place::Turn(_) => source.part(place, cycle),
            })?;
            let Some(was) = was else { return Ok(kept) };
            match new.next(&mut |place| self.tree.subtree(place))? {
                Some(is) if was.same(&is, self.state.generation) => kept = kept.plus(was.size()),
                _ => return Ok(kept),
            }
        }
    }

    /// How much of the thread before lies before a part.
    fn size_before(&self, before: &Newest, place: Place) -> Result<ThreadSize, ReadError> {
        let RegionTotals { sys, seq, .. } = &self.state.totals;
        let turns = match place {
            Place::Sys => return Ok(ThreadSize::default()),
            Place::Ah => size_of(seq),
            Place::Turn(slot) => match before.skeleton.spine.after(slot).next() {
                None if !before.skeleton.spine.contains(slot) => size_of(seq),
                _ => self.tree.source().turns_before(slot, size_of(seq))?,
            },
        };
        Ok(size_of(sys).plus(turns))
    }
}

/// The blocks of a thread from a point on; parts are read when their blocks are asked for.
struct Ahead<P> {
    blocks: std::vec::IntoIter<Block>,
    places: P,
}

impl<P: Iterator<Item = Place>> Ahead<P> {
    fn new(blocks: Vec<Block>, places: P) -> Ahead<P> {
        Ahead { blocks: blocks.into_iter(), places }
    }

    fn next(
        &mut self,
        read: &mut dyn FnMut(Place) -> Result<Arc<Subtree>, ReadError>,
    ) -> Result<Option<Block>, ReadError> {
        loop {
            if let Some(block) = self.blocks.next() {
                return Ok(Some(block));
            }
            let Some(place) = self.places.next() else { return Ok(None) };
            self.blocks = blocks(place, Some(&*read(place)?)).collect::<Vec<_>>().into_iter();
        }
    }
}

/// The places behind one, in the order of the thread.
fn behind<I: Iterator<Item = Slot>>(
    place: Place,
    after: impl FnOnce(Slot) -> I,
) -> impl Iterator<Item = Place> {
    let turns = match place {
        Place::Sys => Some(after(Slot { cycle: 0, rank: 0 })),
        Place::Turn(slot) => Some(after(slot)),
        Place::Ah => None,
    };
    let last = (place != Place::Ah).then_some(Place::Ah);
    turns.into_iter().flatten().map(Place::Turn).chain(last)
}

fn thread_order(place: Place) -> (u8, Option<Slot>) {
    match place {
        Place::Sys => (0, None),
        Place::Turn(slot) => (1, Some(slot)),
        Place::Ah => (2, None),
    }
}

fn size_of(totals: &Totals) -> ThreadSize {
    ThreadSize { blocks: totals.blocks, bytes: totals.bytes }
}

/// A block of a thread.
struct Block {
    node: Arc<Node>,
    in_sys: bool,
}

fn blocks(place: Place, part: Option<&Subtree>) -> impl Iterator<Item = Block> {
    let in_sys = place == Place::Sys;
    let entries = part.map(Subtree::entries).unwrap_or_default();
    let blocks = entries.iter().filter(|entry| entry.node.class == Class::Block);
    blocks.map(move |entry| Block { node: entry.node.clone(), in_sys })
}

impl Block {
    fn bytes(&self) -> u64 {
        self.node.content.map_or(0, |content| content.bytes)
    }

    fn size(&self) -> ThreadSize {
        ThreadSize { blocks: 1, bytes: self.bytes() }
    }

    /// The role that the thread gives it.
    fn role(&self, generation: Generation) -> Option<&str> {
        match (&self.node.role, generation) {
            (Some(role), _) => Some(role),
            (None, Generation::V0_1) if self.in_sys => Some("system"),
            (None, Generation::V0_1) => Some("user"),
            (None, Generation::V1_0) => None,
        }
    }

    fn speaker(&self, generation: Generation) -> Speaker {
        self.role(generation).and_then(Speaker::from_name).unwrap_or(Speaker::Other)
    }

    /// Whether the thread says the same of both.
    fn same(&self, other: &Block, generation: Generation) -> bool {
        let (a, b) = (&self.node, &other.node);
        let content = || {
            let kept = |node: &Node| node.content.map(|content| (content.seq, content.item));
            kept(a) == kept(b) || (a.content_hash.is_some() && a.content_hash == b.content_hash)
        };
        a.id == b.id
            && self.role(generation) == other.role(generation)
            && a.kind == b.kind
            && content()
    }
}
