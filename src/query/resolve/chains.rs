//! Chains and positions to chains of the plan (R6.2, R6.9, R6.10).
//!
//! A chain may begin with a position and a position may end in a chain, so they stand in one file.

use super::compound::{by_depth, container};
use super::names::Names;
use crate::language::ast::{self, Base, Filter, Head, HopKind, Simple};
use crate::query::plan::{Chain, Compound, Link, Reach, Start, Step, Test, Way};
use crate::query::query_error::QueryError;

impl Names {
    /// Recursion is as deep as parentheses nest, which is bounded.
    pub(super) fn chain(
        &mut self,
        chain: &ast::Chain,
        late: &[Filter],
    ) -> Result<Chain, QueryError> {
        let mut recent = false;
        let start = match &chain.head {
            Head::Step(step) => {
                let step = self.step(step)?;
                recent = pins(&step);
                Start::Step(step)
            }
            Head::Position(position) => {
                let inner = self.position(position)?;
                recent = inner.recent;
                Start::Chains(vec![inner])
            }
            Head::Positions(_, positions) => {
                let chains = positions.iter().map(|position| self.position(position));
                Start::Chains(chains.collect::<Result<_, _>>()?)
            }
            Head::Chain(_, inner) => {
                let inner = self.chain(inner, &[])?;
                recent = inner.recent;
                Start::Chains(vec![inner])
            }
        };
        let links = self.links(&chain.links)?;
        if let Some(last) = links.last() {
            recent = pins(&last.step);
        }
        let filter = self.filters(chain.filters.iter().chain(late))?;
        recent |= filter.recent;
        Ok(Chain { start, links, filter, recent })
    }

    /// A position is a chain from the containers of its depth.
    pub(super) fn position(&mut self, position: &ast::Position) -> Result<Chain, QueryError> {
        let start = Start::Step(Step::Nodes(container(&position.depth)));
        let mut links = Vec::with_capacity(position.hops.len());
        for hop in &position.hops {
            let by_depth = by_depth(&hop.simples);
            let mut made = Compound::default();
            let reach = match &hop.kind {
                HopKind::Offset(offset) => {
                    made.tests.push(Test::Offset(*offset));
                    Reach::Child
                }
                HopKind::Itself(name) => {
                    // A plain `seg` or `mt` says again what the depth said, for `^ah` too.
                    if name.name.is_some() {
                        made.tests.extend(self.type_tests(name, by_depth));
                    }
                    Reach::Itself
                }
                HopKind::Child(name) => {
                    made.tests.extend(self.type_tests(name, by_depth));
                    Reach::Child
                }
                HopKind::AnyChild => {
                    made.tests.push(Test::Real);
                    Reach::Child
                }
                HopKind::Descendant(name) => {
                    made.tests.extend(self.type_tests(name, by_depth));
                    Reach::Below
                }
            };
            // An element pins no key, so its positional pseudos count in canonical order (R13).
            let made = Compound { recent: false, ..self.simples(&hop.simples, made)? };
            links.push(Link { reach, step: Step::Nodes(made) });
        }
        let Some(chain) = &position.chain else {
            return Ok(Chain { start, links, filter: Compound::default(), recent: false });
        };
        // It goes on as a chain, as behind white space (R14.16).
        let (below, reach) = match position.chain_begins_at_the_depth() {
            true => (self.chain(&without_plain_turn(chain), &[])?, Reach::Itself),
            false => (self.chain(chain, &[])?, Reach::Below),
        };
        if let Start::Step(step) = below.start {
            links.push(Link { reach, step });
        }
        links.extend(below.links);
        Ok(Chain { start, links, filter: below.filter, recent: below.recent })
    }

    fn links(&mut self, links: &[ast::Link]) -> Result<Vec<Link>, QueryError> {
        let mut made = Vec::with_capacity(links.len());
        for link in links {
            let reach = match link.combinator {
                ast::Combinator::Descendant => Reach::Below,
                ast::Combinator::Child => Reach::Child,
            };
            made.push(Link { reach, step: self.step(&link.step)? });
        }
        Ok(made)
    }

    /// A way down from a node, inside `:has(…)`.
    pub(super) fn way(&mut self, way: &ast::Relative) -> Result<Way, QueryError> {
        Ok(Way { links: self.links(&way.links)?, filter: self.filters(way.filters.iter())? })
    }

    fn step(&mut self, step: &ast::Step) -> Result<Step, QueryError> {
        Ok(match step {
            ast::Step::Compound(compound) => {
                Step::Nodes(self.simples(&compound.simples, Compound::default())?)
            }
            ast::Step::Depth(depth) => Step::Nodes(container(depth)),
            ast::Step::Zone(_, zone) => Step::Zone(*zone),
        })
    }
}

fn pins(step: &Step) -> bool {
    matches!(step, Step::Nodes(Compound { recent: true, .. }))
}

/// The chain without a plain `.seg` or `.mt` in its first step, which says again what a depth said,
/// for `^ah` too.
fn without_plain_turn(chain: &ast::Chain) -> ast::Chain {
    let mut chain = chain.clone();
    if let Head::Step(ast::Step::Compound(first)) = &mut chain.head {
        first.simples.retain(|simple| match simple {
            Simple::Type(name) => {
                name.name.is_some() || Base::from_name(&name.base) != Some(Base::Turn)
            }
            _ => true,
        });
    }
    chain
}
