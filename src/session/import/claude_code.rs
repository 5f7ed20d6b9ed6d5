//! Session files of Claude Code: one object a line, with a type, a timestamp and a message in the
//! Anthropic API's form.

use super::anthropic;
use super::message::{About, Message};
use super::value::{is_true, map, optional_text, text, time};
use crate::json::Json;

pub(super) fn message(about: &mut About, record: Json) -> Result<Message, String> {
    let mut line = map("a line", record)?;
    let kind = text(&mut line, "type")?;
    let session = optional_text(&mut line, "sessionId")?;
    let time = time(&mut line, &["timestamp"])?;
    if !matches!(kind.as_str(), "user" | "assistant") {
        about.session = about.session.take().or(session);
        return Ok(Message::left_out(&kind));
    }
    let uuid = optional_text(&mut line, "uuid")?;
    let said = line.remove("message").ok_or("'message' is missing")?;
    let mut said = map("'message'", said)?;
    if !said.contains_key("role") {
        said.insert("role".into(), Json::from(kind.as_str()));
    }
    // A line without blocks of its own needs a name only if it has several.
    let group = uuid.as_deref().map_or(Json::Null, Json::from);
    let mut message = anthropic::message(said, group)?;
    let summary = is_true(&line, "isCompactSummary");
    let aside = is_true(&line, "isSidechain");
    let meta = is_true(&line, "isMeta");
    for block in &mut message.blocks {
        block.time = time.clone().or(block.time.take());
        block.attrs.retain(|_, value| !value.is_null());
        if let Some(uuid) = &uuid {
            block.attrs.insert("data_uuid".into(), Json::from(uuid.as_str()));
        }
        if summary && block.kind.is_none() {
            block.kind = Some("summary".into());
        }
        for (tag, applies) in [("sidechain", aside), ("meta", meta)] {
            if applies {
                block.tags.push(tag.into());
            }
        }
    }
    message.user_speaks &= !aside && !meta;
    about.session = about.session.take().or(session);
    Ok(message)
}
