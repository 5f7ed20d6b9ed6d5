//! What templates can answer of a question.
//!
//! The tests of a chain that a template can answer are *formal*. A chain is stripped of the others;
//! what it then finds in a template, it finds in every turn that has that template, at the least.

use super::flat::{Flat, Part};
use super::walk::Walk;
use crate::model::{Place, ReadError, Slot, Subtree};
use crate::query::plan::{
    Ask, Attr, Chain, Check, Compound, DepthSet, ListAttr, NumberAttr, Start, Step, Test, TextAttr,
};
use crate::query::timeline::Moment;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// What a chain finds in templates.
pub(super) struct Templates<'m> {
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

impl<'m> Templates<'m> {
    pub(super) fn new(chain: Chain, moment: Moment<'m>, depth: i64) -> Templates<'m> {
        let flat = Flat::shared(&moment);
        Templates { moment, chain, depth, flat, memo: HashMap::new(), recent: Default::default() }
    }

    /// The nodes of a template that the chain ends at.
    pub(super) fn matches(&mut self, template: &Arc<Subtree>) -> Result<Rc<[u32]>, ReadError> {
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

/// A chain without what templates cannot answer, whether what it finds is the answer but for the
/// contents, and what must hold of these. `span` has the least and the greatest depth of the turns.
pub(super) fn strip(chain: &Chain, span: (i64, i64)) -> (Chain, bool, Vec<Check>) {
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
            | Test::Sign(_)
            | Test::Offset(_)
            | Test::Ephemeral
            | Test::Sticky => true,
            Test::Ids(_) => false,
            Test::Depth(depths) | Test::Container(depths) => self.is_uniform(depths),
            Test::Attr(attr, check) => is_formal_attr(attr, check),
            Test::Not(test) => self.is_formal(test),
            Test::Any(tests) | Test::All(tests) => tests.iter().all(|test| self.is_formal(test)),
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
        Attr::Tags | Attr::Kinds | Attr::Flag(_) | Attr::List(ListAttr::Tags) => true,
        Attr::Content => matches!(check, Check::Present),
        Attr::List(ListAttr::Refs) | Attr::Custom(_) => false,
    }
}
