//! The single place where the state changes.
//!
//! An event was judged before it was written, so applying it asks no questions; an error here
//! means that the log does not fit the state, which is a corrupt log or a bug.

use super::{Addition, Attempt, AttemptStatus, Change, Event, Relocation, State, Working};
use super::{cadence, ids};
use crate::lifecycle::adopt_loose_blocks;
use crate::model::{Fragment, Id, Node, Place, Position, ReadError};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Applies an edit to the state in progress. Events that close a cycle are applied by
/// [`close_commit`](super::close_commit) and its kin, which make a new state.
pub fn apply(working: &mut Working, event: &Event) -> Result<(), ReadError> {
    match event {
        Event::Undone { group } => undo(working, *group),
        Event::Committed(_) | Event::Imported(_) | Event::Restored(_) => {
            Err(ReadError::Corrupt("a closing event among edits".into()))
        }
        edit => apply_edit(&mut working.state, edit),
    }
}

fn apply_edit(state: &mut State, event: &Event) -> Result<(), ReadError> {
    match event {
        Event::Added(addition) => add(state, addition)?,
        Event::Changed { ids, change } => {
            for (i, id) in ids.iter().enumerate() {
                set(state, id, change, change.hashes.get(i))?;
            }
        }
        Event::Moved { steps } => {
            for step in steps {
                relocate(state, step)?;
            }
        }
        Event::Removed { ids } => {
            remove(state, ids)?;
        }
        Event::PolicySet { policies } => state.policies = policies.clone(),
        Event::CadenceEnded { key } => cadence::end(state, key)?,
        Event::Attempt(attempt) => record_attempt(state, attempt),
        Event::Created { .. } | Event::Origin(_) => {}
        _ => return Err(ReadError::Corrupt("not an edit".into())),
    }
    state.edited |= event.edits_tree();
    Ok(())
}

/// Removes nodes, none of which lies below another. What goes from a part goes together.
fn remove(state: &mut State, ids: &[Id]) -> Result<(), ReadError> {
    let mut places: BTreeMap<Place, Vec<usize>> = BTreeMap::new();
    let mut gone: Vec<Arc<Node>> = Vec::new();
    for id in ids {
        let Position { place, index } = locate(state, id)?;
        let part = state.tree.subtree(place)?;
        gone.extend(part.span(index).map(|index| part.node(index).clone()));
        places.entry(place).or_default().push(index);
    }
    for (place, mut indexes) in places {
        indexes.sort_unstable();
        state.tree.take_all(place, &indexes)?;
    }
    gone.iter().try_for_each(|node| cadence::removed(state, node))
}

/// Takes a batch back: the state after the last commit, with every other event applied again.
/// Ids stay used, and so do the numbers that ids were made from.
fn undo(working: &mut Working, group: u64) -> Result<(), ReadError> {
    let mut state = (*working.base).clone();
    for pending in &mut working.pending {
        if pending.group == group && pending.event.is_undoable() {
            pending.undone = true;
        }
        if !pending.undone && !matches!(*pending.event, Event::Undone { .. }) {
            apply_edit(&mut state, &pending.event)?;
        }
    }
    state.used.append(&mut working.state.used);
    state.next_id = working.state.next_id;
    working.state = state;
    Ok(())
}

/// Adds a node, and a core before it if one comes with it.
pub(super) fn add(state: &mut State, addition: &Addition) -> Result<(), ReadError> {
    if let Some(core) = &addition.core {
        add_core(state, core)?;
    }
    for (id, offset) in &addition.shifts {
        let position = locate(state, id)?;
        let node = state.tree.subtree(position.place)?.node(position.index).clone();
        let shifted = Arc::new(Node { offset: *offset, ..(*node).clone() });
        state.tree.replace(position, shifted.clone())?;
        cadence::changed(state, &node, &shifted, false)?;
    }
    let parent = locate(state, &addition.parent)?;
    state.tree.graft(parent, Fragment::leaf(addition.node.clone()))?;
    made(state, &addition.node)?;
    if parent.place == Place::Ah && parent.index == 0 && addition.node.is_core_shaped() {
        adopt_loose_blocks(&mut state.tree)?;
    }
    Ok(())
}

