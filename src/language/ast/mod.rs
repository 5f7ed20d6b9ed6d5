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
//! [`Visit`] goes over a tree for whoever looks at some of its parts only; [`DepthSet`] is the set of
//! numbers that a depth expression stands for.
//!
//! The tree knows no store and no evaluation. It cannot express mixed ranges, insertions outside a
//! place, parentheses inside a chain, or filters on a depth step.

mod chain;
mod depth;
mod depth_set;
mod filter;
mod selector;
mod statement;
mod time;
mod visit;

pub use chain::{
    Chain, Combinator, Compound, Head, Hop, HopKind, Link, Position, Pseudo, Relative, Simple, Step,
};
pub use depth::{DepthExpr, DepthItem};
pub use depth_set::DepthSet;
pub use filter::{
    AttrFilter, AttrName, Filter, FilterForm, Id, Tag, Test, TestKind, TypeName, Value, ValueKind,
    Zone,
};
pub use selector::{
    Control, ControlKind, Group, Insertion, Mode, Order, Place, PlaceKind, Selector, Target,
};
pub use statement::{
    Add, Commit, Content, Diff, EndCadence, Field, FieldValue, Fields, Moment, Move, Policy,
    Remove, Restore, Set, Statement,
};
pub use time::{RangeEnd, Time, TimeKind};
pub use visit::{Visit, visit_filters, visit_group, visit_position, visit_selector};

pub use crate::language::span::At;
pub use crate::language::words::{Base, Op, Root};
