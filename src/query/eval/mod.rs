//! Asking one state: a plan's chains over a tree, to nodes in the order of R7.
//!
//! Two ways to the same answer. [`find_whole`] reads every part and walks it; it is the meaning.
//! [`find`] keeps each chain to the parts that can matter (see `scope`) and stops early where a
//! limit allows. Both walk with the same steps; tests hold them against each other.

mod compare;
mod flat;
mod matching;
mod order;
mod scope;
mod summary;
mod walk;

pub use summary::Summary;

use super::ast::Order;
use super::plan::{Ask, Chain};
use super::timeline::Moment;
use crate::model::{Id, Node, Place, ReadError};
use flat::{Flat, read_part};
pub(super) use order::arrange;
use order::depth_level;
use scope::{Scope, Wanted, all_places, rank_of};
use std::collections::BTreeSet;
use std::sync::Arc;
use walk::Walk;

/// A node that was found.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The node.
    pub node: Arc<Node>,
    /// Its depth (R6.6).
    pub depth: Option<i64>,
    /// Its parent; none for the root.
    pub parent: Option<Id>,
    /// Its place in the canonical order of its tree.
    pub rank: (u64, u32),
}

/// The answer of one state, in order and within the window.
pub fn find(ask: &Ask, moment: &Moment<'_>) -> Result<Vec<Hit>, ReadError> {
    let asked = Asked { moment, stop: early_stop(ask) };
    answer(ask, |chain| asked.planned(chain))
}

/// The same answer by reading everything.
pub fn find_whole(ask: &Ask, moment: &Moment<'_>) -> Result<Vec<Hit>, ReadError> {
    let parts = all_places(moment);
    let mut flat = Flat::shared(moment);
    let parts = parts.into_iter().map(|wanted| read_part(moment, wanted));
    flat.fill(parts.collect::<Result<Vec<_>, _>>()?.into_iter(), false);
    answer(ask, |chain| {
        let ends = Walk::new(&flat, moment).ends(chain, &mut |_| {})?;
        Ok(hits(&flat, ends))
    })
}

/// How many nodes each step of a chain comes to, in the parts that it has to read.
pub(super) fn trace(chain: &Chain, moment: &Moment<'_>) -> Result<Vec<usize>, ReadError> {
    let shared = Flat::shared(moment);
    let scope = Scope::of(chain, &shared, moment)?;
    let parts = scope.places(moment)?.into_iter().map(|wanted| read_part(moment, wanted));
    let mut flat = shared;
    flat.fill(parts.collect::<Result<Vec<_>, _>>()?.into_iter(), false);
    let mut sizes = Vec::new();
    Walk::new(&flat, moment).ends(chain, &mut |size| sizes.push(size))?;
    Ok(sizes)
}

/// What a chain will read.
pub(super) struct Reads {
    /// How many parts.
    pub(super) parts: usize,
    /// How many there are.
    pub(super) of: usize,
    /// Whether ids are looked up.
    pub(super) by_id: bool,
    /// Whether each part is asked on its own.
    pub(super) part_by_part: bool,
}

/// What a chain will read at a moment.
pub(super) fn reads(chain: &Chain, moment: &Moment<'_>) -> Result<Reads, ReadError> {
    let shared = Flat::shared(moment);
    let scope = Scope::of(chain, &shared, moment)?;
    Ok(Reads {
        parts: scope.places(moment)?.len(),
        of: moment.tree.places().count(),
        by_id: !scope.ids.is_empty(),
        part_by_part: !scope.crosses,
    })
}

