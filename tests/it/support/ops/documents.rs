//! Snapshot documents: an export of some state of the store, changed in ways that are legal and ways that are not.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::picks::{self, Pick, Time};
use crate::support::model::Model;

/// What is done to a document.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Content,
    Bare,
    Birth,
    Ttl,
    Mime,
    Drop,
    NewBlock,
    NewContainer,
    Rename,
    Flatten,
    OddAttributes,
    DanglingRef,
    CadWithoutKey,
    Cadence,
    TakeTurnName,
    DropRegion,
    Twice,
    NoId,
    WrongType,
    WrongHash,
    SecondCore,
    TurnInside,
    HashOnContainer,
    Version,
}

pub(super) fn change() -> impl Strategy<Value = Change> {
    use Change::*;
    prop_oneof![
        6 => prop::sample::select(vec![
            Content, Bare, Birth, Ttl, Mime, Drop, NewBlock, NewContainer, Rename, Flatten, OddAttributes, DanglingRef,
            CadWithoutKey, Cadence, TakeTurnName, DropRegion,
        ]),
        1 => prop::sample::select(vec![
            Twice, NoId, WrongType, WrongHash, SecondCore, TurnInside, HashOnContainer, Version,
        ]),
    ]
}

pub(super) fn request(
    model: &Model,
    of: &Time,
    changes: &[(Change, Pick, Pick)],
    cycle: Pick,
) -> Value {
    let mut reader = model.clone();
    let reply = reader.handle(&json!({"op": "export", "at": of.address(model)}));
    let mut document = match reply.get("ok") {
        Some(document) => document.clone(),
        None => json!({"cycle": 0, "root": {}}),
    };
    let next = model.last_cycle() + 1;
    match cycle.0 % 8 {
        0 => document["cycle"] = json!(next - 1),
        1 => document["cycle"] = json!(0),
        2 => document["cycle"] = Value::Null,
        3 => document["cycle"] = json!(next + 2),
        _ => document["cycle"] = json!(next),
    }
    for (change, node, name) in changes {
        apply(model, &mut document, *change, *node, *name);
    }
    json!({"op": "import", "snapshot": document})
}

