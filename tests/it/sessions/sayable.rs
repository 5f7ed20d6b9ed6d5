//! Every state can be said: how what the APIs have no place for is rendered, what stands for a
//! result that is gone, and what the warnings tell.

use super::threads::{call, said, store};
use crate::support::life::{ask, must};
#[cfg(feature = "cli")]
use crate::support::program::Folder;
use crate::support::wire;
use pactdb::Db;
use pactdb::session::{EndReason, ThreadFormat, ThreadRequest, compare};
use serde_json::{Value, json};

mod ends;

fn result(id: &str, call: &str, more: Value) -> Value {
    let mut request = json!({"op": "add", "id": id, "kind": "result", "role": "tool",
        "content": "seen", "attrs": {"data_call_id": call}});
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    request
}

fn commit() -> Value {
    json!({"op": "commit"})
}

/// A thread that its API accepts, and the warnings beside it.
fn say(db: &Db, format: &str, at: Option<&str>) -> (Value, Vec<String>) {
    let reply = ask(db, &json!({"op": "thread", "format": format, "at": at}));
    let thread = reply["ok"].clone();
    if wire::says_something(&thread) {
        let accepted = match format {
            "openai" => wire::openai(&thread),
            _ => wire::anthropic(&thread),
        };
        accepted.unwrap_or_else(|rule| panic!("{rule} in {reply}"));
    }
    let warnings = reply.get("warnings").and_then(Value::as_array).cloned().unwrap_or_default();
    (thread, warnings.iter().map(|text| text.as_str().unwrap().to_owned()).collect())
}

/// The messages in short: who, and what.
fn lines(thread: &Value) -> Vec<String> {
    let messages = thread.get("messages").unwrap_or(thread);
    let block = |block: &Value| match block["type"].as_str().unwrap() {
        "text" => block["text"].as_str().unwrap().to_owned(),
        "tool_use" => format!("call {}", block["id"].as_str().unwrap()),
        "tool_result" => format!("result {}", block["content"].as_str().unwrap_or("none")),
        other => other.to_owned(),
    };
    let mut found = Vec::new();
    for message in messages.as_array().unwrap() {
        let mut texts: Vec<String> = match &message["content"] {
            Value::String(text) => vec![text.clone()],
            Value::Array(blocks) => blocks.iter().map(block).collect(),
            _ => Vec::new(),
        };
        for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            texts.push(format!("call {}", call["id"].as_str().unwrap()));
        }
        found.push(format!("{}: {}", message["role"].as_str().unwrap(), texts.join(" | ")));
    }
    found
}

#[test]
fn fifty_of_fifty_turns_of_an_agent_with_expiring_results_can_be_said() {
    let db = store(&[said("system", "Be brief.")]);
    let mut sayable = 0;
    for turn in 1..=50 {
        must(&db, &said("user", "Look."));
        must(&db, &call(&format!("c{turn}"), &format!("k{turn}")));
        must(&db, &result(&format!("r{turn}"), &format!("k{turn}"), json!({"ttl": 2})));
        must(&db, &said("assistant", "Done."));
        let before = ["openai", "anthropic"].map(|format| say(&db, format, None));
        must(&db, &commit());
        let after = ["openai", "anthropic"].map(|format| say(&db, format, Some("@t0")));
        for (thread, warnings) in before.iter().chain(&after) {
            let text = thread.to_string();
            let expired = text.matches("[expired after 2 cycles]").count();
            assert_eq!(warnings.len(), expired, "{warnings:?}");
            assert_eq!(text.matches("seen").count() + expired, turn);
        }
        sayable += 1;
    }
    assert_eq!(sayable, 50);
    // The state of any cycle tells what was known then.
    for cycle in 1..=50 {
        let at = format!("@c{cycle}");
        let (thread, warnings) = say(&db, "openai", Some(&at));
        assert_eq!(
            thread.to_string().matches("[expired after 2 cycles]").count(),
            cycle.max(2) - 2
        );
        assert_eq!(warnings.len(), cycle.max(2) - 2);
    }
}

#[cfg(feature = "cli")]
#[test]
fn the_demo_can_be_said_at_every_cycle() {
    let folder = Folder::new();
    folder.ok(&["demo", "demo.pactdb"]);
    let mut requests = String::new();
    let addresses: Vec<Option<String>> =
        (1..=25).map(|cycle| Some(format!("@c{cycle}"))).chain([None]).collect();
    for at in &addresses {
        for format in ["openai", "anthropic"] {
            requests += &json!({"op": "thread", "format": format, "at": at}).to_string();
            requests.push('\n');
        }
    }
    let ran = folder.run_with(&["-s", "demo.pactdb", "pipe"], &requests);
    let replies: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(replies.len(), 2 * addresses.len());
    for pair in replies.chunks(2) {
        wire::openai(&pair[0]["ok"]).unwrap();
        wire::anthropic(&pair[1]["ok"]).unwrap();
    }
    assert!(ran.out.contains("[expired after 4 cycles]"));
}

