//! Asking one state: a plan's chains over a tree, to nodes in the order of R7.
//!
//! Two ways to the same answer. [`find_whole`] reads every part and walks it; it is the meaning.
//! [`find`] keeps each chain to the parts that can matter (see `scope`) and stops early where a
//! limit allows. Both walk with the same steps; tests hold them against each other.

mod compare;
mod flat;
mod literals;
mod matching;
mod order;
mod scope;
mod sketched;
mod summary;
mod templates;
mod union;
mod walk;

use super::ast::Order;
use super::plan::{Ask, Chain, Group};
use super::timeline::Moment;
use crate::model::{Id, Node, Place, ReadError, Subtree};
use flat::{Flat, Part, read_part};
pub(super) use order::arrange;
use order::depth_level;
use scope::{Scope, Wanted, all_places, is_dense, rank_of};
use sketched::{Formal, Found, Verdict};
use std::collections::BTreeSet;
use std::sync::Arc;
pub(super) use templates::Timeless;
use union::Union;
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
    united(ask, moment)
}

/// The ids of the same answer. They can often be known without reading the nodes.
pub fn find_ids(ask: &Ask, moment: &Moment<'_>) -> Result<Vec<Id>, ReadError> {
    let recent = |group: &Group| group.chains.iter().any(|chain| chain.recent);
    let by_recency = match ask.order {
        Some(order) => order == Order::Recent,
        None => matches!(&ask.groups[..], [group] if recent(group)),
    };
    if by_recency {
        return Ok(find(ask, moment)?.into_iter().map(|hit| hit.node.id.clone()).collect());
    }
    Ok(united::<Found>(ask, moment)?.into_iter().map(|found| found.id).collect())
}

/// What the chains of a question find together.
fn united<T: Take>(ask: &Ask, moment: &Moment<'_>) -> Result<Vec<T>, ReadError> {
    let chains = ask.groups.iter().map(|group| group.chains.len()).sum();
    let (mut union, mut used) = (Union::new(chains), None);
    for group in &ask.groups {
        for (i, chain) in group.chains.iter().enumerate() {
            union.begin(early_stop(ask, i));
            planned(chain, moment, &mut union)?;
            union.end();
            if union.any() {
                used = Some(i);
                break;
            }
        }
    }
    let mut found = union.into_found();
    T::arrange(&mut found, effective_order(ask, used));
    Ok(ask.window.apply(found))
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
    let parts = scope.needed_places(moment)?.into_iter().map(|wanted| read_part(moment, wanted));
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
        parts: scope.needed_places(moment)?.len(),
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
        found.extend(hits(&flat, ends_of_all(ask, &flat, moment)?));
    }
    arrange(&mut found, effective_order(ask, Some(0)));
    Ok(found)
}

/// Asks a local question of one part after the other.
pub(super) struct Finder<'a> {
    ask: &'a Ask,
    /// What its attributes depend on; what is in its tree does not matter.
    pub(super) moment: Moment<'a>,
    flat: Flat,
}

impl<'a> Finder<'a> {
    pub(super) fn new(ask: &'a Ask, moment: Moment<'a>) -> Finder<'a> {
        let flat = Flat::shared(&moment);
        Finder { ask, moment, flat }
    }

    /// What is found in a part, in canonical order and unlimited. The depths and the first ranks
    /// of the hits say nothing.
    pub(super) fn in_part(
        &mut self,
        place: Place,
        nodes: Arc<Subtree>,
    ) -> Result<Vec<Hit>, ReadError> {
        self.moment.note(|tally| {
            tally.parts_read += 1;
            tally.nodes += nodes.len() as u64;
        });
        let flat = &mut self.flat;
        flat.fill(std::iter::once(Part { place, depth: 1, rank: 0, nodes }), false);
        let mut ends = ends_of_all(self.ask, flat, &self.moment)?;
        ends.retain(|item| flat.part(*item).is_some());
        Ok(hits(flat, ends))
    }
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
                arrange(&mut found, Order::Path);
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

/// The order to read parts in and the number of hits after which the rest of a chain cannot matter.
fn early_stop(ask: &Ask, chain: usize) -> Option<(Order, u64)> {
    let order = effective_order(ask, Some(chain));
    ask.window.enough().filter(|_| order != Order::Id).map(|enough| (order, enough))
}

/// Finds what a chain ends at in the parts that it has to read.
fn planned<T: Take>(
    chain: &Chain,
    moment: &Moment<'_>,
    union: &mut Union<T>,
) -> Result<(), ReadError> {
    let mut flat = Flat::shared(moment);
    let scope = Scope::of(chain, &flat, moment)?;
    if scope.crosses {
        let wanted = scope.needed_places(moment)?;
        let parts = wanted.into_iter().map(|wanted| read_part(moment, wanted));
        flat.fill(parts.collect::<Result<Vec<_>, _>>()?.into_iter(), false);
        let ends = Walk::new(&flat, moment).ends(chain, &mut |_| {})?;
        meet_all(&flat, ends, union);
        return Ok(());
    }
    let wanted = scope.places(moment)?;
    part_by_part(chain, wanted, flat, moment, union)
}

