//! Cadence (R4.7): which node is the newest instance of a key, and which come back when.

use super::decide::{new_core, next_time};
use super::{Addition, ChangeError, State, ids};
use crate::model::{Class, Id, Instance, Lifetime, Name, Node, ReadError, TABLE, Tree};
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

/// The instances due after the commit of `cycle`, as the first edits of the next one. They are
/// applied to `state` as they are made.
pub(super) fn materialize_due(
    state: &mut State,
    given_time: Option<i64>,
    now: i64,
) -> Result<Vec<Addition>, ChangeError> {
    let next = state.cycle();
    let due: Vec<Arc<Node>> = state
        .cadences
        .values()
        .filter(|instance| instance.runs() && is_due(&instance.node, next))
        .map(|instance| instance.node.clone())
        .collect();
    let mut additions = Vec::with_capacity(due.len());
    for original in due {
        let addition = instance_of(state, &original, given_time, now)?;
        super::apply::materialize(state, std::slice::from_ref(&addition))?;
        additions.push(addition);
    }
    Ok(additions)
}

fn is_due(node: &Node, next: u64) -> bool {
    // An import may bring a node of a cycle to come, so the distance has no sign here.
    node.cad.is_some_and(|cad| cad > 0 && next.abs_diff(node.cycle).is_multiple_of(cad))
}

fn instance_of(
    state: &State,
    original: &Node,
    given_time: Option<i64>,
    now: i64,
) -> Result<Addition, ChangeError> {
    let time = next_time(state, given_time, now)?;
    let head = state.tree.ah()?.top().id.clone();
    let in_core = original.offset == 0;
    let (parent, core) = match state.tree.ah()?.core() {
        _ if !in_core => (head, None),
        Some(index) => (state.tree.ah()?.node(index).id.clone(), None),
        None => {
            let core = new_core(state, time)?;
            (core.id.clone(), Some(Arc::new(core)))
        }
    };
    let made = u64::from(core.is_some());
    let mut node = Node {
        cycle: state.cycle(),
        created_at_ns: time + made as i64,
        created_at_iso: None,
        creation_index: state.next_index + made,
        lifetime: original.lifetime.map(|life| Lifetime::starting(life.given, state.cycle())),
        id: ids::fresh_id(state, Class::Block)?,
        ..original.clone()
    };
    let nobody = Node::bare(node.id.clone(), node.node_type.clone(), node.class);
    for header in TABLE.iter().filter(|header| !header.comes_back) {
        header.copy(&nobody, &mut node);
    }
    node.refs = alive(state, &original.refs)?;
    Ok(Addition { parent, node: Arc::new(node), core, shifts: Vec::new() })
}

fn alive(state: &State, refs: &[Id]) -> Result<Vec<Id>, ReadError> {
    let mut live = Vec::new();
    for id in refs {
        if state.tree.get(id)?.is_some() {
            live.push(id.clone());
        }
    }
    Ok(live)
}
