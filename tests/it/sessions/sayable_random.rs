//! Any store, any cycle, both APIs: what is said is accepted by their rules, is the same whenever
//! it is asked, and every warning names a node.

use crate::support::life::{CLOCK, ask, grow};
use crate::support::ops;
use crate::support::storage::Memory;
use crate::support::wire;
use pactdb::{Db, Generation, Options};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Asks for the threads of every state of a store.
fn check(db: &Db) -> Result<(), TestCaseError> {
    let cycles: Vec<u64> = db.history().iter().collect();
    let ats = cycles.iter().map(|cycle| json!(format!("@c{cycle}"))).chain([Value::Null]);
    for at in ats {
        for format in ["openai", "anthropic"] {
            for drop in [false, true] {
                let request =
                    json!({"op": "thread", "at": at, "format": format, "drop_unpaired": drop});
                let reply = ask(db, &request);
                let thread = &reply["ok"];
                let accepted = match format {
                    _ if !wire::says_something(thread) => Ok(()),
                    "openai" => wire::openai(thread),
                    _ => wire::anthropic(thread),
                };
                prop_assert!(accepted.is_ok(), "{request}: {accepted:?} in {reply}");
                prop_assert_eq!(&ask(db, &request), &reply);
                let address = if at.is_null() { None } else { at.as_str() };
                let state = db.at(address).unwrap();
                for warning in reply["warnings"].as_array().into_iter().flatten() {
                    let text = warning.as_str().unwrap();
                    let named = (1..text.len())
                        .filter(|end| text.is_char_boundary(*end) && text[*end..].starts_with(": "))
                        .any(|end| state.tree().get(&text[..end]).unwrap().is_some());
                    prop_assert!(named, "{text} names no node");
                }
            }
        }
    }
    Ok(())
}

/// A choice of a list.
fn pick(choice: u64, values: &[Value]) -> Value {
    values[choice as usize % values.len()].clone()
}

