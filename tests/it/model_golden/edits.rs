//! R1–R3: adding, setting, moving and removing.

use serde_json::json;

use super::*;

#[test]
fn the_head_makes_a_core_when_it_is_needed() {
    let mut m = store();
    ok(&mut m, json!({"op": "add", "id": "p", "offset": -1}));
    assert_eq!(sketch(&mut m, None), "sys seq ah(p@-1)");
    ok(&mut m, json!({"op": "add", "id": "a", "created_at_ns": 100}));
    let core = node(&mut m, None, "mc:1").unwrap();
    let block = node(&mut m, None, "a").unwrap();
    assert_eq!(sketch(&mut m, None), "sys seq ah(p@-1 mc:1(a))");
    assert_eq!((&core["created_at_ns"], &core["creation_index"]), (&json!(100), &json!(1)));
    assert_eq!((&block["created_at_ns"], &block["creation_index"]), (&json!(101), &json!(2)));
    assert_eq!(refused(&mut m, json!({"op": "add", "container": true})), "E_PLACEMENT");
    ok(&mut m, json!({"op": "add", "container": true, "offset": 2, "id": "g"}));
    ok(&mut m, json!({"op": "add", "to": "#g", "id": "b"}));
    assert_eq!(sketch(&mut m, None), "sys seq ah(p@-1 mc:1(a) g@2(b))");
}

#[test]
fn a_given_container_at_0_is_the_core() {
    let mut m = store();
    ok(&mut m, json!({"op": "add", "id": "k", "type": "mc:plan"}));
    ok(&mut m, json!({"op": "add", "id": "a"}));
    let reply = commit(&mut m);
    assert_eq!(reply["turn"], "mt:1");
    assert_eq!(sketch(&mut m, None), "sys seq(mt:1(k(a))) ah");
}

#[test]
fn wrong_adds_are_refused() {
    let mut m = store();
    ok(&mut m, json!({"op": "add", "id": "a", "key": "k"}));
    commit(&mut m);
    for (request, codes) in [
        (json!({"op": "add", "id": "a"}), "E_NODE_EXISTS"),
        (json!({"op": "add", "id": "mt:9"}), "E_ATTR_RESERVED"),
        (json!({"op": "add", "id": "cont:9"}), "E_ATTR_RESERVED"),
        (json!({"op": "add", "to": "#nobody"}), "E_INVALID_PARENT"),
        (json!({"op": "add", "to": "^sys, ^ah"}), "E_AMBIGUOUS"),
        (json!({"op": "add", "to": "#a"}), "E_PARENT_NOT_CONTAINER"),
        (json!({"op": "add", "to": "^root"}), "E_PLACEMENT"),
        (json!({"op": "add", "to": "^seq"}), "E_PLACEMENT"),
        (json!({"op": "add", "to": "@t0 ^ah"}), "E_SELECTOR_INVALID"),
        (json!({"op": "add", "to": "#'mt:1'"}), "E_SEALED"),
        (json!({"op": "add", "to": "#'mt:1'", "container": true}), "E_SEALED E_PLACEMENT"),
        (json!({"op": "add", "to": "(d1, 0)"}), "E_SEALED"),
        (json!({"op": "add", "type": "mt"}), "E_PLACEMENT"),
        (json!({"op": "add", "type": "cb", "container": true}), "E_ATTR_INVALID"),
        (json!({"op": "add", "ttl": -1}), "E_ATTR_INVALID"),
        (json!({"op": "add", "ttl": 1.5}), "E_ATTR_INVALID"),
        (json!({"op": "add", "cad": 1}), "E_ATTR_INVALID"),
        (json!({"op": "add", "cad": 0, "key": "x"}), "E_ATTR_INVALID"),
        (json!({"op": "add", "removable": true}), "E_ATTR_INVALID"),
        (json!({"op": "add", "refs": ["nobody"]}), "E_NODE_NOT_FOUND"),
        (json!({"op": "add", "id": "me", "refs": ["me"]}), "E_NODE_NOT_FOUND"),
        (json!({"op": "add", "attrs": {"plain": 1}}), "E_ATTR_NAMESPACE"),
        (json!({"op": "add", "attrs": {"content_hash": "x"}}), "E_ATTR_RESERVED"),
        (json!({"op": "add", "colour": "red"}), "E_REQUEST_INVALID"),
        (json!({"op": "sing"}), "E_REQUEST_INVALID"),
    ] {
        assert_eq!(refused(&mut m, request.clone()), codes, "{request}");
    }
}

