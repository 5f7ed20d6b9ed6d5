//! Texts made of random pieces of SQL: never a panic, never a write, never beyond the deadline.

use super::old_store;
use pactdb::sql::{ask, explain};
use pactdb::{Budget, Code, Json};
use proptest::prelude::*;
use std::time::{Duration, Instant};

const PIECES: &[&str] = &[
    "select",
    "with",
    "from",
    "where",
    "group by",
    "order by",
    "limit",
    "union all",
    "join",
    "on",
    "as",
    "and",
    "not",
    "in",
    "(",
    ")",
    ",",
    "*",
    "=",
    "<",
    ">=",
    "+",
    "||",
    "->>",
    "'",
    "''",
    "\"",
    ";",
    "--",
    "pact('@t0 .cb')",
    "pact(",
    "pact('@* *')",
    "each('@t-2..@t0', '.cb')",
    "each('@*', '*')",
    "changes('@history *')",
    "lives",
    "calls",
    "commits",
    "events",
    "attempts",
    "json_each('[1]')",
    "id",
    "role",
    "content",
    "json",
    "at",
    "cycle",
    "bytes",
    "tokens",
    "path",
    "turn",
    "first_cycle",
    "count(*)",
    "sum(bytes)",
    "max(at)",
    "1",
    "-1",
    "9e999",
    "null",
    "'cb'",
    "'@t0 .cb['",
    "?",
    ":x",
    "regexp",
    "'('",
    "'a+'",
    "recursive",
    "n(x) as (select 1 union all select x+1 from n)",
    "n",
    "insert into",
    "delete",
    "drop table",
    "pragma",
    "attach",
    "values",
    "(1)",
    "x'00'",
    "é",
    "\u{0}",
    "case when",
    "then",
    "end",
    "exists",
    "over",
    "partition by",
    "desc",
    "distinct",
    "having",
];

fn text() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 0..14);
    let table = prop::sample::select(
        &["lives", "pact('@t0 .cb')", "each('@t-1..@t0', '*')", "events", "commits a, commits b"][..],
    );
    let any = pieces.prop_map(|pieces| pieces.join(" "));
    // Half of them begin in a way that is right.
    prop_oneof![
        any.clone(),
        (table, any).prop_map(|(table, rest)| format!("select * from {table} {rest}")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_answered_or_refused_in_time(text in text()) {
        let db = old_store();
        let (events, export) = (db.events(), db.export(Some("@t0")).unwrap());
        let began = Instant::now();
        let budget = Budget::new().timeout(Duration::from_millis(200));
        let answered = budget.run(|| ask(db, &text, &Json::Null, None));
        prop_assert!(began.elapsed() < Duration::from_secs(5), "{} took {:?}", text, began.elapsed());
        if let Err(error) = &answered {
            let known = [
                Code::SqlInvalid, Code::SqlDenied, Code::SelectorInvalid, Code::SnapshotNotFound,
                Code::Timeout, Code::Limit,
            ];
            prop_assert!(known.contains(&error.code), "{}: {:?}", text, error);
            prop_assert!(!error.message.contains("panic"), "{}: {:?}", text, error);
            if let Some((start, end)) = error.details.span {
                prop_assert!(text.get(start..end).is_some(), "{}: {:?}", text, error);
            }
        }
        let _ = budget.run(|| explain(db, &text));
        prop_assert_eq!(db.events(), events);
        prop_assert_eq!(db.export(Some("@t0")).unwrap(), export);
    }
}
