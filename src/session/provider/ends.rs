//! How results ended that are in a state no more. Calls outlive them, and whoever reads the thread
//! should know why there is nothing.
//!
//! A result lies in the turn of its call, or in the turn after it. The versions of these turns say
//! in which cycle it went, and that cycle's commit says why; the versions are searched by halves.
//! A result that no snapshot ever had is in the events of the cycle that its call was made in. So
//! the cost is that of the turns with such calls, whatever the length of history.

use super::unit::Unit;
use crate::change::Event;
use crate::db::Snapshot;
use crate::error::Result;
use crate::index::CycleKind;
use crate::model::{Id, Node, Place, Subtree};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many versions of a part are looked through one by one, for what it did not begin with.
const LATER_VERSIONS: usize = 64;

/// How a result ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// Its time to live was over, so many cycles after it was made.
    Expired(u64),
    /// A policy took it away.
    Pruned,
    /// An edit took it away, or another state came in its place.
    Removed,
    /// It never came.
    Absent,
}

impl Ending {
    /// What stands in the place of the result.
    pub(super) fn text(self) -> String {
        match self {
            Ending::Expired(1) => "[expired after 1 cycle]".to_owned(),
            Ending::Expired(cycles) => format!("[expired after {cycles} cycles]"),
            Ending::Pruned => "[pruned]".to_owned(),
            Ending::Removed => "[removed]".to_owned(),
            Ending::Absent => "[no result]".to_owned(),
        }
    }
}

/// A result that is gone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gone {
    /// How it ended.
    pub(super) ending: Ending,
    /// When it was made: what came after it is not of the message of its call.
    pub(super) made_at: i64,
}

/// What is known of the results of these calls; nothing of those that never came.
pub(super) fn endings(
    state: &Snapshot,
    units: &[Unit],
    calls: &[usize],
) -> Result<BTreeMap<usize, Gone>> {
    let mut search = Search { state, parts: BTreeMap::new(), commits: BTreeMap::new() };
    let mut claimed: BTreeSet<Id> = BTreeSet::new();
    let mut found = BTreeMap::new();
    let named =
        || calls.iter().filter_map(|at| Some((*at, units[*at].place, units[*at].call_id()?)));
    // A result of the call's own turn goes before one of the next turn, which may have a call of
    // the same id itself.
    for (at, place, id) in named() {
        found.extend(search.in_part(place, id, &mut claimed)?.map(|gone| (at, gone)));
    }
    for (at, place, id) in named() {
        if !found.contains_key(&at)
            && let Some(next) = search.next(place)
        {
            found.extend(search.in_part(next, id, &mut claimed)?.map(|gone| (at, gone)));
        }
    }
    let mut made: BTreeMap<u64, Made> = BTreeMap::new();
    for (at, place, id) in named() {
        let Some(cycle) = search.cycle_of(place).filter(|_| !found.contains_key(&at)) else {
            continue;
        };
        let made = match made.entry(cycle) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(new) => new.insert(search.made_in(cycle)?),
        };
        found.extend(made.end(id, &mut claimed).map(|gone| (at, gone)));
    }
    Ok(found)
}

struct Search<'a> {
    state: &'a Snapshot,
    /// Parts as they began, with the cycles in which they changed.
    parts: BTreeMap<Place, Arc<Versions>>,
    commits: BTreeMap<u64, Arc<Lost>>,
}

struct Versions {
    cycles: Vec<u64>,
    /// The results that the first version has, by the id of their call.
    first: BTreeMap<String, Vec<Arc<Node>>>,
}

/// What a commit took away.
#[derive(Default)]
struct Lost {
    expired: BTreeSet<Id>,
    pruned: BTreeSet<Id>,
}

