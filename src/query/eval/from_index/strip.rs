//! A chain without what templates cannot answer.
//!
//! A template keeps types, roles, kinds, keys, tags, offsets and the like, and neither ids nor
//! contents. In a turn that has a template, the whole chain finds at most what the stripped chain
//! finds in the template.

use crate::language::ast::DepthSet;
use crate::model::{Held, NumberField, header_of};
use crate::query::plan::{
    Attr, Chain, Check, Compound, Has, NumberAttr, Start, Step, Test, TextAttr, Way,
};
use std::sync::Arc;

/// A chain without what templates cannot answer, whether what it finds is the answer but for the
/// contents, and what must hold of these. `span` has the least and the greatest depth of the turns.
pub(super) fn strip(chain: &Chain, span: (i64, i64)) -> (Chain, bool, Vec<Check>) {
    let mut strip = Strip { span, exact: true, content_checks: Vec::new() };
    let chain = strip.chain(chain, true);
    let Strip { exact, content_checks, .. } = strip;
    (chain, exact, if exact { content_checks } else { Vec::new() })
}

/// Leaves off what templates cannot answer.
struct Strip {
    /// The least and the greatest depth of the turns.
    span: (i64, i64),
    exact: bool,
    content_checks: Vec<Check>,
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
        let mut stripped = Compound { tests: Vec::new(), ..compound.clone() };
        let mut left_off = false;
        for test in &compound.tests {
            match test {
                Test::Attr(Attr::Content, check)
                    if is_last && compound.picks.is_empty() && !self.is_on_template(test) =>
                {
                    self.content_checks.push(check.clone());
                }
                test => {
                    left_off |= !self.is_on_template(test);
                    stripped.tests.extend(self.weaker(test));
                }
            }
        }
        // Recency goes by times, which templates lack.
        left_off |= compound.recent && !compound.picks.is_empty();
        if left_off {
            self.exact = false;
            stripped.picks.clear();
        }
        stripped
    }

    /// As much of a test as templates can answer, which must hold if the test does.
    fn weaker(&self, test: &Test) -> Option<Test> {
        match test {
            test if self.is_on_template(test) => Some(test.clone()),
            Test::Has(has, tops) => {
                let mut has = Has::clone(has);
                for way in &mut has.ways {
                    let steps = way.links.iter_mut().filter_map(|link| match &mut link.step {
                        Step::Nodes(compound) => Some(compound),
                        Step::Zone(_) => None,
                    });
                    for compound in steps.chain([&mut way.filter]) {
                        let tests = std::mem::take(&mut compound.tests);
                        compound.tests =
                            tests.iter().filter_map(|test| self.weaker(test)).collect();
                    }
                }
                Some(Test::Has(Arc::new(has), *tops))
            }
            _ => None,
        }
    }

    fn is_on_template(&self, test: &Test) -> bool {
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
            Test::Attr(attr, check) => attr_is_on_template(attr, check),
            Test::Has(has, _) => has
                .ways
                .iter()
                .flat_map(Way::compounds)
                .flat_map(|compound| &compound.tests)
                .all(|test| self.is_on_template(test)),
            Test::Not(test) => self.is_on_template(test),
            Test::Any(tests) | Test::All(tests) => {
                tests.iter().all(|test| self.is_on_template(test))
            }
        }
    }

    /// Whether all turns are in a set of depths, or none is.
    fn is_uniform(&self, depths: &DepthSet) -> bool {
        let all = DepthSet::span(self.span.0, self.span.1);
        let both = depths.and(&all);
        both == all || both == DepthSet::none()
    }
}

fn attr_is_on_template(attr: &Attr, check: &Check) -> bool {
    let has = |held: Held| header_of(held).is_some_and(|header| header.in_template);
    match attr {
        // That a ttl is finite is on a template, but not how long it is.
        Attr::Number(NumberAttr::Header(NumberField::Ttl)) => matches!(check, Check::Present),
        Attr::Number(NumberAttr::Header(field)) => has(Held::Number(*field)),
        Attr::Number(NumberAttr::Sdepth) => true,
        Attr::Number(NumberAttr::Depth | NumberAttr::Age | NumberAttr::BornTurn) => false,
        Attr::Text(TextAttr::Header(field)) => has(Held::Text(*field)),
        Attr::Text(TextAttr::Engine(text)) => has(Held::EngineText(*text)),
        Attr::Text(TextAttr::Type) | Attr::Tags | Attr::Kinds => true,
        Attr::Flag(field) => has(Held::Flag(*field)),
        Attr::List(field) => has(Held::List(*field)),
        Attr::Content => matches!(check, Check::Present),
        Attr::Custom(_) => false,
    }
}
