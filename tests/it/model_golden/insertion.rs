//! R3.5 and R13: where an insertion puts a node, and who gives way.

use serde_json::json;

use super::*;

/// Adds `n` at a position to a header with blocks at the given offsets and draws the header.
fn in_header(offsets: &[i64], to: &str) -> String {
    let mut m = store();
    for (i, offset) in offsets.iter().enumerate() {
        ok(
            &mut m,
            json!({"op": "add", "to": "^sys", "id": format!("c{}", i + 1), "offset": offset}),
        );
    }
    ok(&mut m, json!({"op": "add", "to": to, "id": "n"}));
    sketch(&mut m, None).split(" seq").next().unwrap().to_string()
}

/// The same in a head that has pre- and post-context and perhaps a core `k`.
fn in_head(offsets: &[i64], core: bool, to: &str) -> String {
    let mut m = store();
    if core {
        ok(&mut m, json!({"op": "add", "id": "k", "container": true}));
    }
    for (i, offset) in offsets.iter().enumerate() {
        ok(&mut m, json!({"op": "add", "id": format!("c{}", i + 1), "offset": offset}));
    }
    ok(&mut m, json!({"op": "add", "to": to, "id": "n"}));
    sketch(&mut m, None).split("seq ").nth(1).unwrap().to_string()
}

#[test]
fn start_end_and_empty() {
    assert_eq!(in_header(&[], "(d-1,)"), "sys(n)");
    assert_eq!(in_header(&[], "(d-1, end)"), "sys(n)");
    assert_eq!(in_header(&[3, 7], "(d-1,)"), "sys(n@2 c1@3 c2@7)");
    assert_eq!(in_header(&[3, 7], "(d-1,-1)"), "sys(n@2 c1@3 c2@7)");
    assert_eq!(in_header(&[3, 7], "(d-1,end)"), "sys(c1@3 c2@7 n@7)");
    assert_eq!(in_header(&[3, 7], "(d-1,+2)"), "sys(c1@3 c2@7 n@7)");
}

#[test]
fn between_neighbours() {
    assert_eq!(in_header(&[3, 7], "(d-1,+1)"), "sys(c1@3 n@3 c2@7)");
    assert_eq!(in_header(&[3, 7], "(d-1,-2)"), "sys(c1@3 n@3 c2@7)");
    assert_eq!(in_header(&[0, 0], "(d-1,+1)"), "sys(c1 n c2@1)");
    assert_eq!(in_header(&[2, 2, 2, 3, 5], "(d-1,+1)"), "sys(c1@2 n@2 c2@3 c3@3 c4@4 c5@5)");
    assert_eq!(in_header(&[-2, -2], "(d-1,+1)"), "sys(c1@-3 n@-3 c2@-2)");
    assert_eq!(in_header(&[-5, -3, -2, -2], "(d-1,-4)"), "sys(c1@-5 c2@-4 c3@-3 n@-3 c4@-2)");
}

#[test]
fn beside_the_core_of_the_head() {
    assert_eq!(in_head(&[], true, "(d0,end)"), "ah(k n@1)");
    assert_eq!(in_head(&[], true, "(d0,)"), "ah(n@-1 k)");
    assert_eq!(in_head(&[1], true, "(d0,+1)"), "ah(k n@1 c1@2)");
    assert_eq!(in_head(&[2], true, "(d0,+1)"), "ah(k n@1 c1@2)");
    assert_eq!(in_head(&[-4], true, "(d0,+1)"), "ah(c1@-4 n@-4 k)");
    assert_eq!(in_head(&[1, 1], true, "(d0,+2)"), "ah(k c1@1 n@1 c2@2)");
    assert_eq!(in_head(&[], false, "(d0,end)"), "ah(n@1)");
    assert_eq!(in_head(&[], false, "(d0,)"), "ah(n@-1)");
    assert_eq!(in_head(&[1], false, "(d0,)"), "ah(n@-1 c1@1)");
    // A head without a core counts as having one (choice 20), which is not made by that.
    assert_eq!(in_head(&[], false, "(d0,+1)"), "ah(n@1)");
    assert_eq!(in_head(&[-1], false, "(d0,end)"), "ah(c1@-1 n@1)");
    assert_eq!(in_head(&[-1, 1], false, "(d0,+2)"), "ah(c1@-1 n@1 c2@2)");
}

#[test]
fn inside_the_core_of_the_head() {
    assert_eq!(in_head(&[], false, "(d0,0,end)"), "ah(mc:1(n))");
    assert_eq!(in_head(&[], false, "(d0, seg, mc[offset=0], end)"), "ah(mc:1(n))");
    assert_eq!(in_head(&[0, 0], true, "(d0,0,+1)"), "ah(k(c1 n c2@1))");
    assert_eq!(in_head(&[0], true, "(d0,0,)"), "ah(k(n@-1 c1))");
}

#[test]
fn wrong_insertions() {
    let mut m = store();
    ok(&mut m, json!({"op": "add", "id": "a", "offset": 1}));
    ok(&mut m, json!({"op": "add", "id": "b", "offset": 1}));
    assert_eq!(refused(&mut m, json!({"op": "add", "to": "(d-1,+1)"})), "E_NODE_NOT_FOUND");
    assert_eq!(
        refused(&mut m, json!({"op": "add", "to": "(d-1,end)", "offset": 1})),
        "E_ATTR_INVALID"
    );
    assert_eq!(refused(&mut m, json!({"op": "add", "to": "(d3,end)"})), "E_INVALID_PARENT");
    assert_eq!(
        refused(&mut m, json!({"op": "set", "target": "(d0,end)", "ttl": 1})),
        "E_SELECTOR_INVALID"
    );
    commit(&mut m);
    assert_eq!(refused(&mut m, json!({"op": "add", "to": "(d1,0,end)"})), "E_SEALED");
    // `a` and `b` are sealed, so nothing can be squeezed in between them.
    assert_eq!(refused(&mut m, json!({"op": "add", "to": "(d1,+2)"})), "E_SEALED");
    assert_eq!(refused(&mut m, json!({"op": "add", "to": "(d1,+1)"})), "E_SEALED");
    ok(&mut m, json!({"op": "add", "to": "(d1,end)", "id": "n"}));
    ok(&mut m, json!({"op": "add", "to": "(d1,)", "id": "p"}));
    assert_eq!(sketch(&mut m, None), "sys seq(mt:1(p@-1 mc:1 a@1 b@1 n@1)) ah");
}
