//! Decides for each turn, by its summary in the turn index, whether it has to be loaded.

use super::strip::strip;
use super::templates::Templates;
use crate::index::Indexed;
use crate::json::Json;
use crate::model::{ContentRef, Id, Place, ReadError, Slot, Subtree};
use crate::query::eval::scope::Wanted;
use crate::query::eval::walk::check_other;
use crate::query::plan::{Chain, Check};
use crate::query::timeline::{Moment, Read};
use crate::snapshot::Body;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

/// A node that was found, without its headers.
#[derive(Debug, Clone)]
pub(crate) struct FoundId {
    pub(crate) id: Id,
    pub(crate) rank: (u64, u32),
}

/// What is to be done about a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It has to be read.
    Read,
    /// Nothing can be found in it.
    Skip,
    /// This many nodes were found in it, without reading it.
    Done(usize),
}

/// A chain as far as the turn index can answer it.
pub(crate) struct IndexEvaluator<'m> {
    moment: &'m Moment<'m>,
    templates: Templates<'m>,
    /// Whether what it finds is the answer, but for the contents.
    exact: bool,
    /// What must hold of the contents of the nodes that it finds.
    content_checks: Vec<Check>,
}

/// A node whose content decides.
struct Candidate {
    turn: usize,
    rank: (u64, u32),
    /// Where its id stands among those of all candidates.
    id: Range<usize>,
    content: Option<ContentRef>,
}

/// What is found while the summaries of some turns go by.
struct Pass<'p> {
    wanted: &'p [Wanted],
    /// The turns among these, in order, with their places in the list.
    turns: &'p [(Slot, usize)],
    /// Whether what the templates find is the answer, so that ids have to be kept.
    keeps_ids: bool,
    /// Whether contents decide.
    by_content: bool,
    /// Nodes that need no id, because they were found before.
    known: &'p dyn Fn((u64, u32)) -> bool,
    verdicts: Vec<Verdict>,
    found: Vec<FoundId>,
    candidates: Vec<Candidate>,
    /// The ids of all candidates, one behind the other.
    names: String,
    no_id: Id,
    error: Option<ReadError>,
}

