//! Headers that no release has, through all of the library: a row of `model/table.rs` is all that
//! `confidence` (an integer), `stage` (a text, fixed when a node is made) and `checked` (a flag)
//! have.

#![allow(clippy::unwrap_used)]

use super::{handle_line, statement_request};
use crate::db::{Add, Db, Options, Set};
use crate::json::{Json, parse};
use crate::language::{Dialect, parse_statement};
use crate::session::{dump, load};
use std::path::Path;
use tempfile::TempDir;

fn store(folder: &TempDir) -> Db {
    Options::new().clock(1000).create(folder.path().join("a.pactdb")).unwrap()
}

/// The reply to a line, without what surrounds it.
fn reply(db: &Db, line: &str) -> String {
    handle_line(db, line).trim_end().to_owned()
}

fn ok(db: &Db, line: &str, expected: &str) {
    assert_eq!(reply(db, line), format!("{{\"ok\":{expected}}}"), "{line}");
}

fn error(db: &Db, line: &str, code: &str, words: &str) {
    let reply = reply(db, line);
    assert!(reply.contains(code) && reply.contains(words), "{line}: {reply}");
}

fn statement(db: &Db, text: &str) -> String {
    let dialect = Dialect::default();
    let statement = parse_statement(text, dialect).unwrap();
    let request = statement_request(&statement, text, dialect).unwrap();
    reply(db, &crate::json::canonical_string(&crate::json::to_json(&request).unwrap()))
}

/// Three blocks, given their headers by a line, by a statement and by Rust; two cycles.
fn lived(folder: &TempDir) -> Db {
    let db = store(folder);
    ok(
        &db,
        r#"{"op":"add","id":"a","confidence":90,"stage":"12","checked":false}"#,
        r#"{"id":"a"}"#,
    );
    assert!(
        statement(&db, "add ^sys {id=b, confidence=40, stage=plan, checked} 'x'").contains("ok")
    );
    let c = Add::user("y").id("c").to("^sys").header("confidence", 70i64);
    db.add(c).unwrap();
    assert!(reply(&db, r#"{"op":"commit"}"#).contains("\"cycle\":1"));
    ok(&db, r##"{"op":"set","target":"#b","confidence":null,"checked":null}"##, r#"{"ids":["b"]}"#);
    db.set(Set::target("#c").header("confidence", 71i64)).unwrap();
    assert!(reply(&db, r#"{"op":"commit"}"#).contains("\"cycle\":2"));
    db
}

#[test]
fn filters_and_diffs_know_them() {
    let folder = TempDir::new().unwrap();
    let db = lived(&folder);
    for (q, ids) in [
        ("@c1 [confidence>50]", r#"["c","a"]"#),
        ("@c1 [confidence=40]", r#"["b"]"#),
        ("@c1 [confidence]", r#"["b","c","a"]"#),
        ("@c1 [stage='12']", r#"["a"]"#),
        ("@c1 [stage='plan'][checked=true]", r#"["b"]"#),
        ("@c2 [checked]", "[]"),
        ("@c2 [confidence=71]", r#"["c"]"#),
    ] {
        ok(&db, &format!(r#"{{"op":"select","q":"{q}"}}"#), ids);
    }
    let diff = reply(&db, r#"{"op":"diff","a":"@c1","b":"@c2"}"#);
    assert!(diff.contains(r#""confidence""#) && diff.contains(r#""checked""#), "{diff}");
    let completed = reply(&db, r#"{"op":"complete","text":"[conf"}"#);
    assert!(completed.contains(r#""confidence""#), "{completed}");
    let completed = reply(&db, r#"{"op":"complete","text":"add {conf"}"#);
    assert!(completed.contains(r#""confidence=""#), "{completed}");
}

#[test]
fn every_stored_form_keeps_them() {
    let folder = TempDir::new().unwrap();
    let db = lived(&folder);
    let state = |db: &Db| [db.export(Some("@c1")).unwrap(), db.export(Some("@c2")).unwrap()];
    let before = state(&db);
    assert!(before[0].contains(r#""confidence":90"#), "{}", before[0]);
    assert!(before[0].contains(r#""stage":"12""#), "{}", before[0]);
    let mut lines = Vec::new();
    dump(&db, &mut lines, &mut |_, _| {}).unwrap();
    drop(db);
    let path = folder.path().join("a.pactdb");
    let db = Db::open(&path).unwrap();
    db.verify(|_| {}).unwrap();
    db.rebuild(|_| {}).unwrap();
    assert_eq!(state(&db), before, "after an opening and a rebuild");
    let copy: &Path = &folder.path().join("b.pactdb");
    let loaded = load(&lines[..], copy, Options::new(), &mut |_, _| {}).unwrap();
    loaded.verify(|_| {}).unwrap();
    assert_eq!(state(&loaded), before, "after a dump and a load");
    let other = Options::new().create(folder.path().join("c.pactdb")).unwrap();
    let document = &before[0];
    let imported = reply(&other, &format!(r#"{{"op":"import","snapshot":{document}}}"#));
    assert!(imported.contains("\"ok\""), "{imported}");
    ok(&other, r#"{"op":"select","q":"@c1 [confidence>50]"}"#, r#"["c","a"]"#);
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = TempDir::new().unwrap();
    let db = lived(&folder);
    error(&db, r#"{"op":"add","confidence":101}"#, "E_ATTR_INVALID", "an integer from 0 to 100");
    error(&db, r#"{"op":"add","stage":7}"#, "E_ATTR_INVALID", "'stage' must be a string");
    error(
        &db,
        r#"{"op":"add","container":true,"offset":1,"confidence":1}"#,
        "E_ATTR_INVALID",
        "only a block can have a confidence",
    );
    error(&db, r##"{"op":"set","target":"#a","stage":"x"}"##, "E_ATTR_RESERVED", "fixed");
    error(&db, r#"{"op":"add","attrs":{"confidence":1}}"#, "E_ATTR_RESERVED", "a header's name");
    error(&db, r#"{"op":"add","colour":1}"#, "E_REQUEST_INVALID", "does not know 'colour'");
    let given = db.add(Add::user("x").header("role", "user")).unwrap_err();
    assert!(given.message.contains("a field of its own"), "{}", given.message);
    let mut document = parse(&db.export(Some("@c1")).unwrap()).unwrap();
    put(&mut document, "confidence", &Json::from("high"));
    let other = Options::new().create(folder.path().join("d.pactdb")).unwrap();
    let document = crate::json::canonical_string(&document);
    let line = format!(r#"{{"op":"import","snapshot":{document}}}"#);
    error(&other, &line, "E_IMPORT_INVALID", "expected an integer from 0 to 100");
}

#[test]
fn what_comes_back_has_those_that_the_table_says() {
    let folder = TempDir::new().unwrap();
    let db = store(&folder);
    db.add(Add::user("x").key("k").cad(1).header("confidence", 5i64).header("stage", "s")).unwrap();
    assert!(reply(&db, r#"{"op":"commit"}"#).contains("materialized"));
    let nodes = reply(&db, r#"{"op":"nodes","q":"^ah .cb"}"#);
    assert!(nodes.contains(r#""confidence":5"#) && !nodes.contains("stage"), "{nodes}");
}

/// Replaces a value wherever it is in a document.
fn put(value: &mut Json, name: &str, new: &Json) {
    match value {
        Json::Map(map) => {
            for (field, value) in map.iter_mut() {
                if field == name {
                    *value = new.clone();
                }
                put(value, name, new);
            }
        }
        Json::List(items) => items.iter_mut().for_each(|item| put(item, name, new)),
        _ => {}
    }
}
