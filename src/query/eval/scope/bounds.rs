//! The bounds of a chain: what must hold of every part in which it finds something.
//!
//! A chain only ever goes down, so what it finds in a part depends on that part, on `^root` and on
//! `^seq` and on nothing else, unless a positional pseudo counts over several parts. A part
//! that has no match for one of the steps, where `^root` and `^seq` have none either, gives
//! nothing; the last step must have one there in any case. Steps behind a pseudo that counts over
//! several parts prove nothing: what they refuse has been counted by then.

use super::needs::{Need, needs_of};
use crate::index::Lookup;
use crate::language::ast::{DepthSet, Op};
use crate::model::Class;
use crate::query::eval::walk::{Flat, Spot, Walk};
use crate::query::plan::{
    Attr, Chain, Check, Compound, Number, NumberAttr, Reach, Start, Step, Test, Value, ValueText,
};
use crate::query::timeline::{Moment, Read};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The bounds of a chain.
#[derive(Debug, Clone)]
pub(crate) struct Scope<'c> {
    /// The depths of the parts that can matter.
    pub(super) depths: DepthSet,
    /// In each part that matters lies one of the ids of each set.
    pub(crate) ids: Vec<Cow<'c, BTreeSet<Box<str>>>>,
    /// What each part that matters holds.
    pub(super) needs: Vec<Need>,
    /// Whether something is counted over several parts.
    pub(crate) crosses: bool,
    /// Whether the chain may end at `^root` or at `^seq`.
    pub(crate) ends_above: bool,
}

impl<'c> Scope<'c> {
    /// The bounds of a chain at a moment; `shared` has `^root` and `^seq` alone.
    pub(crate) fn of(chain: &'c Chain, shared: &Flat, moment: &Moment<'_>) -> Read<Scope<'c>> {
        let mut scope = Scope::open();
        let walk = Walk::lenient(shared, moment);
        let spots = scope.chain(chain, &walk, true)?;
        // What other parts answer is as good as counted over them.
        scope.crosses |= !walk.open().is_empty();
        scope.ends_above = scope.crosses || !spots.is_empty();
        Ok(scope)
    }

    pub(super) fn open() -> Scope<'c> {
        Scope {
            depths: DepthSet::all(),
            ids: Vec::new(),
            needs: Vec::new(),
            crosses: false,
            ends_above: false,
        }
    }

    /// Returns where in `^root` and `^seq` the chain may come to. `is_last` says that the chain goes on
    /// nowhere: what it finds in a part is what its last step matches there. Recursion is as deep as
    /// parentheses nest.
    fn chain(&mut self, chain: &'c Chain, walk: &Walk<'_>, is_last: bool) -> Read<Vec<Spot>> {
        let last = chain.links.len();
        let mut spots = match &chain.start {
            Start::Step(step) => {
                let spots = walk.anywhere(step)?;
                self.step(step, spots.is_empty() || is_last && last == 0);
                self.crosses |= has_picks(step);
                spots
            }
            Start::Chains(chains) => self.any_of(chains, walk, is_last && last == 0)?,
        };
        for (i, link) in chain.links.iter().enumerate() {
            if self.crosses {
                return Ok(spots);
            }
            let counted_over = link.reach != Reach::Itself && !spots.is_empty();
            spots = walk.follow(&spots, link)?;
            self.step(&link.step, spots.is_empty() || is_last && i + 1 == last);
            self.crosses |= counted_over && has_picks(&link.step);
        }
        if !self.crosses && !chain.filter.tests.is_empty() {
            spots = walk.filter(&spots, &chain.filter)?;
            if spots.is_empty() || is_last {
                self.require(&chain.filter);
            }
        }
        Ok(spots)
    }

    fn any_of(&mut self, chains: &'c [Chain], walk: &Walk<'_>, is_last: bool) -> Read<Vec<Spot>> {
        let mut spots = Vec::new();
        let mut scopes = Vec::with_capacity(chains.len());
        for chain in chains {
            let mut scope = Scope::open();
            spots.extend(scope.chain(chain, walk, is_last)?);
            scopes.push(scope);
        }
        self.crosses |= scopes.iter().any(|scope| scope.crosses);
        self.either(scopes);
        spots.sort_unstable();
        spots.dedup();
        Ok(spots)
    }

    /// Every part that matters is within one of these bounds.
    fn either(&mut self, mut scopes: Vec<Scope<'c>>) {
        let depths = scopes.iter().fold(DepthSet::none(), |sum, scope| sum.or(&scope.depths));
        self.depths = self.depths.and(&depths);
        if let [only] = &mut scopes[..] {
            self.ids.append(&mut only.ids);
            self.needs.append(&mut only.needs);
            return;
        }
        let fewest = |scope: &Scope<'c>| scope.ids.iter().min_by_key(|ids| ids.len()).cloned();
        let ids: Option<Vec<Cow<'c, BTreeSet<Box<str>>>>> = scopes.iter().map(fewest).collect();
        let united = ids.map(|ids| ids.iter().flat_map(|ids| ids.iter().cloned()).collect());
        self.ids.extend(united.map(Cow::Owned));
        let names: Option<Vec<&[u32]>> =
            scopes.iter().map(|scope| names_of(&scope.needs)).collect();
        self.needs.extend(names.map(|names| Need::Lookup(Lookup::Names(names.concat()))));
    }

    fn step(&mut self, step: &'c Step, only_in_parts: bool) {
        if let (Step::Nodes(compound), true) = (step, only_in_parts) {
            self.require(compound);
        }
    }

    /// Recursion is as deep as parentheses nest.
    fn require(&mut self, compound: &'c Compound) {
        for test in &compound.tests {
            self.depths = self.depths.and(&depths_of(test));
            match test {
                Test::Ids(ids) => self.ids.push(Cow::Borrowed(ids)),
                // What lies below a node of a part lies in the same part.
                Test::Has(has, _) => {
                    let ways = has.ways.iter().map(|way| {
                        let mut scope = Scope::open();
                        way.compounds().for_each(|compound| scope.require(compound));
                        scope
                    });
                    self.either(ways.collect());
                }
                _ => {}
            }
        }
        self.needs.extend(needs_of(compound));
    }
}

