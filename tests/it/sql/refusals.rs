//! What is refused: everything that is no question, with its own code; and what cannot be run, with the place and
//! what was probably meant.

use super::{error, old_store};
use pactdb::{Budget, Cancel, Code};
use std::time::{Duration, Instant};

#[test]
fn only_questions_are_answered() {
    let db = old_store();
    let before = db.events();
    for sql in [
        "insert into lives values (1)",
        "update lives set id = 'x'",
        "delete from lives",
        "create table t(a)",
        "create temp table t(a)",
        "create view v as select 1",
        "create virtual table t using pact",
        "drop table lives",
        "alter table lives rename to deaths",
        "attach 'file:x' as y",
        "attach ':memory:' as y",
        "detach main",
        "pragma table_list",
        "pragma temp_store = file",
        "vacuum",
        "vacuum into '/tmp/pactdb-sql-test'",
        "reindex",
        "analyze",
        "begin",
        "commit",
        "savepoint a",
        "select load_extension('x')",
        "select fts3_tokenizer('simple')",
        "select * from sqlite_schema",
        "select * from sqlite_temp_schema",
        "select * from pragma_table_info('lives')",
        "select * from pragma_database_list",
        "select * from (select * from sqlite_master)",
        "with x as (select * from sqlite_master) select * from x",
        "select (select count(*) from sqlite_master)",
        "with x as (select 1) delete from lives",
        "explain pragma table_list",
        "explain delete from lives",
    ] {
        assert_eq!(error(db, sql).code, Code::SqlDenied, "{sql}");
    }
    assert!(!std::path::Path::new("/tmp/pactdb-sql-test").exists());
    for sql in ["select readfile('/etc/passwd')", "select writefile('x', 'y')", "select edit('x')"]
    {
        assert_eq!(error(db, sql).code, Code::SqlInvalid, "{sql}");
    }
    assert_eq!(db.events(), before);
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
    assert_eq!(error(db, "select zeroblob(1 << 30)").code, Code::Limit);
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
