//! What cadences bring back (R4.7): the instances that a commit puts into the next head.
//!
//! An instance is a copy of the newest node of its key; the table of headers says which headers
//! come back with it.

use super::apply::materialize;
use super::decide::{new_core, next_time};
use super::{Addition, ChangeError, State, ids};
use crate::model::{Class, Id, Lifetime, Node, ReadError, TABLE};
use std::sync::Arc;

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
        materialize(state, std::slice::from_ref(&addition))?;
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
