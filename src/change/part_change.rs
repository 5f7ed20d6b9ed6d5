//! A part of the tree that a closed cycle changed.

use crate::lifecycle::Totals;
use crate::model::{Place, Subtree};
use std::sync::Arc;

/// A part of the tree that differs from the snapshot before.
#[derive(Debug, Clone)]
pub struct PartChange {
    /// Which part.
    pub place: Place,
    /// As it was; `None` if it was not there.
    pub old: Option<Arc<Subtree>>,
    /// As it is; `None` if it has gone.
    pub new: Option<Arc<Subtree>>,
    /// The hashes of a turn, before and after; the regions' are not needed again.
    pub hashes: [Option<[u8; 32]>; 2],
    /// Its totals, before and after.
    pub totals: [Totals; 2],
}
