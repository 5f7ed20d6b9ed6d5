//! Expiry and reference safety (R4.1, R4.2).
//!
//! All due nodes are taken to go; then each whose subtree holds something that a survivor refers
//! to is spared, which may make more survivors, until nothing changes. So a group of due nodes
//! that refer only to each other goes together, and everything that can go does.

use super::Sweep;
use crate::model::{Id, Place, ReadError, Subtree};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

struct Due {
    place: Place,
    part: Arc<Subtree>,
    index: usize,
}

/// Removes what is due at `cycle`; returns the topmost removed nodes in canonical order, and the
/// places of nodes that were spared.
pub fn expire(sweep: &mut Sweep<'_>, cycle: u64) -> Result<(Vec<Id>, BTreeSet<Place>), ReadError> {
    let mut due = find_due(sweep, cycle)?;
    let spared = spare_referenced(sweep, &mut due)?;
    // Canonical order; a node that lies in another removed one is not a root.
    due.sort_by_key(|due| (sweep.rank(due.place), due.index));
    let mut roots: Vec<Due> = Vec::new();
    for candidate in due {
        let covered = roots.last().is_some_and(|r| {
            r.place == candidate.place && r.part.is_within(candidate.index, r.index)
        });
        if !covered {
            roots.push(candidate);
        }
    }
    let ids: Vec<Id> = roots.iter().map(|due| due.part.node(due.index).id.clone()).collect();
    for id in &ids {
        sweep.remove(id)?;
    }
    for (_, id) in &spared {
        sweep.settle(id, cycle)?;
    }
    Ok((ids, spared.into_iter().map(|(place, _)| place).collect()))
}

fn find_due(sweep: &Sweep<'_>, cycle: u64) -> Result<Vec<Due>, ReadError> {
    let tree = sweep.tree();
    let mut places: BTreeSet<Place> =
        tree.changed_turns().keys().copied().map(Place::Turn).collect();
    places.insert(Place::Sys);
    places.insert(Place::Ah);
    if tree.as_of() > 0 {
        places.extend(tree.source().may_expire(tree.as_of(), cycle)?);
    }
    let mut due = Vec::new();
    for place in places {
        if let Place::Turn(slot) = place
            && !tree.spine().contains(slot)
        {
            continue;
        }
        let part = tree.subtree(place)?;
        for (index, entry) in part.entries().iter().enumerate() {
            let is_due = entry.node.lifetime.is_some_and(|life| life.expires_at <= cycle);
            if is_due && !entry.node.class.is_region() {
                due.push(Due { place, part: part.clone(), index });
            }
        }
    }
    Ok(due)
}

fn spare_referenced(sweep: &Sweep<'_>, due: &mut Vec<Due>) -> Result<Vec<(Place, Id)>, ReadError> {
    let mut spared = Vec::new();
    // Referrers are looked up once for each node that may go.
    let mut referrers: HashMap<Id, Vec<Id>> = HashMap::new();
    for candidate in due.iter() {
        for index in candidate.part.span(candidate.index) {
            let id = &candidate.part.node(index).id;
            if !referrers.contains_key(id) {
                referrers.insert(id.clone(), sweep.referrers(id)?);
            }
        }
    }
    if referrers.values().all(Vec::is_empty) {
        return Ok(spared);
    }
    loop {
        let going: HashSet<Id> =
            due.iter().flat_map(|due| Sweep::below(&due.part, due.index)).collect();
        let before = due.len();
        due.retain(|candidate| {
            let goes = candidate.part.span(candidate.index).all(|index| {
                let id = &candidate.part.node(index).id;
                referrers.get(id).is_none_or(|list| list.iter().all(|r| going.contains(r)))
            });
            if !goes {
                spared.push((candidate.place, candidate.part.node(candidate.index).id.clone()));
            }
            goes
        });
        if due.len() == before {
            return Ok(spared);
        }
    }
}
