//! Pages of the turn index, kept while one snapshot after the other is looked at, from the newest back.
//!
//! A page has the turns of 64 cycles in several versions, so neighbours in history are on it together. What
//! is asked of a turn is none of its business.

use super::timeline::{Moment, Read, Timeline};
use crate::index::SummaryPage;
use crate::model::Slot;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The most pages that are kept.
const MOST: usize = 256;

/// The pages that somebody has come to.
#[derive(Debug, Default)]
pub(super) struct TurnPages {
    /// Turns of which the index may lack a version.
    unindexed: BTreeSet<Slot>,
    /// By their numbers; none for a page that does not exist.
    pages: HashMap<(u64, u32), Option<Arc<SummaryPage>>>,
}

impl TurnPages {
    /// Pages for snapshots up to that of a cycle.
    pub(super) fn new(timeline: &dyn Timeline, cycle: u64) -> TurnPages {
        // What is not on pages is asked for first, so that pages have whatever is indexed meanwhile.
        TurnPages { unindexed: timeline.unindexed(cycle), pages: HashMap::new() }
    }

    /// Forgets pages of turns that were not there yet before a cycle.
    pub(super) fn forget(&mut self, cycle: u64) {
        if cycle.is_multiple_of(64) {
            self.pages.retain(|(first, _), _| first * 64 <= cycle);
        }
    }

    /// The page of a turn; none if the turn has to be read.
    pub(super) fn of(&mut self, slot: Slot, moment: &Moment<'_>) -> Read<Option<Arc<SummaryPage>>> {
        if self.unindexed.contains(&slot) {
            return Ok(None);
        }
        let Some(timeline) = moment.timeline else { return Ok(None) };
        if let Some(page) = self.pages.get(&slot.page()) {
            return Ok(page.clone());
        }
        if self.pages.len() >= MOST {
            self.pages.clear();
        }
        let page = timeline.summary_page(slot)?;
        self.pages.insert(slot.page(), page.clone());
        Ok(page)
    }
}
