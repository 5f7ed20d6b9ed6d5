//! What is known of turns without reading them, for a walk back through snapshots.

use crate::index::{SummaryPage, TurnSummary};
use crate::model::{ReadError, Slot};
use crate::query::eval::Timeless;
use crate::query::timeline::Timeline;
use smallvec::SmallVec;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// What is known of turns without reading them.
pub(super) struct Pages<'a> {
    pub(super) question: Timeless<'a>,
    /// Turns of which not everything is.
    unknown: BTreeSet<Slot>,
    /// By their numbers.
    known: HashMap<(u64, u32), Option<Arc<SummaryPage>>>,
}

/// Nodes of a sketch: indexes and ids.
pub(super) type Nodes<'p> = SmallVec<[(u32, &'p str); 8]>;

impl<'a> Pages<'a> {
    /// The pages for a question, as of a cycle; none if templates do not answer it.
    pub(super) fn new(
        question: Option<Timeless<'a>>,
        timeline: &dyn Timeline,
        cycle: u64,
    ) -> Option<Pages<'a>> {
        // What is not on pages first, so that pages have whatever leaves it meanwhile.
        let unknown = timeline.unpaged(cycle);
        question.map(|question| Pages { question, unknown, known: HashMap::new() })
    }

    /// Forgets pages of turns that were not there yet before a cycle.
    pub(super) fn forget(&mut self, cycle: u64) {
        if cycle.is_multiple_of(64) {
            self.known.retain(|(first, _), _| first * 64 <= cycle);
        }
    }

    /// The nodes of a sketch that are found, none if there is no sketch; none at all if it does
    /// not have their ids.
    pub(super) fn nodes<'p>(
        &mut self,
        sketch: Option<TurnSummary<'p>>,
    ) -> Result<Option<Nodes<'p>>, ReadError> {
        let Some(sketch) = sketch else { return Ok(Some(Nodes::new())) };
        let matches = self.question.matches(sketch.template)?;
        let node = |index: &u32| Some((*index, sketch.id(*index as usize)?));
        Ok(matches.iter().map(node).collect())
    }

    /// The page of a turn; none if the turn has to be read.
    pub(super) fn of(
        &mut self,
        slot: Slot,
        timeline: &dyn Timeline,
    ) -> Result<Option<Arc<SummaryPage>>, ReadError> {
        if self.unknown.contains(&slot) {
            return Ok(None);
        }
        if let Some(known) = self.known.get(&slot.page()) {
            return Ok(known.clone());
        }
        let page = timeline.page(slot)?;
        self.known.insert(slot.page(), page.clone());
        Ok(page)
    }
}
