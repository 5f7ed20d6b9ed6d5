//! Diffs are complete (R14.1): every header, in the order of the rule, and nothing said twice.

use super::*;

/// The fields that an import changes, by giving every node of a small document these headers.
fn fields(before: Value, after: Value) -> Value {
    let db = store();
    for (cycle, headers) in [(1, before), (2, after)] {
        let mut block = json!({"id": "a", "nodeType": "cb", "creation_index": 7, "cycle": 1});
        let mut container = json!({"id": "b", "nodeType": "mc", "children": [], "offset": 1, "creation_index": 8, "cycle": 1});
        for (name, value) in headers["block"].as_object().into_iter().flatten() {
            block[name] = value.clone();
        }
        for (name, value) in headers["container"].as_object().into_iter().flatten() {
            container[name] = value.clone();
        }
        let head = json!({"id": "ah", "nodeType": "^ah", "children": [block, container]});
        ok(
            &db,
            json!({"op": "import", "snapshot": {"cycle": cycle, "root": {"children": [head]}}}),
        );
    }
    let changed = |reply: Value| {
        let list = reply["changed"].as_array().unwrap().clone();
        let pairs =
            list.iter().map(|it| (it["id"].as_str().unwrap().to_owned(), it["fields"].clone()));
        Value::Object(pairs.collect())
    };
    let by_diff =
        changed(ok(&db, json!({"op": "diff", "a": "@c1", "b": "@c2", "q": "[id='a'], [id='b']"})));
    let range = ok(&db, json!({"op": "select", "q": "@c1..@c2 [id='a'], [id='b']"}));
    assert_eq!(by_diff, changed(range["diffs"][0].clone()));
    by_diff
}

#[test]
fn every_header_is_tracked_in_the_order_of_the_rule() {
    let after = json!({"block": {
        "ttl": 3, "priority": 1, "offset": 2, "nodeType": "note", "role": "user", "kind": "k", "key": "key",
        "tags": ["t"], "cad": 2, "pinned": true, "refs": ["a"], "mime": "m", "encoding": "e", "content": "c",
        "provenance": "p", "cycle": 2, "created_at_ns": 5, "created_at_iso": "when", "creation_index": 9,
        "data_z": 1, "any": 2,
    }, "container": {"removable": true, "content": {"x": 1}, "created_at_iso": "when"}});
    assert_eq!(
        fields(json!({}), after),
        json!({
            "a": ["ttl", "priority", "offset", "nodeType", "role", "kind", "key", "tags", "cad", "pinned", "refs",
                  "mime", "encoding", "content_hash", "provenance", "cycle", "created_at_ns", "creation_index", "any", "data_z"],
            "b": ["content", "removable", "created_at_iso"],
        })
    );
}

#[test]
fn a_content_is_named_where_its_hash_is_not() {
    // An empty text hashes like none, and a container has no hash.
    let empty = fields(json!({}), json!({"block": {"content": ""}}));
    assert_eq!(empty, json!({"a": ["content"]}));
    let said = fields(json!({"block": {"content": "x"}}), json!({"block": {"content": "y"}}));
    assert_eq!(said, json!({"a": ["content_hash"]}));
    let container = fields(
        json!({"container": {"content": "x", "data_n": 1}}),
        json!({"container": {"content": "x", "data_n": 2}}),
    );
    assert_eq!(container, json!({"b": ["data_n"]}));
}

#[test]
fn values_are_equal_if_their_canonical_texts_are() {
    let nothing = fields(json!({"block": {"x": null}}), json!({"block": {}}));
    assert_eq!(nothing, json!({}), "a null attribute is like none");
    let zeros = fields(json!({"block": {"x": 0.0}}), json!({"block": {"x": -0.0}}));
    assert_eq!(zeros, json!({"a": ["x"]}));
    let order = fields(
        json!({"block": {"x": {"a": 1, "b": 2}}}),
        json!({"block": {"x": {"b": 2, "a": 1}}}),
    );
    assert_eq!(order, json!({}));
}

#[test]
fn a_content_diff_needs_a_changed_hash() {
    let db = store();
    ok(&db, json!({"op": "add", "to": "^sys", "id": "a"}));
    ok(&db, json!({"op": "commit"}));
    ok(&db, json!({"op": "set", "target": "#a", "content": ""}));
    ok(&db, json!({"op": "commit"}));
    let options = json!({"includeContent": true});
    let request = json!({"op": "select", "q": "@c1..@c2 #a", "options": options});
    let changed = ok(&db, request)["diffs"][0]["changed"][0].clone();
    assert_eq!(changed["fields"], json!(["content"]));
    assert_eq!(changed["delta"], json!({"content": {"from": "", "to": null}}));
    assert!(changed.get("content_diff").is_none(), "{changed}");
}
