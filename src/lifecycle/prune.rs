//! Pruning under policies (R4.4): blocks go in the order priority, age, id until every limit
//! holds.
//!
//! Storage keeps the blocks of the sealed turns in that order, as far as it knows them, so pruning
//! costs what it looks at and not what exists. Where it does not, every live turn is read.

use super::{Policy, Region, RegionTotals, Sweep, Totals, turns};
use crate::model::{
    Class, Id, Node, Place, PruneRank, ReadError, Slot, Subtree, Tree, TurnSource, prune_rank,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

/// Removes what the policies ask for; returns the turns and blocks in the order in which they went.
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
        gone.append(&mut turns::drop_turns(sweep, policy, &mut totals)?);
        if policy.allows(&totals.limited(policy.region)) {
            continue;
        }
        let mut candidates = Candidates::new(sweep, policy)?;
        let mut passed = Passed::default();
        while !policy.allows(&totals.limited(policy.region)) {
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
        candidates: &mut Candidates,
    ) -> Result<Option<(PruneRank, Place)>, ReadError> {
        if let Some(free) = self.free.pop_first() {
            return Ok(Some(free));
        }
        while let Some((rank, place)) = candidates.next(sweep)? {
            // A policy before this one may have removed it.
            if sweep.is_gone(&rank.2) {
                continue;
            }
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

/// The candidates of a policy in order: from the sealed turns, and from the parts that the commit in
/// progress changed.
struct Candidates {
    sealed: Sealed,
    changed: std::iter::Peekable<std::collections::btree_map::IntoIter<PruneRank, Place>>,
    /// The turns that `changed` has, as they are now.
    changed_turns: BTreeSet<Slot>,
    /// How many turns, from the oldest, are not protected.
    open_turns: u64,
}

impl Candidates {
    fn new(sweep: &Sweep<'_>, policy: &Policy) -> Result<Candidates, ReadError> {
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
        let mut sealed = Sealed::default();
        let mut turns: BTreeSet<Slot> = tree.changed_turns().keys().copied().collect();
        if policy.reaches(Region::Seq) {
            sealed = Sealed::of(tree)?;
            turns.append(&mut sealed.unranked);
            let index = |slot: &Slot| tree.spine().index_of(*slot);
            let open = |slot: &&Slot| index(slot).is_some_and(|index| index < open_turns);
            places.extend(turns.iter().filter(open).copied().map(Place::Turn));
        }
        let mut changed = BTreeMap::new();
        for place in places {
            let part = tree.subtree(place)?;
            changed.extend(prunable(&part).map(|node| (prune_rank(node), place)));
        }
        let changed = changed.into_iter().peekable();
        Ok(Candidates { sealed, changed, changed_turns: turns, open_turns })
    }

    fn next(&mut self, sweep: &Sweep<'_>) -> Result<Option<(PruneRank, Place)>, ReadError> {
        let tree = sweep.tree();
        loop {
            let from_sealed = match (self.sealed.peek()?, self.changed.peek()) {
                (None, None) => return Ok(None),
                (Some((a, _)), Some((b, _))) => a < b,
                (sealed, _) => sealed.is_some(),
            };
            if !from_sealed {
                return Ok(self.changed.next());
            }
            let Some((rank, slot)) = self.sealed.next() else { continue };
            let index = tree.spine().index_of(slot);
            let open = index.is_some_and(|index| index < self.open_turns);
            if open && !self.changed_turns.contains(&slot) {
                return Ok(Some((rank, Place::Turn(slot))));
            }
        }
    }
}

/// The blocks of the sealed turns in order, a few at a time.
#[derive(Default)]
struct Sealed {
    /// Where more of them are.
    source: Option<Arc<dyn TurnSource>>,
    /// Turns that are not among them.
    unranked: BTreeSet<Slot>,
    waiting: VecDeque<(PruneRank, Slot)>,
    last: Option<PruneRank>,
}

impl Sealed {
    fn of(tree: &Tree) -> Result<Sealed, ReadError> {
        let (source, cycle) = (tree.source(), tree.as_of());
        if cycle == 0 {
            return Ok(Sealed::default());
        }
        if let Some(unranked) = source.unranked(cycle)? {
            return Ok(Sealed { source: Some(source.clone()), unranked, ..Sealed::default() });
        }
        let mut blocks = BTreeMap::new();
        // Turns that the commit in progress dropped are not missed: nobody can prune them.
        for slot in tree.spine().iter() {
            let turn = source.part(Place::Turn(slot), cycle)?;
            blocks.extend(prunable(&turn).map(|node| (prune_rank(node), slot)));
        }
        Ok(Sealed { waiting: blocks.into_iter().collect(), ..Sealed::default() })
    }

    fn peek(&mut self) -> Result<Option<&(PruneRank, Slot)>, ReadError> {
        if let (true, Some(source)) = (self.waiting.is_empty(), &self.source) {
            self.waiting = source.ranked(self.last.as_ref())?.into();
            match self.waiting.back() {
                Some((rank, _)) => self.last = Some(rank.clone()),
                None => self.source = None,
            }
        }
        Ok(self.waiting.front())
    }

    /// What was peeked at.
    fn next(&mut self) -> Option<(PruneRank, Slot)> {
        self.waiting.pop_front()
    }
}

/// The blocks of a part that a policy may remove.
pub fn prunable(part: &Subtree) -> impl Iterator<Item = &Node> {
    let nodes = part.entries().iter().map(|entry| &*entry.node);
    nodes.filter(|node| node.class == Class::Block && !node.pinned)
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
    pub(super) fn subtract(&mut self, place: Place, node: Totals) {
        let region = match place {
            Place::Sys => &mut self.sys,
            Place::Turn(_) => &mut self.seq,
            Place::Ah => &mut self.ah,
        };
        *region = region.minus(node);
    }
}
