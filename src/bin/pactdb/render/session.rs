//! What came of an import, the log again, the life of a node, two threads beside each other.

use super::columns::{Cell, Columns};
use super::look::{Look, Tone};
use super::node::words;
use super::replies::kind_tone;
use super::text::{cut, visible};
use super::units::{instant_in, plural};
use pactdb::Json;
use pactdb::session::{
    Comparison, EndReason, FieldChange, ImportReport, Moment, NodeChange, Scanned, Step, What,
};
use std::collections::BTreeMap;

/// What an import made of a document.
pub fn imported(look: Look, report: &ImportReport) -> String {
    let session = report.session.as_ref().map(|session| format!(", session {session}"));
    let head = format!("imported {}{}", report.format, session.unwrap_or_default());
    let mut out = format!("{}\n", look.paint(Tone::Strong, &head));
    let mut made = vec![plural(report.reply.commits, "turn"), plural(report.blocks, "block")];
    if report.format == "pact" {
        made = vec![plural(report.reply.commits, "snapshot")];
    }
    if report.calls > 0 {
        made.push(plural(report.calls, "call"));
    }
    if report.results > 0 {
        made.push(plural(report.results, "result"));
    }
    out.push_str(&format!("  {} became {}\n", plural(report.records, "record"), made.join(", ")));
    if !report.left_out.is_empty() {
        let list: Vec<String> =
            report.left_out.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let list = list.join(", ");
        out.push_str(&format!("  no part of the conversation: {}\n", visible(&list)));
    }
    for bad in &report.bad {
        let line = format!("line {}: {}", bad.line, bad.message);
        out.push_str(&format!("  {} {}\n", look.paint(Tone::Soon, "left out"), visible(&line)));
    }
    if report.more_bad > 0 {
        let more = plural(report.more_bad, "more record");
        out.push_str(&format!("  {} {more}\n", look.paint(Tone::Soon, "left out")));
    }
    out.push_str(&format!("  newest cycle {}\n", report.reply.cycle));
    out
}

/// What a scan for secrets found.
pub fn suspects(look: Look, scanned: &Scanned) -> String {
    let events = plural(scanned.events, "event");
    if scanned.found.is_empty() {
        return format!(
            "nothing in {events} looks like {}\n",
            visible(&scanned.patterns.join(", "))
        );
    }
    let mut table = Columns::default();
    for suspect in &scanned.found {
        let place = suspect.attr.as_deref().unwrap_or("content");
        table.push(vec![
            Cell::new(Tone::Soon, &suspect.pattern),
            Cell::right(Tone::Plain, suspect.count.to_string()),
            Cell::new(Tone::Id, &suspect.id),
            Cell::new(Tone::Plain, place),
            Cell::whole(Tone::Dim, format!("@c{} @e{}", suspect.cycle, suspect.event)),
        ]);
    }
    let mut out = table.render(look);
    if scanned.more > 0 {
        out += &format!("and {}\n", plural(scanned.more, "more place"));
    }
    out
}

/// Events with what they changed, one a line.
pub fn steps(look: Look, steps: &[Step]) -> String {
    let mut table = Columns::default().optional(&[1, 3]);
    for step in steps {
        let entry = &step.entry;
        let mut cell = Cell::new(Tone::Plain, "");
        for (i, change) in step.changes.iter().enumerate() {
            cell = cell.and(Tone::Plain, if i == 0 { "" } else { ", " });
            cell = changed(cell, change);
        }
        if step.changes.is_empty() {
            cell = Cell::new(Tone::Dim, entry.summary.clone());
        }
        table.push(vec![
            Cell::right(Tone::Dim, entry.seq.to_string()),
            Cell::right(Tone::Dim, format!("c{}", entry.cycle)),
            Cell::whole(Tone::Dim, instant_in(look.width, entry.time_ns)),
            Cell::new(kind_tone(&entry.kind), entry.kind.clone()),
            cell,
        ]);
    }
    table.render(look)
}

fn tone(what: What) -> Tone {
    match what {
        What::Added | What::Materialized => Tone::Added,
        What::Changed | What::Moved => Tone::Changed,
        What::Sealed => Tone::Strong,
        What::Removed | What::Expired | What::Cascaded | What::Pruned => Tone::Removed,
    }
}

