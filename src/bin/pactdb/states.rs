//! States and what is in them, asked for so that answers can be shown: which state an address means,
//! its nodes by their ids, its tree.

use super::render::{NodeView, NodesById, Sides, TreePart, TreeView};
use pactdb::answer::DiffBlock;
use pactdb::protocol::{Client, ClientExt, Details, Nodes, State, StateKind, StateReply};
use pactdb::{
    Address, Code, Dialect, Error, RangeDiffLatestResult, Result, RichDiffReply, SelectOptions,
};

/// Which state an address means; the working state if there is none.
pub fn at(client: &dyn Client, at: Option<&str>, dialect: Option<Dialect>) -> Result<StateReply> {
    client.ask(State { at: at.map(str::to_owned), dialect, ..State::default() })
}

/// Which states a selector is about.
pub fn of(client: &dyn Client, q: &str, dialect: Option<Dialect>) -> Result<StateReply> {
    client.ask(State { q: Some(q.to_owned()), dialect, ..State::default() })
}

/// The same; where the answer may be cut, with how many nodes there are in all.
pub fn of_answer(
    client: &dyn Client,
    q: &str,
    dialect: Option<Dialect>,
    options: &SelectOptions,
) -> Result<StateReply> {
    let count = options.limit.is_some()
        || options.skip.is_some()
        || ["@limit", "@skip", "@first"].iter().any(|control| q.contains(control));
    client.ask(State { q: Some(q.to_owned()), dialect, count, ..State::default() })
}

/// The state at an address, which must be one.
pub fn one_at(
    client: &dyn Client,
    address: Option<&str>,
    dialect: Option<Dialect>,
) -> Result<StateReply> {
    let state = at(client, address, dialect)?;
    match is_one(&state) {
        true => Ok(state),
        false => {
            let at = address.unwrap_or_default();
            let message = format!("{at} is not one state: give an address such as @t0, @c4 or @e7");
            Err(Error::new(Code::SelectorInvalid, message))
        }
    }
}

/// Whether it is one state.
pub fn is_one(state: &StateReply) -> bool {
    matches!(state.kind, StateKind::Working | StateKind::Snapshot | StateKind::Event)
}

/// The address of a state that does not change with time; none for the working state.
pub fn address(state: &StateReply) -> Option<Address> {
    match (state.kind, state.event) {
        (StateKind::Working, _) => None,
        (_, Some(seq)) => Some(Address::Event(seq)),
        (_, None) => Some(Address::Cycle(state.cycle)),
    }
}

/// Older states of a store have smaller ones.
pub fn age(state: &StateReply) -> (u64, u64) {
    match state.kind {
        StateKind::Working => (u64::MAX, u64::MAX),
        _ => (state.cycle, state.event.unwrap_or(0)),
    }
}

/// Nodes of a state, by their ids.
fn nodes<'a>(
    client: &dyn Client,
    at: Option<Address>,
    ids: impl Iterator<Item = &'a str>,
) -> Result<NodesById> {
    let ids: Vec<String> = ids.map(str::to_owned).collect();
    if ids.is_empty() {
        return Ok(NodesById::new());
    }
    let at = at.map(|at| at.to_string());
    let found = client.ask(Details { ids: ids.clone(), at, dialect: None })?;
    Ok(ids.into_iter().zip(found).filter_map(|(id, node)| Some((id, node?))).collect())
}

/// The nodes that a difference speaks of, in both states.
pub fn sides(
    client: &dyn Client,
    older: &StateReply,
    newer: &StateReply,
    diff: &RichDiffReply,
) -> Result<Sides> {
    let changed = || diff.changed.iter().map(|changed| &*changed.id);
    let (gone, came) = (diff.removed.iter(), diff.added.iter());
    Ok(Sides {
        older: nodes(client, address(older), gone.map(|id| &**id).chain(changed()))?,
        newer: nodes(client, address(newer), came.map(|id| &**id).chain(changed()))?,
    })
}

/// The same for every block of a range.
pub fn sides_of_range(
    client: &dyn Client,
    range: &RangeDiffLatestResult,
    last_cycle: u64,
) -> Result<Vec<Sides>> {
    let at = |cycle: u64| (cycle <= last_cycle).then_some(Address::Cycle(cycle));
    let one = |block: &DiffBlock| {
        let changed = || block.changed.iter().map(|changed| &*changed.id);
        let (gone, came) = (block.removed_ids.iter(), block.added_ids.iter());
        Ok(Sides {
            older: nodes(client, at(block.to.cycle), gone.map(|id| &**id).chain(changed()))?,
            newer: nodes(client, at(block.from.cycle), came.map(|id| &**id).chain(changed()))?,
        })
    };
    range.diffs.iter().map(one).collect()
}

/// A state to be drawn: the newest turns, or all of them if there is no number.
pub fn tree(client: &dyn Client, state: &StateReply, turns: Option<u64>) -> Result<TreeView> {
    let count = state.turns.unwrap_or(0);
    let shown = turns.unwrap_or(count).min(count);
    let q = format!(".mt:depth(1-{shown}), .mt:depth(1-{shown}) *");
    let nodes = if shown > 0 { read(client, state, &q)? } else { Vec::new() };
    Ok(TreeView {
        now: state.now.unwrap_or(0),
        parts: vec![
            TreePart::Nodes(read(client, state, "^sys, ^sys *")?),
            TreePart::Turns { count, shown, nodes },
            TreePart::Nodes(read(client, state, "^ah, ^ah *")?),
        ],
    })
}

/// Only these nodes and what is below them, in order.
pub fn tree_of<'a>(
    client: &dyn Client,
    state: &StateReply,
    ids: impl Iterator<Item = &'a str>,
) -> Result<TreeView> {
    let mut parts = Vec::new();
    for id in ids {
        let id = format!("'{}'", id.replace('\\', "\\\\").replace('\'', "\\'"));
        parts.push(TreePart::Nodes(read(client, state, &format!("#{id}, #{id} *"))?));
    }
    Ok(TreeView { now: state.now.unwrap_or(0), parts })
}

/// Nodes of a state, in canonical order.
fn read(client: &dyn Client, state: &StateReply, q: &str) -> Result<Vec<NodeView>> {
    let q = match address(state) {
        Some(at) => format!("{at} {q}"),
        None => q.to_owned(),
    };
    let (dialect, options) = (Some(Dialect::V0_1), SelectOptions::default());
    Ok(client.ask(Nodes { q, dialect, options })?.iter().map(NodeView::of).collect())
}
