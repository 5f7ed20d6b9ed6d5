//! Threads for providers: calls and results paired, what cannot be said named, prefixes compared.

use crate::support::life::{CLOCK, must};
use crate::support::storage::Memory;
use pactdb::session::{EndReason, ThreadFormat, ThreadRequest, compare, thread};
use pactdb::{Code, Db, Options};
use serde_json::{Value, json};

pub(super) fn store(requests: &[Value]) -> Db {
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    for request in requests {
        must(&db, request);
    }
    db
}

pub(super) fn said(role: &str, text: &str) -> Value {
    let to = if role == "system" { "^sys" } else { "^ah" };
    json!({"op": "add", "to": to, "role": role, "content": text})
}

pub(super) fn call(id: &str, call: &str) -> Value {
    json!({"op": "add", "id": id, "kind": "call", "role": "assistant", "content": {"x": 1},
        "attrs": {"data_call_id": call, "data_tool_name": "look"}})
}

fn result(id: &str, call: &str) -> Value {
    json!({"op": "add", "id": id, "kind": "result", "role": "tool", "content": "seen",
        "attrs": {"data_call_id": call}})
}

fn json_of(db: &Db, format: ThreadFormat) -> Value {
    let said = thread(&db.working_state(), strict(format)).unwrap();
    assert_eq!(said.warnings, [""; 0]);
    serde_json::from_str(&said.text).unwrap()
}

fn strict(format: ThreadFormat) -> ThreadRequest {
    ThreadRequest { strict: true, ..ThreadRequest::from(format) }
}

#[test]
fn blocks_become_what_each_api_wants() {
    let db = store(&[
        said("system", "Be brief."),
        said("user", "Look."),
        said("assistant", "I do."),
        call("c1", "k1"),
        call("c2", "k2"),
        result("r1", "k1"),
        result("r2", "k2"),
        json!({"op": "commit"}),
        said("user", "And?"),
        json!({"op": "add", "role": "assistant", "content": {"answer": 42}}),
        json!({"op": "add", "role": "user"}),
    ]);
    let function = |id: &str| json!({"id": id, "type": "function", "function": {"name": "look", "arguments": "{\"x\":1}"}});
    assert_eq!(
        json_of(&db, ThreadFormat::Openai),
        json!([
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": "I do.", "tool_calls": [function("k1"), function("k2")]},
            {"role": "tool", "tool_call_id": "k1", "content": "seen"},
            {"role": "tool", "tool_call_id": "k2", "content": "seen"},
            {"role": "user", "content": "And?"},
            {"role": "assistant", "content": "{\"answer\":42}"},
        ])
    );
    let used = |id: &str| json!({"type": "tool_use", "id": id, "name": "look", "input": {"x": 1}});
    let got = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "seen"});
    assert_eq!(
        json_of(&db, ThreadFormat::Anthropic),
        json!({"system": "Be brief.", "messages": [
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": [{"type": "text", "text": "I do."}, used("k1"), used("k2")]},
            {"role": "user", "content": [got("k1"), got("k2"), {"type": "text", "text": "And?"}]},
            {"role": "assistant", "content": "{\"answer\":42}"},
        ]})
    );
    assert_eq!(
        thread(&db.working_state(), ThreadFormat::Thread).unwrap().text,
        db.thread(None).unwrap()
    );
    let reply = must(&db, &json!({"op": "thread", "format": "openai", "at": "@t0"}));
    assert_eq!(reply.as_array().unwrap().len(), 5);
}

#[test]
fn what_lost_its_other_half_can_be_left_out() {
    let cases = [
        // A result that expired: its call goes too.
        (vec![call("c", "k"), said("assistant", "Done.")], vec!["Look.", "Done."]),
        (vec![result("r", "k"), said("assistant", "Done.")], vec!["Look.", "Done."]),
        (vec![call("c", "k"), said("user", "Wait."), result("r", "k")], vec!["Look.", "Wait."]),
        (vec![json!({"op": "add", "kind": "call", "content": "?"})], vec!["Look."]),
        // One of two calls keeps its result.
        (vec![call("c", "k"), call("d", "l"), result("r", "l")], vec!["Look.", "call l", "seen"]),
        (
            vec![
                call("c", "k"),
                result("r", "k"),
                call("d", "l"),
                result("s", "m"),
                call("e", "n"),
                result("t", "n"),
            ],
            vec!["Look.", "call k", "seen", "call n", "seen"],
        ),
    ];
    for (more, expected) in cases {
        let mut requests = vec![said("user", "Look.")];
        requests.extend(more);
        let db = store(&requests);
        assert!(thread(&db.working_state(), strict(ThreadFormat::Openai)).is_err());
        for format in [ThreadFormat::Openai, ThreadFormat::Anthropic] {
            let request = ThreadRequest { drop_unpaired: true, ..strict(format) };
            thread(&db.working_state(), request).unwrap();
        }
        let reply = must(&db, &json!({"op": "thread", "format": "openai", "drop_unpaired": true}));
        let line = |message: &Value| match message.get("tool_calls") {
            Some(calls) => format!("call {}", calls[0]["id"].as_str().unwrap()),
            None => message["content"].as_str().unwrap().to_owned(),
        };
        let lines: Vec<String> = reply.as_array().unwrap().iter().map(line).collect();
        assert_eq!(lines, expected, "{requests:?}");
    }
}

