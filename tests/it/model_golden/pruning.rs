//! R4.4: order, protection and limits of pruning.

use serde_json::json;

use super::*;

#[test]
fn low_priority_goes_first_then_age_then_id() {
    let mut m = store();
    all(
        &mut m,
        &[
            json!({"op": "policy", "set": [{"max_blocks": 3}]}),
            json!({"op": "add", "id": "old", "priority": 1}),
            json!({"op": "add", "id": "young", "priority": 1}),
            json!({"op": "add", "id": "low", "priority": -5}),
            json!({"op": "add", "id": "pin", "priority": -9, "pinned": true}),
            json!({"op": "add", "id": "ref", "priority": -9}),
            json!({"op": "add", "id": "top", "priority": 9, "refs": ["ref"]}),
            json!({"op": "add", "to": "^sys", "id": "header", "priority": -9}),
        ],
    );
    // Seven blocks: the header counts but is spared; `ref` is free once `top` has gone.
    assert_eq!(commit(&mut m)["pruned"], json!(["low", "old", "young", "top"]));
    assert_eq!(sketch(&mut m, None), "sys(header) seq(mt:1(mc:1(pin ref))) ah");
}

#[test]
fn recent_turns_are_protected_and_the_head_is_the_newest() {
    let mut m = store();
    for id in ["a", "b", "c"] {
        ok(&mut m, json!({"op": "add", "id": id}));
        if id != "c" {
            commit(&mut m);
        }
    }
    ok(&mut m, json!({"op": "policy", "set": [{"max_blocks": 0, "protect_recent_turns": 2}]}));
    assert_eq!(commit(&mut m)["pruned"], json!(["a"]));
    assert_eq!(commit(&mut m)["pruned"], json!(["b"]));
}

#[test]
fn a_policy_that_names_the_header_prunes_it() {
    let mut m = store();
    all(
        &mut m,
        &[
            json!({"op": "policy", "set": [{"region": "^sys", "max_bytes": 5}, {"region": "^ah", "max_tokens": 2}]}),
            json!({"op": "add", "to": "^sys", "id": "s1", "content": "\u{e9}\u{e9}"}),
            json!({"op": "add", "to": "^sys", "id": "s2", "content": [1, 2]}),
            json!({"op": "add", "to": "^sys", "id": "box", "container": true, "removable": true}),
            json!({"op": "add", "to": "#box", "id": "s0", "content": "x", "priority": -1}),
            json!({"op": "add", "id": "h1", "content": "12345"}),
            json!({"op": "add", "id": "h2", "content": "1"}),
        ],
    );
    let reply = commit(&mut m);
    // 4 + 5 + 1 bytes: both cheap ones go. Two tokens and one: the elder goes.
    assert_eq!(reply["pruned"], json!(["s0", "s1", "h1"]));
    assert_eq!(reply["cascaded"], json!(["box"]));
    assert_eq!(ok(&mut m, json!({"op": "policy", "set": []})), json!([]));
}
