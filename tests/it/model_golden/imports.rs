//! R9.3, R9.4, R1.5: snapshots and flat logs coming in.

use serde_json::json;

use super::*;

#[test]
fn what_a_document_leaves_out() {
    let mut m = store();
    let document = json!({"cycle": 7, "root": {"children": [
        {"id": "q", "nodeType": "^seq", "children": [
            {"id": "t", "nodeType": "mt", "ttl": 2, "children": [{"id": "b", "tags": [], "pinned": false, "odd": null}, {"id": "a"}]}
        ]}
    ]}});
    assert_eq!(ok(&mut m, json!({"op": "import", "snapshot": document})), json!({"cycle": 7}));
    // Order is that of the arrays; the missing regions are those of a new store.
    assert_eq!(sketch(&mut m, None), "sys q(t(b a)) ah");
    let b = node(&mut m, None, "b").unwrap();
    assert_eq!(
        (&b["nodeType"], &b["cycle"], &b["creation_index"]),
        (&json!("cb"), &json!(7), &json!(3))
    );
    assert_eq!((b.get("tags"), b.get("pinned"), &b["odd"]), (None, None, &json!(null)));
    let sys = node(&mut m, None, "sys").unwrap();
    assert_eq!((&sys["cycle"], &sys["creation_index"]), (&json!(0), &json!(1)));
    assert!(m.survives_round_trip(None));
    assert_eq!(commit(&mut m)["turn"], "mt:8");
    assert_eq!(commit(&mut m)["expired"], json!(["t"]));
}

#[test]
fn documents_that_are_refused() {
    let ah = |children: Value| json!({"snapshot": {"root": {"children": [{"id": "h", "nodeType": "^ah", "children": children}]}}});
    let core = |id: &str| json!({"id": id, "nodeType": "mc"});
    for (mut request, codes) in [
        (ah(json!([core("a"), core("b")])), "E_IMPORT_INVALID"),
        (ah(json!([{"id": "a"}, {"id": "a"}])), "E_IMPORT_INVALID"),
        (ah(json!([{"content": "no id"}])), "E_IMPORT_INVALID"),
        (ah(json!([{"id": "a", "ttl": "x"}])), "E_IMPORT_INVALID"),
        (ah(json!([{"id": "a", "nodeType": "^sys"}])), "E_IMPORT_INVALID"),
        (ah(json!([{"id": "a", "nodeType": "mt"}])), "E_IMPORT_INVALID"),
        (ah(json!([{"id": "a", "content_hash": "00"}])), "E_IMPORT_INVALID"),
        (ah(json!([{"id": "a", "nodeType": "cb", "children": [{"id": "b"}]}])), "E_IMPORT_INVALID"),
        (json!({"snapshot": {"root": {"children": [{"id": "a"}]}}}), "E_IMPORT_INVALID"),
        (json!({"snapshot": {}}), "E_IMPORT_INVALID"),
        (json!({"snapshot": {"cycle": 1, "root": {}}}), "E_IMPORT_CONFLICT"),
        (json!({"messages": [{"content": "x"}]}), "E_IMPORT_INVALID"),
        (json!({}), "E_REQUEST_INVALID"),
    ] {
        let mut m = store();
        commit(&mut m);
        request["op"] = json!("import");
        assert_eq!(refused(&mut m, request.clone()), codes, "{request}");
    }
    let mut m = store();
    ok(&mut m, json!({"op": "add"}));
    assert_eq!(
        refused(&mut m, json!({"op": "import", "snapshot": {"root": {}}})),
        "E_IMPORT_CONFLICT"
    );
}

#[test]
fn an_implied_core_moves_into_a_real_one() {
    let head = json!({"root": {"children": [{"id": "h", "nodeType": "^ah", "children": [
        {"id": "a"}, {"id": "p", "offset": -1}, {"id": "b"}
    ]}]}});
    let mut m = store();
    ok(&mut m, json!({"op": "import", "snapshot": head}));
    assert_eq!(sketch(&mut m, None), "sys seq h(p@-1 a b)");
    let mut sealed = m.clone();
    commit(&mut sealed);
    assert_eq!(sketch(&mut sealed, None), "sys seq(mt:2(p@-1 mc:2(a b))) h");
    let mut edited = m.clone();
    ok(&mut edited, json!({"op": "add", "id": "c"}));
    assert_eq!(sketch(&mut edited, None), "sys seq h(p@-1 mc:2(a b c))");
    ok(&mut m, json!({"op": "add", "id": "k", "container": true}));
    assert_eq!(sketch(&mut m, None), "sys seq h(p@-1 k(a b))");
}

#[test]
fn an_implied_core_of_a_turn_is_sealed_too() {
    let mut m = store();
    let turn =
        json!({"id": "t", "nodeType": "mt", "children": [{"id": "a"}, {"id": "b", "offset": 1}]});
    ok(
        &mut m,
        json!({"op": "import", "snapshot": {"root": {"children": [{"id": "s", "nodeType": "^seq", "children": [turn]}]}}}),
    );
    assert_eq!(refused(&mut m, json!({"op": "remove", "target": "#a"})), "E_SEALED");
    assert_eq!(refused(&mut m, json!({"op": "add", "to": "#t"})), "E_SEALED");
    ok(&mut m, json!({"op": "remove", "target": "#b"}));
}

#[test]
fn taken_turn_names_get_a_number() {
    let mut m = store();
    let root = json!({"children": [{"id": "mt:2", "nodeType": "^sys", "children": [{"id": "mt:2-2"}, {"id": "mc:2"}]}]});
    ok(&mut m, json!({"op": "import", "snapshot": {"root": root}}));
    assert_eq!(commit(&mut m)["turn"], "mt:2-3");
    assert!(node(&mut m, None, "mc:2-2").is_some());
}

#[test]
fn a_known_id_is_that_node_continued() {
    let mut m = store();
    ok(&mut m, json!({"op": "add", "to": "^sys", "id": "a", "created_at_ns": 500}));
    commit(&mut m);
    let mut document = ok(&mut m, json!({"op": "export"}));
    document["cycle"] = json!(4);
    ok(&mut m, json!({"op": "import", "snapshot": document}));
    assert_eq!(m.cycles(), [1, 4]);
    assert_eq!(
        ok(&mut m, json!({"op": "diff", "a": "@c1", "b": "@c4"})),
        json!({"added": [], "removed": [], "changed": []})
    );
    ok(&mut m, json!({"op": "add", "id": "b", "created_at_ns": 3}));
    // The core took the next time after the turn's, the block the one after.
    assert_eq!(node(&mut m, None, "b").unwrap()["created_at_ns"], 504);
}

#[test]
fn a_flat_log_commits_before_each_later_user_message() {
    let mut m = store();
    let say = |role: &str| json!({"role": role, "content": role});
    let log = json!([say("user"), say("system"), say("assistant"), say("user"), {"tag": "user", "content": 1}]);
    assert_eq!(
        ok(&mut m, json!({"op": "import", "messages": log, "created_at_ns": 70})),
        json!({"cycle": 3})
    );
    assert_eq!(
        sketch(&mut m, None),
        "sys(cb:z2) seq(mt:1(mc:1(cb:z1 cb:z3)) mt:2(mc:2(cb:z4)) mt:3(mc:3(cb:z5))) ah"
    );
    assert_eq!(node(&mut m, None, "mc:1").unwrap()["created_at_ns"], 70);
    assert_eq!(ok(&mut m, json!({"op": "import", "messages": []})), json!({"cycle": 4}));
}
