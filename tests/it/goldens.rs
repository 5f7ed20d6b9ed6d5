//! The bytes that must not change by accident: exports, digests, hashes of the chain and rows of the file for a fixed
//! script (`fixtures/golden_store`), and the snapshot documents of the specification (`fixtures/conformance`).
//!
//! `PACTDB_BLESS=1` writes the recorded files anew. A difference that was not meant is a change of the file format.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::storage::Memory;
use pactdb::json::canonical_string;
use pactdb::protocol::handle_line;
use pactdb::{Db, Generation, Json, Log, Options, json};
use redb::{Key, ReadableDatabase, ReadableTable, TableDefinition, Value};
use std::fmt::Write;
use std::path::PathBuf;

/// Every kind of event, and every kind of header.
const SCRIPT: &str = r##"
{"op":"add","to":"^sys","id":"rules","role":"system","kind":"text","content":"Be brief.","pinned":true,"created_at_ns":1769860800000000000}
{"op":"add","id":"hello","role":"user","content":"Hello, caf\u00e9 \ud83d\ude00","tags":["first","greeting"],"priority":2,"provenance":"keyboard"}
{"op":"add","id":"facts","type":"cb:facts","content":{"b":[1,2.5,-0.0,1e16,123456789012345678901234567890],"a":null},"attrs":{"data_n":1.0,"x:y":[true,{}]}}
{"op":"add","id":"box","type":"mc:tools","container":true,"removable":true,"offset":1}
{"op":"add","to":"#box","id":"call","kind":"call","ttl":2,"refs":["hello"]}
{"op":"add","id":"tick","key":"clock","cad":2,"ttl":1,"offset":-1,"content":"tick"}
{"op":"attempt","action":"start","attempt_id":"a1","provider":"p","model":"m","params_hash":"00","started_at":5}
{"op":"commit","created_at_ns":1769860801000000000,"expected_cycle":0}
{"op":"attempt","action":"finish","attempt_id":"a1","status":"completed","ended_at":9,"token_in":10,"token_out":20}
{"op":"batch","ops":[{"op":"add","id":"u2","role":"user","content":"Again?"},{"op":"set","target":"#u2","content":"Again!","ttl":3,"priority":-1,"key":"k","tags":["t"],"pinned":true,"refs":["rules"],"attrs":{"data_z":"z"}},{"op":"set","target":"#rules","content":null,"attrs":{"data_gone":null}}]}
{"op":"add","to":"(d0,end)","id":"last"}
{"op":"add","to":"(d0,-1)","id":"before"}
{"op":"add","to":"#mt:1","id":"note","offset":3,"content":"A note on a sealed turn."}
{"op":"move","target":"#last","to":"^sys","offset":-5}
{"op":"add","id":"mistake"}
{"op":"undo"}
{"op":"remove","target":"#call","force":true}
{"op":"policy","set":[{"max_blocks":100},{"region":"^seq","max_bytes":5000,"max_tokens":2000,"protect_recent_turns":2}]}
{"op":"commit"}
{"op":"attempt","action":"start","attempt_id":"a2"}
{"op":"attempt","action":"finish","attempt_id":"a2","error":"timeout","ended_at":11}
{"op":"cadence","end":"clock"}
{"op":"commit"}
{"op":"restore","at":"@c1"}
{"op":"commit"}
{"op":"import","snapshot":{"cycle":9,"root":{"id":"root","children":[{"id":"sys","nodeType":"^sys","children":[{"id":"rules","content":"Be kind.","plain":null}]},{"id":"seq","nodeType":"^seq","children":[{"id":"mt:1","nodeType":"mt","ttl":4,"children":[{"id":"hello","role":"user","created_at_iso":"long ago"}]}]}]}}}
{"op":"import","messages":[{"role":"system","content":"S"},{"role":"user","content":"Q"},{"role":"assistant","content":"A"},{"role":"user","content":"Q2"}],"created_at_ns":1769860900000000000}
{"op":"add","id":"open","content":"not committed"}
{"op":"attempt","action":"start","attempt_id":"a3","token_in":3}
"##;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

fn blessing() -> bool {
    std::env::var_os("PACTDB_BLESS").is_some_and(|value| value == "1")
}

/// Compares with a recorded file, line by line so that a difference is short.
fn check(name: &str, text: &str) {
    let path = fixture("golden_store").join(name);
    if blessing() {
        std::fs::write(&path, text).unwrap();
        return;
    }
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    for (i, (found, expected)) in text.lines().zip(recorded.lines()).enumerate() {
        assert_eq!(found, expected, "line {} of {name}; PACTDB_BLESS=1 records it anew", i + 1);
    }
    let (found, expected) = (text.lines().count(), recorded.lines().count());
    assert_eq!(found, expected, "lines of {name}; PACTDB_BLESS=1 records them anew");
}

