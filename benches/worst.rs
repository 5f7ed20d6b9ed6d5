//! Which question takes longest?
//!
//! Questions that once took seconds or never ended, and a seeded sample of random ones, are asked of
//! the history of `benches/query.rs`, each with a deadline; beside SQLite where it can be asked the
//! same; and timelines, which should take less than 100 ms. "first" is the first time that a question is asked, "again" the median of asking again. The
//! random ones are printed from the slowest on.
//!
//! `-- short` takes 20,000 turns, `-- quick` 2,000; else there are 200,000. `-- only=age` asks the
//! questions that have that text in them, `-- random=500` so many random ones.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "support/history.rs"]
mod history;
mod support;

use history::{History, cached};
use pactdb::{Budget, Db, Selected, TimelineRange};
use std::time::{Duration, Instant};
use support::{Random, percentile};

/// How long a question may take.
const DEADLINE: Duration = Duration::from_secs(20);

/// How many of the random questions are printed.
const SHOWN: usize = 12;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let given = |name: &str| arguments.iter().any(|argument| argument == name);
    let after = |name: &str| arguments.iter().find_map(|argument| argument.strip_prefix(name));
    let turns = match (given("quick"), given("short")) {
        (true, _) => 2_000,
        (_, true) => 20_000,
        _ => 200_000,
    };
    let only = after("only=").unwrap_or_default();
    let count = after("random=").map_or(100, |count| count.parse().unwrap());
    let history = cached(turns);
    println!("\n{turns} turns, {} nodes: times in ms", turns * 5);
    print_head();
    for (selector, sql) in known(turns).into_iter().filter(|(text, _)| text.contains(only)) {
        let timing = ask(&history.db, &selector);
        let theirs = sql.map(|sql| sqlite(&history, &sql, timing.found));
        print_row(&selector, &timing, theirs);
    }
    print_timelines(&history.db, turns);
    let mut random = Random::new(13);
    let texts = (0..count).map(|_| random_question(&mut random, turns));
    let mut timings: Vec<(String, Timing)> = texts
        .filter(|text| text.contains(only))
        .map(|text| {
            let timing = ask(&history.db, &text);
            (text, timing)
        })
        .collect();
    timings.sort_by(|a, b| b.1.again.total_cmp(&a.1.again));
    println!("\nthe slowest of {} random questions", timings.len());
    print_head();
    for (text, timing) in timings.iter().take(SHOWN) {
        print_row(text, timing, None);
    }
}

/// Questions that took long, and the same in SQL where there is one.
fn known(turns: u64) -> Vec<(String, Option<String>)> {
    let alive = format!("valid_from <= {turns} AND valid_to > {turns}");
    let block = |order: &str| {
        format!("SELECT id FROM nodes WHERE class = 'block' AND {alive} ORDER BY {order}")
    };
    let in_turn = |turn: u64| {
        format!("SELECT id FROM nodes WHERE turn = {turn} AND class = 'block' AND {alive}")
    };
    let middle = turns / 2;
    let with_sql = [
        ("@t0 .cb:last".to_owned(), block("pos DESC LIMIT 1")),
        ("@t0 .mt:first .cb".to_owned(), in_turn(1)),
        ("@t0 .mt:last .cb".to_owned(), in_turn(turns)),
        (format!("@t0 .mt:nth({middle}) .cb"), in_turn(middle)),
        (
            "@t0 .cb[role='assistant']".to_owned(),
            format!(
                "SELECT id FROM nodes WHERE role = 'assistant' AND class = 'block' AND {alive} ORDER BY pos"
            ),
        ),
    ];
    let alone = [
        "@* .cb[role='user'] @limit=5",
        "@* .mt:depth(1) .cb @limit=3",
        "@* .cb[age>100] @limit=3",
        "@* .cb[age>100]",
        "@* .mt:depth(1-3) .cb",
        "@* .cb:last",
        "@history .cb[role='user'] @limit=2",
        "@t0 .cb[data_x=1]",
        "@t0 .mc:last .cb",
        "@t0 .cb:nth(5000)",
        "@t0 .cb[role='user'], .cb[role='tool'] @limit=5",
        "@t0 .mt:has(.cb[role='tool']) @limit=5",
        "@t0 .mt:not(:has(.cb[role='tool'])) @limit=5",
        "@t0 ^seq:has(.cb[role='nobody'])",
        "@* .mt:has(.cb[content~'zebra'])",
    ];
    let with_sql = with_sql.map(|(text, sql)| (text, Some(sql)));
    with_sql.into_iter().chain(alone.map(|text| (text.to_owned(), None))).collect()
}

