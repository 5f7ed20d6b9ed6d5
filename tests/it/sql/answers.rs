//! What is answered: counts, joins, parameters, limits, and which conditions reach the engine.

use super::{int, old_store, rows, rows_with, texts, value};
use pactdb::sql::{ask, catalogue, explain};
use pactdb::{Add, Commit, Db, Json, Options};

fn ints(rows: &[Vec<Json>]) -> Vec<Vec<i64>> {
    rows.iter().map(|row| row.iter().map(|value| value.as_i64().unwrap()).collect()).collect()
}

#[test]
fn sqlite_counts_what_the_engine_finds() {
    let db = old_store();
    let blocks = db.select("@t0 .cb").unwrap().ids().len() as i64;
    assert_eq!(value(db, "select count(*) from pact('@t0 .cb')"), Json::Int(blocks));
    let by_role = rows(db, "select role, count(*) from pact('@t0 .cb') group by role");
    assert_eq!(by_role.iter().map(|row| row[1].as_i64().unwrap()).sum::<i64>(), blocks);
    let last = db.last_cycle() as i64;
    assert_eq!(value(db, "select max(cycle) from commits"), Json::Int(last));
    assert_eq!(value(db, "select count(*) from events"), int(db.events()));
    let joined = "select count(*) from pact('@t0 .cb') p join lives l on l.id = p.id";
    assert_eq!(value(db, joined), Json::Int(blocks));
    let recursive = "with recursive n(x) as (select 1 union all select x + 1 from n where x < 9) \
                     select sum(x) from n";
    assert_eq!(value(db, recursive), Json::Int(45));
    assert_eq!(value(db, "select sum(value) from json_each('[1,2,3]')"), Json::Int(6));
    let found = value(db, "select count(*) from pact('@t0 .cb') where content regexp 'sky.*blue'");
    let wanted = db.select("@t0 .cb[content~'sky.*blue']").unwrap().ids().len() as i64;
    assert_eq!(found, Json::Int(wanted));
}

#[test]
fn conditions_change_nothing_but_what_is_read() {
    let db = old_store();
    let all = rows(db, "select id, cycle, at from pact('@* .cb')");
    let last = db.last_cycle();
    for (condition, keep) in [
        (
            "id = 'u7'",
            Box::new(|row: &[Json]| row[0] == Json::from("u7")) as Box<dyn Fn(&[Json]) -> bool>,
        ),
        (
            "id in ('u7', 'u8', 'nobody')",
            Box::new(|row: &[Json]| ["u7", "u8"].iter().any(|id| row[0] == Json::from(*id))),
        ),
        ("id = 'U7' collate nocase", Box::new(|row: &[Json]| row[0] == Json::from("u7"))),
        ("id = 7", Box::new(|_: &[Json]| false)),
        (
            "cycle > 5 and cycle <= 9",
            Box::new(|row: &[Json]| (6..=9).contains(&row[1].as_i64().unwrap())),
        ),
        (
            "cycle >= 5.5 and cycle < '9'",
            Box::new(|row: &[Json]| (6..9).contains(&row[1].as_i64().unwrap())),
        ),
        ("cycle = null", Box::new(|_: &[Json]| false)),
        ("at < 12", Box::new(|row: &[Json]| row[2].as_i64().unwrap() < 12)),
    ] {
        let found =
            rows(db, &format!("select id, cycle, at from pact('@* .cb') where {condition}"));
        let wanted: Vec<Vec<Json>> = all.iter().filter(|row| keep(row)).cloned().collect();
        assert_eq!(found, wanted, "{condition}");
    }
    let each = rows(db, "select at, id from each('@*', '.cb') where at between 4 and 6");
    let wanted = rows(
        db,
        "select at, id from (select at, id from each('@*', '.cb') limit -1) where +at between 4 and 6",
    );
    assert_eq!(each, wanted);
    for condition in
        ["cycle = 7", "cycle between 3 and 8", "cycle > 1e3", "cycle < -1", "cycle >= 9"]
    {
        for (table, columns) in
            [("commits", "*"), ("events", "*"), ("changes('@history .cb')", "*")]
        {
            let taken = rows(db, &format!("select {columns} from {table} where {condition}"));
            let plain = condition.replace("cycle", "+cycle");
            let left = rows(db, &format!("select {columns} from {table} where {plain}"));
            assert_eq!(taken, left, "{table} where {condition}");
        }
    }
    assert_eq!(ints(&rows(db, "select seq from events where seq in (3, 5, 99999)")), [[3], [5]]);
    assert!(last > 60);
}

