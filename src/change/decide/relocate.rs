//! Moving nodes (R3.4). Several nodes move one after the other, each judged against what the
//! moves before it made of the tree.

use super::add::{check_takes, find_parent};
use super::attrs;
use super::birth::{new_core, next_time};
use super::decided::Decided;
use super::target::{Found, check_editable, sealed, target};
use crate::change::apply::relocate;
use crate::change::{ChangeError, Context, Event, Move, Relocation, State};
use crate::code::Code;
use crate::limits::{MAX_SUBTREE_NODES, MAX_TREE_DEPTH};
use crate::model::{Class, Place, Position};
use std::sync::Arc;

pub(super) fn decide(
    state: &State,
    request: Move,
    context: Context,
) -> Result<Decided, ChangeError> {
    if let Some(offset) = request.offset {
        attrs::number("offset", offset, i64::MIN)?;
    }
    let mut steps = Vec::with_capacity(request.targets.len());
    let mut scratch = None;
    for (i, id) in request.targets.iter().enumerate() {
        let step = step(scratch.as_ref().unwrap_or(state), &request, id, context)?;
        if i + 1 < request.targets.len() {
            let scratch = scratch.get_or_insert_with(|| state.clone());
            relocate(scratch, &step)?;
        }
        steps.push(step);
    }
    Ok(Decided { ids: request.targets, event: Event::Moved { steps }, contents: Vec::new() })
}

fn step(
    state: &State,
    request: &Move,
    id: &str,
    context: Context,
) -> Result<Relocation, ChangeError> {
    let to = find_parent(state, &request.to)?;
    let found = target(state, id)?;
    check_movable(state, &found)?;
    let offset = request.offset.unwrap_or(found.node().offset);
    let destination = destination(state, to, &found, offset)?;
    check_region(state, &destination, &found)?;
    check_fits(&destination, &found)?;
    let id = found.node().id.clone();
    Ok(match destination {
        Destination::Node(parent) => {
            Relocation { id, parent: parent.node().id.clone(), offset, core: None }
        }
        Destination::NewCore => {
            let core = new_core(state, next_time(state, request.created_at_ns, context.now)?)?;
            Relocation { id, parent: core.id.clone(), offset, core: Some(Arc::new(core)) }
        }
    })
}

/// What a node comes to lie below.
enum Destination {
    Node(Found),
    NewCore,
}

fn check_movable(state: &State, found: &Found) -> Result<(), ChangeError> {
    if found.node().class == Class::Turn {
        let message = format!(
            "{} is a turn, and turns stay where they are: name nodes in it",
            found.node().id
        );
        return Err(ChangeError::new(Code::Placement, message));
    }
    check_editable(state, found, "moved")
}

fn destination(
    state: &State,
    mut to: Found,
    found: &Found,
    offset: i64,
) -> Result<Destination, ChangeError> {
    let node = found.node();
    let inside = to.position.place == found.position.place
        && to.part.is_within(to.position.index, found.position.index);
    if inside {
        let message =
            format!("{} lies in {}: choose a parent outside of it", to.node().id, node.id);
        return Err(ChangeError::new(Code::CycleDetected, message));
    }
    let at_core = offset == 0 && matches!(to.node().class, Class::Ah | Class::Turn);
    if at_core && node.class == Class::Block {
        match to.part.core() {
            Some(index) => to.position = Position { index, ..to.position },
            None if to.node().class == Class::Ah => return Ok(Destination::NewCore),
            None => {
                return Err(sealed(
                    to.node(),
                    "its core takes nothing; give an offset other than 0",
                ));
            }
        }
    }
    // A container at offset 0 becomes the core; it may be that already.
    let is_core = at_core && to.part.core().is_some_and(|core| to.part.node(core).id == node.id);
    if !is_core {
        check_takes(state, &to, offset, false, node.class)?;
    }
    Ok(Destination::Node(to))
}

/// What was committed stays in its region (R14.4).
fn check_region(
    state: &State,
    destination: &Destination,
    found: &Found,
) -> Result<(), ChangeError> {
    let region = |place: Place| match place {
        Place::Sys => Class::Sys,
        Place::Ah => Class::Ah,
        Place::Turn(_) => Class::Seq,
    };
    let to = match destination {
        Destination::NewCore => Class::Ah,
        Destination::Node(parent) => region(parent.position.place),
    };
    if region(found.position.place) == to {
        return Ok(());
    }
    let span = found.part.span(found.position.index);
    let mut nodes = span.map(|index| &found.part.node(index).id);
    match nodes.find(|id| !state.used.contains(*id)) {
        None => Ok(()),
        Some(id) => {
            let message = format!(
                "{id} is in the newest snapshot and cannot go to another region: add a new node \
                 there, and remove the old one"
            );
            Err(ChangeError::new(Code::Placement, message))
        }
    }
}

fn check_fits(destination: &Destination, found: &Found) -> Result<(), ChangeError> {
    let (depth, nodes) = match destination {
        Destination::NewCore => (1, 1),
        Destination::Node(parent) => {
            (parent.part.depth_of(parent.position.index), parent.part.len())
        }
    };
    let base = found.part.depth_of(found.position.index);
    let span = found.part.span(found.position.index);
    let levels = span.clone().map(|index| found.part.depth_of(index) - base + 1).max().unwrap_or(1);
    if depth + levels > MAX_TREE_DEPTH {
        let message =
            format!("nodes lie at most {MAX_TREE_DEPTH} levels deep: choose a parent higher up");
        return Err(ChangeError::new(Code::Limit, message));
    }
    if nodes + span.len() > MAX_SUBTREE_NODES {
        let message =
            format!("a turn or region has at most {MAX_SUBTREE_NODES} nodes: choose another");
        return Err(ChangeError::new(Code::Limit, message));
    }
    Ok(())
}
