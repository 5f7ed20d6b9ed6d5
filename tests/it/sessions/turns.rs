//! Turns that are imported: their times, and all or nothing.

use crate::support::storage::Memory;
use pactdb::internals::db::{ImportTurn, TurnsRequest};
use pactdb::{Add, Code, Commit, Db, Json, Options};

fn store() -> (Db, Memory) {
    let storage = Memory::default();
    (Options::new().clock(5_000).create_on(storage.clone()).unwrap(), storage)
}

fn said(role: &str, text: &str, time: i64) -> Add {
    Add {
        to: Some(if role == "system" { "^sys" } else { "^ah" }.into()),
        role: Some(role.into()),
        content: Some(Json::from(text)),
        created_at_ns: Some(time),
        ..Add::default()
    }
}

fn request(turns: Vec<ImportTurn>) -> TurnsRequest {
    TurnsRequest { turns, ..TurnsRequest::default() }
}

fn turns() -> Vec<ImportTurn> {
    vec![
        ImportTurn {
            adds: vec![said("system", "Be brief.", 10), said("user", "Where?", 20)],
            created_at_ns: Some(30),
        },
        ImportTurn {
            adds: vec![said("user", "Why?", 100), said("assistant", "So.", 110)],
            created_at_ns: Some(110),
        },
    ]
}

#[test]
fn turns_keep_their_times_and_report_their_progress() {
    let (db, _) = store();
    let mut seen = Vec::new();
    let reply =
        db.import_turns(request(turns()), &mut |done, total| seen.push((done, total))).unwrap();
    assert_eq!(seen, [(1, 2), (2, 2)]);
    assert_eq!((reply.cycle, reply.commits), (2, 2));
    let time = |id: &str| {
        let Some(Json::Map(node)) = db.working_state().node(id).unwrap() else { panic!("{id}") };
        node["created_at_ns"].as_i64().unwrap()
    };
    // A core takes the time of the block that needed it, and the block the nanosecond after.
    let times = ["cb:1", "cb:2", "mt:1", "cb:3", "cb:4", "mt:2"].map(time);
    assert_eq!(times, [10, 21, 30, 101, 110, 111]);
    db.verify(|_| {}).unwrap();
}

#[test]
fn one_bad_node_and_nothing_happens() {
    let mut late = turns();
    late[1].adds[1].created_at_ns = Some(i64::MAX);
    let mut named = turns();
    named[1].adds[0].id = Some("mine".into());
    let mut attr = turns();
    attr[1].adds[0].attrs.insert("model".into(), Json::from("m"));
    let mut closed = turns();
    closed[1].created_at_ns = Some(i64::MAX);
    let cases = [
        (late, Code::Limit),
        (named, Code::RequestInvalid),
        (attr, Code::AttrNamespace),
        (closed, Code::Limit),
    ];
    for (turns, code) in cases {
        let (db, storage) = store();
        let before = (db.export(None).unwrap(), storage.bytes());
        let error = db.import_turns(request(turns), &mut |_, _| {}).unwrap_err();
        assert_eq!(error.code, code, "{error}");
        assert!(error.message.starts_with("turn 2: "), "{error}");
        assert_eq!((db.export(None).unwrap(), storage.bytes()), before);
        // The store goes on.
        db.commit(Commit::default()).unwrap();
    }
}

#[test]
fn uncommitted_edits_are_in_the_way() {
    let (db, _) = store();
    db.add(said("user", "Hello", 1)).unwrap();
    let error = db.import_turns(request(turns()), &mut |_, _| {}).unwrap_err();
    assert_eq!(error.code, Code::ImportConflict);
}
