//! One state of the tree: the root's headers, `^sys`, `^ah`, and the turns.
//!
//! Only the parts that differ from the last committed state are held here; the rest is read
//! through a [`TurnSource`] when it is asked for, so a clone costs what has changed and not what
//! exists. The methods keep the index of ids in step; they do not judge whether a change is
//! allowed.

use super::{
    Class, Fragment, Id, Node, Place, ReadError, Skeleton, Slot, Spine, Subtree, TurnSource,
};
use crate::budget;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

/// Where a node stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The part of the tree.
    pub place: Place,
    /// The index in that part.
    pub index: usize,
}

/// A state of the tree.
#[derive(Debug, Clone)]
pub struct Tree {
    root: Arc<Node>,
    seq: Arc<Node>,
    /// `^sys` and `^ah`; those of a snapshot are read when somebody asks.
    sys: OnceLock<Arc<Subtree>>,
    ah: OnceLock<Arc<Subtree>>,
    spine: Spine,
    /// Whether everything is as the source has it as of `as_of`.
    pure: bool,
    /// Turns that differ from what the source has as of `as_of`.
    changed: BTreeMap<Slot, Arc<Subtree>>,
    /// Where the nodes of `^sys`, `^ah` and the changed turns are, once somebody asked. The index
    /// is the one that a node was put at; others that came or went have moved it since.
    places: OnceLock<Arc<HashMap<Id, Position>>>,
    as_of: u64,
    source: Arc<dyn TurnSource>,
}

impl Tree {
    /// A tree as it was committed at `as_of`.
    pub fn committed(
        root: Arc<Node>,
        seq: Arc<Node>,
        sys: Arc<Subtree>,
        ah: Arc<Subtree>,
        spine: Spine,
        as_of: u64,
        source: Arc<dyn TurnSource>,
    ) -> Tree {
        let (sys, ah) = (OnceLock::from(sys), OnceLock::from(ah));
        let (changed, places) = (BTreeMap::new(), OnceLock::new());
        Tree { root, seq, sys, ah, spine, pure: false, changed, places, as_of, source }
    }

    /// The tree of a new store.
    pub fn empty(source: Arc<dyn TurnSource>) -> Tree {
        let region = |class, id: &str| Arc::new(Node::region(class, id.into()));
        Tree::committed(
            region(Class::Root, "root"),
            region(Class::Seq, "seq"),
            Arc::new(Subtree::new(region(Class::Sys, "sys"))),
            Arc::new(Subtree::new(region(Class::Ah, "ah"))),
            Spine::default(),
            0,
            source,
        )
    }

    /// Where the nodes are that are held here.
    fn places_held(&self) -> Result<&HashMap<Id, Position>, ReadError> {
        if let Some(places) = self.places.get() {
            return Ok(places);
        }
        let turns = self.changed.iter().map(|(slot, turn)| (Place::Turn(*slot), turn));
        let regions = [(Place::Sys, self.sys()?), (Place::Ah, self.ah()?)];
        let nodes = regions.into_iter().chain(turns);
        let nodes = nodes.flat_map(|(place, part)| positions(place, part));
        let places = Arc::new(nodes.collect());
        Ok(self.places.get_or_init(|| places))
    }

    /// The same, to be kept in step; none if nobody asked yet.
    fn places_mut(&mut self) -> Option<&mut HashMap<Id, Position>> {
        self.places.get_mut().map(Arc::make_mut)
    }

    /// Notes where the nodes of a part are.
    fn index(&mut self, place: Place, part: &Subtree) {
        if let Some(places) = self.places_mut() {
            places.extend(positions(place, part));
        }
    }

    /// Notes that the nodes of a part are gone.
    fn unindex(&mut self, part: &Subtree) {
        if let Some(places) = self.places_mut() {
            part.entries().iter().for_each(|entry| {
                places.remove(&entry.node.id);
            });
        }
    }

    /// The root's headers.
    pub fn root(&self) -> &Arc<Node> {
        &self.root
    }

    /// The headers of `^seq`.
    pub fn seq(&self) -> &Arc<Node> {
        &self.seq
    }

    /// `^sys` and what is in it.
    pub fn sys(&self) -> Result<&Arc<Subtree>, ReadError> {
        self.region(&self.sys, Place::Sys)
    }

    /// `^ah` and what is in it.
    pub fn ah(&self) -> Result<&Arc<Subtree>, ReadError> {
        self.region(&self.ah, Place::Ah)
    }