fn ask(db: &Db, line: &str) -> Json {
    let Json::Map(mut reply) = json::parse(&handle_line(db, line)).unwrap() else {
        unreachable!("a reply is an object")
    };
    reply.remove("ok").unwrap_or_else(|| panic!("{line} was refused: {reply:?}"))
}

/// A store in which the script has run.
fn scripted(generation: Generation) -> (Memory, Db) {
    let storage = Memory::default();
    let options = Options::new().generation(generation).clock(1_769_860_800_000_000_000);
    let db = options.create_on(storage.clone()).unwrap();
    for line in SCRIPT.trim().lines() {
        let line = match generation {
            Generation::V0_1 => line.to_owned(),
            // There `#` names keys, and the turn of cycle 1 has another word.
            Generation::V1_0 => line.replace("mt:1", "seg:1").replace("mc:", "cont:"),
        };
        let line = match generation {
            Generation::V1_0 => by_id(&line),
            Generation::V0_1 => line,
        };
        ask(&db, &line);
    }
    (storage, db)
}

/// `#x` as `{id='x'}`.
fn by_id(line: &str) -> String {
    let mut parts = line.split("\"#");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (id, rest) = part.split_once('"').unwrap();
        let _ = write!(out, "\"{{id='{id}'}}\"{rest}");
    }
    out
}

#[test]
fn the_script_exports_the_recorded_bytes() {
    for generation in [Generation::V0_1, Generation::V1_0] {
        let (_, db) = scripted(generation);
        let mut text = String::new();
        for cycle in db.history().iter() {
            let _ = writeln!(text, "{}", db.export(Some(&format!("@c{cycle}"))).unwrap());
        }
        let _ = writeln!(text, "{}\n{}", db.export(None).unwrap(), db.thread(None).unwrap());
        check(&format!("exports-{}.txt", generation.name()), &text);
    }
}

#[test]
fn the_script_has_the_recorded_digests_and_chain() {
    for generation in [Generation::V0_1, Generation::V1_0] {
        let (_, db) = scripted(generation);
        let mut text = String::new();
        for cycle in db.history().iter() {
            let digest = db.cycle_info(cycle).unwrap().digest;
            let _ = writeln!(text, "@c{cycle} {}", pactdb::internals::snapshot::hex(&digest));
        }
        for entry in db.log(&Log::new()).unwrap() {
            let _ =
                writeln!(text, "{} {} {} {}", entry.seq, entry.group, entry.hash, entry.summary);
        }
        check(&format!("digests-{}.txt", generation.name()), &text);
    }
}

fn hex(bytes: &[u8]) -> String {
    pactdb::internals::snapshot::hex(bytes)
}

/// The rows of a table, a line each.
fn rows<K: Key + 'static, V: Value + 'static>(
    storage: &Memory,
    table: &str,
    show: impl Fn(K::SelfType<'_>, V::SelfType<'_>) -> Option<String>,
) -> String {
    let db = redb::Builder::new().create_with_backend(storage.clone()).unwrap();
    let txn = db.begin_read().unwrap();
    let table_of = txn.open_table(TableDefinition::<K, V>::new(table)).unwrap();
    let mut out = String::new();
    for row in table_of.iter().unwrap() {
        let (key, value) = row.unwrap();
        if let Some(line) = show(key.value(), value.value()) {
            let _ = writeln!(out, "{table} {line}");
        }
    }
    out
}

/// The rows of the file, in hex: the log with its records and contents, the parts of the tree and the commits.
#[test]
fn the_file_holds_the_recorded_rows() {
    let (storage, db) = scripted(Generation::V0_1);
    drop(db);
    // The id is another one each time.
    let mut text = rows::<&str, &[u8]>(&storage, "meta", |key, row| {
        (key != "id").then(|| format!("{key} {}", hex(row)))
    });
    text += &rows::<(u64, u32), &[u8]>(&storage, "log", |key, row| {
        Some(format!("{key:?} {}", hex(row)))
    });
    text += &rows::<(u64, u32, u64), &[u8]>(&storage, "parts", |key, row| {
        Some(format!("{key:?} {}", hex(row)))
    });
    text += &rows::<(u64, &str), &[u8]>(&storage, "attempts", |key, row| {
        Some(format!("{key:?} {}", hex(row)))
    });
    for table in ["attempt_cycles", "open_attempts"] {
        text +=
            &rows::<&str, &[u8]>(&storage, table, |key, row| Some(format!("{key} {}", hex(row))));
    }
    check("rows.txt", &text);
}

