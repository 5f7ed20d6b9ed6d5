//! Where nodes may go: regions (R14.4), places that may be missing (R14.8), and types (R14.9).

use super::*;

#[test]
fn what_is_committed_stays_in_its_region() {
    let db = store();
    ok(&db, json!({"op": "add", "to": "^sys", "id": "s"}));
    ok(&db, json!({"op": "add", "to": "^sys", "id": "box", "container": true}));
    ok(&db, json!({"op": "add", "to": "#box", "id": "inner"}));
    ok(&db, json!({"op": "add", "id": "u", "offset": 1}));
    ok(&db, json!({"op": "add", "id": "free"}));
    ok(&db, json!({"op": "move", "target": "#free", "to": "^sys"}));
    ok(&db, json!({"op": "move", "target": "#free", "to": "^ah", "offset": 2}));
    ok(&db, json!({"op": "commit"}));
    for to in ["^ah", "#mt:1"] {
        for target in ["#s", "#box", "#inner", "#s, #inner"] {
            let request = json!({"op": "move", "target": target, "to": to, "offset": 1});
            let reply = ask(&db, request.clone());
            let message = reply["error"]["message"].as_str().unwrap_or_default();
            assert!(message.contains("add a new node"), "{request}: {reply}");
            assert_eq!(refused(&db, request), "E_PLACEMENT");
        }
    }
    assert!(
        ["E_PLACEMENT", "E_SEALED"]
            .contains(&&*refused(&db, json!({"op": "move", "target": "#u", "to": "^sys"})))
    );
    ok(&db, json!({"op": "move", "target": "#s", "to": "#box"}));
    ok(&db, json!({"op": "add", "to": "^sys", "id": "shell", "container": true}));
    ok(&db, json!({"op": "move", "target": "#inner", "to": "#shell"}));
    let mixed = json!({"op": "move", "target": "#shell", "to": "^ah", "offset": 3});
    assert_eq!(refused(&db, mixed), "E_PLACEMENT");
    ok(&db, json!({"op": "move", "target": "#inner", "to": "^sys"}));
    ok(&db, json!({"op": "move", "target": "#shell", "to": "^ah", "offset": 3}));
    ok(&db, json!({"op": "move", "target": "#shell", "to": "#mt:1"}));
}

#[test]
fn a_type_is_identifiers_joined_by_colons_and_dots() {
    let db = store();
    for good in ["note", "cb:note", "log.entry", "a_b-c:D1.x", "custom:note", "1", "mc:x", "_"] {
        let id = ok(&db, json!({"op": "add", "type": good, "offset": 1}))["id"].clone();
        assert_eq!(node(&db, id.as_str().unwrap())["nodeType"], good);
    }
    for bad in
        ["a b", "a::b", ":a", "a.", ".", "caf\u{e9}", "cb:\u{e9}", "a/b", "a'b", "", "a\n", "^x"]
    {
        assert_eq!(refused(&db, json!({"op": "add", "type": bad})), "E_ATTR_INVALID", "{bad}");
    }
    ok(&db, json!({"op": "undo"}));
    let free = store();
    let head = json!({"id": "ah", "nodeType": "^ah", "children": [{"id": "x", "nodeType": "any thing \u{e9}"}]});
    ok(&free, json!({"op": "import", "snapshot": {"root": {"children": [head]}}}));
    assert_eq!(node(&free, "x")["nodeType"], "any thing \u{e9}", "imports keep what they bring");
}

#[test]
fn a_place_that_ends_in_a_question_mark_may_be_missing() {
    let db = store();
    ok(&db, json!({"op": "add", "id": "box", "container": true, "offset": 1}));
    ok(&db, json!({"op": "add", "id": "a"}));
    let before = (db.export(None).unwrap(), db.stats().unwrap().events);
    for request in [
        json!({"op": "add", "to": "#none?", "id": "x"}),
        json!({"op": "add", "to": "#none ?", "ttl": -1, "id": "a", "refs": ["nobody"]}),
        json!({"op": "add", "to": "(d5, mc, +1)?"}),
        json!({"op": "add", "to": "(d0, 0, 7)?"}),
    ] {
        assert_eq!(ok(&db, request), json!({"id": null}));
    }
    for request in [
        json!({"op": "move", "target": "#a", "to": "#none?"}),
        json!({"op": "move", "target": "^ah", "to": "#none?", "offset": 3}),
        json!({"op": "move", "target": "#none?", "to": "#none?"}),
    ] {
        assert_eq!(ok(&db, request), json!({"ids": []}));
    }
    assert_eq!(before, (db.export(None).unwrap(), db.stats().unwrap().events));
    for (request, code) in [
        (json!({"op": "add", "to": "#none?", "colour": 1}), "E_REQUEST_INVALID"),
        (json!({"op": "add", "to": "#box, #a?"}), "E_AMBIGUOUS"),
        (json!({"op": "add", "to": "(d0, mc[offset=0], +9)?"}), "E_NODE_NOT_FOUND"),
        (json!({"op": "move", "target": "#none", "to": "#none?"}), "E_NODE_NOT_FOUND"),
        (json!({"op": "move", "target": "#a", "to": "#box, ^ah?"}), "E_AMBIGUOUS"),
        (json!({"op": "add", "to": "#a?"}), "E_PARENT_NOT_CONTAINER"),
        (json!({"op": "add", "to": "@t0 ^ah?"}), "E_SELECTOR_INVALID"),
    ] {
        assert_eq!(refused(&db, request), code);
    }
    ok(&db, json!({"op": "move", "target": "#a", "to": "#box?"}));
    assert_eq!(node(&db, "a")["parent"], "box");
    let batch = json!({"op": "batch", "ops": [
        {"op": "add", "to": "#none?", "id": "no"}, {"op": "add", "to": "#box?", "id": "yes"},
    ]});
    assert_eq!(ok(&db, batch), json!({"results": [{"id": null}, {"id": "yes"}]}));
}