/// What is in a state, and how each API hears it.
fn check(requests: &[Value], openai: &[&str], anthropic: &[&str], warning: &str) {
    let db = store(requests);
    for (format, expected) in [("openai", openai), ("anthropic", anthropic)] {
        let (thread, warnings) = say(&db, format, None);
        assert_eq!(lines(&thread), expected, "{format}: {requests:?}");
        let told = warnings.iter().any(|text| text.starts_with(warning));
        assert!(told || warning.is_empty(), "{warning} is not in {warnings:?}");
        assert_eq!(say(&db, format, None).0, thread);
    }
}

#[test]
fn each_thing_that_an_api_does_not_know_has_a_rendering() {
    let user = || said("user", "Look.");
    let add = |fields: Value| {
        let mut request = json!({"op": "add", "id": "x"});
        request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        request
    };
    let same = |requests: &[Value], lines: &[&str], warning: &str| {
        check(requests, lines, lines, warning);
    };
    // Roles and kinds.
    let narrator = add(json!({"role": "narrator", "content": "It rains."}));
    check(
        &[user(), narrator],
        &["user: Look.", "user: [narrator] It rains."],
        &["user: Look. | [narrator] It rains."],
        "x: has the role narrator, which providers do not know: said in the user's name",
    );
    let document = add(json!({"role": "tool", "kind": "document", "content": "18 degrees"}));
    check(
        &[user(), document],
        &["user: Look.", "user: [tool document] 18 degrees"],
        &["user: Look. | [tool document] 18 degrees"],
        "x: has no data_call_id",
    );
    let served =
        add(json!({"role": "assistant", "kind": "web_search_call", "content": {"q": "sky"},
        "attrs": {"data_block": "openai-responses"}}));
    same(
        &[user(), served],
        &["user: Look.", "assistant: [web_search_call] {\"q\":\"sky\"}"],
        "x: is a block of the openai-responses API alone: said as a text",
    );
    // Instructions in the middle, empty texts, an assistant that speaks first.
    let late = add(json!({"role": "system", "content": "Hurry."}));
    check(
        &[user(), late.clone()],
        &["user: Look.", "system: Hurry."],
        &["user: Look. | [system] Hurry."],
        "",
    );
    let (_, warnings) = say(&store(&[user(), late]), "anthropic", None);
    assert!(warnings[0].starts_with("x: is an instruction after the conversation has begun: "));
    for text in ["", " \n\t"] {
        let empty = add(json!({"role": "user", "content": text}));
        same(&[user(), empty], &["user: Look."], "x: is empty: left out");
    }
    check(
        &[add(json!({"role": "assistant", "content": "Hello. "}))],
        &["assistant: Hello. "],
        &["user: [the assistant speaks first]", "assistant: Hello."],
        "",
    );
    // Results without calls, twice, before their calls, and late.
    let seen = |id: &str| result(id, "k", json!({}));
    check(
        &[user(), seen("x")],
        &["user: Look.", "user: [result of the call k] seen"],
        &["user: Look. | [result of the call k] seen"],
        "x: answers the call k, which is not there: said in the user's name",
    );
    check(
        &[user(), call("c", "k"), seen("r"), seen("x")],
        &["user: Look.", "assistant: call k", "tool: seen", "user: [result of the call k] seen"],
        &["user: Look.", "assistant: call k", "user: result seen | [result of the call k] seen"],
        "x: answers the call k",
    );
    check(
        &[user(), call("x", "k"), said("user", "Wait."), seen("r")],
        &["user: Look.", "assistant: call k", "tool: seen", "user: Wait."],
        &["user: Look.", "assistant: call k", "user: result seen | Wait."],
        "x: is a call without a result right after it: its result r is said there",
    );
    check(
        &[user(), seen("r"), call("x", "k")],
        &["user: Look.", "assistant: call k", "tool: seen"],
        &["user: Look.", "assistant: call k", "user: result seen"],
        "x: is a call without a result right after it: its result r is said there",
    );
}

