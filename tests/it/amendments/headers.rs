//! `mime` and `encoding` (R14.12), from the edit to the file and back.

use super::*;
#[cfg(feature = "cli")]
use crate::support::program::Folder;
use pactdb::session::{dump, fork_on, load_on};

fn both(node: &Value) -> (&Value, &Value) {
    (&node["mime"], &node["encoding"])
}

#[test]
fn a_block_has_a_mime_and_an_encoding_that_edits_set() {
    let db = store();
    let add = json!({"op": "add", "id": "a", "content": "aGk=", "mime": "text/plain", "encoding": "base64"});
    ok(&db, add);
    let hash = node(&db, "a")["content_hash"].clone();
    assert_eq!(both(&node(&db, "a")), (&json!("text/plain"), &json!("base64")));
    ok(&db, json!({"op": "set", "target": "#a", "mime": "image/png", "encoding": null}));
    assert_eq!(both(&node(&db, "a")), (&json!("image/png"), &Value::Null));
    assert_eq!(node(&db, "a")["content_hash"], hash, "the hash does not cover them");
    ok(&db, json!({"op": "set", "target": "#a", "mime": false}));
    assert!(node(&db, "a").get("mime").is_none());
}

#[test]
fn other_nodes_than_blocks_have_none() {
    let db = store();
    ok(&db, json!({"op": "add", "id": "box", "container": true, "offset": 1}));
    for request in [
        json!({"op": "add", "container": true, "offset": 2, "mime": "text/plain"}),
        json!({"op": "add", "container": true, "offset": 2, "encoding": "base64"}),
        json!({"op": "set", "target": "#box", "mime": "text/plain"}),
        json!({"op": "set", "target": "#box", "encoding": ""}),
        json!({"op": "add", "mime": 5}),
        json!({"op": "add", "mime": ["text/plain"]}),
    ] {
        assert_eq!(refused(&db, request), "E_ATTR_INVALID");
    }
    assert_eq!(refused(&db, json!({"op": "add", "attrs": {"mime": "x"}})), "E_ATTR_RESERVED");
    ok(&db, json!({"op": "set", "target": "#box", "mime": null}));
    ok(&db, json!({"op": "commit"}));
    for id in ["mt:1", "box", "sys"] {
        let mut document = export(&db, "@c1");
        document["cycle"] = json!(0);
        set_in(&mut document["root"], id, "mime", json!("text/plain"));
        let reply = ask(&db, json!({"op": "import", "snapshot": document}));
        assert_eq!(reply["error"]["code"], "E_IMPORT_INVALID", "{reply}");
        assert!(reply["error"]["path"].as_str().unwrap().ends_with(".mime"), "{reply}");
    }
}

/// Sets a header of a node of a document.
fn set_in(node: &mut Value, id: &str, name: &str, value: Value) {
    if node["id"] == id {
        node[name] = value.clone();
    }
    for child in node.get_mut("children").and_then(Value::as_array_mut).into_iter().flatten() {
        set_in(child, id, name, value.clone());
    }
}

#[test]
fn filters_compare_them_as_texts() {
    let db = store();
    ok(&db, json!({"op": "add", "id": "a", "mime": "text/plain"}));
    ok(&db, json!({"op": "add", "id": "b", "mime": "5", "encoding": "base64"}));
    ok(&db, json!({"op": "add", "id": "c"}));
    ok(&db, json!({"op": "commit"}));
    for (filter, found) in [
        ("[mime]", json!(["a", "b"])),
        ("[mime='text/plain']", json!(["a"])),
        ("[mime=5]", json!(["b"])),
        ("[mime~'^text/']", json!(["a"])),
        ("[encoding=base64]", json!(["b"])),
        ("[encoding=null]", json!(["a", "c"])),
        ("[mime<'6']", json!(["b"])),
    ] {
        for at in ["", "@t0 "] {
            let q = format!("{at}.cb{filter}");
            assert_eq!(ok(&db, json!({"op": "select", "q": q})), found, "{q}");
        }
    }
}

#[test]
fn a_cadence_copies_them() {
    let db = store();
    let add = json!({"op": "add", "id": "a", "key": "k", "cad": 1, "mime": "text/plain", "encoding": "gzip"});
    ok(&db, add);
    let made = ok(&db, json!({"op": "commit"}))["materialized"][0].as_str().unwrap().to_owned();
    assert_eq!(both(&node(&db, &made)), (&json!("text/plain"), &json!("gzip")));
}

