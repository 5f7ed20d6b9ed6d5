//! The blocks of the sealed turns in the order in which a policy would remove them.
//!
//! Made from the newest snapshot when a policy first needs it, and then kept in step with every
//! commit, so that pruning costs what it removes and not what exists. It is a persistent map: a
//! commit that fails leaves the old one as it was.

use crate::model::{Class, Node, Place, PruneRank, ReadError, Slot, Subtree, Tree, prune_rank};
use rpds::RedBlackTreeMapSync;

/// Blocks that may be pruned, with their turns.
#[derive(Debug, Clone, Default)]
pub struct PruneQueue {
    blocks: RedBlackTreeMapSync<PruneRank, Slot>,
}

impl PruneQueue {
    /// The queue of the newest snapshot below a working tree.
    pub fn of_snapshot(tree: &Tree) -> Result<PruneQueue, ReadError> {
        let mut queue = PruneQueue::default();
        if tree.as_of() == 0 {
            return Ok(queue);
        }
        let source = tree.source();
        // Turns that the commit in progress dropped are not missed: nobody can prune them.
        for slot in tree.spine().iter() {
            queue.add(slot, &*source.part(Place::Turn(slot), tree.as_of())?);
        }
        Ok(queue)
    }

    /// Adds the blocks of a turn.
    pub fn add(&mut self, slot: Slot, turn: &Subtree) {
        for node in prunable(turn) {
            self.blocks.insert_mut(prune_rank(node), slot);
        }
    }

    /// Takes the blocks of a turn out.
    pub fn remove(&mut self, turn: &Subtree) {
        for node in prunable(turn) {
            self.blocks.remove_mut(&prune_rank(node));
        }
    }

    /// All of them, the first to go first.
    pub fn iter(&self) -> impl Iterator<Item = (&PruneRank, &Slot)> {
        self.blocks.iter()
    }
}

/// The blocks of a part that a policy may remove.
pub fn prunable(part: &Subtree) -> impl Iterator<Item = &Node> {
    let nodes = part.entries().iter().map(|entry| &*entry.node);
    nodes.filter(|node| node.class == Class::Block && !node.pinned)
}
