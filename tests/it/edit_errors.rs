//! Every error that an edit, an import, a commit or a store can meet (R11), once for each reason: the code, words that
//! say what was wrong and what to do, and no trace in the tree or in the log.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::memory::Memory;
use pactdb::code::Code;
use pactdb::db::{Db, Options};
use pactdb::error::Error;
use pactdb::model::Generation;
use pactdb::protocol::handle_line;
use redb::ReadableTable;
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

#[test]
fn node_not_found() {
    let cases = [
        (json!({"op": "set", "target": "#nobody", "ttl": 1}), "nothing in the working state"),
        (json!({"op": "set", "target": "#gone", "ttl": 1}), "#gone? would accept that"),
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
        (json!({"op": "add", "to": "^sys, ^ah"}), "matches more than one node"),
        (json!({"op": "move", "target": "#u2", "to": "#box, ^sys"}), "name one, by its id"),
    ];
    check(&db, &cases, "E_AMBIGUOUS");
    let cases = [
        (json!({"op": "add", "to": "#nobody"}), "#nobody matches no node to be the parent"),
        (json!({"op": "add", "to": "(d7,end)"}), "no node to be the parent"),
        (json!({"op": "move", "target": "#u2", "to": "#gone"}), "name a live one"),
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

#[test]
fn reserved_and_unnamespaced_attributes() {
    let db = furnished();
    for name in ["id", "nodeType", "type", "role", "kind", "cycle", "offset", "parent", "removable"]
    {
        let mut request = json!({"op": "set", "target": "#u2"});
        request[name] = json!("x");
        check(&db, &[(request, "a move changes parent and offset")], "E_ATTR_RESERVED");
    }
    for name in ["created_at_ns", "created_at_iso", "creation_index", "content_hash", "children"] {
        let mut request = json!({"op": "set", "target": "#u2"});
        request[name] = json!(1);
        check(&db, &[(request, "is fixed when a node is made")], "E_ATTR_RESERVED");
    }
    for name in ["content_hash", "ttl", "tags", "tag", "depth", "age", "children", "sticky"] {
        for request in [json!({"op": "add"}), json!({"op": "set", "target": "#u2"})] {
            let mut request = request.clone();
            request["attrs"][name] = json!(1);
            check(&db, &[(request, "set the header itself, or choose")], "E_ATTR_RESERVED");
        }
    }
    for id in ["mt:77", "mc:1", "seg:0", "cont:123456789012345678901234567890"] {
        let words = "reserved for the turn of a cycle or its core; choose another id";
        check(&db, &[(json!({"op": "add", "id": id}), words)], "E_ATTR_RESERVED");
    }
    let cases = [
        (json!({"op": "add", "attrs": {"plain": 1}}), "data_plain, content_plain or x:plain"),
        (json!({"op": "add", "attrs": {"": 1}}), "needs a namespace"),
        (json!({"op": "set", "target": "#u2", "attrs": {"data": 1}}), "data_data"),
        (json!({"op": "set", "target": "#u2", "attrs": {"data_ok": 1, "no": null}}), "data_no"),
    ];
    check(&db, &cases, "E_ATTR_NAMESPACE");
}

#[test]
fn invalid_values_of_headers() {
    let add = |name: &str, value: Value| {
        let mut request = json!({"op": "add"});
        request[name] = value;
        request
    };
    let set = |name: &str, value: Value| {
        let mut request = json!({"op": "set", "target": "#u2"});
        request[name] = value;
        request
    };
    let cases = [
        (add("ttl", json!(-1)), "ttl must be at least 0, not -1"),
        (add("ttl", json!("2")), "'ttl' must be an integer, not a string"),
        (add("ttl", json!(1.5)), "'ttl' must be an integer, not a decimal number"),
        (add("cad", json!(2)), "a cad needs a key"),
        (add("offset", json!([])), "'offset' must be an integer, not a list"),
        (add("priority", json!(true)), "'priority' must be an integer, not a boolean"),
        (add("created_at_ns", json!("now")), "'created_at_ns' must be an integer"),
        (add("tags", json!("t")), "'tags' must be a list of strings, not a string"),
        (add("tags", json!(["t", 1])), "'tags' must be a string, not an integer"),
        (add("refs", json!({})), "'refs' must be a list of strings, not an object"),
        (add("pinned", json!("yes")), "'pinned' must be true or false"),
        (add("container", json!(1)), "'container' must be true or false"),
        (add("removable", json!(true)), "only a container can be removable"),
        (add("role", json!(1)), "'role' must be a string, not an integer"),
        (add("kind", json!({})), "'kind' must be a string"),
        (add("key", json!(["k"])), "'key' must be a string"),
        (add("provenance", json!(1)), "'provenance' must be a string"),
        (add("id", json!(7)), "'id' must be a string"),
        (add("id", json!("")), "an id cannot be empty: leave it out to have one made"),
        (add("type", json!("")), "a type cannot be empty: leave it out"),
        (add("to", json!(1)), "'to' must be a string"),
        (add("attrs", json!([])), "'attrs' must be an object, not a list"),
        (json!({"op": "add", "cad": 0, "key": "k"}), "cad must be at least 1, not 0"),
        (json!({"op": "add", "type": "mc", "container": false}), "leave 'container' out"),
        (json!({"op": "add", "type": "cb:x", "container": true}), "the type cb:x is a block"),
        (json!({"op": "add", "to": "(d-1,end)", "offset": 1}), "leave 'offset' out"),
        (
            json!({"op": "add", "container": true, "offset": 9, "cad": 1, "key": "k"}),
            "only a block can have a cad",
        ),
        (set("ttl", json!(-5)), "ttl must be at least 0"),
        (set("cad", json!(1)), "u2: a cad needs a key, by which its instances are known"),
        (set("cad", json!("1")), "'cad' must be an integer"),
        (set("tags", json!([null])), "'tags' must be a string, not null"),
        (set("target", json!(5)), "'target' must be a string"),
        (
            json!({"op": "set", "target": "#box", "cad": 1, "key": "k"}),
            "only a block can have a cad",
        ),
        (json!({"op": "move", "target": "#u2", "to": "^ah", "offset": "1"}), "'offset' must be"),
        (json!({"op": "remove", "target": "#u2", "force": 1}), "'force' must be true or false"),
        (json!({"op": "commit", "expected_cycle": "1"}), "'expected_cycle' must be an integer"),
        (json!({"op": "policy", "set": {}}), "'set' must be a list of policies; an empty one"),
        (json!({"op": "policy", "set": [3]}), "'set' must be an object, not an integer"),
        (json!({"op": "policy", "set": [{"max_blocks": -1}]}), "'max_blocks' cannot be negative"),
        (json!({"op": "policy", "set": [{"max_bytes": "1"}]}), "'max_bytes' must be an integer"),
        (json!({"op": "policy", "set": [{"region": "^root"}]}), "for ^sys, ^seq or ^ah"),
        (json!({"op": "cadence", "end": ""}), "a key cannot be empty"),
        (json!({"op": "cadence", "end": 1}), "'end' must be a string"),
        (json!({"op": "attempt", "action": "start", "attempt_id": ""}), "between 1 and 512 bytes"),
        (json!({"op": "attempt", "action": "start", "status": "completed"}), "finish says how"),
        (json!({"op": "attempt", "action": "start", "error": "no"}), "finish says how"),
        (json!({"op": "attempt", "action": "start", "token_in": -1}), "cannot be negative"),
        (
            json!({"op": "attempt", "action": "finish", "attempt_id": "a1", "status": "running"}),
            "completed, canceled or error",
        ),
        (
            json!({"op": "attempt", "action": "finish", "attempt_id": "a1", "status": "bad"}),
            "not bad",
        ),
        (
            json!({"op": "attempt", "action": "finish", "attempt_id": "a1", "started_at": 1}),
            "leave it out",
        ),
    ];
    check(&furnished(), &cases, "E_ATTR_INVALID");
}

#[test]
fn limits() {
    let long = "x".repeat(513);
    let deep: Value = serde_json::from_str(&("[".repeat(101) + &"]".repeat(101))).unwrap();
    let too_far = (1i64 << 52) + 1;
    let mut cases = vec![
        (json!({"op": "add", "id": long}), "an id has at most 512 bytes, this one 513"),
        (json!({"op": "add", "content": deep}), "content nests deeper than 100 levels"),
        (json!({"op": "add", "attrs": {"data_x": deep}}), "data_x nests deeper"),
        (
            json!({"op": "add", "attrs": {format!("data_{long}"): 1}}),
            "an attribute name has at most",
        ),
        (json!({"op": "set", "target": "#u2", "content": deep}), "make it flatter"),
        (json!({"op": "set", "target": "#u2", "key": long}), "a key has at most 512 bytes"),
        (json!({"op": "add", "offset": too_far}), "offset must lie between"),
        (json!({"op": "add", "offset": -too_far}), "offset must lie between"),
        (json!({"op": "add", "ttl": too_far}), "ttl must lie between"),
        (json!({"op": "add", "cad": too_far, "key": "k"}), "cad must lie between"),
        (json!({"op": "move", "target": "#u2", "to": "^ah", "offset": too_far}), "offset must lie"),
        (json!({"op": "add", "created_at_ns": i64::MAX}), "created_at_ns is at most"),
        (json!({"op": "commit", "created_at_ns": i64::MAX}), "created_at_ns is at most"),
        (json!({"op": "cadence", "end": long}), "a key has at most"),
    ];
    for field in ["type", "role", "kind", "key", "provenance"] {
        let mut request = json!({"op": "add"});
        request[field] = json!(long);
        cases.push((request, "has at most 512 bytes, this one 513"));
    }
    let db = furnished();
    check(&db, &cases, "E_LIMIT");
    for text in [
        r#"{"op":"add","ttl":123456789012345678901234567890}"#,
        r#"{"op":"add","priority":9223372036854775808}"#,
        r#"{"op":"add","offset":-9223372036854775809}"#,
    ] {
        check_line(&db, text, "E_LIMIT", "must fit into 64 bits");
    }
    let ops = [r#"{"op":"undo"}"#; 3].join(",");
    check_line(&db, &format!(r#"{{"op":"batch","ops":[{ops}]}}"#), "E_REQUEST_INVALID", "1 of the");
    let ops = vec![r#"{"op":"cadence","end":"k"}"#; 100_001].join(",");
    let batch = format!(r#"{{"op":"batch","ops":[{ops}]}}"#);
    check_line(&db, &batch, "E_LIMIT", "at most 100000 operations: split it");
    let nested = format!(r#"{{"op":"add","content":{}1{}}}"#, "[".repeat(300), "]".repeat(300));
    check_line(&db, &nested, "E_LIMIT", "nest deeper than 256 levels");
    let large = format!(r#"{{"op":"add","content":"{}"}}"#, "x".repeat((64 << 20) + 1));
    check_line(&db, &large, "E_LIMIT", "a content has at most 67108864 bytes");
}

#[test]
fn the_deepest_tree_is_reached_and_not_passed() {
    let db = Options::new().clock(1000).create_on(Memory::default()).unwrap();
    let mut to = "^sys".to_owned();
    for level in 1..64 {
        let id = format!("c{level}");
        ok(&db, json!({"op": "add", "to": to, "id": id, "container": true}));
        to = format!("#{id}");
    }
    let deepest: Value = serde_json::from_str(&("[".repeat(100) + &"]".repeat(100))).unwrap();
    ok(&db, json!({"op": "add", "to": to, "id": "low", "container": true, "content": deepest}));
    let cases = [
        (json!({"op": "add", "to": "#low"}), "at most 64 levels deep: choose a parent higher up"),
        (
            json!({"op": "batch", "ops": [
                {"op": "add", "id": "n", "container": true, "offset": 1},
                {"op": "move", "target": "#n", "to": "#low"},
            ]}),
            "operation 2 of the batch: nodes lie at most 64 levels deep",
        ),
    ];
    check(&db, &cases, "E_LIMIT");
    ok(&db, json!({"op": "commit"}));
    // The deepest tree with the deepest content still comes back, through requests too.
    let bytes = db.export(None).unwrap();
    let other = Options::new().clock(1000).create_on(Memory::default()).unwrap();
    let reply = handle_line(&other, &format!(r#"{{"op":"import","snapshot":{bytes}}}"#));
    assert!(reply.starts_with("{\"ok\":"), "{reply}");
    assert_eq!(other.export(None).unwrap(), bytes);
    let reply = handle_line(&other, r#"{"op":"export"}"#);
    assert!(reply.starts_with("{\"ok\":"), "{}", &reply[..200]);
}

#[test]
fn malformed_requests() {
    let db = furnished();
    for (line, words) in [
        ("", "the line is not a JSON request: expected a value"),
        ("{\"op\":\"commit\"", "expected ',' or '}'"),
        ("{'op':'commit'}", "expected a key in double quotes"),
        ("{\"op\":\"commit\"} {}", "expected the end"),
        ("[]", "a request is an object with an 'op', not a list"),
        ("null", "not null"),
        ("{\"op\":\"add\",\"priority\":1e999}", "too large for a double"),
    ] {
        check_line(&db, line, "E_REQUEST_INVALID", words);
    }
    let cases = [
        (json!({}), "the request needs an 'op'"),
        (json!({"op": 1}), "'op' must be a string, not an integer"),
        (json!({"op": "ad"}), "there is no operation 'ad': there are add, set"),
        (
            json!({"op": "add", "colour": 1}),
            "add does not know 'colour'; custom attributes go into",
        ),
        (json!({"op": "add", "nodeType": "cb"}), "add does not know 'nodeType'"),
        (json!({"op": "set", "target": "#u2", "colour": 1}), "set does not know 'colour'"),
        (json!({"op": "set", "ttl": 1}), "set needs 'target'"),
        (json!({"op": "move", "to": "^ah"}), "move needs 'target'"),
        (json!({"op": "move", "target": "#u2"}), "move needs 'to'"),
        (json!({"op": "move", "target": "#u2", "to": "^ah", "ttl": 1}), "move does not know 'ttl'"),
        (json!({"op": "remove"}), "remove needs 'target'"),
        (json!({"op": "commit", "cycle": 3}), "commit does not know 'cycle': leave it out"),
        (json!({"op": "cadence"}), "cadence needs 'end'"),
        (json!({"op": "policy", "set": [{"max_nodes": 1}]}), "a policy does not know 'max_nodes'"),
        (json!({"op": "undo", "steps": 2}), "undo does not know 'steps'"),
        (json!({"op": "restore"}), "restore needs 'at'"),
        (json!({"op": "batch"}), "batch needs 'ops'"),
        (json!({"op": "batch", "ops": {}}), "'ops' must be a list of operations"),
        (json!({"op": "batch", "ops": [3]}), "operation 1 of the batch: an operation is an object"),
        (
            json!({"op": "batch", "ops": [{}]}),
            "operation 1 of the batch: the operation needs an 'op'",
        ),
        (
            json!({"op": "batch", "ops": [{"op": "commit"}, {"op": "add"}]}),
            "operation 1 of the batch: a commit can only be the last",
        ),
        (json!({"op": "batch", "ops": [{"op": "commit"}, {"op": "commit"}]}), "only be the last"),
        (json!({"op": "batch", "ops": [{"op": "export"}]}), "'export' cannot be part of a batch"),
        (json!({"op": "batch", "ops": [{"op": "batch", "ops": []}]}), "send it on its own"),
        (json!({"op": "batch", "ops": [{"op": "policy"}]}), "policy needs 'set'"),
        (json!({"op": "batch", "ops": [{"op": "add", "x": 1}]}), "add does not know 'x'"),
        (json!({"op": "import"}), "import needs one of 'snapshot' and 'messages'"),
        (json!({"op": "import", "snapshot": {}, "messages": []}), "import needs one of"),
        (json!({"op": "import", "messages": {}}), "'messages' must be a list, not an object"),
        (
            json!({"op": "import", "snapshot": {}, "created_at_ns": 1}),
            "does not know 'created_at_ns'",
        ),
        (json!({"op": "attempt"}), "attempt needs 'action'"),
        (json!({"op": "attempt", "action": "stop"}), "start, finish or list, not stop"),
        (json!({"op": "attempt", "action": "finish"}), "finish needs the 'attempt_id'"),
        (json!({"op": "attempt", "action": "start", "cycle_id": 1}), "does not know 'cycle_id'"),
        (json!({"op": "attempt", "action": "list", "colour": 1}), "does not know 'colour'"),
    ];
    check(&db, &cases, "E_REQUEST_INVALID");
    let reply = ask(&db, r#"{"op":"ad","rid":{"a":[1]}}"#);
    assert_eq!(reply["rid"], json!({"a": [1]}), "an error carries the rid too");
}

#[test]
fn conflicts_and_missing_snapshots() {
    let db = furnished();
    for request in [
        json!({"op": "commit", "expected_cycle": 0}),
        json!({"op": "commit", "expected_cycle": 2}),
        json!({"op": "commit", "expected_cycle": -3}),
        json!({"op": "batch", "ops": [], "expected_cycle": 7}),
        json!({"op": "batch", "ops": [{"op": "add"}], "expected_cycle": 0}),
        json!({"op": "batch", "ops": [{"op": "add"}, {"op": "commit", "expected_cycle": 9}]}),
    ] {
        let words = "the store is at cycle 1, not";
        let error = check_line(&db, &request.to_string(), "E_CONFLICT", words);
        assert_eq!(error["cycle"], 1, "{request}");
    }
    let cases = [
        (json!({"op": "restore", "at": "@c1"}), "commit or undo them, or discard them"),
        (json!({"op": "attempt", "action": "finish", "attempt_id": "a0"}), "has ended already"),
    ];
    check(&db, &cases, "E_CONFLICT");
    let cases = [
        (
            json!({"op": "restore", "at": "@c9"}),
            "@c9 is no snapshot of this store: it has @c1 to @c1",
        ),
        (json!({"op": "restore", "at": "@t-1"}), "@t-1 is no snapshot"),
        (json!({"op": "export", "at": "@c0"}), "@c0"),
        (json!({"op": "export", "at": "@t+1"}), "@t+1"),
        (json!({"op": "thread", "at": "@t-99"}), "@t-99"),
    ];
    check(&db, &cases, "E_SNAPSHOT_NOT_FOUND");
    let empty = Options::new().clock(1000).create_on(Memory::default()).unwrap();
    let cases = [(json!({"op": "export", "at": "@t0"}), "it has none before its first commit")];
    check(&empty, &cases, "E_SNAPSHOT_NOT_FOUND");
}

#[test]
fn selectors_of_edits() {
    let cases = [
        (json!({"op": "set", "target": "@t0 #u2", "ttl": 1}), "time"),
        (json!({"op": "add", "to": "@c1 ^ah"}), "time"),
        (json!({"op": "set", "target": "(d0,end)", "ttl": 1}), ""),
        (json!({"op": "move", "target": "#u2", "to": "(d0,end)"}), "only an add takes one"),
        (json!({"op": "remove", "target": ""}), ""),
        (json!({"op": "remove", "target": "#u2 >"}), ""),
        (json!({"op": "add", "to": "[["}), ""),
        (json!({"op": "restore", "at": "@c1..@c2"}), ""),
        (json!({"op": "restore", "at": "@*"}), "give an address such as @c4"),
        (json!({"op": "export", "at": "yesterday"}), ""),
    ];
    let db = furnished();
    check(&db, &cases, "E_SELECTOR_INVALID");
    let error =
        check_line(&db, r#"{"op":"remove","target":"^ah > > .cb"}"#, "E_SELECTOR_INVALID", "");
    assert!(error["span"].is_array(), "it says where: {error}");
}

/// A document whose `^ah` holds these children.
fn document(children: Value) -> Value {
    json!({"root": {"id": "root", "children": [{"id": "ah", "nodeType": "^ah", "children": children}]}})
}

#[test]
fn documents_that_are_refused() {
    let db = committed();
    let node = "$.root.children[0].children[0]";
    let at = |name: &str| format!("{node}.{name}");
    let with = |name: &str, value: Value| {
        let mut block = json!({"id": "b"});
        block[name] = value;
        document(json!([block]))
    };
    let container = |name: &str, value: Value| {
        let mut container = json!({"id": "c", "offset": 1, "children": []});
        container[name] = value;
        document(json!([container]))
    };
    let region = |name: &str, value: Value| {
        let mut document = document(json!([]));
        document["root"]["children"][0][name] = value;
        document
    };
    let long = "x".repeat(513);
    let mut nested = json!({"id": "n64", "children": [{"id": "too deep"}]});
    for level in (1..64).rev() {
        nested = json!({"id": format!("n{level}"), "offset": 1, "children": [nested]});
    }
    let cases = [
        (json!([]), "$".to_owned(), "a snapshot is an object, not a list"),
        (json!({}), "$".to_owned(), "the snapshot has no \"root\" object"),
        (json!({"root": 1}), "$.root".to_owned(), "a node is an object, not an integer"),
        (json!({"cycle": -1, "root": {}}), "$.cycle".to_owned(), "an integer from 0 to"),
        (json!({"cycle": "7", "root": {}}), "$.cycle".to_owned(), "not \"7\""),
        (json!({"root": {"nodeType": "^ah"}}), "$.root".to_owned(), "expected ^root"),
        (json!({"root": {"children": {}}}), "$.root.children".to_owned(), "expected a list"),
        (
            json!({"root": {"children": [{"id": "b"}]}}),
            "$.root.children[0]".to_owned(),
            "one of ^sys",
        ),
        (
            json!({"root": {"children": [{"id": "m", "nodeType": "mt"}]}}),
            "$.root.children[0]".to_owned(),
            "mt cannot stand here: expected one of ^sys, ^seq, ^ah",
        ),
        (
            json!({"root": {"children": [
                {"id": "a", "nodeType": "^ah"}, {"id": "b", "nodeType": "^ah"}]}}),
            "$.root.children[1]".to_owned(),
            "^ah is there twice: merge the two",
        ),
        (
            json!({"root": {"children": [{"id": "q", "nodeType": "^seq", "children": [{"id": "b"}]}]}}),
            "$.root.children[0].children[0]".to_owned(),
            "expected a turn (mt or seg)",
        ),
        (json!({"root": {"id": ""}}), "$.root.id".to_owned(), "an id cannot be empty"),
        (
            document(json!([{"id": "t", "nodeType": "mt"}])),
            node.to_owned(),
            "a container or a block",
        ),
        (
            document(json!([{"id": "t", "nodeType": "^sys"}])),
            node.to_owned(),
            "^sys cannot stand here",
        ),
        (document(json!(["b"])), node.to_owned(), "a node is an object, not a string"),
        (document(json!([{"content": "x"}])), node.to_owned(), "the node needs an \"id\""),
        (document(json!([{"id": "ah"}])), at("id"), "the id ah is there twice: rename one"),
        (document(json!([{"id": ""}])), at("id"), "an id cannot be empty"),
        (document(json!([{"id": 4}])), at("id"), "expected a string, found 4"),
        (
            document(json!([{"id": "a", "nodeType": "mc"}, {"id": "b", "nodeType": "mc"}])),
            "$.root.children[0]".to_owned(),
            "b is a second container at offset 0: give it another",
        ),
        (
            document(json!([{"id": "b", "nodeType": "cb", "children": [{"id": "c"}]}])),
            node.to_owned(),
            "a block has no children: make it a container",
        ),
        (with("content_hash", json!("00")), at("content_hash"), "correct or leave it out"),
        (with("content_hash", json!(5)), at("content_hash"), "expected a string, found 5"),
        (with("nodeType", json!(5)), at("nodeType"), "expected a string"),
        (with("offset", json!("1")), at("offset"), "expected an integer from"),
        (with("offset", json!(null)), at("offset"), "found null"),
        (with("ttl", json!(-1)), at("ttl"), "expected an integer from 0 to"),
        (with("ttl", json!(1.0)), at("ttl"), "found 1.0"),
        (with("priority", json!({})), at("priority"), "expected an integer"),
        (with("cycle", json!(-1)), at("cycle"), "expected an integer from 0"),
        (with("created_at_ns", json!("0")), at("created_at_ns"), "expected an integer"),
        (with("created_at_ns", json!(i64::MAX)), at("created_at_ns"), "to 9000000000000000000"),
        (with("created_at_iso", json!(0)), at("created_at_iso"), "expected a string"),
        (with("creation_index", json!(-1)), at("creation_index"), "expected an integer from 0"),
        (with("role", json!(1)), at("role"), "expected a string"),
        (with("key", json!(long)), at("key"), "is longer than 512 bytes"),
        (with("tags", json!("t")), at("tags"), "expected a list of strings"),
        (with("refs", json!([1])), at("refs"), "expected a list of short strings"),
        (with("pinned", json!(1)), at("pinned"), "expected true or false"),
        (with("cad", json!(0)), at("cad"), "expected an integer from 1"),
        (with("removable", json!(true)), at("removable"), "only containers can be removable"),
        (with(&long, json!(1)), node.to_owned(), "is longer than 512 bytes"),
        (container("cad", json!(1)), at("cad"), "only blocks come back"),
        (container("content_hash", json!("00")), at("content_hash"), "only blocks have one"),
        (region("ttl", json!(1)), "$.root.children[0].ttl".to_owned(), "regions never expire"),
        (
            region("offset", json!(1)),
            "$.root.children[0].offset".to_owned(),
            "regions and turns are at 0",
        ),
        (region("priority", json!(1)), "$.root.children[0].priority".to_owned(), "regions have 0"),
    ];
    for (snapshot, path, words) in cases {
        let request = json!({"op": "import", "snapshot": snapshot}).to_string();
        let error = check_line(&db, &request, "E_IMPORT_INVALID", words);
        assert_eq!(error["path"], path.as_str(), "{request}");
    }
    let deep = document(json!([nested]));
    let request = json!({"op": "import", "snapshot": deep}).to_string();
    check_line(&db, &request, "E_IMPORT_INVALID", "at most 64 levels deep");
    let brackets = "[".repeat(101) + &"]".repeat(101);
    for name in ["content", "data_x"] {
        let value: Value = serde_json::from_str(&brackets).unwrap();
        let request = json!({"op": "import", "snapshot": with(name, value)}).to_string();
        let error = check_line(&db, &request, "E_IMPORT_INVALID", "deeper than 100 levels");
        assert_eq!(error["path"], at(name).as_str());
    }
}

/// An import of messages once kept the turns before a message that could not be added.
#[test]
fn messages_that_are_refused_leave_none_of_the_others() {
    let db = committed();
    let brackets = "[".repeat(101) + &"]".repeat(101);
    let deep: Value = serde_json::from_str(&brackets).unwrap();
    let good = json!({"role": "user", "content": "hello"});
    for (bad, words) in [
        (json!("hello"), "message 3: a message is an object, not a string"),
        (json!({"content": "hello"}), "message 3: it needs a \"role\""),
        (json!({"role": 1}), "message 3: its role is a string, not an integer"),
        (json!({"role": null}), "message 3"),
        (json!({"role": "x".repeat(513)}), "its role has more than 512 bytes"),
        (json!({"role": "user", "content": deep}), "message 3: lists and objects nest deeper"),
    ] {
        let request = json!({"op": "import", "messages": [good, good, bad, good]}).to_string();
        let error = check_line(&db, &request, "E_IMPORT_INVALID", words);
        assert_eq!(error["path"], "$[2]");
    }
    let many = vec![json!({"role": "tool"}); 100_000];
    let messages: Vec<Value> = [good.clone(), good].into_iter().chain(many).collect();
    let request = json!({"op": "import", "messages": messages}).to_string();
    check_line(&db, &request, "E_LIMIT", "too many messages in one turn, or in all: split it");
}

#[test]
fn imports_that_do_not_fit_the_store() {
    let empty = document(json!([]));
    let words = "uncommitted edits: commit or undo them before the import";
    let cases = [
        (json!({"op": "import", "snapshot": empty}), words),
        (json!({"op": "import", "messages": [{"role": "user"}]}), words),
    ];
    check(&furnished(), &cases, "E_IMPORT_CONFLICT");
    let db = committed();
    for cycle in [1, 2] {
        let mut snapshot = empty.clone();
        snapshot["cycle"] = json!(cycle);
        let words = "and the store has cycle 2 already: give a later one, or none";
        check(&db, &[(json!({"op": "import", "snapshot": snapshot}), words)], "E_IMPORT_CONFLICT");
    }
    let mut last = empty;
    last["cycle"] = json!(1i64 << 52);
    ok(&db, json!({"op": "import", "snapshot": last}));
    check(&db, &[(json!({"op": "commit"}), "is the last one: start a new store")], "E_LIMIT");
    let messages = json!({"op": "import", "messages": [{"role": "user"}]});
    check(&db, &[(messages, "split it")], "E_LIMIT");
}

fn refused(result: Result<Db, Error>, code: Code, words: &str) -> Error {
    let error = result.expect_err("it must be refused");
    assert_eq!(error.code, code, "{error}");
    assert!(error.message.contains(words), "\"{error}\" does not say \"{words}\"");
    error
}

#[test]
fn files_that_are_no_stores_are_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let other = Memory::default();
    drop(redb::Builder::new().create_with_backend(other.clone()).unwrap());
    for (name, bytes, words) in [
        ("notes.txt", b"some notes".to_vec(), "is not a pactdb store"),
        ("short", b"redb".to_vec(), "is not a pactdb store"),
        ("empty", Vec::new(), "is not a pactdb store"),
        ("other.redb", other.bytes(), "but not a pactdb store"),
    ] {
        let path = file(name, &bytes);
        refused(Db::open(&path), Code::StoreFormat, words);
        if name != "other.redb" {
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "{name}");
        }
    }
    let path = file("notes.txt", b"some notes");
    refused(Db::create(&path, Generation::V0_1), Code::StoreFormat, "exists already");
    assert_eq!(std::fs::read(&path).unwrap(), b"some notes");
    refused(Db::open(folder.path().join("nothing")), Code::StoreIo, "nothing: ");
    refused(Db::open(folder.path()), Code::StoreIo, "");
    let missing = folder.path().join("no folder").join("a.pactdb");
    refused(Db::create(missing, Generation::V0_1), Code::StoreIo, "a.pactdb: ");
}

#[test]
fn a_newer_format_is_refused() {
    let storage = Memory::default();
    drop(Options::new().clock(1000).create_on(storage.clone()).unwrap());
    let db = redb::Builder::new().create_with_backend(storage.clone()).unwrap();
    let txn = db.begin_write().unwrap();
    let meta = redb::TableDefinition::<&str, &[u8]>::new("meta");
    txn.open_table(meta).unwrap().insert("format", 99u32.to_le_bytes().as_slice()).unwrap();
    txn.commit().unwrap();
    drop(db);
    let error = Options::new().open_on(storage).map(|_| ()).unwrap_err();
    assert_eq!(error.code, Code::StoreFormat);
    assert!(error.message.contains("has format 99") && error.message.contains("use a newer one"));
}

#[test]
fn a_store_that_is_open_is_locked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.pactdb");
    let db = Db::create(&path, Generation::V0_1).unwrap();
    let error = refused(Db::open(&path), Code::StoreLocked, "memory.pactdb");
    if let Some(holder) = error.details.holder {
        assert_eq!(holder, std::process::id());
    }
    ok(&db, json!({"op": "add", "id": "a"}));
    drop(db);
    assert!(Db::open(&path).unwrap().export(None).unwrap().contains("\"id\":\"a\""));
}

#[test]
fn a_damaged_record_is_named() {
    let storage = Memory::default();
    let db = Options::new().clock(1000).create_on(storage.clone()).unwrap();
    ok(&db, json!({"op": "add", "id": "a", "content": "hello"}));
    ok(&db, json!({"op": "commit"}));
    drop(db);
    let file = redb::Builder::new().create_with_backend(storage.clone()).unwrap();
    let txn = file.begin_write().unwrap();
    {
        let log = redb::TableDefinition::<(u64, u32), &[u8]>::new("log");
        let mut log = txn.open_table(log).unwrap();
        let mut row = log.get((2, 1)).unwrap().unwrap().value().to_vec();
        row[1] ^= 1;
        log.insert((2, 1), row.as_slice()).unwrap();
    }
    txn.commit().unwrap();
    drop(file);
    let db = Options::new().clock(1000).open_on(storage).unwrap();
    for request in [r#"{"op":"export"}"#, r#"{"op":"thread"}"#, r#"{"op":"verify"}"#] {
        let reply = ask(&db, request);
        assert_eq!(reply["error"]["code"], "E_LOG_CORRUPT", "{request}: {reply}");
        let message = reply["error"]["message"].as_str().unwrap();
        assert!(message.contains("event 2"), "{message}");
    }
}
