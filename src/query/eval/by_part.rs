//! A local question, asked of single parts: by the turn index where that has the answer, else by reading.

use super::from_index::TemplateQuery;
use super::local::ends_of_all;
use super::results::{FoundId, ResultItem, Wants, hits};
use super::scope::rank_of;
use super::walk::{Flat, read_part};
use crate::model::Place;
use crate::query::plan::{Ask, Depends};
use crate::query::timeline::{Moment, Read};
use crate::query::turn_pages::TurnPages;

/// A local question that is asked of one part after the other, at moments with the same root and `^seq`.
pub(crate) struct ByPart {
    /// Without a window.
    pub(crate) ask: Ask,
    /// The same for templates, if they answer it; none as long as nobody asked.
    templates: Option<Option<TemplateQuery>>,
}

impl ByPart {
    /// A question that is about to be asked.
    pub(crate) fn new(ask: Ask) -> ByPart {
        ByPart { ask, templates: None }
    }

    /// Adds what it finds in a part, if that is there.
    pub(crate) fn find<T: ResultItem>(
        &mut self,
        place: Place,
        moment: &Moment<'_>,
        pages: &mut TurnPages,
        out: &mut Vec<T>,
    ) -> Read<()> {
        let Some((depth, rank)) = rank_of(place, moment) else { return Ok(()) };
        if T::WANTS == Wants::Ids && self.by_page(place, rank, moment, pages, out)? {
            return Ok(());
        }
        let part = read_part(moment, (place, depth, rank))?;
        let mut flat = Flat::shared(moment);
        flat.fill(std::iter::once(part), false);
        let mut ends = ends_of_all(&self.ask, &flat, moment)?;
        ends.retain(|item| flat.part(*item).is_some());
        out.extend(hits(&flat, ends).into_iter().map(T::of));
        Ok(())
    }

    /// Adds what the turn index knows of a turn; false if that is not enough.
    fn by_page<T: ResultItem>(
        &mut self,
        place: Place,
        rank: u64,
        moment: &Moment<'_>,
        pages: &mut TurnPages,
        out: &mut Vec<T>,
    ) -> Read<bool> {
        let ask = &self.ask;
        let templates = self.templates.get_or_insert_with(|| {
            let timeless = !Depends::of(ask).on_time();
            if timeless { TemplateQuery::of(ask, moment) } else { None }
        });
        let (Some(slot), Some(templates)) = (place.slot(), templates) else { return Ok(false) };
        let Some(page) = pages.of(slot, moment)? else { return Ok(false) };
        let Some(summary) = page.at(slot, moment.cycle) else { return Ok(false) };
        let before = out.len();
        for index in templates.matches(summary.template, moment)? {
            let id = summary.id(*index as usize).map(Into::into);
            let found = id.map(|id| FoundId { id, rank: (rank, *index) });
            let Some(item) = found.as_ref().and_then(T::from_id) else {
                out.truncate(before);
                return Ok(false);
            };
            out.push(item);
        }
        moment.note(|tally| tally.turns_from_index += 1);
        Ok(true)
    }
}
