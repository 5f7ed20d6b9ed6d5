//! The syntax tree: what was written, with the place of every part.
//!
//! It is faithful to the text up to spelling: white space, the choice between `..` and `:`, `d1`
//! and `depth(1)`, quote marks and escapes are gone; the order of parts and the kind of brackets
//! are kept. Equality ignores places (see [`At`]).
//!
//! What depends on the dialect: a detached `[…]` is decided here, as a step or as a filter of its
//! chain (R6.8). `#x` ([`Id`]), `.base:name` ([`TypeName`]) and relative times ([`Time`]) are kept
//! raw; the stage that resolves names reads them by the dialect.
//!
//! The tree knows no store and no evaluation. It cannot express mixed ranges, insertions outside a
//! place, parentheses inside a chain, or filters on a depth step.

mod depth;
mod filter;
mod position;
mod statement;
mod time;

pub use depth::{DepthExpr, DepthItem};
pub use filter::{
    AttrFilter, AttrName, Compound, Filter, FilterForm, Id, Part, Pseudo, Tag, Test, TestKind,
    TypeName, Value, ValueKind, Zone,
};
pub use position::{Hop, HopKind, HopPart, Insertion, Position};
pub use statement::{
    Add, Commit, Content, Diff, EndCadence, Field, FieldValue, Fields, Moment, Move, Policy,
    Remove, Restore, Set, Statement,
};
pub use time::{RangeEnd, Time, TimeKind};

pub use super::span::At;
pub use super::words::{Base, Op, Root};

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
