//! Cascade (R4.3): removable containers that had children when the commit started and have none
//! now go too, bottom-up, unless a survivor refers to them.
//!
//! As with expiry, everything that can go together does: a container that goes is no survivor, so
//! its references hold nothing back.

use super::Sweep;
use crate::model::{Id, Place, Position, ReadError, Subtree};
use std::collections::HashMap;
use std::sync::Arc;

/// Removes them; returns all that went.
pub fn cascade(sweep: &mut Sweep<'_>) -> Result<Vec<Id>, ReadError> {
    let mut parts: HashMap<Place, Arc<Subtree>> = HashMap::new();
    let mut going: HashMap<Id, Position> = HashMap::new();
    for place in sweep.touched() {
        let (part, start) = (sweep.tree().subtree(place)?, sweep.at_start(place)?);
        for index in (1..part.len()).filter(|index| Sweep::goes_when_empty(part.node(*index))) {
            let id = &part.node(index).id;
            let Some(at) = sweep.find_at_start(id)? else { continue };
            if start.span(at.index).len() > 1 {
                going.insert(id.clone(), Position { place, index });
            }
        }
        parts.insert(place, part);
    }
    let mut stays: Vec<Id> = Vec::new();
    for (id, Position { place, index }) in &going {
        let part = &parts[place];
        let full = part.children(*index).any(|child| !going.contains_key(&part.node(child).id));
        let referrers = sweep.referrers(id)?;
        if full || referrers.iter().any(|(referrer, _)| !going.contains_key(referrer)) {
            stays.push(id.clone());
        }
    }
    // What stays holds its parent, and what it refers to.
    while let Some(id) = stays.pop() {
        let Some(Position { place, index }) = going.remove(&id) else { continue };
        let part = &parts[&place];
        stays.extend(part.parent(index).map(|parent| part.node(parent).id.clone()));
        stays.extend(part.node(index).refs.iter().cloned());
    }
    for Position { place, index } in going.values() {
        sweep.remove(*place, &parts[place], *index);
    }
    sweep.carry_out()?;
    Ok(going.into_keys().collect())
}
