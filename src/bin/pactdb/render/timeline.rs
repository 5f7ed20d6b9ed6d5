//! A timeline as a chart: a line for each bucket, with a bar that is stacked by role or region and
//! words for what happened. And as CSV, with every column.

use super::columns::{Cell, Columns};
use super::look::{Look, Tone};
use super::units::{instant, plural, size};
use pactdb::TimelineReply;

/// The names of the columns.
const HEAD: [&str; 5] = ["cycle", "time", "bytes", "", ""];

/// The widest bar.
const BAR: usize = 44;

/// Below this width there is no room for times.
const NARROW: usize = 80;

/// The signs of the layers of a bar, so that they differ also without colours.
const SIGNS: [char; 5] = ['▓', '█', '▒', '░', '·'];

/// The chart.
pub fn timeline(look: Look, reply: &TimelineReply) -> String {
    if reply.cycle.is_empty() {
        return "there is no snapshot in this range\n".to_owned();
    }
    let rows = (0..reply.cycle.len()).map(|at| {
        let total = reply.bytes.iter().map(|column| column[at]).sum();
        let time = match look.width < NARROW {
            true => Cell::empty(),
            false => Cell::new(Tone::Dim, instant(reply.time_ms[at].saturating_mul(1_000_000))),
        };
        let cycle = Cell::right(Tone::Id, format!("@c{}", reply.cycle[at]));
        ([cycle, time, Cell::right(Tone::Plain, size(total))], marks(reply, at))
    });
    let rows: Vec<([Cell; 3], Cell)> = rows.collect();
    // The bar gets what the others leave: between two columns there are two spaces.
    let widest = |column: usize| rows.iter().map(|(cells, _)| cells[column].width()).max();
    let shown = (0..3).filter_map(widest).zip(HEAD).filter(|(width, _)| *width > 0);
    let others: usize = shown.map(|(width, name)| width.max(name.len()) + 2).sum();
    let said = rows.iter().map(|(_, marks)| marks.width()).max().unwrap_or(0);
    let room = look.width.saturating_sub(others + 2 + said.min(look.width / 3)).clamp(8, BAR);
    let top = reply.greatest.iter().copied().max().unwrap_or_default();
    let mut columns = Columns::with_head(&HEAD);
    for (at, (cells, marks)) in rows.into_iter().enumerate() {
        let [cycle, time, size] = cells;
        columns.push(vec![cycle, time, size, bar(reply, at, top, room), marks]);
    }
    format!("{}{}\n", columns.render(look), legend(look, reply))
}

/// A bar, all layers together as long as their sum is large.
fn bar(reply: &TimelineReply, at: usize, top: u64, room: usize) -> Cell {
    let (mut cell, mut sum, mut drawn) = (Cell::empty(), 0u64, 0);
    for (layer, column) in reply.bytes.iter().enumerate() {
        sum += column[at];
        let scaled = u128::from(sum) * room as u128 + u128::from(top / 2);
        let end = scaled.checked_div(u128::from(top)).unwrap_or_default() as usize;
        let sign = SIGNS[layer.min(SIGNS.len() - 1)].to_string();
        cell = cell.and(tone(reply, layer), sign.repeat(end.saturating_sub(drawn)));
        drawn = end.max(drawn);
    }
    cell
}

fn tone(reply: &TimelineReply, layer: usize) -> Tone {
    match reply.stack.get(layer).map(String::as_str) {
        Some("^sys") => Tone::System,
        Some("^seq") => Tone::User,
        Some("^ah") => Tone::Assistant,
        Some("other") | None => Tone::Plain,
        role => Tone::of_role(role),
    }
}

/// What happened in a bucket, in words.
fn marks(reply: &TimelineReply, at: usize) -> Cell {
    let of = |column: &[u64]| column.get(at).copied().unwrap_or_default();
    let mut cell = Cell::empty();
    let mut say = |tone: Tone, text: String| {
        let gap = if cell.is_empty() { "" } else { ", " };
        cell = std::mem::take(&mut cell).and(Tone::Dim, gap).and(tone, text);
    };
    let (breaks, kept, whole) = breaks(reply, at);
    if breaks > 0 {
        let kept = percent(kept, whole);
        let count = if breaks > 1 { format!("{breaks} × ") } else { String::new() };
        say(Tone::Changed, format!("{count}prefix cut to {kept}%"));
    }
    for (column, tone, word) in [
        (&reply.expired, Tone::Soon, "expired"),
        (&reply.pruned, Tone::Removed, "pruned"),
        (&reply.removed, Tone::Removed, "removed"),
        (&reply.failed, Tone::Fault, "failed"),
        (&reply.restored, Tone::Strong, "restored"),
        (&reply.imported, Tone::Strong, "imported"),
    ] {
        match of(column) {
            0 => {}
            1 if matches!(word, "restored" | "imported") => say(tone, word.to_owned()),
            count => say(tone, format!("{count} {word}")),
        }
    }
    let tokens = reply.tokens.get(at).copied().flatten();
    match (tokens, reply.estimated_tokens.get(at)) {
        (Some(tokens), _) => say(Tone::Plain, plural(tokens, "token")),
        (None, Some(estimate)) => say(Tone::Dim, format!("about {}", plural(*estimate, "token"))),
        (None, None) => {}
    }
    cell
}

