//! Every error that an edit, an import, a commit or a store can meet (R11), once for each reason: the code, words that
//! say what was wrong and what to do, and no trace in the tree or in the log.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod edits;
mod imports;
mod requests;
mod stores;
mod values;

use crate::support::storage::Memory;
use pactdb::protocol::handle_line;
use pactdb::{Db, Options};
use serde_json::{Value, json};

fn ask(db: &Db, request: &str) -> Value {
    serde_json::from_str(&handle_line(db, request)).unwrap()
}

fn ok(db: &Db, request: Value) -> Value {
    let reply = ask(db, &request.to_string());
    assert!(reply.get("ok").is_some(), "{request} was refused: {reply}");
    reply["ok"].clone()
}

/// A store with a sealed turn and a head in progress:
/// `sys(s) seq(mt:1(pre@-1 mc:1(u1) g1@1(gb) post@2)) ah(mc:2(u2) box@1(inner deep(low)) ref@3)`; ref refers to low.
/// `gone` was removed, `undone` was undone, the attempt `a1` runs and `a0` has ended.
fn furnished() -> Db {
    let db = Options::new().clock(1000).create_on(Memory::default()).unwrap();
    for request in [
        json!({"op": "add", "to": "^sys", "id": "s"}),
        json!({"op": "add", "id": "u1", "content": "hello"}),
        json!({"op": "add", "id": "pre", "offset": -1}),
        json!({"op": "add", "id": "g1", "container": true, "offset": 1}),
        json!({"op": "add", "to": "#g1", "id": "gb"}),
        json!({"op": "add", "id": "post", "offset": 2}),
        json!({"op": "commit"}),
        json!({"op": "add", "id": "u2"}),
        json!({"op": "add", "id": "box", "container": true, "offset": 1}),
        json!({"op": "add", "to": "#box", "id": "inner"}),
        json!({"op": "add", "to": "#box", "id": "deep", "container": true}),
        json!({"op": "add", "to": "#deep", "id": "low"}),
        json!({"op": "add", "id": "ref", "offset": 3, "refs": ["low"]}),
        json!({"op": "add", "id": "gone", "offset": 4}),
        json!({"op": "remove", "target": "#gone"}),
        json!({"op": "add", "id": "undone"}),
        json!({"op": "undo"}),
        json!({"op": "attempt", "action": "start", "attempt_id": "a0"}),
        json!({"op": "attempt", "action": "finish", "attempt_id": "a0"}),
        json!({"op": "attempt", "action": "start", "attempt_id": "a1"}),
    ] {
        ok(&db, request);
    }
    db
}

/// The same with everything committed.
fn committed() -> Db {
    let db = furnished();
    ok(&db, json!({"op": "commit"}));
    db
}

/// A request is refused with a code and words, and nothing has happened.
fn check_line(db: &Db, request: &str, code: &str, words: &str) -> Value {
    let shown: String = request.chars().take(200).collect();
    let before = (db.export(None).unwrap(), db.stats().unwrap().events, db.last_cycle());
    let reply = ask(db, request);
    let error = &reply["error"];
    assert_eq!(error["code"], code, "{shown} was answered {reply}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains(words), "{shown}: \"{message}\" does not say \"{words}\"");
    let after = (db.export(None).unwrap(), db.stats().unwrap().events, db.last_cycle());
    assert!(before == after, "{shown} left a trace");
    error.clone()
}

fn check(db: &Db, cases: &[(Value, &str)], code: &str) {
    for (request, words) in cases {
        check_line(db, &request.to_string(), code, words);
    }
    let violations = db.working_state().violations().unwrap();
    assert_eq!(violations, Vec::<String>::new());
}
