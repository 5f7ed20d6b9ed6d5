//! Positional pseudos over several parts, decided without reading them all.
//!
//! `.cb:last` counts over the whole tree, so that no part alone can answer it. But what the pseudo
//! picks is one node: it is looked for from the front or from the back, and the chain goes on from
//! its id. A chain that is *settled* like this counts over several parts no more.
//!
//! What is picked from are the places that a step comes to from `^root`, from `^seq`, or from nowhere;
//! from a node of a part it counts within that part and is left as it is. Zones are left to whoever
//! reads everything, and so is a number among implied cores, which have no ids.

use super::merge::Merge;
use super::results::FoundId;
use super::scope::Scope;
use super::tops::{answered, answered_by, any_has, is_real};
use super::tracker::Picked;
use super::trackers::Aids;
use super::walk::{Flat, Spot, Walk, read_part};
use crate::language::ast::Order;
use crate::model::{Class, Id};
use crate::query::plan::{Chain, ClassSet, Compound, Link, Pick, Reach, Start, Step, Test};
use crate::query::timeline::{Moment, Read};
use std::cell::RefCell;
use std::sync::Arc;

/// The chain with everything decided that it counts over several parts, and all that it asks of `^root`
/// and `^seq`; the chain itself if there is nothing of the sort. What it counts stays as it is if that
/// cannot be decided here.
pub(super) fn settled(chain: &Arc<Chain>, moment: &Moment<'_>) -> Read<Arc<Chain>> {
    let chain = answered(chain, moment)?;
    if !has_picks(&chain) {
        return Ok(chain);
    }
    let settle = Settle { moment, shared: Flat::shared(moment), aids: RefCell::new(None) };
    Ok(settle.chain(&chain)?.map_or(chain, Arc::new))
}

/// The same, where what is counted may be known from the snapshot after; none if it cannot be decided here.
pub(crate) fn settled_by(
    chain: &Arc<Chain>,
    moment: &Moment<'_>,
    aids: &mut Aids<'_>,
) -> Read<Option<Arc<Chain>>> {
    let chain = answered_by(chain, moment, Some(aids))?;
    if !has_picks(&chain) {
        return Ok(Some(chain));
    }
    let settle = Settle { moment, shared: Flat::shared(moment), aids: RefCell::new(Some(aids)) };
    Ok(settle.chain(&chain)?.map(Arc::new))
}

/// The node that a chain goes on from and does not leave, if it is one that was picked.
pub(crate) fn picked_by<'p>(settled: &Chain, picked: &'p [Picked]) -> Option<&'p Picked> {
    let Start::Step(Step::Nodes(compound)) = &settled.start else { return None };
    let [Test::Ids(ids)] = &compound.tests[..] else { return None };
    let mut named = picked.iter().filter(|picked| ids.len() == 1 && ids.contains(&*picked.id));
    named.next().filter(|_| compound.picks.is_empty())
}

/// Whether a chain counts nothing over several parts, and asks nothing of `^root` and `^seq`.
pub(crate) fn counts_nothing(chain: &Chain) -> bool {
    !has_picks(chain) && !any_has(chain)
}

/// Whether a chain has positional pseudos. Recursion is as deep as parentheses nest.
fn has_picks(chain: &Chain) -> bool {
    let start = match &chain.start {
        Start::Step(step) => !picks_of(step).is_empty(),
        Start::Chains(chains) => chains.iter().any(has_picks),
    };
    start || chain.links.iter().any(|link| !picks_of(&link.step).is_empty())
}

fn picks_of(step: &Step) -> &[Pick] {
    match step {
        Step::Nodes(compound) => &compound.picks,
        Step::Zone(_) => &[],
    }
}

struct Settle<'m, 'a, 'p> {
    moment: &'m Moment<'m>,
    /// `^root` and `^seq`.
    shared: Flat,
    /// What follows the pseudos from one snapshot to the next, if anything.
    aids: RefCell<Option<&'a mut Aids<'p>>>,
}

