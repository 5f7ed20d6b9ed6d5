//! Time addresses and ranges.
//!
//! Relative addresses are raw: which snapshot `@t0` is depends on the dialect and the store.
//! Invariant: both ends of a range have one kind. Numbers beyond 64 bits are held at the nearest
//! one, which no history can reach.

use crate::language::span::At;

/// A time prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Time {
    /// The whole prefix, without the white space behind it.
    pub at: At,
    /// Which time.
    pub kind: TimeKind,
    /// What was written, if a number in it has more than 64 bits; `kind` has the nearest one.
    pub beyond: Option<String>,
}

/// Which time is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeKind {
    /// `@t-3`
    Relative(i64),
    /// `@c42`
    Cycle(u64),
    /// `@e7`, the working state right after an event.
    Event(u64),
    /// `@2026-03-02T18:00Z`, in nanoseconds since 1970: the newest snapshot that was committed by then.
    Clock(i64),
    /// `@*`, every snapshot.
    All,
    /// `@t-3..@t0`, in either order. `@history` is `@t0..@t-*`.
    RelativeRange(RangeEnd, RangeEnd),
    /// `@c10..@c20`, in either order.
    CycleRange(u64, u64),
    /// The snapshots from one clock time to another, in either order.
    ClockRange(i64, i64),
}

impl TimeKind {
    /// Whether the answer is a range diff.
    pub fn is_range(self) -> bool {
        matches!(
            self,
            TimeKind::RelativeRange(..) | TimeKind::CycleRange(..) | TimeKind::ClockRange(..)
        )
    }
}

/// An end of a relative range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RangeEnd {
    /// `@t-3`
    Relative(i64),
    /// `@t-*`, the oldest snapshot.
    Oldest,
}
