//! What is refused: everything that is no question, with its own code; and what cannot be run, with the place and
//! what was probably meant.

use super::{error, old_store};
use pactdb::{Budget, Cancel, Code};
use std::time::{Duration, Instant};

/// Statements that would write, look elsewhere or change how things are done.
const NO_QUESTIONS: [&str; 62] = [
    "insert into lives values (1)",
    "insert into lives default values",
    "insert into lives select * from lives",
    "insert into pact('@t0 .cb') values (1)",
    "insert or replace into lives(id) values ('x')",
    "insert into lives(id) values ('x') on conflict do nothing returning id",
    "replace into lives(id) values ('x')",
    "replace into pact('@t0 .cb')(id) values ('x')",
    "update lives set id = 'x'",
    "update pact('@t0 .cb') set id = 'x'",
    "update each('@*', '.cb') set id = 'x' where at = 1",
    "delete from lives",
    "delete from lives where id = 'x' returning *",
    "delete from pact('@t0 .cb')",
    "delete from pact('@t0 .cb') where role = 'user'",
    "  -- first a remark\n /* and one more */ delete from pact('@t0 .cb')",
    "with x as (select 1) delete from lives",
    "with x as (select 1) delete from pact('@t0 .cb')",
    "with x(a) as (select ')'), y as (select 2) update pact('.cb') set id = 1",
    "with x as (select 1) insert into lives(id) select * from x",
    "explain delete from lives",
    "explain delete from pact('@t0 .cb')",
    "explain query plan update pact('@t0 .cb') set id = 'x'",
    "explain pragma table_list",
    "create table t(a)",
    "create table t as select * from lives",
    "create temp table t(a)",
    "create view v as select 1",
    "create temp view v as select 1",
    "create index i on lives(id)",
    "create trigger t after insert on lives begin select 1; end",
    "create virtual table t using pact",
    "create virtual table t using fts5(a)",
    "create virtual table temp.t using csv(filename='/etc/passwd')",
    "drop table lives",
    "drop table pact('.cb')",
    "drop view v",
    "drop index i",
    "alter table lives rename to deaths",
    "alter table lives add column x",
    "attach 'file:x' as y",
    "attach ':memory:' as y",
    "attach database '/tmp/pactdb-sql-test' as y",
    "detach main",
    "pragma table_list",
    "pragma temp_store = file",
    "pragma writable_schema = 1",
    "pragma query_only(0)",
    "vacuum",
    "vacuum into '/tmp/pactdb-sql-test'",
    "reindex",
    "reindex lives",
    "analyze",
    "analyze lives",
    "begin",
    "begin immediate",
    "commit",
    "end transaction",
    "rollback",
    "rollback to a",
    "savepoint a",
    "release a",
];

/// Questions about what is not theirs to read.
const FOREIGN_TABLES: [&str; 10] = [
    "select * from sqlite_schema",
    "select * from sqlite_temp_schema",
    "select * from main.sqlite_master",
    "select * from pragma_table_info('lives')",
    "select * from pragma_database_list",
    "select * from pragma_function_list",
    "select * from (select * from sqlite_master)",
    "with x as (select * from sqlite_master) select * from x",
    "select (select count(*) from sqlite_master)",
    "select * from lives union select name, 1, 1, 1, 1, 1, 1, 1, 1, 1 from sqlite_master",
];

#[test]
fn only_questions_are_answered() {
    let db = old_store();
    let (events, export) = (db.events(), db.export(Some("@t0")).unwrap());
    for sql in NO_QUESTIONS.iter().chain(&FOREIGN_TABLES) {
        let refused = error(db, sql);
        assert_eq!(refused.code, Code::SqlDenied, "{sql}: {refused}");
    }
    assert!(!std::path::Path::new("/tmp/pactdb-sql-test").exists());
    assert_eq!(db.events(), events);
    assert_eq!(db.export(Some("@t0")).unwrap(), export);
    // A word of these that stands elsewhere is a word like any other.
    for sql in ["select delete from lives", "selct 1", "with x as (select 1) selct 1", "with"] {
        assert_eq!(error(db, sql).code, Code::SqlInvalid, "{sql}");
    }
    assert_eq!(super::rows(db, "select 'delete from lives' as \"update\"").len(), 1);
    assert_eq!(super::rows(db, "values (1), (2)").len(), 2);
}

