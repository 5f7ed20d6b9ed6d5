//! Depth expressions, the same in `:depth(…)`, in depth steps and in positions.
//!
//! Invariants: an expression and a set hold at least one item; a range runs upward; sets do not
//! nest. Numbers beyond 64 bits are held at the nearest one, which no depth can reach.

use crate::language::span::At;
use crate::language::words::Op;

/// A list of depths, any of which may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DepthExpr {
    /// The whole expression; for a depth step with its word.
    pub at: At,
    /// The items, at least one.
    pub items: Vec<DepthItem>,
}

/// One item of a depth expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DepthItem {
    /// Exactly this depth.
    One(i64),
    /// From the first to the second, both included.
    Range(i64, i64),
    /// `<n`, `<=n`, `>n` or `>=n`.
    Compare(Op, i64),
    /// `{…}`: any of these, none of which is a set.
    Set(Vec<DepthItem>),
}

impl DepthExpr {
    /// Whether a node of this depth is meant.
    pub fn contains(&self, depth: i64) -> bool {
        self.items.iter().any(|item| item.contains(depth))
    }
}

impl DepthItem {
    /// Whether a node of this depth is meant.
    pub fn contains(&self, depth: i64) -> bool {
        match self {
            DepthItem::One(n) => depth == *n,
            DepthItem::Range(from, to) => (*from..=*to).contains(&depth),
            DepthItem::Compare(op, n) => match op {
                Op::Lt => depth < *n,
                Op::Le => depth <= *n,
                Op::Gt => depth > *n,
                Op::Ge => depth >= *n,
                Op::Eq => depth == *n,
                Op::Ne => depth != *n,
                Op::Match | Op::NotMatch => false,
            },
            DepthItem::Set(items) => items.iter().any(|item| item.contains(depth)),
        }
    }
}
