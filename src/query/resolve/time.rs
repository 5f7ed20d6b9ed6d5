//! Time addresses to states (R5.2–R5.4): what exists, what is clipped, what is not there.

use crate::code::Code;
use crate::language::Dialect;
use crate::language::ast::{Time, TimeKind};
use crate::query::plan::{RangeKind, State, Stop, When, end_value};
use crate::query::query_error::QueryError;
use crate::query::timeline::{EventState, Timeline};

/// The states that a time means. Of a range at most `max` snapshots are kept, the newest.
pub fn resolve_time(
    time: Option<&Time>,
    dialect: Dialect,
    timeline: &dyn Timeline,
    max: Option<u64>,
    warnings: &mut Vec<String>,
) -> Result<When, QueryError> {
    let Some(time) = time else { return Ok(When::One(State::Working)) };
    let clock = Clock { dialect, timeline, time };
    match time.kind {
        TimeKind::All => Ok(When::Every),
        TimeKind::Relative(value) => clock.relative(value).map(When::One),
        TimeKind::Cycle(cycle) if timeline.history().contains(cycle) => {
            Ok(When::One(State::Cycle(cycle)))
        }
        TimeKind::Cycle(cycle) => Err(clock.missing("", format!("@c{cycle}"))),
        TimeKind::Event(seq) => clock.event(seq).map(When::One),
        TimeKind::Clock(ns) => clock.at(ns).map(|cycle| When::One(State::Cycle(cycle))),
        TimeKind::ClockRange(a, b) => clock.clock_range(a.min(b), a.max(b), max, warnings),
        TimeKind::RelativeRange(a, b) => {
            let oldest = clock.oldest();
            clock.relative_range(end_value(a, oldest), end_value(b, oldest), max, warnings)
        }
        TimeKind::CycleRange(a, b) => clock.cycle_range(a.min(b), a.max(b), max, warnings),
    }
}

struct Clock<'a> {
    dialect: Dialect,
    timeline: &'a dyn Timeline,
    time: &'a Time,
}

