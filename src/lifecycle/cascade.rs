//! Cascade (R4.3): removable containers that had children when the commit started and have none
//! now go too, bottom-up, unless a survivor refers to them.
//!
//! As with expiry, everything that can go together does: a container that goes is no survivor, so
//! its references hold nothing back.

use super::Sweep;
use crate::model::{Id, Place, ReadError, Subtree};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Removes them; returns all that went.
pub fn cascade(sweep: &mut Sweep<'_>) -> Result<Vec<Id>, ReadError> {
    let mut parts: Vec<(Place, Arc<Subtree>)> = Vec::new();
    for place in sweep.touched() {
        parts.push((place, sweep.tree().subtree(place)?));
    }
    let mut going: HashSet<Id> = HashSet::new();
    for (place, part) in &parts {
        let start = sweep.at_start(*place)?;
        for index in 1..part.len() {
            let node = part.node(index);
            let had_children =
                || start.find(&node.id).is_some_and(|at| start.children(at).next().is_some());
            if Sweep::goes_when_empty(node) && had_children() {
                going.insert(node.id.clone());
            }
        }
    }
    let mut referrers: HashMap<Id, Vec<Id>> = HashMap::new();
    for id in &going {
        referrers.insert(id.clone(), sweep.referrers(id)?);
    }
    loop {
        let stays = parts.iter().flat_map(|(_, part)| (1..part.len()).map(move |i| (part, i)));
        let stays: Vec<Id> = stays
            .filter(|(part, index)| {
                let id = &part.node(*index).id;
                going.contains(id)
                    && (part.children(*index).any(|child| !going.contains(&part.node(child).id))
                        || referrers[id].iter().any(|referrer| !going.contains(referrer)))
            })
            .map(|(part, index)| part.node(index).id.clone())
            .collect();
        if stays.is_empty() {
            break;
        }
        for id in stays {
            going.remove(&id);
        }
    }
    let gone: Vec<Id> = going.into_iter().collect();
    for id in &gone {
        sweep.remove(id)?;
    }
    Ok(gone)
}
