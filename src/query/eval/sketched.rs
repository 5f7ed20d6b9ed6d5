//! Turns that are not read: what their sketches decide.
//!
//! The tests of a chain that a template can answer are *formal*. Without the others a chain finds
//! at least what the whole chain does, so a turn in whose template it finds nothing can be left
//! out. If nothing was left off, what it finds is the answer; if only tests of the content of the
//! last nodes were, the contents decide, and are read in the order of the log.

use super::compare::check_other;
use super::flat::{Flat, Part};
use super::scope::Wanted;
use super::walk::Walk;
use crate::json::Json;
use crate::model::{ContentRef, Glance, Id, Place, ReadError, Slot, Subtree};
use crate::query::plan::{
    Ask, Attr, Chain, Check, Compound, DepthSet, ListAttr, NumberAttr, Start, Step, Test, TextAttr,
};
use crate::query::timeline::Moment;
use crate::snapshot::Body;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
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

/// What a chain finds in templates.
struct Templates<'m> {
    moment: Moment<'m>,
    chain: Chain,
    /// A depth that stands for those of all turns.
    depth: i64,
    flat: Flat,
    /// What was found in templates, each held so that its address stays its own.
    memo: HashMap<*const Subtree, (Arc<Subtree>, Rc<[u32]>)>,
    /// The last few of these.
    recent: [Option<Judged>; 4],
}

/// The address of a template, and the nodes that were found in it.
type Judged = (*const Subtree, Rc<[u32]>);

/// A question that templates answer completely, whatever the cycle.
pub(in crate::query) struct Timeless<'m>(Vec<Templates<'m>>);

impl<'m> Timeless<'m> {
    /// The question, if it is one of those; it does not depend on depths.
    pub(in crate::query) fn of(ask: &Ask, moment: &Moment<'m>) -> Option<Timeless<'m>> {
        let mut found = Vec::new();
        for chain in ask.groups.iter().flat_map(|group| &group.chains) {
            let (chain, exact, late) = strip(chain, (1, 1));
            if !exact || !late.is_empty() {
                return None;
            }
            found.push(Templates::new(chain, moment.clone(), 1));
        }
        Some(Timeless(found))
    }

    /// The nodes of a template that it finds, in order.
    pub(in crate::query) fn matches(
        &mut self,
        template: &Arc<Subtree>,
    ) -> Result<Rc<[u32]>, ReadError> {
        if let [only] = &mut self.0[..] {
            return only.matches(template);
        }
        let mut all = Vec::new();
        for templates in &mut self.0 {
            all.extend_from_slice(&templates.matches(template)?);
        }
        all.sort_unstable();
        all.dedup();
        Ok(all.into())
    }
}

/// A node whose content decides.
struct Candidate {
    turn: usize,
    found: Found,
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
    /// read, in their order, if `ids` are all that is wanted.
    pub(super) fn judge(
        &mut self,
        wanted: &[Wanted],
        ids: bool,
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
        let (moment, exact, late) = (self.moment, self.exact, !self.late.is_empty());
        let templates = RefCell::new(&mut self.templates);
        // What cannot be decided matters; the error comes up again where it is looked at closely.
        let mut matters = |template: &Arc<Subtree>| {
            templates.borrow_mut().matches(template).map_or(true, |matches| !matches.is_empty())
        };
        moment.sketches(&slots, late, &mut matters, &mut |i, glance| {
            let (turn, rank) = (turns[i].1, wanted[turns[i].1].2);
            let sketch = match glance {
                Glance::Unknown => return,
                Glance::Lacking => {
                    verdicts[turn] = Verdict::Skip;
                    return;
                }
                Glance::Known(sketch) => sketch,
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
                for index in matches.iter() {
                    let Some(id) = sketch.id(*index as usize) else { return };
                    let one = Found { id: id.into(), rank: (rank, *index) };
                    if !late {
                        found.push(one);
                    } else {
                        let content = sketch.content(*index as usize);
                        candidates.push(Candidate { turn, found: one, content });
                    }
                }
                verdicts[turn] = Verdict::Done(matches.len());
            }
        })?;
        if let Some(error) = error {
            return Err(error);
        }
        if !self.late.is_empty() {
            found = self.by_content(candidates, &mut verdicts, ids)?;
        }
        Ok((verdicts, found))
    }

