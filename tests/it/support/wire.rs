//! What the two APIs accept as a conversation, from their documentation, rule by rule. It knows
//! nothing of the engine.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

type Checked = Result<(), String>;

fn check(holds: bool, rule: &str) -> Checked {
    match holds {
        true => Ok(()),
        false => Err(rule.to_owned()),
    }
}

/// Whether a thread says anything.
pub(crate) fn says_something(thread: &Value) -> bool {
    match thread {
        Value::Array(messages) => !messages.is_empty(),
        _ => thread.get("system").is_some() || thread["messages"] != serde_json::json!([]),
    }
}

fn list(value: &Value) -> Result<&Vec<Value>, String> {
    let list = value.as_array().ok_or_else(|| format!("{value} is no list"))?;
    check(!list.is_empty(), "a list is empty")?;
    Ok(list)
}

fn map(value: &Value) -> Result<&Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("{value} is no object"))
}

fn words(value: &Value) -> Result<&str, String> {
    let text = value.as_str().ok_or_else(|| format!("{value} is no text"))?;
    check(text.chars().any(|c| !c.is_whitespace() && c > '\u{1f}'), "a text is empty")?;
    Ok(text)
}

fn only(value: &Value, needed: &[&str], allowed: &[&str]) -> Checked {
    let map = map(value)?;
    for name in needed {
        check(map.contains_key(*name), &format!("{name} is missing in {value}"))?;
    }
    for name in map.keys() {
        let known = needed.contains(&name.as_str()) || allowed.contains(&name.as_str());
        check(known, &format!("{name} is no field of {value}"))?;
    }
    Ok(())
}

fn plain(text: &str, most: usize) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=most).contains(&text.len()) && text.chars().all(fits)
}

fn base64(value: &Value) -> Checked {
    let text = words(value)?;
    let fits = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
    check(text.len() % 4 == 0 && text.chars().all(fits), "no base64")
}

fn one_of(value: &Value, known: &[&str]) -> Checked {
    check(value.as_str().is_some_and(|text| known.contains(&text)), &format!("{value} is unknown"))
}

/// The messages of the OpenAI chat API.
pub(crate) fn openai(thread: &Value) -> Checked {
    let messages = list(thread)?;
    let mut seen = BTreeSet::new();
    let mut at = 0;
    while let Some(message) = messages.get(at) {
        openai_message(message).map_err(|rule| format!("message {at}: {rule}"))?;
        at += 1;
        let mut open = BTreeSet::new();
        for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let id = call["id"].as_str().unwrap().to_owned();
            check(seen.insert(id.clone()), &format!("the call {id} is there twice"))?;
            open.insert(id);
        }
        while !open.is_empty() {
            let answer = messages.get(at).unwrap_or(&Value::Null);
            let id = answer["tool_call_id"].as_str().unwrap_or_default();
            check(answer["role"] == "tool" && open.remove(id), "a call is not answered at once")?;
            openai_message(answer).map_err(|rule| format!("message {at}: {rule}"))?;
            at += 1;
        }
        if let Some(called) = message.get("function_call").filter(|value| !value.is_null()) {
            let answer = messages.get(at).unwrap_or(&Value::Null);
            let answers = answer["role"] == "function" && answer["name"] == called["name"];
            check(answers, "a function is not answered at once")?;
            words(&answer["content"])?;
            at += 1;
        } else {
            check(message["role"] != "tool", "a result answers no call")?;
        }
    }
    Ok(())
}

fn openai_message(message: &Value) -> Checked {
    let role = message["role"].as_str().unwrap_or_default();
    if let Some(name) = message.get("name") {
        check(name.as_str().is_some_and(|name| plain(name, 64)), "a name that is not allowed")?;
    }
    match role {
        "system" | "developer" => {
            only(message, &["role", "content"], &["name"])?;
            openai_content(&message["content"], &["text"])
        }
        "user" => {
            only(message, &["role", "content"], &["name"])?;
            openai_content(&message["content"], &["text", "image_url", "input_audio", "file"])
        }
        "tool" => {
            only(message, &["role", "content", "tool_call_id"], &[])?;
            openai_content(&message["content"], &["text"])
        }
        "assistant" => {
            let beside = ["tool_calls", "function_call", "refusal", "audio", "name"];
            only(message, &["role"], &[&beside[..], &["content"]].concat())?;
            let speaks = beside[..4].iter().any(|name| !message[*name].is_null());
            check(!message["content"].is_null() || speaks, "an assistant says nothing")?;
            if !message["content"].is_null() {
                openai_content(&message["content"], &["text", "refusal"])?;
            }
            if let Some(refusal) = message.get("refusal").filter(|value| !value.is_null()) {
                words(refusal)?;
            }
            if let Some(audio) = message.get("audio").filter(|value| !value.is_null()) {
                only(audio, &["id"], &[])?;
            }
            if let Some(calls) = message.get("tool_calls") {
                list(calls)?.iter().try_for_each(openai_call)?;
            }
            match message.get("function_call").filter(|value| !value.is_null()) {
                Some(called) => openai_function(called),
                None => Ok(()),
            }
        }
        other => Err(format!("the role {other}")),
    }
}

