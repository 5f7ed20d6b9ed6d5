//! What is found: whole nodes or ids alone, and their order (R7).

use super::index_hits::IndexHits;
use super::walk::{AH_RANK, FIRST_TURN_RANK, SYS_RANK};
use super::walk::{Flat, Part, recency};
use crate::language::ast::Order;
#[cfg(feature = "sql")]
use crate::model::ContentRef;
use crate::model::{Id, Node};
use crate::model::{Place, Tree};
use crate::query::plan::Ask;
use crate::query::timeline::Moment;
use std::sync::Arc;

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

/// The part of a tree that has a place in its canonical order; none for the root and `^seq`.
pub(crate) fn place_of(rank: u64, tree: &Tree) -> Option<Place> {
    match rank {
        SYS_RANK => Some(Place::Sys),
        AH_RANK => Some(Place::Ah),
        rank => tree.spine().nth(rank.checked_sub(FIRST_TURN_RANK)?).map(Place::Turn),
    }
}

/// Puts hits in order, each once.
pub(crate) fn arrange(hits: &mut Vec<Hit>, order: Order) {
    hits.sort_unstable_by_key(|hit| hit.rank);
    hits.dedup_by_key(|hit| hit.rank);
    match order {
        Order::Path => {}
        Order::Recent => hits.sort_by_cached_key(|hit| recency(&hit.node, hit.depth)),
        Order::Id => hits.sort_by(|a, b| a.node.id.cmp(&b.node.id)),
    }
}

/// What can be put in order without reading anything.
pub(crate) trait Arranged: ResultItem {
    /// Puts what was found in order, each once. The order by recency is for nodes.
    fn arrange(found: &mut Vec<Self>, order: Order);
}

impl Arranged for Hit {
    fn arrange(found: &mut Vec<Hit>, order: Order) {
        arrange(found, order);
    }
}

impl Arranged for FoundId {
    fn arrange(found: &mut Vec<FoundId>, order: Order) {
        found.sort_unstable_by_key(|found| found.rank);
        found.dedup_by_key(|found| found.rank);
        if order == Order::Id {
            found.sort_by(|a, b| a.id.cmp(&b.id));
        }
    }
}

/// A node that was found, without its headers.
#[derive(Debug, Clone)]
pub(crate) struct FoundId {
    pub(crate) id: Id,
    pub(crate) rank: (u64, u32),
}

/// What of a node is wanted, if the turn index has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wants {
    /// All of it: it has to be read.
    Nodes,
    /// Its id.
    Ids,
    /// Its id, what its turn's template says of it, and where its content is.
    #[cfg_attr(not(feature = "sql"), allow(dead_code, reason = "SQL alone wants them"))]
    Summaries,
}

/// A node that was found in the turn index.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "sql"), allow(dead_code, reason = "SQL alone reads all of it"))]
pub(crate) struct FromIndex<'a> {
    /// What it was found with, and its number there.
    pub(crate) hits: &'a Arc<IndexHits>,
    pub(crate) number: u32,
    /// The depth and the rank of its part.
    pub(crate) depth: i64,
    pub(crate) rank: u64,
}

/// What is taken of the nodes that are found.
pub(crate) trait ResultItem: Sized {
    /// What is enough.
    const WANTS: Wants;

    /// From a node that was read.
    fn of(hit: Hit) -> Self;

