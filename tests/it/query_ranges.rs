//! Ranges and diffs: the exact shapes, every option, time addresses, nodes and explanations.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::memory::Memory;
use pactdb::answer::ContentMode;
use pactdb::internals::change::{Add, Parent, Set};
use pactdb::internals::query::{diff, explain, nodes, rich_diff, select, select_whole};
use pactdb::json::parse;
use pactdb::{Dialect, Generation, Json, SelectOptions, Selected};
use serde_json::{Value, json};

/// Three cycles: u1 is said in 1 and lives on in its turn; s1 stands in `^sys` and changes; e1
/// lives for two cycles.
fn store() -> Memory {
    let mut memory = Memory::new(Generation::V0_1);
    memory.say("u1", "user", "hello");
    let sys = || Parent::Node("sys".into());
    let s1 = Add {
        parent: sys(),
        id: Some("s1".into()),
        content: Some("a\nb\nc\n".into()),
        ..Add::default()
    };
    memory.add(s1).unwrap();
    let j1 = Add {
        parent: sys(),
        id: Some("j1".into()),
        content: Some(parse(r#"{"a": 1, "b": [1, 2]}"#).unwrap()),
        ..Add::default()
    };
    memory.add(j1).unwrap();
    memory.commit();
    let e1 = Add {
        id: Some("e1".into()),
        ttl: Some(2),
        content: Some("soon gone".into()),
        ..Add::default()
    };
    memory.add(e1).unwrap();
    let content = |text: &str| Some(Some(Json::from(text)));
    memory
        .set(Set {
            targets: vec!["s1".into()],
            content: content("a\nB\nc\n"),
            priority: Some(3),
            ..Set::default()
        })
        .unwrap();
    memory.commit();
    let changed = parse(r#"{"a": 2, "c": null}"#).unwrap();
    memory
        .set(Set { targets: vec!["j1".into()], content: Some(Some(changed)), ..Set::default() })
        .unwrap();
    memory
        .set(Set { targets: vec!["s1".into()], key: Some(Some("rule".into())), ..Set::default() })
        .unwrap();
    memory.commit();
    memory
}

fn range(memory: &Memory, text: &str, dialect: Dialect, options: &SelectOptions) -> Value {
    match select(memory, text, dialect, options).unwrap() {
        Selected::Range(range) => serde_json::to_value(range).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn code(memory: &Memory, text: &str, dialect: Dialect) -> String {
    match select(memory, text, dialect, &SelectOptions::default()) {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => error.code.to_string(),
    }
}

fn labels(range: &Value) -> Vec<&str> {
    range["snapshots"].as_array().unwrap().iter().map(|s| s["label"].as_str().unwrap()).collect()
}

#[test]
fn the_shape_of_a_range() {
    let memory = store();
    let got = range(&memory, "@t-2..@t0 .cb", Dialect::V0_1, &SelectOptions::default());
    let t = |back: i64| json!({"kind": "t", "value": -back, "label": format!("@t{}", -back), "cycle": 3 - back});
    let hash = |n: usize, i: usize, side: &str| {
        got["diffs"][n]["changed"][i]["delta"]["content_hash"][side].clone()
    };
    let expected = json!({
        "query": "@t-2..@t0 .cb",
        "snapshots": [t(0), t(1), t(2)],
        "mode": "pairwise",
        "diffs": [
            {
                "from": t(0), "to": t(1), "added_ids": [], "removed_ids": [],
                "changed": [
                    {"id": "s1", "fields": ["key"], "delta": {"key": {"from": "rule", "to": null}}},
                    {"id": "j1", "fields": ["content_hash"], "delta": {"content_hash": {"from": hash(0, 1, "from"), "to": hash(0, 1, "to")}}},
                    {"id": "e1", "fields": ["ttl"], "delta": {"ttl": {"from": 1, "to": 2}}}
                ],
                "stats": {"added": 0, "removed": 0, "changed": 3}
            },
            {
                "from": t(1), "to": t(2), "added_ids": ["e1"], "removed_ids": [],
                "changed": [
                    {"id": "s1", "fields": ["priority", "content_hash"], "delta": {
                        "priority": {"from": 3, "to": 0},
                        "content_hash": {"from": hash(1, 0, "from"), "to": hash(1, 0, "to")}}}
                ],
                "stats": {"added": 1, "removed": 0, "changed": 1}
            }
        ]
    });
    assert_eq!(got, expected);
    assert!(hash(0, 1, "from") != hash(0, 1, "to") && hash(0, 1, "to").is_string());
}

#[test]
fn one_block_from_the_newest_to_the_oldest() {
    let memory = store();
    let got = range(&memory, "@c1..@c3 .cb @mode=latest", Dialect::V0_1, &SelectOptions::default());
    assert_eq!(got["mode"], "latest");
    assert_eq!(labels(&got), ["@c3", "@c2", "@c1"]);
    let block = &got["diffs"][0];
    assert_eq!(block["from"]["label"], "@c3");
    assert_eq!(block["to"]["label"], "@c1");
    assert_eq!(block["added_ids"], json!(["e1"]));
    assert_eq!(block["changed"][0]["fields"], json!(["priority", "key", "content_hash"]));
    assert_eq!(got["diffs"].as_array().unwrap().len(), 1);
    let single = range(&memory, "@t0..@t0 .cb", Dialect::V0_1, &SelectOptions::default());
    assert_eq!(single["diffs"], json!([]));
}

#[test]
fn addresses_and_what_lies_outside() {
    let mut memory = store();
    let labels_of = |memory: &Memory, text: &str, dialect| {
        let got = range(memory, text, dialect, &SelectOptions::default());
        let clipped = got["warnings"].to_string().contains("clipped");
        format!("{}{}", labels(&got).join(" "), if clipped { " clipped" } else { "" })
    };
    let old = Dialect::V0_1;
    for (text, expected) in [
        ("@t0..@t-2 .cb", "@t0 @t-1 @t-2"),
        ("@t-2:0 .cb", "@t0 @t-1 @t-2"),
        ("@t-2..-1 .cb", "@t-1 @t-2"),
        ("@history .cb", "@t0 @t-1 @t-2"),
        ("@t-9..@t-1 .cb", "@t-1 @t-2 clipped"),
        ("@t-1..@t+4 .cb", "@t0 @t-1 clipped"),
        ("@c2..9 .cb", "@c3 @c2 clipped"),
        ("@c3:@c2 .cb", "@c3 @c2"),
    ] {
        assert_eq!(labels_of(&memory, text, old), expected, "{text}");
    }
    assert_eq!(labels_of(&memory, "@history .cb", Dialect::V1_0), "@t0 @t-1 @t-2 @t-3");
    for text in
        ["@t-9..@t-3 .cb", "@t+1..@t+2 .cb", "@c4..@c9 .cb", "@c0..@c0 .cb", "@t-3 .cb", "@c4 .cb"]
    {
        assert_eq!(code(&memory, text, old), "E_SNAPSHOT_NOT_FOUND", "{text}");
    }
    let document = parse(r#"{"cycle": 9, "root": {"children": []}}"#).unwrap();
    memory.import(&document);
    assert_eq!(labels_of(&memory, "@t-1..@t0 ^ah", old), "@t0 @t-1");
    assert_eq!(labels_of(&memory, "@c3..@c9 ^ah", old), "@c9 @c3");
    assert_eq!(code(&memory, "@c4..@c8 ^ah", old), "E_SNAPSHOT_NOT_FOUND");
    let empty = Memory::new(Generation::V0_1);
    assert_eq!(code(&empty, "@t0 ^ah", old), "E_SNAPSHOT_NOT_FOUND");
    assert_eq!(code(&empty, "@history ^ah", old), "E_SNAPSHOT_NOT_FOUND");
    assert!(code(&empty, "@* ^ah", old).starts_with("Ids { ids: []"));
    assert!(code(&empty, "@t0 ^ah", Dialect::V1_0).starts_with("Ids { ids: [\"ah\"]"));
    assert_eq!(labels_of(&empty, "@history ^ah", Dialect::V1_0), "@t0");
}

#[test]
fn the_working_state_in_a_range_of_the_newer_dialect() {
    let mut memory = store();
    memory.say("w1", "user", "working");
    let got = range(&memory, "@t0..@t-1 .cb", Dialect::V1_0, &SelectOptions::default());
    assert_eq!(got["snapshots"][0], json!({"kind": "t", "value": 0, "label": "@t0", "cycle": 4}));
    assert_eq!(got["snapshots"][1], json!({"kind": "t", "value": -1, "label": "@t-1", "cycle": 3}));
    assert_eq!(got["diffs"][0]["added_ids"], json!(["w1"]));
    assert_eq!(got["diffs"][0]["changed"], json!([]));
}

#[test]
fn caps_cut_and_say_so() {
    let memory = store();
    let options = SelectOptions {
        max_snapshots: Some(2),
        max_changes_per_snapshot: Some(2),
        ..SelectOptions::default()
    };
    let got = range(&memory, "@history .cb", Dialect::V0_1, &options);
    assert_eq!(labels(&got), ["@t0", "@t-1"]);
    assert_eq!(
        got["limits"],
        json!({"maxSnapshots": 2, "maxChangesPerSnapshot": 2, "truncated": true})
    );
    assert_eq!(got["errors"][0]["code"], "E_SNAPSHOT_RANGE_LIMIT");
    assert_eq!(got["errors"][0]["fatal"], false);
    assert_eq!(got["diffs"][0]["changed"].as_array().unwrap().len(), 2);
    assert_eq!(got["diffs"][0]["stats"]["changed"], 3);
    let uncut = range(
        &memory,
        "@history .cb",
        Dialect::V0_1,
        &SelectOptions { max_snapshots: Some(3), ..SelectOptions::default() },
    );
    assert!(uncut.get("limits").is_none() && uncut.get("errors").is_none());
    let none = SelectOptions { max_snapshots: Some(0), ..SelectOptions::default() };
    let error = select(&memory, "@history .cb", Dialect::V0_1, &none).unwrap_err();
    assert_eq!(error.code.as_str(), "E_REQUEST_INVALID");
    // In a range a window applies to each snapshot's result.
    let first = range(
        &memory,
        "@t0..@t-1 .cb[role='user'], #e1 @limit=1",
        Dialect::V0_1,
        &SelectOptions::default(),
    );
    assert_eq!(first["diffs"][0]["stats"], json!({"added": 0, "removed": 0, "changed": 0}));
}

/// R14.7: a mode without a time is an error, with one snapshot it is ignored, with a warning; a range
/// of one snapshot has it.
#[test]
fn a_mode_is_for_ranges() {
    let memory = store();
    let ask = |text: &str| select(&memory, text, Dialect::V0_1, &SelectOptions::default());
    let error = ask(".cb @mode=latest").unwrap_err();
    assert_eq!(error.code.to_string(), "E_SELECTOR_INVALID");
    assert_eq!(error.span.map(|span| span.of(".cb @mode=latest")), Some("@mode=latest"));
    for (text, warned) in [
        ("@t0 .cb @mode=latest", true),
        ("@c2 .cb @mode=pairwise", true),
        ("@* .cb @mode=latest", true),
        ("@c2..@c2 .cb @mode=latest", false),
        ("@c1..@c2 .cb @mode=latest", false),
    ] {
        let warnings = match ask(text).unwrap() {
            Selected::Ids { warnings, .. } => warnings,
            Selected::Range(range) => range.warnings,
        };
        let said = warnings.iter().any(|warning| warning.contains("`@mode`"));
        assert_eq!(said, warned, "{text}: {warnings:?}");
    }
    let error = diff(&memory, Some("@c1"), None, ".cb @mode=latest", Dialect::V0_1).unwrap_err();
    assert_eq!(error.code.to_string(), "E_SELECTOR_INVALID");
    let Selected::Ids { ids, warnings } = ask(".cb @* @limit=1").unwrap() else { panic!("no ids") };
    assert_eq!(ids.len(), 1);
    assert!(warnings[0].contains("`@*` is not known and is ignored"), "{warnings:?}");
}

#[test]
fn content_diffs() {
    let memory = store();
    let with = |content_mode| SelectOptions {
        include_content: true,
        content_mode,
        ..SelectOptions::default()
    };
    let got = range(&memory, "@c1..@c2 #s1", Dialect::V0_1, &with(ContentMode::Unified));
    assert_eq!(
        got["diffs"][0]["changed"][0]["content_diff"],
        json!({
            "mode": "unified",
            "summary": {"bytesNewer": 6, "bytesOlder": 6, "identical": false, "truncated": false},
            "diff": "--- older(@c1)/s1\n+++ newer(@c2)/s1\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
        })
    );
    let got = range(&memory, "@c2..@c3 #j1", Dialect::V0_1, &with(ContentMode::Jsonpatch));
    let patched = &got["diffs"][0]["changed"][0]["content_diff"];
    assert_eq!(patched["mode"], "jsonpatch");
    let patch: json_patch::Patch = serde_json::from_value(patched["patch"].clone()).unwrap();
    let mut older = json!({"a": 1, "b": [1, 2]});
    json_patch::patch(&mut older, &patch).unwrap();
    assert_eq!(older, json!({"a": 2, "c": null}));
    let got = range(&memory, "@c1..@c2 #s1", Dialect::V0_1, &with(ContentMode::Jsonpatch));
    assert_eq!(got["diffs"][0]["changed"][0]["content_diff"]["mode"], "unified");
    assert!(got["warnings"][0].as_str().unwrap().contains("s1"));
    let got = range(&memory, "@c1..@c2 #s1", Dialect::V0_1, &with(ContentMode::Tokens));
    let tokens = &got["diffs"][0]["changed"][0]["content_diff"];
    assert_eq!(tokens["tokenizer"], "word");
    let ops = tokens["hunks"][0]["ops"].as_array().unwrap();
    let apply = |skip: &str| -> String {
        let kept = ops.iter().filter(|op| op["op"] != skip);
        kept.map(|op| op["text"].as_str().unwrap()).collect()
    };
    assert_eq!((apply("ins"), apply("del")), ("a\nb\nc\n".to_owned(), "a\nB\nc\n".to_owned()));
}

#[test]
fn options_have_the_names_of_the_protocol() {
    let text = r#"{"includeContent": true, "contentMode": "tokens", "contextLines": 0,
        "materialize": ["content", "content_hash", "mime"], "maxSnapshots": 5,
        "maxChangesPerSnapshot": 1, "limit": 3, "skip": 1, "order": "recent", "mode": "latest"}"#;
    let options: SelectOptions = serde_json::from_str(text).unwrap();
    assert_eq!((options.content_mode, options.context()), (ContentMode::Tokens, 0));
    for wrong in
        [r#"{"contentMode": "x"}"#, r#"{"limit": -1}"#, r#"{"lines": 1}"#, r#"{"order": "up"}"#]
    {
        assert!(serde_json::from_str::<SelectOptions>(wrong).is_err(), "{wrong}");
    }
    let memory = store();
    let ids =
        |text: &str, options: SelectOptions| match select(&memory, text, Dialect::V0_1, &options)
            .unwrap()
        {
            Selected::Ids { ids, .. } => ids.join(" "),
            other => panic!("{other:?}"),
        };
    let window = |limit, skip| SelectOptions { limit, skip, ..SelectOptions::default() };
    assert_eq!(ids(".cb", SelectOptions::default()), "s1 j1 u1 e1");
    assert_eq!(ids(".cb @limit=3", window(Some(1), None)), "s1");
    assert_eq!(ids(".cb @limit=1", window(Some(3), None)), "s1");
    assert_eq!(ids(".cb @skip=3", window(None, Some(1))), "j1 u1 e1");
}

#[test]
fn a_diff_has_exactly_its_three_lists() {
    let memory = store();
    let expected = json!({
        "added": ["e1"], "removed": [],
        "changed": [{"id": "s1", "fields": ["priority", "content_hash"]}]
    });
    for (a, b) in [("@c1", "@c2"), ("@c2", "@c1")] {
        let got = diff(&memory, Some(a), Some(b), ".cb", Dialect::V0_1).unwrap();
        assert_eq!(serde_json::to_value(got).unwrap(), expected);
    }
    let same = diff(&memory, None, Some("@t0"), "*", Dialect::V0_1).unwrap();
    assert_eq!(
        serde_json::to_value(same).unwrap(),
        json!({"added": [], "removed": [], "changed": []})
    );
    let code = |a, b, q| diff(&memory, a, b, q, Dialect::V0_1).unwrap_err().code.to_string();
    assert_eq!(code(Some("@*"), None, "*"), "E_SELECTOR_INVALID");
    assert_eq!(code(Some("@t0..@t-1"), None, "*"), "E_SELECTOR_INVALID");
    assert_eq!(code(None, Some("@c9"), "*"), "E_SNAPSHOT_NOT_FOUND");
    assert_eq!(code(None, Some("@c1"), "@t0 *"), "E_SELECTOR_INVALID");
    assert_eq!(code(None, Some("@c1"), "[age=1]"), "E_SELECTOR_INVALID");
}

#[test]
fn a_rich_diff_follows_parents_and_moves() {
    let mut memory = store();
    let box_ = Add {
        parent: Parent::Node("sys".into()),
        id: Some("box".into()),
        offset: Some(1),
        container: Some(true),
        ..Add::default()
    };
    memory.add(box_).unwrap();
    memory.relocate("s1", "box", 2).unwrap();
    memory.remove("j1").unwrap();
    let again = Add {
        parent: Parent::Node("box".into()),
        id: Some("j2".into()),
        content: Some(parse(r#"{"a": 2, "c": null}"#).unwrap()),
        ..Add::default()
    };
    memory.add(again).unwrap();
    let got =
        serde_json::to_value(rich_diff(&memory, None, Some("@t0"), "*", Dialect::V0_1).unwrap())
            .unwrap();
    assert_eq!(got["added"], json!(["box", "j2"]));
    assert_eq!(got["removed"], json!(["j1"]));
    assert_eq!(
        got["parents"],
        json!([
            {"id": "box", "children_added": ["j2", "s1"], "children_removed": []},
            {"id": "sys", "children_added": ["box"], "children_removed": ["j1", "s1"]}
        ])
    );
    assert_eq!(
        got["changed"][0]["parent_changed"],
        json!({"previous_parent_id": "sys", "new_parent_id": "box"})
    );
    assert_eq!(got["changed"][0]["offset_changed"], json!({"from": 0, "to": 2}));
    assert_eq!((&got["moved"][0]["from"], &got["moved"][0]["to"]), (&json!("j1"), &json!("j2")));
}

#[test]
fn nodes_are_objects() {
    let memory = store();
    let got = nodes(&memory, "#e1, ^root", Dialect::V0_1, &SelectOptions::default()).unwrap();
    let got = serde_json::to_value(&got.nodes).unwrap();
    assert_eq!(
        (&got[0]["id"], &got[0]["parent"], &got[0]["depth"]),
        (&json!("root"), &Value::Null, &Value::Null)
    );
    assert_eq!(
        (&got[1]["parent"], &got[1]["depth"], &got[1]["ttl"]),
        (&json!("mc:2"), &json!(2), &json!(1))
    );
    assert_eq!(got[1]["content"], "soon gone");
    assert!(got[1].get("children").is_none());
    let every = nodes(&memory, "@* #e1", Dialect::V0_1, &SelectOptions::default()).unwrap();
    assert_eq!(every.nodes[0]["ttl"], Json::Int(1));
    let error =
        nodes(&memory, "@history .cb", Dialect::V0_1, &SelectOptions::default()).unwrap_err();
    assert_eq!(error.code.as_str(), "E_SELECTOR_INVALID");
}

#[test]
fn an_explanation_tells_all_stages() {
    let memory = store();
    let got = explain(&memory, "@t0  .mt:depth(1-3)   .cb(role='user')", Dialect::V0_1).unwrap();
    assert_eq!(got.canonical, "@t0 .mt:depth(1..3) .cb[role='user']");
    assert_eq!(got.expanded, got.canonical);
    assert_eq!(got.time, "the snapshot of cycle 3");
    assert_eq!(
        got.plan,
        [
            "nodes with class ^sys or ^ah or turn and depth 1 to 3 anywhere: 3",
            "nodes with class block and role 'user' below these: 1",
            "in canonical order",
        ]
    );
    assert_eq!(got.reads, ["3 of 5 parts of the tree, one after the other"]);
    assert_eq!((got.ran.len(), got.ran[0].results, got.ran[0].tally.parts_read), (1, 1, 3));
    assert!(!got.advice.is_empty());
    let got = explain(&memory, "@* #u1", Dialect::V0_1).unwrap();
    assert_eq!(got.reads[0], "1 of 5 parts of the tree, found through the index of ids");
    let got = explain(&memory, "( .mt .mc ) > .cb:first ?? ^ah @limit=1", Dialect::V1_0).unwrap();
    assert!(got.plan.contains(&"or, if there is none:".to_owned()), "{:?}", got.plan);
}

/// A walk back through a range keeps what it found in a part. It once kept it where a ttl decides
/// what is found: `e` has one cycle left at cycle 5 and two at cycle 4, where its turn changed.
#[test]
fn what_a_ttl_decides_is_found_anew_at_each_cycle() {
    let mut memory = Memory::new(Generation::V0_1);
    for (id, ttl) in [("e", 5), ("f", 3)] {
        let (parent, id, ttl) = (Parent::HeadCore, Some(id.into()), Some(ttl));
        memory.add(Add { parent, id, ttl, ..Add::default() }).unwrap();
    }
    for _ in 0..7 {
        memory.commit();
    }
    for text in ["@c1..@c7 .cb[ttl<=1]", "@c1..@c7 .cb[ttl=2]", "@c2..@c6 .cb[ttl>2]"] {
        let options = SelectOptions::default();
        let walked = select(&memory, text, Dialect::V0_1, &options).unwrap();
        let whole = select_whole(&memory, text, Dialect::V0_1, &options).unwrap();
        assert_eq!(walked, whole, "{text}");
    }
}