impl Search<'_> {
    /// The turn after a turn.
    fn next(&self, place: Place) -> Option<Place> {
        let spine = self.state.tree().spine();
        spine.nth(spine.index_of(place.slot()?)? + 1).map(Place::Turn)
    }

    /// The cycle whose events made what lies in a place.
    fn cycle_of(&self, place: Place) -> Option<u64> {
        match place {
            Place::Sys => None,
            Place::Ah => (!self.state.is_committed()).then(|| self.state.cycle() + 1),
            Place::Turn(slot) => Some(slot.cycle),
        }
    }

    /// How a result ended that a part once had.
    fn in_part(
        &mut self,
        place: Place,
        call: &str,
        claimed: &mut BTreeSet<Id>,
    ) -> Result<Option<Gone>> {
        let known = self.versions(place)?;
        let state = self.state;
        let mut gone = |node: &Arc<Node>| -> Result<bool> {
            Ok(state.tree().find(&node.id)?.is_none() && claimed.insert(node.id.clone()))
        };
        for node in known.first.get(call).into_iter().flatten() {
            if gone(node)? {
                let ending = self.last_seen(place, &known.cycles, node)?;
                return Ok(Some(Gone { ending, made_at: node.created_at_ns }));
            }
        }
        let later = known.cycles.iter().enumerate().skip(1).rev().take(LATER_VERSIONS);
        for (i, cycle) in later {
            let Some(part) = self.state.earlier(place, *cycle)? else { continue };
            for node in results(&part).filter(|node| node.call_id() == Some(call)) {
                if gone(node)? {
                    let next = known.cycles.get(i + 1).copied();
                    let ending = self.ending(&part, node, next)?;
                    return Ok(Some(Gone { ending, made_at: node.created_at_ns }));
                }
            }
        }
        Ok(None)
    }

    fn versions(&mut self, place: Place) -> Result<Arc<Versions>> {
        if let Some(known) = self.parts.get(&place) {
            return Ok(known.clone());
        }
        let cycles = match place {
            Place::Ah => Vec::new(),
            _ => self.state.versions(place)?,
        };
        let part = match cycles.first() {
            Some(cycle) => self.state.earlier(place, *cycle)?,
            None => None,
        };
        let mut first: BTreeMap<String, Vec<Arc<Node>>> = BTreeMap::new();
        for node in part.iter().flat_map(|part| results(part)) {
            if let Some(call) = node.call_id() {
                first.entry(call.to_owned()).or_default().push(node.clone());
            }
        }
        let known = Arc::new(Versions { cycles, first });
        self.parts.insert(place, known.clone());
        Ok(known)
    }

    /// Finds the last version that has a node, which the first one has.
    fn last_seen(&mut self, place: Place, cycles: &[u64], node: &Node) -> Result<Ending> {
        let (mut low, mut high) = (0, cycles.len());
        let mut seen = None;
        while low < high {
            let middle = low + (high - low) / 2;
            let part = self.state.earlier(place, cycles[middle])?;
            match part.filter(|part| part.find(&node.id).is_some()) {
                Some(part) => {
                    seen = Some(part);
                    low = middle + 1;
                }
                None => high = middle,
            }
        }
        match seen {
            Some(part) => self.ending(&part, node, cycles.get(low).copied()),
            None => Ok(Ending::Removed),
        }
    }

    /// Why a node of a part has gone in a cycle.
    fn ending(&mut self, part: &Subtree, node: &Node, cycle: Option<u64>) -> Result<Ending> {
        let Some(cycle) = cycle else { return Ok(Ending::Removed) };
        let lost = self.commit(cycle)?;
        let mut at = part.find(&node.id);
        while let Some(index) = at {
            if let Some(ending) = lost.ending(&part.node(index).id, node, cycle) {
                return Ok(ending);
            }
            at = part.parent(index);
        }
        Ok(Ending::Removed)
    }

    fn commit(&mut self, cycle: u64) -> Result<Arc<Lost>> {
        if let Some(known) = self.commits.get(&cycle) {
            return Ok(known.clone());
        }
        let removed = self.state.commit_of(cycle)?.map(|info| info.removed);
        let lost = removed.map_or_else(Lost::default, |removed| Lost {
            expired: removed.expired.into_iter().collect(),
            pruned: removed.pruned.into_iter().collect(),
        });
        let lost = Arc::new(lost);
        self.commits.insert(cycle, lost.clone());
        Ok(lost)
    }

    /// The results that the events of a cycle made, and how they ended in it.
    fn made_in(&mut self, cycle: u64) -> Result<Made> {
        let info = self.state.commit_of(cycle)?;
        if info.is_some_and(|info| info.kind != CycleKind::Commit) {
            return Ok(Made::default());
        }
        let lost = self.commit(cycle)?;
        let records = self.state.events_of(cycle)?;
        let undone: BTreeSet<u64> = records
            .iter()
            .filter_map(|record| match record.event {
                Event::Undone { group } => Some(group),
                _ => None,
            })
            .collect();
        let mut parents: BTreeMap<&Id, &Id> = BTreeMap::new();
        let mut removed: BTreeSet<&Id> = BTreeSet::new();
        let mut nodes = Vec::new();
        for record in records.iter().filter(|record| !undone.contains(&record.group)) {
            match &record.event {
                Event::Added(addition) => {
                    parents.insert(&addition.node.id, &addition.parent);
                    nodes.push(&addition.node);
                }
                Event::Removed { ids } => removed.extend(ids),
                _ => {}
            }
        }
        let mut made = Made::default();
        for node in nodes {
            let Some(call) = node.call_id().filter(|_| node.is_result()) else { continue };
            let above = || std::iter::successors(Some(&node.id), |id| parents.get(*id).copied());
            let by_commit = above().find_map(|id| lost.ending(id, node, cycle));
            let by_edit = above().any(|id| removed.contains(id)).then_some(Ending::Removed);
            if let Some(ending) = by_commit.or(by_edit) {
                let gone = Gone { ending, made_at: node.created_at_ns };
                made.0.entry(call.to_owned()).or_default().push((node.id.clone(), gone));
            }
        }
        Ok(made)
    }
}

impl Lost {
    fn ending(&self, id: &Id, node: &Node, cycle: u64) -> Option<Ending> {
        if self.expired.contains(id) {
            return Some(Ending::Expired(cycle.saturating_sub(node.cycle)));
        }
        self.pruned.contains(id).then_some(Ending::Pruned)
    }
}

/// Results that no snapshot has, by the id of their call.
#[derive(Default)]
struct Made(BTreeMap<String, Vec<(Id, Gone)>>);

impl Made {
    fn end(&self, call: &str, claimed: &mut BTreeSet<Id>) -> Option<Gone> {
        let mut results = self.0.get(call)?.iter();
        results.find(|(id, _)| claimed.insert(id.clone())).map(|(_, gone)| *gone)
    }
}

fn results(part: &Subtree) -> impl Iterator<Item = &Arc<Node>> {
    part.entries().iter().map(|entry| &entry.node).filter(|node| node.is_result())
}
