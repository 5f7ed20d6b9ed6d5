//! Expiry and reference safety (R4.1, R4.2).
//!
//! All due nodes are taken to go; then each whose subtree holds something that a survivor refers
//! to is spared, which may make more survivors, until nothing changes. So a group of due nodes
//! that refer only to each other goes together, and everything that can go does. Each survivor is
//! followed once, to what it refers to.

use super::Sweep;
use crate::model::{Id, Place, Position, ReadError, Subtree};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// What may go of a part.
struct Due {
    part: Arc<Subtree>,
    /// Whether a node is due, and not spared.
    due: Vec<bool>,
    /// How many such nodes a node is or lies in: it goes while there is one.
    cover: Vec<u32>,
}

/// Removes what is due at `cycle`; returns the topmost removed nodes in canonical order, and the
/// places of nodes that were spared.
pub fn expire(sweep: &mut Sweep<'_>, cycle: u64) -> Result<(Vec<Id>, BTreeSet<Place>), ReadError> {
    let mut due = find_due(sweep, cycle)?;
    let spared = spare_referenced(sweep, &mut due)?;
    for position in &spared {
        sweep.settle(*position, cycle)?;
    }
    let mut places: Vec<Place> = due.keys().copied().collect();
    places.sort_by_key(|place| sweep.rank(*place));
    let mut expired = Vec::new();
    for place in places {
        let Due { part, due, .. } = &due[&place];
        let mut at = 0;
        while at < part.len() {
            if due[at] {
                expired.push(part.node(at).id.clone());
                sweep.remove(place, part, at);
                at = part.span(at).end;
            } else {
                at += 1;
            }
        }
    }
    sweep.carry_out()?;
    Ok((expired, spared.into_iter().map(|position| position.place).collect()))
}

fn find_due(sweep: &Sweep<'_>, cycle: u64) -> Result<BTreeMap<Place, Due>, ReadError> {
    let tree = sweep.tree();
    let mut places: BTreeSet<Place> =
        tree.changed_turns().keys().copied().map(Place::Turn).collect();
    places.insert(Place::Sys);
    places.insert(Place::Ah);
    if tree.as_of() > 0 {
        places.extend(tree.source().may_expire(tree.as_of(), cycle)?);
    }
    let mut found = BTreeMap::new();
    for place in places {
        if let Place::Turn(slot) = place
            && !tree.spine().contains(slot)
        {
            continue;
        }
        let part = tree.subtree(place)?;
        let mut due = vec![false; part.len()];
        let mut cover = vec![0; part.len()];
        for (index, entry) in part.entries().iter().enumerate() {
            let is_due = entry.node.lifetime.is_some_and(|life| life.expires_at <= cycle);
            due[index] = is_due && !entry.node.class.is_region();
            let above = part.parent(index).map_or(0, |parent| cover[parent]);
            cover[index] = above + u32::from(due[index]);
        }
        if due.contains(&true) {
            found.insert(place, Due { part, due, cover });
        }
    }
    Ok(found)
}

/// Spares what a survivor refers to, and returns it.
fn spare_referenced(
    sweep: &Sweep<'_>,
    due: &mut BTreeMap<Place, Due>,
) -> Result<Vec<Position>, ReadError> {
    // What each node that may go refers to among those that may go.
    let mut named: HashMap<(Place, usize), Vec<Position>> = HashMap::new();
    let mut held: Vec<Position> = Vec::new();
    for (place, list) in due.iter() {
        for index in (0..list.part.len()).filter(|index| list.cover[*index] > 0) {
            let target = Position { place: *place, index };
            for (_, referrer) in sweep.referrers(&list.part.node(index).id)? {
                let goes = due.get(&referrer.place).is_some_and(|d| d.cover[referrer.index] > 0);
                match goes {
                    true => {
                        let key = (referrer.place, referrer.index);
                        named.entry(key).or_default().push(target);
                    }
                    false => held.push(target),
                }
            }
        }
    }
    let mut spared = Vec::new();
    while let Some(Position { place, index }) = held.pop() {
        let Some(list) = due.get_mut(&place) else { continue };
        // Everything due that it lies in stays with it.
        let mut above = Some(index);
        while let Some(at) = above {
            if std::mem::take(&mut list.due[at]) {
                spared.push(Position { place, index: at });
                for below in list.part.span(at) {
                    list.cover[below] -= 1;
                    if list.cover[below] == 0 {
                        held.extend(named.remove(&(place, below)).unwrap_or_default());
                    }
                }
            }
            above = list.part.parent(at);
        }
    }
    Ok(spared)
}
