//! R4.1–R4.5: expiry, reference safety, cascade, sealing.

use serde_json::json;

use super::*;

fn ttl_at(m: &mut Model, at: Option<&str>, id: &str) -> Option<i64> {
    node(m, at, id).map(|node| node["ttl"].as_i64().unwrap())
}

#[test]
fn ttl_2_made_for_cycle_10_lives_in_10_and_11() {
    let mut m = store();
    for _ in 0..9 {
        commit(&mut m);
    }
    ok(&mut m, json!({"op": "add", "id": "two", "ttl": 2}));
    ok(&mut m, json!({"op": "add", "id": "none", "ttl": 0}));
    assert_eq!(ttl_at(&mut m, None, "two"), Some(2));
    assert_eq!(commit(&mut m)["expired"], json!(["none"]));
    assert_eq!(ttl_at(&mut m, Some("@c10"), "two"), Some(2));
    assert_eq!(commit(&mut m)["expired"], json!([]));
    assert_eq!(ttl_at(&mut m, Some("@c11"), "two"), Some(1));
    assert_eq!(ttl_at(&mut m, None, "two"), Some(1));
    assert_eq!(commit(&mut m)["expired"], json!(["two"]));
    assert_eq!(ttl_at(&mut m, Some("@c12"), "two"), None);
    let diff = ok(&mut m, json!({"op": "diff", "a": "@c11", "b": "@c10"}));
    assert_eq!(
        diff,
        json!({"added": ["mt:11", "mc:11"], "removed": [], "changed": [{"id": "two", "fields": ["ttl"]}]})
    );
}

#[test]
fn a_ttl_set_later_counts_from_the_cycle_in_progress() {
    let mut m = store();
    ok(&mut m, json!({"op": "add", "to": "^sys", "id": "a"}));
    commit(&mut m);
    commit(&mut m);
    ok(&mut m, json!({"op": "set", "target": "#a", "ttl": 1}));
    assert_eq!(ttl_at(&mut m, None, "a"), Some(1));
    assert_eq!(commit(&mut m)["expired"], json!([]));
    assert_eq!(ttl_at(&mut m, None, "a"), Some(1));
    assert_eq!(commit(&mut m)["expired"], json!(["a"]));
}

#[test]
fn a_survivor_keeps_what_it_refers_to() {
    let mut m = store();
    all(
        &mut m,
        &[
            json!({"op": "add", "to": "^sys", "id": "far", "ttl": 0}),
            json!({"op": "add", "to": "^sys", "id": "near", "ttl": 0, "refs": ["far"]}),
            json!({"op": "add", "to": "^sys", "id": "alone", "ttl": 0, "refs": ["near"]}),
            json!({"op": "add", "to": "^sys", "id": "holder", "ttl": 1, "refs": ["near"]}),
        ],
    );
    assert_eq!(commit(&mut m)["expired"], json!(["alone"]));
    assert_eq!(ttl_at(&mut m, Some("@c1"), "near"), Some(0));
    // The holder goes now; nothing that survives refers to the chain behind it.
    assert_eq!(commit(&mut m)["expired"], json!(["far", "near", "holder"]));
}

#[test]
fn a_container_with_a_needed_node_is_deferred_whole() {
    let mut m = store();
    all(
        &mut m,
        &[
            json!({"op": "add", "to": "^sys", "id": "box", "container": true, "ttl": 0}),
            json!({"op": "add", "to": "#box", "id": "needed"}),
            json!({"op": "add", "to": "#box", "id": "other"}),
            json!({"op": "add", "to": "#box", "id": "brief", "ttl": 0}),
            json!({"op": "add", "to": "^sys", "id": "holder", "ttl": 2, "refs": ["needed"]}),
        ],
    );
    assert_eq!(commit(&mut m)["expired"], json!(["brief"]));
    assert_eq!(sketch(&mut m, None), "sys(box(needed other) holder) seq(mt:1(mc:1)) ah");
    assert_eq!(commit(&mut m)["expired"], json!([]));
    assert_eq!(commit(&mut m)["expired"], json!(["box", "holder"]));
}

#[test]
fn emptied_removable_containers_go_bottom_up() {
    let mut m = store();
    all(
        &mut m,
        &[
            json!({"op": "add", "to": "^sys", "id": "outer", "container": true, "removable": true}),
            json!({"op": "add", "to": "#outer", "id": "inner", "container": true, "removable": true}),
            json!({"op": "add", "to": "#inner", "id": "b", "ttl": 0}),
            json!({"op": "add", "to": "^sys", "id": "never", "container": true, "removable": true}),
            json!({"op": "add", "to": "^sys", "id": "kept", "container": true, "removable": true}),
            json!({"op": "add", "to": "#kept", "id": "c", "ttl": 0}),
            json!({"op": "add", "to": "^sys", "id": "r", "refs": ["kept"]}),
        ],
    );
    let reply = commit(&mut m);
    assert_eq!(
        (&reply["expired"], &reply["cascaded"]),
        (&json!(["b", "c"]), &json!(["outer", "inner"]))
    );
    assert_eq!(sketch(&mut m, None), "sys(never kept r) seq(mt:1(mc:1)) ah");
    // It has no children when the next commit starts, so it is not newly emptied any more.
    ok(&mut m, json!({"op": "remove", "target": "#r"}));
    assert_eq!(commit(&mut m)["cascaded"], json!([]));
}

#[test]
fn sealing_makes_the_turn_first_and_the_core_last() {
    let mut m = Model::with_clock("0.1", 1000);
    ok(&mut m, json!({"op": "add", "id": "p", "offset": -2}));
    commit(&mut m);
    assert_eq!(sketch(&mut m, None), "sys seq(mt:1(p@-2 mc:1)) ah");
    let stamp = |node: Value| {
        (node["created_at_ns"].clone(), node["creation_index"].clone(), node["cycle"].clone())
    };
    assert_eq!(stamp(node(&mut m, None, "p").unwrap()), (json!(1000), json!(0), json!(1)));
    assert_eq!(stamp(node(&mut m, None, "mt:1").unwrap()), (json!(1001), json!(1), json!(1)));
    assert_eq!(stamp(node(&mut m, None, "mc:1").unwrap()), (json!(1002), json!(2), json!(1)));
    ok(&mut m, json!({"op": "add", "id": "a"}));
    ok(&mut m, json!({"op": "commit", "created_at_ns": 5000}));
    assert_eq!(stamp(node(&mut m, None, "a").unwrap()), (json!(1004), json!(1), json!(2)));
    assert_eq!(stamp(node(&mut m, None, "mt:2").unwrap()), (json!(5000), json!(2), json!(2)));
}
