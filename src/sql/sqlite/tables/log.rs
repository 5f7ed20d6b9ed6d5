//! `commits`, `events` and `attempts`: the log and the telemetry.

use super::super::json::list_of;
use super::super::table::{Ask, Column, Kind, Pages, Rows, Shape, Table, Takes, Value, once};
use crate::budget;
use crate::change::{Attempt, AttemptStatus, Event};
use crate::db::{LogEntry, View, log_entry};
use crate::error::Result;
use crate::index::{CycleInfo, CycleKind};
use crate::log::Record;
use crate::model::iso_from_ns;
use crate::query::Timeline;
use crate::snapshot::hex;
use std::sync::{Arc, LazyLock};

/// Rows that are read at a time.
const PAGE: usize = 256;

pub(super) static COMMITS: LazyLock<Shape> = LazyLock::new(|| {
    use Kind::{Integer, Text};
    Shape {
        name: "commits",
        args: &[],
        columns: vec![
            Column::new("cycle", Integer, "the cycle").taking(Takes::Range),
            Column::new("seq", Integer, "the event that closed it"),
            Column::new("kind", Text, "commit, import or restore"),
            Column::new("restored", Integer, "the cycle that was restored"),
            Column::new("turn", Text, "the turn that was sealed"),
            Column::new("time", Text, "when it was written, in UTC"),
            Column::new("time_ns", Integer, "the same in nanoseconds since 1970"),
            Column::new("created_at_ns", Integer, "the time of the turn"),
            Column::new("nodes", Integer, "the nodes of the snapshot"),
            Column::new("blocks", Integer, "the blocks of the snapshot"),
            Column::new("bytes", Integer, "the bytes of their contents"),
            Column::new("expired", Text, "the topmost nodes that expired, a JSON list"),
            Column::new("cascaded", Text, "the containers that went with them"),
            Column::new("pruned", Text, "the blocks that a policy removed"),
            Column::new("digest", Text, "the digest of the snapshot"),
        ],
        about: "one row for each snapshot, oldest first",
    }
});

pub(super) static EVENTS: LazyLock<Shape> = LazyLock::new(|| {
    use Kind::{Integer, Text};
    Shape {
        name: "events",
        args: &[],
        columns: vec![
            Column::new("seq", Integer, "its number").taking(Takes::Range),
            Column::new("batch", Integer, "the first event of what happened at once"),
            Column::new("cycle", Integer, "the cycle that it belongs to").taking(Takes::Range),
            Column::new("time", Text, "when it was written, in UTC"),
            Column::new("time_ns", Integer, "the same in nanoseconds since 1970"),
            Column::new("kind", Text, "add, set, move, remove, commit …"),
            Column::new("ids", Text, "the nodes that it is about, a JSON list"),
            Column::new("summary", Text, "in words"),
            Column::new("hash", Text, "its hash in the chain"),
        ],
        about: "the log, oldest first",
    }
});

pub(super) static ATTEMPTS: LazyLock<Shape> = LazyLock::new(|| {
    use Kind::{Integer, Real, Text};
    Shape {
        name: "attempts",
        args: &[],
        columns: vec![
            Column::new("attempt_id", Text, "its name"),
            Column::new("cycle", Integer, "the cycle in progress when it started"),
            Column::new("status", Text, "running, completed, canceled or error"),
            Column::new("provider", Text, "whose model"),
            Column::new("model", Text, "which model"),
            Column::new("token_in", Integer, "tokens sent"),
            Column::new("token_out", Integer, "tokens received"),
            Column::new("time", Text, "when it started, in UTC"),
            Column::new("seconds", Real, "how long it took"),
            Column::new("started_at", Integer, "when it started, in nanoseconds since 1970"),
            Column::new("ended_at", Integer, "when it ended"),
            Column::new("error", Text, "what went wrong"),
            Column::new("at_event", Integer, "the event after which it was started"),
            Column::new("params_hash", Text, "a hash of its parameters"),
            Column::new("thread_format", Text, "the format of what it was sent"),
            Column::new("thread_sha256", Text, "a hash of what it was sent"),
        ],
        about: "calls to providers",
    }
});

/// `commits`
pub(super) struct Commits(pub(super) Arc<View>);

impl Table for Commits {
    fn shape(&self) -> &'static Shape {
        &COMMITS
    }

    fn rows(&self, ask: Ask) -> Result<Box<dyn Rows>> {
        let view = self.0.clone();
        let (mut next, most) = ask.counts(0).unwrap_or((1, 0));
        // The rows of the log are read only where a column is theirs.
        let from_log = [4, 5, 6, 7].into_iter().any(|column| ask.used & 1 << column != 0);
        let fetch = move || {
            let mut page = Vec::new();
            let (history, least) = (view.history(), next);
            let cycles = history.runs().iter().flat_map(|(from, to)| (*from).max(least)..=*to);
            for cycle in cycles.take_while(|cycle| *cycle <= most).take(PAGE) {
                budget::check()?;
                let info = view.commit(cycle)?;
                let record = match from_log {
                    true => view.records(info.seq, 1)?.pop(),
                    false => None,
                };
                next = cycle + 1;
                page.push((info, record));
            }
            Ok(page)
        };
        Ok(Box::new(Pages::new(fetch, commit_column)))
    }
}

