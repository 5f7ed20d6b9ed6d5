//! What threads are made of, whatever the API.

use super::notes::Notes;
use super::unit::{Unit, label};
use crate::json::Json;
use crate::model::Id;

/// A piece of a thread, and the nodes that it is made of. Pieces follow each other.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    pub(super) ids: Vec<Id>,
    pub(super) value: Json,
    /// Whether it is an instruction that stands beside the messages.
    pub(super) beside: bool,
}

/// What stands for a result that is there and says nothing.
pub(super) fn empty_result(unit: &Unit, notes: &mut Notes) -> Json {
    notes.mended(unit, "is an empty result", "said as [empty]");
    Json::from("[empty]")
}

/// Notes a field of an imported record that the API has no place for.
pub(super) fn left_out(unit: &Unit, field: &str, notes: &mut Notes) {
    let what = format!("has the field {}, which this API does not take there", label(field));
    notes.mention(unit, &what, "left out");
}
