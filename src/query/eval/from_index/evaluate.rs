//! Decides for each turn, by its summary in the turn index, whether it has to be loaded.

use super::strip::strip;
use super::templates::Templates;
use crate::index::Indexed;
use crate::json::Json;
use crate::model::{ContentRef, Place, ReadError, Slot, Subtree};
use crate::query::eval::index_hits::IndexHits;
use crate::query::eval::results::Wants;
use crate::query::eval::scope::Wanted;
use crate::query::eval::walk::check_other;
use crate::query::plan::{Chain, Check};
use crate::query::timeline::{Moment, Read};
use crate::snapshot::Body;
use std::cell::RefCell;
use std::sync::Arc;

/// What is to be done about a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It has to be read.
    Read,
    /// Nothing can be found in it.
    Skip,
    /// These nodes were found in it without reading it: the number of the first, and how many.
    Found(u32, u32),
}

/// A chain as far as the turn index can answer it.
pub(crate) struct IndexEvaluator {
    templates: Templates,
    /// Whether what it finds is the answer, but for the contents.
    exact: bool,
    /// What must hold of the contents of the nodes that it finds.
    content_checks: Vec<Check>,
}

/// What is found while the summaries of some turns go by.
struct Pass<'p> {
    /// The turns, in order, with their places in the list.
    turns: &'p [(Slot, usize)],
    moment: &'p Moment<'p>,
    /// Whether what the templates find is the answer.
    exact: bool,
    /// What is wanted of what is found.
    wants: Wants,
    /// Whether contents decide.
    by_content: bool,
    verdicts: Vec<Verdict>,
    hits: IndexHits,
    /// Of each node that was found, its content and the place of its turn in the list, where contents
    /// decide.
    contents: Vec<(usize, Option<ContentRef>)>,
    error: Option<ReadError>,
}

impl IndexEvaluator {
    /// An evaluator of a chain for turns of these depths, the least and the greatest.
    pub(crate) fn new(chain: &Chain, depths: (i64, i64), moment: &Moment<'_>) -> IndexEvaluator {
        let (chain, exact, content_checks) = strip(chain, depths);
        let templates = Templates::new(chain, moment, depths.0);
        IndexEvaluator { templates, exact, content_checks }
    }

    /// What is to be done about each of some parts. What was found in turns that need not be read
    /// goes to `hits`, with what is wanted of it.
    pub(crate) fn evaluate(
        &mut self,
        wanted: &[Wanted],
        wants: Wants,
        moment: &Moment<'_>,
        hits: &mut IndexHits,
    ) -> Read<Vec<Verdict>> {
        let mut turns: Vec<(Slot, usize)> = Vec::with_capacity(wanted.len());
        for (i, (place, ..)) in wanted.iter().enumerate() {
            if let Place::Turn(slot) = place {
                turns.push((*slot, i));
            }
        }
        turns.sort_unstable();
        let slots: Vec<Slot> = turns.iter().map(|(slot, _)| *slot).collect();
        let by_content = !self.content_checks.is_empty();
        hits.clear();
        let mut pass = Pass {
            turns: &turns,
            moment,
            exact: self.exact,
            wants,
            by_content,
            verdicts: vec![Verdict::Read; wanted.len()],
            hits: std::mem::take(hits),
            contents: Vec::new(),
            error: None,
        };
        let templates = RefCell::new(&mut self.templates);
        // What cannot be decided matters; the error comes up again where it is looked at closely.
        let mut matters = |template: &Arc<Subtree>| {
            let mut templates = templates.borrow_mut();
            templates.matches(template, moment).map_or(true, |matches| !matches.is_empty())
        };
        let contents = by_content || wants == Wants::Summaries;
        moment.summaries(&slots, contents, &mut matters, &mut |i, indexed| {
            pass.turn(i, indexed, &mut templates.borrow_mut());
        })?;
        let Pass { mut verdicts, hits: found, contents, error, .. } = pass;
        *hits = found;
        if let Some(error) = error {
            return Err(error);
        }
        if by_content {
            self.keep_by_content(&contents, moment, &mut verdicts, hits)?;
        }
        Ok(verdicts)
    }

    /// Keeps the nodes whose content is right.
    fn keep_by_content(
        &self,
        contents: &[(usize, Option<ContentRef>)],
        moment: &Moment<'_>,
        verdicts: &mut [Verdict],
        hits: &mut IndexHits,
    ) -> Read<()> {
        let mut order: Vec<usize> = (0..contents.len()).collect();
        order.sort_by_key(|i| contents[*i].1.map(|content| (content.seq, content.item)));
        let nothing = Json::Null;
        let mut passed = vec![false; contents.len()];
        for i in order.iter().filter(|i| contents[**i].1.is_none()) {
            passed[*i] = self.content_checks.iter().all(|check| check_other(&nothing, check));
        }
        order.retain(|i| contents[*i].1.is_some());
        let list: Vec<ContentRef> = order.iter().filter_map(|i| contents[*i].1).collect();
        moment.note(|tally| tally.contents += list.len() as u64);
        moment.contents.each(&list, &mut |i, body| {
            passed[order[i]] = self.content_checks.iter().all(|check| check_body(&body, check));
        })?;
        for (turn, _) in contents {
            verdicts[*turn] = Verdict::Skip;
        }
        let kept = contents.iter().zip(&passed).filter_map(|(of, passed)| passed.then_some(of));
        for (number, (turn, _)) in (0..).zip(kept) {
            let verdict = &mut verdicts[*turn];
            *verdict = match *verdict {
                Verdict::Found(first, count) => Verdict::Found(first, count + 1),
                _ => Verdict::Found(number, 1),
            };
        }
        hits.retain(&passed);
        Ok(())
    }
}

fn check_body(body: &Body<'_>, check: &Check) -> bool {
    match (body, check) {
        (Body::Text(text), Check::Match(pattern)) => pattern.is_match(text),
        (Body::Text(text), Check::NotMatch(pattern)) => !pattern.is_match(text),
        (Body::Text(text), check) => check_other(&Json::from(*text), check),
        (Body::Json(value), check) => check_other(value, check),
    }
}

impl Pass<'_> {
    /// Takes what the index has of a turn, by its number in the list of turns.
    fn turn(&mut self, i: usize, indexed: Indexed<'_>, templates: &mut Templates) {
        let turn = self.turns[i].1;
        let summary = match indexed {
            Indexed::No => return,
            Indexed::CannotMatch => {
                self.verdicts[turn] = Verdict::Skip;
                return;
            }
            Indexed::Summary(summary) => summary,
        };
        let matches = match templates.matches(summary.template, self.moment) {
            Ok(matches) => matches,
            Err(reason) => {
                self.error.get_or_insert(reason);
                return;
            }
        };
        if matches.is_empty() {
            self.verdicts[turn] = Verdict::Skip;
            return;
        }
        if !self.exact {
            return;
        }
        let first = self.hits.len();
        if self.wants == Wants::Summaries {
            self.hits.keep_turn(&summary);
        }
        for index in matches {
            let at = *index as usize;
            let Some(id) = summary.id(at) else {
                // The index does not have all ids of this turn, so it is read.
                self.hits.truncate(first);
                self.contents.truncate(first);
                return;
            };
            match self.wants {
                Wants::Nodes => self.hits.push(*index, ""),
                Wants::Ids => self.hits.push(*index, id),
                Wants::Summaries => self.hits.push_kept(*index),
            }
            if self.by_content {
                self.contents.push((turn, summary.content(at)));
            }
        }
        self.verdicts[turn] = Verdict::Found(first as u32, matches.len() as u32);
    }
}