#[test]
fn a_content_diff_has_the_newer_mime() {
    let db = store();
    ok(&db, json!({"op": "add", "to": "^sys", "id": "a", "content": "x", "mime": "text/plain"}));
    ok(&db, json!({"op": "commit"}));
    ok(&db, json!({"op": "set", "target": "#a", "content": "y", "mime": "text/html"}));
    ok(&db, json!({"op": "commit"}));
    let options = json!({"includeContent": true, "materialize": ["mime", "encoding"]});
    let request = json!({"op": "select", "q": "@c1..@c2 #a", "options": options});
    let changed = ok(&db, request)["diffs"][0]["changed"][0].clone();
    assert_eq!(changed["fields"], json!(["mime", "content_hash"]));
    assert_eq!(changed["delta"]["mime"], json!({"from": "text/html", "to": "text/plain"}));
    assert_eq!(changed["delta"]["encoding"], json!({"from": null, "to": null}));
    assert_eq!(changed["content_diff"]["mime"], "text/html");
}

/// A life with the headers in every kind of event that brings nodes.
fn lived() -> Db {
    let db = store();
    for request in [
        json!({"op": "add", "id": "a", "key": "k", "cad": 1, "mime": "text/plain"}),
        json!({"op": "add", "id": "b", "to": "^sys", "encoding": "base64"}),
        json!({"op": "commit"}),
        json!({"op": "set", "target": "#b", "mime": "image/png", "encoding": null}),
        json!({"op": "commit"}),
        json!({"op": "restore", "at": "@c1", "discard": true}),
        json!({"op": "cadence", "end": "k"}),
        json!({"op": "undo"}),
    ] {
        ok(&db, request);
    }
    ok(&db, json!({"op": "restore", "at": "@c2", "discard": true}));
    ok(&db, json!({"op": "cadence", "end": "k"}));
    ok(&db, json!({"op": "commit"}));
    let mut document = export(&db, "@t0");
    document["cycle"] = json!(0);
    set_in(&mut document["root"], "a", "encoding", json!("gzip"));
    ok(&db, json!({"op": "import", "snapshot": document}));
    db
}

fn text(db: &Db) -> String {
    let mut out = Vec::new();
    dump(db, &mut out, &mut |_, _| {}).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_log_keeps_them_through_rebuilds_dumps_and_forks() {
    let db = lived();
    db.verify(|_| {}).unwrap();
    let before = text(&db);
    db.rebuild(|_| {}).unwrap();
    db.verify(|_| {}).unwrap();
    assert_eq!(text(&db), before);
    let loaded =
        load_on(before.as_bytes(), Memory::default(), Options::new(), &mut |_, _| {}).unwrap();
    loaded.verify(|_| {}).unwrap();
    assert_eq!(text(&loaded), before);
    for cycle in db.history().iter() {
        let forked =
            fork_on(&db, cycle, Memory::default(), Options::new(), &mut |_, _| {}).unwrap();
        forked.verify(|_| {}).unwrap();
        let at = format!("@c{cycle}");
        assert_eq!(db.export(Some(&at)).unwrap(), forked.export(Some(&at)).unwrap());
    }
}

#[test]
fn an_event_without_them_is_written_as_ever() {
    let both = |request: Value| {
        let db = store();
        ok(&db, request);
        let lines = text(&db);
        let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
        last["hash"].as_str().unwrap().to_owned()
    };
    let plain = both(json!({"op": "add", "id": "a", "content": "x", "mime": null}));
    assert_eq!(plain, both(json!({"op": "add", "id": "a", "content": "x"})));
    assert_ne!(plain, both(json!({"op": "add", "id": "a", "content": "x", "mime": ""})));
}

#[test]
fn a_digest_covers_them() {
    let digest = |mime: Value, encoding: Value| {
        let db = store();
        ok(&db, json!({"op": "add", "id": "a", "mime": mime, "encoding": encoding}));
        ok(&db, json!({"op": "commit"}))["digest"].clone()
    };
    let some = || json!("x");
    let all = [
        digest(Value::Null, Value::Null),
        digest(some(), Value::Null),
        digest(Value::Null, some()),
        digest(some(), some()),
    ];
    for (i, one) in all.iter().enumerate() {
        assert!(!all[..i].contains(one), "{i}");
    }
}

#[cfg(feature = "cli")]
#[test]
fn statements_and_flags_set_them() {
    let folder = Folder::new();
    folder.ok(&["add", "aGk=", "--id", "a", "--mime", "text/plain", "--encoding", "base64"]);
    let shown = folder.ok(&["--json", "nodes", "#a"]);
    assert!(shown.contains(r#""encoding":"base64""#) && shown.contains(r#""mime":"text/plain""#));
    folder.ok(&["set", "#a", "--mime", "image/png", "--clear", "encoding"]);
    let shown = folder.ok(&["--json", "nodes", "#a"]);
    assert!(!shown.contains("encoding") && shown.contains(r#""mime":"image/png""#), "{shown}");
    folder.write(
        "edits.pact",
        "set #a {mime='text/html', encoding=null}\nadd {id=b, mime=text} 'x'\n",
    );
    folder.ok(&["run", "edits.pact"]);
    let shown = folder.ok(&["--json", "nodes", ".cb[mime]"]);
    assert!(
        shown.contains(r#""mime":"text/html""#) && shown.contains(r#""mime":"text""#),
        "{shown}"
    );
}
