//! Refused values: names, headers and the bounds of the engine.

use super::*;

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