impl Clock<'_> {
    /// The address of the newest snapshot: 0 or -1.
    fn newest_snapshot(&self) -> i64 {
        if self.dialect.t0_is_working_state() { -1 } else { 0 }
    }

    /// The lowest address that exists; above [`Clock::newest`] if none does.
    fn oldest(&self) -> i64 {
        let count = i64::try_from(self.timeline.history().len()).unwrap_or(i64::MAX);
        self.newest_snapshot().saturating_add(1).saturating_sub(count)
    }

    fn state(&self, value: i64) -> Option<State> {
        if value == 0 && self.dialect.t0_is_working_state() {
            return Some(State::Working);
        }
        let steps = u64::try_from(self.newest_snapshot().checked_sub(value)?).ok()?;
        self.timeline.history().back(steps).map(State::Cycle)
    }

    fn event(&self, seq: u64) -> Result<State, QueryError> {
        let beyond = self.time.beyond.as_deref().and_then(|text| text.strip_prefix("@e"));
        let number = beyond.map_or_else(|| seq.to_string(), str::to_owned);
        let (message, hint) = match self.timeline.event(seq)? {
            EventState::After(after) => return Ok(State::Event { seq, after }),
            EventState::Inside { last } => (
                format!("event {seq} lies inside a batch, which happened at once"),
                format!("`@e{last}` is the state after all of it"),
            ),
            EventState::Unknown { newest: 0 } => {
                (format!("there is no event {number}"), "there is no event yet".to_owned())
            }
            EventState::Unknown { newest } => (
                format!("there is no event {number}"),
                format!("events are numbered from 1 to {newest}"),
            ),
        };
        Err(QueryError::new(Code::SnapshotNotFound, message).at(self.time.at.0).with_hint(hint))
    }

    fn relative(&self, value: i64) -> Result<State, QueryError> {
        self.state(value).ok_or_else(|| {
            let sign = if value > 0 { "+" } else { "" };
            self.missing("", format!("@t{sign}{value}"))
        })
    }

    fn relative_range(
        &self,
        a: i64,
        b: i64,
        max: Option<u64>,
        warnings: &mut Vec<String>,
    ) -> Result<When, QueryError> {
        let (low, high) = (a.min(b), a.max(b));
        let (first, last) = (low.max(self.oldest()), high.min(0));
        if first > last {
            return Err(self.not_found("the range lies outside history".to_owned()));
        }
        if (first, last) != (low, high) {
            warnings
                .push(format!("the range is clipped to @t{first}..@t{last}: history has no more"));
        }
        let count = last.abs_diff(first).saturating_add(1);
        let kept = max.map_or(count, |max| max.min(count));
        let stops = (0..kept).filter_map(|back| {
            let value = last.checked_sub(i64::try_from(back).ok()?)?;
            let state = self.state(value)?;
            let cycle = match state {
                State::Cycle(cycle) => cycle,
                _ => self.timeline.last_cycle().saturating_add(1),
            };
            Some(Stop { state, value, cycle })
        });
        Ok(When::Range { kind: RangeKind::Relative, stops: stops.collect(), cut: kept < count })
    }

    /// The newest snapshot that was committed at a moment or before it.
    fn at(&self, ns: i64) -> Result<u64, QueryError> {
        let found = self.timeline.newest_until(ns)?;
        found.ok_or_else(|| self.not_found("nothing was committed by then".to_owned()))
    }

    /// From the state that there was at one moment to the one that there was at another.
    fn clock_range(
        &self,
        low: i64,
        high: i64,
        max: Option<u64>,
        warnings: &mut Vec<String>,
    ) -> Result<When, QueryError> {
        let last = self.at(high)?;
        let oldest = self.timeline.history().iter().next().unwrap_or(last);
        let first = match self.timeline.newest_until(low)? {
            Some(first) => first,
            None => {
                warnings.push(format!("the range is clipped to @c{oldest}: history has no more"));
                oldest
            }
        };
        self.cycle_range(first.min(last), first.max(last), max, &mut Vec::new())
    }

    fn cycle_range(
        &self,
        low: u64,
        high: u64,
        max: Option<u64>,
        warnings: &mut Vec<String>,
    ) -> Result<When, QueryError> {
        let mut cycles: Vec<u64> = Vec::new();
        for (from, to) in self.timeline.history().runs().iter().rev() {
            let (from, to) = ((*from).max(low), (*to).min(high));
            if from <= to {
                cycles.extend((from..=to).rev());
            }
        }
        let (Some(newest), Some(oldest)) = (cycles.first(), cycles.last()) else {
            return Err(self.missing("in ", format!("@c{low}..@c{high}")));
        };
        if (*oldest, *newest) != (low, high) {
            warnings.push(format!(
                "the range is clipped to @c{oldest}..@c{newest}: history has no more"
            ));
        }
        let kept = max.map_or(cycles.len(), |max| {
            usize::try_from(max).map_or(cycles.len(), |max| max.min(cycles.len()))
        });
        let cut = kept < cycles.len();
        let stops = cycles[..kept].iter().map(|cycle| Stop {
            state: State::Cycle(*cycle),
            value: i64::try_from(*cycle).unwrap_or(i64::MAX),
            cycle: *cycle,
        });
        Ok(When::Range { kind: RangeKind::Cycles, stops: stops.collect(), cut })
    }

    /// Nothing is at an address, which is quoted as it was written if no number holds it.
    fn missing(&self, inside: &str, address: String) -> QueryError {
        let address = self.time.beyond.as_ref().unwrap_or(&address);
        self.not_found(format!("there is no snapshot {inside}{address}"))
    }

    fn not_found(&self, message: String) -> QueryError {
        let history = self.timeline.history();
        let cycles = history.runs().first().zip(history.runs().last());
        let hint = match cycles {
            Some(((oldest, _), (_, newest))) if oldest == newest => {
                format!("the only snapshot is @c{newest}")
            }
            Some(((oldest, _), (_, newest))) => {
                format!("snapshots reach from @c{oldest} to @c{newest}")
            }
            None => "nothing has been committed yet".to_owned(),
        };
        QueryError::new(Code::SnapshotNotFound, message).at(self.time.at.0).with_hint(hint)
    }
}
