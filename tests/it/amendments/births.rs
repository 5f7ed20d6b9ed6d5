//! A node that an import continues keeps its birth (R14.2), and the ids that the engine makes (R14.3).

use super::*;

/// A document whose head has these blocks.
fn head(blocks: Value) -> Value {
    json!({"root": {"children": [{"id": "ah", "nodeType": "^ah", "children": blocks}]}})
}

fn import(db: &Db, document: Value) {
    ok(db, json!({"op": "import", "snapshot": document}));
}

/// Cycle, time, text of the time, and index.
fn birth(db: &Db, id: &str) -> Value {
    let it = node(db, id);
    json!([it["cycle"], it["created_at_ns"], it["created_at_iso"], it["creation_index"]])
}

const AT_5: &str = "1970-01-01T00:00:00.000000005Z";
const AT_0: &str = "1970-01-01T00:00:00.000000000Z";

#[test]
fn what_the_document_leaves_out_is_what_history_has() {
    let db = store();
    let born = json!({"id": "a", "cycle": 0, "created_at_ns": 5, "created_at_iso": "then", "creation_index": 9});
    import(&db, head(json!([born])));
    assert_eq!(birth(&db, "a"), json!([0, 5, "then", 9]));
    import(&db, head(json!([{"id": "a"}, {"id": "new"}])));
    assert_eq!(birth(&db, "a"), json!([0, 5, "then", 9]));
    assert_eq!(birth(&db, "new"), json!([2, 0, AT_0, 3]));
    import(&db, head(json!([{"id": "a", "cycle": 2, "created_at_ns": 5}])));
    assert_eq!(birth(&db, "a"), json!([2, 5, AT_5, 9]), "a time without a text gives its own");
    import(&db, head(json!([{"id": "a", "created_at_iso": AT_5, "creation_index": 1}])));
    assert_eq!(birth(&db, "a"), json!([2, 5, AT_5, 1]));
    import(&db, head(json!([{"id": "a", "created_at_iso": AT_0}])));
    assert_eq!(birth(&db, "a"), json!([2, 5, AT_0, 1]));
}

#[test]
fn a_node_that_has_gone_is_continued_as_it_last_was() {
    let db = store();
    ok(&db, json!({"op": "add", "id": "a", "ttl": 2, "created_at_ns": 50}));
    ok(&db, json!({"op": "add", "to": "^sys", "id": "b", "created_at_ns": 60}));
    ok(&db, json!({"op": "commit"}));
    let (a, b) = (birth(&db, "a"), birth(&db, "b"));
    for cycle in 0..3 {
        ok(&db, json!({"op": "add", "to": "^sys", "content": cycle}));
        ok(&db, json!({"op": "commit"}));
    }
    ok(&db, json!({"op": "remove", "target": "#b"}));
    for _ in 0..3 {
        ok(&db, json!({"op": "commit"}));
    }
    assert_eq!(node(&db, "a"), Value::Null);
    import(&db, head(json!([{"id": "a"}, {"id": "b"}])));
    assert_eq!((birth(&db, "a"), birth(&db, "b")), (a, b));
    import(&db, head(json!([{"id": "a", "created_at_ns": 7}])));
    import(&db, head(json!([{"id": "b"}])));
    import(&db, head(json!([{"id": "a"}])));
    assert_eq!(birth(&db, "a")[1], 7, "the newest snapshot that had it decides");
}

#[test]
fn an_id_that_was_in_no_snapshot_gets_the_defaults() {
    let db = store();
    ok(&db, json!({"op": "add", "id": "a", "created_at_ns": 50}));
    ok(&db, json!({"op": "undo"}));
    import(&db, head(json!([{"id": "a"}])));
    assert_eq!(birth(&db, "a"), json!([1, 0, AT_0, 2]));
    assert_eq!(birth(&db, "ah"), json!([1, 0, AT_0, 1]), "a new store's regions are not history");
    import(&db, head(json!([])));
    assert_eq!(birth(&db, "ah"), json!([1, 0, AT_0, 1]));
    assert_eq!(birth(&db, "root"), json!([1, 0, AT_0, 0]));
}

#[test]
fn made_ids_do_not_end_in_a_pseudo() {
    let db = store();
    // The counter follows ids that look like its own, if they are not too far ahead.
    for (before, next) in [
        ("cb:ntg", "cb:nti"),
        ("cb:prd", "cb:prf"),
        ("cb:cord", "cb:corf"),
        ("mc:glass", "mc:glasu"),
        ("cb:poss", "cb:posu"),
    ] {
        ok(&db, json!({"op": "add", "id": before}));
        let container = next.starts_with("mc");
        let made = ok(&db, json!({"op": "add", "container": container, "offset": 1}));
        assert_eq!(made["id"], next, "after {before}");
        let found = ok(&db, json!({"op": "select", "q": format!("#{next}")}));
        assert_eq!(found, json!([next]));
    }
}
