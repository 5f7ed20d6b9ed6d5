//! Refused edits: nodes, parents, placement, what is sealed and what is referred to.

use super::*;

#[test]
fn node_not_found() {
    let cases = [
        (json!({"op": "set", "target": "#nobody", "ttl": 1}), "no node matches the target"),
        (json!({"op": "set", "target": "#gone", "ttl": 1}), "may match nothing"),
        (json!({"op": "move", "target": "#nobody", "to": "^sys"}), "#nobody"),
        (json!({"op": "remove", "target": "#undone"}), "#undone"),
        (json!({"op": "add", "refs": ["u1", "gone"]}), "refs names gone, which is not alive"),
        (json!({"op": "add", "id": "me", "refs": ["me"]}), "refs names me"),
        (json!({"op": "set", "target": "#u2", "refs": ["nobody"]}), "name nodes of the working"),
        (json!({"op": "add", "to": "(d-1,+9)"}), "no child 9: the parent has 1, counted from 1"),
        (json!({"op": "add", "to": "(d-1,-9)"}), "no child 9"),
        (json!({"op": "attempt", "action": "finish", "attempt_id": "zz"}), "no attempt zz"),
    ];
    check(&furnished(), &cases, "E_NODE_NOT_FOUND");
    let undo = json!({"op": "undo"});
    check(&committed(), &[(undo, "no uncommitted edit to take back")], "E_NODE_NOT_FOUND");
}

#[test]
fn node_exists() {
    let given = |id: &str| json!({"op": "add", "id": id});
    let cases = [
        (given("u1"), "the id u1 was used before"),
        (given("u2"), "choose another"),
        (given("gone"), "gone"),
        (given("undone"), "undone"),
        (given("sys"), "sys"),
        (json!({"op": "batch", "ops": [given("new"), given("new")]}), "operation 2 of the batch"),
        (json!({"op": "attempt", "action": "start", "attempt_id": "a0"}), "choose another id"),
        (json!({"op": "attempt", "action": "start", "attempt_id": "a1"}), "a1 exists already"),
    ];
    check(&furnished(), &cases, "E_NODE_EXISTS");
}

#[test]
fn parents() {
    let db = furnished();
    let cases = [
        (json!({"op": "add", "to": "^sys, ^ah"}), "must be one node, and 2 match"),
        (json!({"op": "move", "target": "#u2", "to": "#box, ^sys"}), "name one by its id"),
    ];
    check(&db, &cases, "E_AMBIGUOUS");
    let cases = [
        (json!({"op": "add", "to": "#nobody"}), "no node matches the place"),
        (json!({"op": "add", "to": "(d7,end)"}), "no node matches the place"),
        (json!({"op": "move", "target": "#u2", "to": "#gone"}), "name a live container"),
    ];
    check(&db, &cases, "E_INVALID_PARENT");
    let cases = [
        (json!({"op": "add", "to": "#s"}), "s is a block and has no children"),
        (json!({"op": "move", "target": "#u2", "to": "#inner"}), "name a container"),
    ];
    check(&db, &cases, "E_PARENT_NOT_CONTAINER");
    let cases = [
        (json!({"op": "move", "target": "#box", "to": "#box"}), "a parent outside of it"),
        (json!({"op": "move", "target": "#box", "to": "#deep"}), "deep lies in box"),
    ];
    check(&db, &cases, "E_CYCLE_DETECTED");
}