/// How often the prefix broke in a bucket, and what is left of how much in the worst case: of prompts if
/// a provider was chosen, else of the thread.
fn breaks(reply: &TimelineReply, at: usize) -> (u64, u64, u64) {
    let of = |column: &[u64]| column.get(at).copied().unwrap_or_default();
    match &reply.prompts {
        Some(prompts) => {
            let breaks = prompts.breaks.get(at).copied().flatten().unwrap_or_default();
            (breaks, of(&prompts.kept_bytes), of(&prompts.kept_of))
        }
        None => (of(&reply.breaks), of(&reply.kept_bytes), of(&reply.kept_of)),
    }
}

/// A share in hundredths; less than all is never 100.
fn percent(part: u64, whole: u64) -> u128 {
    (u128::from(part) * 100).checked_div(u128::from(whole)).unwrap_or(100)
}

/// What the signs stand for, and how much a line does.
fn legend(look: Look, reply: &TimelineReply) -> String {
    let mut out = String::new();
    for (layer, name) in reply.stack.iter().enumerate() {
        // A layer that is nowhere needs no sign.
        if reply.bytes[layer].iter().any(|bytes| *bytes > 0) {
            let sign = SIGNS[layer.min(SIGNS.len() - 1)];
            out.push_str(&format!(
                "{}  ",
                look.paint(tone(reply, layer), &format!("{sign} {name}"))
            ));
        }
    }
    let each = match reply.width {
        1 => plural(reply.snapshots, "snapshot"),
        width => {
            format!("{}, {width} a line: the last of them", plural(reply.snapshots, "snapshot"))
        }
    };
    let prompts = reply.prompts.as_ref().map_or_else(String::new, |prompts| {
        let unknown = prompts.breaks.iter().take_while(|breaks| breaks.is_none()).count();
        let since = match reply.cycle.get(unknown) {
            Some(cycle) if unknown > 0 => format!(" from @c{cycle} on"),
            Some(_) => String::new(),
            None => ", which are too large to be compared here".to_owned(),
        };
        format!("; prefix of prompts for {}{since}", prompts.format.name())
    });
    format!("{out}{}", look.paint(Tone::Dim, &format!("{each}{prompts}")))
}

/// Every column of every bucket.
pub fn timeline_csv(reply: &TimelineReply) -> String {
    let numbers = |column: &[u64]| -> Vec<String> { column.iter().map(u64::to_string).collect() };
    let mut columns: Vec<(String, Vec<String>)> = vec![
        ("cycle".to_owned(), numbers(&reply.cycle)),
        ("time_ms".to_owned(), reply.time_ms.iter().map(i64::to_string).collect()),
    ];
    columns.extend(reply.stack.iter().cloned().zip(reply.bytes.iter().map(|bytes| numbers(bytes))));
    for (name, column) in [
        ("blocks", &reply.blocks),
        ("greatest", &reply.greatest),
        ("greatest_at", &reply.greatest_at),
        ("came", &reply.came),
        ("removed", &reply.removed),
        ("expired", &reply.expired),
        ("cascaded", &reply.cascaded),
        ("pruned", &reply.pruned),
        ("restored", &reply.restored),
        ("imported", &reply.imported),
        ("breaks", &reply.breaks),
        ("break_at", &reply.break_at),
        ("kept_blocks", &reply.kept_blocks),
        ("kept_bytes", &reply.kept_bytes),
        ("kept_of", &reply.kept_of),
        ("failed", &reply.failed),
    ] {
        columns.push((name.to_owned(), numbers(column)));
    }
    if !reply.estimated_tokens.is_empty() {
        let known =
            |tokens: &Option<u64>| tokens.map_or(String::new(), |tokens| tokens.to_string());
        columns.push(("tokens".to_owned(), reply.tokens.iter().map(known).collect()));
        columns.push(("estimated_tokens".to_owned(), numbers(&reply.estimated_tokens)));
    }
    if let Some(prompts) = &reply.prompts {
        let known = |count: &Option<u64>| count.map_or(String::new(), |count| count.to_string());
        columns.push(("prompt_breaks".to_owned(), prompts.breaks.iter().map(known).collect()));
        for (name, column) in [
            ("prompt_break_at", &prompts.break_at),
            ("prompt_kept_bytes", &prompts.kept_bytes),
            ("prompt_kept_of", &prompts.kept_of),
        ] {
            columns.push((name.to_owned(), numbers(column)));
        }
    }
    let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let mut out = format!("{}\n", names.join(","));
    for at in 0..reply.cycle.len() {
        // A column of counts that is not there is 0 throughout.
        let line = columns.iter().map(|(_, column)| column.get(at).map_or("0", String::as_str));
        out.push_str(&line.collect::<Vec<_>>().join(","));
        out.push('\n');
    }
    out
}