fn openai_call(call: &Value) -> Checked {
    let id = words(&call["id"])?;
    check(id.chars().count() <= 40, "an id is too long")?;
    match call["type"].as_str() {
        Some("function") => {
            only(call, &["id", "type", "function"], &[])?;
            openai_function(&call["function"])
        }
        Some("custom") => {
            only(call, &["id", "type", "custom"], &[])?;
            only(&call["custom"], &["name", "input"], &[])?;
            check(call["custom"]["input"].is_string(), "an input is no text")?;
            check(plain(words(&call["custom"]["name"])?, 64), "the name of a tool")
        }
        _ => Err(format!("a call of what type? {call}")),
    }
}

fn openai_function(called: &Value) -> Checked {
    only(called, &["name", "arguments"], &[])?;
    check(plain(words(&called["name"])?, 64), "the name of a tool")?;
    let arguments: Option<Value> = serde_json::from_str(words(&called["arguments"])?).ok();
    check(arguments.is_some_and(|value| value.is_object()), "arguments are no object")
}

fn openai_content(content: &Value, types: &[&str]) -> Checked {
    if content.is_string() {
        return words(content).map(drop);
    }
    for part in list(content)? {
        one_of(&part["type"], types)?;
        match part["type"].as_str().unwrap() {
            "text" => {
                only(part, &["type", "text"], &[])?;
                words(&part["text"])?;
            }
            "refusal" => {
                only(part, &["type", "refusal"], &[])?;
                words(&part["refusal"])?;
            }
            "image_url" => {
                only(part, &["type", "image_url"], &[])?;
                only(&part["image_url"], &["url"], &["detail"])?;
                let url = words(&part["image_url"]["url"])?;
                let begins = ["https://", "http://", "data:image/"];
                check(begins.iter().any(|begin| url.starts_with(begin)), "no address")?;
            }
            "input_audio" => {
                only(part, &["type", "input_audio"], &[])?;
                base64(&part["input_audio"]["data"])?;
                one_of(&part["input_audio"]["format"], &["wav", "mp3"])?;
            }
            _ => {
                only(part, &["type", "file"], &[])?;
                only(&part["file"], &[], &["file_id", "file_data", "filename"])?;
            }
        }
    }
    Ok(())
}

/// The `system` and `messages` of the Anthropic API.
pub(crate) fn anthropic(thread: &Value) -> Checked {
    only(thread, &["messages"], &["system"])?;
    match thread.get("system") {
        None => {}
        Some(Value::String(text)) => check(!text.trim().is_empty(), "an empty instruction")?,
        Some(system) => {
            list(system)?.iter().try_for_each(|block| anthropic_block(block, "system"))?
        }
    }
    let messages = list(&thread["messages"])?;
    check(messages[0]["role"] == "user", "the user does not speak first")?;
    let mut seen = BTreeSet::new();
    let mut open: BTreeSet<String> = BTreeSet::new();
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        let expected = if at % 2 == 0 { "user" } else { "assistant" };
        check(role == expected, &format!("message {at}: the roles do not alternate"))?;
        open = anthropic_message(message, role, open, &mut seen)
            .map_err(|rule| format!("message {at}: {rule}"))?;
        let last = at + 1 == messages.len();
        check(!last || open.is_empty(), "the last calls are not answered")?;
        if last && role == "assistant" {
            let text = match &message["content"] {
                Value::String(text) => text.as_str(),
                Value::Array(blocks) => blocks.last().unwrap()["text"].as_str().unwrap_or_default(),
                _ => "",
            };
            check(text.trim_end() == text, "the last text ends in white space")?;
        }
    }
    let breakpoints = thread.to_string().matches("\"cache_control\":{").count();
    check(breakpoints <= 4, "too many breakpoints")
}

