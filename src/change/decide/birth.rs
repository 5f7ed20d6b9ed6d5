//! What a node is born with: its time, and the core that the head needs for it.

use crate::change::{ChangeError, State, ids};
use crate::code::Code;
use crate::limits::MAX_TIME_NS;
use crate::model::{Class, Node, ReadError};

/// The time of the next node: never before, and never the same as, that of an earlier one.
pub(in crate::change) fn next_time(
    state: &State,
    given: Option<i64>,
    now: i64,
) -> Result<i64, ChangeError> {
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
pub(in crate::change) fn new_core(state: &State, time: i64) -> Result<Node, ReadError> {
    let id = ids::cycle_id(state, Class::Container, state.cycle())?;
    let mut core = Node::bare(id, state.word(Class::Container).into(), Class::Container);
    core.cycle = state.cycle();
    core.created_at_ns = time;
    core.creation_index = state.next_index;
    Ok(core)
}
