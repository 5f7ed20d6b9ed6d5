//! Policies that limit turns (R14.19): whole turns go, oldest first.
//!
//! A turn stays if something in it is pinned, or if a survivor outside it refers to something in
//! it. Turns that were passed over are looked at again once another has gone. Nothing here knows of
//! blocks that go one by one.

use super::{Policy, Region, RegionTotals, Sweep, Totals};
use crate::model::{Id, Place, ReadError, Slot};
use std::collections::{BTreeMap, HashMap};

/// Removes the turns that are too many; returns them in the order in which they went.
pub fn drop_turns(
    sweep: &mut Sweep<'_>,
    policy: &Policy,
    totals: &mut RegionTotals,
) -> Result<Vec<Id>, ReadError> {
    let mut gone = Vec::new();
    let Some(limit) = policy.max_turns.filter(|_| policy.reaches(Region::Seq)) else {
        return Ok(gone);
    };
    // What earlier policies removed must not count, nor protect.
    sweep.carry_out()?;
    let spine = sweep.tree().spine().clone();
    // The head is the newest turn: it counts, and takes the first place among the protected.
    let mut excess = (spine.len() + 1).saturating_sub(limit);
    let protected = policy.protect_recent_turns.unwrap_or(0).saturating_sub(1);
    let mut open = spine.iter().take(spine.len().saturating_sub(protected) as usize).enumerate();
    let mut held = Held::default();
    while excess > 0 {
        let next = match held.free.pop_first() {
            Some(free) => Some(free),
            None => open.next(),
        };
        let Some((rank, slot)) = next else { break };
        match holder(sweep, slot)? {
            Holder::Pinned => {}
            Holder::Referrer(target) => held.insert(target, rank, slot),
            Holder::Nobody => {
                gone.push(drop_turn(sweep, slot, totals, &mut held)?);
                excess -= 1;
            }
        }
    }
    sweep.carry_out()?;
    Ok(gone)
}

/// Turns that a survivor held when they were looked at.
#[derive(Default)]
struct Held {
    /// By a node of theirs that was referred to.
    by_target: HashMap<Id, (usize, Slot)>,
    /// Those whose referrer may have gone, to be looked at again.
    free: BTreeMap<usize, Slot>,
}

impl Held {
    fn insert(&mut self, target: Id, rank: usize, slot: Slot) {
        self.by_target.insert(target, (rank, slot));
    }
}

enum Holder {
    Nobody,
    Pinned,
    /// A survivor outside refers to this node of the turn.
    Referrer(Id),
}

fn holder(sweep: &Sweep<'_>, slot: Slot) -> Result<Holder, ReadError> {
    let place = Place::Turn(slot);
    let turn = sweep.tree().subtree(place)?;
    if turn.entries().iter().any(|entry| entry.node.pinned) {
        return Ok(Holder::Pinned);
    }
    for entry in turn.entries() {
        let referrers = sweep.referrers(&entry.node.id)?;
        if referrers.iter().any(|(_, position)| position.place != place) {
            return Ok(Holder::Referrer(entry.node.id.clone()));
        }
    }
    Ok(Holder::Nobody)
}

fn drop_turn(
    sweep: &mut Sweep<'_>,
    slot: Slot,
    totals: &mut RegionTotals,
    held: &mut Held,
) -> Result<Id, ReadError> {
    let place = Place::Turn(slot);
    let turn = sweep.tree().subtree(place)?;
    totals.subtract(place, Totals::of(&turn));
    sweep.remove(place, &turn, 0);
    for target in turn.entries().iter().flat_map(|entry| &entry.node.refs) {
        held.free.extend(held.by_target.remove(target));
    }
    Ok(turn.top().id.clone())
}