impl Settle<'_, '_, '_> {
    /// None if it cannot be settled.
    fn chain(&self, chain: &Chain) -> Read<Option<Chain>> {
        let mut chain = chain.clone();
        match &mut chain.start {
            Start::Chains(inner) => {
                for inner in inner {
                    let Some(settled) = self.chain(inner)? else { return Ok(None) };
                    *inner = settled;
                }
            }
            Start::Step(Step::Nodes(compound)) if !compound.picks.is_empty() => {
                let from = Chain::of(Step::Nodes(without_picks(compound)));
                let Some(start) = self.picked(from, compound)? else { return Ok(None) };
                chain.start = start;
            }
            Start::Step(_) => {}
        }
        let mut at = 0;
        while at < chain.links.len() {
            let link = &chain.links[at];
            if let Step::Nodes(compound) = &link.step
                && !compound.picks.is_empty()
                && link.reach != Reach::Itself
            {
                let prefix = Chain { links: chain.links[..at].to_vec(), ..bare(&chain) };
                let spots = Walk::lenient(&self.shared, self.moment).spots(&prefix)?;
                if !spots.is_empty() {
                    let Some(start) = self.link(&prefix, link, compound, &spots)? else {
                        return Ok(None);
                    };
                    chain.start = start;
                    chain.links.drain(..=at);
                    at = 0;
                    continue;
                }
            }
            at += 1;
        }
        Ok(Some(chain))
    }

    /// What a link with positional pseudos comes to from a prefix, which ends at `^root` or `^seq`
    /// among others.
    fn link(
        &self,
        prefix: &Chain,
        link: &Link,
        compound: &Compound,
        spots: &[Spot],
    ) -> Read<Option<Start>> {
        let mut ways = Vec::new();
        if !ends_in_no_part(prefix) {
            // From the nodes of parts it counts within these.
            let mut local = prefix.clone();
            let elsewhere = Test::Not(Box::new(Test::Class(shared_classes())));
            let elsewhere = Compound { tests: vec![elsewhere], ..Compound::default() };
            local.links.push(Link { reach: Reach::Itself, step: Step::Nodes(elsewhere) });
            local.links.push(link.clone());
            ways.push(local);
        }
        for spot in spots {
            if spot.zone.is_some() {
                return Ok(None);
            }
            let class = Test::Class(ClassSet::of(&[self.shared.class(spot.item)]));
            let top = Compound { tests: vec![class], ..Compound::default() };
            let mut from = Chain::of(Step::Nodes(top));
            let step = Step::Nodes(without_picks(compound));
            from.links.push(Link { reach: link.reach, step });
            let Some(start) = self.picked(from, compound)? else { return Ok(None) };
            ways.push(Chain { start, ..Chain::of(nowhere()) });
        }
        Ok(Some(match &ways[..] {
            [only] if only.links.is_empty() => only.start.clone(),
            _ => Start::Chains(ways),
        }))
    }

    /// Where a chain goes on if it comes to what the pseudos of a compound pick from all that another
    /// chain finds; none if that cannot be decided here.
    fn picked(&self, from: Chain, of: &Compound) -> Read<Option<Start>> {
        let Some((first, others)) = of.picks.split_first() else { return Ok(None) };
        // The one node that is left is the first and the last.
        if !others.iter().all(|pick| matches!(pick, Pick::Last | Pick::Nth(1))) {
            return Ok(Some(Start::Step(nowhere())));
        }
        if !is_real(of) {
            if let Some(aids) = &mut *self.aids.borrow_mut() {
                aids.trackers.lost = true;
                if aids.trackers.only_looks {
                    return Ok(Some(Start::Step(nowhere())));
                }
            }
            return if of.recent { Ok(None) } else { self.outermost(&from, *first) };
        }
        if !of.recent
            && let Some(picked) = self.top(&from, *first)?
        {
            let step = Step::Nodes(by_id(&picked.id));
            if let Some(aids) = &mut *self.aids.borrow_mut() {
                aids.trackers.take_top(picked);
            }
            return Ok(Some(Start::Step(step)));
        }
        if let Some(aids) = &mut *self.aids.borrow_mut()
            && let Some(picked) = aids.pick(&from, (*first, of.recent), self.moment)?
        {
            let step = picked.map_or_else(nowhere, |id| Step::Nodes(by_id(&id)));
            return Ok(Some(Start::Step(step)));
        }
        let order = if of.recent { Order::Recent } else { Order::Path };
        let (mut before, backward) = match first {
            Pick::Last => (0, true),
            Pick::Nth(n) => (usize::try_from(n - 1).unwrap_or(usize::MAX), false),
        };
        let mut merge = Merge::<FoundId>::new(&[Arc::new(from)], order, backward, self.moment)?;
        let mut found = Vec::new();
        while merge.next(self.moment, &mut found)? {
            match found.get(before) {
                Some(found) => {
                    self.take(Some((found.id.clone(), false)));
                    return Ok(Some(Start::Step(Step::Nodes(by_id(&found.id)))));
                }
                None => before -= found.len(),
            }
            found.clear();
        }
        self.take(None);
        Ok(Some(Start::Step(nowhere())))
    }

    /// Takes note of what was picked without being followed.
    fn take(&self, picked: Option<(Id, bool)>) {
        if let Some(aids) = &mut *self.aids.borrow_mut() {
            aids.trackers.take(picked);
        }
    }

    /// The node that is picked where only the tops of parts can be found and their depths decide, so
    /// that counting parts is enough; none if that is not so.
    fn top(&self, from: &Chain, pick: Pick) -> Read<Option<Picked>> {
        let (Start::Step(Step::Nodes(compound)), []) = (&from.start, &from.links[..]) else {
            return Ok(None);
        };
        let below = ClassSet::of(&[Class::Container, Class::Block]).or(shared_classes());
        let mut tops = false;
        for test in &compound.tests {
            match test {
                Test::Class(classes) if classes.meets(below) => return Ok(None),
                Test::Class(_) => tops = true,
                Test::Container(_) => tops = true,
                Test::Depth(_) | Test::Real => {}
                _ => return Ok(None),
            }
        }
        if !tops {
            return Ok(None);
        }
        let mut parts = Scope::of(from, &self.shared, self.moment)?.places(self.moment)?;
        let (before, backward) = match pick {
            Pick::Last => (0, true),
            Pick::Nth(n) => (n - 1, false),
        };
        parts.skip(before);
        let (tree, mut picked) = (&self.moment.tree, None);
        for (place, _, rank) in parts.take(1, backward, tree.spine()) {
            let id = tree.subtree(place)?.top().id.clone();
            picked = Some(Picked { id, place, rank: (rank, 0) });
        }
        Ok(picked)
    }

    /// The first or the last place that a chain finds, where that may be an implied core.
    fn outermost(&self, from: &Chain, pick: Pick) -> Read<Option<Start>> {
        let backward = match pick {
            Pick::Last => true,
            Pick::Nth(1) => false,
            Pick::Nth(_) => return Ok(None),
        };
        let scope = Scope::of(from, &self.shared, self.moment)?;
        if !Walk::lenient(&self.shared, self.moment).spots(from)?.is_empty() {
            return Ok(None);
        }
        let mut parts = scope.places(self.moment)?;
        let mut flat = Flat::shared(self.moment);
        while let [wanted] = parts.take(1, backward, self.moment.tree.spine())[..] {
            let part = read_part(self.moment, wanted)?;
            let top = part.nodes.top().id.clone();
            flat.fill(std::iter::once(part), false);
            let ends = Walk::new(&flat, self.moment).ends(from, &mut |_| {})?;
            let Some(item) = (if backward { ends.last() } else { ends.first() }) else { continue };
            let node = flat.node(*item);
            self.take(Some(match node {
                Some(node) => (node.id.clone(), false),
                None => (top.clone(), true),
            }));
            return Ok(Some(match node {
                Some(node) => Start::Step(Step::Nodes(by_id(&node.id))),
                None => {
                    let virtual_one = Test::Not(Box::new(Test::Real));
                    let core = Compound { tests: vec![virtual_one], ..Compound::default() };
                    let mut chain = Chain::of(Step::Nodes(by_id(&top)));
                    chain.links.push(Link { reach: Reach::Child, step: Step::Nodes(core) });
                    Start::Chains(vec![chain])
                }
            }));
        }
        self.take(None);
        Ok(Some(Start::Step(nowhere())))
    }
}

