//! Replies of the other operations, in a few lines each.

use super::columns::{Cell, Columns};
use super::look::{Look, Tone};
use super::text::{cut, visible};
use super::units::{instant_in, plural, size};
use pactdb::answer::{Finds, Ran, Tally};
use pactdb::{
    Attempt, AttemptStatus, CommitReply, Explanation, LogEntry, Policy, Stats, TableSizes,
    UndoReply,
};

/// A closed cycle, or one that would be: what it made, and what went.
pub fn commit(look: Look, did: &str, reply: &CommitReply) -> String {
    let what = match &reply.turn {
        Some(turn) => format!("{did} cycle {} as {turn}", reply.cycle),
        None => format!("{did} cycle {}", reply.cycle),
    };
    let mut out = format!("{}\n", look.paint(Tone::Strong, &what));
    let lists = [
        ("expired", Tone::Removed, &reply.expired),
        ("emptied", Tone::Removed, &reply.cascaded),
        ("pruned", Tone::Removed, &reply.pruned),
        ("came back", Tone::Added, &reply.materialized),
    ];
    for (name, tone, ids) in lists {
        if !ids.is_empty() {
            let ids = cut(&visible(&ids.join(" ")), look.width.saturating_sub(12));
            out.push_str(&format!("  {name}: {}\n", look.paint(tone, &ids)));
        }
    }
    let digest = reply.digest.get(..16).unwrap_or(&reply.digest);
    out.push_str(&format!("  {}\n", look.paint(Tone::Dim, &format!("digest {digest}…"))));
    out
}

/// What was taken back.
pub fn undo(reply: &UndoReply) -> String {
    let what = match reply.undone.as_slice() {
        [one] => format!("the {one}"),
        many => format!("{} together ({})", plural(many.len() as u64, "edit"), many.join(", ")),
    };
    format!("took back {what} of event {}\n", reply.seq)
}

/// The policies in force.
pub fn policies(look: Look, policies: &[Policy]) -> String {
    if policies.is_empty() {
        return "no policy: nothing is pruned\n".to_owned();
    }
    let mut table = Columns::with_head(&[
        "region",
        "blocks",
        "bytes",
        "tokens",
        "turns",
        "nodes",
        "newest turns kept",
    ]);
    for policy in policies {
        let number = |limit: Option<u64>| {
            Cell::right(Tone::Plain, limit.map(|limit| limit.to_string()).unwrap_or_default())
        };
        table.push(vec![
            Cell::new(Tone::Region, policy.region.map_or("all", |region| region.name())),
            number(policy.max_blocks),
            number(policy.max_bytes),
            number(policy.max_tokens),
            number(policy.max_turns),
            number(policy.max_nodes),
            number(policy.protect_recent_turns),
        ]);
    }
    table.render(look)
}

/// Events, one a line.
pub fn log(look: Look, entries: &[LogEntry]) -> String {
    let mut table = Columns::default();
    for entry in entries {
        table.push(vec![
            Cell::right(Tone::Dim, entry.seq.to_string()),
            Cell::whole(Tone::Dim, instant_in(look.width, entry.time_ns)),
            Cell::new(kind_tone(&entry.kind), entry.summary.clone()),
        ]);
    }
    table.render(look)
}

pub fn kind_tone(kind: &str) -> Tone {
    match kind {
        "commit" | "import" | "restore" => Tone::Strong,
        "undo" | "remove" => Tone::Removed,
        _ => Tone::Plain,
    }
}

/// Figures of a store.
pub fn stats(look: Look, stats: &Stats) -> String {
    let mut table = Columns::default();
    let mut line = |name: &str, text: String| {
        table.push(vec![Cell::new(Tone::Dim, name), Cell::new(Tone::Plain, text)]);
    };
    line("specification", format!("PACT {}", stats.spec));
    let cycle = match stats.cycle {
        0 => "nothing is committed yet".to_owned(),
        cycle => format!("{cycle}, with {}", plural(stats.snapshots, "snapshot")),
    };
    line("newest cycle", cycle);
    line("newest state", {
        let counts = [(stats.turns, "turn"), (stats.blocks, "block"), (stats.nodes, "node")];
        let [turns, blocks, nodes] = counts.map(|(count, noun)| plural(count, noun));
        format!("{turns}, {nodes}, {blocks} with {} of content", size(stats.content_bytes))
    });
    line("log", plural(stats.events, "event"));
    line("uncommitted", plural(stats.uncommitted, "edit"));
    let sizes = &stats.sizes;
    line(
        "file",
        format!(
            "{}: {} live, {} in use, {} free",
            size(sizes.file_bytes),
            size(sizes.live_bytes),
            size(sizes.used_bytes),
            size(sizes.free_bytes)
        ),
    );
    if let Some(why) = &stats.read_only {
        line("access", why.clone());
    }
    let mut out = table.render(look);
    if let Some(tables) = &stats.tables {
        out.push('\n');
        out.push_str(&table_sizes(look, tables));
    }
    out
}