#[test]
fn functions_are_those_that_only_compute() {
    let db = old_store();
    for call in [
        "load_extension('x')",
        "load_extension('x', 'y')",
        "fts3_tokenizer('simple')",
        "sqlite_log(1, 'x')",
        "rtreecheck('x')",
        "rtreenode(2, x'00')",
        "snippet(1)",
        "fts5(1)",
    ] {
        let refused = error(db, &format!("select {call}"));
        assert_eq!(refused.code, Code::SqlDenied, "{call}: {refused}");
        assert!(refused.message.contains(call.split('(').next().unwrap()), "{refused}");
    }
    // These belong to other programs that have SQLite in them.
    for call in ["readfile('/etc/passwd')", "writefile('x', 'y')", "edit('x')", "fsdir('/')"] {
        assert_eq!(error(db, &format!("select {call}")).code, Code::SqlInvalid, "{call}");
    }
    for call in [
        "abs(-1)",
        "avg(1)",
        "count(*)",
        "count(distinct 1)",
        "sum(1) over ()",
        "row_number() over ()",
        "group_concat(1, ',')",
        "date('now')",
        "strftime('%Y', 'now')",
        "json_extract('[1]', '$[0]')",
        "'[1]' ->> 0",
        "json_group_array(1)",
        "like('a', 'b')",
        "'a' like 'b' escape '\\'",
        "'a' glob 'b'",
        "'a' regexp 'b'",
        "printf('%d', 1)",
        "iif(1, 2, 3)",
        "coalesce(1, 2)",
        "random()",
        "hex(randomblob(4))",
        "zeroblob(4)",
        "sqlite_version()",
        "unicode('a')",
        "substr('abc', 2)",
    ] {
        assert_eq!(super::rows(db, &format!("select {call}")).len(), 1, "{call}");
    }
}

#[test]
fn values_that_functions_make_are_bounded() {
    let db = old_store();
    for (sql, code) in [
        ("select zeroblob(1 << 30)", Code::Limit),
        ("select randomblob(1 << 30)", Code::Limit),
        ("select zeroblob(9223372036854775807)", Code::Limit),
        ("select printf('%.*c', 1 << 30, 'x')", Code::Limit),
        // A value may be as long as this, and an answer may not.
        ("select hex(zeroblob(60000000))", Code::Limit),
        ("select length(hex(zeroblob(80000000)))", Code::Limit),
        ("select replace(hex(zeroblob(1000000)), '0', hex(zeroblob(1000)))", Code::Limit),
        (
            "with recursive n(x) as (select 'x' union all select x || x from n) select max(x) from n",
            Code::Limit,
        ),
        (
            "select group_concat(a.content || b.content || printf('%.*c', 1000000, 'x')) \
             from pact('@t0 *') a, pact('@t0 *') b",
            Code::Limit,
        ),
    ] {
        let refused = error(db, sql);
        assert_eq!(refused.code, code, "{sql}: {refused}");
    }
    assert_eq!(
        super::rows(db, "select length(hex(zeroblob(60000000)))"),
        [[super::int(120_000_000)]]
    );
    let rows = "with recursive n(x) as (select 1 union all select x + 1 from n where x < 9) \
                select x, printf('%.*c', 16000000, 'x') from n";
    let reply = pactdb::sql::ask(db, rows, &pactdb::Json::Null, None).unwrap();
    assert_eq!((reply.rows.len(), reply.truncated), (4, true));
}

#[test]
fn errors_point_at_the_place_and_guess() {
    let db = old_store();
    for (sql, at, hint) in [
        ("selct 1", "selct", None),
        ("select foo from lives", "foo", None),
        ("select beorn from lives", "beorn", Some("did you mean `born`?")),
        ("select l.beorn from lives l", "l.beorn", Some("did you mean `born`?")),
        ("select type from pact('@t0 .cb')", "type", Some("did you mean `nodeType`?")),
        ("select \"beorn\" from lives", "\"", Some("did you mean `born`?")),
        ("select * from livs", "livs", Some("did you mean `lives`?")),
        ("select cuont(*) from lives", "cuont", Some("did you mean `count`?")),
        ("select 'ä', beorn from lives", "beorn", Some("did you mean `born`?")),
        ("select 1 from lives where", "", None),
    ] {
        let error = error(db, sql);
        assert_eq!(error.code, Code::SqlInvalid, "{sql}");
        let at_end = at.is_empty() && error.details.span.is_none();
        if !at_end {
            let (start, end) = error.details.span.unwrap_or_else(|| panic!("{sql}: {error}"));
            assert_eq!(&sql[start..end], at, "{sql}");
            assert_eq!(error.details.text.as_deref(), Some(sql));
        }
        assert_eq!(error.details.hint.as_deref(), hint, "{sql}");
    }
}

