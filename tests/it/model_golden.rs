//! Golden tests of the naive model: small cases worked out by hand from the rules, so that the judge is judged too.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bytes;
mod cadence;
mod edits;
mod history;
mod imports;
mod insertion;
mod lifecycle;
mod pruning;

use serde_json::{Value, json};

use crate::support::model::Model;

/// A new 0.1 store with the clock at 0.
fn store() -> Model {
    Model::new("0.1")
}

/// The reply of a request that must be accepted.
fn ok(model: &mut Model, request: Value) -> Value {
    let reply = model.handle(&request);
    assert!(reply.get("ok").is_some(), "{request} was refused: {reply}");
    assert_eq!(model.check(), Vec::<String>::new(), "after {request}");
    reply["ok"].clone()
}

/// Accepts every request.
fn all(model: &mut Model, requests: &[Value]) {
    for request in requests {
        ok(model, request.clone());
    }
}

/// The codes of a request that must be refused, joined by spaces.
fn refused(model: &mut Model, request: Value) -> String {
    let before = model.export_bytes(None);
    let reply = model.handle(&request);
    assert!(reply.get("error").is_some(), "{request} was accepted: {reply}");
    assert_eq!(model.export_bytes(None), before, "{request} left a trace");
    let codes: Vec<&str> =
        reply["error"]["codes"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
    codes.join(" ")
}

fn commit(model: &mut Model) -> Value {
    ok(model, json!({"op": "commit"}))
}

/// The tree as one line: `id@offset(children…)`, the offset left out when it is 0.
fn sketch(model: &mut Model, at: Option<&str>) -> String {
    let export = ok(model, json!({"op": "export", "at": at}));
    export["root"]["children"].as_array().unwrap().iter().map(draw).collect::<Vec<_>>().join(" ")
}

fn draw(node: &Value) -> String {
    let mut text = node["id"].as_str().unwrap().to_string();
    if node["offset"] != json!(0) {
        text += &format!("@{}", node["offset"]);
    }
    let children = node["children"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !children.is_empty() {
        let inner: Vec<String> = children.iter().map(draw).collect();
        text += &format!("({})", inner.join(" "));
    }
    text
}

/// One node of the export of a state.
fn node(model: &mut Model, at: Option<&str>, id: &str) -> Option<Value> {
    let export = ok(model, json!({"op": "export", "at": at}));
    find(&export["root"], id)
}

fn find(node: &Value, id: &str) -> Option<Value> {
    if node["id"] == id {
        return Some(node.clone());
    }
    node["children"].as_array()?.iter().find_map(|child| find(child, id))
}
