//! Messages of the Anthropic API: one a record, or a list of them under `messages` with the
//! `system` beside it.

use super::flat::TIMES;
use super::message::{Block, Message};
use super::value::{Map, map, optional_list, optional_text, peek, rest, text, time};
use crate::json::Json;

pub(super) fn messages(record: Json, number: i64) -> Result<Vec<Message>, String> {
    let mut whole = map("a message", record)?;
    let Some(list) = optional_list(&mut whole, "messages")? else {
        return Ok(vec![message(whole, Json::Int(number))?]);
    };
    let mut found = Vec::with_capacity(list.len() + 1);
    if let Some(system) = whole.remove("system").filter(|system| !system.is_null()) {
        found.push(standing(system, &number.to_string())?);
    }
    for (i, one) in list.into_iter().enumerate() {
        let in_list = |error| format!("messages[{i}]: {error}");
        let group = Json::Str(format!("{number}.{}", i + 1));
        found.push(message(map("a message", one).map_err(in_list)?, group).map_err(in_list)?);
    }
    Ok(found)
}

/// The standing instructions: a text, or text blocks.
fn standing(system: Json, number: &str) -> Result<Message, String> {
    let group = Json::Str(format!("{number}.0"));
    let mut blocks =
        blocks("system", system, &group).map_err(|error| format!("system: {error}"))?;
    blocks.iter_mut().for_each(|block| block.standing = true);
    Ok(Message { blocks, ..Message::default() })
}

/// One message. `group` names it, unless it has a name of its own.
pub(super) fn message(mut map: Map, group: Json) -> Result<Message, String> {
    let role = text(&mut map, "role")?;
    let time = time(&mut map, &TIMES)?;
    let model = optional_text(&mut map, "model")?;
    let group = optional_text(&mut map, "id")?.map_or(group, Json::Str);
    let content = map.remove("content").ok_or("'content' is missing")?;
    let mut blocks = blocks(&role, content, &group)?;
    let answers = blocks.iter().any(|block| block.kind.as_deref() == Some("result"));
    for block in &mut blocks {
        block.time = time.clone();
        block.standing = role == "system";
        if let Some(model) = model.as_ref().filter(|_| role == "assistant") {
            block.attrs.insert("data_model".into(), Json::from(model.as_str()));
        }
    }
    Ok(Message { blocks, user_speaks: role == "user" && !answers, left_out: None })
}

/// A content: a text, or blocks, which say which message they are of.
fn blocks(role: &str, content: Json, group: &Json) -> Result<Vec<Block>, String> {
    let list = match content {
        Json::Str(said) => return Ok(vec![Block::said(role, Some(Json::Str(said)))]),
        Json::List(list) => list,
        other => {
            let found = other.type_name();
            return Err(format!("'content' must be a string or a list of blocks, not {found}"));
        }
    };
    let mut found = Vec::with_capacity(list.len());
    for (i, value) in list.into_iter().enumerate() {
        let one = map("a block", value).and_then(|map| block(role, map));
        let one = one.map_err(|error| format!("content[{i}]: {error}"))?;
        found.push(one.attr("data_message", Some(group.clone())));
    }
    Ok(found)
}

fn block(role: &str, mut map: Map) -> Result<Block, String> {
    let kind = peek(&map, "type").ok_or("'type' is missing")?.to_owned();
    if !["text", "tool_use", "tool_result", "thinking", "redacted_thinking"]
        .contains(&kind.as_str())
    {
        // An image, a document, a tool of the provider's own: kept whole.
        let block = Block { kind: Some(kind), ..Block::said(role, Some(Json::Map(map))) };
        return Ok(block.attr("data_block", Some("anthropic")));
    }
    map.remove("type");
    // The API takes these as null too.
    let null = |name: &&str| map.get(name) == Some(&Json::Null);
    let nulls: Vec<&str> = ["cache_control", "citations"].into_iter().filter(null).collect();
    let block = match kind.as_str() {
        "text" => Block::said(role, Some(Json::Str(text(&mut map, "text")?))),
        "tool_use" => {
            let (id, name) = (text(&mut map, "id")?, text(&mut map, "name")?);
            Block::call(Some(id), Some(name), map.remove("input"))
        }
        "tool_result" => {
            let failed = match map.remove("is_error") {
                Some(Json::Bool(failed)) => Some(failed),
                _ => None,
            };
            let id = text(&mut map, "tool_use_id")?;
            Block::result(Some(id), map.remove("content")).attr("data_is_error", failed)
        }
        _ => {
            let hidden = kind == "redacted_thinking";
            let thought = text(&mut map, if hidden { "data" } else { "thinking" })?;
            let block = Block::said(role, Some(Json::Str(thought)));
            let block = Block { kind: Some("reasoning".into()), ..block };
            block
                .attr("data_redacted", hidden.then_some(true))
                .attr("data_signature", optional_text(&mut map, "signature")?)
        }
    };
    let nulls = nulls.into_iter().map(|name| (name.to_owned(), Json::Null));
    Ok(block.extra(rest(map).into_iter().chain(nulls).collect()))
}
