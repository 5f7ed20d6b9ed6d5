//! Stages are the statement that they stand for, and errors point into what was typed.

use super::*;
use pactdb::sql::{explain, has_stages, is_question};
use pactdb::{Budget, Code};
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// Stages, and the statement that a person would have written.
const SAME: [(&str, &str); 16] = [
    (
        "@t0 .cb | count by role",
        "select role, count(*) as count from pact('@t0 .cb') group by role order by role",
    ),
    ("@t0 .cb | count", "select count(*) as count from pact('@t0 .cb')"),
    (
        "@t0 .cb | sum bytes, max bytes by role, kind | sort 3 desc, 1, 2",
        "select role, kind, sum(bytes) as sum_bytes, max(bytes) as max_bytes from pact('@t0 .cb')
         group by role, kind order by 3 desc, 1, 2",
    ),
    (
        "@t0 .cb | where bytes > 10 and role <> 'user' | sort bytes desc, id | take 10 | show id, turn, role, bytes",
        "select id, turn, role, bytes from pact('@t0 .cb') where bytes > 10 and role <> 'user'
         order by bytes desc, id limit 10",
    ),
    (
        "@* .cb[content~'e'] | show first_cycle, id, content | sort 1, 2",
        "select first_cycle, id, content from pact('@* .cb[content~''e'']') order by 1, 2",
    ),
    ("@c1..@t0 .cb | count", ""),
    (
        "@c1..@c9 .cb | where change = 'removed' | count by cycle",
        "select cycle, count(*) as count from changes('@c1..@c9 .cb') where change = 'removed'
         group by cycle order by cycle",
    ),
    (
        "each @c1..@c9 ^seq .cb | sum bytes by at",
        "select at, sum(bytes) as sum_bytes from each('@c1..@c9', '^seq .cb') group by at order by at",
    ),
    (
        ".cb | sort id | skip 2 | take 3",
        "select id, turn, role, kind, bytes, content from pact('.cb') order by id limit 3 offset 2",
    ),
    (
        "@t0 .cb | sort id | take 9 | skip 4 | show id",
        "select id from (select * from pact('@t0 .cb') order by id limit 9) limit -1 offset 4",
    ),
    (
        "@t0 .cb | sort bytes desc, id | take 5 | sum bytes",
        "select sum(bytes) as sum_bytes from (select * from pact('@t0 .cb') order by bytes desc, id limit 5)",
    ),
    (
        "@t0 .cb | count by role | where count > 1 | show role as who",
        "select role as who from (select role, count(*) as count from pact('@t0 .cb') group by role
         order by role) where count > 1",
    ),
    (
        "@t0 .cb | show role | distinct | sort 1",
        "select distinct role from pact('@t0 .cb') order by 1",
    ),
    (
        "@t0 .cb | count(distinct role), avg length(content) by substr(id, 1, 2) as two",
        "select substr(id, 1, 2) as two, count(distinct role), avg(length(content)) as avg
         from pact('@t0 .cb') group by 1 order by 1",
    ),
    (
        "@t0 .cb | where content like '%|%' or role || kind = 'x' | COUNT",
        "select count(*) as count from pact('@t0 .cb') where content like '%|%' or role || kind = 'x'",
    ),
    (
        "@t0 .cb | group_concat(id) by role",
        "select role, group_concat(id) from pact('@t0 .cb') group by role order by role",
    ),
];

#[test]
fn stages_are_the_statement_that_they_stand_for() {
    let db = old_store();
    for (stages, sql) in SAME.into_iter().filter(|(_, sql)| !sql.is_empty()) {
        assert!(has_stages(stages) && is_question(stages), "{stages}");
        let asked = |q: &str| ask(db, q, &Json::Null, Some(u64::MAX)).expect(q);
        let (short, long) = (asked(stages), asked(sql));
        assert_eq!(short.rows, long.rows, "{stages}");
        let names = |reply: &pactdb::sql::SqlReply| {
            reply.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&short), names(&long), "{stages}");
        let steps = explain(db, stages).unwrap().rows;
        let shown = steps[0][0].as_str().unwrap().to_owned();
        assert_eq!(asked(&shown).rows, short.rows, "the statement that is shown: {shown}");
    }
    assert!(!rows(db, SAME[0].0).is_empty());
}

/// What was typed, the part that the error points at, and a part of what is said.
const WRONG: [(&str, &str, &str); 13] = [
    ("@t0 .cb | wher bytes > 1", "wher", "did you mean `where`?"),
    ("@t0 .cb | where byts > 1", "byts", "did you mean `bytes`?"),
    ("@t0 .cb[role='it'] | where byts > 1", "byts", "no such column"),
    ("@t0 .cb[ | count", "[", "never closed"),
    ("@c99999 .cb[role='a'] | count", "@c99999", "there is no snapshot"),
    ("each @c1..@c99 .cb[[ | count", "[", ""),
    ("each @c1..@x .cb | count", "", ""),
    ("@t0 .cb | take many", "many", "a number"),
    ("@t0 .cb | sum by role", "sum", "`sum` needs"),
    ("@t0 .cb | where", "where", "`where` needs a condition"),
    ("@t0 .cb | sort bytes,, id", ",", "beside a comma"),
    ("@t0 .cb | distinct role", "role", "nothing follows"),
    ("@t0 .cb |", "", "begins with a word"),
];