/// The beginning of a chain.
fn bare(chain: &Chain) -> Chain {
    Chain { start: chain.start.clone(), ..Chain::of(nowhere()) }
}

fn without_picks(compound: &Compound) -> Compound {
    Compound { tests: compound.tests.clone(), picks: Vec::new(), recent: compound.recent }
}

fn by_id(id: &str) -> Compound {
    let ids = std::iter::once(Box::from(id)).collect();
    Compound { tests: vec![Test::Ids(ids)], ..Compound::default() }
}

/// A step that no node satisfies.
fn nowhere() -> Step {
    Step::Nodes(Compound { tests: vec![Test::Any(Vec::new())], ..Compound::default() })
}

fn shared_classes() -> ClassSet {
    ClassSet::of(&[Class::Root, Class::Seq])
}

/// Whether a chain ends at nothing but `^root` and `^seq`.
fn ends_in_no_part(chain: &Chain) -> bool {
    let last = match (chain.links.last(), &chain.start) {
        (Some(link), _) => &link.step,
        (None, Start::Step(step)) => step,
        (None, Start::Chains(_)) => return false,
    };
    let others =
        ClassSet::of(&[Class::Sys, Class::Ah, Class::Turn, Class::Container, Class::Block]);
    let excludes = |test: &Test| matches!(test, Test::Class(classes) if !classes.meets(others));
    matches!(last, Step::Nodes(compound) if compound.tests.iter().any(excludes))
}