/// Each part on its own. What is found in `^root` and `^seq` depends on no part.
fn part_by_part<T: Take>(
    chain: &Chain,
    mut wanted: Vec<Wanted>,
    mut flat: Flat,
    moment: &Moment<'_>,
    union: &mut Union<T>,
) -> Result<(), ReadError> {
    if union.order() == Some(Order::Recent) {
        wanted.sort_by_key(|(_, depth, _)| depth_level(Some(*depth)));
    }
    let shared = Walk::new(&flat, moment).ends(chain, &mut |_| {})?;
    let shared: Vec<T> = shared.into_iter().filter_map(|item| T::of(&flat, item)).collect();
    let mut formal = match is_dense(&wanted) {
        true => Some(Formal::new(chain, &wanted, moment)),
        false => None,
    };
    let (mut rest, mut size) = (&wanted[..], FIRST_CHUNK);
    while !rest.is_empty() && !union.is_enough() {
        let (chunk, after) = rest.split_at(size.min(rest.len()));
        (rest, size) = (after, (size * 2).min(LAST_CHUNK));
        let (verdicts, sketched) = match &mut formal {
            Some(formal) => judge(formal, chunk, moment, union)?,
            None => (vec![Verdict::Read; chunk.len()], Vec::new()),
        };
        let mut sketched = sketched.into_iter();
        for (wanted, verdict) in chunk.iter().zip(verdicts) {
            match verdict {
                Verdict::Skip => continue,
                Verdict::Done(count) => {
                    sketched.by_ref().take(count).for_each(|found| {
                        union.meet(found.rank, || T::sketched(found));
                    });
                }
                Verdict::Read => {
                    flat.fill(std::iter::once(read_part(moment, *wanted)?), false);
                    let mut ends = Walk::new(&flat, moment).ends(chain, &mut |_| {})?;
                    ends.retain(|item| flat.depth(*item).is_some());
                    meet_all(&flat, ends, union);
                }
            }
            if union.is_enough() {
                break;
            }
        }
    }
    for node in shared {
        union.meet(node.rank(), || Some(node));
    }
    Ok(())
}

fn judge<T: Take>(
    formal: &mut Formal<'_>,
    chunk: &[Wanted],
    moment: &Moment<'_>,
    union: &Union<T>,
) -> Result<(Vec<Verdict>, Vec<Found>), ReadError> {
    let (verdicts, found) = formal.judge(chunk, T::NEEDS_ONLY_IDS, &|rank| union.has(rank))?;
    moment.note(|tally| {
        let count = |wanted: &dyn Fn(&Verdict) -> bool| {
            verdicts.iter().filter(|verdict| wanted(verdict)).count() as u64
        };
        tally.turns_sketched += count(&|verdict| *verdict != Verdict::Read);
        tally.turns_skipped += count(&|verdict| *verdict == Verdict::Skip);
    });
    Ok((verdicts, found))
}

/// Takes the nodes among some items.
fn meet_all<T: Take>(flat: &Flat, ends: Vec<usize>, union: &mut Union<T>) {
    for item in ends.into_iter().filter(|item| flat.node(*item).is_some()) {
        union.meet(flat.rank(item), || T::of(flat, item));
    }
}

/// Turns that are looked at together: few at first, in case that is enough.
const FIRST_CHUNK: usize = 64;
const LAST_CHUNK: usize = 4096;

/// What is taken of the nodes that are found.
trait Take: Sized {
    /// Whether a sketch of the turn is enough.
    const NEEDS_ONLY_IDS: bool;

    /// From a node that was read; none for a virtual one.
    fn of(flat: &Flat, item: usize) -> Option<Self>;

    /// From a node that was not.
    fn sketched(found: Found) -> Option<Self>;

    /// Its place in the canonical order of its tree.
    fn rank(&self) -> (u64, u32);

    /// Puts nodes in order, each once.
    fn arrange(list: &mut Vec<Self>, order: Order);
}

impl Take for Hit {
    const NEEDS_ONLY_IDS: bool = false;

    fn of(flat: &Flat, item: usize) -> Option<Hit> {
        Some(Hit {
            node: flat.node(item)?.clone(),
            depth: flat.depth(item),
            parent: flat.parent_id(item),
            rank: flat.rank(item),
        })
    }

    fn sketched(_: Found) -> Option<Hit> {
        None
    }

    fn rank(&self) -> (u64, u32) {
        self.rank
    }

    fn arrange(list: &mut Vec<Hit>, order: Order) {
        arrange(list, order);
    }
}

impl Take for Found {
    const NEEDS_ONLY_IDS: bool = true;

    fn of(flat: &Flat, item: usize) -> Option<Found> {
        Some(Found { id: flat.node(item)?.id.clone(), rank: flat.rank(item) })
    }

    fn sketched(found: Found) -> Option<Found> {
        Some(found)
    }

    fn rank(&self) -> (u64, u32) {
        self.rank
    }

    fn arrange(list: &mut Vec<Found>, order: Order) {
        if !list.is_sorted_by(|a, b| a.rank < b.rank) {
            list.sort_unstable_by_key(|found| found.rank);
            list.dedup_by_key(|found| found.rank);
        }
        if order == Order::Id {
            list.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        }
    }
}

fn hits(flat: &Flat, ends: Vec<usize>) -> Vec<Hit> {
    ends.into_iter().filter_map(|item| Hit::of(flat, item)).collect()
}

/// The nodes that the chains of a question end at, each once.
fn ends_of_all(ask: &Ask, flat: &Flat, moment: &Moment<'_>) -> Result<Vec<usize>, ReadError> {
    let mut found: Vec<usize> = Vec::new();
    let mut united = 0;
    for chain in ask.groups.iter().flat_map(|group| &group.chains) {
        found.extend(Walk::new(flat, moment).ends(chain, &mut |_| {})?);
        // They are united before they are twice as many.
        if found.len() / 2 > united {
            found.sort_unstable();
            found.dedup();
            united = found.len();
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}
