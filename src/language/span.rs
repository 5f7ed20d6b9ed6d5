//! Where a piece of a selector stands in its text.
//!
//! Knows nothing of tokens or trees. Invariant: `start <= end`, both are byte offsets on character
//! boundaries of the text that was read.

use std::fmt;

/// A range of bytes of the text, the end exclusive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The bytes from `start` up to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        debug_assert!(start <= end, "a span runs forward");
        Span { start, end }
    }

    /// The piece of `text` that this span covers; empty if the span is not one of `text`.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or("")
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// The span of a part of the syntax tree.
///
/// Any two are equal, so that the derived equality of tree types compares what was said and not
/// where: `.a  >  .b` equals `.a > .b`. Compare the inner [`Span`] where places matter.
#[derive(Clone, Copy, Default)]
pub struct At(pub Span);

impl At {
    /// The part that reaches from `start` up to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        At(Span::new(start, end))
    }
}

impl PartialEq for At {
    fn eq(&self, _: &At) -> bool {
        true
    }
}

impl Eq for At {}

impl fmt::Debug for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
