//! The structure of a plan: the states that are asked, and chains of steps.

use super::test::Test;
use super::when::When;
use crate::language::ast::{Mode, Order, Zone};
use std::sync::Arc;

/// A whole question.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Which states are asked.
    pub when: When,
    /// What is asked of each.
    pub ask: Ask,
    /// How the blocks of a range are paired.
    pub mode: Mode,
    /// What the asker should know.
    pub warnings: Vec<String>,
}

/// What is asked of one state.
#[derive(Debug, Clone)]
pub struct Ask {
    /// Their results are united.
    pub groups: Vec<Group>,
    /// The order that was asked for; none means the one that the selector implies (R7).
    pub order: Option<Order>,
    /// Which part of the result is wanted.
    pub window: Window,
}

/// A stretch of a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Window {
    /// How many to leave out first.
    pub skip: u64,
    /// How many to keep at most.
    pub limit: Option<u64>,
}

impl Window {
    /// Whether it keeps everything.
    pub fn is_open(&self) -> bool {
        *self == Window::default()
    }

    /// How many results have to be found before the rest cannot matter.
    pub fn enough(&self) -> Option<u64> {
        self.limit.map(|limit| limit.saturating_add(self.skip))
    }

    /// The stretch of a list.
    pub fn apply<T>(&self, list: Vec<T>) -> Vec<T> {
        if self.is_open() {
            return list;
        }
        let skip = usize::try_from(self.skip).unwrap_or(usize::MAX);
        let limit = self.limit.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
        list.into_iter().skip(skip).take(limit).collect()
    }
}

/// Chains of which the first that matches anything counts.
#[derive(Debug, Clone)]
pub struct Group {
    /// The alternatives, at least one. They are shared with whoever looks for them.
    pub chains: Vec<Arc<Chain>>,
}

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
