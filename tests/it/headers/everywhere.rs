//! Every header that somebody may give, wherever it has to arrive: in answers, snapshots, records, the index, dumps,
//! documents, digests, diffs, cadences and completion. A place that does not know a header of the table fails here.

use crate::support::storage::Memory;
use pactdb::internals::model::{AttrKind, Class, Header, Held, SetBy, TABLE};
use pactdb::protocol::handle_line;
use pactdb::session::{dump, load_on};
use pactdb::{Db, Options};
use serde_json::{Value, json};

fn options() -> Options {
    Options::new().clock(1000)
}

fn store() -> Db {
    options().create_on(Memory::default()).unwrap()
}

fn ok(db: &Db, request: Value) -> Value {
    let reply: Value = serde_json::from_str(&handle_line(db, &request.to_string())).unwrap();
    assert!(reply.get("ok").is_some(), "{request} was refused: {reply}");
    reply["ok"].clone()
}

/// A value that a node can be given.
fn sample(row: &Header) -> Value {
    match (row.name, row.held) {
        ("created_at_ns", _) => json!(1500),
        ("refs", _) => json!(["r"]),
        (_, Held::Number(_)) => json!(2),
        (_, Held::List(_)) => json!(["x", "y"]),
        (_, Held::Flag(_) | Held::Attr(AttrKind::Flag)) => json!(true),
        (_, Held::Attr(AttrKind::Integer { most, .. })) => json!(most),
        _ => json!("x"),
    }
}

/// The headers that can be given, but for the id, by which these tests find the node.
fn given() -> impl Iterator<Item = &'static Header> {
    TABLE.iter().filter(|row| row.given != SetBy::Never && row.name != "id")
}

/// A request that adds the node `x` of a class that may have the header, without it.
fn plain(row: &Header, to: &str) -> Value {
    let mut add = json!({"op": "add", "id": "x", "to": to, "offset": 1});
    match (row.only, row.name) {
        (Some((Class::Container, _)), _) => add["container"] = json!(true),
        (_, "cad") => add["key"] = json!("k"),
        _ => {}
    }
    add
}

fn with(mut request: Value, row: &Header) -> Value {
    request[row.name] = sample(row);
    request
}

/// A store that has `r`, and `x` in `^sys` with the header; its first cycle is closed.
fn lived(storage: Memory, row: &Header) -> Db {
    let db = options().create_on(storage).unwrap();
    ok(&db, json!({"op": "add", "id": "r", "to": "^sys", "offset": 3}));
    ok(&db, with(plain(row, "^sys"), row));
    // A removable container goes when it is empty.
    if row.name == "removable" {
        ok(&db, json!({"op": "add", "id": "inner", "to": "#x"}));
    }
    ok(&db, json!({"op": "commit"}));
    db
}

fn text(db: &Db) -> String {
    let mut out = Vec::new();
    dump(db, &mut out, &mut |_, _| {}).unwrap();
    String::from_utf8(out).unwrap()
}

/// The header of a node of a snapshot.
fn value(db: &Db, at: &str, id: &str, name: &str) -> Value {
    ok(db, json!({"op": "nodes", "q": format!("{at}[id='{id}']")}))[0][name].clone()
}

#[test]
fn answers_snapshots_and_filters_have_it() {
    for row in given() {
        let name = row.name;
        let db = store();
        ok(&db, json!({"op": "add", "id": "r", "to": "^sys", "offset": 3}));
        ok(&db, with(plain(row, "^sys"), row));
        assert_eq!(value(&db, "", "x", name), sample(row), "{name} in the working state");
        let db = lived(Memory::default(), row);
        assert_eq!(value(&db, "@c1 ", "x", name), sample(row), "{name} in a snapshot");
        let found = |filter: &str| ok(&db, json!({"op": "select", "q": format!("@c1 {filter}")}));
        assert_eq!(found(&format!("[id='x'][{name}]")), json!(["x"]), "[{name}]");
        let equal = match row.held {
            Held::Number(_) | Held::Attr(AttrKind::Integer { .. } | AttrKind::Flag) => {
                format!("={}", sample(row))
            }
            Held::Text(_) | Held::Attr(AttrKind::Text) | Held::Content => "='x'".to_owned(),
            Held::Flag(_) => "=true".to_owned(),
            _ => continue,
        };
        assert_eq!(found(&format!("[id='x'][{name}{equal}]")), json!(["x"]), "[{name}{equal}]");
        let explained = ok(&db, json!({"op": "explain", "q": format!("[{name}{equal}]")}));
        assert!(explained.to_string().contains(name), "{name}: {explained}");
    }
}

#[test]
fn turns_in_the_index_have_it() {
    for row in given().filter(|row| row.name != "refs") {
        let name = row.name;
        let db = store();
        ok(&db, with(plain(row, "^ah"), row));
        if name == "removable" {
            ok(&db, json!({"op": "add", "id": "inner", "to": "#x"}));
        }
        // The checkpoint of every 64th commit writes the index.
        for _ in 0..70 {
            ok(&db, json!({"op": "commit"}));
        }
        let q = format!("@c1 ^seq .mt *[{name}][id='x']");
        assert_eq!(ok(&db, json!({"op": "select", "q": q})), json!(["x"]), "{q}");
    }
}

