//! The leaves of compounds: ids, types, tags, filters and their tests.
//!
//! Invariants: a filter has at least one test and a list at least one value; `FilterForm::Group` stands
//! directly behind a type.

use crate::language::span::At;
use crate::language::words::Op;

/// `#x`: an id in dialect 0.1, a key in 1.0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Id {
    /// With its `#`.
    pub at: At,
    /// The text, unquoted.
    pub text: String,
}

/// `.base`, or `.base:name` whose meaning depends on the dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName {
    /// With its dot, where it has one.
    pub at: At,
    /// Up to the first colon.
    pub base: String,
    /// Behind the first colon; may hold further colons.
    pub name: Option<String>,
}

/// `+tag`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// With its `+`.
    pub at: At,
    /// The tag.
    pub text: String,
}

/// A sign of the offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Zone {
    /// Below zero.
    Pre,
    /// Zero.
    Core,
    /// Above zero.
    Post,
}

/// A filter that stands apart from any step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// `[…]` or `{…}`
    Attrs(AttrFilter),
    /// `+tag`
    Tag(Tag),
}

impl Filter {
    /// Where the filter stands.
    pub fn at(&self) -> At {
        match self {
            Filter::Attrs(filter) => filter.at,
            Filter::Tag(tag) => tag.at,
        }
    }
}

/// Tests in one pair of brackets; all must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttrFilter {
    /// With its brackets.
    pub at: At,
    /// Which brackets; they mean the same.
    pub form: FilterForm,
    /// The tests, at least one.
    pub tests: Vec<Test>,
}

/// Which brackets a filter has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FilterForm {
    /// `[…]`
    Square,
    /// `{…}`
    Brace,
    /// `(…)` behind a type.
    Group,
}

/// A test of one attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The whole test.
    pub at: At,
    /// The attribute.
    pub name: AttrName,
    /// What must hold of it.
    pub kind: TestKind,
}

/// The name of an attribute; quoted in the text if it is not made of name characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttrName {
    /// The name in the text.
    pub at: At,
    /// The name, unquoted.
    pub text: String,
}

/// What must hold of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestKind {
    /// `[name]`: it is not null; or a behaviour word.
    Present,
    /// `[name op value]`
    Compare(Op, Value),
    /// `in [a, b]` and `= [a, b]`: it equals one of these.
    In(Vec<Value>),
    /// `!= [a, b]`: it equals none of these.
    NotIn(Vec<Value>),
}

/// A value as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The value in the text.
    pub at: At,
    /// What it is.
    pub kind: ValueKind,
}

/// How a value was written; comparison depends on it (R6.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// In quotes; without them and without escapes.
    Text(String),
    /// A bare word that is not null.
    Word(String),
    /// A number, as it was spelled.
    Number(String),
    /// One of the bare words for null.
    Null,
}
