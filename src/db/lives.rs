//! When a node that a question names came and went: what to say where a state does not have it.
//!
//! The index knows every place that a node lay in. Of a place only the newest versions are read, so
//! a node that went long ago from a part that changed often since gets no more than its beginning.

use super::view::View;
use crate::index::{CycleInfo, CycleKind};
use crate::model::{Id, Place};
use crate::query::{Read, ReadStates, Timeline};

/// How many versions of a part are read to find the last one that has a node, and how many cycles
/// are searched for them.
const VERSIONS: usize = 64;
const CYCLES: u64 = 4_096;

/// What there is to say of a node that a state does not have: that it came later, or when and how it
/// went. None if it never was in a snapshot, or if that is not found out quickly.
pub(super) fn gone(view: &View, id: &str, states: ReadStates) -> Read<Option<String>> {
    let (asked, name) = match states {
        ReadStates::Working => (view.last_cycle(), "the working state".to_owned()),
        ReadStates::Snapshot(cycle) => (cycle, format!("@c{cycle}")),
        ReadStates::Event { seq, after } => (after, format!("@e{seq}")),
        ReadStates::Every { .. } | ReadStates::Range { .. } => return Ok(None),
    };
    let places = view.places_of(id)?;
    let Some(born) = places.iter().map(|(cycle, _)| *cycle).min() else { return Ok(None) };
    if born > asked {
        let when = format!("it came in cycle {born}: ask `@c{born}` or `@*`");
        return Ok(Some(format!("`{id}` is not in {name}; {when}")));
    }
    let when = match end_of(view, id, &places, asked)? {
        End::Unknown => "it was in older snapshots: ask `@*`".to_owned(),
        End::SinceThen => format!("an edit took it away after `@c{asked}`"),
        End::Cycle(ended) => {
            let how = how_it_ended(id, &view.commit(ended)?);
            let history = view.history();
            let before = history.steps_back_to(ended).and_then(|steps| history.back(steps + 1));
            let before = before.map_or(String::new(), |cycle| format!("`@c{cycle}` or "));
            format!("it ended in cycle {ended} ({how}): ask {before}`@*`")
        }
    };
    Ok(Some(format!("`{id}` is not in {name}; {when}")))
}

/// When a node went.
enum End {
    /// By the commit of a cycle.
    Cycle(u64),
    /// The snapshot before the state that is asked still has it.
    SinceThen,
    /// Longer ago than is looked back.
    Unknown,
}

/// When a node went, at or before the cycle that is asked.
fn end_of(view: &View, id: &str, places: &[(u64, Place)], asked: u64) -> Read<End> {
    let last = places.iter().filter(|(cycle, _)| *cycle <= asked).max_by_key(|(cycle, _)| *cycle);
    let Some((from, place)) = last else { return Ok(End::Unknown) };
    let from = (*from).max(asked.saturating_sub(CYCLES));
    let mut end = End::SinceThen;
    for cycle in view.versions(*place, from, asked)?.into_iter().rev().take(VERSIONS) {
        let tree = view.at(cycle)?;
        let is_there = place.slot().is_none_or(|slot| tree.spine().contains(slot));
        if is_there && tree.subtree(*place)?.find(id).is_some() {
            return Ok(end);
        }
        end = End::Cycle(cycle);
    }
    Ok(End::Unknown)
}

fn how_it_ended(id: &str, commit: &CycleInfo) -> &'static str {
    let is_in = |ids: &[Id]| ids.iter().any(|gone| &**gone == id);
    match commit.kind {
        _ if is_in(&commit.removed.expired) => "expired",
        _ if is_in(&commit.removed.pruned) => "pruned",
        _ if is_in(&commit.removed.cascaded) => "emptied",
        CycleKind::Commit => "removed, or gone with what it lay in",
        _ => "an import or a restore left it out",
    }
}
