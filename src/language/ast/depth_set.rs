//! Sets of depths as disjoint intervals, so that a bound on depth is a bound on what is read.
//!
//! Invariant: intervals are sorted, do not touch, and are not empty.

use super::depth::{DepthExpr, DepthItem};
use crate::language::words::Op;
use smallvec::{SmallVec, smallvec};

/// A set of depths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepthSet {
    spans: Spans,
}

/// Mostly there is one.
type Spans = SmallVec<[(i64, i64); 1]>;

impl DepthSet {
    /// No depth.
    pub fn none() -> DepthSet {
        DepthSet { spans: Spans::new() }
    }

    /// Every depth.
    pub fn all() -> DepthSet {
        DepthSet { spans: smallvec![(i64::MIN, i64::MAX)] }
    }

    /// From the first to the second, both included.
    pub fn span(from: i64, to: i64) -> DepthSet {
        DepthSet::of(smallvec![(from, to)])
    }

    /// What a depth expression means.
    pub fn from_expr(expr: &DepthExpr) -> DepthSet {
        let mut spans = Spans::new();
        for item in &expr.items {
            collect(item, &mut spans);
        }
        DepthSet::of(spans)
    }

    /// The depths that compare like this with a number.
    pub fn compared(op: Op, n: i64) -> DepthSet {
        DepthSet::of(compare(op, n))
    }

    fn of(mut spans: Spans) -> DepthSet {
        spans.retain(|(from, to)| from <= to);
        spans.sort_unstable();
        let mut merged = Spans::with_capacity(spans.len());
        for (from, to) in spans {
            match merged.last_mut() {
                Some((_, end)) if from <= end.saturating_add(1) => *end = (*end).max(to),
                _ => merged.push((from, to)),
            }
        }
        DepthSet { spans: merged }
    }

    /// Whether a depth is in it.
    pub fn contains(&self, depth: i64) -> bool {
        let after = self.spans.partition_point(|(from, _)| *from <= depth);
        after > 0 && self.spans[after - 1].1 >= depth
    }

    /// Whether it holds every depth.
    pub fn is_all(&self) -> bool {
        *self == DepthSet::all()
    }

    /// The depths in both.
    pub fn and(&self, other: &DepthSet) -> DepthSet {
        let mut spans = Spans::new();
        let (mut a, mut b) = (self.spans.iter().peekable(), other.spans.iter().peekable());
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            spans.push((x.0.max(y.0), x.1.min(y.1)));
            if x.1 < y.1 {
                a.next()
            } else {
                b.next()
            };
        }
        DepthSet::of(spans)
    }

    /// The depths in either.
    pub fn or(&self, other: &DepthSet) -> DepthSet {
        DepthSet::of(self.spans.iter().chain(&other.spans).copied().collect())
    }

    /// How many depths it holds.
    pub fn count(&self) -> u64 {
        let sizes = self.spans.iter().map(|(from, to)| to.abs_diff(*from).saturating_add(1));
        sizes.fold(0, u64::saturating_add)
    }

    /// The intervals, both ends included, ascending.
    pub fn spans(&self) -> &[(i64, i64)] {
        &self.spans
    }
}

fn collect(item: &DepthItem, spans: &mut Spans) {
    match item {
        DepthItem::One(n) => spans.push((*n, *n)),
        DepthItem::Range(from, to) => spans.push((*from, *to)),
        DepthItem::Compare(op, n) => spans.extend(compare(*op, *n)),
        // Sets do not nest, so this goes one level down.
        DepthItem::Set(items) => items.iter().for_each(|item| collect(item, spans)),
    }
}

fn compare(op: Op, n: i64) -> Spans {
    let below = n.checked_sub(1).map(|end| (i64::MIN, end));
    let above = n.checked_add(1).map(|start| (start, i64::MAX));
    match op {
        Op::Lt => below.into_iter().collect(),
        Op::Le => smallvec![(i64::MIN, n)],
        Op::Gt => above.into_iter().collect(),
        Op::Ge => smallvec![(n, i64::MAX)],
        Op::Eq => smallvec![(n, n)],
        Op::Ne => below.into_iter().chain(above).collect(),
        Op::Match | Op::NotMatch => Spans::new(),
    }
}

impl std::fmt::Display for DepthSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, (from, to)) in self.spans.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            match (*from, *to) {
                (i64::MIN, i64::MAX) => f.write_str("any")?,
                (i64::MIN, to) => write!(f, "up to {to}")?,
                (from, i64::MAX) => write!(f, "from {from}")?,
                (from, to) if from == to => write!(f, "{from}")?,
                (from, to) => write!(f, "{from} to {to}")?,
            }
        }
        if self.spans.is_empty() { f.write_str("none") } else { Ok(()) }
    }
}