#[test]
fn calls_have_names_that_the_api_allows() {
    let user = || said("user", "Look.");
    let named = |id: &str, attrs: Value| {
        let content = json!("three");
        json!({"op": "add", "id": id, "kind": "call", "content": content, "attrs": attrs})
    };
    let db = store(&[
        user(),
        named("a", json!({"data_call_id": "k", "data_tool_name": "look"})),
        named("b", json!({"data_call_id": "k", "data_tool_name": "look up!"})),
        named("c", json!({"data_call_id": "k 3/4"})),
        named("d", json!({})),
    ]);
    let (thread, warnings) = say(&db, "anthropic", None);
    let calls = thread["messages"][1]["content"].as_array().unwrap();
    let of = |name: &str| calls.iter().map(|call| call[name].clone()).collect::<Vec<_>>();
    assert_eq!(of("id"), ["k", "k_2", "k_3_4", "call_d"]);
    assert_eq!(of("name"), ["look", "look_up_", "unknown", "unknown"]);
    assert_eq!(of("input"), vec![json!({"input": "three"}); 4]);
    for beginning in [
        "a: has arguments that are not JSON: ",
        "b: has the id k of another call: its call has the id k_2 here",
        "b: calls look up!, a name that this API does not allow: ",
        "c: has the id k 3/4, which this API does not allow: ",
        "c: has no data_tool_name: ",
        "d: has no data_call_id to be paired by: its call has the id call_d here",
        "d: is a call without a result right after it: its result is [no result] here",
    ] {
        assert!(
            warnings.iter().any(|text| text.starts_with(beginning)),
            "{beginning}: {warnings:?}"
        );
    }
    let (thread, _) = say(&db, "openai", None);
    let calls = thread[1]["tool_calls"].as_array().unwrap();
    let ids: Vec<&Value> = calls.iter().map(|call| &call["id"]).collect();
    assert_eq!(ids, ["k", "k_2", "k 3/4", "call_d"]);
    assert_eq!(calls[0]["function"]["arguments"], "{\"input\":\"three\"}");
}

#[test]
fn a_state_with_nothing_to_say_is_an_empty_list_and_a_warning() {
    let empty = said("user", " ");
    for requests in [vec![], vec![empty], vec![json!({"op": "add", "role": "user"}), commit()]] {
        let db = store(&requests);
        let (thread, warnings) = say(&db, "openai", None);
        assert_eq!(thread, json!([]));
        assert_eq!(warnings.last().unwrap(), "root: there is nothing to say in this state");
        let (thread, warnings) = say(&db, "anthropic", None);
        assert_eq!(thread, json!({"messages": []}));
        assert_eq!(warnings.last().unwrap(), "root: there is nothing to say in this state");
    }
    // Instructions alone are something, and the API wants a message beside them.
    let db = store(&[said("system", "Be brief.")]);
    assert_eq!(
        say(&db, "openai", None),
        (json!([{"role": "system", "content": "Be brief."}]), vec![])
    );
    let (thread, warnings) = say(&db, "anthropic", None);
    assert_eq!(lines(&thread), ["user: [nothing was said yet]"]);
    assert!(warnings[0].starts_with("cb:1: is an instruction, and nobody has spoken yet: "));
}

#[test]
fn strict_is_an_error_that_advises_what_works() {
    let narrator = json!({"op": "add", "id": "x", "role": "narrator", "content": "It rains."});
    let db = store(&[said("user", "Look."), narrator, call("c", "k")]);
    for format in ["openai", "anthropic"] {
        let reply = ask(&db, &json!({"op": "thread", "format": format, "strict": true}));
        let error = &reply["error"];
        assert_eq!(error["code"], "E_ATTR_INVALID");
        assert_eq!(
            error["message"],
            "x cannot be said to this provider: it has the role narrator, which providers do not know"
        );
        // A role is fixed: no `set` can mend it.
        let hint = error["hint"].as_str().unwrap();
        assert!(!hint.contains("set"), "{hint}");
        assert_eq!(hint, "without `strict`: said in the user's name, after a label");
        let dropped = json!({"op": "thread", "format": format, "drop_unpaired": true});
        let reply = ask(&db, &dropped);
        assert!(!reply["ok"].to_string().contains("look"), "{reply}");
        let warnings = reply["warnings"].to_string();
        assert!(warnings.contains("c: has lost its other half: left out"), "{warnings}");
    }
    for (field, value) in [("strict", json!("yes")), ("drop_unpaired", json!(1))] {
        let reply = ask(&db, &json!({"op": "thread", "format": "openai", field: value}));
        assert_eq!(reply["error"]["code"], "E_ATTR_INVALID", "{reply}");
    }
}

#[test]
fn threads_with_renderings_are_compared_too() {
    let db = store(&[
        said("user", "Look."),
        call("c", "k"),
        result("r", "k", json!({"ttl": 1})),
        said("assistant", "Done."),
        commit(),
        said("user", "And?"),
        commit(),
        said("assistant", "That is all."),
        commit(),
    ]);
    for format in [ThreadFormat::Openai, ThreadFormat::Anthropic] {
        let (first, second, third) =
            (db.snapshot(1).unwrap(), db.snapshot(2).unwrap(), db.snapshot(3).unwrap());
        let found = compare(&db, &first, &second, format).unwrap();
        assert_eq!((found.reason, found.node.as_deref()), (EndReason::Expired, Some("r")));
        assert_eq!(found.cycle, Some(2));
        let found = compare(&db, &second, &third, format).unwrap();
        assert_eq!(found.reason, EndReason::Appended);
        // What was said in another way stands the same in both.
        assert_eq!(found.common_blocks, 4);
        let strict = ThreadRequest { strict: true, ..ThreadRequest::from(format) };
        assert!(compare(&db, &first, &second, strict).is_err());
    }
}
