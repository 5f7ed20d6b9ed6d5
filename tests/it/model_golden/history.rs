//! R4.8, R5, R10: undo, restore, times and attempts.

use serde_json::json;

use super::*;

#[test]
fn undo_leaves_no_trace_but_used_ids() {
    let mut m = Model::with_clock("0.1", 10);
    ok(&mut m, json!({"op": "add", "id": "a"}));
    let before = m.export_bytes(None);
    ok(&mut m, json!({"op": "add", "id": "b"}));
    ok(
        &mut m,
        json!({"op": "batch", "ops": [{"op": "add", "id": "c"}, {"op": "remove", "target": "#a"}]}),
    );
    ok(&mut m, json!({"op": "set", "target": "#nobody?", "ttl": 1}));
    ok(&mut m, json!({"op": "undo"}));
    ok(&mut m, json!({"op": "undo"}));
    assert_eq!(m.export_bytes(None), before);
    assert_eq!(refused(&mut m, json!({"op": "add", "id": "c"})), "E_NODE_EXISTS");
    ok(&mut m, json!({"op": "add", "id": "d"}));
    let d = node(&mut m, None, "d").unwrap();
    assert_eq!((&d["created_at_ns"], &d["creation_index"]), (&json!(12), &json!(2)));
    commit(&mut m);
    assert_eq!(refused(&mut m, json!({"op": "undo"})), "E_NODE_NOT_FOUND");
}

#[test]
fn a_policy_can_be_undone_and_blocks_nothing() {
    let mut m = store();
    commit(&mut m);
    ok(&mut m, json!({"op": "policy", "set": [{"max_blocks": 1}]}));
    assert!(!m.is_dirty());
    ok(&mut m, json!({"op": "restore", "at": "@c1"}));
    assert_eq!(ok(&mut m, json!({"op": "policy"})), json!([{"max_blocks": 1}]));
    ok(&mut m, json!({"op": "policy", "set": []}));
    ok(&mut m, json!({"op": "undo"}));
    assert_eq!(ok(&mut m, json!({"op": "policy"})), json!([{"max_blocks": 1}]));
}

#[test]
fn a_restored_ttl_counts_from_the_new_cycle() {
    let mut m = store();
    ok(&mut m, json!({"op": "add", "to": "^sys", "id": "a", "ttl": 3}));
    ok(&mut m, json!({"op": "add", "id": "b"}));
    commit(&mut m);
    commit(&mut m);
    let second = m.export_bytes(Some("@c2")).unwrap();
    commit(&mut m);
    assert_eq!(commit(&mut m)["expired"], json!(["a"]));
    ok(&mut m, json!({"op": "add", "id": "x"}));
    assert_eq!(refused(&mut m, json!({"op": "restore", "at": "@c2"})), "E_CONFLICT");
    assert_eq!(
        refused(&mut m, json!({"op": "restore", "at": "@c9", "discard": true})),
        "E_SNAPSHOT_NOT_FOUND"
    );
    let reply = ok(&mut m, json!({"op": "restore", "at": "@c2", "discard": true}));
    assert_eq!((&reply["cycle"], &reply["turn"]), (&json!(5), &json!(null)));
    let restored = m.export_bytes(Some("@c5")).unwrap();
    assert_eq!(restored, second.replacen("{\"cycle\":2", "{\"cycle\":5", 1));
    assert_eq!(m.export_bytes(None).unwrap(), restored);
    assert_eq!(commit(&mut m)["expired"], json!([]));
    assert_eq!(commit(&mut m)["expired"], json!(["a"]));
    assert_eq!(refused(&mut m, json!({"op": "add", "id": "x"})), "E_NODE_EXISTS");
}

#[test]
fn times_by_dialect() {
    let mut old = store();
    assert_eq!(refused(&mut old, json!({"op": "export", "at": "@t0"})), "E_SNAPSHOT_NOT_FOUND");
    let mut new = Model::new("1.0");
    ok(&mut new, json!({"op": "export", "at": "@t0"}));
    for m in [&mut old, &mut new] {
        ok(m, json!({"op": "add", "id": "a"}));
        commit(m);
        commit(m);
        ok(m, json!({"op": "add", "id": "b"}));
    }
    let cycle = |m: &mut Model, at: &str| ok(m, json!({"op": "export", "at": at}))["cycle"].clone();
    assert_eq!((cycle(&mut old, "@t0"), cycle(&mut old, "@t-1")), (json!(2), json!(1)));
    assert_eq!((cycle(&mut new, "@t-1"), cycle(&mut new, "@t-2")), (json!(2), json!(1)));
    assert_eq!(new.export_bytes(Some("@t0")), new.export_bytes(None));
    assert_eq!(refused(&mut old, json!({"op": "export", "at": "@t-2"})), "E_SNAPSHOT_NOT_FOUND");
    let diff = ok(&mut old, json!({"op": "diff", "a": null, "b": "@t0"}));
    assert_eq!(diff["added"], json!(["mc:3", "b"]));
}

#[test]
fn attempts_are_beside_the_tree() {
    let mut m = store();
    let before = m.export_bytes(None);
    let start = json!({"op": "attempt", "action": "start", "attempt_id": "t1", "provider": "p", "model": "m", "params_hash": "h"});
    assert_eq!(ok(&mut m, start.clone())["cycle_id"], 1);
    assert_eq!(refused(&mut m, start), "E_NODE_EXISTS");
    ok(
        &mut m,
        json!({"op": "attempt", "action": "finish", "attempt_id": "t1", "status": "completed", "token_in": 5}),
    );
    let list = ok(&mut m, json!({"op": "attempt", "action": "list", "cycle": 1}));
    assert_eq!((&list[0]["status"], &list[0]["token_in"]), (&json!("completed"), &json!(5)));
    assert_eq!(refused(&mut m, json!({"op": "undo"})), "E_NODE_NOT_FOUND");
    assert_eq!(m.export_bytes(None), before);
}