#[test]
fn records_rows_dumps_and_documents_keep_it() {
    for row in given() {
        let name = row.name;
        let storage = Memory::default();
        let db = lived(storage.clone(), row);
        let (before, lines) = (db.export(Some("@c1")).unwrap(), text(&db));
        drop(db);
        let db = options().open_on(storage).unwrap();
        assert_eq!(db.export(Some("@c1")).unwrap(), before, "{name} in the rows of the index");
        assert_eq!(text(&db), lines, "{name} in the records");
        db.verify(|_| {}).unwrap();
        db.rebuild(|_| {}).unwrap();
        assert_eq!(db.export(Some("@c1")).unwrap(), before, "{name} after a rebuild");
        let loaded =
            load_on(lines.as_bytes(), Memory::default(), options(), &mut |_, _| {}).unwrap();
        assert_eq!(loaded.export(Some("@c1")).unwrap(), before, "{name} after a dump and a load");
        loaded.verify(|_| {}).unwrap();
        let other = store();
        let document: Value = serde_json::from_str(&before).unwrap();
        ok(&other, json!({"op": "import", "snapshot": document}));
        assert_eq!(value(&other, "@c1 ", "x", name), sample(row), "{name} after an import");
    }
}

#[test]
fn digests_cover_it() {
    for row in given() {
        let digest = |request: Value| {
            let db = store();
            ok(&db, json!({"op": "add", "id": "r", "to": "^sys", "offset": 3}));
            ok(&db, request);
            if row.name == "removable" {
                ok(&db, json!({"op": "add", "id": "inner", "to": "#x"}));
            }
            ok(&db, json!({"op": "commit"}))["digest"].clone()
        };
        let (without, with) = (plain(row, "^sys"), with(plain(row, "^sys"), row));
        assert_ne!(digest(without), digest(with), "{}", row.name);
    }
}

#[test]
fn a_set_changes_it_and_a_diff_says_so() {
    for row in given().filter(|row| row.given == SetBy::Always) {
        let name = row.name;
        let storage = Memory::default();
        let db = options().create_on(storage.clone()).unwrap();
        ok(&db, json!({"op": "add", "id": "r", "to": "^sys", "offset": 3}));
        ok(&db, plain(row, "^sys"));
        ok(&db, json!({"op": "commit"}));
        ok(&db, with(json!({"op": "set", "target": "#x"}), row));
        assert_eq!(value(&db, "", "x", name), sample(row), "set {name}");
        ok(&db, json!({"op": "commit"}));
        let diff = ok(&db, json!({"op": "select", "q": "@c1..@c2 #x"}));
        let told = if name == "content" { "content_hash" } else { name };
        assert_eq!(diff["diffs"][0]["changed"][0]["fields"], json!([told]), "{diff}");
        let lines = text(&db);
        let loaded =
            load_on(lines.as_bytes(), Memory::default(), options(), &mut |_, _| {}).unwrap();
        assert_eq!(text(&loaded), lines, "a dump that sets {name}");
        drop(db);
        let db = options().open_on(storage).unwrap();
        assert_eq!(text(&db), lines, "a record that sets {name}");
        db.rebuild(|_| {}).unwrap();
        ok(&db, json!({"op": "set", "target": "#x", name: null}));
        let gone = if name == "priority" { json!(0) } else { Value::Null };
        assert_eq!(value(&db, "", "x", name), gone, "{name} is removed");
    }
}

#[test]
fn what_a_cadence_brings_back_has_it_if_the_table_says_so() {
    let of_blocks = |row: &&Header| row.name != "removable" && row.name != "created_at_ns";
    for row in given().filter(of_blocks) {
        let db = store();
        ok(&db, json!({"op": "add", "id": "r", "to": "^sys", "offset": 3}));
        let mut add = plain(row, "^ah");
        (add["key"], add["cad"]) = (json!("k"), json!(1));
        let add = with(add, row);
        ok(&db, add.clone());
        let wait = if row.name == "cad" { 2 } else { 1 };
        let commits: Vec<Value> = (0..wait).map(|_| ok(&db, json!({"op": "commit"}))).collect();
        let made = commits[wait - 1]["materialized"][0].as_str().unwrap().to_owned();
        let has = value(&db, "", &made, row.name);
        let should = if row.comes_back { sample(row) } else { Value::Null };
        assert_eq!(has, should, "{} of an instance", row.name);
    }
}

#[test]
fn completion_offers_it() {
    let db = store();
    for row in TABLE.iter().filter(|row| row.held != Held::Children) {
        let offered = ok(&db, json!({"op": "complete", "text": format!("[{}", row.name)}));
        let offered = offered["candidates"].as_array().unwrap().clone();
        assert!(offered.contains(&json!(row.name)), "{}: {offered:?}", row.name);
    }
}