#[test]
fn what_is_sealed_stays() {
    let mut m = store();
    ok(&mut m, json!({"op": "add", "id": "a"}));
    ok(&mut m, json!({"op": "add", "id": "post", "offset": 1}));
    commit(&mut m);
    assert_eq!(refused(&mut m, json!({"op": "set", "target": "#a", "ttl": 1})), "E_SEALED");
    assert_eq!(refused(&mut m, json!({"op": "set", "target": "^ah", "ttl": 1})), "E_PLACEMENT");
    let to_sys = json!({"op": "move", "target": "#post", "to": "^sys"});
    assert_eq!(refused(&mut m, to_sys), "E_SEALED E_PLACEMENT");
    assert_eq!(refused(&mut m, json!({"op": "remove", "target": "#a"})), "E_SEALED");
    assert_eq!(refused(&mut m, json!({"op": "remove", "target": "#'mc:1'"})), "E_SEALED");
    assert_eq!(refused(&mut m, json!({"op": "remove", "target": "(d1,0)"})), "E_SEALED");
    assert_eq!(refused(&mut m, json!({"op": "remove", "target": "#'mt:1'"})), "E_PLACEMENT");
    ok(&mut m, json!({"op": "add", "to": "#'mt:1'", "offset": 3, "id": "late", "container": true}));
    ok(&mut m, json!({"op": "add", "to": "#late", "id": "in"}));
    ok(&mut m, json!({"op": "set", "target": "#in", "content": "changed"}));
    assert_eq!(
        ok(&mut m, json!({"op": "remove", "target": "#post, #in, #late"})),
        json!({"ids": ["post", "late"]})
    );
    assert_eq!(sketch(&mut m, None), "sys seq(mt:1(mc:1(a))) ah");
}

#[test]
fn moves_follow_the_core_and_refuse_loops() {
    let mut m = store();
    all(
        &mut m,
        &[
            json!({"op": "add", "to": "^sys", "id": "g", "container": true}),
            json!({"op": "add", "to": "#g", "id": "h", "container": true}),
            json!({"op": "add", "to": "#h", "id": "b", "offset": 5}),
        ],
    );
    assert_eq!(
        refused(&mut m, json!({"op": "move", "target": "#g", "to": "#h"})),
        "E_CYCLE_DETECTED"
    );
    assert_eq!(
        refused(&mut m, json!({"op": "move", "target": "^sys", "to": "^ah"})),
        "E_PLACEMENT"
    );
    assert_eq!(
        refused(&mut m, json!({"op": "move", "target": "#b", "to": "(d0,-1)"})),
        "E_SELECTOR_INVALID"
    );
    assert_eq!(
        refused(&mut m, json!({"op": "move", "target": "#b", "to": "#x"})),
        "E_INVALID_PARENT"
    );
    assert_eq!(
        refused(&mut m, json!({"op": "move", "target": "#g", "to": "#b"})),
        "E_CYCLE_DETECTED E_PARENT_NOT_CONTAINER"
    );
    ok(
        &mut m,
        json!({"op": "move", "target": "#b", "to": "^ah", "offset": 0, "created_at_ns": 50}),
    );
    assert_eq!(sketch(&mut m, None), "sys(g(h)) seq ah(mc:1(b))");
    assert_eq!(node(&mut m, None, "mc:1").unwrap()["created_at_ns"], 50);
    ok(&mut m, json!({"op": "move", "target": "#b", "to": "^sys"}));
    assert_eq!(
        ok(&mut m, json!({"op": "move", "target": "#nobody?", "to": "^sys"})),
        json!({"ids": []})
    );
    assert_eq!(sketch(&mut m, None), "sys(g(h) b) seq ah(mc:1)");
}