    /// From a node of a part that was read.
    fn in_part(part: &Part, index: u32, moment: &Moment<'_>) -> Self;

    /// From the turn index; none if the node has to be read.
    fn from_index(found: FromIndex<'_>) -> Option<Self>;

    /// From its id and its rank; none if the node has to be read.
    fn from_id(found: &FoundId) -> Option<Self> {
        let _ = found;
        None
    }

    /// Its id.
    fn id(&self) -> &str;

    /// Its id, to be kept.
    fn kept_id(&self) -> Id;
}

impl ResultItem for Hit {
    const WANTS: Wants = Wants::Nodes;

    fn of(hit: Hit) -> Hit {
        hit
    }

    fn in_part(part: &Part, index: u32, moment: &Moment<'_>) -> Hit {
        Hit {
            node: part.nodes.node(index as usize).clone(),
            depth: Some(part.depth),
            parent: Some(part.parent_id(index as usize, moment.tree.root(), moment.tree.seq())),
            rank: (part.rank, index),
        }
    }

    fn from_index(_: FromIndex<'_>) -> Option<Hit> {
        None
    }

    fn id(&self) -> &str {
        &self.node.id
    }

    fn kept_id(&self) -> Id {
        self.node.id.clone()
    }
}

impl ResultItem for FoundId {
    const WANTS: Wants = Wants::Ids;

    fn of(hit: Hit) -> FoundId {
        FoundId { id: hit.node.id.clone(), rank: hit.rank }
    }

    fn in_part(part: &Part, index: u32, _: &Moment<'_>) -> FoundId {
        FoundId { id: part.nodes.node(index as usize).id.clone(), rank: (part.rank, index) }
    }

    fn from_index(found: FromIndex<'_>) -> Option<FoundId> {
        let (hits, number) = (found.hits, found.number);
        Some(FoundId { id: hits.id(number).into(), rank: (found.rank, hits.index(number)) })
    }

    fn from_id(found: &FoundId) -> Option<FoundId> {
        Some(found.clone())
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn kept_id(&self) -> Id {
        self.id.clone()
    }
}

/// A node that was found, as far as the turn index has it.
#[cfg(feature = "sql")]
#[derive(Debug, Clone)]
pub(crate) enum SummaryHit {
    /// It was read.
    Whole(Hit),
    /// It was not.
    Indexed {
        /// Where it was found, with others.
        hits: Arc<IndexHits>,
        /// Its number there.
        number: u32,
        /// Its depth (R6.6).
        depth: i64,
        /// The place of its part in the canonical order of its tree.
        rank: u64,
    },
}

#[cfg(feature = "sql")]
impl SummaryHit {
    /// The node; of one that was not read, what the template of its turn has of it.
    pub(crate) fn node(&self) -> Option<&Node> {
        match self {
            SummaryHit::Whole(hit) => Some(&hit.node),
            SummaryHit::Indexed { hits, number, .. } => hits.node(*number),
        }
    }

    /// Where its content is.
    pub(crate) fn content(&self) -> Option<ContentRef> {
        match self {
            SummaryHit::Whole(hit) => hit.node.content,
            SummaryHit::Indexed { hits, number, .. } => hits.content(*number),
        }
    }

    /// Its depth.
    pub(crate) fn depth(&self) -> Option<i64> {
        match self {
            SummaryHit::Whole(hit) => hit.depth,
            SummaryHit::Indexed { depth, .. } => Some(*depth),
        }
    }

    /// Its place in the canonical order of its tree.
    pub(crate) fn rank(&self) -> (u64, u32) {
        match self {
            SummaryHit::Whole(hit) => hit.rank,
            SummaryHit::Indexed { hits, number, rank, .. } => (*rank, hits.index(*number)),
        }
    }

    /// The part of the tree that it was found in; none for the root and `^seq`.
    pub(crate) fn place(&self, tree: &Tree) -> Option<Place> {
        place_of(self.rank().0, tree)
    }

    /// Whether it lies in a turn, or is one.
    pub(crate) fn is_in_turn(&self) -> bool {
        (FIRST_TURN_RANK..AH_RANK).contains(&self.rank().0)
    }
}

#[cfg(feature = "sql")]
impl ResultItem for SummaryHit {
    const WANTS: Wants = Wants::Summaries;

    fn of(hit: Hit) -> SummaryHit {
        SummaryHit::Whole(hit)
    }

    fn in_part(part: &Part, index: u32, moment: &Moment<'_>) -> SummaryHit {
        SummaryHit::Whole(Hit::in_part(part, index, moment))
    }

    fn from_index(found: FromIndex<'_>) -> Option<SummaryHit> {
        let FromIndex { hits, number, depth, rank } = found;
        Some(SummaryHit::Indexed { hits: hits.clone(), number, depth, rank })
    }

    fn id(&self) -> &str {
        match self {
            SummaryHit::Whole(hit) => &hit.node.id,
            SummaryHit::Indexed { hits, number, .. } => {
                hits.id_in_turn(*number, hits.index(*number) as usize).unwrap_or_default()
            }
        }
    }

    fn kept_id(&self) -> Id {
        match self {
            SummaryHit::Whole(hit) => hit.node.id.clone(),
            SummaryHit::Indexed { .. } => self.id().into(),
        }
    }
}

/// The hit of an item; none for a virtual one.
fn hit(flat: &Flat, item: usize) -> Option<Hit> {
    Some(Hit {
        node: flat.node(item)?.clone(),
        depth: flat.depth(item),
        parent: flat.parent_id(item),
        rank: flat.rank(item),
    })
}

pub(super) fn hits(flat: &Flat, ends: Vec<usize>) -> Vec<Hit> {
    ends.into_iter().filter_map(|item| hit(flat, item)).collect()
}

/// The order of a result, given which chain of the last group had one.
pub(crate) fn effective_order(ask: &Ask, used: Option<usize>) -> Order {
    let recent = match (&ask.groups[..], used) {
        ([group], Some(used)) => group.chains[used].recent,
        _ => false,
    };
    ask.order.unwrap_or(if recent { Order::Recent } else { Order::Path })
}