    /// Keeps the candidates whose content is right.
    fn by_content(
        &self,
        candidates: Vec<Candidate>,
        verdicts: &mut [Verdict],
        ids: bool,
    ) -> Result<Vec<Found>, ReadError> {
        for candidate in &candidates {
            verdicts[candidate.turn] = Verdict::Skip;
        }
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by_key(|i| candidates[*i].content.map(|content| (content.seq, content.part)));
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
        for (candidate, _) in candidates.into_iter().zip(passed).filter(|(_, passed)| *passed) {
            let verdict = &mut verdicts[candidate.turn];
            *verdict = match *verdict {
                _ if !ids => Verdict::Read,
                Verdict::Done(count) => Verdict::Done(count + 1),
                _ => Verdict::Done(1),
            };
            found.push(candidate.found);
        }
        if !ids {
            found.clear();
        }
        Ok(found)
    }
}

impl<'m> Templates<'m> {
    fn new(chain: Chain, moment: Moment<'m>, depth: i64) -> Templates<'m> {
        let flat = Flat::shared(&moment);
        Templates { moment, chain, depth, flat, memo: HashMap::new(), recent: Default::default() }
    }

    /// The nodes of a template that the chain ends at.
    fn matches(&mut self, template: &Arc<Subtree>) -> Result<Rc<[u32]>, ReadError> {
        let known = self.recent.iter().flatten().find(|(at, _)| *at == Arc::as_ptr(template));
        if let Some((_, matches)) = known {
            return Ok(matches.clone());
        }
        let matches = match self.memo.get(&Arc::as_ptr(template)) {
            Some((_, matches)) => matches.clone(),
            None => self.find(template)?,
        };
        self.recent.rotate_right(1);
        self.recent[0] = Some((Arc::as_ptr(template), matches.clone()));
        Ok(matches)
    }

    fn find(&mut self, template: &Arc<Subtree>) -> Result<Rc<[u32]>, ReadError> {
        let place = Place::Turn(Slot { cycle: 0, rank: 0 });
        let part = Part { place, depth: self.depth, rank: 0, nodes: template.clone() };
        self.flat.fill(std::iter::once(part), false);
        self.moment.note(|tally| tally.nodes += template.len() as u64);
        let ends = Walk::new(&self.flat, &self.moment).ends(&self.chain, &mut |_| {})?;
        let real = ends.into_iter().filter(|item| self.flat.node(*item).is_some());
        let matches: Rc<[u32]> =
            real.filter_map(|item| self.flat.part(item)).map(|(_, index)| index as u32).collect();
        self.memo.insert(Arc::as_ptr(template), (template.clone(), matches.clone()));
        Ok(matches)
    }
}

fn check_body(body: &Body<'_>, check: &Check) -> bool {
    match (body, check) {
        (Body::Text(text), Check::Match(pattern)) => pattern.is_match(text),
        (Body::Text(text), check) => check_other(&Json::from(*text), check),
        (Body::Json(value), check) => check_other(value, check),
    }
}

/// A chain without what templates cannot answer, whether what it finds is the answer but for the
/// contents, and what must hold of these. `span` has the least and the greatest depth of the turns.
fn strip(chain: &Chain, span: (i64, i64)) -> (Chain, bool, Vec<Check>) {
    let mut strip = Strip { span, exact: true, late: Vec::new() };
    let chain = strip.chain(chain, true);
    let Strip { exact, late, .. } = strip;
    (chain, exact, if exact { late } else { Vec::new() })
}

/// Leaves off what templates cannot answer.
struct Strip {
    /// The least and the greatest depth of the turns.
    span: (i64, i64),
    exact: bool,
    late: Vec<Check>,
}

impl Strip {
    /// `outer` is for the whole chain, and not for one in parentheses.
    fn chain(&mut self, chain: &Chain, outer: bool) -> Chain {
        let last = chain.links.len();
        let start = match &chain.start {
            Start::Step(step) => Start::Step(self.step(step, outer && last == 0)),
            Start::Chains(chains) => {
                Start::Chains(chains.iter().map(|chain| self.chain(chain, false)).collect())
            }
        };
        let mut links = chain.links.clone();
        for (i, link) in links.iter_mut().enumerate() {
            link.step = self.step(&link.step, outer && i + 1 == last);
        }
        let filter = self.compound(&chain.filter, outer);
        Chain { start, links, filter, recent: chain.recent }
    }

    fn step(&mut self, step: &Step, is_last: bool) -> Step {
        match step {
            Step::Nodes(compound) => Step::Nodes(self.compound(compound, is_last)),
            Step::Zone(zone) => Step::Zone(*zone),
        }
    }

    fn compound(&mut self, compound: &Compound, is_last: bool) -> Compound {
        let mut kept = compound.clone();
        let mut left_off = false;
        kept.tests.retain(|test| {
            let formal = self.is_formal(test);
            match test {
                _ if formal => {}
                Test::Attr(Attr::Content, check) if is_last && compound.picks.is_empty() => {
                    self.late.push(check.clone());
                }
                _ => left_off = true,
            }
            formal
        });
        // Recency goes by times, which templates lack.
        left_off |= compound.recent && !compound.picks.is_empty();
        if left_off {
            self.exact = false;
            kept.picks.clear();
        }
        kept
    }

    fn is_formal(&self, test: &Test) -> bool {
        match test {
            Test::Real
            | Test::Class(_)
            | Test::Named(_)
            | Test::Sort { .. }
            | Test::Sign(_)
            | Test::Offset(_)
            | Test::Ephemeral
            | Test::Sticky => true,
            Test::Ids(_) => false,
            Test::Depth(depths) | Test::Container(depths) => self.is_uniform(depths),
            Test::Attr(attr, check) => is_formal_attr(attr, check),
            Test::Not(test) => self.is_formal(test),
            Test::Any(tests) => tests.iter().all(|test| self.is_formal(test)),
        }
    }

    /// Whether all turns are in a set of depths, or none is.
    fn is_uniform(&self, depths: &DepthSet) -> bool {
        let all = DepthSet::span(self.span.0, self.span.1);
        let both = depths.and(&all);
        both == all || both == DepthSet::none()
    }
}

fn is_formal_attr(attr: &Attr, check: &Check) -> bool {
    match attr {
        Attr::Number(number) => match number {
            NumberAttr::Offset | NumberAttr::Priority | NumberAttr::Cad | NumberAttr::Sdepth => {
                true
            }
            NumberAttr::Ttl => matches!(check, Check::Present),
            _ => false,
        },
        Attr::Text(text) => matches!(
            text,
            TextAttr::NodeType | TextAttr::Type | TextAttr::Role | TextAttr::Kind | TextAttr::Key
        ),
        Attr::Tags | Attr::Flag(_) | Attr::List(ListAttr::Tags) => true,
        Attr::Content => matches!(check, Check::Present),
        Attr::List(ListAttr::Refs) | Attr::Custom(_) => false,
    }
}
