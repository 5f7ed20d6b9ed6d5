//! Turns that are not read: what their sketches decide.
//!
//! The tests of a chain that a template can answer are *formal*. Without the others a chain finds
//! at least what the whole chain does, so a turn in whose template it finds nothing can be left
//! out. If nothing was left off, what it finds is the answer; if only tests of the content of the
//! last nodes were, the contents decide, and are read in the order of the log.

use super::compare::check_other;
use super::scope::Wanted;
use super::templates::{Templates, strip};
use crate::index::Indexed;
use crate::json::Json;
use crate::model::{ContentRef, Id, Place, ReadError, Slot, Subtree};
use crate::query::plan::{Chain, Check};
use crate::query::timeline::Moment;
use crate::snapshot::Body;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

/// A node that was found, without its headers.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) id: Id,
    pub(super) rank: (u64, u32),
}

/// What is to be done about a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It has to be read.
    Read,
    /// Nothing can be found in it.
    Skip,
    /// This many nodes were found in it, without reading it.
    Done(usize),
}

/// A chain as far as templates can answer it.
pub(super) struct Formal<'m> {
    moment: &'m Moment<'m>,
    templates: Templates<'m>,
    /// Whether what it finds is the answer, but for the contents.
    exact: bool,
    /// What must hold of the contents of the nodes that it finds.
    late: Vec<Check>,
}

/// A node whose content decides.
struct Candidate {
    turn: usize,
    rank: (u64, u32),
    /// Where its id stands among those of all candidates.
    id: Range<usize>,
    content: Option<ContentRef>,
}

impl<'m> Formal<'m> {
    /// The formal part of a chain for these parts.
    pub(super) fn new(chain: &Chain, wanted: &[Wanted], moment: &'m Moment<'m>) -> Formal<'m> {
        let depths = wanted.iter().map(|(_, depth, _)| *depth).filter(|depth| *depth > 0);
        let span = (depths.clone().min().unwrap_or(1), depths.max().unwrap_or(1));
        let (chain, exact, late) = strip(chain, span);
        let templates = Templates::new(chain, moment.clone(), span.0);
        Formal { moment, templates, exact, late }
    }

    /// What is to be done about each of some parts; what was found in turns that need not be
    /// read, in their order, if `ids` are all that is wanted. Nodes that are `known` already come
    /// without their ids.
    pub(super) fn judge(
        &mut self,
        wanted: &[Wanted],
        ids: bool,
        known: &dyn Fn((u64, u32)) -> bool,
    ) -> Result<(Vec<Verdict>, Vec<Found>), ReadError> {
        let mut turns: Vec<(Slot, usize)> = Vec::with_capacity(wanted.len());
        for (i, (place, ..)) in wanted.iter().enumerate() {
            if let Place::Turn(slot) = place {
                turns.push((*slot, i));
            }
        }
        turns.sort_unstable();
        let slots: Vec<Slot> = turns.iter().map(|(slot, _)| *slot).collect();
        let mut verdicts = vec![Verdict::Read; wanted.len()];
        let (mut found, mut candidates, mut error) = (Vec::new(), Vec::new(), None);
        let (mut names, nameless) = (String::new(), Id::from(""));
        let (moment, exact, late) = (self.moment, self.exact, !self.late.is_empty());
        let templates = RefCell::new(&mut self.templates);
        // What cannot be decided matters; the error comes up again where it is looked at closely.
        let mut matters = |template: &Arc<Subtree>| {
            templates.borrow_mut().matches(template).map_or(true, |matches| !matches.is_empty())
        };
        moment.sketches(&slots, late, &mut matters, &mut |i, glance| {
            let (turn, rank) = (turns[i].1, wanted[turns[i].1].2);
            let sketch = match glance {
                Indexed::No => return,
                Indexed::CannotMatch => {
                    verdicts[turn] = Verdict::Skip;
                    return;
                }
                Indexed::Summary(sketch) => sketch,
            };
            let matches = match templates.borrow_mut().matches(sketch.template) {
                Ok(matches) => matches,
                Err(reason) => {
                    error.get_or_insert(reason);
                    return;
                }
            };
            if matches.is_empty() {
                verdicts[turn] = Verdict::Skip;
            } else if exact && (ids || late) {
                let before = (found.len(), candidates.len());
                for index in matches.iter() {
                    let rank = (rank, *index);
                    let Some(id) = sketch.id(*index as usize) else {
                        // It is not known well enough, and is read.
                        found.truncate(before.0);
                        candidates.truncate(before.1);
                        return;
                    };
                    if !late {
                        let id = if known(rank) { nameless.clone() } else { id.into() };
                        found.push(Found { id, rank });
                    } else {
                        let (from, content) = (names.len(), sketch.content(*index as usize));
                        names.push_str(id);
                        candidates.push(Candidate { turn, rank, id: from..names.len(), content });
                    }
                }
                verdicts[turn] = Verdict::Done(matches.len());
            }
        })?;
        if let Some(error) = error {
            return Err(error);
        }
        if !self.late.is_empty() {
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
    ) -> Result<Vec<Found>, ReadError> {
        for candidate in candidates {
            verdicts[candidate.turn] = Verdict::Skip;
        }
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by_key(|i| candidates[*i].content.map(|content| (content.seq, content.item)));
        let nothing = Json::Null;
        let mut passed = vec![false; candidates.len()];
        let bare = order.iter().filter(|i| candidates[**i].content.is_none());
        for i in bare {
            passed[*i] = self.late.iter().all(|check| check_other(&nothing, check));
        }
        order.retain(|i| candidates[*i].content.is_some());
        let list: Vec<ContentRef> = order.iter().filter_map(|i| candidates[*i].content).collect();
        self.moment.note(|tally| tally.contents += list.len() as u64);
        self.moment.contents.each(&list, &mut |i, body| {
            passed[order[i]] = self.late.iter().all(|check| check_body(&body, check));
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
                found.push(Found { id, rank: candidate.rank });
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
