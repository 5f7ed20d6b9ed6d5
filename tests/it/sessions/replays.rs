//! Walking the log: what each event changed, and what became of one node.

use super::dumps::lively;
use crate::support::life::{CLOCK, must};
use crate::support::storage::Memory;
use pactdb::session::{Replay, ReplayRequest, What, life};
use pactdb::{Code, Db, Options};
use serde_json::json;

fn store() -> Db {
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    let requests = [
        json!({"op": "add", "to": "^sys", "id": "rules", "role": "system", "content": "Be brief."}),
        json!({"op": "add", "id": "q", "role": "user", "content": "Where?"}),
        json!({"op": "add", "to": "^ah", "type": "mc", "id": "box", "offset": 1, "ttl": 1}),
        json!({"op": "add", "to": "#box", "id": "note", "content": "a"}),
        json!({"op": "set", "target": "#note", "content": "b", "priority": 2}),
        json!({"op": "commit"}),
        json!({"op": "set", "target": "#rules", "content": "Be kind."}),
        json!({"op": "undo"}),
        json!({"op": "add", "id": "gone", "content": "never seen"}),
        json!({"op": "remove", "target": "#gone"}),
        json!({"op": "commit"}),
        json!({"op": "restore", "at": "@c1"}),
        json!({"op": "attempt", "action": "start", "attempt_id": "a", "provider": "p", "model": "m"}),
        json!({"op": "attempt", "action": "finish", "attempt_id": "a", "token_in": 10, "token_out": 3}),
        json!({"op": "add", "id": "tail", "role": "user", "content": "More."}),
    ];
    for request in requests {
        must(&db, &request);
    }
    db
}

fn lines(db: &Db, request: &ReplayRequest) -> Vec<String> {
    let line = |step: pactdb::Result<pactdb::session::Step>| {
        let step = step.unwrap();
        let change = |change: &pactdb::session::NodeChange| {
            let fields: Vec<&str> = change.fields.iter().map(|field| field.name.as_str()).collect();
            let fields = match fields.is_empty() {
                true => String::new(),
                false => format!("({})", fields.join(" ")),
            };
            format!("{} {}{fields}", change.what.word(), change.id)
        };
        let changes: Vec<String> = step.changes.iter().map(change).collect();
        format!(
            "{} c{} {}: {}",
            step.entry.seq,
            step.entry.cycle,
            step.entry.kind,
            changes.join(", ")
        )
    };
    Replay::new(db, request).unwrap().map(line).collect()
}

#[test]
fn each_event_says_what_it_changed() {
    let db = store();
    let expected = [
        "1 c1 created: ",
        "2 c1 add: added rules(content role)",
        "3 c1 add: added q(content role), added mc:1",
        "4 c1 add: added box",
        "5 c1 add: added note(content)",
        "6 c1 set: changed note(content priority)",
        "7 c1 commit: sealed mt:1",
        "8 c2 set: changed rules(content)",
        "9 c2 undo: changed rules(content)",
        "10 c2 add: added gone(content), added mc:2",
        "11 c2 remove: removed gone",
        "12 c2 commit: expired box, sealed mt:2",
        "13 c3 restore: removed mc:2, removed mt:2, added box, added note",
        "14 c4 attempt: ",
        "15 c4 attempt: ",
        "16 c4 add: added tail(content role), added mc:4",
    ];
    assert_eq!(lines(&db, &ReplayRequest::default()), expected);
    let request = ReplayRequest { from: Some(2), to: Some(2), ..ReplayRequest::default() };
    assert_eq!(lines(&db, &request), expected[7..12]);
    let request = ReplayRequest { from: Some(4), ..ReplayRequest::default() };
    assert_eq!(lines(&db, &request), expected[13..]);
    let select = |text: &str| ReplayRequest { select: Some(text.into()), ..Default::default() };
    assert_eq!(
        lines(&db, &select("#rules")),
        ["2 c1 add: added rules(content role)", expected[7], expected[8]]
    );
    assert_eq!(
        lines(&db, &select("#box .cb")),
        ["5 c1 add: added note(content)", expected[5], "13 c3 restore: added note"]
    );
    assert_eq!(lines(&db, &select(".cb[role='nobody']")), Vec::<String>::new());
    let error = Replay::new(&db, &select("[[")).err().unwrap();
    assert_eq!(error.code, Code::SelectorInvalid);
    let beyond = ReplayRequest { to: Some(9), ..ReplayRequest::default() };
    assert_eq!(Replay::new(&db, &beyond).err().unwrap().code, Code::SnapshotNotFound);
}

