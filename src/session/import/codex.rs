//! Session files of Codex: one object a line, with a timestamp, a type and a payload. What was
//! said is in lines of the type `response_item`, as items of the Responses API.

use super::message::{About, Block, Message};
use super::openai_responses;
use super::value::{map, optional_text, text, time};
use crate::json::Json;

pub(super) fn message(about: &mut About, record: Json) -> Result<Message, String> {
    let mut line = map("a line", record)?;
    let kind = text(&mut line, "type")?;
    let time = time(&mut line, &["timestamp"])?;
    let payload = line.remove("payload").ok_or("'payload' is missing")?;
    let mut payload = map("'payload'", payload)?;
    match kind.as_str() {
        "session_meta" => {
            let id = optional_text(&mut payload, "id")?;
            about.session = about.session.take().or(id);
            let Some(Json::Str(instructions)) = payload.remove("instructions") else {
                return Ok(Message::left_out(&kind));
            };
            let block = Block::said("system", Some(Json::Str(instructions)));
            let blocks = vec![Block { standing: true, time, ..block }];
            Ok(Message { blocks, ..Message::default() })
        }
        "turn_context" => {
            about.model = optional_text(&mut payload, "model")?.or(about.model.take());
            Ok(Message::left_out(&kind))
        }
        "compacted" => {
            let summary = optional_text(&mut payload, "message")?;
            let block = Block::said("user", summary.map(Json::Str));
            let blocks = vec![Block { kind: Some("summary".into()), time, ..block }];
            Ok(Message { blocks, ..Message::default() })
        }
        "response_item" => openai_responses::item(payload, time, about.model.clone()),
        other => Ok(Message::left_out(other)),
    }
}