#[test]
fn references_hold_until_forced() {
    let mut m = store();
    all(
        &mut m,
        &[
            json!({"op": "add", "to": "^sys", "id": "a"}),
            json!({"op": "add", "to": "^sys", "id": "b", "refs": ["a"]}),
            json!({"op": "set", "target": "#a", "refs": ["a"]}),
        ],
    );
    assert_eq!(refused(&mut m, json!({"op": "remove", "target": "#a"})), "E_REFERENCED");
    ok(&mut m, json!({"op": "remove", "target": "#a", "force": true}));
    assert_eq!(node(&mut m, None, "b").unwrap()["refs"], json!(["a"]));
    assert_eq!(refused(&mut m, json!({"op": "add", "id": "a"})), "E_NODE_EXISTS");
}

#[test]
fn setting_null_removes() {
    let mut m = store();
    ok(
        &mut m,
        json!({"op": "add", "to": "^sys", "id": "a", "key": "k", "cad": 2, "ttl": 3, "priority": 4, "tags": ["x"],
               "attrs": {"data_a": 1, "n:b": null}}),
    );
    assert_eq!(
        refused(&mut m, json!({"op": "set", "target": "#a", "key": null})),
        "E_ATTR_INVALID"
    );
    assert_eq!(
        refused(&mut m, json!({"op": "set", "target": "#a", "role": "user"})),
        "E_ATTR_RESERVED"
    );
    assert_eq!(
        refused(&mut m, json!({"op": "set", "target": "#a", "zip": 1})),
        "E_REQUEST_INVALID"
    );
    ok(
        &mut m,
        json!({"op": "set", "target": "{id='a'}", "key": null, "cad": null, "ttl": null, "priority": null, "tags": [],
               "content": false, "attrs": {"data_a": null}}),
    );
    let a = node(&mut m, None, "a").unwrap();
    let names: Vec<&String> = a.as_object().unwrap().keys().collect();
    let rest = [
        "created_at_iso",
        "created_at_ns",
        "creation_index",
        "cycle",
        "id",
        "nodeType",
        "offset",
        "priority",
        "ttl",
    ];
    assert_eq!(names, [&["content", "content_hash"][..], &rest[..]].concat());
    assert_eq!(
        (&a["priority"], &a["ttl"], &a["content"]),
        (&json!(0), &json!(null), &json!(false))
    );
}

#[test]
fn a_hash_names_a_key_in_the_newer_dialect() {
    let mut m = Model::new("1.0");
    all(
        &mut m,
        &[
            json!({"op": "add", "to": "^sys", "id": "x", "key": "k"}),
            json!({"op": "add", "id": "y", "key": "k"}),
            json!({"op": "add", "id": "z", "key": "k"}),
        ],
    );
    assert_eq!(
        refused(&mut m, json!({"op": "set", "target": "#x", "priority": 1})),
        "E_NODE_NOT_FOUND"
    );
    // A pinned key sorts by recency: the head before the header, the newest first.
    assert_eq!(
        ok(&mut m, json!({"op": "set", "target": "#k", "priority": 1})),
        json!({"ids": ["z", "y", "x"]})
    );
    assert_eq!(
        ok(&mut m, json!({"op": "set", "target": "#k, {id='x'}", "priority": 1})),
        json!({"ids": ["x", "y", "z"]})
    );
    assert_eq!(commit(&mut m)["turn"], "seg:1");
}

#[test]
fn a_batch_is_all_or_nothing() {
    let mut m = store();
    let good = json!({"op": "add", "to": "^sys", "id": "a"});
    let bad = json!({"op": "add", "to": "^sys", "id": "a"});
    assert_eq!(refused(&mut m, json!({"op": "batch", "ops": [good, bad]})), "E_NODE_EXISTS");
    assert_eq!(
        refused(&mut m, json!({"op": "batch", "ops": [{"op": "commit"}, good]})),
        "E_REQUEST_INVALID"
    );
    assert_eq!(
        refused(&mut m, json!({"op": "batch", "ops": [good], "expected_cycle": 3})),
        "E_CONFLICT"
    );
    let reply =
        ok(&mut m, json!({"op": "batch", "ops": [good, {"op": "commit", "expected_cycle": 0}]}));
    assert_eq!(reply["results"][0], json!({"id": "a"}));
    assert_eq!(reply["results"][1]["cycle"], 1);
    assert_eq!(m.handle(&json!({"op": "commit", "expected_cycle": 0}))["error"]["cycle"], 1);
}