#[test]
fn errors_point_into_what_was_typed() {
    let db = old_store();
    for (typed, part, said) in WRONG {
        let error = error(db, typed);
        let hint = error.details.hint.clone().unwrap_or_default();
        assert!(format!("{error} ({hint})").contains(said), "{typed}: {error} ({hint})");
        let (start, end) = error.details.span.unwrap_or_else(|| panic!("{typed}: {error:?}"));
        assert_eq!(error.details.text.as_deref(), Some(typed));
        assert!(typed[start..end].starts_with(part), "{typed}: {:?}", &typed[start..end]);
    }
}

#[test]
fn a_bar_in_quotes_or_brackets_begins_no_stage() {
    for text in [".cb[content~'a|b']", ".cb[a=\"|\"]", "#'x|y'", ".cb[role|kind]", ".cb"] {
        assert!(!has_stages(text), "{text}");
    }
    assert!(!is_question("add 'x | count'"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever is typed behind a selector: no panic, no change, no end missed.
    #[test]
    fn any_stages_are_answered_or_refused(
        selector in prop::sample::select(vec!["@t0 .cb", ".cb", "@*", "@c1..@c5 .cb", "each @c1..@c3 .cb", "", "@t0 .cb[role='"]),
        pieces in prop::collection::vec(prop::sample::select(vec![
            "|", "||", " where ", " count ", " sum ", " by ", " sort ", " take ", " skip ", " show ",
            " distinct ", " as ", "bytes", "role", "'x'", "'", "\"", "(", ")", ",", "1", "-1", "desc",
            "*", " from pact('.cb')", "; drop table x", " union select 1", "é", "\n", "--", "id",
        ]), 0..12),
    ) {
        let db = old_store();
        let typed = format!("{selector} | {}", pieces.concat());
        let before = db.stats().unwrap();
        let began = Instant::now();
        let budget = Budget::new().timeout(Duration::from_secs(2));
        if let Err(error) = budget.run(|| ask(db, &typed, &Json::Null, Some(50))) {
            prop_assert!(error.code != Code::StoreIo && error.code != Code::LogCorrupt, "{error}");
            if let Some((start, end)) = error.details.span {
                let text = error.details.text.expect("a span has its text");
                prop_assert!(start <= end && text.get(start..end).is_some(), "{typed}: {start}..{end}");
            }
        }
        prop_assert!(began.elapsed() < Duration::from_secs(8), "{} took {:?}", typed, began.elapsed());
        prop_assert_eq!(before, db.stats().unwrap());
    }
}

/// A source: as it is typed, as a table, and an order that leaves nothing open.
const SOURCES: [(&str, &str, &str); 4] = [
    ("@t0 .cb", "pact('@t0 .cb')", "id"),
    (".cb[role='user']", "pact('.cb[role=''user'']')", "id"),
    ("@* .cb", "pact('@* .cb')", "id"),
    ("each @c3..@c9 .cb", "each('@c3..@c9', '.cb')", "at, id"),
];

/// The last stage, and what is selected and grouped by for it.
const ENDS: [(&str, &str, &str); 6] = [
    ("show id, role", "id, role", ""),
    ("show upper(role) as who, bytes + 1", "upper(role) as who, bytes + 1", ""),
    ("count", "count(*) as count", ""),
    ("count by role", "role, count(*) as count", "group by role order by role"),
    (
        "sum bytes, max cycle by role, kind",
        "role, kind, sum(bytes) as sum_bytes, max(cycle) as max_cycle",
        "group by role, kind order by role, kind",
    ),
    ("avg length(content)", "avg(length(content)) as avg", ""),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// Random stages against a statement in which each of them is a table of the next.
    #[test]
    fn random_stages_are_nested_statements(
        (typed, table, order) in prop::sample::select(SOURCES.to_vec()),
        wheres in prop::collection::vec(prop::sample::select(vec![
            "bytes > 12", "role <> 'user' or kind is null", "content like '%e%'", "cycle % 3 = 1",
        ]), 0..3),
        sorted in prop::option::of(prop::sample::select(vec!["bytes desc", "role", "cycle desc, kind"])),
        (skip, take) in (prop::option::of(0u64..9), prop::option::of(0u64..30)),
        (end, select, group) in prop::sample::select(ENDS.to_vec()),
    ) {
        let mut stages = vec![typed.to_owned()];
        let mut from = table.to_owned();
        for condition in &wheres {
            stages.push(format!("where {condition}"));
            from = format!("(select * from {from} where {condition})");
        }
        let by = sorted.map(|key| format!("order by {key}, {order}")).unwrap_or_default();
        if let Some(key) = sorted {
            stages.push(format!("sort {key}, {order}"));
            from = format!("(select * from {from} {by})");
        }
        if let Some(rows) = skip {
            stages.push(format!("skip {rows}"));
            from = format!("(select * from {from} {by} limit -1 offset {rows})");
        }
        if let Some(rows) = take {
            stages.push(format!("take {rows}"));
            from = format!("(select * from {from} {by} limit {rows})");
        }
        stages.push(end.to_owned());
        let is_list = end.starts_with("show");
        let sql = format!("select {select} from {from} {}", if is_list { &by } else { group });
        let typed = stages.join(" | ");
        let (one, other) = (rows(old_store(), &typed), rows(old_store(), &sql));
        prop_assert_eq!(one, other, "{} and {}", typed, sql);
    }
}
