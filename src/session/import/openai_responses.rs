//! Items of the OpenAI Responses API: one a record, or those of a request (`input`) or a response
//! (`output`). Parts of contents are kept in the chat API's words.

use super::message::{Block, Message};
use super::value::{Map, map, optional_text, peek, rest, text, time};
use crate::json::Json;

pub(super) fn messages(record: Json) -> Result<Vec<Message>, String> {
    let whole = map("an item", record)?;
    if !whole.contains_key("input") && !whole.contains_key("output")
        || whole.contains_key("call_id")
    {
        return Ok(vec![item(whole, None, None)?]);
    }
    body(whole)
}

/// A request or a response as a whole.
fn body(mut whole: Map) -> Result<Vec<Message>, String> {
    let time = time(&mut whole, &["created_at"])?;
    let model = optional_text(&mut whole, "model")?;
    let mut found = Vec::new();
    if let Some(Json::Str(instructions)) = whole.remove("instructions") {
        let block = Block::said("system", Some(Json::Str(instructions)));
        let block = Block { standing: true, time: time.clone(), ..block };
        found.push(Message { blocks: vec![block], ..Message::default() });
    }
    for name in ["input", "output"] {
        match whole.remove(name) {
            None | Some(Json::Null) => {}
            Some(Json::Str(said)) => {
                let block = Block::said("user", Some(Json::Str(said)));
                let blocks = vec![Block { time: time.clone(), ..block }];
                found.push(Message { blocks, user_speaks: true, left_out: None });
            }
            Some(Json::List(items)) => {
                for (i, value) in items.into_iter().enumerate() {
                    let in_list = |error| format!("{name}[{i}]: {error}");
                    let one = map("an item", value).map_err(in_list)?;
                    found.push(item(one, time.clone(), model.clone()).map_err(in_list)?);
                }
            }
            Some(other) => {
                return Err(format!("'{name}' must be a list, not {}", other.type_name()));
            }
        }
    }
    Ok(found)
}

/// One item. A time and a model beside it hold if it has none.
pub(super) fn item(
    mut item: Map,
    given: Option<(i64, Json)>,
    model: Option<String>,
) -> Result<Message, String> {
    let time = time(&mut item, &super::flat::TIMES)?.or(given);
    let kind = optional_text(&mut item, "type")?;
    let kind = kind.unwrap_or_else(|| "message".into());
    let (block, user_speaks) = match kind.as_str() {
        "message" => message(&mut item)?,
        "reasoning" => (reasoning(&mut item)?, false),
        "function_call" | "custom_tool_call" => {
            let arguments =
                item.remove(if kind == "function_call" { "arguments" } else { "input" });
            let (id, name) = (text(&mut item, "call_id")?, text(&mut item, "name")?);
            let custom = (kind == "custom_tool_call").then_some("custom");
            (Block::call(Some(id), Some(name), arguments).attr("data_tool_type", custom), false)
        }
        kind if kind.ends_with("_call_output") => {
            let content = item.remove("output").map(parts);
            (Block::result(Some(text(&mut item, "call_id")?), content), false)
        }
        kind if kind.ends_with("_call") => (other_call(kind, &mut item)?, false),
        other => return Ok(Message::left_out(other)),
    };
    item.remove("id");
    item.remove("status");
    let spoken = block.role == "assistant";
    let block = block.attr("data_model", model.filter(|_| spoken)).extra(rest(item));
    Ok(Message { blocks: vec![Block { time, ..block }], user_speaks, left_out: None })
}

fn message(item: &mut Map) -> Result<(Block, bool), String> {
    let role = text(item, "role")?;
    let content = item.remove("content").map(parts);
    let standing = matches!(role.as_str(), "system" | "developer");
    let user_speaks = role == "user";
    Ok((Block { standing, ..Block::said(&role, content) }, user_speaks))
}

/// The thoughts of a model: what it says of them, and the sealed form beside it.
fn reasoning(item: &mut Map) -> Result<Block, String> {
    let mut texts = Vec::new();
    for name in ["summary", "content"] {
        if let Some(Json::List(parts)) = item.remove(name) {
            for part in parts {
                if let Json::Map(mut part) = part {
                    texts.extend(optional_text(&mut part, "text")?);
                }
            }
        }
    }
    let content = (!texts.is_empty()).then(|| Json::Str(texts.join("\n\n")));
    Ok(Block { kind: Some("reasoning".into()), ..Block::said("assistant", content) })
}

/// A tool that the provider or the agent runs itself. Where it has an id of a call, somebody
/// answers it.
fn other_call(kind: &str, item: &mut Map) -> Result<Block, String> {
    let id = optional_text(item, "call_id")?;
    let name = optional_text(item, "name")?;
    let name = name.unwrap_or_else(|| kind.trim_end_matches("_call").to_owned());
    let action = item.remove("action").or_else(|| item.remove("arguments"));
    let answered = id.is_some();
    let mut block = Block::call(id, Some(name), action).attr("data_tool_type", Some(kind));
    if !answered {
        // Nobody answers it with a record of its own, so it is no call to be paired.
        block.kind = Some(kind.to_owned());
        block.attrs.insert("data_block".into(), Json::from("openai-responses"));
    }
    Ok(block)
}

/// A content in the chat API's words: one text alone is a string.
pub(super) fn parts(content: Json) -> Json {
    let Json::List(items) = content else { return content };
    let mut items: Vec<Json> = items.into_iter().map(part).collect();
    match items.as_slice() {
        [Json::Map(only)] if only.len() == 2 && peek(only, "type") == Some("text") => {
            match items.pop() {
                Some(Json::Map(mut only)) => only.remove("text").unwrap_or(Json::Null),
                _ => Json::Null,
            }
        }
        _ => Json::List(items),
    }
}

fn part(part: Json) -> Json {
    let Json::Map(mut map) = part else { return part };
    let word = |text: &str| Json::from(text);
    match peek(&map, "type") {
        Some("input_text" | "output_text" | "summary_text") => {
            map.insert("type".into(), word("text"));
            for name in ["annotations", "logprobs"] {
                if matches!(map.get(name), Some(Json::List(items)) if items.is_empty()) {
                    map.remove(name);
                }
            }
        }
        Some("input_image") if map.contains_key("image_url") => {
            let mut image = Map::new();
            image.extend(map.remove("image_url").map(|url| ("url".to_owned(), url)));
            image.extend(map.remove("detail").map(|detail| ("detail".to_owned(), detail)));
            map.insert("type".into(), word("image_url"));
            map.insert("image_url".into(), Json::Map(image));
        }
        _ => {}
    }
    Json::Map(map)
}
