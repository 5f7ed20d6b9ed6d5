//! The log as a person reads it: events in words, by page, cycle, kind and node.

use super::handle::Db;
use super::ops::{Log, LogEntry};
use crate::budget;
use crate::change::{Attempt, Event, Origin, OriginKind};
use crate::error::Result;
use crate::json::Json;
use crate::log::Record;
use crate::model::{Id, Node, iso_from_ns};
use crate::snapshot::hex;
use std::sync::Arc;

/// Events that are read at a time.
const PAGE: usize = 256;

impl Db {
    /// Events that agree with every field of the request. For an example see [`Log`].
    pub fn log(&self, request: &Log) -> Result<Vec<LogEntry>> {
        let limit = request.limit.unwrap_or(u64::MAX);
        let (first, last) = self.log_window(request)?;
        let mut found = Vec::new();
        let mut done = 0;
        let window = (last + 1).saturating_sub(first);
        while done < window && (found.len() as u64) < limit {
            let count = (PAGE as u64).min(window - done);
            let from = match request.newest_first {
                true => last + 1 - done - count,
                false => first + done,
            };
            let mut page = self.log_entries(from, count as usize)?;
            if request.newest_first {
                page.reverse();
            }
            for (entry, concerned) in page {
                let kind = request.kind.as_ref().is_none_or(|kind| *kind == entry.kind);
                let node = request.node.as_ref().is_none_or(|id| concerned.contains(id));
                if kind && node && (found.len() as u64) < limit {
                    found.push(entry);
                }
            }
            done += count;
            budget::reached("events were searched", done, Some(window))?;
        }
        Ok(found)
    }

    /// The first and the last event that a request can mean.
    fn log_window(&self, request: &Log) -> Result<(u64, u64)> {
        let newest = self.inner.store.next_seq().saturating_sub(1);
        let (mut first, mut last) = match request.cycle {
            None => (1, newest),
            Some(cycle) if cycle > self.last_cycle() => match cycle == self.last_cycle() + 1 {
                true => (self.seq_of_cycle(self.last_cycle())? + 1, newest),
                false => (1, 0),
            },
            Some(cycle) => {
                let history = self.history();
                let before = history.iter().rev().find(|known| *known < cycle).unwrap_or(0);
                match history.contains(cycle) {
                    true => (self.seq_of_cycle(before)? + 1, self.seq_of_cycle(cycle)?),
                    false => (1, 0),
                }
            }
        };
        match (request.from, request.newest_first) {
            (Some(from), false) => first = first.max(from),
            (Some(from), true) => last = last.min(from),
            (None, _) => {}
        }
        Ok((first, last))
    }

    /// The event that closed a cycle; 0 for cycle 0.
    #[doc(hidden)]
    pub fn seq_of_cycle(&self, cycle: u64) -> Result<u64> {
        match cycle {
            0 => Ok(0),
            _ => Ok(self.cycle_info(cycle)?.seq),
        }
    }

    /// The cycle that an event belongs to: the one that it closes, or that was in progress.
    #[doc(hidden)]
    pub fn cycle_of_event(&self, seq: u64) -> Result<u64> {
        let history = self.history();
        let closed = self.closed_by(&history, seq.saturating_sub(1))?;
        let closing = history.len().checked_sub(closed + 1).and_then(|back| history.back(back));
        Ok(closing.unwrap_or(self.last_cycle() + 1))
    }

    /// Events in words, with the nodes that each one concerns.
    fn log_entries(&self, from: u64, count: usize) -> Result<Vec<(LogEntry, Vec<String>)>> {
        let records = self.records(from, count)?;
        let Some(first) = records.first() else { return Ok(Vec::new()) };
        let (mut cycle, history) = (self.cycle_of_event(first.seq)?, self.history());
        let mut found = Vec::with_capacity(records.len());
        for record in &records {
            let mut concerned = concerned_ids(&record.event);
            if record.event.closes_cycle() {
                let removed = self.inner.store.reader().cycle(cycle)?.removed;
                concerned.extend(removed.expired);
                concerned.extend(removed.cascaded);
                concerned.extend(removed.pruned);
            }
            found.push((
                log_entry(record, cycle),
                concerned.iter().map(|id| id.to_string()).collect(),
            ));
            if record.event.closes_cycle() {
                cycle = history.after(cycle).unwrap_or(cycle + 1);
            }
        }
        Ok(found)
    }
}

/// An event in words.
pub fn log_entry(record: &Record, cycle: u64) -> LogEntry {
    LogEntry {
        seq: record.seq,
        group: record.group,
        cycle,
        time_ns: record.time,
        time: iso_from_ns(record.time),
        kind: record.event.kind().to_owned(),
        ids: ids_of(&record.event).iter().map(|id| id.to_string()).collect(),
        summary: summary(&record.event),
        hash: hex(&record.hash),
    }
}