/// Charts of all of history and of pieces of it.
fn print_timelines(db: &Db, turns: u64) {
    println!("\n{:<60} {:>8} {:>10} {:>10}", "timeline", "buckets", "first", "again");
    let tenth = turns / 10;
    for (name, from, to, buckets) in [
        ("all of it", 1, turns, 500),
        ("all of it", 1, turns, 2000),
        ("a tenth in the middle", 4 * tenth + 7, 5 * tenth + 7, 2000),
        ("the newest thousand", turns - 999, turns, 1000),
    ] {
        db.clear_cache();
        let range = TimelineRange {
            from: Some(from),
            to: Some(to),
            buckets: Some(buckets),
            ..TimelineRange::default()
        };
        let mut samples = Vec::new();
        let mut found = 0;
        for _ in 0..21 {
            let start = Instant::now();
            found = db.timeline(&range).unwrap().cycle.len();
            samples.push(start.elapsed().as_nanos() as u64);
        }
        let ms = |nanoseconds: u64| nanoseconds as f64 / 1e6;
        let (first, again) = (ms(samples[0]), ms(percentile(&mut samples[1..].to_vec(), 0.5)));
        println!("{name:<60} {found:>8} {first:>10.3} {again:>10.3}");
    }
}

/// Pieces of the language, put together.
fn random_question(random: &mut Random, turns: u64) -> String {
    let mut one = |list: &[&str]| list[random.below(list.len() as u64) as usize].to_owned();
    let time =
        one(&["@t0 ", "@t0 ", "@* ", "MIDDLE "]).replace("MIDDLE", &format!("@c{}", turns / 2));
    let above = one(&[
        "",
        "",
        ".mt ",
        ".mt:depth(1-3) ",
        ".mt:last ",
        ".mt:first ",
        "^seq ",
        "^ah ",
        ".mc > ",
    ]);
    let nodes = one(&[
        ".cb",
        ".cb[role='user']",
        ".cb[role='nobody']",
        ".cb[content~'zebra']",
        ".cb[ttl<=3]",
        ".cb[data_x=1]",
        ".cb[age>100]",
        ".cb[depth<=5]",
        ".mc",
        "[key='plan']",
        "*",
        ".mc:has(.cb[role='tool'])",
        ".cb:not([role='user'])",
        ".cb[content!~'zebra']",
    ]);
    let pick = one(&["", "", "", ":first", ":last", ":nth(3)"]);
    let more = one(&["", "", "", ", .cb[role='tool']", " ?? .mt"]);
    let control = one(&["", " @limit=5", " @order=recent @limit=5", " @order=id @limit=5"]);
    format!("{time}{above}{nodes}{pick}{more}{control}")
}

struct Timing {
    found: usize,
    /// In milliseconds.
    first: f64,
    again: f64,
    over: bool,
}

fn ask(db: &Db, text: &str) -> Timing {
    db.clear_cache();
    let one = || {
        let start = Instant::now();
        let answer = Budget::new().timeout(DEADLINE).run(|| db.select(text));
        (start.elapsed().as_nanos() as u64, answer)
    };
    let (first, answer) = one();
    let found = match &answer {
        Ok(Selected::Ids { ids, .. }) => ids.len(),
        Ok(Selected::Range(range)) => range.diffs.len(),
        Err(_) => 0,
    };
    let mut samples = Vec::new();
    let start = Instant::now();
    while answer.is_ok() && samples.len() < 50 && start.elapsed() < Duration::from_millis(700) {
        samples.push(one().0);
    }
    let ms = |nanoseconds: u64| nanoseconds as f64 / 1e6;
    let again = if samples.is_empty() { first } else { percentile(&mut samples, 0.5) };
    Timing { found, first: ms(first), again: ms(again), over: answer.is_err() }
}

/// The median of asking SQLite, which finds as many.
fn sqlite(history: &History, sql: &str, found: usize) -> f64 {
    let mut statement = history.sqlite.prepare(sql).unwrap();
    let mut samples = Vec::new();
    let start = Instant::now();
    while samples.len() < 50 && start.elapsed() < Duration::from_millis(700) {
        let start = Instant::now();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let ids: Vec<String> = rows.map(Result::unwrap).collect();
        samples.push(start.elapsed().as_nanos() as u64);
        assert_eq!(ids.len(), found, "{sql}");
    }
    percentile(&mut samples, 0.5) as f64 / 1e6
}

fn print_head() {
    println!(
        "{:<60} {:>8} {:>10} {:>10} {:>10}",
        "question", "results", "first", "again", "SQLite"
    );
}

fn print_row(text: &str, timing: &Timing, theirs: Option<f64>) {
    let theirs = theirs.map(|time| format!("{time:.3}")).unwrap_or_default();
    let Timing { found, first, again, over } = timing;
    let found = if *over { "over".to_owned() } else { found.to_string() };
    println!("{text:<60} {found:>8} {first:>10.3} {again:>10.3} {theirs:>10}");
}
