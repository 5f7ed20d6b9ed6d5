//! Chains of steps and the tests of single nodes, which may hold ways down.
//!
//! How a test is decided is the evaluator's business.

use super::attr::{Attr, Check, ClassSet};
use crate::language::ast::{DepthSet, Zone};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A way through the tree.
#[derive(Debug, Clone)]
pub struct Chain {
    /// Where it begins.
    pub start: Start,
    /// The way from there.
    pub links: Vec<Link>,
    /// What must hold of the nodes that it ends at; may be empty.
    pub filter: Compound,
    /// Whether its result comes by recency (R7.2).
    pub recent: bool,
}

impl Chain {
    /// The nodes anywhere that a step matches.
    pub(in crate::query) fn of(step: Step) -> Chain {
        let (links, filter) = (Vec::new(), Compound::default());
        Chain { start: Start::Step(step), links, filter, recent: false }
    }
}

/// The beginning of a chain.
#[derive(Debug, Clone)]
pub enum Start {
    /// Any node of the tree that this step matches.
    Step(Step),
    /// The ends of any of these chains.
    Chains(Vec<Chain>),
}

/// A step and how it is reached.
#[derive(Debug, Clone)]
pub struct Link {
    /// From where.
    pub reach: Reach,
    /// The step.
    pub step: Step,
}

/// How a step hangs on what is before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Anything below.
    Below,
    /// The children.
    Child,
    /// The node itself.
    Itself,
}

/// One step.
#[derive(Debug, Clone)]
pub enum Step {
    /// Nodes that satisfy this.
    Nodes(Compound),
    /// The virtual nodes that hold the children with that sign (R6.7).
    Zone(Zone),
}

/// What must hold of a node, and which of those that satisfy it are meant.
#[derive(Debug, Clone, Default)]
pub struct Compound {
    /// All must hold.
    pub tests: Vec<Test>,
    /// Applied one after the other to those that satisfy the tests.
    pub picks: Vec<Pick>,
    /// Whether the picks count by recency.
    pub recent: bool,
}

/// Which of an ordered set is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    /// The n-th, counted from 1.
    Nth(u64),
    /// The last.
    Last,
}

/// One test of a node.
#[derive(Debug, Clone)]
pub enum Test {
    /// It is a node of the tree and not an implied core.
    Real,
    /// Its class is one of these.
    Class(ClassSet),
    /// Its id is one of these.
    Ids(BTreeSet<Box<str>>),
    /// Its type is this name, or ends in `:` and this name.
    Named(Box<str>),
    /// It is `^sys`, `^ah` or a turn, of one of these depths.
    Container(DepthSet),
    /// Its depth is one of these.
    Depth(DepthSet),
    /// Its offset has this sign.
    Sign(Zone),
    /// Its offset is this.
    Offset(i64),
    /// Its ttl is finite, and it has no cad.
    Ephemeral,
    /// Its ttl is finite, and its cad is 1.
    Sticky,
    /// An attribute passes a check.
    Attr(Attr, Check),
    /// A way leads from it to something.
    Has(Arc<Has>, TopAnswers),
    /// The test does not hold.
    Not(Box<Test>),
    /// One of the tests holds.
    Any(Vec<Test>),
    /// All of the tests hold.
    All(Vec<Test>),
}

/// Ways down from a node, at least one of which must lead to something: a node or an implied core.
#[derive(Debug, Clone)]
pub struct Has {
    /// The ways. None of their steps picks anything.
    pub ways: Vec<Way>,
}

/// A way down from a node.
#[derive(Debug, Clone)]
pub struct Way {
    /// At least one; the first one hangs on the node.
    pub links: Vec<Link>,
    /// What must hold of where it leads; may be empty.
    pub filter: Compound,
}

impl Way {
    /// The compounds of its steps, and its filter.
    pub fn compounds(&self) -> impl Iterator<Item = &Compound> {
        let steps = self.links.iter().filter_map(|link| match &link.step {
            Step::Nodes(compound) => Some(compound),
            Step::Zone(_) => None,
        });
        steps.chain([&self.filter])
    }
}

/// Whether a [`Has`] holds of `^root` and of `^seq`, as far as that was found out beforehand: what is
/// below them lies in many parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TopAnswers {
    /// Of `^root`.
    pub root: Option<bool>,
    /// Of `^seq`.
    pub seq: Option<bool>,
}
