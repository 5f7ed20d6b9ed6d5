//! What is found in two neighbours while they are compared, and its place in canonical order.

use crate::model::{Id, Lifetime, Place, Slot, Subtree};
use crate::query::eval::Hit;
use crate::query::range::difference::Change;
use std::sync::Arc;

/// A part, and what is found in it.
pub(super) struct LoadedPart {
    pub(super) nodes: Arc<Subtree>,
    pub(super) hits: Vec<Hit>,
}

/// A node whose ttl counts down.
pub(super) struct Countdown {
    pub(super) key: Key,
    pub(super) id: Id,
    pub(super) life: Lifetime,
}

/// A node that was found in one of two neighbours: one that was read, or the id of one that only
/// the turn index was asked for, and where it is.
pub(super) enum Item {
    Read(Hit),
    Indexed(Id, Place),
}

impl Item {
    /// The id of the node.
    pub(super) fn id(&self) -> &Id {
        match self {
            Item::Read(hit) => &hit.node.id,
            Item::Indexed(id, _) => id,
        }
    }
}

/// What two neighbours have and the other has not, and what is known to differ.
#[derive(Default)]
pub(super) struct StepFindings {
    pub(super) here: Vec<(Key, Item)>,
    pub(super) before: Vec<Item>,
    pub(super) changed: Vec<(Key, Change)>,
    /// What counts down from here on.
    pub(super) counting: Vec<Countdown>,
    /// What was read of the older one.
    pub(super) past: Vec<(Place, LoadedPart)>,
}

/// What counting down makes of a ttl from one snapshot to the next, if anything.
pub(super) fn ttl_change(id: &Id, life: Lifetime, newer: u64, older: u64) -> Option<Change> {
    let [newer, older] = [newer, older].map(|cycle| life.remaining(cycle));
    (newer != older).then(|| Change::Ttl { id: id.clone(), newer, older })
}

/// Where a hit stands in canonical order, whatever snapshot it was found in.
pub(super) type Key = (u8, Slot, u32);

pub(super) fn key(place: Place, index: u32) -> Key {
    let (region, slot) = place.order();
    (region, slot, index)
}

pub(super) fn keyed(place: Place, hits: Vec<Hit>) -> impl Iterator<Item = (Key, Item)> {
    hits.into_iter().map(move |hit| (key(place, hit.rank.1), Item::Read(hit)))
}
