//! Where the rows of nodes come from: the hits of a plan, page by page.

use crate::db::View;
use crate::error::Result;
use crate::query::plan::Plan;
use crate::query::{Hit, hits_of};
use std::sync::Arc;

/// The hits of a plan at one moment, each with the cycle that its ttl is counted to.
pub(super) struct Source {
    view: Arc<View>,
    plan: Option<Plan>,
    found: std::vec::IntoIter<(u64, Hit)>,
}

impl Source {
    /// The hits of a plan for one state or for every snapshot.
    pub(super) fn new(view: Arc<View>, plan: Plan) -> Source {
        Source { view, plan: Some(plan), found: Vec::new().into_iter() }
    }

    /// The next hits, at most so many; none at the end.
    pub(super) fn next(&mut self, most: usize) -> Result<Vec<(u64, Hit)>> {
        if let Some(plan) = self.plan.take() {
            self.found = hits_of(&*self.view, &plan)?.into_iter();
        }
        Ok(self.found.by_ref().take(most).collect())
    }
}
