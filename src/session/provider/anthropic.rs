//! Messages and instructions as the Anthropic API accepts them.
//!
//! Results lie in the user's message right after the calls. A thought is taken only with the
//! signature that the API gave it.

use super::Piece;
use super::units::{Sort, Unit};
use crate::error::Result;
use crate::json::Json;
use std::collections::BTreeMap;

type Map = BTreeMap<String, Json>;

pub(super) fn messages(units: &[Unit]) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut rest: Vec<&Unit> = Vec::new();
    for unit in units {
        match unit.sort {
            Sort::Standing if rest.is_empty() => pieces.push(instruction(unit)?),
            Sort::Standing => {
                return Err(unit.fault("is an instruction after the conversation has begun"));
            }
            Sort::Thought if !is_signed(unit) => {}
            _ => rest.push(unit),
        }
    }
    if let Some(first) = rest.first().filter(|first| speaker(first) == "assistant") {
        return Err(first.fault("is the assistant's, and the user speaks first there"));
    }
    whole_instructions(&mut pieces);
    let mut at = 0;
    while at < rest.len() {
        let run = run(&rest[at..]);
        pieces.push(message(&rest[at..at + run])?);
        at += run;
    }
    Ok(pieces)
}

fn is_signed(unit: &Unit) -> bool {
    unit.attr("data_signature").is_some() || unit.node.attrs.contains_key("data_redacted")
}

/// Who speaks, in this API's words.
fn speaker(unit: &Unit) -> &'static str {
    match (unit.sort, unit.role.as_str()) {
        (Sort::Answer, _) | (Sort::Said, "user") => "user",
        _ => "assistant",
    }
}

/// How many of these are one message. What names a message goes with it; calls go with what is
/// said or thought before them, results with each other.
fn run(units: &[&Unit]) -> usize {
    let mut count = 1;
    while let Some(unit) = units.get(count) {
        let before = units[count - 1];
        let joined = match unit.message() {
            Some(_) => unit.goes_with(before) || unit.sort == Sort::Answer,
            None => {
                matches!(unit.sort, Sort::Call | Sort::Answer)
                    || (before.sort == Sort::Thought && unit.sort == Sort::Said)
            }
        };
        // Results of one set of calls must lie in one message, whatever they say of themselves.
        let answers = unit.sort == Sort::Answer && before.sort == Sort::Answer;
        let same = joined && (unit.goes_with(before) || answers);
        if speaker(unit) != speaker(before) || !same {
            break;
        }
        count += 1;
    }
    count
}

fn message(group: &[&Unit]) -> Result<Piece> {
    let ids = group.iter().map(|unit| unit.id().clone()).collect();
    let Some(first) = group.first() else {
        return Ok(Piece { ids, value: Json::Null, beside: false });
    };
    let plain = |unit: &Unit| {
        unit.sort == Sort::Said
            && unit.message().is_none()
            && !matches!(unit.content.as_deref(), Some(Json::List(_)))
            && unit.attr("data_block").is_none()
    };
    let content = match group {
        [only] if plain(only) => Json::Str(said(only)?),
        several => {
            let mut blocks = Vec::new();
            for unit in several {
                blocks.extend(block(unit)?);
            }
            Json::List(blocks)
        }
    };
    let value = Json::Map(Map::from([
        ("role".to_owned(), Json::from(speaker(first))),
        ("content".to_owned(), content),
    ]));
    Ok(Piece { ids, value, beside: false })
}

/// A text that is not empty: the API takes no other.
fn said(unit: &Unit) -> Result<String> {
    let text = unit.text();
    match text.is_empty() {
        true => Err(unit.fault("is empty")),
        false => Ok(text),
    }
}

fn typed(kind: &str, unit: &Unit, fields: Vec<(&str, Json)>) -> Json {
    let mut map: Map = unit.extra().filter(|_| unit.attr("data_block").is_none()).collect();
    map.insert("type".into(), Json::from(kind));
    map.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
    Json::Map(map)
}

