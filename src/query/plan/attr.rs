//! Attributes, and what must hold of them.
//!
//! Invariants: patterns are compiled; a value that spells a number carries it; lists of texts are
//! sets. How a check is decided is the evaluator's business.

use super::number::Number;
use crate::language::ast::Op;
use crate::model::{Class, EngineText, FlagField, ListField, NumberField, TextField};
use regex::Regex;
use std::collections::BTreeSet;

/// A set of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassSet(u8);

impl ClassSet {
    /// A set of these.
    pub fn of(classes: &[Class]) -> ClassSet {
        ClassSet(classes.iter().fold(0, |bits, class| bits | 1 << (*class as u8)))
    }

    /// Whether a class is in it.
    pub fn contains(self, class: Class) -> bool {
        self.0 & 1 << (class as u8) != 0
    }

    /// Whether the two have a class in common.
    pub fn meets(self, other: ClassSet) -> bool {
        self.0 & other.0 != 0
    }

    /// The classes in either.
    pub fn or(self, other: ClassSet) -> ClassSet {
        ClassSet(self.0 | other.0)
    }
}

/// An attribute, by how it is compared (R6.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attr {
    /// A number.
    Number(NumberAttr),
    /// A string.
    Text(TextAttr),
    /// The tags, any of which may satisfy a check.
    Tags,
    /// The kind, and the name behind the canonical base of the type, either of which may satisfy a
    /// check (R14.5).
    Kinds,
    /// A boolean header; false is null.
    Flag(FlagField),
    /// A list header; empty is null.
    List(ListField),
    /// The content.
    Content,
    /// An attribute of the user's own.
    Custom(CustomAttr),
}

/// An attribute of the user's own, as a filter names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomAttr {
    /// The name.
    pub name: Box<str>,
    /// What is read where a node has no attribute of that name: `data_` and the name (R14.11).
    pub long: Option<Box<str>>,
}

/// The numeric attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberAttr {
    /// A header.
    Header(NumberField),
    /// The depth of its turn.
    Depth,
    /// How many edges it is away from its turn.
    Sdepth,
    /// How many cycles ago it was made.
    Age,
    /// The cycle that it was made for, by its other name.
    BornTurn,
}

/// The string attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextAttr {
    /// A header that somebody may give.
    Header(TextField),
    /// A header of the engine's making.
    Engine(EngineText),
    /// The last word of the type.
    Type,
}

impl TextAttr {
    /// The type, as it is stored.
    pub const NODE_TYPE: TextAttr = TextAttr::Engine(EngineText::NodeType);
}

/// What must hold of an attribute.
#[derive(Debug, Clone)]
pub enum Check {
    /// It is not null.
    Present,
    /// It compares like this; never `~`.
    Compare(Op, Value),
    /// It equals one of these.
    OneOf(Vec<Value>),
    /// It is one of these texts; only of string attributes and tags, and never null.
    OneText(BTreeSet<Box<str>>),
    /// The pattern is found in its text.
    Match(Regex),
    /// The pattern is not found in its text, or it is null.
    NotMatch(Regex),
    /// Nothing satisfies this: `~` with null.
    Never,
}

/// A value to compare with.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Null.
    Null,
    /// Anything else.
    Given(ValueText),
}

/// A value that is not null.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueText {
    /// As it was spelled, without quotes.
    pub text: Box<str>,
    /// Whether it was a bare number; otherwise it is a string.
    pub bare_number: bool,
    /// The number that it spells, bare or quoted.
    pub number: Option<Number>,
}