#[test]
fn placement() {
    let cases = [
        (json!({"op": "set", "target": "^sys", "ttl": 1}), "sys is a region and cannot be changed"),
        (json!({"op": "set", "target": "^root", "priority": 1}), "name a node below it"),
        (
            json!({"op": "move", "target": "^ah", "to": "^sys"}),
            "ah is a region and cannot be moved",
        ),
        (json!({"op": "move", "target": "^seq", "to": "^sys"}), "seq is the root or a region"),
        (json!({"op": "move", "target": "#mt:1", "to": "^sys"}), "turns stay where they are"),
        (json!({"op": "remove", "target": "^ah"}), "ah is a region and cannot be removed"),
        (json!({"op": "remove", "target": "#mt:1"}), "mt:1 is a turn and cannot be removed"),
        (json!({"op": "add", "to": "^root"}), "name ^sys, ^ah or a node in them"),
        (json!({"op": "add", "to": "^seq"}), "directly below seq"),
        (json!({"op": "move", "target": "#u2", "to": "^seq"}), "directly below seq"),
        (json!({"op": "add", "type": "mt"}), "mt is a turn, made by commits and imports only"),
        (json!({"op": "add", "type": "seg:x"}), "seg:x is a turn"),
        (json!({"op": "add", "type": "^ah"}), "^ah is a region"),
        (json!({"op": "add", "type": "^root"}), "^root is the root"),
        (json!({"op": "add", "container": true}), "a container beside it needs an offset"),
        (json!({"op": "move", "target": "#box", "to": "^ah", "offset": 0}), "has a core already"),
    ];
    check(&furnished(), &cases, "E_PLACEMENT");
}

#[test]
fn sealed() {
    let cases = [
        (json!({"op": "set", "target": "#u1", "content": "x"}), "u1 is sealed"),
        (json!({"op": "set", "target": "#post", "ttl": 1}), "add a new node instead"),
        (json!({"op": "set", "target": "#mt:1", "pinned": true}), "mt:1 is sealed"),
        (json!({"op": "set", "target": "#u2, #u1", "ttl": 1}), "u1 is sealed"),
        (json!({"op": "move", "target": "#post", "to": "^ah"}), "post is sealed"),
        (json!({"op": "remove", "target": "#u1"}), "a core loses nodes only by a ttl"),
        (json!({"op": "remove", "target": "#mc:1", "force": true}), "mc:1 is sealed"),
        (json!({"op": "add", "to": "#mt:1"}), "nothing"),
        (json!({"op": "add", "to": "#mc:1"}), "add to its turn at an offset other than 0"),
        (json!({"op": "add", "to": "#g1", "offset": 5}), "g1 is sealed"),
        (json!({"op": "add", "to": "(d1,+2)"}), "g1 is sealed: it is in the way"),
        (json!({"op": "move", "target": "#u2", "to": "#mt:1"}), "is sealed"),
        (json!({"op": "move", "target": "#u2", "to": "#g1", "offset": 1}), "g1 is sealed"),
    ];
    check(&furnished(), &cases, "E_SEALED");
}

#[test]
fn sealed_turns_without_a_core() {
    let db = Options::new().clock(1000).create_on(Memory::default()).unwrap();
    let seq = json!({"id": "seq", "nodeType": "^seq", "children": [
        {"id": "mt:a", "nodeType": "mt", "children": [{"id": "b"}]}]});
    ok(&db, json!({"op": "import", "snapshot": {"root": {"children": [seq]}}}));
    let words = "its core takes nothing; give an offset other than 0";
    check(&db, &[(json!({"op": "add", "to": "#mt:a"}), words)], "E_SEALED");
    ok(&db, json!({"op": "add", "id": "n"}));
    check(&db, &[(json!({"op": "move", "target": "#n", "to": "#mt:a"}), words)], "E_SEALED");
    let remove = json!({"op": "remove", "target": "#b"});
    check(&db, &[(remove, "b is sealed: a core loses nodes only")], "E_SEALED");
}

#[test]
fn referenced() {
    let cases = [
        (json!({"op": "remove", "target": "#low"}), "ref refers to low; use force"),
        (json!({"op": "remove", "target": "#box"}), "ref refers to low"),
        (json!({"op": "remove", "target": "#box, #u2"}), "ref refers to low"),
    ];
    let db = furnished();
    check(&db, &cases, "E_REFERENCED");
    let both = json!({"op": "remove", "target": "#box, #ref"});
    assert_eq!(ok(&db, both), json!({"ids": ["box", "ref"]}), "they go together");
}
