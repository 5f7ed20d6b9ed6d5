//! Turns compared by their pages of the turn index, without loading them.
//!
//! Where the templates of turns answer the question, their pages say which nodes came, went and
//! stayed. A turn is read only where something else happened to a node.

use super::findings::{Countdown, Item, StepFindings, key, ttl_change};
use crate::index::TurnSummary;
use crate::model::{ChangedPart, Id, Place, Slot};
use crate::query::eval::TemplateQuery;
use crate::query::timeline::{Moment, Read, Timeline};
use crate::query::turn_pages::TurnPages;
use smallvec::SmallVec;

/// The pages of the turn index that a scan has come to, and the question that they answer.
pub(super) struct IndexPages {
    question: TemplateQuery,
    pages: TurnPages,
}

/// Nodes of a turn in the index: their places in it, and their ids.
type Nodes<'p> = SmallVec<[(u32, &'p str); 8]>;

impl IndexPages {
    /// The pages for a question, as of a cycle; none if templates do not answer it.
    pub(super) fn new(
        question: Option<TemplateQuery>,
        timeline: &dyn Timeline,
        cycle: u64,
    ) -> Option<IndexPages> {
        question.map(|question| IndexPages { question, pages: TurnPages::new(timeline, cycle) })
    }

    /// Forgets pages of turns that were not there yet before a cycle.
    pub(super) fn forget(&mut self, cycle: u64) {
        self.pages.forget(cycle);
    }

    /// The nodes of a turn that the question finds, an empty list if the turn is not there; none if
    /// the index does not have their ids.
    fn nodes<'p>(
        &mut self,
        summary: Option<TurnSummary<'p>>,
        moment: &Moment<'_>,
    ) -> Read<Option<Nodes<'p>>> {
        let Some(summary) = summary else { return Ok(Some(Nodes::new())) };
        let matches = self.question.matches(summary.template, moment)?;
        let node = |index: &u32| Some((*index, summary.id(*index as usize)?));
        Ok(matches.iter().map(node).collect())
    }

    /// Compares a changed turn by its page. False if the index does not say enough: a node of it
    /// stayed, and something else than its ttl may differ.
    pub(super) fn compare(
        &mut self,
        part: &ChangedPart,
        slot: Slot,
        moment: &Moment<'_>,
        (newer, older): (u64, u64),
        found: &mut StepFindings,
    ) -> Read<bool> {
        let place = part.place;
        let Some(page) = self.pages.of(slot, moment)? else { return Ok(false) };
        let now = part.after.then(|| page.at(slot, newer));
        let then = part.before.then(|| page.at(slot, older));
        let (Some(now), Some(then)) = (settled(now), settled(then)) else { return Ok(false) };
        let (here, before) = (self.nodes(now, moment)?, self.nodes(then, moment)?);
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
        moment: &Moment<'_>,
        cycle: u64,
    ) -> Read<Option<Vec<Countdown>>> {
        let Some(page) = self.pages.of(slot, moment)? else { return Ok(None) };
        let Some(summary) = page.at(slot, cycle) else { return Ok(None) };
        let matches = self.question.matches(summary.template, moment)?;
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
