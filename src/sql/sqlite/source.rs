//! Where the rows of nodes come from: the hits of a plan, page by page.

use crate::db::View;
use crate::error::Result;
use crate::query::plan::Plan;
use crate::query::{Cursor, Hit, NodePage, SummaryHit};
use std::sync::Arc;

/// The hits of a plan at one moment.
pub(super) struct Source {
    view: Arc<View>,
    way: Way,
}

enum Way {
    Nodes(Cursor<Hit>),
    Summaries(Cursor<SummaryHit>),
    /// Of a range, which has no nodes.
    Nothing,
}

impl Source {
    /// The hits of a plan for one state or for every snapshot: whole nodes, or what the turn index
    /// has of them if that is enough.
    pub(super) fn new(view: Arc<View>, plan: &Plan, whole: bool) -> Source {
        let way = match whole {
            true => Cursor::new(plan).map(Way::Nodes),
            false => Cursor::new(plan).map(Way::Summaries),
        };
        Source { view, way: way.unwrap_or(Way::Nothing) }
    }

    /// Puts the next hits on a page in place of what is there, about so many; none at the end.
    pub(super) fn fill(&mut self, about: usize, page: &mut NodePage<SummaryHit>) -> Result<()> {
        match &mut self.way {
            Way::Nodes(cursor) => {
                let mut whole = NodePage::new();
                cursor.fill(&*self.view, about, &mut whole)?;
                *page = whole.map(SummaryHit::Whole);
            }
            Way::Summaries(cursor) => cursor.fill(&*self.view, about, page)?,
            Way::Nothing => page.nodes.clear(),
        }
        Ok(())
    }
}
