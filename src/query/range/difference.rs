//! What differs between two states: with whole nodes, and as little as a range needs.

use super::fields::Difference;
use crate::model::Id;
use crate::query::eval::Hit;

/// What differs between two states.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// In the newer one only, in canonical order.
    pub(crate) added: Vec<Hit>,
    /// In the older one only, by id.
    pub(crate) removed: Vec<Hit>,
    /// In both with a difference, in the canonical order of the newer: newer, older, fields.
    pub(crate) changed: Vec<(Hit, Hit, Vec<Difference>)>,
}

/// What differs between two neighbours.
#[derive(Debug, Default)]
pub(crate) struct NeighbourDiff {
    /// In the newer one only, in canonical order.
    pub(crate) added: Vec<Id>,
    /// In the older one only, by id.
    pub(crate) removed: Vec<Id>,
    /// In both with a difference, in the canonical order of the newer.
    pub(crate) changed: Vec<Change>,
}

/// A node that is in both of two states, and not the same.
#[derive(Debug)]
pub(crate) enum Change {
    /// Only what remains of its ttl differs.
    Ttl {
        /// The node.
        id: Id,
        /// What remains in the newer state.
        newer: u64,
        /// What remains in the older one.
        older: u64,
    },
    /// These fields differ: newer, older, fields.
    Fields(Box<(Hit, Hit, Vec<Difference>)>),
}

impl From<Comparison> for NeighbourDiff {
    fn from(found: Comparison) -> NeighbourDiff {
        let ids = |hits: Vec<Hit>| hits.into_iter().map(|hit| hit.node.id.clone()).collect();
        let changed = found.changed.into_iter().map(|all| Change::Fields(Box::new(all)));
        NeighbourDiff {
            added: ids(found.added),
            removed: ids(found.removed),
            changed: changed.collect(),
        }
    }
}