fn contents() -> Vec<Value> {
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}});
    let cached = json!({"type": "ephemeral"});
    vec![
        json!("text"),
        json!("ends in space \n"),
        json!(""),
        json!(" \t\u{1c}"),
        json!({"x": 1}),
        json!({"type": "image"}),
        json!([]),
        json!([1, {}]),
        json!(5),
        json!(false),
        json!("{\"a\": 1}"),
        json!("[1]"),
        json!("not json"),
        image.clone(),
        json!([image]),
        json!({"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}),
        json!({"type": "image", "source": {"type": "url", "url": "nowhere"}}),
        json!([{"type": "text", "text": "part"}, {"type": "text", "text": " "}]),
        json!([{"type": "text", "text": ""}]),
        json!([{"type": "text", "text": "kept", "cache_control": cached}]),
        json!([{"type": "text", "text": "kept", "colour": "red"}]),
        json!([{"type": "text"}, {"type": 5}, {"type": "hologram", "text": "?"}]),
        json!([{"type": "input_text", "text": "in"}, {"type": "refusal", "refusal": "no"}]),
        json!([{"type": "image_url", "image_url": {"url": "https://example.org/b.png", "detail": "low"}}]),
        json!([{"type": "image_url", "image_url": "data:image/png;base64,aGk="}]),
        json!([{"type": "image_url", "image_url": {"url": "data:text/plain;base64,aGk="}}]),
        json!([{"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}}]),
        json!([{"type": "file", "file": {"file_id": "f"}}, {"type": "file", "file": {}}]),
        json!({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "doc"}}),
        json!([{"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "aGk="}}]),
        json!({"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "found"}]}),
        json!([{"type": "search_result", "source": "s", "title": "t", "content": []}]),
        json!([{"type": "tool_use", "id": "k1", "name": "look", "input": {}}]),
        json!([{"type": "tool_result", "tool_use_id": "k1"}, {"type": "thinking", "thinking": "?"}]),
        json!({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}),
        json!({"type": "web_search_tool_result", "tool_use_id": "s1", "content": [
            {"type": "web_search_result", "title": "t", "url": "u", "encrypted_content": "e"}]}),
        json!([{"type": "tool_reference", "tool_name": "look"}]),
        json!({"type": "container_upload", "file_id": "f"}),
        json!("x".repeat(9000)),
    ]
}

/// Custom attributes that providers' threads are made of, right and wrong.
fn attrs(choice: &[u64]) -> Value {
    let long = json!("k".repeat(90));
    let names: [(&str, Vec<Value>); 10] = [
        (
            "data_call_id",
            vec![
                json!("k1"),
                json!("k2"),
                json!("k1"),
                json!("k 3"),
                json!(""),
                json!(7),
                long.clone(),
            ],
        ),
        (
            "data_tool_name",
            vec![
                json!("look"),
                json!("look"),
                json!("look up!"),
                json!(""),
                json!("l".repeat(200)),
                json!({}),
            ],
        ),
        ("data_name", vec![json!("ann"), json!("an n<>"), json!(""), long]),
        ("data_block", vec![json!("anthropic"), json!("openai-responses"), json!("?")]),
        ("data_signature", vec![json!("c2ln"), json!("")]),
        ("data_redacted", vec![json!(true)]),
        ("data_message", vec![json!(1), json!(2), json!("m")]),
        (
            "data_extra",
            vec![
                json!({"cache_control": {"type": "ephemeral"}}),
                json!({"cache_control": {"type": "eternal"}, "colour": "red"}),
                json!({"refusal": "I will not."}),
                json!({"refusal": "", "audio": {"id": "a"}, "role": "x", "content": 5}),
                json!({"citations": [{"type": "char_location", "cited_text": "c", "document_index": 0,
                    "document_title": null, "start_char_index": 0, "end_char_index": 1}]}),
                json!({"citations": [], "caller": {"type": "direct"}, "type": "x"}),
                json!("extra"),
            ],
        ),
        ("data_is_error", vec![json!(true), json!("yes")]),
        ("data_tool_type", vec![json!("custom"), json!("computer")]),
    ];
    let mut attrs = json!({});
    // Calls and results need most of the names to be calls and results at all.
    let odds = [5, 5, 1, 1, 2, 1, 2, 2, 1, 1];
    for (i, (name, values)) in names.iter().enumerate() {
        let chance = choice[i % choice.len()].rotate_left(i as u32 * 5);
        if chance % 6 < odds[i] {
            attrs[*name] = pick(chance / 6, values);
        }
    }
    attrs
}

/// One request of an agent that is careless with what it keeps.
fn request(choice: &[u64], number: usize) -> Value {
    let roles =
        ["user", "assistant", "system", "developer", "tool", "function", "narrator", "a\nb"];
    let kinds = ["call", "result", "call", "result", "reasoning", "summary", "image", "document"];
    let [op, role, kind, content, place, ..] = choice else { return json!({"op": "commit"}) };
    match op % 24 {
        0..=3 => json!({"op": "commit"}),
        4 => json!({"op": "undo"}),
        5 => {
            json!({"op": "remove", "target": format!("#n{}", role % (number as u64 + 1)), "force": true})
        }
        6 if role % 3 == 0 => json!({"op": "restore", "at": "@t-1", "discard": true}),
        7 if role % 3 == 0 => {
            json!({"op": "policy", "set": [{"max_blocks": 3 + kind % 12, "protect_recent_turns": 1}]})
        }
        8 => {
            let target = format!("#n{}", role % (number as u64 + 1));
            json!({"op": "set", "target": target, "attrs": attrs(&choice[1..])})
        }
        _ => {
            let mut add =
                json!({"op": "add", "id": format!("n{number}"), "attrs": attrs(&choice[1..])});
            if kind % 3 > 0 {
                add["kind"] = json!(kinds[*kind as usize / 3 % kinds.len()]);
            }
            if role % 5 > 0 {
                add["role"] = json!(roles[*role as usize / 5 % roles.len()]);
            }
            if content % 11 > 0 {
                add["content"] = pick(content / 11, &contents());
            }
            match place % 8 {
                0 => add["to"] = json!("^sys"),
                1 => add["offset"] = json!(-1),
                2 => add["offset"] = json!(1),
                3 => {
                    add["to"] = json!("d1");
                    add["offset"] = json!(1);
                }
                _ => {}
            }
            if place / 8 % 2 == 0 {
                add["ttl"] = json!(place / 16 % 4);
            }
            add
        }
    }
}

fn careless(choices: &[Vec<u64>], mut after: impl FnMut(&Db)) -> Db {
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    for (number, choice) in choices.iter().enumerate() {
        ask(&db, &request(choice, number));
        after(&db);
    }
    db
}

/// What is said in each format, with the warnings.
fn said(db: &Db, at: Option<u64>) -> [Value; 3] {
    let at = at.map(|seq| format!("@e{seq}"));
    ["thread", "openai", "anthropic"]
        .map(|format| ask(db, &json!({"op": "thread", "at": at, "format": format})))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_state_of_a_careless_agent_can_be_said(
        choices in prop::collection::vec(prop::collection::vec(any::<u64>(), 6), 1..40),
    ) {
        check(&careless(&choices, |_| {}))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// What an agent was sent can be had again, whatever came of its blocks afterwards.
    #[test]
    fn what_is_said_after_an_event_stays_what_it_was(
        choices in prop::collection::vec(prop::collection::vec(any::<u64>(), 6), 1..40),
    ) {
        let mut then = BTreeMap::new();
        let db = careless(&choices, |db| {
            then.insert(db.events(), said(db, None));
        });
        for (seq, then) in then {
            prop_assert_eq!(said(&db, Some(seq)), then, "@e{}", seq);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn every_state_of_any_store_can_be_said(ops in ops::sequence(1..30)) {
        for generation in [Generation::V0_1, Generation::V1_0] {
            check(&grow(generation, &ops))?;
        }
    }
}
