//! Where the rows of nodes come from: the hits of a plan, page by page.

use crate::db::View;
use crate::error::Result;
use crate::model::{ContentRef, Id};
use crate::query::plan::Plan;
use crate::query::{Cursor, Hit, SummaryHit};
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

/// A node that was found.
pub(super) struct Row {
    /// The cycle that its ttl is counted to.
    pub(super) cycle: u64,
    /// The node; of one that was not read, what the turn index has of it.
    pub(super) hit: Hit,
    /// Its id and its content.
    pub(super) id: Id,
    pub(super) content: Option<ContentRef>,
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

    /// The next hits, at most so many; none at the end.
    pub(super) fn next(&mut self, most: usize) -> Result<Vec<Row>> {
        let of = |(cycle, found): (u64, SummaryHit)| {
            let SummaryHit { hit, id, content } = found;
            Row { cycle, hit, id, content }
        };
        Ok(match &mut self.way {
            Way::Nodes(cursor) => {
                let page = cursor.next(&*self.view, most)?.into_iter();
                page.map(|(cycle, hit)| Row {
                    cycle,
                    id: hit.node.id.clone(),
                    content: hit.node.content,
                    hit,
                })
                .collect()
            }
            Way::Summaries(cursor) => cursor.next(&*self.view, most)?.into_iter().map(of).collect(),
            Way::Nothing => Vec::new(),
        })
    }
}
