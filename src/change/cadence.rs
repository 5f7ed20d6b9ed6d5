//! Cadence (R4.7): which node is the newest instance of a key. What comes back when is in
//! `instances`.

use super::State;
use crate::model::{Instance, Name, Node, ReadError, Tree};
use std::sync::Arc;

/// Notes a node that was made, or that an import or a restore brought back.
pub(super) fn made(state: &mut State, node: &Arc<Node>) -> Result<(), ReadError> {
    let Some(key) = &node.key else { return Ok(()) };
    match state.newest_instance(key)? {
        Some(newest) if newest.node.id == node.id => {
            put(state, key, Instance { node: node.clone(), ended: newest.ended, removed: false });
        }
        Some(newest) if age_key(&newest.node) > age_key(node) => {}
        _ => put(state, key, Instance::new(node.clone())),
    }
    Ok(())
}

/// Notes a node that was changed or moved. `restarts` says that it was given a cadence anew, which
/// starts an ended one again.
pub(super) fn changed(
    state: &mut State,
    before: &Arc<Node>,
    after: &Arc<Node>,
    restarts: bool,
) -> Result<(), ReadError> {
    if before.key != after.key {
        // It leaves its old family like a node that is removed, and joins another.
        removed(state, before)?;
        return made(state, after);
    }
    let Some(key) = &after.key else { return Ok(()) };
    if let Some(newest) = state.newest_instance(key)?
        && newest.node.id == after.id
    {
        let ended = newest.ended && !restarts;
        put(state, key, Instance { node: after.clone(), ended, ..newest });
    }
    Ok(())
}

/// Notes a node that an edit removed: if it was the newest, its cadence ends.
pub(super) fn removed(state: &mut State, node: &Arc<Node>) -> Result<(), ReadError> {
    let Some(key) = &node.key else { return Ok(()) };
    if let Some(newest) = state.newest_instance(key)?
        && newest.node.id == node.id
    {
        put(state, key, Instance { node: node.clone(), removed: true, ..newest });
    }
    Ok(())
}

/// Notes that another tree took the place of the present one: its nodes are made again, and a
/// node that has another key there has left its family.
pub(super) fn replaced(state: &mut State, tree: &Tree) -> Result<(), ReadError> {
    let running: Vec<(Name, Arc<Node>)> =
        state.cadences.iter().map(|(key, i)| (key.clone(), i.node.clone())).collect();
    for (key, node) in running {
        if tree.get(&node.id)?.is_some_and(|now| now.key.as_ref() != Some(&key)) {
            removed(state, &node)?;
        }
    }
    for place in tree.places() {
        for entry in tree.subtree(place)?.entries() {
            made(state, &entry.node)?;
        }
    }
    Ok(())
}

/// Ends a cadence by name.
pub(super) fn end(state: &mut State, key: &Name) -> Result<(), ReadError> {
    if let Some(newest) = state.newest_instance(key)? {
        put(state, key, Instance { ended: true, ..newest });
    }
    Ok(())
}

fn put(state: &mut State, key: &Name, instance: Instance) {
    state.cadences.insert(key.clone(), instance);
    state.touched_keys.insert(key.clone());
}

fn age_key(node: &Node) -> (u64, i64, u64) {
    (node.cycle, node.created_at_ns, node.creation_index)
}
