//! Pruning under policies (R4.4): blocks go in the order priority, age, id until every limit
//! holds.

use super::{Policy, Region, RegionTotals, Sweep, Totals};
use crate::model::{Class, Id, Node, Place, ReadError, older_first};
use std::sync::Arc;

/// Removes what the policies ask for; returns the blocks in the order in which they went.
///
/// `committed` are the totals of the newest snapshot; what the commit in progress changed is
/// counted here.
pub fn prune(
    sweep: &mut Sweep<'_>,
    policies: &[Policy],
    committed: &RegionTotals,
) -> Result<Vec<Id>, ReadError> {
    let mut gone = Vec::new();
    if policies.is_empty() {
        return Ok(gone);
    }
    let mut totals = current_totals(sweep, committed)?;
    for policy in policies {
        if policy.allows(&totals.of(policy.region)) {
            continue;
        }
        let mut candidates = candidates(sweep, policy)?;
        candidates.sort_by(|a, b| older_first(&a.1, &b.1));
        while !policy.allows(&totals.of(policy.region)) {
            // From the front each time: a removal may have freed an earlier block of its referrer.
            let mut chosen = None;
            for (at, (_, node)) in candidates.iter().enumerate() {
                if sweep.referrers(&node.id)?.is_empty() {
                    chosen = Some(at);
                    break;
                }
            }
            let Some(at) = chosen else { break };
            let (place, node) = candidates.remove(at);
            sweep.remove(&node.id)?;
            totals.subtract(place, &node);
            gone.push(node.id.clone());
        }
    }
    Ok(gone)
}

fn candidates(sweep: &Sweep<'_>, policy: &Policy) -> Result<Vec<(Place, Arc<Node>)>, ReadError> {
    let tree = sweep.tree();
    // The head is the newest turn, so it takes the first place among the protected.
    let protected = policy.protect_recent_turns.unwrap_or(0);
    let open_turns = tree.spine().len().saturating_sub(protected.saturating_sub(1));
    let mut places: Vec<Place> = Vec::new();
    if policy.region == Some(Region::Sys) {
        places.push(Place::Sys);
    }
    if matches!(policy.region, None | Some(Region::Seq)) {
        // The cast is safe: a spine of more turns than fit memory cannot exist.
        places.extend(tree.spine().iter().take(open_turns as usize).map(Place::Turn));
    }
    if matches!(policy.region, None | Some(Region::Ah)) && protected == 0 {
        places.push(Place::Ah);
    }
    let mut found = Vec::new();
    for place in places {
        for entry in tree.subtree(place)?.entries() {
            if entry.node.class == Class::Block && !entry.node.pinned {
                found.push((place, entry.node.clone()));
            }
        }
    }
    Ok(found)
}

/// The totals now: those of the newest snapshot, with the changed parts counted anew.
fn current_totals(sweep: &Sweep<'_>, committed: &RegionTotals) -> Result<RegionTotals, ReadError> {
    let tree = sweep.tree();
    let mut seq = committed.seq;
    for (slot, turn) in tree.changed_turns() {
        seq = seq
            .plus(Totals::of(turn))
            .minus(Totals::of(&*tree.source().part(Place::Turn(*slot), tree.as_of())?));
    }
    for slot in sweep.dropped_turns() {
        seq = seq.minus(Totals::of(&*tree.source().part(Place::Turn(*slot), tree.as_of())?));
    }
    Ok(RegionTotals { sys: Totals::of(tree.sys()), seq, ah: Totals::of(tree.ah()) })
}

impl RegionTotals {
    fn subtract(&mut self, place: Place, node: &Node) {
        let region = match place {
            Place::Sys => &mut self.sys,
            Place::Turn(_) => &mut self.seq,
            Place::Ah => &mut self.ah,
        };
        *region = region.minus(Totals::of_node(node));
    }
}