#[test]
fn limits_end_the_work_and_nothing_else() {
    let db = old_store();
    let all = rows(db, "select id from pact('@t0 *')");
    for (limit, offset) in [(0, 0), (1, 0), (5, 3), (1000, 0), (3, 1000)] {
        let sql = format!("select id from pact('@t0 *') limit {limit} offset {offset}");
        let wanted: Vec<_> = all.iter().skip(offset).take(limit).cloned().collect();
        assert_eq!(rows(db, &sql), wanted, "{sql}");
    }
    let sorted = rows(db, "select id from pact('@t0 *') order by id desc limit 3");
    let mut wanted = all.clone();
    wanted.sort_by(|a, b| b[0].as_str().cmp(&a[0].as_str()));
    assert_eq!(sorted, wanted[..3]);
    let limited = rows(db, "select id from pact('@t0 * @limit=4') limit 10");
    assert_eq!(limited, all[..4]);
    let users = rows(db, "select id from pact('@t0 *') where role = 'user' limit 2");
    assert_eq!(users.len(), 2);
    let reply = ask(db, "select id from pact('@t0 *')", &Json::Null, Some(7)).unwrap();
    assert_eq!((reply.rows.len(), reply.truncated), (7, true));
    let reply = ask(db, "select id from pact('@t0 *') limit 7", &Json::Null, Some(7)).unwrap();
    assert_eq!((reply.rows.len(), reply.truncated), (7, false));
}

