//! The tree while a commit removes things from it: the tree as it was when the commit started,
//! the tree as it is now, and who refers to whom.

use crate::model::{Class, Id, Node, Place, Position, ReadError, Slot, Subtree, Tree};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// A commit's removals in progress.
pub struct Sweep<'a> {
    tree: Tree,
    start: Tree,
    /// Places that something was removed from.
    touched: BTreeSet<Place>,
    /// Turns that were removed whole.
    dropped: Vec<Slot>,
    hints: &'a dyn Fn(&str) -> Result<Vec<Id>, ReadError>,
}

impl<'a> Sweep<'a> {
    /// Nothing is removed yet.
    pub fn new(tree: Tree, hints: &'a dyn Fn(&str) -> Result<Vec<Id>, ReadError>) -> Sweep<'a> {
        Sweep { start: tree.clone(), tree, touched: BTreeSet::new(), dropped: Vec::new(), hints }
    }

    /// The tree as it is now.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The tree as it is now, for good.
    pub fn into_tree(self) -> Tree {
        self.tree
    }

    /// Places that something was removed from.
    pub fn touched(&self) -> Vec<Place> {
        self.touched.iter().copied().collect()
    }

    /// Turns that were removed whole.
    pub fn dropped_turns(&self) -> &[Slot] {
        &self.dropped
    }

    /// A part of the tree as it was when the commit started.
    pub fn at_start(&self, place: Place) -> Result<Arc<Subtree>, ReadError> {
        self.start.subtree(place)
    }

    /// Live nodes, other than itself, that refer to a node.
    pub fn referrers(&self, id: &str) -> Result<Vec<Id>, ReadError> {
        let mut live = Vec::new();
        for hint in (self.hints)(id)? {
            if &*hint == id {
                continue;
            }
            let node = self.tree.get(&hint)?;
            if node.is_some_and(|node| node.refs.iter().any(|target| &**target == id)) {
                live.push(hint);
            }
        }
        Ok(live)
    }

    /// Removes a live node with everything below it.
    pub fn remove(&mut self, id: &str) -> Result<(), ReadError> {
        let Some(Position { place, index }) = self.tree.find(id)? else { return Ok(()) };
        match place {
            Place::Turn(slot) if index == 0 => {
                self.tree.drop_turn(slot)?;
                self.touched.remove(&place);
                self.dropped.push(slot);
            }
            _ => {
                self.tree.take(Position { place, index })?;
                self.touched.insert(place);
            }
        }
        Ok(())
    }

    /// Marks a node that is due and was spared, the first time that this happens.
    pub fn settle(&mut self, id: &str, cycle: u64) -> Result<(), ReadError> {
        let Some(position) = self.tree.find(id)? else { return Ok(()) };
        let node = self.tree.subtree(position.place)?.node(position.index).clone();
        let lifetime = node.lifetime.map(|life| life.settled(cycle));
        if lifetime != node.lifetime {
            self.tree.replace(position, Arc::new(Node { lifetime, ..(*node).clone() }))?;
        }
        Ok(())
    }

    /// Sorts nodes of the starting tree into its canonical order.
    pub fn in_starting_order(&self, ids: Vec<Id>) -> Result<Vec<Id>, ReadError> {
        let mut keyed = Vec::with_capacity(ids.len());
        for id in ids {
            let Some(position) = self.start.find(&id)? else { continue };
            keyed.push((self.rank(position.place), position.index, id));
        }
        keyed.sort();
        Ok(keyed.into_iter().map(|(_, _, id)| id).collect())
    }

    /// Where a place stands in canonical order.
    pub fn rank(&self, place: Place) -> (u8, Option<u64>) {
        match place {
            Place::Sys => (0, None),
            Place::Turn(slot) => (1, self.start.spine().index_of(slot)),
            Place::Ah => (2, None),
        }
    }

    /// The ids of a node and everything below it.
    pub fn below(part: &Subtree, index: usize) -> HashSet<Id> {
        part.span(index).map(|i| part.node(i).id.clone()).collect()
    }

    /// Whether a node is a container that goes once it is empty.
    pub fn goes_when_empty(node: &Node) -> bool {
        node.removable && node.class == Class::Container
    }
}