/// A block, or the blocks that its parts are.
fn block(unit: &Unit) -> Result<Vec<Json>> {
    let content = unit.content.as_deref();
    Ok(match unit.sort {
        Sort::Call => vec![typed(
            "tool_use",
            unit,
            vec![
                ("id", Json::from(unit.call_id()?)),
                ("name", Json::from(unit.tool()?)),
                ("input", unit.arguments()?),
            ],
        )],
        Sort::Answer => {
            let mut fields = vec![("tool_use_id", Json::from(unit.call_id()?))];
            fields.extend(answer_content(unit)?.map(|content| ("content", content)));
            let failed = unit.node.attrs.get("data_is_error") == Some(&Json::Bool(true));
            fields.extend(failed.then_some(("is_error", Json::Bool(true))));
            vec![typed("tool_result", unit, fields)]
        }
        Sort::Thought if unit.node.attrs.contains_key("data_redacted") => {
            vec![typed("redacted_thinking", unit, vec![("data", Json::Str(unit.text()))])]
        }
        Sort::Thought => {
            let signature = Json::from(unit.attr("data_signature").unwrap_or_default());
            let thought = Json::Str(unit.text());
            vec![typed("thinking", unit, vec![("thinking", thought), ("signature", signature)])]
        }
        _ => match (unit.attr("data_block"), content) {
            (Some("anthropic"), Some(content)) => vec![content.clone()],
            (Some(form), _) => {
                return Err(unit.fault(&format!("is a block of the {form} API alone")));
            }
            (None, Some(Json::List(items))) if is_parts(items) => parts(unit, items)?,
            _ => vec![typed("text", unit, vec![("text", Json::Str(said(unit)?))])],
        },
    })
}

/// A result may be a text, blocks, or nothing; any other value is said as JSON.
fn answer_content(unit: &Unit) -> Result<Option<Json>> {
    Ok(match unit.content.as_deref() {
        None => None,
        Some(Json::List(items)) if is_parts(items) => Some(Json::List(parts(unit, items)?)),
        Some(_) => Some(Json::Str(unit.text())),
    })
}

fn is_parts(items: &[Json]) -> bool {
    let typed = |item: &Json| matches!(item, Json::Map(map) if map.contains_key("type"));
    !items.is_empty() && items.iter().all(typed)
}

/// Parts of a content: texts of either API, and blocks of this one.
fn parts(unit: &Unit, items: &[Json]) -> Result<Vec<Json>> {
    let known = ["text", "image", "document", "search_result"];
    let mut blocks = Vec::with_capacity(items.len());
    for item in items {
        let Json::Map(part) = item else { continue };
        match part.get("type").and_then(Json::as_str) {
            Some(kind) if known.contains(&kind) => blocks.push(item.clone()),
            Some("image_url") => blocks.push(image(unit, part)?),
            Some(kind) => return Err(unit.fault(&format!("has a part of the type {kind}"))),
            None => return Err(unit.fault("has a part without a type")),
        }
    }
    Ok(blocks)
}

/// An image of the chat API: an address, or the bytes themselves.
fn image(unit: &Unit, part: &Map) -> Result<Json> {
    let url = match part.get("image_url") {
        Some(Json::Map(image)) => image.get("url").and_then(Json::as_str),
        Some(Json::Str(url)) => Some(url.as_str()),
        _ => None,
    };
    let url = url.ok_or_else(|| unit.fault("has an image without an address"))?;
    let data = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let source = match data {
        Some((media, data)) => {
            vec![("type", "base64"), ("media_type", media), ("data", data)]
        }
        None => vec![("type", "url"), ("url", url)],
    };
    let source = source.into_iter().map(|(name, text)| (name.to_owned(), Json::from(text)));
    Ok(Json::Map(Map::from([
        ("type".to_owned(), Json::from("image")),
        ("source".to_owned(), Json::Map(source.collect())),
    ])))
}

fn instruction(unit: &Unit) -> Result<Piece> {
    let text = said(unit)?;
    let value = match unit.message().is_some() || unit.extra().next().is_some() {
        true => typed("text", unit, vec![("text", Json::Str(text))]),
        false => Json::Str(text),
    };
    Ok(Piece { ids: vec![unit.id().clone()], value, beside: true })
}

/// One plain text stays one; several become blocks.
fn whole_instructions(pieces: &mut [Piece]) {
    if pieces.len() < 2 {
        return;
    }
    for piece in pieces {
        if let Json::Str(text) = &piece.value {
            piece.value = Json::Map(Map::from([
                ("type".to_owned(), Json::from("text")),
                ("text".to_owned(), Json::from(text.as_str())),
            ]));
        }
    }
}
