//! What a question depends on beside the nodes themselves: what decides whether an old answer
//! still holds when only some parts have changed.

use super::ask::Ask;
use super::attr::{Attr, NumberAttr};
use super::chain::{Chain, Compound, Start, Step, Test, Way};
use crate::model::NumberField;
use std::collections::BTreeSet;

/// What changes with time though no part changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Depends {
    /// Depths: each commit moves every turn.
    pub depth: bool,
    /// Ages: each commit makes every node older.
    pub age: bool,
    /// What remains of a finite ttl.
    pub ttl: bool,
}

impl Depends {
    /// What a question depends on.
    pub fn of(ask: &Ask) -> Depends {
        let mut found = Depends::default();
        for chain in ask.groups.iter().flat_map(|group| &group.chains) {
            found.chain(chain);
        }
        found
    }

    /// Whether it depends on any of these.
    pub fn on_time(&self) -> bool {
        *self != Depends::default()
    }

    fn chain(&mut self, chain: &Chain) {
        match &chain.start {
            Start::Step(step) => self.step(step),
            Start::Chains(chains) => chains.iter().for_each(|chain| self.chain(chain)),
        }
        chain.links.iter().for_each(|link| self.step(&link.step));
        self.tests(&chain.filter);
    }

    fn step(&mut self, step: &Step) {
        if let Step::Nodes(compound) = step {
            // What is picked by recency depends on depth where parts are compared, and such
            // questions are not local; within one part all depths are the same.
            self.tests(compound);
        }
    }

    fn tests(&mut self, compound: &Compound) {
        compound.tests.iter().for_each(|test| self.test(test));
    }

    fn test(&mut self, test: &Test) {
        match test {
            Test::Depth(_) | Test::Container(_) => self.depth = true,
            Test::Attr(Attr::Number(NumberAttr::Depth), _) => self.depth = true,
            Test::Attr(Attr::Number(NumberAttr::Age), _) => self.age = true,
            Test::Attr(Attr::Number(NumberAttr::Header(NumberField::Ttl)), _) => self.ttl = true,
            Test::Has(has, _) => {
                has.ways.iter().flat_map(Way::compounds).for_each(|compound| self.tests(compound));
            }
            Test::Not(inner) => self.test(inner),
            Test::Any(tests) | Test::All(tests) => tests.iter().for_each(|test| self.test(test)),
            _ => {}
        }
    }
}

/// The only ids that a question can find, if it names them.
pub fn pinned_ids(ask: &Ask) -> Option<BTreeSet<Box<str>>> {
    let mut ids = BTreeSet::new();
    for chain in ask.groups.iter().flat_map(|group| &group.chains) {
        ids.extend(chain_ids(chain)?.iter().cloned());
    }
    Some(ids)
}

fn chain_ids(chain: &Chain) -> Option<&BTreeSet<Box<str>>> {
    let last = match (chain.links.last(), &chain.start) {
        (Some(link), _) => Some(&link.step),
        (None, Start::Step(step)) => Some(step),
        (None, Start::Chains(_)) => None,
    };
    let last = match last {
        Some(Step::Nodes(compound)) => Some(compound),
        _ => None,
    };
    let tests = last.into_iter().chain([&chain.filter]).flat_map(|compound| &compound.tests);
    tests.into_iter().find_map(|test| match test {
        Test::Ids(ids) => Some(ids),
        _ => None,
    })
}
