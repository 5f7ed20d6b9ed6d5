//! The commit sequence (R4): what a commit removes, and how it seals the head.
//!
//! The order is fixed, and each step may rely on the one before it. Expiry comes first, because a
//! node that is due must not count against a limit. Reference safety is part of expiry: it decides
//! which due nodes stay. Cascade follows, since only then is it known which containers have become
//! empty. Pruning looks at what is left, and cascades again. Sealing comes last, so the new turn
//! holds only what survived.
//!
//! Everything here is a pure function of the tree and the arguments; nothing knows of events.

mod cascade;
mod expire;
mod policy;
mod prune;
mod seal;
mod sweep;
mod turns;

pub use policy::{Policy, Region, RegionTotals, Totals};
pub use prune::prunable;
pub use seal::{Sealing, adopt_loose_blocks};
pub use sweep::{Hints, Sweep};

use crate::model::{Id, Place, ReadError, Tree};
use std::collections::BTreeSet;

/// What a commit removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removed {
    /// The topmost nodes that expired, in canonical order.
    pub expired: Vec<Id>,
    /// Removable containers that became empty, in the canonical order from before the commit.
    pub cascaded: Vec<Id>,
    /// Turns and blocks that policies removed, in the order in which they went.
    pub pruned: Vec<Id>,
}

/// What a commit makes of a tree.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The tree of the snapshot.
    pub tree: Tree,
    /// What was removed.
    pub removed: Removed,
    /// Places with nodes that are due but were spared for a reference.
    pub spared: BTreeSet<Place>,
}

/// What limits a commit.
pub struct Limits<'a> {
    /// The policies in force.
    pub policies: &'a [Policy],
    /// Totals of the snapshot before.
    pub totals: &'a RegionTotals,
}

/// Runs the commit sequence on a tree, up to the snapshot. `hints` names nodes that may refer to
/// a node; what they refer to is looked up in the tree.
pub fn commit(
    tree: Tree,
    sealing: Sealing,
    limits: Limits<'_>,
    hints: Hints<'_>,
) -> Result<Outcome, ReadError> {
    let mut sweep = Sweep::new(tree, hints);
    let (expired, spared) = expire::expire(&mut sweep, sealing.cycle)?;
    let mut cascaded = cascade::cascade(&mut sweep)?;
    let Limits { policies, totals } = limits;
    let pruned = prune::prune(&mut sweep, policies, totals)?;
    if !pruned.is_empty() {
        cascaded.extend(cascade::cascade(&mut sweep)?);
    }
    let cascaded = sweep.in_starting_order(cascaded)?;
    let mut tree = sweep.into_tree();
    seal::seal(&mut tree, sealing)?;
    Ok(Outcome { tree, removed: Removed { expired, cascaded, pruned }, spared })
}
