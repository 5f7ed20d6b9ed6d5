//! How long do questions take, beside SQLite with the same history?
//!
//! One history of 200,000 turns (1,000,000 nodes: a turn, its core, three blocks) is kept in a
//! pactdb store and in SQLite, there as one row for each node with the cycles between which it is
//! there, and an index for every question, covering where that pays. Each question is asked of
//! both in turn, the two answers are compared, and medians and their ratio are printed (below 1:
//! pactdb is faster). "cold" is with what pactdb has read forgotten before each question
//! and with SQLite's page cache shrunk; "warm" is asking again. SQLite's statements are prepared
//! once, and pactdb keeps the selectors that it was asked. The operating system has the files in
//! memory in either case. Both may use 64 MiB for pages.
//!
//! The bounded questions are then asked of a store 100 times smaller: they should take the same.
//!
//! The stores are made once and kept under `target/`. `-- short` takes 20,000 turns, `-- quick`
//! 2,000; `-- only=ttl` asks the questions whose name has that word.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "support/history.rs"]
mod history;
mod support;

use history::{History, cached};
use pactdb::{Db, Selected};
use rusqlite::{Connection, Statement};
use std::time::Instant;

use support::percentile;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let given = |name: &str| arguments.iter().any(|argument| argument == name);
    let turns = match (given("quick"), given("short")) {
        (true, _) => 2_000,
        (_, true) => 20_000,
        _ => 200_000,
    };
    let only = arguments.iter().find_map(|argument| argument.strip_prefix("only="));
    let large = cached(turns);
    let small = cached(turns / 100);
    let questions: Vec<Question> = questions(turns)
        .into_iter()
        .filter(|question| only.is_none_or(|word| question.name.contains(word)))
        .collect();
    println!();
    println!("{turns} turns, {} nodes: medians in µs, ratio = pactdb / SQLite", turns * 5);
    print_head();
    let answers: Vec<Timing> = questions.iter().map(|question| beside(question, &large)).collect();
    println!();
    println!(
        "the bounded questions on {} turns: pactdb's time there, and how much more here",
        turns / 100
    );
    println!("{:<36} {:>10} {:>10} {:>8}", "question", "small", "large", "ratio");
    let small_questions = self::questions(turns / 100);
    for (question, large) in questions.iter().zip(&answers).filter(|(question, _)| question.bounded)
    {
        let there = small_questions.iter().find(|other| other.name == question.name).unwrap();
        let ask = || ours(&small.db, there, false);
        let ((small, _), _) = median(ask, || (0, ()));
        println!(
            "{:<36} {:>10.1} {:>10.1} {:>8.2}",
            question.name,
            small,
            large.warm,
            large.warm / small
        );
    }
}

/// A question in both languages.
struct Question {
    name: &'static str,
    selector: String,
    sql: Vec<String>,
    bounded: bool,
}

fn questions(turns: u64) -> Vec<Question> {
    let (newest, middle) = (turns, turns / 2);
    let long = 10_000.min(turns / 2);
    let at = |cycle: u64| format!("valid_from <= {cycle} AND valid_to > {cycle}");
    let ids = |name, selector: &str, condition: String, bounded| Question {
        name,
        selector: selector.to_owned(),
        sql: vec![format!("SELECT id FROM nodes WHERE {condition} ORDER BY pos")],
        bounded,
    };
    let depth = |cycle: u64| {
        format!(
            "turn BETWEEN {} AND {cycle} AND role = 'user' AND class = 'block' AND {}",
            cycle - 2,
            at(cycle)
        )
    };
    vec![
        ids(
            "by id",
            &format!("#mt:{middle}"),
            format!("id = 'mt:{middle}' AND {}", at(newest)),
            true,
        ),
        ids("depth 1-3, user", ".mt:depth(1-3) .cb[role='user']", depth(newest), true),
        ids(
            "depth 1-3, user, in the middle",
            &format!("@c{middle} .mt:depth(1-3) .cb[role='user']"),
            depth(middle),
            true,
        ),
        ids(
            "role assistant, everything",
            ".cb[role='assistant']",
            format!("role = 'assistant' AND class = 'block' AND {}", at(newest)),
            false,
        ),
        ids(
            "role assistant, in the middle",
            &format!("@c{middle} .cb[role='assistant']"),
            format!("role = 'assistant' AND class = 'block' AND {}", at(middle)),
            false,
        ),
        ids(
            "a rare key",
            "[key='plan'] @order=path",
            format!("key = 'plan' AND {}", at(newest)),
            false,
        ),
        ids(
            "ttl <= 1",
            ".cb[ttl<=1]",
            format!(
                "expires_at BETWEEN {} AND {} AND class = 'block' AND {}",
                newest + 1,
                newest + 1,
                at(newest)
            ),
            true,
        ),
        ids(
            "content of any block",
            ".cb[content~'zebra']",
            format!("instr(content, 'zebra') > 0 AND class = 'block' AND {}", at(newest)),
            false,
        ),
        ids(
            "content of the user's blocks",
            ".cb[role='user'][content~'zebra']",
            format!(
                "role = 'user' AND instr(content, 'zebra') > 0 AND class = 'block' AND {}",
                at(newest)
            ),
            false,
        ),
        ids(
            "content with two letters",
            ".cb[content~'zq']",
            format!("instr(content, 'zq') > 0 AND class = 'block' AND {}", at(newest)),
            false,
        ),
        ids("@* and an id", &format!("@* #mt:{middle}"), format!("id = 'mt:{middle}'"), true),
        range("pairwise, 100 cycles", newest, 100.min(turns / 2)),
        Question { bounded: false, ..range("pairwise, 10,000 cycles", newest, long) },
    ]
}