#[test]
fn parameters_are_given_by_place_or_by_name() {
    let db = old_store();
    let one = Json::List(vec![Json::from("@t0 .cb"), Json::Int(2)]);
    assert_eq!(rows_with(db, "select id from pact(?) limit ?", &one).unwrap().len(), 2);
    let named = pactdb::json::parse(r#"{"q": "@t0 .cb", "n": 3}"#).unwrap();
    for sign in [':', '@', '$'] {
        let sql = format!("select id from pact({sign}q) limit {sign}n");
        assert_eq!(rows_with(db, &sql, &named).unwrap().len(), 3, "{sql}");
    }
    let values = pactdb::json::parse(r#"[null, true, 1.5, "x", [1, {"a": 2}]]"#).unwrap();
    let found = rows_with(db, "select ?, ?, ?, ?, ?->>'$[1].a'", &values).unwrap();
    let wanted = [Json::Null, Json::Int(1), Json::Float(1.5), Json::from("x"), Json::Int(2)];
    assert_eq!(found, [wanted]);
    for (sql, params) in [
        ("select ?", Json::Null),
        ("select ?", texts(&[])),
        ("select 1", texts(&["x"])),
        ("select :a", pactdb::json::parse(r#"{"b": 1}"#).unwrap()),
        ("select :a", pactdb::json::parse(r#"{"a": 1, "b": 1}"#).unwrap()),
        ("select ?", pactdb::json::parse(r#"{"a": 1}"#).unwrap()),
        ("select 1", Json::from("x")),
    ] {
        assert!(rows_with(db, sql, &params).is_err(), "{sql} with {params:?}");
    }
}

#[test]
fn what_reaches_the_engine_is_said() {
    let db = old_store();
    let step = |sql: &str| {
        let reply = explain(db, sql).unwrap();
        let lines: Vec<String> =
            reply.rows.iter().map(|row| row[0].as_str().unwrap().into()).collect();
        lines.join("\n")
    };
    assert_eq!(
        step("select id from pact('@t0 .cb') as p where id = 'x' and cycle > 3 limit 2"),
        "SCAN p: pact(SELECTOR) gets id = …, cycle > …, limit"
    );
    assert_eq!(
        step("select id from pact('@t0 .cb') where role = 'user'"),
        "SCAN pact: pact(SELECTOR) gets nothing but the arguments"
    );
    let joined = step("select * from each('@*', '.cb') e join lives l on l.id = e.id where at = 4");
    assert!(joined.contains("each(RANGE, SELECTOR) gets at = …"), "{joined}");
    assert!(joined.contains("lives gets id = …"), "{joined}");
    assert!(explain(db, "selct").is_err() && explain(db, "drop table lives").is_err());
}

#[test]
fn every_column_of_every_table_can_be_read() {
    let db = old_store();
    let arguments = |name: &str| match name {
        "pact" => "('@* *')",
        "each" => "('@t-3..@t0', '*')",
        "changes" => "('@t-9..@t0 *')",
        _ => "",
    };
    for table in catalogue() {
        let from = format!("{}{}", table.name, arguments(&table.name));
        for (column, kind, _) in &table.columns {
            let sql = format!("select \"{column}\" from {from}");
            let reply = ask(db, &sql, &Json::Null, Some(u64::MAX)).unwrap();
            assert_eq!(reply.columns[0].kind.as_deref(), Some(kind.as_str()), "{sql}");
            for value in reply.rows.iter().map(|row| &row[0]) {
                let fits = match kind.as_str() {
                    "INTEGER" => matches!(value, Json::Null | Json::Int(_)),
                    "REAL" => matches!(value, Json::Null | Json::Float(_) | Json::Int(_)),
                    "TEXT" => matches!(value, Json::Null | Json::Str(_)),
                    _ => true,
                };
                assert!(fits, "{sql} has {value:?}");
            }
        }
        assert!(!rows(db, &format!("select * from {from}")).is_empty() || table.name == "calls");
    }
}

#[test]
fn calls_have_their_results() {
    let db =
        Options::new().clock(1000).create_on(crate::support::storage::Memory::default()).unwrap();
    let attr = |add: Add, name: &str, value: &str| add.attr(name, value);
    let call = |id: &str, call: &str, tool: &str| {
        let add = Add::assistant("{\"q\":1}").id(id).kind("call");
        attr(attr(add, "data_call_id", call), "data_tool_name", tool)
    };
    let result = |id: &str, call: &str| {
        attr(Add::tool("found").id(id).kind("result").ttl(1), "data_call_id", call)
    };
    db.add(call("a", "1", "search")).unwrap();
    db.commit(Commit::new()).unwrap();
    db.add(result("b", "1")).unwrap();
    db.add(call("c", "2", "book")).unwrap();
    db.commit(Commit::new()).unwrap();
    db.commit(Commit::new()).unwrap();
    let sql = "select id, result_id, tool, arguments, bytes, result_bytes, cycle, result_cycle, \
               result_ended, result_how from calls order by id";
    let found: Vec<String> = rows(&db, sql)
        .iter()
        .map(|row| row.iter().map(pactdb::json::canonical_string).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        found,
        [
            r#""a" "b" "search" "{\"q\":1}" 7 5 1 2 3 "expired""#,
            r#""c" null "book" "{\"q\":1}" 7 null 2 null null null"#,
        ]
    );
}

/// A store with one block.
fn small(content: Json) -> Db {
    let db =
        Options::new().clock(1000).create_on(crate::support::storage::Memory::default()).unwrap();
    db.add(Add { content: Some(content), ..Add::user("").id("x") }).unwrap();
    db.commit(Commit::new()).unwrap();
    db
}

#[test]
fn values_that_json_has_no_word_for_are_texts() {
    let db = small(Json::from("x"));
    assert_eq!(
        rows(&db, "select 9e999, -9e999, x'00ff', cast(x'ff' as text)"),
        [[Json::from("Inf"), Json::from("-Inf"), Json::from("00ff"), Json::from("\u{fffd}"),]]
    );
}
