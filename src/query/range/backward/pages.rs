//! Turns compared by their pages of the turn index, without loading them.
//!
//! Where the templates of turns answer the question, their pages say which nodes came, went and
//! stayed. A turn is read only where something else happened to a node.

use super::findings::{Countdown, Item, StepFindings, key, ttl_change};
use crate::index::{SummaryPage, TurnSummary};
use crate::model::{ChangedPart, Id, Place, Slot};
use crate::query::eval::TemplateQuery;
use crate::query::timeline::{Read, Timeline};
use smallvec::SmallVec;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The pages of the turn index that a scan has come to, and the question that they answer.
pub(super) struct IndexPages<'a> {
    question: TemplateQuery<'a>,
    /// Turns of which the index may lack a version.
    unindexed: BTreeSet<Slot>,
    /// By their numbers; none for a page that does not exist.
    pages: HashMap<(u64, u32), Option<Arc<SummaryPage>>>,
}

/// Nodes of a turn in the index: their places in it, and their ids.
type Nodes<'p> = SmallVec<[(u32, &'p str); 8]>;

impl<'a> IndexPages<'a> {
    /// The pages for a question, as of a cycle; none if templates do not answer it.
    pub(super) fn new(
        question: Option<TemplateQuery<'a>>,
        timeline: &dyn Timeline,
        cycle: u64,
    ) -> Option<IndexPages<'a>> {
        // What is not on pages is asked for first, so that pages have whatever is indexed meanwhile.
        let unindexed = timeline.unindexed(cycle);
        question.map(|question| IndexPages { question, unindexed, pages: HashMap::new() })
    }

    /// Forgets pages of turns that were not there yet before a cycle.
    pub(super) fn forget(&mut self, cycle: u64) {
        if cycle.is_multiple_of(64) {
            self.pages.retain(|(first, _), _| first * 64 <= cycle);
        }
    }

    /// The nodes of a turn that the question finds, an empty list if the turn is not there; none if
    /// the index does not have their ids.
    fn nodes<'p>(&mut self, summary: Option<TurnSummary<'p>>) -> Read<Option<Nodes<'p>>> {
        let Some(summary) = summary else { return Ok(Some(Nodes::new())) };
        let matches = self.question.matches(summary.template)?;
        let node = |index: &u32| Some((*index, summary.id(*index as usize)?));
        Ok(matches.iter().map(node).collect())
    }

    /// The page of a turn; none if the turn has to be read.
    fn of(&mut self, slot: Slot, timeline: &dyn Timeline) -> Read<Option<Arc<SummaryPage>>> {
        if self.unindexed.contains(&slot) {
            return Ok(None);
        }
        if let Some(page) = self.pages.get(&slot.page()) {
            return Ok(page.clone());
        }
        let page = timeline.summary_page(slot)?;
        self.pages.insert(slot.page(), page.clone());
        Ok(page)
    }

    /// Compares a changed turn by its page. False if the index does not say enough: a node of it
    /// stayed, and something else than its ttl may differ.
    pub(super) fn compare(
        &mut self,
        part: &ChangedPart,
        slot: Slot,
        timeline: &dyn Timeline,
        (newer, older): (u64, u64),
        found: &mut StepFindings,
    ) -> Read<bool> {
        let place = part.place;
        let Some(page) = self.of(slot, timeline)? else { return Ok(false) };
        let now = part.after.then(|| page.at(slot, newer));
        let then = part.before.then(|| page.at(slot, older));
        let (Some(now), Some(then)) = (settled(now), settled(then)) else { return Ok(false) };
        let (here, before) = (self.nodes(now)?, self.nodes(then)?);
        let (Some(here), Some(mut before)) = (here, before) else { return Ok(false) };
        let stays =
            |index: u32| now.is_some_and(|now| now.from == newer && now.is_same(index as usize));
        let stayed = |id: &str, before: &[(u32, &str)]| before.iter().position(|(_, o)| *o == id);
        if here.iter().any(|(index, id)| stayed(id, &before).is_some() && !stays(*index)) {
            return Ok(false);
        }
        for (index, id) in &before {
            if let Some(life) = then.and_then(|then| then.life(*index as usize)) {
                let key = key(place, *index);
                found.counting.push(Countdown { key, id: Id::from(*id), life });
            }
        }
        for (index, id) in here {
            let key = key(place, index);
            match stayed(id, &before) {
                Some(at) => {
                    before.swap_remove(at);
                    let life = now.and_then(|now| now.life(index as usize));
                    let change = life.and_then(|life| ttl_change(&id.into(), life, newer, older));
                    found.changed.extend(change.map(|change| (key, change)));
                }
                None => found.here.push((key, Item::Indexed(id.into(), place))),
            }
        }
        let gone = before.into_iter().map(|(_, id)| Item::Indexed(id.into(), place));
        found.before.extend(gone);
        Ok(true)
    }

    /// The countdowns of a turn, if the index has it.
    pub(super) fn countdowns(
        &mut self,
        slot: Slot,
        timeline: &dyn Timeline,
        cycle: u64,
    ) -> Read<Option<Vec<Countdown>>> {
        let Some(page) = self.of(slot, timeline)? else { return Ok(None) };
        let Some(summary) = page.at(slot, cycle) else { return Ok(None) };
        let matches = self.question.matches(summary.template)?;
        let countdowns = matches.iter().filter_map(|index| {
            let life = summary.life(*index as usize)?;
            let id = Id::from(summary.id(*index as usize)?);
            Some(Countdown { key: key(Place::Turn(slot), *index), id, life })
        });
        Ok(Some(countdowns.collect()))
    }
}

/// A turn that is not there needs no summary, and is settled without one; one that is there needs it.
fn settled<T>(summary: Option<Option<T>>) -> Option<Option<T>> {
    match summary {
        None => Some(None),
        Some(summary) => summary.map(Some),
    }
}
