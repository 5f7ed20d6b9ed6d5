//! What is found: whole nodes or ids alone, and their order (R7).

use super::walk::{Flat, Part, recency};
use crate::language::ast::Order;
use crate::model::{Id, Node};
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

/// What is taken of the nodes that are found.
pub(crate) trait ResultItem: Sized {
    /// Whether ids are enough, which the turn index has.
    const NEEDS_ONLY_IDS: bool;

    /// From a node that was read.
    fn of(hit: Hit) -> Self;

    /// From a node of a part that was read.
    fn in_part(part: &Part, index: u32, moment: &Moment<'_>) -> Self;

    /// From an id in the turn index; none if the node has to be read.
    fn from_index(rank: (u64, u32), id: &str) -> Option<Self>;

    /// Its id.
    fn id(&self) -> &Id;
}

impl ResultItem for Hit {
    const NEEDS_ONLY_IDS: bool = false;

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

    fn from_index(_: (u64, u32), _: &str) -> Option<Hit> {
        None
    }

    fn id(&self) -> &Id {
        &self.node.id
    }
}

impl ResultItem for FoundId {
    const NEEDS_ONLY_IDS: bool = true;

    fn of(hit: Hit) -> FoundId {
        FoundId { id: hit.node.id.clone(), rank: hit.rank }
    }

    fn in_part(part: &Part, index: u32, _: &Moment<'_>) -> FoundId {
        FoundId { id: part.nodes.node(index as usize).id.clone(), rank: (part.rank, index) }
    }

    fn from_index(rank: (u64, u32), id: &str) -> Option<FoundId> {
        Some(FoundId { id: id.into(), rank })
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
