//! Refused imports: documents and messages that break a rule, or do not fit the store.

use super::*;

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
