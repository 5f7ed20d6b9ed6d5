//! The columns of nodes that no operation has: measures of contents, positions, cycles.

use super::rows;
use crate::support::storage::Memory;
use pactdb::json::{canonical_string, parse};
use pactdb::{Add, Commit, Db, Json, Options};

fn store() -> Db {
    let db = Options::new().clock(1000).create_on(Memory::default()).unwrap();
    db.add(Add::system("Be brief.").to("^sys").id("rules")).unwrap();
    db.add(Add::user("Grüße\nan alle").id("hello").attr("data_lang", "de")).unwrap();
    db.commit(Commit::new()).unwrap();
    let plan = parse(r#"{"budget": 900, "city": "Bonn"}"#).unwrap();
    db.add(Add { content: Some(plan), ..Add::assistant("").id("plan").offset(2) }).unwrap();
    db.add(Add::assistant("[1, 2").id("broken")).unwrap();
    db.add(Add::assistant(" {\"a\": [1]}").id("text")).unwrap();
    db.add(Add::tool("x").id("counted").attr("data_tokens", 77i64)).unwrap();
    db.commit(Commit::new()).unwrap();
    db.add(Add::user("later").id("open")).unwrap();
    db
}

fn line(db: &Db, sql: &str) -> String {
    let rows = rows(db, sql);
    rows.iter()
        .map(|row| row.iter().map(canonical_string).collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn contents_are_measured() {
    let db = store();
    let sql = "select id, bytes, chars, lines from pact('@t0 .cb') order by id";
    assert_eq!(
        line(&db, sql),
        "\"broken\" 5 5 1\n\"counted\" 1 1 1\n\"hello\" 15 13 2\n\"plan\" 28 28 1\n\"rules\" 9 9 1\n\"text\" 11 11 1"
    );
    assert_eq!(
        line(&db, "select bytes, chars, tokens, content, json from pact('@t0 .mt') limit 1"),
        "null null null null null"
    );
    assert_eq!(line(&db, "select tokens from pact('@t0 #counted')"), "77");
    #[cfg(feature = "tokens")]
    assert_eq!(line(&db, "select tokens from pact('@t0 #rules')"), "3");
}

#[test]
fn what_is_json_is_json_and_a_text_is_none() {
    let db = store();
    let sql = "select id, json->>'$.budget', json->>'$.a[0]' from pact('@t0 .cb') order by id";
    assert_eq!(
        line(&db, sql),
        "\"broken\" null null\n\"counted\" null null\n\"hello\" null null\n\"plan\" 900 null\n\"rules\" null null\n\"text\" null 1"
    );
    assert_eq!(line(&db, "select attrs->>'data_lang' from pact('@t0 #hello')"), "\"de\"");
    assert_eq!(line(&db, "select attrs from pact('@t0 #rules')"), "\"{}\"");
}

#[test]
fn places_and_times_are_those_of_the_state() {
    let db = store();
    let sql = "select path, turn, depth, age, at, first_cycle, last_cycle from pact(?)";
    let of = |selector: &str| {
        let rows = super::rows_with(&db, sql, &super::texts(&[selector])).unwrap();
        rows[0].iter().map(canonical_string).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of("@t0 #hello"), "\"(d2,0,0)\" \"mt:1\" 2 1 2 1 2");
    assert_eq!(of("@c1 #hello"), "\"(d1,0,0)\" \"mt:1\" 1 0 1 1 1");
    assert_eq!(of("@* #hello"), "\"(d2,0,0)\" \"mt:1\" 2 1 2 1 2");
    assert_eq!(of("@t0 #plan"), "\"(d1,2)\" \"mt:2\" 1 0 2 2 2");
    assert_eq!(of("@t0 #rules"), "\"(d-1,0)\" null -1 1 2 1 2");
    assert_eq!(of("#open"), "\"(d0,0,0)\" null 0 0 3 3 3");
    assert_eq!(of("@t0 ^root"), "null null null 2 2 1 2");
    assert_eq!(of("@t0 .mt:depth(1)"), "\"(d1)\" \"mt:2\" 1 0 2 2 2");
    let positions = rows(&db, "select id, path from pact('@t0 .cb')");
    for row in &positions {
        let found = db.select(format!("@t0 {}", row[1].as_str().unwrap()).as_str()).unwrap();
        let id = row[0].as_str().unwrap();
        assert!(found.ids().iter().any(|found| &**found == id), "{row:?}");
    }
    assert_eq!(
        rows(&db, "select time from pact('@t0 #rules')"),
        [[Json::from("1970-01-01T00:00:00.000001000Z")]]
    );
}
