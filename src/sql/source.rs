//! Where the rows of nodes come from: the hits of a plan, page by page.

use crate::db::View;
use crate::error::Result;
use crate::query::plan::Plan;
use crate::query::{Cursor, Hit};
use std::sync::Arc;

/// The hits of a plan at one moment, each with the cycle that its ttl is counted to.
pub(super) struct Source {
    view: Arc<View>,
    /// None for a range, which has no nodes.
    cursor: Option<Cursor<Hit>>,
}

impl Source {
    /// The hits of a plan for one state or for every snapshot.
    pub(super) fn new(view: Arc<View>, plan: &Plan) -> Source {
        Source { view, cursor: Cursor::new(plan) }
    }

    /// The next hits, at most so many; none at the end.
    pub(super) fn next(&mut self, most: usize) -> Result<Vec<(u64, Hit)>> {
        match &mut self.cursor {
            Some(cursor) => Ok(cursor.next(&*self.view, most)?),
            None => Ok(Vec::new()),
        }
    }
}
