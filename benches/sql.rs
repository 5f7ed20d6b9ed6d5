//! What do virtual tables cost, beside an ordinary table of SQLite with the same rows?
//!
//! One history of 200,000 turns (1,000,000 nodes) in a pactdb store, and its newest snapshot as a
//! table in memory, one row for each node with the columns that the questions name. Each question is
//! asked of both in turn, the answers are compared, and medians and their ratio are printed (below 1:
//! pactdb is faster). pactdb's times have all of it: a connection, the tables, the statement.
//!
//! The store is made once and kept under `target/`. `-- short` takes 20,000 turns, `-- quick` 2,000;
//! `-- only=role` asks the questions that have this in their names.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "support/history.rs"]
mod history;
mod support;

use history::cached;
use pactdb::Json;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::time::Instant;
use support::percentile;

fn main() {
    let given = |name: &str| std::env::args().any(|argument| argument == name);
    let turns = match (given("quick"), given("short")) {
        (true, _) => 2_000,
        (_, true) => 20_000,
        _ => 200_000,
    };
    let history = cached(turns);
    let table = &history.sqlite;
    make_table(table, history.db.last_cycle());
    let nodes = one(table, "SELECT count(*) FROM newest");
    println!();
    println!("{turns} turns, {nodes} nodes: medians in ms, ratio = pactdb / SQLite");
    println!("{:<44} {:>10} {:>10} {:>8}", "question", "pactdb", "SQLite", "ratio");
    let only =
        std::env::args().find_map(|argument| Some(argument.strip_prefix("only=")?.to_owned()));
    let wanted = |name: &str| only.as_deref().is_none_or(|only| name.contains(only));
    let questions = questions(history.db.last_cycle());
    for (name, ours, theirs) in questions.into_iter().filter(|(name, ..)| wanted(name)) {
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for _ in 0..7 {
            let began = Instant::now();
            let answer = pactdb::sql::ask(&history.db, &ours, &Json::Null, Some(u64::MAX)).unwrap();
            one.push(began.elapsed().as_micros() as u64);
            let began = Instant::now();
            let rows = all(table, &theirs);
            other.push(began.elapsed().as_micros() as u64);
            assert_eq!(answer.rows, rows, "{name}");
        }
        let [one, other] = [&mut one, &mut other].map(|times| percentile(times, 0.5) as f64 / 1e3);
        println!("{name:<44} {one:>10.1} {other:>10.1} {:>8.2}", one / other);
    }
}

/// The questions: a name, over our tables, over an ordinary one.
fn questions(newest: u64) -> Vec<(&'static str, String, String)> {
    let both = |name, select: &str, rest: &str| {
        let ours = format!("SELECT {select} FROM pact('@t0 .cb') {rest}");
        let theirs = format!(
            "SELECT {select} FROM newest WHERE class = 'block' {}",
            rest.replace("WHERE", "AND")
        );
        (name, ours, theirs)
    };
    vec![
        both("count", "count(*)", ""),
        both("count by role", "role, count(*)", "GROUP BY role"),
        both("count and sum of bytes by role", "role, count(*), sum(bytes)", "GROUP BY role"),
        both("filter by bytes", "count(*)", "WHERE bytes > 260"),
        both("the ten largest", "id, bytes", "ORDER BY bytes DESC, id LIMIT 10"),
        both("the first ten", "id, role, bytes", "LIMIT 10"),
        both("turns, by their blocks", "count(DISTINCT turn), sum(bytes)", ""),
        (
            "bytes of each of 40 snapshots",
            "SELECT at, count(*), sum(bytes) FROM each('@c1001..@c1040', '.cb') GROUP BY at".into(),
            "SELECT cycle, count(*), sum(length(content)) FROM cycles JOIN nodes
                 ON valid_from <= cycle AND valid_to > cycle
                 WHERE cycle BETWEEN 1001 AND 1040 AND class = 'block' GROUP BY cycle"
                .into(),
        ),
        (
            "lives, by how they ended",
            "SELECT ended IS NULL, count(*), sum(bytes) FROM lives WHERE type = 'cb' GROUP BY 1"
                .into(),
            format!(
                "SELECT valid_to > {newest}, count(*), sum(length(content)) FROM nodes
                     WHERE class = 'block' GROUP BY 1"
            ),
        ),
    ]
}

/// Puts the nodes of the newest snapshot into an ordinary table in memory.
fn make_table(sqlite: &Connection, newest: u64) {
    let sql = format!(
        "PRAGMA query_only = 0;
         ATTACH ':memory:' AS memory;
         CREATE TABLE memory.newest(id TEXT, class TEXT, role TEXT, bytes INTEGER, turn TEXT);
         INSERT INTO newest SELECT id, class, role, length(content), 'mt:' || turn FROM nodes
             WHERE valid_from <= {newest} AND valid_to > {newest} ORDER BY pos"
    );
    sqlite.execute_batch(&sql).unwrap();
}

fn one(table: &Connection, sql: &str) -> i64 {
    table.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn all(table: &Connection, sql: &str) -> Vec<Vec<Json>> {
    let mut statement = table.prepare(sql).unwrap();
    let count = statement.column_count();
    let mut rows = statement.query([]).unwrap();
    let mut found = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        let value = |i: usize| match row.get_ref(i).unwrap() {
            ValueRef::Integer(number) => Json::Int(number),
            ValueRef::Text(text) => Json::from(std::str::from_utf8(text).unwrap()),
            _ => Json::Null,
        };
        found.push((0..count).map(value).collect());
    }
    found
}
