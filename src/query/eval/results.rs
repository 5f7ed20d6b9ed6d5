//! What is found: whole nodes or ids alone, and their order (R7).

use super::walk::{Flat, Part, recency};
use crate::language::ast::Order;
use crate::model::{ContentRef, Id, Node};
use crate::query::plan::Ask;
use crate::query::timeline::Moment;
#[cfg(feature = "sql")]
use crate::{
    model::{Place, Tree},
    query::eval::walk::{AH_RANK, FIRST_TURN_RANK, SYS_RANK},
};
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

#[cfg(feature = "sql")]
impl Hit {
    /// The part of the tree that it was found in; none for the root and `^seq`.
    pub(crate) fn place(&self, tree: &Tree) -> Option<Place> {
        match self.rank.0 {
            SYS_RANK => Some(Place::Sys),
            AH_RANK => Some(Place::Ah),
            rank => tree.spine().nth(rank.checked_sub(FIRST_TURN_RANK)?).map(Place::Turn),
        }
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

/// What the turn index has of a node.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "sql"), allow(dead_code, reason = "SQL alone reads all of it"))]
pub(crate) struct FromIndex<'a> {
    pub(crate) rank: (u64, u32),
    pub(crate) depth: i64,
    pub(crate) id: &'a str,
    /// The node in the template of its turn, and its content, if that was wanted.
    pub(crate) summary: Option<&'a (Arc<Node>, Option<ContentRef>)>,
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

    /// Its id.
    fn id(&self) -> &Id;
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

    fn id(&self) -> &Id {
        &self.node.id
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
        Some(FoundId { id: found.id.into(), rank: found.rank })
    }

    fn id(&self) -> &Id {
        &self.id
    }
}

/// A node that was found, as far as the turn index has it.
#[cfg(feature = "sql")]
#[derive(Debug, Clone)]
pub(crate) struct SummaryHit {
    /// The node; of one that was not read, what the template of its turn has of it.
    pub(crate) hit: Hit,
    /// Its id.
    pub(crate) id: Id,
    /// Where its content is.
    pub(crate) content: Option<ContentRef>,
}

#[cfg(feature = "sql")]
impl ResultItem for SummaryHit {
    const WANTS: Wants = Wants::Summaries;

    fn of(hit: Hit) -> SummaryHit {
        SummaryHit { id: hit.node.id.clone(), content: hit.node.content, hit }
    }

    fn in_part(part: &Part, index: u32, moment: &Moment<'_>) -> SummaryHit {
        SummaryHit::of(Hit::in_part(part, index, moment))
    }

    fn from_index(found: FromIndex<'_>) -> Option<SummaryHit> {
        let (node, content) = found.summary?;
        let hit =
            Hit { node: node.clone(), depth: Some(found.depth), parent: None, rank: found.rank };
        Some(SummaryHit { hit, id: found.id.into(), content: *content })
    }

    fn id(&self) -> &Id {
        &self.id
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
pub(super) fn effective_order(ask: &Ask, used: Option<usize>) -> Order {
    let recent = match (&ask.groups[..], used) {
        ([group], Some(used)) => group.chains[used].recent,
        _ => false,
    };
    ask.order.unwrap_or(if recent { Order::Recent } else { Order::Path })
}
