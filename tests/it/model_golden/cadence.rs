//! R4.7: instances, their timing, and the ways in which a cadence ends.

use serde_json::json;

use super::*;

fn made(m: &mut Model) -> Value {
    commit(m)["materialized"].clone()
}

#[test]
fn an_instance_appears_every_c_cycles() {
    let mut m = store();
    ok(
        &mut m,
        json!({"op": "add", "id": "i", "key": "k", "cad": 2, "ttl": 1, "tags": ["t"], "content": "again",
               "provenance": "me", "priority": 3, "type": "summary"}),
    );
    assert_eq!(made(&mut m), json!([]));
    // Made for cycle 1, so the next one is due in cycle 3, after the commit of 2 has expired the first.
    assert_eq!(made(&mut m), json!(["cb:z1"]));
    let new = node(&mut m, None, "cb:z1").unwrap();
    assert_eq!(
        (&new["ttl"], &new["cycle"], &new["creation_index"]),
        (&json!(1), &json!(3), &json!(1))
    );
    assert_eq!(
        (&new["nodeType"], &new["tags"], &new["priority"]),
        (&json!("summary"), &json!(["t"]), &json!(3))
    );
    assert_eq!(new.get("provenance"), None);
    assert_eq!(sketch(&mut m, None), "sys seq(mt:1(mc:1) mt:2(mc:2)) ah(mc:3(cb:z1))");
    assert!(m.is_dirty());
    assert_eq!(refused(&mut m, json!({"op": "undo"})), "E_NODE_NOT_FOUND");
    assert_eq!(made(&mut m), json!([]));
    assert_eq!(made(&mut m), json!(["cb:z2"]));
}

#[test]
fn keys_fire_in_order_at_their_offsets() {
    let mut m = store();
    all(
        &mut m,
        &[
            json!({"op": "add", "to": "^sys", "id": "x", "key": "b", "cad": 1, "offset": 4}),
            json!({"op": "add", "id": "y", "key": "a", "cad": 1, "offset": -1}),
        ],
    );
    assert_eq!(made(&mut m), json!(["cb:z1", "cb:z2"]));
    assert_eq!(sketch(&mut m, None), "sys(x@4) seq(mt:1(y@-1 mc:1)) ah(cb:z1@-1 cb:z2@4)");
}

#[test]
fn every_way_to_end_a_cadence() {
    for end in [
        json!({"op": "remove", "target": "#i"}),
        json!({"op": "set", "target": "#i", "cad": null}),
        json!({"op": "cadence", "end": "k"}),
        json!({"op": "add", "id": "newer", "key": "k"}),
    ] {
        let mut m = store();
        ok(&mut m, json!({"op": "add", "id": "i", "key": "k", "cad": 1}));
        ok(&mut m, end.clone());
        assert_eq!(made(&mut m), json!([]), "{end}");
        assert_eq!(made(&mut m), json!([]), "{end}");
    }
}

#[test]
fn an_ended_cadence_starts_again_with_a_new_instance() {
    let mut m = store();
    ok(&mut m, json!({"op": "add", "id": "i", "key": "k", "cad": 1}));
    assert_eq!(ok(&mut m, json!({"op": "cadence", "end": "k"})), json!({"key": "k"}));
    assert_eq!(made(&mut m), json!([]));
    ok(&mut m, json!({"op": "add", "id": "j", "key": "k", "cad": 2}));
    assert_eq!(made(&mut m), json!([]));
    assert_eq!(made(&mut m).as_array().unwrap().len(), 1);
}

#[test]
fn an_instance_keeps_only_living_references() {
    let mut m = store();
    all(
        &mut m,
        &[
            json!({"op": "add", "to": "^sys", "id": "stays"}),
            json!({"op": "add", "to": "^sys", "id": "goes"}),
            json!({"op": "add", "id": "i", "key": "k", "cad": 1, "refs": ["stays", "goes"]}),
            json!({"op": "remove", "target": "#goes", "force": true}),
        ],
    );
    let id = made(&mut m)[0].as_str().unwrap().to_string();
    assert_eq!(node(&mut m, None, &id).unwrap()["refs"], json!(["stays"]));
}