    fn region<'t>(
        &self,
        cell: &'t OnceLock<Arc<Subtree>>,
        place: Place,
    ) -> Result<&'t Arc<Subtree>, ReadError> {
        if let Some(part) = cell.get() {
            return Ok(part);
        }
        let part = self.source.part(place, self.as_of)?;
        Ok(cell.get_or_init(|| part))
    }

    /// The live turns.
    pub fn spine(&self) -> &Spine {
        &self.spine
    }

    /// The committed cycle that unchanged turns are read at.
    pub fn as_of(&self) -> u64 {
        self.as_of
    }

    /// Who keeps the committed parts.
    pub fn source(&self) -> &Arc<dyn TurnSource> {
        &self.source
    }

    /// The turns that differ from the last committed state.
    pub fn changed_turns(&self) -> &BTreeMap<Slot, Arc<Subtree>> {
        &self.changed
    }

    /// A part of the tree. Whoever goes through many of them is stopped here when the budget of the
    /// question is spent.
    pub fn subtree(&self, place: Place) -> Result<Arc<Subtree>, ReadError> {
        match place {
            Place::Sys => self.sys().cloned(),
            Place::Ah => self.ah().cloned(),
            Place::Turn(slot) => match self.changed.get(&slot) {
                Some(subtree) => Ok(subtree.clone()),
                None => {
                    budget::check()?;
                    self.source.part(place, self.as_of)
                }
            },
        }
    }

    /// The places of the tree in canonical order: `^sys`, the turns, `^ah`.
    pub fn places(&self) -> impl Iterator<Item = Place> + '_ {
        std::iter::once(Place::Sys)
            .chain(self.spine.iter().map(Place::Turn))
            .chain(std::iter::once(Place::Ah))
    }

    /// Where a node is; `None` if no live node below a region or of a region has that id. The
    /// root and `^seq` are not in a place: ask [`Tree::root`] and [`Tree::seq`].
    pub fn find(&self, id: &str) -> Result<Option<Position>, ReadError> {
        if !self.pure
            && let Some(Position { place, index }) = self.places_held()?.get(id).copied()
        {
            let index = self.subtree(place)?.find_near(id, index);
            return Ok(index.map(|index| Position { place, index }));
        }
        let Some(place) = self.place_committed(id)? else { return Ok(None) };
        let index = self.subtree(place)?.find(id);
        Ok(index.map(|index| Position { place, index }))
    }

    /// The part that a node is in; it may have gone from there if this is a snapshot.
    pub fn place_of(&self, id: &str) -> Result<Option<Place>, ReadError> {
        match self.pure {
            true => self.place_committed(id),
            false => match self.places_held()?.get(id) {
                Some(position) => Ok(Some(position.place)),
                None => self.place_committed(id),
            },
        }
    }

    /// The part that a node is in which is not held here.
    fn place_committed(&self, id: &str) -> Result<Option<Place>, ReadError> {
        if self.pure {
            let place = self.source.place_of(id, self.as_of)?;
            return Ok(place.filter(|at| at.slot().is_none_or(|slot| self.spine.contains(slot))));
        }
        if self.as_of == 0 {
            return Ok(None);
        }
        Ok(match self.source.place_of(id, self.as_of)? {
            // What is held here is indexed in full, so a miss above means that it has gone.
            Some(Place::Turn(slot))
                if self.spine.contains(slot) && !self.changed.contains_key(&slot) =>
            {
                Some(Place::Turn(slot))
            }
            _ => None,
        })
    }

    /// A live node.
    pub fn get(&self, id: &str) -> Result<Option<Arc<Node>>, ReadError> {
        if &*self.root.id == id {
            return Ok(Some(self.root.clone()));
        }
        if &*self.seq.id == id {
            return Ok(Some(self.seq.clone()));
        }
        let Some(position) = self.find(id)? else { return Ok(None) };
        Ok(Some(self.subtree(position.place)?.node(position.index).clone()))
    }

    /// The depth of what is in a place (R6.6).
    pub fn depth_of(&self, place: Place) -> Option<i64> {
        match place {
            Place::Sys => Some(-1),
            Place::Ah => Some(0),
            Place::Turn(slot) => {
                let index = self.spine.index_of(slot)?;
                i64::try_from(self.spine.len() - index).ok()
            }
        }
    }

    fn edit(&mut self, place: Place) -> Result<&mut Subtree, ReadError> {
        self.pure = false;
        self.sys()?;
        self.ah()?;
        if let Place::Turn(slot) = place
            && !self.changed.contains_key(&slot)
        {
            let turn = self.source.part(place, self.as_of)?;
            self.index(place, &turn);
            self.changed.insert(slot, turn);
        }
        let shared = match place {
            Place::Sys => self.sys.get_mut(),
            Place::Ah => self.ah.get_mut(),
            Place::Turn(slot) => self.changed.get_mut(&slot),
        };
        let shared =
            shared.ok_or_else(|| ReadError::Corrupt("a changed part is missing".into()))?;
        Ok(Arc::make_mut(shared))
    }

    /// Puts a fragment below a node.
    pub fn graft(&mut self, parent: Position, fragment: Fragment) -> Result<(), ReadError> {
        let ids: Vec<Id> = fragment.nodes().map(|node| node.id.clone()).collect();
        let at = self.edit(parent.place)?.graft(parent.index, fragment);
        if let Some(places) = self.places_mut() {
            let position = |i| Position { place: parent.place, index: at + i };
            places.extend(ids.into_iter().enumerate().map(|(i, id)| (id, position(i))));
        }
        Ok(())
    }

    /// Takes a node and what is below it out.
    pub fn take(&mut self, position: Position) -> Result<Fragment, ReadError> {
        let fragment = self.edit(position.place)?.take(position.index);
        if let Some(places) = self.places_mut() {
            fragment.nodes().for_each(|node| {
                places.remove(&node.id);
            });
        }
        Ok(fragment)
    }

    /// Takes some nodes of a part out, each with what is below it. They are in order, and the top
    /// node is not among them.
    pub fn take_all(&mut self, place: Place, indexes: &[usize]) -> Result<(), ReadError> {
        let part = self.subtree(place)?;
        self.edit(place)?.take_all(indexes);
        if let Some(places) = self.places_mut() {
            for index in indexes.iter().flat_map(|index| part.span(*index)) {
                places.remove(&part.node(index).id);
            }
        }
        Ok(())
    }

    /// Puts a changed node in the place of itself, where its order among its siblings asks for.
    pub fn replace(&mut self, position: Position, node: Arc<Node>) -> Result<(), ReadError> {
        let subtree = self.edit(position.place)?;
        if subtree.node(position.index).offset == node.offset {
            subtree.replace(position.index, node);
        } else if let Some(parent) = subtree.parent(position.index) {
            let fragment = subtree.take(position.index).with_top(node);
            subtree.graft(parent, fragment);
        }
        Ok(())
    }

    /// Appends the turn that a commit seals.
    pub fn seal_turn(&mut self, cycle: u64, turn: Subtree) {
        let slot = Slot { cycle, rank: 0 };
        self.spine.push_sealed(cycle);
        self.put_turn(slot, Arc::new(turn));
    }

    /// Takes a whole turn out.
    pub fn drop_turn(&mut self, slot: Slot) -> Result<Arc<Subtree>, ReadError> {
        let turn = self.subtree(Place::Turn(slot))?;
        self.pure = false;
        self.unindex(&turn);
        self.spine.remove(slot);
        self.changed.remove(&slot);
        Ok(turn)
    }

    /// Puts another `^ah` in the place of this one.
    pub fn replace_ah(&mut self, ah: Subtree) {
        self.pure = false;
        if let Some(before) = self.ah.take() {
            self.unindex(&before);
        }
        self.index(Place::Ah, &ah);
        self.ah = OnceLock::from(Arc::new(ah));
    }

    fn put_turn(&mut self, slot: Slot, turn: Arc<Subtree>) {
        self.pure = false;
        self.index(Place::Turn(slot), &turn);
        self.changed.insert(slot, turn);
    }

    /// A whole tree of an import or a restore: its turns are all held here that the source does
    /// not have as of `as_of`.
    pub fn assembled(
        skeleton: Skeleton,
        sys: Arc<Subtree>,
        ah: Arc<Subtree>,
        turns: BTreeMap<Slot, Arc<Subtree>>,
        as_of: u64,
        source: Arc<dyn TurnSource>,
    ) -> Tree {
        let Skeleton { root, seq, spine } = skeleton;
        let mut tree = Tree::committed(root, seq, sys, ah, spine, as_of, source);
        for (slot, turn) in turns {
            tree.put_turn(slot, turn);
        }
        tree
    }

    /// The snapshot of a cycle.
    pub fn at(cycle: u64, source: Arc<dyn TurnSource>) -> Result<Tree, ReadError> {
        let Skeleton { root, seq, spine } = source.skeleton(cycle)?;
        Ok(Tree {
            root,
            seq,
            sys: OnceLock::new(),
            ah: OnceLock::new(),
            spine,
            pure: true,
            changed: BTreeMap::new(),
            places: OnceLock::new(),
            as_of: cycle,
            source,
        })
    }

    /// The same tree once the source has every part of it, as of `cycle`.
    pub fn rebased(&self, cycle: u64) -> Tree {
        let (changed, places) = (BTreeMap::new(), OnceLock::new());
        Tree { changed, places, as_of: cycle, ..self.clone() }
    }
}

/// The nodes of a part and where they are.
fn positions(place: Place, part: &Subtree) -> impl Iterator<Item = (Id, Position)> + '_ {
    let entries = part.entries().iter().enumerate();
    entries.map(move |(index, entry)| (entry.node.id.clone(), Position { place, index }))
}
