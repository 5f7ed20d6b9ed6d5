//! Constructors for time: endpoints become a time that cannot mix kinds.
//!
//! The two range codes of the protocol are raised here and nowhere else.

use super::literals::integer;
use crate::language::ast::{At, RangeEnd, Time, TimeKind};
use crate::language::clock;
use crate::language::syntax_error::{SyntaxError, SyntaxErrorKind};

/// An end of a range, or a single address, as it was written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End<'a> {
    /// `@t-3`
    Relative(&'a str),
    /// `@t-*`
    Oldest,
    /// `@c4`
    Cycle(&'a str),
    /// `@e7`
    Event(&'a str),
    /// `@2026-03-02T18:00Z`
    Clock(&'a str),
    /// `@*`
    All,
    /// `-3` or `20`, of the kind of the other end.
    Bare(&'a str),
    /// `-*`
    BareOldest,
}

pub(crate) fn time_single(l: usize, end: End<'_>, r: usize) -> Result<Time, SyntaxError> {
    let at = At::new(l, r);
    let kind = match end {
        End::Relative(n) => TimeKind::Relative(integer(n)),
        End::Cycle(n) => TimeKind::Cycle(cycle(n)),
        End::Event(n) => TimeKind::Event(cycle(n)),
        End::Clock(text) => TimeKind::Clock(moment(at, text)?),
        End::All => TimeKind::All,
        End::Oldest | End::Bare(_) | End::BareOldest => {
            let message = "`@t-*` is only an end of a range";
            return Err(SyntaxError::invalid(at.0, message)
                .with_hint("write `@t0..@t-*` for all of history, or `@*` for every snapshot"));
        }
    };
    Ok(Time { at, kind, beyond: beyond(&[end]) })
}

pub(crate) fn time_range(
    l: usize,
    from: End<'_>,
    to: End<'_>,
    r: usize,
) -> Result<Time, SyntaxError> {
    let at = At::new(l, r);
    let kind = match (from, to) {
        (End::Event(_), _) | (_, End::Event(_)) => {
            return Err(SyntaxError::invalid(at.0, "an event is not an end of a range").with_hint(
                "a range is of snapshots, `@c10..@c20`; `diff @e5 @e9` compares two events",
            ));
        }
        (End::All, _) | (_, End::All) => {
            return Err(SyntaxError::of(
                SyntaxErrorKind::RangeWildcard,
                at.0,
                "`@*` is not an end of a range",
            )
            .with_hint("`@t-*` reaches back to the oldest snapshot: `@t0..@t-*`"));
        }
        (End::Clock(a), End::Clock(b)) => TimeKind::ClockRange(moment(at, a)?, moment(at, b)?),
        (End::Cycle(a), End::Cycle(b)) => TimeKind::CycleRange(cycle(a), cycle(b)),
        (End::Cycle(a), End::Bare(b)) if !b.starts_with(['+', '-']) => {
            TimeKind::CycleRange(cycle(a), cycle(b))
        }
        (End::Cycle(_), End::Bare(_)) => {
            return Err(SyntaxError::invalid(at.0, "a cycle has no sign")
                .with_hint("write both ends as cycles, `@c10..@c20`"));
        }
        (End::Cycle(_) | End::Clock(_), _) | (_, End::Cycle(_) | End::Clock(_)) => {
            return Err(SyntaxError::of(
                SyntaxErrorKind::RangeKindMismatch,
                at.0,
                "the two ends of a range are of different kinds",
            )
            .with_hint("use `@t` at both ends, or `@c`, or clock times"));
        }
        (from, to) => TimeKind::RelativeRange(relative(from), relative(to)),
    };
    Ok(Time { at, kind, beyond: beyond(&[from, to]) })
}

pub(crate) fn time_history(l: usize, r: usize) -> Time {
    let kind = TimeKind::RelativeRange(RangeEnd::Relative(0), RangeEnd::Oldest);
    Time { at: At::new(l, r), kind, beyond: None }
}

fn relative(end: End<'_>) -> RangeEnd {
    match end {
        End::Relative(n) | End::Bare(n) | End::Cycle(n) | End::Event(n) => {
            RangeEnd::Relative(integer(n))
        }
        End::Oldest | End::BareOldest | End::All | End::Clock(_) => RangeEnd::Oldest,
    }
}

/// What was written, in canonical form, if a number in it has more than 64 bits.
fn beyond(ends: &[End<'_>]) -> Option<String> {
    let cycles = matches!(ends, [End::Cycle(_), ..]);
    let fits = |end: &End<'_>| match end {
        End::Bare(n) if cycles => n.parse::<u64>().is_ok(),
        End::Cycle(n) | End::Event(n) => n.parse::<u64>().is_ok(),
        End::Relative(n) | End::Bare(n) => n.parse::<i64>().is_ok(),
        End::Oldest | End::BareOldest | End::All | End::Clock(_) => true,
    };
    let text = |end: &End<'_>| match end {
        End::Bare(n) if cycles => format!("@c{n}"),
        End::Cycle(n) => format!("@c{n}"),
        End::Event(n) => format!("@e{n}"),
        End::Relative(n) | End::Bare(n) => format!("@t{n}"),
        End::Oldest | End::BareOldest => "@t-*".to_owned(),
        End::Clock(text) => format!("@{text}"),
        End::All => "@*".to_owned(),
    };
    (!ends.iter().all(fits)).then(|| ends.iter().map(text).collect::<Vec<_>>().join(".."))
}

/// The moment of a clock time that says which it is.
fn moment(at: At, text: &str) -> Result<i64, SyntaxError> {
    clock::moment(text).ok_or_else(|| {
        SyntaxError::invalid(at.0, format!("`@{text}` does not say which moment is meant"))
            .with_hint("write the date, the time and the offset from UTC, `@2026-03-02T18:00Z`; at the command line also `@'2026-03-02 18:00'`, `@-2h`, `@today`")
    })
}

/// The cycle or event, or the nearest one of 64 bits.
fn cycle(digits: &str) -> u64 {
    digits.parse().unwrap_or(u64::MAX)
}