fn apply(model: &Model, document: &mut Value, change: Change, node: Pick, name: Pick) {
    let block = |value: &Value| value.get("children").is_none();
    let parent = |value: &Value| {
        let node_type = value["nodeType"].as_str().unwrap_or_default();
        value.get("children").is_some() && !matches!(node_type, "^root" | "^seq")
    };
    let turn_or_head = |value: &Value| {
        matches!(value["nodeType"].as_str(), Some("^ah" | "mt" | "seg")) && parent(value)
    };
    let fresh = picks::unused(model, name.0);
    match change {
        Change::Content => edit(document, node, block, |it| {
            it["content"] = name.some_json();
            forget(it, "content_hash");
        }),
        Change::Bare => edit(
            document,
            node,
            |it| it.get("id").is_some(),
            |it| {
                let headers =
                    ["created_at_ns", "created_at_iso", "creation_index", "cycle", "priority"];
                for (i, header) in headers.into_iter().enumerate() {
                    if name.0 >> i & 1 == 0 {
                        forget(it, header);
                    }
                }
            },
        ),
        Change::Birth => edit(
            document,
            node,
            |it| it.get("id").is_some(),
            |it| {
                it["created_at_ns"] = json!(name.0);
                it["created_at_iso"] = json!("long ago");
                it["creation_index"] = json!(name.0 % 50);
            },
        ),
        Change::Mime => edit(
            document,
            node,
            |it| block(it) || name.0.is_multiple_of(4),
            |it| {
                it["mime"] = json!(name.of(&["text/plain", "image/png", ""]));
                it["encoding"] = json!(name.of(&[Value::Null, json!("base64")]));
            },
        ),
        Change::Ttl => edit(document, node, block, |it| it["ttl"] = json!(name.0 % 4)),
        Change::Drop => edit(document, node, parent, |it| {
            it["children"].as_array_mut().unwrap().pop();
        }),
        Change::NewBlock => {
            add_child(document, node, parent, json!({"id": fresh, "content": name.json()}));
        }
        Change::NewContainer => {
            let child = json!({"id": fresh, "nodeType": "group", "offset": 2, "removable": true, "children": []});
            add_child(document, node, parent, child);
        }
        Change::Rename => edit(document, node, block, |it| it["id"] = json!(fresh)),
        Change::Flatten => edit(document, node, turn_or_head, flatten),
        Change::OddAttributes => edit(
            document,
            node,
            |it| it.get("id").is_some(),
            |it| {
                it["plain"] = name.json();
                it["nothing"] = Value::Null;
            },
        ),
        Change::DanglingRef => edit(document, node, block, |it| it["refs"] = json!(["nobody"])),
        Change::CadWithoutKey => edit(document, node, block, |it| {
            it["cad"] = json!(1);
            forget(it, "key");
        }),
        Change::Cadence => edit(document, node, block, |it| {
            it["cad"] = json!(1 + name.0 % 2);
            it["key"] = json!(name.of(&picks::KEYS));
        }),
        Change::TakeTurnName => {
            let word = name.of(&["mt", "mc", "seg", "cont"]);
            let id = format!("{word}:{}", model.last_cycle() + 2);
            add_child(document, node, parent, json!({"id": id, "offset": 1}));
        }
        Change::DropRegion => {
            if let Some(children) = document["root"]["children"].as_array_mut() {
                children.remove(node.0 as usize % children.len().max(1));
            }
        }
        Change::Twice => {
            let id = node.any_id(model);
            add_child(document, node, parent, json!({"id": id}));
            add_child(document, node, parent, json!({"id": id}));
        }
        Change::NoId => add_child(document, node, parent, json!({"content": "x"})),
        Change::WrongType => {
            let (header, value) = name
                .of(&[
                    ("ttl", json!("x")),
                    ("ttl", json!(-1)),
                    ("offset", json!(1.5)),
                    ("tags", json!(["a", 1])),
                    ("role", json!(5)),
                    ("refs", json!("r")),
                    ("cad", json!(0)),
                ])
                .clone();
            edit(document, node, block, |it| it[header] = value);
        }
        Change::WrongHash => edit(document, node, block, |it| it["content_hash"] = json!("00")),
        Change::SecondCore => {
            for id in [fresh.clone(), format!("{fresh}b")] {
                add_child(document, node, turn_or_head, json!({"id": id, "nodeType": "mc"}));
            }
        }
        Change::TurnInside => {
            add_child(
                document,
                node,
                parent,
                json!({"id": fresh, "nodeType": "mt", "children": []}),
            );
        }
        Change::Version => {
            document["spec_version"] = name
                .of(&[
                    json!("PACT/0.1"),
                    json!("PACT/1.9"),
                    json!("PACT/2.0"),
                    json!(1),
                    Value::Null,
                ])
                .clone();
        }
        Change::HashOnContainer => {
            edit(document, node, parent, |it| it["content_hash"] = json!("00"));
        }
    }
}

/// The blocks of the core take its place: an implied core.
fn flatten(turn: &mut Value) {
    let children = turn["children"].as_array_mut().unwrap();
    let is_core = |it: &Value| it["offset"] == json!(0) && it.get("children").is_some();
    let Some(at) = children.iter().position(is_core) else { return };
    let core = children.remove(at);
    for mut child in core["children"].as_array().unwrap().clone() {
        if child.get("children").is_none() {
            child["offset"] = json!(0);
            children.push(child);
        }
    }
}

fn forget(node: &mut Value, name: &str) {
    node.as_object_mut().unwrap().remove(name);
}

fn add_child(document: &mut Value, node: Pick, fits: impl Fn(&Value) -> bool, child: Value) {
    edit(document, node, fits, |it| it["children"].as_array_mut().unwrap().push(child));
}

/// Changes one of the nodes that fit, if there are any.
fn edit(
    document: &mut Value,
    node: Pick,
    fits: impl Fn(&Value) -> bool,
    change: impl FnOnce(&mut Value),
) {
    let mut paths = Vec::new();
    collect(&document["root"], "/root".to_string(), &fits, &mut paths);
    if !paths.is_empty() {
        change(document.pointer_mut(node.of::<String>(&paths)).unwrap());
    }
}

fn collect(node: &Value, path: String, fits: &dyn Fn(&Value) -> bool, paths: &mut Vec<String>) {
    if node.is_object() && path != "/root" && fits(node) {
        paths.push(path.clone());
    }
    for (i, child) in node["children"].as_array().into_iter().flatten().enumerate() {
        collect(child, format!("{path}/children/{i}"), fits, paths);
    }
}
