//! Judging edits: each decision is complete before anything happens, and its event holds all that
//! `apply` needs.

mod add;
mod attrs;
mod insertion;
mod relocate;
mod remove;
mod set;

pub use attrs::check_attr;

use super::{ChangeError, Context, Edit, Event, State};
use crate::code::Code;
use crate::json::Json;
use crate::limits::{MAX_LIST_ITEMS, MAX_TIME_NS};
use crate::model::{Class, Id, Node, Place, Position, ReadError, Subtree};
use crate::snapshot::Contents;
use std::sync::Arc;

/// An edit that may happen: its event, the contents that come with it, and the ids to report.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// What is to happen.
    pub event: Event,
    /// The contents that the event introduces, as its parts 1, 2, …
    pub contents: Vec<Json>,
    /// The nodes concerned, in result order.
    pub ids: Vec<Id>,
}

/// Judges one edit.
pub fn decide(
    state: &State,
    edit: Edit,
    contents: &dyn Contents,
    context: Context,
) -> Result<Decided, ChangeError> {
    let plain = |event| Decided { event, contents: Vec::new(), ids: Vec::new() };
    match edit {
        Edit::Add(add) => add::decide(state, *add, context),
        Edit::Set(set) => set::decide(state, *set, contents, context),
        Edit::Move(request) => relocate::decide(state, request, context),
        Edit::Remove(request) => remove::decide(state, request),
        Edit::Policy(policies) => Ok(plain(Event::PolicySet { policies })),
        Edit::EndCadence(key) => {
            attrs::check_name("a key", &key)?;
            Ok(plain(Event::CadenceEnded { key: key.into() }))
        }
        Edit::Attempt(attempt) => Ok(plain(Event::Attempt(*attempt))),
    }
}

/// A live node and the part of the tree that it is in.
struct Found {
    position: Position,
    part: Arc<Subtree>,
}

impl Found {
    fn node(&self) -> &Arc<Node> {
        self.part.node(self.position.index)
    }
}

/// Finds a target of an edit; `^root` and `^seq` cannot be one.
fn target(state: &State, id: &str) -> Result<Found, ChangeError> {
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

fn find(state: &State, id: &str) -> Result<Option<Found>, ReadError> {
    let Some(position) = state.tree.find(id)? else { return Ok(None) };
    Ok(Some(Found { position, part: state.tree.subtree(position.place)? }))
}

/// Whether a node of the sealed turns was there in the newest snapshot (R3.2, R13).
fn is_sealed(state: &State, place: Place, node: &Node) -> bool {
    matches!(place, Place::Turn(_)) && !state.used.contains(&node.id)
}

fn sealed(node: &Node, what: &str) -> ChangeError {
    ChangeError::new(Code::Sealed, format!("{} is sealed: {what}", node.id))
}

/// Refuses to edit a region or a turn, or a sealed node.
fn check_editable(state: &State, found: &Found, verb: &str) -> Result<(), ChangeError> {
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
fn check_refs(state: &State, refs: &[String]) -> Result<Vec<Id>, ChangeError> {
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

/// The time of the next node: never before, and never the same as, that of an earlier one.
pub(super) fn next_time(state: &State, given: Option<i64>, now: i64) -> Result<i64, ChangeError> {
    if let Some(given) = given
        && given > MAX_TIME_NS
    {
        let message = format!("created_at_ns is at most {MAX_TIME_NS}, {given} is later");
        return Err(ChangeError::new(Code::Limit, message));
    }
    // No sum overflows: times start below the bound, and each node takes one nanosecond.
    Ok(given.unwrap_or(now).min(MAX_TIME_NS).max(state.last_ns.saturating_add(1)))
}

/// A core for the active head, made for an edit of the cycle in progress.
pub(super) fn new_core(state: &State, time: i64) -> Result<Node, ReadError> {
    let id = super::ids::cycle_id(state, Class::Container, state.cycle())?;
    let mut core = Node::bare(id, state.word(Class::Container).into(), Class::Container);
    core.cycle = state.cycle();
    core.created_at_ns = time;
    core.creation_index = state.next_index;
    Ok(core)
}
