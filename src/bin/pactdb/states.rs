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
    range.diffs.iter().map(|block| sides_of_block(client, block, last_cycle)).collect()
}

/// The same for one block.
pub fn sides_of_block(client: &dyn Client, block: &DiffBlock, last_cycle: u64) -> Result<Sides> {
    let at = |cycle: u64| (cycle <= last_cycle).then_some(Address::Cycle(cycle));
    let changed = || block.changed.iter().map(|changed| &*changed.id);
    let (gone, came) = (block.removed_ids.iter(), block.added_ids.iter());
    Ok(Sides {
        older: nodes(client, at(block.to.cycle), gone.map(|id| &**id).chain(changed()))?,
        newer: nodes(client, at(block.from.cycle), came.map(|id| &**id).chain(changed()))?,
    })
}

/// Which turns of a state are drawn.
#[derive(Debug, Clone, Copy)]
pub enum Turns {
    /// All of them.
    All,
    /// So many of the newest.
    Newest(u64),
    /// The newest that fit on a screen of so many lines, and at least one.
    Fitting(usize),
}

/// Lines of a screen that are not the tree's: the line of `^seq`, the one for what is left out, what
/// stands below the answer, and the next prompt.
const BESIDE_TURNS: usize = 4;

/// A state to be drawn. The head is always whole.
pub fn tree(client: &dyn Client, state: &StateReply, turns: Turns) -> Result<TreeView> {
    let count = state.turns.unwrap_or(0);
    let mut sys = read(client, state, "^sys, ^sys *")?;
    let head = read(client, state, "^ah, ^ah *")?;
    let mut left_out = 0;
    let room = match turns {
        Turns::Fitting(height) => {
            // Standing instructions that fill the screen would leave nothing of it.
            let kept = sys.len().min((height / 3).max(2));
            left_out = sys.split_off(kept).len() as u64;
            height.saturating_sub(sys.len() + usize::from(left_out > 0) + head.len() + BESIDE_TURNS)
        }
        _ => usize::MAX,
    };
    let most = match turns {
        Turns::All => count,
        Turns::Newest(turns) => turns.min(count),
        // Each turn takes a line at least.
        Turns::Fitting(_) => (room.max(1) as u64).min(count),
    };
    let q = format!(".mt:depth(1-{most}), .mt:depth(1-{most}) *");
    let mut nodes = if most > 0 { read(client, state, &q)? } else { Vec::new() };
    let shown = match turns {
        Turns::Fitting(_) => keep_newest(&mut nodes, room),
        _ => most,
    };
    Ok(TreeView {
        now: state.now.unwrap_or(0),
        parts: vec![
            TreePart::Nodes { nodes: sys, left_out },
            TreePart::Turns { count, shown, nodes },
            TreePart::Nodes { nodes: head, left_out: 0 },
        ],
    })
}

/// Keeps the newest turns that take at most so many lines, and at least one: how many these are.
fn keep_newest(nodes: &mut Vec<NodeView>, room: usize) -> u64 {
    let starts: Vec<usize> =
        nodes.iter().enumerate().filter(|(_, node)| node.is_turn()).map(|(at, _)| at).collect();
    let fits = |start: &&usize| nodes.len() - **start <= room;
    let shown = starts.iter().rev().take_while(fits).count().max(1).min(starts.len());
    let from = starts.get(starts.len() - shown).copied().unwrap_or(0);
    nodes.drain(..from);
    shown as u64
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
        let nodes = read(client, state, &format!("#{id}, #{id} *"))?;
        parts.push(TreePart::Nodes { nodes, left_out: 0 });
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
