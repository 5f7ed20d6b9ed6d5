//! The nodes that an edit names: finding them, and whether they may be edited.

use crate::change::{ChangeError, State};
use crate::code::Code;
use crate::limits::MAX_LIST_ITEMS;
use crate::model::{Id, Node, Place, Position, ReadError, Subtree};
use std::sync::Arc;

/// A live node and the part of the tree that it is in.
pub(super) struct Found {
    pub(super) position: Position,
    pub(super) part: Arc<Subtree>,
}

impl Found {
    pub(super) fn node(&self) -> &Arc<Node> {
        self.part.node(self.position.index)
    }
}

/// Finds a target of an edit; `^root` and `^seq` cannot be one.
pub(super) fn target(state: &State, id: &str) -> Result<Found, ChangeError> {
    if id == &*state.tree.root().id || id == &*state.tree.seq().id {
        return Err(ChangeError::new(
            Code::Placement,
            format!("{id} is the root or a region, which stay as they are: name a node below it"),
        ));
    }
    find(state, id)?.ok_or_else(|| {
        ChangeError::new(Code::NodeNotFound, format!("there is no node {id} in the working state"))
    })
}

pub(super) fn find(state: &State, id: &str) -> Result<Option<Found>, ReadError> {
    let Some(position) = state.tree.find(id)? else { return Ok(None) };
    Ok(Some(Found { position, part: state.tree.subtree(position.place)? }))
}

/// Whether a node of the sealed turns was there in the newest snapshot (R3.2, R13).
pub(super) fn is_sealed(state: &State, place: Place, node: &Node) -> bool {
    matches!(place, Place::Turn(_)) && !state.used.contains(&node.id)
}

pub(super) fn sealed(node: &Node, what: &str) -> ChangeError {
    ChangeError::new(Code::Sealed, format!("{} is sealed: {what}", node.id))
}

/// Refuses to edit a region or a turn, or a sealed node.
pub(super) fn check_editable(state: &State, found: &Found, verb: &str) -> Result<(), ChangeError> {
    let node = found.node();
    if node.class.is_region() {
        let noun = node.class.noun();
        let message = format!("{} is {noun} and cannot be {verb}: name nodes in it", node.id);
        return Err(ChangeError::new(Code::Placement, message));
    }
    if is_sealed(state, found.position.place, node) {
        return Err(sealed(
            node,
            &format!("what was committed cannot be {verb}; add a new node instead"),
        ));
    }
    Ok(())
}

/// All `refs` must name live nodes.
pub(super) fn check_refs(state: &State, refs: &[String]) -> Result<Vec<Id>, ChangeError> {
    // Before each of them is looked up.
    if refs.len() > MAX_LIST_ITEMS {
        let count = refs.len();
        let message = format!("refs has {count} items, and at most {MAX_LIST_ITEMS} are allowed");
        return Err(ChangeError::new(Code::Limit, message));
    }
    for id in refs {
        if state.tree.get(id)?.is_none() {
            let message =
                format!("refs names {id}, which is not alive: name nodes of the working state");
            return Err(ChangeError::new(Code::NodeNotFound, message));
        }
    }
    Ok(refs.iter().map(|id| Id::from(id.as_str())).collect())
}