/// Names of which a part must hold one.
fn names_of(needs: &[Need]) -> Option<&[u32]> {
    needs.iter().find_map(|need| match need {
        Need::Lookup(Lookup::Names(names)) => Some(&names[..]),
        _ => None,
    })
}

fn has_picks(step: &Step) -> bool {
    matches!(step, Step::Nodes(compound) if !compound.picks.is_empty())
}

/// The depths that a node in a part can have if it passes a test.
fn depths_of(test: &Test) -> DepthSet {
    match test {
        Test::Class(classes) => {
            if classes.contains(Class::Container) || classes.contains(Class::Block) {
                return DepthSet::all();
            }
            let spans = [(Class::Sys, -1, -1), (Class::Ah, 0, 0), (Class::Turn, 1, i64::MAX)];
            spans
                .into_iter()
                .filter(|(class, ..)| classes.contains(*class))
                .fold(DepthSet::none(), |sum, (_, from, to)| sum.or(&DepthSet::span(from, to)))
        }
        Test::Depth(depths) | Test::Container(depths) => depths.clone(),
        // An implied core has no such attribute, and what is null passes `!=`.
        Test::Attr(
            Attr::Number(NumberAttr::Depth),
            Check::Compare(
                op @ (Op::Eq | Op::Lt | Op::Le | Op::Gt | Op::Ge),
                Value::Given(ValueText { number: Some(Number::Int(n)), .. }),
            ),
        ) => i64::try_from(*n).map_or(DepthSet::all(), |n| DepthSet::compared(*op, n)),
        Test::Any(tests) => {
            tests.iter().fold(DepthSet::none(), |sum, test| sum.or(&depths_of(test)))
        }
        Test::All(tests) => {
            tests.iter().fold(DepthSet::all(), |rest, test| rest.and(&depths_of(test)))
        }
        _ => DepthSet::all(),
    }
}
