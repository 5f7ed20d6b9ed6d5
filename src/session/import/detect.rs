//! Which format records are in. One that only one format can have decides.

use super::format::Format;
use super::value::{Map, peek};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::json::Json;

const CODEX: [&str; 5] =
    ["session_meta", "response_item", "event_msg", "turn_context", "compacted"];

const ANTHROPIC: [&str; 6] =
    ["tool_use", "tool_result", "thinking", "redacted_thinking", "document", "server_tool_use"];

const RESPONSES: [&str; 5] =
    ["input_text", "output_text", "input_image", "input_file", "summary_text"];

const CHAT: [&str; 4] = ["image_url", "input_audio", "refusal", "file"];

/// The format of some records.
pub(super) fn detect<'a>(records: impl Iterator<Item = &'a Json>) -> Result<Format> {
    let (mut messages, mut parts, mut any) = (false, false, false);
    for record in records {
        any = true;
        let Json::Map(map) = record else { continue };
        if map.contains_key("pactdb_dump") {
            let mut error = Error::new(Code::ImportInvalid, "this is a dump of a whole store");
            error.details.hint = Some("`pactdb load NEW` makes a store of it".into());
            return Err(error);
        }
        if let Some(format) = decisive(map) {
            return Ok(format);
        }
        messages |= map.contains_key("role") || map.contains_key("tag");
        parts |= matches!(map.get("content"), Some(Json::List(_)));
        if let Some(Json::List(_)) = map.get("messages") {
            messages = true;
            // Without a sign of another, a list of messages is one of the chat API.
            parts = true;
        }
    }
    match (messages, parts, any) {
        (true, true, _) => Ok(Format::OpenaiChat),
        (true, false, _) => Ok(Format::Flat),
        (false, _, true) => {
            let names: Vec<&str> = Format::ALL.into_iter().map(Format::name).collect();
            let message = format!("the format is not one of {}: name it", names.join(", "));
            let mut error = Error::new(Code::ImportInvalid, message);
            error.details.hint = Some("--format says which it is".into());
            Err(error)
        }
        (false, _, false) => Err(Error::new(
            Code::ImportInvalid,
            "the document is empty: there is nothing to import",
        )),
    }
}

fn decisive(map: &Map) -> Option<Format> {
    let kind = peek(map, "type");
    if matches!(map.get("root"), Some(Json::Map(_))) {
        return Some(Format::Pact);
    }
    if map.contains_key("payload") && kind.is_some_and(|kind| CODEX.contains(&kind)) {
        return Some(Format::Codex);
    }
    let line = ["sessionId", "uuid", "parentUuid", "leafUuid"];
    if kind.is_some() && line.iter().any(|name| map.contains_key(name)) {
        return Some(Format::ClaudeCode);
    }
    if let Some(Json::List(list)) = map.get("messages") {
        if map.contains_key("system") {
            return Some(Format::Anthropic);
        }
        return list.iter().find_map(|message| match message {
            Json::Map(message) => by_message(message),
            _ => None,
        });
    }
    if peek(map, "object") == Some("response")
        || (map.contains_key("input") && map.contains_key("model"))
        || kind.is_some_and(|kind| {
            kind == "reasoning" || kind.ends_with("_call") || kind.ends_with("_call_output")
        })
    {
        return Some(Format::OpenaiResponses);
    }
    by_message(map)
}

/// By what a message has.
fn by_message(map: &Map) -> Option<Format> {
    if map.contains_key("tag") && !map.contains_key("role") {
        return Some(Format::Flat);
    }
    if map.contains_key("stop_reason") {
        return Some(Format::Anthropic);
    }
    let by_part = match map.get("content") {
        Some(Json::List(content)) => by_parts(content),
        _ => None,
    };
    if by_part.is_some() {
        return by_part;
    }
    if peek(map, "type") == Some("message") {
        return Some(Format::OpenaiResponses);
    }
    let calls = ["tool_calls", "tool_call_id", "function_call"];
    let chat = calls.iter().any(|name| map.contains_key(name))
        || matches!(peek(map, "role"), Some("developer" | "function"));
    chat.then_some(Format::OpenaiChat)
}

fn by_parts(content: &[Json]) -> Option<Format> {
    content.iter().find_map(|part| {
        let Json::Map(part) = part else { return None };
        let kind = peek(part, "type")?;
        let image = kind == "image" && part.contains_key("source");
        match kind {
            _ if image || ANTHROPIC.contains(&kind) => Some(Format::Anthropic),
            _ if RESPONSES.contains(&kind) => Some(Format::OpenaiResponses),
            _ if CHAT.contains(&kind) => Some(Format::OpenaiChat),
            _ => None,
        }
    })
}