fn commit_column((info, record): &(CycleInfo, Option<Record>), column: usize) -> Result<Value<'_>> {
    let totals = info.totals.of(None);
    let commit = record.as_ref().and_then(|record| match &record.event {
        Event::Committed(commit) => Some(commit),
        _ => None,
    });
    let time = record.as_ref().map(|record| record.time);
    Ok(match column {
        0 => Value::int(info.cycle),
        1 => Value::int(info.seq),
        2 => Value::text(match info.kind {
            CycleKind::Commit => "commit",
            CycleKind::Import => "import",
            CycleKind::Restore(_) => "restore",
        }),
        3 => match info.kind {
            CycleKind::Restore(cycle) => Value::int(cycle),
            _ => Value::Null,
        },
        4 => Value::maybe_text(commit.map(|commit| &*commit.turn)),
        5 => time.map_or(Value::Null, |time| Value::owned(iso_from_ns(time))),
        6 => Value::maybe_int(time),
        7 => Value::maybe_int(commit.map(|commit| commit.created_at_ns)),
        8 => Value::int(totals.nodes),
        9 => Value::int(totals.blocks),
        10 => Value::int(totals.bytes),
        11 => list_of(&info.removed.expired),
        12 => list_of(&info.removed.cascaded),
        13 => list_of(&info.removed.pruned),
        14 => Value::owned(hex(&info.digest)),
        _ => Value::Null,
    })
}

/// `events`
pub(super) struct Events(pub(super) Arc<View>);

impl Events {
    /// The events that conditions allow.
    fn window(&self, ask: &Ask) -> Result<(u64, u64)> {
        let view = &*self.0;
        let newest = view.newest_event()?;
        let (Some(seqs), Some(cycles)) = (ask.counts(0), ask.counts(2)) else { return Ok((1, 0)) };
        let (mut first, mut last) = (seqs.0.max(1), seqs.1.min(newest));
        let history = view.history();
        if let Some(before) = history.iter().rev().find(|cycle| *cycle < cycles.0) {
            first = first.max(view.commit(before)?.seq + 1);
        }
        if let Some(end) = history.iter().rev().find(|cycle| *cycle <= cycles.1)
            && cycles.1 <= view.last_cycle()
        {
            last = last.min(view.commit(end)?.seq);
        }
        Ok((first, last))
    }
}

impl Table for Events {
    fn shape(&self) -> &'static Shape {
        &EVENTS
    }

    fn rows(&self, ask: Ask) -> Result<Box<dyn Rows>> {
        let (mut next, last) = self.window(&ask)?;
        let view = self.0.clone();
        let mut cycle = None;
        let fetch = move || {
            let left = usize::try_from((last + 1).saturating_sub(next)).unwrap_or(usize::MAX);
            let mut page = Vec::new();
            if left == 0 {
                return Ok(page);
            }
            for record in view.records(next, PAGE.min(left))? {
                let history = view.history();
                let own = match cycle {
                    Some(cycle) => cycle,
                    None => view.cycle_of_event(record.seq)?,
                };
                page.push(log_entry(&record, own));
                cycle = Some(match record.event.closes_cycle() {
                    true => history.after(own).unwrap_or(own + 1),
                    false => own,
                });
                next = record.seq + 1;
            }
            budget::check()?;
            Ok(page)
        };
        Ok(Box::new(Pages::new(fetch, event_column)))
    }
}

fn event_column(entry: &LogEntry, column: usize) -> Result<Value<'_>> {
    Ok(match column {
        0 => Value::int(entry.seq),
        1 => Value::int(entry.group),
        2 => Value::int(entry.cycle),
        3 => Value::text(&entry.time),
        4 => Value::int(entry.time_ns),
        5 => Value::text(&entry.kind),
        6 => list_of(&entry.ids),
        7 => Value::text(&entry.summary),
        8 => Value::text(&entry.hash),
        _ => Value::Null,
    })
}

/// `attempts`
pub(super) struct Attempts(pub(super) Arc<View>);

impl Table for Attempts {
    fn shape(&self) -> &'static Shape {
        &ATTEMPTS
    }

    fn rows(&self, _: Ask) -> Result<Box<dyn Rows>> {
        Ok(Box::new(Pages::new(once(self.0.attempts()?), attempt_column)))
    }
}

fn attempt_column(attempt: &Attempt, column: usize) -> Result<Value<'_>> {
    Ok(match column {
        0 => Value::text(&attempt.attempt_id),
        1 => Value::int(attempt.cycle_id),
        2 => Value::text(status(attempt.status)),
        3 => Value::maybe_text(attempt.provider.as_deref()),
        4 => Value::maybe_text(attempt.model.as_deref()),
        5 => Value::maybe_int(attempt.token_in),
        6 => Value::maybe_int(attempt.token_out),
        7 => Value::owned(iso_from_ns(attempt.started_at)),
        8 => attempt.duration_ns().map_or(Value::Null, |ns| Value::Real(ns as f64 / 1e9)),
        9 => Value::int(attempt.started_at),
        10 => Value::maybe_int(attempt.ended_at),
        11 => Value::maybe_text(attempt.error.as_deref()),
        12 => Value::maybe_int(attempt.at_event),
        13 => Value::maybe_text(attempt.params_hash.as_deref()),
        14 => Value::maybe_text(attempt.thread_format.as_deref()),
        15 => attempt.thread_sha256.map_or(Value::Null, |hash| Value::owned(hex(&hash))),
        _ => Value::Null,
    })
}

fn status(status: AttemptStatus) -> &'static str {
    match status {
        AttemptStatus::Running => "running",
        AttemptStatus::Completed => "completed",
        AttemptStatus::Canceled => "canceled",
        AttemptStatus::Error => "error",
    }
}