/// Every block that came, went, or changed (its ttl counts down) from cycle to cycle.
fn range(name: &'static str, newest: u64, count: u64) -> Question {
    let low = newest + 1 - count;
    let order = "ORDER BY";
    Question {
        name,
        selector: format!("@c{low}..@c{newest} .cb"),
        sql: vec![
            format!(
                "SELECT id FROM nodes WHERE class = 'block' AND valid_from > {low} AND valid_from <= {newest} {order} valid_from, pos"
            ),
            format!(
                "SELECT id FROM nodes WHERE class = 'block' AND valid_to > {low} AND valid_to <= {newest} {order} valid_to, pos"
            ),
            format!(
                "SELECT n.id, c.cycle, n.expires_at - c.cycle FROM nodes n JOIN cycles c
                   ON c.cycle BETWEEN max(n.valid_from, {low}) + 1 AND min(n.valid_to - 1, {newest})
                 WHERE n.class = 'block' AND n.expires_at > {low} AND n.valid_from < {newest} {order} c.cycle, n.pos"
            ),
        ],
        bounded: true,
    }
}

struct Timing {
    warm: f64,
}

fn print_head() {
    println!(
        "{:<36} {:>8} {:>10} {:>10} {:>7} {:>10} {:>10} {:>7}",
        "question", "results", "cold", "SQLite", "ratio", "warm", "SQLite", "ratio"
    );
}

fn beside(question: &Question, history: &History) -> Timing {
    let mut statements: Vec<_> =
        question.sql.iter().map(|sql| history.sqlite.prepare(sql).unwrap()).collect();
    let mut both = |cold: bool| {
        let mine = || ours(&history.db, question, cold);
        let (times, answers) = median(mine, || theirs(&history.sqlite, &mut statements, cold));
        let (mine, theirs) = (in_lists(answers.0), answers.1);
        let count: usize = mine.iter().map(Vec::len).sum();
        let other: usize = theirs.iter().map(Vec::len).sum();
        assert!(mine == theirs, "{}: the answers differ ({count} and {other})", question.name);
        (times, count)
    };
    let ((cold, their_cold), count) = both(true);
    let ((warm, their_warm), _) = both(false);
    println!(
        "{:<36} {count:>8} {cold:>10.1} {their_cold:>10.1} {:>7.2} {warm:>10.1} {their_warm:>10.1} {:>7.2}",
        question.name,
        cold / their_cold,
        warm / their_warm
    );
    Timing { warm }
}

/// Asks one and the other in turn, so that a busy machine hits both alike, until there are enough
/// samples; the medians in µs and the last answers.
fn median<A, B>(
    mut one: impl FnMut() -> (u64, A),
    mut other: impl FnMut() -> (u64, B),
) -> ((f64, f64), (A, B)) {
    let mut samples = (Vec::new(), Vec::new());
    let start = Instant::now();
    loop {
        let ((mine, answer), (theirs, their_answer)) = (one(), other());
        samples.0.push(mine);
        samples.1.push(theirs);
        let count = samples.0.len();
        if count >= 200 || (count >= 7 && start.elapsed().as_secs() >= 4) {
            let middle = |samples: &mut Vec<u64>| percentile(samples, 0.5) as f64 / 1000.0;
            return ((middle(&mut samples.0), middle(&mut samples.1)), (answer, their_answer));
        }
    }
}

type Answer = Vec<Vec<String>>;

fn ours(db: &Db, question: &Question, cold: bool) -> (u64, Selected) {
    if cold {
        db.clear_cache();
    }
    let start = Instant::now();
    let selected = db.select(&question.selector).unwrap();
    (start.elapsed().as_nanos() as u64, selected)
}

fn in_lists(selected: Selected) -> Answer {
    match selected {
        Selected::Ids { ids, .. } => vec![ids.iter().map(|id| id.to_string()).collect()],
        Selected::Range(range) => {
            // Blocks come newest first; SQL orders by cycle.
            let mut lists = vec![Vec::new(), Vec::new(), Vec::new()];
            for block in range.diffs.iter().rev() {
                lists[0].extend(block.added_ids.iter().map(|id| id.to_string()));
                let mut removed: Vec<String> =
                    block.removed_ids.iter().map(|id| id.to_string()).collect();
                removed.sort_by_key(|id| (id.len(), id.clone()));
                lists[1].extend(removed);
                lists[2].extend(block.changed.iter().map(|changed| changed.id.to_string()));
            }
            lists
        }
    }
}

fn theirs(sqlite: &Connection, statements: &mut [Statement<'_>], cold: bool) -> (u64, Answer) {
    if cold {
        sqlite.execute_batch("PRAGMA shrink_memory").unwrap();
    }
    let start = Instant::now();
    let lists = statements
        .iter_mut()
        .map(|statement| {
            let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
            rows.map(Result::unwrap).collect::<Vec<_>>()
        })
        .collect();
    (start.elapsed().as_nanos() as u64, lists)
}