#[test]
fn a_selector_in_a_question_is_pointed_into() {
    let db = old_store();
    let sql = "select * from pact('@t0 .cb[')";
    let wrong = error(db, sql);
    assert_eq!(wrong.code, Code::SelectorInvalid);
    let (start, end) = wrong.details.span.unwrap();
    assert_eq!((&sql[start..end], start), ("[", 27));
    assert!(wrong.message.starts_with("at byte 27: "), "{wrong}");
    // Its quotes are doubled in the statement.
    let sql = "select * from pact('@t0 .cb[role=''a''] )')";
    let (start, _) = error(db, sql).details.span.unwrap();
    assert_eq!(&sql[start..], ")')");
    // What stands in the text twice, or not at all, is quoted.
    for sql in [
        "select * from pact('@t0 .cb' || '[')",
        "select * from pact('.cb[') union select * from pact('.cb[')",
    ] {
        let wrong = error(db, sql);
        assert_eq!((wrong.code, wrong.details.span), (Code::SelectorInvalid, None), "{sql}");
        assert!(wrong.message.starts_with("in the selector `"), "{wrong}");
    }
    for (sql, code) in [
        ("select * from pact('@c99999 .cb')", Code::SnapshotNotFound),
        ("select * from pact('@c1..@c3 .cb')", Code::SqlInvalid),
        ("select * from changes('@t0 .cb')", Code::SqlInvalid),
        ("select * from each('@c1', '@c2 .cb')", Code::SelectorInvalid),
        ("select * from pact", Code::SqlInvalid),
        ("select * from pact(5)", Code::SqlInvalid),
        ("select * from pact(null)", Code::SqlInvalid),
        ("select * from pact('.cb', 'x')", Code::SqlInvalid),
        ("select * from each('@*')", Code::SqlInvalid),
    ] {
        assert_eq!(error(db, sql).code, code, "{sql}: {}", error(db, sql));
    }
}

#[test]
fn one_statement_at_a_time_and_none_is_none() {
    let db = old_store();
    for sql in ["select 1; select 2", "select 1; selct", "select 1;;select 2"] {
        assert!(error(db, sql).message.contains("one statement"), "{sql}: {}", error(db, sql));
    }
    for sql in ["", " ", ";", "-- nothing", "/* nothing */"] {
        assert!(error(db, sql).message.contains("no statement"), "{sql}: {}", error(db, sql));
    }
    for sql in ["select 1;", "select 1; -- that was it", "select 1 /* one */ ;;"] {
        assert_eq!(super::rows(db, sql).len(), 1, "{sql}");
    }
    assert_eq!(error(db, "select 1\0, 2").code, Code::SqlInvalid);
    assert_eq!(error(db, &format!("select '{}'", "x".repeat(2 << 20))).code, Code::Limit);
    let deep = format!("select {}1", "not ".repeat(500));
    assert_eq!(error(db, &deep).code, Code::SqlInvalid);
}

#[test]
fn a_question_ends_with_its_time() {
    let db = old_store();
    for sql in [
        // Inside SQLite's own steps, between rows, and while rows are made.
        "with recursive n(x) as (select 1 union all select x + 1 from n) select sum(x) from n",
        "select count(*) from events a, events b, events c, events d",
        "select count(*) from pact('@t0 *') a, each('@*', '*') b, pact('@* *') c, lives d",
        "select max(x) from (select a.content regexp '(a+)+$' as x from each('@*', '*') a, each('@*', '*') b)",
    ] {
        let began = Instant::now();
        let budget = Budget::new().timeout(Duration::from_millis(150));
        assert_eq!(budget.run(|| error(db, sql)).code, Code::Timeout, "{sql}");
        assert!(began.elapsed() < Duration::from_secs(5), "{sql} took {:?}", began.elapsed());
    }
    let cancel = Cancel::new();
    cancel.cancel();
    let budget = Budget::new().cancelled_by(&cancel);
    assert_eq!(budget.run(|| error(db, "select * from lives")).code, Code::Cancelled);
    assert_eq!(budget.run(|| error(db, "select 1")).code, Code::Cancelled);
}
