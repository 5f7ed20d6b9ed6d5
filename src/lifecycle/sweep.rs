//! The tree while a commit removes things from it: the tree as it was when the commit started,
//! what has gone from it since, and who refers to whom.
//!
//! A commit costs what it looks at, and not that times itself: each part is read and indexed once,
//! and what goes from a part goes together.

use crate::model::{Class, Id, Node, Place, Position, ReadError, Slot, Subtree, Tree};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Names the nodes that may refer to a node.
pub type Hints<'a> = &'a dyn Fn(&str) -> Result<Vec<Id>, ReadError>;

/// A commit's removals in progress.
pub struct Sweep<'a> {
    /// Without what has gone, once that was carried out.
    tree: Tree,
    start: Tree,
    /// Parts of the starting tree that were looked at.
    parts: RefCell<HashMap<Place, Arc<Indexed>>>,
    /// Every node that is to go or has gone.
    gone: HashSet<Id>,
    /// Places that something has to be taken out of.
    open: BTreeSet<Place>,
    /// Places that something was taken out of.
    touched: BTreeSet<Place>,
    /// Turns that were removed whole.
    dropped: Vec<Slot>,
    hints: Hints<'a>,
}

/// A part with the places of its nodes.
struct Indexed {
    part: Arc<Subtree>,
    index: HashMap<Id, usize>,
}

impl<'a> Sweep<'a> {
    /// Nothing is removed yet.
    pub fn new(tree: Tree, hints: Hints<'a>) -> Sweep<'a> {
        Sweep {
            start: tree.clone(),
            tree,
            parts: RefCell::default(),
            gone: HashSet::new(),
            open: BTreeSet::new(),
            touched: BTreeSet::new(),
            dropped: Vec::new(),
            hints,
        }
    }

    /// The tree as it is now; what is to go is in it until that is carried out.
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
        Ok(self.indexed(place)?.part.clone())
    }

    fn indexed(&self, place: Place) -> Result<Arc<Indexed>, ReadError> {
        if let Some(known) = self.parts.borrow().get(&place) {
            return Ok(known.clone());
        }
        let part = self.start.subtree(place)?;
        let ids = part.entries().iter().map(|entry| entry.node.id.clone());
        let index = ids.enumerate().map(|(index, id)| (id, index)).collect();
        let known = Arc::new(Indexed { part, index });
        self.parts.borrow_mut().insert(place, known.clone());
        Ok(known)
    }

    /// Where a node was when the commit started, if it was there.
    pub fn find_at_start(&self, id: &str) -> Result<Option<Position>, ReadError> {
        let Some(place) = self.start.place_of(id)? else { return Ok(None) };
        let index = self.indexed(place)?.index.get(id).copied();
        Ok(index.map(|index| Position { place, index }))
    }

    /// A node as it was when the commit started.
    pub fn node_at_start(&self, place: Place, id: &str) -> Result<Option<Arc<Node>>, ReadError> {
        let known = self.indexed(place)?;
        Ok(known.index.get(id).map(|index| known.part.node(*index).clone()))
    }

    /// Live nodes, other than itself, that refer to a node, and where they were at the start. A
    /// commit changes nobody's references, so those are looked at as they were.
    pub fn referrers(&self, id: &str) -> Result<Vec<(Id, Position)>, ReadError> {
        let mut live = Vec::new();
        for hint in (self.hints)(id)? {
            if &*hint == id || self.gone.contains(&hint) {
                continue;
            }
            let Some(position) = self.find_at_start(&hint)? else { continue };
            let known = self.indexed(position.place)?;
            let refs = &known.part.node(position.index).refs;
            if refs.iter().any(|target| &**target == id) {
                live.push((hint, position));
            }
        }
        Ok(live)
    }

    /// Lets a node go with everything below it, which is the same in this part of the tree.
    pub fn remove(&mut self, place: Place, part: &Subtree, index: usize) {
        self.gone.extend(part.span(index).map(|index| part.node(index).id.clone()));
        self.open.insert(place);
    }

    /// Lets a block go.
    pub fn remove_block(&mut self, place: Place, id: Id) {
        self.gone.insert(id);
        self.open.insert(place);
    }

    /// Whether a node is to go.
    pub fn is_gone(&self, id: &str) -> bool {
        self.gone.contains(id)
    }

    /// Takes out of the tree what is to go.
    pub fn carry_out(&mut self) -> Result<(), ReadError> {
        for place in std::mem::take(&mut self.open) {
            let part = self.tree.subtree(place)?;
            if let (Place::Turn(slot), true) = (place, self.gone.contains(&part.top().id)) {
                self.tree.drop_turn(slot)?;
                self.touched.remove(&place);
                self.dropped.push(slot);
                continue;
            }
            let mut roots = Vec::new();
            let mut at = 1;
            while at < part.len() {
                if self.gone.contains(&part.node(at).id) {
                    roots.push(at);
                    at = part.span(at).end;
                } else {
                    at += 1;
                }
            }
            self.tree.take_all(place, &roots)?;
            self.touched.insert(place);
        }
        Ok(())
    }

    /// Marks a node that is due and was spared, the first time that this happens. Nothing must
    /// have been taken out of its part yet.
    pub fn settle(&mut self, position: Position, cycle: u64) -> Result<(), ReadError> {
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
            let Some(position) = self.find_at_start(&id)? else { continue };
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

    /// Whether a node is a container that goes once it is empty.
    pub fn goes_when_empty(node: &Node) -> bool {
        node.removable && node.class == Class::Container
    }
}