/// The nodes that an event is about.
fn ids_of(event: &Event) -> Vec<Id> {
    match event {
        Event::Added(addition) => vec![addition.node.id.clone()],
        Event::Changed { ids, .. } | Event::Removed { ids } => ids.clone(),
        Event::Moved { steps } => steps.iter().map(|step| step.id.clone()).collect(),
        Event::Committed(commit) => vec![commit.turn.clone()],
        _ => Vec::new(),
    }
}

/// The nodes that an event is about, and those that it makes or shifts beside them.
pub fn concerned_ids(event: &Event) -> Vec<Id> {
    let mut ids = ids_of(event);
    let mut core = |node: &Option<Arc<Node>>| ids.extend(node.iter().map(|node| node.id.clone()));
    match event {
        Event::Added(addition) => {
            core(&addition.core);
            ids.extend(addition.shifts.iter().map(|(id, _)| id.clone()));
        }
        Event::Moved { steps } => steps.iter().for_each(|step| core(&step.core)),
        Event::Committed(commit) => {
            ids.extend(commit.core.clone());
            ids.extend(commit.materialized.iter().map(|made| made.node.id.clone()));
        }
        Event::Restored(restore) => {
            ids.extend(restore.materialized.iter().map(|made| made.node.id.clone()));
        }
        Event::Imported(import) => {
            let parts = [&import.sys, &import.ah].into_iter().chain(&import.turns);
            ids.extend(parts.flatten().map(|(node, _)| node.id.clone()));
        }
        _ => {}
    }
    ids
}

fn summary(event: &Event) -> String {
    let list = |ids: &[Id]| ids.join(", ");
    match event {
        Event::Created { generation } => format!("made for PACT {}", generation.name()),
        Event::Added(addition) => {
            let node = &addition.node;
            let role = node.role.as_ref().map(ToString::to_string);
            let who: Vec<String> = role.into_iter().chain(called(node)).collect();
            let who = who.join(" ");
            let who = if who.is_empty() { who } else { format!(" ({who})") };
            format!("add {} {}{who} below {}", node.node_type, node.id, addition.parent)
        }
        Event::Changed { ids, .. } => format!("set {}", list(ids)),
        Event::Moved { steps } => {
            let moves: Vec<String> =
                steps.iter().map(|step| format!("{} below {}", step.id, step.parent)).collect();
            format!("move {}", moves.join(", "))
        }
        Event::Removed { ids } => format!("remove {}", list(ids)),
        Event::PolicySet { policies } => format!("set {} policies", policies.len()),
        Event::CadenceEnded { key } => format!("end the cadence of {key}"),
        Event::Attempt(attempt) => attempt_summary(attempt),
        Event::Undone { group } => format!("undo event {group} and its batch"),
        Event::Committed(commit) => format!("commit cycle {} as {}", commit.cycle, commit.turn),
        Event::Imported(import) => {
            format!("import a snapshot of {} turns as cycle {}", import.turns.len(), import.cycle)
        }
        Event::Restored(restore) => {
            format!("restore cycle {} as cycle {}", restore.at, restore.cycle)
        }
        Event::Origin(origin) => origin_summary(origin),
    }
}

/// The call that a node is: `call search`. Of others nothing is said.
fn called(node: &Node) -> Option<String> {
    let tool = node.attrs.get("data_tool_name").and_then(Json::as_str);
    tool.filter(|_| node.is_call()).map(|tool| format!("call {tool}"))
}

fn attempt_summary(attempt: &Attempt) -> String {
    let status = format!("{:?}", attempt.status).to_lowercase();
    let names: Vec<&str> = [&attempt.provider, &attempt.model]
        .into_iter()
        .filter_map(|name| name.as_deref())
        .collect();
    let mut facts = vec![names.join(" ")];
    if let Some(nanoseconds) = attempt.duration_ns() {
        facts.push(format!("{:.3} s", nanoseconds as f64 / 1e9));
    }
    facts.extend(attempt.token_in.map(|count| format!("{count} tokens in")));
    facts.extend(attempt.token_out.map(|count| format!("{count} tokens out")));
    facts.extend(attempt.error.clone());
    facts.retain(|fact| !fact.is_empty());
    let facts = match facts.is_empty() {
        true => String::new(),
        false => format!(" ({})", facts.join(", ")),
    };
    format!("attempt {} is {status}{facts}", attempt.attempt_id)
}

fn origin_summary(origin: &Origin) -> String {
    let name = origin.name.as_deref().unwrap_or("another store");
    match origin.kind {
        OriginKind::Fork => format!("forked from {name} at cycle {}", origin.cycle.unwrap_or(0)),
        OriginKind::Import => {
            let format = origin.format.as_deref().unwrap_or("turns");
            let session = origin.session.as_ref().map(|session| format!(", session {session}"));
            let name = origin.name.as_ref().map(|name| format!(" from {name}"));
            format!("import {format}{}{}", name.unwrap_or_default(), session.unwrap_or_default())
        }
    }
}
