//! Positions: addresses that go one level down with each element (R6.9).
//!
//! Invariants: the depth comes first and only there; [`HopKind::Itself`] only directly behind it; a
//! chain comes last, begins with a compound, and that with a type, an id, a tag or a filter.

use super::{At, AttrFilter, Base, Chain, DepthExpr, Head, Part, Pseudo, Step, Tag, TypeName};

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
        let is_turn = |part: &Part| match part {
            Part::Type(name) => Base::from_name(&name.base) == Some(Base::Turn),
            _ => false,
        };
        match self.chain.as_ref().map(|chain| &chain.head) {
            Some(Head::Step(Step::Compound(first))) => {
                self.hops.is_empty() && first.parts.iter().any(is_turn)
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
    /// What must hold of them besides; empty for an offset.
    pub parts: Vec<HopPart>,
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

/// What must hold of the nodes that an element leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HopPart {
    /// `[…]`, `{…}` or a group.
    Attrs(AttrFilter),
    /// `+tag`
    Tag(Tag),
    /// `:first`
    Pseudo(At, Pseudo),
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