/// Checks a message after which these calls are open; those of this message come back.
fn anthropic_message(
    message: &Value,
    role: &str,
    mut open: BTreeSet<String>,
    seen: &mut BTreeSet<String>,
) -> Result<BTreeSet<String>, String> {
    only(message, &["role", "content"], &[])?;
    if message["content"].is_string() {
        words(&message["content"])?;
        check(open.is_empty(), "a call is not answered at once")?;
        return Ok(open);
    }
    let blocks = list(&message["content"])?;
    let mut calls = BTreeSet::new();
    let (mut begun, mut served) = (false, BTreeSet::new());
    for block in blocks {
        anthropic_block(block, role)?;
        let id = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
        match block["type"].as_str().unwrap() {
            "tool_use" => {
                check(seen.insert(id("id")), "a call is there twice")?;
                calls.insert(id("id"));
            }
            "tool_result" => {
                check(!begun, "a result stands after something else")?;
                check(open.remove(&id("tool_use_id")), "a result answers no call")?;
            }
            "server_tool_use" => check(served.insert(id("id")), "a served call is there twice")?,
            kind if kind.ends_with("_tool_result") => {
                check(served.remove(&id("tool_use_id")), "a served result answers no call")?;
            }
            _ => {}
        }
        begun |= block["type"] != "tool_result";
    }
    check(open.is_empty(), "a call is not answered at once")?;
    check(served.is_empty(), "a served call has no result")?;
    let last = blocks.last().unwrap()["type"].as_str().unwrap();
    let thought = last == "thinking" || last == "redacted_thinking";
    check(!thought, "a thought is the last block")?;
    Ok(calls)
}

fn anthropic_block(block: &Value, role: &str) -> Checked {
    let types: &[&str] = match role {
        "system" => &["text"],
        "user" => {
            &["text", "image", "document", "search_result", "tool_result", "container_upload"]
        }
        "result" => &["text", "image", "document", "search_result", "tool_reference"],
        _ => &[
            "text",
            "thinking",
            "redacted_thinking",
            "tool_use",
            "server_tool_use",
            "web_search_tool_result",
        ],
    };
    one_of(&block["type"], types)?;
    if let Some(cache) = block.get("cache_control").filter(|value| !value.is_null()) {
        only(cache, &["type"], &["ttl"])?;
        check(cache["type"] == "ephemeral", "a breakpoint of what sort?")?;
    }
    match block["type"].as_str().unwrap() {
        "text" => {
            only(block, &["type", "text"], &["cache_control", "citations"])?;
            words(&block["text"]).map(drop)
        }
        "thinking" => {
            only(block, &["type", "thinking", "signature"], &[])?;
            check(block["thinking"].is_string(), "a thought is no text")?;
            words(&block["signature"]).map(drop)
        }
        "redacted_thinking" => {
            only(block, &["type", "data"], &[])?;
            words(&block["data"]).map(drop)
        }
        "tool_use" => {
            only(
                block,
                &["type", "id", "name", "input"],
                &["cache_control", "caller", "toolset_name"],
            )?;
            check(plain(words(&block["id"])?, usize::MAX), "an id that is not allowed")?;
            check(plain(words(&block["name"])?, 128), "the name of a tool")?;
            check(block["input"].is_object(), "arguments are no object")
        }
        "tool_result" => {
            let beside = ["content", "is_error", "cache_control"];
            only(block, &["type", "tool_use_id"], &beside)?;
            match block.get("content") {
                None => Ok(()),
                Some(Value::String(_)) => words(&block["content"]).map(drop),
                Some(content) => {
                    list(content)?.iter().try_for_each(|block| anthropic_block(block, "result"))
                }
            }
        }
        "image" => {
            only(block, &["type", "source"], &["cache_control"])?;
            let source = &block["source"];
            match source["type"].as_str() {
                Some("url") => only(source, &["type", "url"], &[]),
                Some("file") => only(source, &["type", "file_id"], &[]),
                _ => {
                    only(source, &["type", "media_type", "data"], &[])?;
                    let known = ["image/jpeg", "image/png", "image/gif", "image/webp"];
                    one_of(&source["media_type"], &known)?;
                    base64(&source["data"])
                }
            }
        }
        "document" => {
            let beside = ["cache_control", "title", "context", "citations"];
            only(block, &["type", "source"], &beside)?;
            one_of(&block["source"]["type"], &["base64", "text", "url", "file", "content"])
        }
        "search_result" => {
            let beside = ["cache_control", "citations"];
            only(block, &["type", "source", "title", "content"], &beside)?;
            list(&block["content"])?.iter().try_for_each(|block| anthropic_block(block, "system"))
        }
        "server_tool_use" => only(block, &["type", "id", "name", "input"], &["cache_control"]),
        _ => map(block).map(drop),
    }
}
