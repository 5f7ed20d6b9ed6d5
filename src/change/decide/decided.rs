//! A decision: what is to happen, all of it.

use crate::change::Event;
use crate::json::Json;
use crate::model::Id;

/// An edit that may happen: its event, the contents that come with it, and the ids to report.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// What is to happen.
    pub event: Event,
    /// The contents that the event introduces, as its parts 1, 2, …
    pub contents: Vec<Json>,
    /// The nodes concerned, in result order.
    pub ids: Vec<Id>,
}
