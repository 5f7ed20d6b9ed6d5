//! Messages of the OpenAI chat API: one a record, or a list of them under `messages`.

use super::flat::TIMES;
use super::message::{Block, Message};
use super::value::{Map, map, optional_list, optional_text, rest, text, time};
use crate::json::Json;

pub(super) fn messages(record: Json, number: i64) -> Result<Vec<Message>, String> {
    let mut whole = map("a message", record)?;
    let Some(list) = optional_list(&mut whole, "messages")? else {
        return Ok(vec![message(whole, Json::Int(number))?]);
    };
    let mut found = Vec::with_capacity(list.len());
    for (i, one) in list.into_iter().enumerate() {
        let in_list = |error| format!("messages[{i}]: {error}");
        // Messages of one list are told apart from those of another one.
        let group = Json::Str(format!("{number}.{}", i + 1));
        found.push(message(map("a message", one).map_err(in_list)?, group).map_err(in_list)?);
    }
    Ok(found)
}

fn message(mut map: Map, group: Json) -> Result<Message, String> {
    let role = text(&mut map, "role")?;
    let time = time(&mut map, &TIMES)?;
    let name = optional_text(&mut map, "name")?;
    let bare = !map.contains_key("content");
    let content = content(&mut map)?;
    let nulls = nulls(&role, &map);
    let mut blocks = match role.as_str() {
        "assistant" => assistant(&mut map, content)?,
        "tool" => vec![Block::result(Some(text(&mut map, "tool_call_id")?), content)],
        "function" => {
            let block = Block { role: role.clone(), ..Block::result(None, content) };
            vec![block.attr("data_tool_name", name.clone())]
        }
        "system" | "developer" => vec![Block { standing: true, ..Block::said(&role, content) }],
        _ => vec![Block::said(&role, content)],
    };
    // Calls, and all blocks of a message that has several, say which message they are of.
    let several = blocks.len() > 1;
    for block in &mut blocks {
        block.time = time.clone();
        if several || block.kind.as_deref() == Some("call") {
            block.attrs.insert("data_message".into(), group.clone());
        }
    }
    if let Some(first) = blocks.first_mut() {
        let mut extra = rest(map);
        extra.extend(nulls.into_iter().map(|name| (name.to_owned(), Json::Null)));
        if bare && first.kind.as_deref() == Some("call") {
            first.attrs.insert("data_bare".into(), Json::Bool(true));
        }
        if !extra.is_empty() {
            first.attrs.insert("data_extra".into(), Json::Map(extra));
        }
        if let Some(name) = name.filter(|_| role != "function") {
            first.attrs.insert("data_name".into(), Json::Str(name));
        }
    }
    Ok(Message { blocks, user_speaks: role == "user", left_out: None })
}

/// Fields that the API takes as null too.
fn nulls(role: &str, map: &Map) -> Vec<&'static str> {
    let names = ["audio", "function_call", "refusal"].into_iter();
    names.filter(|name| role == "assistant" && map.get(name) == Some(&Json::Null)).collect()
}

/// A text or a list of parts, as it is.
fn content(map: &mut Map) -> Result<Option<Json>, String> {
    match map.remove("content") {
        None | Some(Json::Null) => Ok(None),
        Some(value @ (Json::Str(_) | Json::List(_))) => Ok(Some(value)),
        Some(other) => {
            Err(format!("'content' must be a string or a list of parts, not {}", other.type_name()))
        }
    }
}

fn assistant(map: &mut Map, content: Option<Json>) -> Result<Vec<Block>, String> {
    let calls = optional_list(map, "tool_calls")?.unwrap_or_default();
    let function = map.remove("function_call").filter(|call| !call.is_null());
    let mut blocks = Vec::new();
    let silent = content.as_ref().is_none_or(|content| *content == Json::from(""));
    if !silent || (calls.is_empty() && function.is_none()) {
        blocks.push(Block::said("assistant", content));
    }
    for (i, value) in calls.into_iter().enumerate() {
        blocks.push(call(value).map_err(|error| format!("tool_calls[{i}]: {error}"))?);
    }
    if let Some(function) = function {
        let mut function = super::value::map("'function_call'", function)?;
        let (name, arguments) = (text(&mut function, "name")?, function.remove("arguments"));
        blocks.push(Block::call(None, Some(name), arguments));
    }
    Ok(blocks)
}

fn call(value: Json) -> Result<Block, String> {
    let mut call = map("a tool call", value)?;
    let id = text(&mut call, "id")?;
    let kind = optional_text(&mut call, "type")?.unwrap_or_else(|| "function".into());
    let body = call.remove(&kind).ok_or_else(|| format!("'{kind}' is missing"))?;
    let mut body = map("the called tool", body)?;
    let name = text(&mut body, "name")?;
    let block = Block::call(
        Some(id),
        Some(name),
        body.remove(if kind == "custom" { "input" } else { "arguments" }),
    );
    Ok(block.attr("data_tool_type", Some(kind).filter(|kind| kind != "function")))
}