#[test]
fn what_cannot_be_said_names_the_node() {
    let both = [ThreadFormat::Openai, ThreadFormat::Anthropic];
    let anthropic = [ThreadFormat::Anthropic];
    let openai = [ThreadFormat::Openai];
    let other = |role: &str| json!({"op": "add", "id": "x", "role": role, "content": "?"});
    let block = json!({"op": "add", "id": "x", "role": "user", "kind": "image", "content": {"type": "image"},
        "attrs": {"data_block": "anthropic"}});
    let part = json!({"op": "add", "id": "x", "role": "user", "content": [{"type": "hologram"}]});
    let late = json!({"op": "add", "id": "x", "role": "system", "content": "late"});
    let empty = json!({"op": "add", "id": "x", "role": "user", "content": ""});
    let arguments = json!({"op": "add", "id": "x", "kind": "call", "content": "not json",
        "attrs": {"data_call_id": "k", "data_tool_name": "look"}});
    let nameless = json!({"op": "add", "id": "x", "kind": "call", "attrs": {"data_call_id": "k"}});
    let loose = json!({"op": "add", "id": "x", "kind": "result", "content": "?"});
    let user = || said("user", "Look.");
    let cases: Vec<(Vec<Value>, &[ThreadFormat], &str)> = vec![
        (vec![user(), call("x", "k")], &both, "is a call without a result"),
        (
            vec![user(), call("x", "k"), user(), result("r", "k")],
            &both,
            "is a call without a result",
        ),
        (
            vec![user(), call("c", "k"), call("x", "l"), result("r", "k"), user()],
            &both,
            "is a call without",
        ),
        (vec![user(), result("x", "k")], &both, "answers the call k, which is not there"),
        (vec![user(), loose], &both, "has no data_call_id"),
        (vec![user(), other("tool")], &both, "has no data_call_id"),
        (vec![user(), other("narrator")], &both, "has the role narrator"),
        (vec![user(), nameless, result("r", "k")], &both, "has no data_tool_name"),
        (vec![user(), part], &both, "has a part of the type hologram"),
        (vec![user(), block], &openai, "is a block of the anthropic API alone"),
        (vec![user(), late], &anthropic, "is an instruction after the conversation has begun"),
        (vec![user(), empty], &anthropic, "is empty"),
        (vec![other("assistant")], &anthropic, "the user speaks first"),
        (vec![user(), arguments, result("r", "k")], &anthropic, "has arguments that are not JSON"),
    ];
    for (requests, formats, message) in cases {
        let db = store(&requests);
        for format in formats {
            let error = thread(&db.working_state(), strict(*format)).unwrap_err();
            assert_eq!(error.code, Code::AttrInvalid);
            assert!(error.message.starts_with("x "), "{error}");
            assert!(error.message.contains(message), "{error}, not {message}");
        }
    }
    let db = store(&[]);
    let reply = pactdb::protocol::handle_line(&db, "{\"op\":\"thread\",\"format\":\"telepathy\"}");
    assert!(reply.contains("E_REQUEST_INVALID"), "{reply}");
}

/// Why a common prefix ends, with which node, and in which cycle.
type End<'a> = (EndReason, Option<&'a str>, Option<u64>);

#[test]
fn the_common_prefix_ends_for_a_reason() {
    let base = || {
        vec![
            json!({"op": "add", "to": "^sys", "id": "rules", "role": "system", "content": "Be brief."}),
            json!({"op": "add", "id": "q", "role": "user", "content": "Where?"}),
            json!({"op": "add", "id": "a", "role": "assistant", "content": "There.", "ttl": 1}),
            json!({"op": "commit"}),
        ]
    };
    let add = json!({"op": "add", "id": "new", "role": "user", "content": "More."});
    let insert = json!({"op": "add", "id": "new", "to": "#mt:1", "offset": -1, "role": "user", "content": "First."});
    let cases: Vec<(Vec<Value>, End<'_>)> = vec![
        (vec![], (EndReason::Same, None, None)),
        (vec![add.clone()], (EndReason::Appended, Some("new"), None)),
        (vec![add.clone(), json!({"op": "commit"})], (EndReason::Expired, Some("a"), Some(2))),
        (
            vec![json!({"op": "set", "target": "#rules", "content": "Be kind."})],
            (EndReason::Edited, Some("rules"), None),
        ),
        (vec![insert], (EndReason::Inserted, Some("new"), None)),
        (
            vec![json!({"op": "remove", "target": "#rules"})],
            (EndReason::Removed, Some("rules"), None),
        ),
        (
            vec![json!({"op": "policy", "set": [{"max_blocks": 2}]}), json!({"op": "commit"})],
            (EndReason::Expired, Some("a"), Some(2)),
        ),
        (
            vec![
                json!({"op": "policy", "set": [{"region": "^seq", "max_blocks": 0}]}),
                json!({"op": "commit"}),
            ],
            (EndReason::Pruned, Some("q"), Some(2)),
        ),
    ];
    for (more, (reason, node, cycle)) in cases {
        let mut requests = base();
        requests.extend(more.clone());
        let db = store(&requests);
        for format in [ThreadFormat::Thread, ThreadFormat::Openai] {
            let (older, newer) = (db.snapshot(1).unwrap(), db.working_state());
            let found = compare(&db, &older, &newer, format).unwrap();
            assert_eq!(
                (found.reason, found.node.as_deref(), found.cycle),
                (reason, node, cycle),
                "{more:?}"
            );
            let texts =
                [thread(&older, format).unwrap().text, thread(&newer, format).unwrap().text];
            let at = found.common_bytes as usize;
            assert_eq!(texts[0].as_bytes()[..at], texts[1].as_bytes()[..at]);
            assert_ne!(texts[0].as_bytes().get(at), texts[1].as_bytes().get(at).or(Some(&0)));
            assert_eq!(found.bytes, [texts[0].len() as u64, texts[1].len() as u64]);
        }
    }
}