impl<'m> IndexEvaluator<'m> {
    /// An evaluator of a chain for these parts.
    pub(crate) fn new(
        chain: &Chain,
        wanted: &[Wanted],
        moment: &'m Moment<'m>,
    ) -> IndexEvaluator<'m> {
        let depths = wanted.iter().map(|(_, depth, _)| *depth).filter(|depth| *depth > 0);
        let span = (depths.clone().min().unwrap_or(1), depths.max().unwrap_or(1));
        let (chain, exact, content_checks) = strip(chain, span);
        let templates = Templates::new(chain, moment.clone(), span.0);
        IndexEvaluator { moment, templates, exact, content_checks }
    }

    /// What is to be done about each of some parts; what was found in turns that need not be
    /// read, in their order, if `ids` are all that is wanted. Nodes that are `known` already come
    /// without their ids.
    pub(crate) fn evaluate(
        &mut self,
        wanted: &[Wanted],
        ids: bool,
        known: &dyn Fn((u64, u32)) -> bool,
    ) -> Read<(Vec<Verdict>, Vec<FoundId>)> {
        let mut turns: Vec<(Slot, usize)> = Vec::with_capacity(wanted.len());
        for (i, (place, ..)) in wanted.iter().enumerate() {
            if let Place::Turn(slot) = place {
                turns.push((*slot, i));
            }
        }
        turns.sort_unstable();
        let slots: Vec<Slot> = turns.iter().map(|(slot, _)| *slot).collect();
        let by_content = !self.content_checks.is_empty();
        let mut pass = Pass {
            wanted,
            turns: &turns,
            keeps_ids: self.exact && (ids || by_content),
            by_content,
            known,
            verdicts: vec![Verdict::Read; wanted.len()],
            found: Vec::new(),
            candidates: Vec::new(),
            names: String::new(),
            no_id: Id::from(""),
            error: None,
        };
        let moment = self.moment;
        let templates = RefCell::new(&mut self.templates);
        // What cannot be decided matters; the error comes up again where it is looked at closely.
        let mut matters = |template: &Arc<Subtree>| {
            templates.borrow_mut().matches(template).map_or(true, |matches| !matches.is_empty())
        };
        moment.summaries(&slots, by_content, &mut matters, &mut |i, indexed| {
            pass.turn(i, indexed, &templates);
        })?;
        let Pass { mut verdicts, mut found, candidates, names, error, .. } = pass;
        if let Some(error) = error {
            return Err(error);
        }
        if by_content {
            found = self.by_content(&candidates, &names, &mut verdicts, ids)?;
        }
        Ok((verdicts, found))
    }

    /// Keeps the candidates whose content is right.
    fn by_content(
        &self,
        candidates: &[Candidate],
        names: &str,
        verdicts: &mut [Verdict],
        ids: bool,
    ) -> Read<Vec<FoundId>> {
        for candidate in candidates {
            verdicts[candidate.turn] = Verdict::Skip;
        }
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by_key(|i| candidates[*i].content.map(|content| (content.seq, content.item)));
        let nothing = Json::Null;
        let mut passed = vec![false; candidates.len()];
        let bare = order.iter().filter(|i| candidates[**i].content.is_none());
        for i in bare {
            passed[*i] = self.content_checks.iter().all(|check| check_other(&nothing, check));
        }
        order.retain(|i| candidates[*i].content.is_some());
        let list: Vec<ContentRef> = order.iter().filter_map(|i| candidates[*i].content).collect();
        self.moment.note(|tally| tally.contents += list.len() as u64);
        self.moment.contents.each(&list, &mut |i, body| {
            passed[order[i]] = self.content_checks.iter().all(|check| check_body(&body, check));
        })?;
        let mut found = Vec::new();
        for (candidate, _) in candidates.iter().zip(passed).filter(|(_, passed)| *passed) {
            let verdict = &mut verdicts[candidate.turn];
            *verdict = match *verdict {
                _ if !ids => Verdict::Read,
                Verdict::Done(count) => Verdict::Done(count + 1),
                _ => Verdict::Done(1),
            };
            if ids {
                let id = names[candidate.id.clone()].into();
                found.push(FoundId { id, rank: candidate.rank });
            }
        }
        Ok(found)
    }
}

fn check_body(body: &Body<'_>, check: &Check) -> bool {
    match (body, check) {
        (Body::Text(text), Check::Match(pattern)) => pattern.is_match(text),
        (Body::Text(text), check) => check_other(&Json::from(*text), check),
        (Body::Json(value), check) => check_other(value, check),
    }
}

impl Pass<'_> {
    /// Takes what the index has of a turn, by its number in the list of turns.
    fn turn(&mut self, i: usize, indexed: Indexed<'_>, templates: &RefCell<&mut Templates<'_>>) {
        let (turn, rank) = (self.turns[i].1, self.wanted[self.turns[i].1].2);
        let summary = match indexed {
            Indexed::No => return,
            Indexed::CannotMatch => {
                self.verdicts[turn] = Verdict::Skip;
                return;
            }
            Indexed::Summary(summary) => summary,
        };
        let matches = match templates.borrow_mut().matches(summary.template) {
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
        if !self.keeps_ids {
            return;
        }
        let before = (self.found.len(), self.candidates.len());
        for index in matches.iter() {
            let rank = (rank, *index);
            let Some(id) = summary.id(*index as usize) else {
                // The index does not have all ids of this turn, so it is read.
                self.found.truncate(before.0);
                self.candidates.truncate(before.1);
                return;
            };
            if !self.by_content {
                let id = if (self.known)(rank) { self.no_id.clone() } else { id.into() };
                self.found.push(FoundId { id, rank });
            } else {
                let (from, content) = (self.names.len(), summary.content(*index as usize));
                self.names.push_str(id);
                let id = from..self.names.len();
                self.candidates.push(Candidate { turn, rank, id, content });
            }
        }
        self.verdicts[turn] = Verdict::Done(matches.len());
    }
}