/// The indexes of 64 commits are written by those that follow; these are their rows after the first time.
#[test]
fn the_file_holds_the_recorded_indexes() {
    let (storage, db) = scripted(Generation::V0_1);
    for _ in 0..96 {
        ask(&db, r#"{"op":"commit"}"#);
    }
    drop(db);
    let named = ["hello", "rules", "note", "mistake", "mt:1", "mc:1", "open", "sys"];
    let mut text = rows::<&[u8], &[u8]>(&storage, "ids", |key, row| {
        let key = std::str::from_utf8(key).unwrap();
        named.contains(&key).then(|| format!("{key} {}", hex(row)))
    });
    text += &rows::<(u8, u64, u64, u32), &[u8]>(&storage, "expiry", |key, row| {
        Some(format!("{key:?} {}", hex(row)))
    });
    text += &rows::<(&str, &str), &[u8]>(&storage, "refs", |key, row| {
        Some(format!("{key:?} {}", hex(row)))
    });
    text +=
        &rows::<&str, &[u8]>(&storage, "instances", |key, row| Some(format!("{key} {}", hex(row))));
    text +=
        &rows::<&str, &[u8]>(&storage, "running", |key, row| Some(format!("{key} {}", hex(row))));
    check("indexes.txt", &text);
}

/// A rebuild from the log makes the same rows again.
#[test]
fn a_rebuild_makes_the_recorded_rows() {
    let (storage, db) = scripted(Generation::V0_1);
    let parts = |storage: &Memory| {
        rows::<(u64, u32, u64), &[u8]>(storage, "parts", |key, row| {
            Some(format!("{key:?} {}", hex(row)))
        })
    };
    drop(db);
    let before = parts(&storage);
    let db = Options::new().open_on(storage.clone()).unwrap();
    db.rebuild(|_| {}).unwrap();
    drop(db);
    assert_eq!(parts(&storage), before);
}

// The documents of the specification ------------------------------------------------------------

fn documents() -> Vec<(String, Json)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(fixture("conformance")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            found.push((name, json::parse(&std::fs::read_to_string(&path).unwrap()).unwrap()));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(found.len() >= 10, "documents are missing: {}", found.len());
    found
}

fn field<'a>(value: &'a Json, name: &str) -> Option<&'a Json> {
    match value {
        Json::Map(map) => map.get(name),
        _ => None,
    }
}

fn children(value: &Json) -> &[Json] {
    match field(value, "children") {
        Some(Json::List(items)) => items,
        _ => &[],
    }
}

/// Every header that a document gives is exported as it was given, and children keep their order.
fn check_contains(exported: &Json, given: &Json, name: &str) {
    let Json::Map(headers) = given else { panic!("{name}: a node is an object") };
    for (header, value) in headers.iter().filter(|(header, _)| *header != "children") {
        assert_eq!(field(exported, header), Some(value), "{name}: {header} of {given:?}");
    }
    let ids: Vec<_> = children(given).iter().map(|child| field(child, "id")).collect();
    let found: Vec<&Json> =
        children(exported).iter().filter(|child| ids.contains(&field(child, "id"))).collect();
    assert_eq!(found.len(), ids.len(), "{name}: children of {:?}", field(given, "id"));
    for (exported, given) in found.into_iter().zip(children(given)) {
        check_contains(exported, given, name);
    }
}

fn import(document: &Json) -> Db {
    let newer = field(document, "spec_version").and_then(Json::as_str) == Some("PACT/1.0.0");
    let generation = if newer { Generation::V1_0 } else { Generation::V0_1 };
    let options = Options::new().generation(generation).clock(1000);
    let db = options.create_on(Memory::default()).unwrap();
    db.import_snapshot(document).unwrap();
    db
}

#[test]
fn documents_of_the_specification_import_and_export() {
    let mut recorded = String::new();
    for (name, document) in documents() {
        let db = import(&document);
        let bytes = db.export(None).unwrap();
        let exported = json::parse(&bytes).unwrap();
        assert_eq!(canonical_string(&exported), bytes, "{name}: an export is canonical");
        check_contains(field(&exported, "root").unwrap(), field(&document, "root").unwrap(), &name);
        let regions: Vec<_> = children(field(&exported, "root").unwrap())
            .iter()
            .map(|region| field(region, "nodeType").and_then(Json::as_str).unwrap())
            .collect();
        assert_eq!(regions, ["^sys", "^seq", "^ah"], "{name}");
        assert_eq!(db.export(Some("@c1")).unwrap(), bytes, "{name}: nothing was edited since");
        assert_eq!(import(&exported).export(None).unwrap(), bytes, "{name}: the round trip");
        let _ = writeln!(recorded, "{name} {bytes}");
    }
    check("conformance.txt", &recorded);
}

#[test]
fn the_provider_threads_of_the_specification_are_exact() {
    let documents = documents();
    for name in ["002-12.8", "002-12.9"] {
        let (_, document) = documents.iter().find(|(found, _)| found == name).unwrap();
        let path = fixture("conformance").join(format!("{name}.thread"));
        let expected = std::fs::read_to_string(path).unwrap();
        let db = import(document);
        assert_eq!(db.thread(None).unwrap(), expected, "{name}");
        assert_eq!(db.thread(Some("@t0")).unwrap(), expected, "{name}");
    }
}
