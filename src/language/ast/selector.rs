//! Whole selectors, the targets and places of edits, and controls.

use super::chain::{Chain, Position};
use super::filter::{Filter, Value};
use super::time::Time;
use crate::language::span::At;

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