/// Whether the answer in each part depends on that part alone: nothing is counted over several,
/// and no chain stands in for another.
pub(super) fn is_local(ask: &Ask, moment: &Moment<'_>) -> Result<bool, ReadError> {
    let shared = Flat::shared(moment);
    for group in &ask.groups {
        let [chain] = &group.chains[..] else { return Ok(false) };
        if Scope::of(chain, &shared, moment)?.crosses {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What a local question finds in some parts, in `^root` and in `^seq`; in order, unlimited.
pub(super) fn find_in(
    ask: &Ask,
    moment: &Moment<'_>,
    places: &BTreeSet<Place>,
) -> Result<Vec<Hit>, ReadError> {
    let mut found = Vec::new();
    let mut flat = Flat::shared(moment);
    let wanted = places.iter().filter_map(|place| {
        let (depth, rank) = rank_of(*place, moment)?;
        Some((*place, depth, rank))
    });
    for wanted in wanted.map(Some).chain([None]) {
        let part = wanted.map(|wanted| read_part(moment, wanted)).transpose()?;
        flat.fill(part.into_iter(), false);
        for chain in ask.groups.iter().flat_map(|group| &group.chains) {
            let ends = Walk::new(&flat, moment).ends(chain, &mut |_| {})?;
            found.extend(hits(&flat, ends));
        }
    }
    arrange(&mut found, effective_order(ask, Some(0)));
    Ok(found)
}

/// A place that an edit names: a node, or the core that the head does not have yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// A node.
    Node(Id),
    /// The head's core.
    HeadCore,
}

/// What a question finds if the head counts as having a core.
pub(super) fn find_places(ask: &Ask, moment: &Moment<'_>) -> Result<Vec<Named>, ReadError> {
    let (mut found, mut core, mut used) = (Vec::new(), None, None);
    for group in &ask.groups {
        for (i, chain) in group.chains.iter().enumerate() {
            let flat = with_head_core(chain, moment)?;
            let ends = Walk::new(&flat, moment).ends(chain, &mut |_| {})?;
            let head_core = ends.iter().find(|item| flat.is_head_core(**item));
            core = core.or(head_core.map(|item| flat.rank(*item)));
            let any = head_core.is_some();
            let hits = hits(&flat, ends);
            if any || !hits.is_empty() {
                found.extend(hits);
                used = Some(i);
                break;
            }
        }
    }
    let order = effective_order(ask, used);
    arrange(&mut found, order);
    let at = match (core, order) {
        (Some(core), Order::Path) => found.partition_point(|hit| hit.rank < core),
        _ => found.len(),
    };
    let mut named: Vec<Named> =
        found.into_iter().map(|hit| Named::Node(hit.node.id.clone())).collect();
    if core.is_some() {
        named.insert(at, Named::HeadCore);
    }
    Ok(ask.window.apply(named))
}

/// The parts that a chain has to read, and the head with a core in any case.
fn with_head_core(chain: &Chain, moment: &Moment<'_>) -> Result<Flat, ReadError> {
    let mut flat = Flat::shared(moment);
    let mut wanted = Scope::of(chain, &flat, moment)?.places(moment)?;
    let head = (Place::Ah, 0, flat::AH_RANK);
    if !wanted.contains(&head) {
        wanted.push(head);
    }
    let parts = wanted.into_iter().map(|wanted| read_part(moment, wanted));
    flat.fill(parts.collect::<Result<Vec<_>, _>>()?.into_iter(), true);
    Ok(flat)
}

fn answer(
    ask: &Ask,
    mut run: impl FnMut(&Chain) -> Result<Vec<Hit>, ReadError>,
) -> Result<Vec<Hit>, ReadError> {
    let mut found = Vec::new();
    let mut used = None;
    for group in &ask.groups {
        for (i, chain) in group.chains.iter().enumerate() {
            let hits = run(chain)?;
            if !hits.is_empty() {
                found.extend(hits);
                used = Some(i);
                break;
            }
        }
    }
    arrange(&mut found, effective_order(ask, used));
    Ok(ask.window.apply(found))
}

/// The order of a result, given which chain of the last group had one.
fn effective_order(ask: &Ask, used: Option<usize>) -> Order {
    let recent = match (&ask.groups[..], used) {
        ([group], Some(used)) => group.chains[used].recent,
        _ => false,
    };
    ask.order.unwrap_or(if recent { Order::Recent } else { Order::Path })
}

/// The order to read parts in and the number of hits after which the rest cannot matter.
fn early_stop(ask: &Ask) -> Option<(Order, u64)> {
    let [group] = &ask.groups[..] else { return None };
    let [_] = &group.chains[..] else { return None };
    let order = effective_order(ask, Some(0));
    ask.window.enough().filter(|_| order != Order::Id).map(|enough| (order, enough))
}

struct Asked<'m> {
    moment: &'m Moment<'m>,
    stop: Option<(Order, u64)>,
}

impl Asked<'_> {
    fn planned(&self, chain: &Chain) -> Result<Vec<Hit>, ReadError> {
        let mut flat = Flat::shared(self.moment);
        let scope = Scope::of(chain, &flat, self.moment)?;
        let wanted = scope.places(self.moment)?;
        if scope.crosses {
            let parts = wanted.into_iter().map(|wanted| read_part(self.moment, wanted));
            flat.fill(parts.collect::<Result<Vec<_>, _>>()?.into_iter(), false);
            let ends = Walk::new(&flat, self.moment).ends(chain, &mut |_| {})?;
            return Ok(hits(&flat, ends));
        }
        self.part_by_part(chain, wanted, flat)
    }

    /// Each part on its own. What is found in `^root` and `^seq` depends on no part.
    fn part_by_part(
        &self,
        chain: &Chain,
        mut wanted: Vec<Wanted>,
        mut flat: Flat,
    ) -> Result<Vec<Hit>, ReadError> {
        if let Some((Order::Recent, _)) = self.stop {
            wanted.sort_by_key(|(_, depth, _)| depth_level(Some(*depth)));
        }
        let shared = Walk::new(&flat, self.moment).ends(chain, &mut |_| {})?;
        let shared = hits(&flat, shared);
        let mut found = Vec::new();
        for wanted in wanted {
            let part = read_part(self.moment, wanted)?;
            flat.fill(std::iter::once(part), false);
            let ends = Walk::new(&flat, self.moment).ends(chain, &mut |_| {})?;
            found.extend(hits(&flat, ends).into_iter().filter(|hit| hit.depth.is_some()));
            if self.stop.is_some_and(|(_, enough)| found.len() as u64 >= enough) {
                break;
            }
        }
        found.extend(shared);
        Ok(found)
    }
}

fn hits(flat: &Flat, ends: Vec<usize>) -> Vec<Hit> {
    let hit = |item: usize| {
        Some(Hit {
            node: flat.node(item)?.clone(),
            depth: flat.depth(item),
            parent: flat.parent_id(item),
            rank: flat.rank(item),
        })
    };
    ends.into_iter().filter_map(hit).collect()
}
