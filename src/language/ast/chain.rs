//! Chains, steps, compounds and positions: the types that contain one another.
//!
//! A chain may begin with a position and a position may end in a chain (R6.9, R14.16), and a compound
//! may hold ways down and compounds (R6.14), so they stand in one file. Invariants: a compound has at
//! least one simple selector, at most one root and at most one `*`, and as a step it is not a lone
//! offset pseudo (that is a zone). In a position the depth comes first and only there;
//! [`HopKind::Itself`] only directly behind it; a chain comes last, begins with a compound, and that
//! with a type, an id, a tag or a filter. Nothing inside `:has(…)` and `:not(…)` counts, as `:first`
//! does.

use super::depth::DepthExpr;
use super::filter::{AttrFilter, Filter, Id, Tag, TypeName, Zone};
use crate::language::span::At;
use crate::language::words::{Base, Root};

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

/// Simple selectors that must all hold, in the order written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compound {
    /// The whole compound.
    pub at: At,
    /// Its simple selectors, at least one.
    pub simples: Vec<Simple>,
}

/// One thing that a node has to be: a simple selector, as in CSS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Simple {
    /// `^ah`
    Root(At, Root),
    /// `#x`
    Id(Id),
    /// `.cb`
    Type(TypeName),
    /// `*`
    Any(At),
    /// `[…]`, `{…}` or a group.
    Attrs(AttrFilter),
    /// `+tag`
    Tag(Tag),
    /// `:first`
    Pseudo(At, Pseudo),
}

impl Simple {
    /// Where it stands.
    pub fn at(&self) -> At {
        match self {
            Simple::Root(at, _) | Simple::Any(at) | Simple::Pseudo(at, _) => *at,
            Simple::Id(id) => id.at,
            Simple::Type(name) => name.at,
            Simple::Attrs(filter) => filter.at,
            Simple::Tag(tag) => tag.at,
        }
    }
}

/// What a pseudo asks of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pseudo {
    /// `:pre`, `:core`, `:post`
    Offset(Zone),
    /// `:first`
    First,
    /// `:last`
    Last,
    /// `:nth(n)`, counted from 1.
    Nth(u64),
    /// `:depth(…)`
    Depth(DepthExpr),
    /// `:has(…)`: one of these, at least one, leads from the node to something.
    Has(Vec<Relative>),
    /// `:not(…)`: none of these, at least one, holds. They count nothing.
    Not(Vec<Compound>),
}

/// A way down from a node, inside `:has(…)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relative {
    /// All of it.
    pub at: At,
    /// The steps, at least one; the first hangs on the node. They count nothing.
    pub links: Vec<Link>,
    /// Detached filters on what the steps lead to.
    pub filters: Vec<Filter>,
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