fn add_core(state: &mut State, core: &Arc<Node>) -> Result<(), ReadError> {
    let head = Position { place: Place::Ah, index: 0 };
    state.tree.graft(head, Fragment::leaf(core.clone()))?;
    made(state, core)?;
    adopt_loose_blocks(&mut state.tree)
}

/// Counts a node that was just made.
pub(super) fn made(state: &mut State, node: &Arc<Node>) -> Result<(), ReadError> {
    state.used.insert(node.id.clone());
    state.last_ns = state.last_ns.max(node.created_at_ns);
    state.next_index = state.next_index.max(node.creation_index + 1);
    state.next_id = ids::next_after(state.next_id, &node.id);
    for target in &node.refs {
        state.new_refs.entry(target.clone()).or_default().insert(node.id.clone());
    }
    cadence::made(state, node)
}

fn set(
    state: &mut State,
    id: &Id,
    change: &Change,
    hash: Option<&Option<[u8; 32]>>,
) -> Result<(), ReadError> {
    let position = locate(state, id)?;
    let before = state.tree.subtree(position.place)?.node(position.index).clone();
    let after = Arc::new(changed(&before, change, hash));
    for target in &after.refs {
        state.new_refs.entry(target.clone()).or_default().insert(id.clone());
    }
    state.tree.replace(position, after.clone())?;
    cadence::changed(state, &before, &after, matches!(change.cad, Some(Some(_))))
}

/// A node after a change.
pub(super) fn changed(node: &Node, change: &Change, hash: Option<&Option<[u8; 32]>>) -> Node {
    let mut node = node.clone();
    if let Some(content) = &change.content {
        node.content = *content;
    }
    if let Some(lifetime) = change.lifetime {
        node.lifetime = lifetime;
    }
    if let Some(priority) = change.priority {
        node.priority = priority;
    }
    if let Some(tags) = &change.tags {
        node.tags = tags.clone();
    }
    if let Some(cad) = change.cad {
        node.cad = cad;
    }
    if let Some(pinned) = change.pinned {
        node.pinned = pinned;
    }
    if let Some(refs) = &change.refs {
        node.refs = refs.clone();
    }
    for (field, text) in &change.texts {
        field.of_mut(&mut node).clone_from(text);
    }
    for (name, value) in &change.attrs {
        match value {
            Some(value) => node.attrs.insert(name.clone(), value.clone()),
            None => node.attrs.remove(name),
        };
    }
    if let Some(hash) = hash {
        node.content_hash = *hash;
    }
    node
}

/// Moves one node.
pub(super) fn relocate(state: &mut State, step: &Relocation) -> Result<(), ReadError> {
    if let Some(core) = &step.core {
        add_core(state, core)?;
    }
    let fragment = state.tree.take(locate(state, &step.id)?)?;
    let Some(node) = fragment.nodes().next().cloned() else {
        return Err(ReadError::Corrupt("an empty fragment".into()));
    };
    let moved = Arc::new(Node { offset: step.offset, ..(*node).clone() });
    let parent = locate(state, &step.parent)?;
    state.tree.graft(parent, fragment.with_top(moved.clone()))?;
    if parent.place == Place::Ah && parent.index == 0 && moved.is_core_shaped() {
        adopt_loose_blocks(&mut state.tree)?;
    }
    cadence::changed(state, &node, &moved, false)
}

fn locate(state: &State, id: &str) -> Result<Position, ReadError> {
    state
        .tree
        .find(id)?
        .ok_or_else(|| ReadError::Corrupt(format!("an event names {id}, which is not in the tree")))
}

fn record_attempt(state: &mut State, attempt: &Attempt) {
    if attempt.status == AttemptStatus::Running {
        state.running.insert(attempt.attempt_id.clone(), attempt.clone());
    } else {
        state.running.remove(&attempt.attempt_id);
    }
}

/// Starts the cycle after a commit: its first edits are the instances that cadences made.
pub fn materialize(state: &mut State, additions: &[Addition]) -> Result<(), ReadError> {
    for addition in additions {
        add(state, addition)?;
        state.edited = true;
    }
    Ok(())
}