/// A walk must arrive at every snapshot.
#[test]
fn a_walk_arrives_at_every_state() {
    let db = lively(60);
    let mut replay = Replay::new(&db, &ReplayRequest::default()).unwrap();
    for step in replay.by_ref() {
        step.unwrap();
    }
    assert_eq!(replay.last_cycle(), db.last_cycle());
    let ids = |tree: &pactdb::internals::model::Tree| -> Vec<String> {
        let parts = tree.places().map(|place| tree.subtree(place).unwrap());
        parts
            .flat_map(|part| {
                part.entries().iter().map(|e| format!("{:?}", e.node)).collect::<Vec<_>>()
            })
            .collect()
    };
    assert_eq!(ids(replay.tree()), ids(db.working_state().tree()));
}

#[test]
fn the_life_of_a_node_is_told_from_birth_to_death() {
    let db = store();
    let told = |id: &str| -> Vec<String> {
        let moment = |moment: &pactdb::session::Moment| {
            let with = moment.with.as_ref().map(|with| format!(" with {with}"));
            format!(
                "{} c{} {}{}",
                moment.seq,
                moment.cycle,
                moment.what.word(),
                with.unwrap_or_default()
            )
        };
        life(&db, id).unwrap().iter().map(moment).collect()
    };
    assert_eq!(
        told("note"),
        [
            "5 c1 added",
            "6 c1 changed",
            "7 c1 sealed with mt:1",
            "12 c2 expired with box",
            "13 c3 added"
        ]
    );
    assert_eq!(
        told("box"),
        ["4 c1 added", "7 c1 sealed with mt:1", "12 c2 expired", "13 c3 added"]
    );
    assert_eq!(told("rules"), ["2 c1 added", "8 c2 changed", "9 c2 changed"]);
    assert_eq!(told("gone"), ["10 c2 added", "11 c2 removed"]);
    assert_eq!(told("tail"), ["16 c4 added"]);
    assert_eq!(told("mt:1"), ["7 c1 sealed"]);
    assert_eq!(life(&db, "nobody").unwrap_err().code, Code::NodeNotFound);
    let edit = &life(&db, "note").unwrap()[1];
    assert_eq!(edit.what, What::Changed);
    assert_eq!((edit.fields[0].from.as_str(), edit.fields[0].to.as_str()), (Some("a"), Some("b")));
}

#[test]
fn the_log_is_paged_and_filtered() {
    let db = store();
    let page = |request: pactdb::Log| -> Vec<u64> {
        db.log(&request).unwrap().iter().map(|entry| entry.seq).collect()
    };
    let request = pactdb::Log::default;
    assert_eq!(page(pactdb::Log { newest_first: true, limit: Some(3), ..request() }), [16, 15, 14]);
    assert_eq!(page(pactdb::Log { newest_first: true, from: Some(4), ..request() }), [4, 3, 2, 1]);
    assert_eq!(page(pactdb::Log { from: Some(14), ..request() }), [14, 15, 16]);
    assert_eq!(page(pactdb::Log { cycle: Some(2), ..request() }), [8, 9, 10, 11, 12]);
    assert_eq!(page(pactdb::Log { cycle: Some(4), ..request() }), [14, 15, 16]);
    assert_eq!(page(pactdb::Log { cycle: Some(5), ..request() }), [0u64; 0]);
    assert_eq!(page(pactdb::Log { kind: Some("commit".into()), ..request() }), [7, 12]);
    assert_eq!(page(pactdb::Log { node: Some("box".into()), ..request() }), [4, 12]);
    let attempts = db.log(&pactdb::Log { kind: Some("attempt".into()), ..request() }).unwrap();
    assert_eq!(attempts[0].summary, "attempt a is running (p m)");
    assert_eq!(
        attempts[1].summary,
        "attempt a is completed (p m, 0.000 s, 10 tokens in, 3 tokens out)"
    );
}
