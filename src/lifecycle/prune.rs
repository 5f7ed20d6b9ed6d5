//! Pruning under policies (R4.4): blocks go in the order priority, age, id until every limit
//! holds.

use super::queue::{PruneQueue, prunable};
use super::{Policy, Region, RegionTotals, Sweep, Totals};
use crate::model::{Id, Node, Place, PruneRank, ReadError, Slot, prune_rank};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Removes what the policies ask for; returns the blocks in the order in which they went.
///
/// `committed` are the totals of the newest snapshot; what the commit in progress changed is
/// counted here. `queue` is made if it is needed and missing.
pub fn prune(
    sweep: &mut Sweep<'_>,
    policies: &[Policy],
    committed: &RegionTotals,
    queue: &mut Option<PruneQueue>,
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
        if queue.is_none() && policy.reaches(Region::Seq) {
            *queue = Some(PruneQueue::of_snapshot(sweep.tree())?);
        }
        let empty = PruneQueue::default();
        let mut candidates = Candidates::new(sweep, policy, queue.as_ref().unwrap_or(&empty))?;
        let mut passed = Passed::default();
        while !policy.allows(&totals.of(policy.region)) {
            let Some((rank, place)) = passed.next(sweep, &mut candidates)? else { break };
            let id = rank.2;
            let node = sweep.node_at_start(place, &id)?;
            sweep.remove_block(place, id.clone());
            if let Some(node) = node {
                totals.subtract(place, Totals::of_node(&node));
                passed.removed(sweep, &node)?;
            }
            gone.push(id);
        }
    }
    sweep.carry_out()?;
    Ok(gone)
}

/// Candidates that were passed over, because a survivor referred to them when they were looked at.
#[derive(Default)]
struct Passed {
    held: HashMap<Id, (PruneRank, Place)>,
    /// Those of them that nobody refers to any more.
    free: BTreeMap<PruneRank, Place>,
}

impl Passed {
    /// The next block that nobody refers to. Those passed over before come first: the last removal
    /// may have been that of their referrer.
    fn next(
        &mut self,
        sweep: &Sweep<'_>,
        candidates: &mut Candidates<'_>,
    ) -> Result<Option<(PruneRank, Place)>, ReadError> {
        if let Some(free) = self.free.pop_first() {
            return Ok(Some(free));
        }
        while let Some((rank, place)) = candidates.next(sweep)? {
            if sweep.referrers(&rank.2)?.is_empty() {
                return Ok(Some((rank, place)));
            }
            self.held.insert(rank.2.clone(), (rank, place));
        }
        Ok(None)
    }

    /// Looks at what a block that went referred to.
    fn removed(&mut self, sweep: &Sweep<'_>, node: &Node) -> Result<(), ReadError> {
        for target in &node.refs {
            if self.held.contains_key(target) && sweep.referrers(target)?.is_empty() {
                self.free.extend(self.held.remove(target));
            }
        }
        Ok(())
    }
}

/// The candidates of a policy in order: from the queue of the sealed turns, and from the parts
/// that the commit in progress changed.
struct Candidates<'a> {
    queue: std::iter::Peekable<Box<dyn Iterator<Item = (PruneRank, Slot)> + 'a>>,
    changed: std::iter::Peekable<std::collections::btree_map::IntoIter<PruneRank, Place>>,
    /// The turns that `changed` has, as they are now; the queue has them as they were.
    changed_turns: BTreeSet<Slot>,
    /// How many turns, from the oldest, are not protected.
    open_turns: u64,
}

impl<'a> Candidates<'a> {
    fn new(
        sweep: &Sweep<'_>,
        policy: &Policy,
        queue: &'a PruneQueue,
    ) -> Result<Candidates<'a>, ReadError> {
        let tree = sweep.tree();
        // The head is the newest turn, so it takes the first place among the protected.
        let protected = policy.protect_recent_turns.unwrap_or(0);
        let open_turns = tree.spine().len().saturating_sub(protected.saturating_sub(1));
        let mut places: Vec<Place> = Vec::new();
        if policy.region == Some(Region::Sys) {
            places.push(Place::Sys);
        }
        if policy.reaches(Region::Ah) && protected == 0 {
            places.push(Place::Ah);
        }
        let mut sealed: Box<dyn Iterator<Item = (PruneRank, Slot)>> = Box::new(std::iter::empty());
        if policy.reaches(Region::Seq) {
            let open = |slot: &&Slot| {
                tree.spine().index_of(**slot).is_some_and(|index| index < open_turns)
            };
            places.extend(tree.changed_turns().keys().filter(open).copied().map(Place::Turn));
            sealed = Box::new(queue.iter().map(|(rank, slot)| (rank.clone(), *slot)));
        }
        let mut changed = BTreeMap::new();
        for place in places {
            let part = tree.subtree(place)?;
            changed.extend(prunable(&part).map(|node| (prune_rank(node), place)));
        }
        let changed = changed.into_iter().peekable();
        let changed_turns = tree.changed_turns().keys().copied().collect();
        Ok(Candidates { queue: sealed.peekable(), changed, changed_turns, open_turns })
    }

    fn next(&mut self, sweep: &Sweep<'_>) -> Result<Option<(PruneRank, Place)>, ReadError> {
        let tree = sweep.tree();
        loop {
            let from_queue = match (self.queue.peek(), self.changed.peek()) {
                (None, None) => return Ok(None),
                (Some((a, _)), Some((b, _))) => a < b,
                (queue, _) => queue.is_some(),
            };
            if !from_queue {
                return Ok(self.changed.next());
            }
            let Some((rank, slot)) = self.queue.next() else { continue };
            let index = tree.spine().index_of(slot);
            let open = index.is_some_and(|index| index < self.open_turns);
            if open && !self.changed_turns.contains(&slot) {
                return Ok(Some((rank, Place::Turn(slot))));
            }
        }
    }
}

/// The totals now: those of the newest snapshot, with the changed parts counted anew.
fn current_totals(sweep: &Sweep<'_>, committed: &RegionTotals) -> Result<RegionTotals, ReadError> {
    let tree = sweep.tree();
    let mut seq = committed.seq;
    for (slot, turn) in tree.changed_turns() {
        let before = tree.source().part(Place::Turn(*slot), tree.as_of())?;
        seq = seq.plus(Totals::of(turn)).minus(Totals::of(&before));
    }
    for slot in sweep.dropped_turns() {
        seq = seq.minus(Totals::of(&*tree.source().part(Place::Turn(*slot), tree.as_of())?));
    }
    Ok(RegionTotals { sys: Totals::of(tree.sys()?), seq, ah: Totals::of(tree.ah()?) })
}

impl RegionTotals {
    fn subtract(&mut self, place: Place, node: Totals) {
        let region = match place {
            Place::Sys => &mut self.sys,
            Place::Turn(_) => &mut self.seq,
            Place::Ah => &mut self.ah,
        };
        *region = region.minus(node);
    }
}
