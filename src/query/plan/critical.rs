//! What a question finds in an older snapshot though no part changed: where depths are critical.
//!
//! From a snapshot to the one before, turns lose depth and nodes lose age. A node that was not found
//! in the newer one is found in the older one only if its part changed, or if a test on its depth or
//! age has another outcome. Depths at which a test changes its mind are *critical*; tests that hold
//! from an age on only ever lose nodes, going back.

use super::ask::Ask;
use super::attr::{Attr, Check, NumberAttr, Value, ValueText};
use super::chain::{Chain, Compound, Start, Step, Test, Way};
use super::number::Number;
use crate::language::ast::{DepthSet, Op};
use std::collections::BTreeSet;

/// The critical depths of a question: a test may differ between each of them and the next one. None
/// if more than depths may let an older snapshot find what a newer one does not.
pub fn critical_depths(ask: &Ask) -> Option<BTreeSet<i64>> {
    let mut critical = Critical::default();
    for chain in ask.groups.iter().flat_map(|group| &group.chains) {
        critical.chain(chain);
    }
    // What is picked among the old ones may be another once some of them are too young.
    let known = !(critical.unknown || critical.by_age && critical.picks);
    known.then_some(critical.depths)
}

#[derive(Default)]
struct Critical {
    depths: BTreeSet<i64>,
    by_age: bool,
    picks: bool,
    unknown: bool,
}

impl Critical {
    /// Recursion is as deep as parentheses nest.
    fn chain(&mut self, chain: &Chain) {
        match &chain.start {
            Start::Step(step) => self.step(step),
            Start::Chains(chains) => chains.iter().for_each(|chain| self.chain(chain)),
        }
        chain.links.iter().for_each(|link| self.step(&link.step));
        self.compound(&chain.filter);
    }

    fn step(&mut self, step: &Step) {
        if let Step::Nodes(compound) = step {
            self.compound(compound);
        }
    }

    fn compound(&mut self, compound: &Compound) {
        self.picks |= !compound.picks.is_empty();
        compound.tests.iter().for_each(|test| self.test(test, true));
    }

    /// `holds` is false inside a negation. Recursion is as deep as parentheses nest.
    fn test(&mut self, test: &Test, holds: bool) {
        match test {
            Test::Depth(depths) | Test::Container(depths) => self.depths(depths),
            Test::Attr(Attr::Number(NumberAttr::Depth), check) => self.by_depth(check),
            Test::Attr(Attr::Number(NumberAttr::Age), check) => {
                self.by_age = true;
                self.unknown |= match check {
                    Check::Present => false,
                    Check::Compare(Op::Gt | Op::Ge, _) => !holds,
                    Check::Compare(Op::Lt | Op::Le, _) => holds,
                    _ => true,
                };
            }
            // What a way leads to lies in the part of the node, and so has its depth.
            Test::Has(has, _) => {
                let tests = has.ways.iter().flat_map(Way::compounds).flat_map(|step| &step.tests);
                tests.into_iter().for_each(|test| self.test(test, holds));
            }
            Test::Not(inner) => self.test(inner, !holds),
            Test::Any(tests) | Test::All(tests) => {
                tests.iter().for_each(|test| self.test(test, holds));
            }
            _ => {}
        }
    }

    fn by_depth(&mut self, check: &Check) {
        let values = match check {
            Check::Present => return,
            Check::Compare(_, value) => std::slice::from_ref(value),
            Check::OneOf(values) => values,
            _ => return self.unknown = true,
        };
        for value in values {
            match value {
                Value::Given(ValueText { number: Some(Number::Int(n)), .. }) => {
                    if let Ok(n) = i64::try_from(*n) {
                        self.depths(&DepthSet::span(n, n));
                    }
                }
                // What is no number is never equal, and null is not what a depth is.
                Value::Given(ValueText { number: None, .. }) | Value::Null => {}
                Value::Given(_) => self.unknown = true,
            }
        }
    }

    fn depths(&mut self, depths: &DepthSet) {
        for (from, to) in depths.spans() {
            self.depths.extend(from.checked_sub(1));
            self.depths.extend((*to < i64::MAX).then_some(*to));
        }
    }
}
