//! Refused requests: what is malformed, what comes too late, and what names no time or node.

use super::*;

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
        (json!({"op": "policy", "set": [{"max_edges": 1}]}), "a policy does not know 'max_edges'"),
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
        (json!({"op": "move", "target": "#u2", "to": "(d0,end)"}), "for new nodes only"),
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