/// The tables of a store, the largest first.
fn table_sizes(look: Look, tables: &[TableSizes]) -> String {
    let mut sorted: Vec<&TableSizes> = tables.iter().collect();
    sorted.sort_by_key(|table| std::cmp::Reverse(table.used_bytes));
    let mut columns = Columns::with_head(&["table", "data", "rows", "stored", "slack"]);
    for table in sorted {
        let cells = [
            table.table.clone(),
            if table.derived { "derived" } else { "primary" }.to_owned(),
            table.rows.to_string(),
            size(table.stored_bytes),
            size(table.slack_bytes),
        ];
        columns.push(cells.into_iter().map(|cell| Cell::new(Tone::Plain, cell)).collect());
    }
    columns.render(look)
}

/// A selector, explained.
pub fn explanation(look: Look, explanation: &Explanation) -> String {
    let mut out = String::new();
    let mut part = |name: &str, lines: &[String]| {
        for (i, line) in lines.iter().enumerate() {
            let name = if i == 0 { name } else { "" };
            let name = look.paint(Tone::Dim, &format!("{name:>9}"));
            out.push_str(&format!("{name} {}\n", visible(line)));
        }
    };
    part("canonical", std::slice::from_ref(&explanation.canonical));
    part("dialect", std::slice::from_ref(&explanation.dialect));
    part("time", std::slice::from_ref(&explanation.time));
    part("plan", &explanation.plan);
    part("reads", &explanation.reads);
    let ran: Vec<String> = explanation.ran.iter().map(ran).collect();
    part("ran", &ran);
    part("finds", &explanation.finds.iter().map(finds).collect::<Vec<_>>());
    part("advice", &explanation.advice);
    out
}

/// What all snapshots together answer.
fn finds(finds: &Finds) -> String {
    let Finds { results, more, first } = finds;
    let more_than = if *more { "more than " } else { "" };
    let dots = if first.len() as u64 == *results { "" } else { " …" };
    let colon = if first.is_empty() { "" } else { ": " };
    format!("{more_than}{}{colon}{}{dots}", plural(*results, "node"), first.join(" "))
}

/// What was done for one chain of a selector.
fn ran(ran: &Ran) -> String {
    let Tally { parts_read, turns_skipped, nodes, contents, .. } = ran.tally;
    let mut done = vec![
        format!("{} read", plural(parts_read, "part")),
        format!("{} looked at", plural(nodes, "node")),
    ];
    if turns_skipped > 0 {
        done.push(format!("{} passed over", plural(turns_skipped, "turn")));
    }
    if contents > 0 {
        done.push(format!("{} searched", plural(contents, "content")));
    }
    format!("{} found: {}", plural(ran.results as u64, "node"), done.join(", "))
}

/// Provider calls, with how long they took and their tokens.
pub fn attempts(look: Look, attempts: &[Attempt]) -> String {
    let names = [
        "attempt", "cycle", "at", "status", "started", "took", "in", "out", "model", "sent",
        "error",
    ];
    // Where there is little room: what was sent, where it was sent from, and the counts go first. Names
    // and times stay, and of the status what went wrong.
    let mut table = Columns::with_head(&names).optional(&[9, 2, 7, 6, 1, 5, 8, 3]);
    // A table of so many columns is narrow before others are.
    let time_width = look.width.saturating_sub(40);
    for attempt in attempts {
        let (status, tone) = match attempt.status {
            AttemptStatus::Running => ("running", Tone::Soon),
            AttemptStatus::Completed => ("completed", Tone::Added),
            AttemptStatus::Canceled => ("canceled", Tone::Dim),
            AttemptStatus::Error => ("error", Tone::Removed),
        };
        let took = attempt.duration_ns().map(took);
        let at = attempt.at_event.map(|seq| format!("@e{seq}"));
        let number = |n: Option<u64>| n.map(|n| n.to_string()).unwrap_or_default();
        let model = [&attempt.provider, &attempt.model].into_iter().flatten();
        let model: Vec<&str> = model.map(String::as_str).collect();
        table.push(vec![
            Cell::new(Tone::Id, attempt.attempt_id.clone()),
            Cell::right(Tone::Plain, attempt.cycle_id.to_string()),
            Cell::new(Tone::Dim, at.unwrap_or_default()),
            Cell::new(tone, status),
            Cell::whole(Tone::Dim, instant_in(time_width, attempt.started_at)),
            Cell::right(Tone::Plain, took.unwrap_or_default()),
            Cell::right(Tone::Plain, number(attempt.token_in)),
            Cell::right(Tone::Plain, number(attempt.token_out)),
            Cell::new(Tone::Plain, model.join(" ")),
            Cell::new(Tone::Dim, sent(attempt)),
            Cell::new(Tone::Removed, attempt.error.clone().unwrap_or_default()),
        ]);
    }
    if attempts.is_empty() { "no attempt is recorded\n".to_owned() } else { table.render(look) }
}

/// Nanoseconds as a person says them.
fn took(ns: i64) -> String {
    match ns {
        ..=999_999 => format!("{} µs", ns / 1_000),
        1_000_000..=9_999_999_999 => format!("{} ms", ns / 1_000_000),
        _ => format!("{} s", ns / 1_000_000_000),
    }
}

/// The form of the thread that an attempt was sent, and the beginning of its hash.
fn sent(attempt: &Attempt) -> String {
    let hash = attempt
        .thread_sha256
        .map(|hash| hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect::<String>());
    match (&attempt.thread_format, hash) {
        (Some(format), Some(hash)) => format!("{format} {hash}…"),
        _ => String::new(),
    }
}
