//! Selectors, chains, steps and positions: the types that contain one another.
//!
//! A chain may begin with a position and a position may end in a chain (R6.9, R14.16), so they stand
//! in one file. Invariants of a position: the depth comes first and only there; [`HopKind::Itself`]
//! only directly behind it; a chain comes last, begins with a compound, and that with a type, an id,
//! a tag or a filter.

use super::depth::DepthExpr;
use super::filter::{Compound, Filter, Simple, TypeName, Value, Zone};
use super::time::Time;
use crate::language::span::At;
use crate::language::words::Base;

/// A whole selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The whole text but for white space at its ends.
    pub at: At,
    /// When; none means the working state in both dialects.
    pub time: Option<Time>,
    /// The groups that commas separate, at least one: their results are united.
    pub groups: Vec<Group>,
    /// The controls, in the order given.
    pub controls: Vec<Control>,
    /// Filters written after a control: they belong to the last chain of the last group.
    pub late_filters: Vec<Filter>,
}

/// `A ?? B`: the first chain that matches anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The whole group.
    pub at: At,
    /// The alternatives, at least one.
    pub chains: Vec<Chain>,
}

/// Steps, and the filters that stand apart behind them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The whole chain.
    pub at: At,
    /// What the chain begins with.
    pub head: Head,
    /// The steps that follow.
    pub links: Vec<Link>,
    /// Detached filters on the result of the steps; all must hold. Runs are not kept apart.
    pub filters: Vec<Filter>,
}

/// The beginning of a chain, the only place for parentheses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// An ordinary step.
    Step(Step),
    /// `(d1, 0, 1)`
    Position(Position),
    /// `((d1, 0), (d2, 0))`, at least two.
    Positions(At, Vec<Position>),
    /// `( .seg .block )`: just that chain. It does not begin with a depth step, which would make
    /// it a position.
    Chain(At, Box<Chain>),
}

impl Head {
    /// Where the head stands.
    pub fn at(&self) -> At {
        match self {
            Head::Step(step) => step.at(),
            Head::Position(position) => position.at,
            Head::Positions(at, _) | Head::Chain(at, _) => *at,
        }
    }
}

/// A combinator and the step behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// How the step hangs on what is to its left.
    pub combinator: Combinator,
    /// The step.
    pub step: Step,
}

/// How a step hangs on the part of the chain to its left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combinator {
    /// White space.
    Descendant,
    /// `>`
    Child,
}

/// One step of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Parts that must all hold.
    Compound(Compound),
    /// `d1`, `d1..d3`, `depth(1, >3)`: the containers of these depths.
    Depth(DepthExpr),
    /// `:pre`, `:core` or `:post` on its own (R6.7).
    Zone(At, Zone),
}

impl Step {
    /// Where the step stands.
    pub fn at(&self) -> At {
        match self {
            Step::Compound(compound) => compound.at,
            Step::Depth(depth) => depth.at,
            Step::Zone(at, _) => *at,
        }
    }
}

/// `@name` or `@name=value` behind the groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// The whole control.
    pub at: At,
    /// What it asks.
    pub kind: ControlKind,
}

/// What a control asks. Each of the known ones stands at most once in a selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlKind {
    /// `@limit=N`
    Limit(u64),
    /// `@skip=N`
    Skip(u64),
    /// `@first`
    First,
    /// `@unique`
    Unique,
    /// `@order=…`
    Order(Order),
    /// `@mode=…`
    Mode(Mode),
    /// Any other, to be ignored with a warning.
    Unknown(String, Option<Value>),
}

/// `@order=…`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// `path`, the canonical order.
    Path,
    /// `recent`, the newest first.
    Recent,
    /// `id`, by bytes.
    Id,
}

impl Order {
    /// The words of `@order=`.
    pub const WORDS: [(&'static str, Order); 3] =
        [("path", Order::Path), ("recent", Order::Recent), ("id", Order::Id)];
}

/// `@mode=…`, for ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// One block for each pair of neighbours.
    Pairwise,
    /// One block, the newest against the oldest.
    Latest,
}

impl Mode {
    /// The words of `@mode=`.
    pub const WORDS: [(&'static str, Mode); 2] =
        [("pairwise", Mode::Pairwise), ("latest", Mode::Latest)];
}

/// The target of an edit: a selector without a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The whole text.
    pub at: At,
    /// What is meant; its `time` is none.
    pub selector: Selector,
    /// It ended in `?`: no match is no error.
    pub optional: bool,
}

/// Where a new node goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// All of it, with the `?`.
    pub at: At,
    /// What it says.
    pub kind: PlaceKind,
    /// Whether no match is no error: it ends in `?`.
    pub optional: bool,
}

/// What a place says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// Under the node that this matches; its `time` is none.
    Under(Selector),
    /// At a place among the children of what the position matches.
    Insert(At, Position, Insertion),
}

/// `(d1, seg, 0, *:cb[role='user'])`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// With its parentheses.
    pub at: At,
    /// The containers to start from.
    pub depth: DepthExpr,
    /// The way down.
    pub hops: Vec<Hop>,
    /// A chain as the last element, below what the way leads to (R14.16).
    pub chain: Option<Box<Chain>>,
}

impl Position {
    /// Whether the first step of the chain is the container of the depth itself, and not something
    /// below it: it names a turn, directly behind the depth.
    pub fn chain_begins_at_the_depth(&self) -> bool {
        let is_turn = |simple: &Simple| match simple {
            Simple::Type(name) => Base::from_name(&name.base) == Some(Base::Turn),
            _ => false,
        };
        match self.chain.as_ref().map(|chain| &chain.head) {
            Some(Head::Step(Step::Compound(first))) => {
                self.hops.is_empty() && first.simples.iter().any(is_turn)
            }
            _ => false,
        }
    }
}

/// One element behind the depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The whole element.
    pub at: At,
    /// Which nodes it leads to.
    pub kind: HopKind,
    /// What must hold of them besides: filters, tags and pseudos; empty for an offset.
    pub simples: Vec<Simple>,
}

/// Where an element leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HopKind {
    /// An integer: the children with this offset.
    Offset(i64),
    /// `seg` or `mt` directly behind the depth: the container itself.
    Itself(TypeName),
    /// A type: the children of this type.
    Child(TypeName),
    /// `*`: every child.
    AnyChild,
    /// `*:type`: everything of this type below.
    Descendant(TypeName),
}

/// A place among children, counted from 1 (R3.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Insertion {
    /// A trailing comma: before the first child.
    Start,
    /// `end`: after the last child.
    End,
    /// `+N`: after child N.
    After(u64),
    /// `-N`: before child N.
    Before(u64),
}
