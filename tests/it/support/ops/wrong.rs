//! Requests that are wrong in nearly every state, at least one for every code that an edit can meet.

use serde_json::{Value, json};

use super::picks::{self, Pick};
use crate::support::model::Model;

pub(super) fn request(model: &Model, kind: Pick, node: Pick) -> Value {
    let id = picks::unused(model, node.0);
    let target = picks::by_id(model, &node.any_id(model));
    let first = |class: &str| model.ids_of(class).first().map(|id| picks::by_id(model, id));
    let block = first("block").unwrap_or("^sys".into());
    let container = first("container").unwrap_or("^sys".into());
    let turn = first("turn").unwrap_or("^seq".into());
    kind.of(&[
        json!({"op": "add", "id": "sys"}),
        json!({"op": "add", "id": "mt:77"}),
        json!({"op": "add", "id": "cont:3"}),
        json!({"op": "add", "id": id, "to": "{id='no such node'}"}),
        json!({"op": "add", "id": id, "to": "^sys, ^ah"}),
        json!({"op": "add", "id": id, "to": "^sys, ^ah?"}),
        json!({"op": "add", "id": id, "to": "{id='no such node'}?", "colour": "red"}),
        json!({"op": "add", "id": "sys", "to": "{id='no such node'}?", "refs": ["no such node"]}),
        json!({"op": "add", "id": id, "to": "(d-1,+99)?"}),
        json!({"op": "move", "target": "{id='no such node'}", "to": "{id='no such node'}?"}),
        json!({"op": "move", "target": target, "to": "{id='no such node'}?"}),
        json!({"op": "add", "id": id, "to": "@t0 ^ah"}),
        json!({"op": "add", "id": id, "to": ""}),
        json!({"op": "add", "id": id, "to": block}),
        json!({"op": "add", "id": id, "to": "^root"}),
        json!({"op": "add", "id": id, "to": "^seq"}),
        json!({"op": "add", "id": id, "to": turn}),
        json!({"op": "add", "id": id, "to": "(d1,0,end)"}),
        json!({"op": "add", "id": id, "to": "(d0,end)", "offset": 1}),
        json!({"op": "add", "id": id, "to": "(d-1,+99)"}),
        json!({"op": "add", "id": id, "type": "seg:x"}),
        json!({"op": "add", "id": id, "type": "^ah"}),
        json!({"op": "add", "id": id, "type": "a b"}),
        json!({"op": "add", "id": id, "type": "a::b"}),
        json!({"op": "add", "id": id, "type": "cb:caf\u{e9}"}),
        json!({"op": "add", "id": id, "type": "mc", "container": false}),
        json!({"op": "add", "id": id, "ttl": -1}),
        json!({"op": "add", "id": id, "ttl": "2"}),
        json!({"op": "add", "id": id, "cad": 2}),
        json!({"op": "add", "id": id, "cad": 0, "key": "k1"}),
        json!({"op": "add", "id": id, "container": true, "offset": 1, "cad": 1, "key": "k1"}),
        json!({"op": "add", "id": id, "removable": true}),
        json!({"op": "add", "id": id, "tags": "t"}),
        json!({"op": "add", "id": id, "refs": ["no such node"]}),
        json!({"op": "add", "id": id, "refs": [id]}),
        json!({"op": "add", "id": id, "attrs": {"plain": 1}}),
        json!({"op": "add", "id": id, "attrs": {"content_hash": "x"}}),
        json!({"op": "add", "id": id, "colour": "red"}),
        json!({"op": "add", "id": id, "container": true, "to": "^ah"}),
        json!({"op": "set", "target": target, "role": "user"}),
        json!({"op": "set", "target": target, "offset": 1}),
        json!({"op": "set", "target": target, "colour": "red"}),
        json!({"op": "set", "target": "^sys", "ttl": 1}),
        json!({"op": "set", "target": turn, "ttl": 1}),
        json!({"op": "set", "target": "{id='no such node'}", "ttl": 1}),
        json!({"op": "set", "target": "@c1 ^ah", "ttl": 1}),
        json!({"op": "set", "target": "(d0,end)", "ttl": 1}),
        json!({"op": "set", "ttl": 1}),
        json!({"op": "set", "target": container, "cad": 1}),
        json!({"op": "move", "target": container, "to": container}),
        json!({"op": "move", "target": "^ah", "to": "^sys"}),
        json!({"op": "move", "target": target, "to": "{id='no such node'}"}),
        json!({"op": "move", "target": target, "to": "^seq"}),
        json!({"op": "move", "target": target, "to": block}),
        json!({"op": "move", "target": target, "to": "(d0,+1)"}),
        json!({"op": "move", "target": target}),
        json!({"op": "remove", "target": "^ah"}),
        json!({"op": "remove", "target": turn}),
        json!({"op": "remove", "target": "(d1,0)"}),
        json!({"op": "remove"}),
        json!({"op": "cadence"}),
        json!({"op": "policy", "set": [{"max_blocks": -1}]}),
        json!({"op": "policy", "set": [{"region": "^nowhere"}]}),
        json!({"op": "commit", "expected_cycle": -3}),
        json!({"op": "unheard of"}),
        json!({"no": "op"}),
    ])
    .clone()
}
