//! A lively workload: the requests of an agent's short life, the same in every run.
//!
//! It has every operation that writes: edits, batches with and without a commit, policies,
//! cadences, attempts, undo, restore, and imports of both sorts; and more commits than lie between
//! two flushes of the indexes. Beside it, lives that are drawn at random.

use super::follow::{chosen_ids, handle_following};
use super::model::Model;
use super::ops::Op;
use super::storage::Memory;
use pactdb::protocol::handle_line;
use pactdb::{Db, Generation, Options};
use serde_json::{Value, json};

/// The clock of every store that lives this life.
pub(crate) const CLOCK: i64 = 1_000_000;

/// Asks a store, which must agree.
pub(crate) fn must(db: &Db, request: &Value) -> Value {
    let reply = ask(db, request);
    assert!(reply.get("ok").is_some(), "{request} was answered {reply}");
    reply["ok"].clone()
}

/// Lives one moment: a refusal is part of life, and leaves no trace.
pub(crate) fn live(db: &Db, request: &Value) -> Value {
    match request.get("snapshot") {
        Some(_) => ask(db, &import_of(db)),
        None => ask(db, request),
    }
}

/// Asks a store.
pub(crate) fn ask(db: &Db, request: &Value) -> Value {
    serde_json::from_str(&handle_line(db, &request.to_string())).unwrap()
}

/// The requests of a life of some turns.
pub(crate) fn requests(turns: u64) -> Vec<Value> {
    let mut requests = vec![
        json!({"op": "add", "to": "^sys", "id": "rules", "content": "Be brief.", "pinned": true}),
        json!({"op": "policy", "set": [{"max_blocks": 60, "protect_recent_turns": 4}]}),
    ];
    for turn in 0..turns {
        requests.extend(turn_requests(turn));
    }
    requests
}

fn turn_requests(turn: u64) -> Vec<Value> {
    let user = format!("u{turn}");
    let text = format!("question {turn}: {}", "why is the sky blue? ".repeat(turn as usize % 9));
    let said = json!({"op": "add", "id": user, "role": "user", "content": text});
    let answer = json!({
        "op": "add", "role": "assistant", "content": {"turn": turn, "words": ["because", "light"]},
        "ttl": 5 + turn % 3, "refs": [user], "tags": ["answer"], "attrs": {"data_turn": turn},
    });
    let commit = json!({"op": "commit"});
    match turn % 10 {
        0 => vec![
            said,
            json!({"op": "add", "key": format!("k{}", turn % 3), "cad": 2 + turn % 3, "ttl": 1, "content": "again"}),
            commit,
        ],
        1 | 6 => vec![json!({"op": "batch", "ops": [said, answer, commit]})],
        2 => vec![
            said,
            json!({"op": "batch", "ops": [answer, {"op": "set", "target": format!("#{user}"), "priority": 3}]}),
            commit,
        ],
        3 => vec![
            said,
            json!({"op": "add", "to": "^ah", "type": "mc", "id": format!("g{turn}"), "offset": 2, "removable": true}),
            json!({"op": "add", "to": format!("#g{turn}"), "id": format!("n{turn}"), "ttl": 2, "content": "note"}),
            json!({"op": "undo"}),
            json!({"op": "add", "to": format!("#g{turn}"), "ttl": 2, "content": "note again"}),
            commit,
        ],
        4 => vec![
            json!({"op": "attempt", "action": "start", "attempt_id": format!("a{turn}"), "model": "m"}),
            said,
            json!({"op": "attempt", "action": "finish", "attempt_id": format!("a{turn}"), "token_out": 5}),
            commit,
        ],
        5 => vec![
            json!({"op": "set", "target": "#rules", "content": format!("Be brief, rule {turn}.")}),
            json!({"op": "restore", "at": "@t-2", "discard": true}),
        ],
        // An instance that a cadence made is an edit, and edits are in the way of an import.
        7 => vec![
            json!({"op": "cadence", "end": "k0"}),
            json!({"op": "cadence", "end": "k1"}),
            json!({"op": "cadence", "end": "k2"}),
            commit,
            json!({"op": "import", "messages": [
                {"role": "user", "content": "hello"}, {"role": "assistant", "content": "yes?"},
                {"role": "user", "content": "nothing"},
            ]}),
            json!({"op": "import", "snapshot": null}),
        ],
        9 if turn % 30 == 9 => vec![
            json!({"op": "policy", "set": [{"region": "^seq", "max_bytes": 3000}, {"max_blocks": 50}]}),
            said,
            json!({"op": "remove", "target": format!("#{user}")}),
            commit,
        ],
        _ => vec![said, answer, commit],
    }
}

/// A document to import: what the store holds, with a block more, some cycles ahead.
fn import_of(db: &Db) -> Value {
    let mut snapshot: Value = serde_json::from_str(&db.export(Some("@t0")).unwrap()).unwrap();
    let cycle = snapshot["cycle"].as_u64().unwrap();
    snapshot["cycle"] = json!(cycle + 3);
    let sys = &mut snapshot["root"]["children"][0]["children"];
    let block =
        json!({"id": format!("imported-{cycle}"), "nodeType": "cb", "content": "from afar"});
    sys.as_array_mut().unwrap().push(block);
    json!({"op": "import", "snapshot": snapshot})
}

/// Runs the operations. The model only tells which nodes there are to choose from.
pub(crate) fn grow(generation: Generation, ops: &[Op]) -> Db {
    let options = Options::new().generation(generation).clock(CLOCK);
    let db = options.create_on(Memory::default()).unwrap();
    grow_watched(&db, ops, &mut || {});
    db
}

/// Runs the operations on an empty store; `after` is called after each.
pub(crate) fn grow_watched(db: &Db, ops: &[Op], after: &mut dyn FnMut()) {
    let generation = db.generation();
    let mut model = Model::with_clock(generation.name(), CLOCK);
    for op in ops {
        let request = op.request(&model);
        if request.get("messages").is_some() || request["op"] == "diff" {
            continue;
        }
        handle_line(db, &request.to_string());
        after();
        let newest = db.last_cycle().to_string();
        let states = [None, (newest != "0").then(|| format!("@c{newest}"))];
        let exports: Vec<Value> = states
            .iter()
            .map(|at| serde_json::from_str(&db.export(at.as_deref()).unwrap()).unwrap())
            .collect();
        let chosen = chosen_ids(&model, &request, &exports);
        handle_following(&mut model, &request, chosen);
    }
}
