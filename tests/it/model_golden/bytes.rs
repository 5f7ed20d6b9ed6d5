//! R9: canonical JSON, hashes, exports and threads, to the byte.

use serde_json::{Value, json};

use super::*;
use crate::support::model::{canonical, float_repr};

#[test]
fn floats_print_as_in_python() {
    for (x, text) in [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (1e15, "1000000000000000.0"),
        (1e16, "1e+16"),
        (1.2345678901234568e17, "1.2345678901234568e+17"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (1e-7, "1e-07"),
        (0.1, "0.1"),
        (123.456, "123.456"),
        (-2.5e-10, "-2.5e-10"),
        (1e100, "1e+100"),
        (5e-324, "5e-324"),
        // Halfway between two texts of that length: the even digit wins.
        (7_167_081_180_460_093.0 / 4.0, "1791770295115023.2"),
        (435_139_628_249_793.0 / 16.0, "27196226765612.062"),
        (9007199254740993.0, "9007199254740992.0"),
    ] {
        assert_eq!(float_repr(x), text);
    }
}

#[test]
fn canonical_json_matches_python() {
    let text = r#"{"b":[1E5,0,1.50,12345678901234567890],"a":"\u00e9\ud83d\ude00\u007f\n\"\\\u0001/","é":null,"Z":true}"#;
    let value: Value = serde_json::from_str(text).unwrap();
    let expected = r#"{"Z":true,"a":"\u00e9\ud83d\ude00\u007f\n\"\\\u0001/","b":[100000.0,0,1.5,12345678901234567890],"\u00e9":null}"#;
    assert_eq!(canonical(&value), expected);
}

#[test]
fn an_empty_store_exports_its_regions() {
    let region = |id: &str, index: i64, children: &str| {
        format!(
            "{{\"children\":[{children}],\"created_at_iso\":\"1970-01-01T00:00:00.000000000Z\",\"created_at_ns\":0,\
             \"creation_index\":{index},\"cycle\":0,\"id\":\"{id}\",\"nodeType\":\"^{id}\",\"offset\":0,\
             \"priority\":0,\"ttl\":null}}"
        )
    };
    let children = [region("sys", 1, ""), region("seq", 2, ""), region("ah", 3, "")].join(",");
    let root = region("root", 0, &children);
    let expected = format!("{{\"cycle\":0,\"root\":{root},\"spec_version\":\"PACT/0.1.0\"}}");
    assert_eq!(store().export_bytes(None).unwrap(), expected);
    let newer = Model::new("1.0").export_bytes(None).unwrap();
    assert_eq!(newer, expected.replace("PACT/0.1.0", "PACT/1.0.0"));
}

#[test]
fn a_block_exports_what_it_has_and_its_hash() {
    let mut m = store();
    ok(
        &mut m,
        json!({"op": "add", "to": "^sys", "id": "b", "role": "system", "content": "Hi", "tags": [], "pinned": false,
               "attrs": {"data_x": 1.0}, "created_at_ns": 1_769_860_800_000_000_001i64}),
    );
    // printf '%s' '{"content":"Hi","data_x":1.0,"kind":"","role":"system"}' | sha256sum
    assert_eq!(
        canonical(&node(&mut m, None, "b").unwrap()),
        "{\"content\":\"Hi\",\"content_hash\":\"e75eb4026aebb127552b97bca9627e340e2498760618e21f1f4f12468afa9031\",\
         \"created_at_iso\":\"2026-01-31T12:00:00.000000001Z\",\"created_at_ns\":1769860800000000001,\"creation_index\":0,\
         \"cycle\":1,\"data_x\":1.0,\"id\":\"b\",\"nodeType\":\"cb\",\"offset\":0,\"priority\":0,\"role\":\"system\",\
         \"ttl\":null}"
    );
}

fn turn(id: &str, children: Value) -> Value {
    json!({"id": id, "nodeType": "mt", "children": children})
}

fn block(id: &str, role: &str, kind: &str, offset: i64, content: &str) -> Value {
    json!({"id": id, "role": role, "kind": kind, "offset": offset, "content": content})
}

fn document(n: i64, sys: Value, seq: Value, ah: Value) -> Value {
    let region = |name: &str, children: Value| json!({"id": format!("{name}-{n}"), "nodeType": format!("^{name}"), "children": children});
    json!({"root": {"id": format!("root-{n}"), "children": [region("sys", sys), region("seq", seq), region("ah", ah)]}})
}

fn message(id: &str, role: &str, kind: &str, content: &str) -> String {
    format!("{{\"id\":\"{id}\",\"role\":\"{role}\",\"kind\":\"{kind}\",\"content\":\"{content}\"}}")
}

#[test]
fn the_end_to_end_thread_example() {
    let mut m = store();
    let document = document(
        1,
        json!([block("cb:sysA", "system", "text", 0, "You are a helpful assistant.")]),
        json!([
            turn("mt:1", json!([block("cb:u1", "user", "text", 0, "Hello")])),
            turn("mt:2", json!([block("cb:a1", "assistant", "text", 0, "Hi! How can I help?")])),
        ]),
        json!([block("cb:u2", "user", "text", 0, "Summarize the above.")]),
    );
    ok(&mut m, json!({"op": "import", "snapshot": document}));
    let expected = [
        message("cb:sysA", "system", "text", "You are a helpful assistant."),
        message("cb:u1", "user", "text", "Hello"),
        message("cb:a1", "assistant", "text", "Hi! How can I help?"),
        message("cb:u2", "user", "text", "Summarize the above."),
    ];
    assert_eq!(m.thread_bytes(None).unwrap(), format!("[{}]", expected.join(",")));
}

#[test]
fn the_thread_example_with_pre_and_post_context() {
    let mut m = store();
    let document = document(
        2,
        json!([block("cb:sysB", "system", "text", 0, "System header B")]),
        json!([turn(
            "mt:10",
            json!([
                block("cb:pre1", "system", "text", -1, "Pre-context hint"),
                block("cb:core1", "user", "text", 0, "Hello with context"),
                block("cb:post1", "tool", "result", 1, "status: ok"),
            ])
        )]),
        json!([
            block("cb:pre2", "system", "text", -1, "AH pre"),
            block("cb:core2", "user", "text", 0, "Working..."),
            block("cb:post2", "assistant", "text", 1, "Interim note"),
        ]),
    );
    ok(&mut m, json!({"op": "import", "snapshot": document}));
    let expected = [
        message("cb:sysB", "system", "text", "System header B"),
        message("cb:pre1", "system", "text", "Pre-context hint"),
        message("cb:core1", "user", "text", "Hello with context"),
        message("cb:post1", "tool", "result", "status: ok"),
        message("cb:pre2", "system", "text", "AH pre"),
        message("cb:core2", "user", "text", "Working..."),
        message("cb:post2", "assistant", "text", "Interim note"),
    ];
    assert_eq!(m.thread_bytes(Some("@c1")).unwrap(), format!("[{}]", expected.join(",")));
}

#[test]
fn a_thread_fills_in_by_generation() {
    let bare = [
        json!({"op": "add", "to": "^sys", "id": "s"}),
        json!({"op": "add", "id": "u", "content": {"b": 1, "a": 2}}),
    ];
    let mut old = store();
    all(&mut old, &bare);
    assert_eq!(
        old.thread_bytes(None).unwrap(),
        r#"[{"id":"s","role":"system","content":""},{"id":"u","role":"user","content":{"a":2,"b":1}}]"#
    );
    let mut new = Model::new("1.0");
    all(&mut new, &bare);
    assert_eq!(
        new.thread_bytes(None).unwrap(),
        r#"[{"id":"s","content":""},{"id":"u","content":{"a":2,"b":1}}]"#
    );
}
