//! What is found: whole nodes or ids alone, and their order (R7).

use super::from_index::FoundId;
use super::walk::{Flat, recency};
use crate::language::ast::Order;
use crate::model::{Id, Node};
use crate::query::plan::Ask;
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

/// What is taken of the nodes that are found.
pub(super) trait ResultItem: Sized {
    /// Whether ids are enough, which the turn index has.
    const NEEDS_ONLY_IDS: bool;

    /// From a node that was read; none for a virtual one.
    fn of(flat: &Flat, item: usize) -> Option<Self>;

    /// From an id in the turn index; none if the node has to be read.
    fn from_index(found: FoundId) -> Option<Self>;

    /// Its place in the canonical order of its tree.
    fn rank(&self) -> (u64, u32);

    /// Puts nodes in order, each once.
    fn arrange(list: &mut Vec<Self>, order: Order);
}

impl ResultItem for Hit {
    const NEEDS_ONLY_IDS: bool = false;

    fn of(flat: &Flat, item: usize) -> Option<Hit> {
        Some(Hit {
            node: flat.node(item)?.clone(),
            depth: flat.depth(item),
            parent: flat.parent_id(item),
            rank: flat.rank(item),
        })
    }

    fn from_index(_: FoundId) -> Option<Hit> {
        None
    }

    fn rank(&self) -> (u64, u32) {
        self.rank
    }

    fn arrange(list: &mut Vec<Hit>, order: Order) {
        arrange(list, order);
    }
}

impl ResultItem for FoundId {
    const NEEDS_ONLY_IDS: bool = true;

    fn of(flat: &Flat, item: usize) -> Option<FoundId> {
        Some(FoundId { id: flat.node(item)?.id.clone(), rank: flat.rank(item) })
    }

    fn from_index(found: FoundId) -> Option<FoundId> {
        Some(found)
    }

    fn rank(&self) -> (u64, u32) {
        self.rank
    }

    fn arrange(list: &mut Vec<FoundId>, order: Order) {
        if !list.is_sorted_by(|a, b| a.rank < b.rank) {
            list.sort_unstable_by_key(|found| found.rank);
            list.dedup_by_key(|found| found.rank);
        }
        if order == Order::Id {
            list.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        }
    }
}

pub(super) fn hits(flat: &Flat, ends: Vec<usize>) -> Vec<Hit> {
    ends.into_iter().filter_map(|item| Hit::of(flat, item)).collect()
}

/// The order of a result, given which chain of the last group had one.
pub(super) fn effective_order(ask: &Ask, used: Option<usize>) -> Order {
    let recent = match (&ask.groups[..], used) {
        ([group], Some(used)) => group.chains[used].recent,
        _ => false,
    };
    ask.order.unwrap_or(if recent { Order::Recent } else { Order::Path })
}

/// The order to read parts in and the number of hits after which the rest of a chain cannot matter.
pub(super) fn early_stop(ask: &Ask, chain: usize) -> Option<(Order, u64)> {
    let order = effective_order(ask, Some(chain));
    ask.window.enough().filter(|_| order != Order::Id).map(|enough| (order, enough))
}