fn changed(cell: Cell, change: &NodeChange) -> Cell {
    let cell = cell.and(tone(change.what), change.what.word()).and(Tone::Plain, " ");
    let cell = cell.and(Tone::Id, change.id.clone());
    match fields(change.what, &change.fields) {
        Some(text) => cell.and(Tone::Dim, format!(" {text}")),
        None => cell,
    }
}

/// What changed, in a few words.
fn fields(what: What, fields: &[FieldChange]) -> Option<String> {
    if fields.is_empty() {
        return None;
    }
    let text = |field: &FieldChange| match what {
        What::Added if field.name == "content" => short(&field.to),
        What::Added => format!("{}={}", field.name, short(&field.to)),
        _ => format!("{} {} → {}", field.name, short(&field.from), short(&field.to)),
    };
    Some(format!("({})", fields.iter().map(text).collect::<Vec<_>>().join(", ")))
}

fn short(value: &Json) -> String {
    cut(&visible(&words(value)), 40)
}

/// Cycles with what their events changed, one a line.
pub fn cycles(look: Look, steps: &[Step]) -> String {
    let mut table = Columns::default();
    for steps in steps.chunk_by(|a, b| a.entry.cycle == b.entry.cycle) {
        let Some(last) = steps.last() else { continue };
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for change in steps.iter().flat_map(|step| &step.changes) {
            *counts.entry(change.what.word()).or_default() += 1;
        }
        let counts: Vec<String> =
            counts.iter().map(|(what, count)| format!("{count} {what}")).collect();
        table.push(vec![
            Cell::right(Tone::Strong, format!("c{}", last.entry.cycle)),
            Cell::whole(Tone::Dim, instant_in(look.width, last.entry.time_ns)),
            Cell::right(Tone::Plain, plural(steps.len() as u64, "event")),
            Cell::new(Tone::Plain, counts.join(", ")),
        ]);
    }
    table.render(look)
}

/// The life of a node, one moment a line.
pub fn life(look: Look, moments: &[Moment]) -> String {
    let mut table = Columns::default();
    for moment in moments {
        let mut cell = Cell::new(tone(moment.what), moment.what.word());
        if let Some(with) = &moment.with {
            let word = if moment.what == What::Sealed { " into " } else { " with " };
            cell = cell.and(Tone::Plain, word).and(Tone::Id, with.clone());
        }
        if let Some(text) = fields(moment.what, &moment.fields) {
            cell = cell.and(Tone::Dim, format!(" {text}"));
        }
        table.push(vec![
            Cell::right(Tone::Dim, moment.seq.to_string()),
            Cell::right(Tone::Dim, format!("c{}", moment.cycle)),
            Cell::whole(Tone::Dim, instant_in(look.width, moment.time_ns)),
            cell,
        ]);
    }
    table.render(look)
}

/// What two threads have in common.
pub fn comparison(look: Look, names: &[String; 2], found: &Comparison) -> String {
    let [older, newer] = names;
    let share = match found.bytes[1] {
        0 => 100.0,
        bytes => found.common_bytes as f64 * 100.0 / bytes as f64,
    };
    let sentence = format!(
        "{older} has {} bytes, {newer} {}; the first {} are the same ({share:.1} % of {newer}, {})\n",
        found.bytes[0],
        found.bytes[1],
        found.common_bytes,
        plural(found.common_blocks, "block"),
    );
    let mut out = look.wrap(&sentence, "");
    let node = found.node.as_deref().unwrap_or_default();
    let cycle = found.cycle.map(|cycle| format!(" in cycle {cycle}")).unwrap_or_default();
    let end = match found.reason {
        EndReason::Same => "they are the same".to_owned(),
        EndReason::Appended => {
            format!("{newer} goes on with {}", look.paint(Tone::Id, node))
        }
        reason => {
            format!("{} was {}{cycle}", look.paint(Tone::Id, node), reason.word())
        }
    };
    out.push_str(&format!("{end}\n"));
    out
}
