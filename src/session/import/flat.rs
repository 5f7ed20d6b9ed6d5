//! Flat logs (R9.4): messages with a role, or a tag, and a content.

use super::message::{Block, Message};
use super::value::{map, time};
use crate::json::Json;

/// The fields that may hold a message's time.
pub(super) const TIMES: [&str; 3] = ["created_at_ns", "timestamp", "created_at"];

pub(super) fn message(record: Json) -> Result<Message, String> {
    let mut map = map("a message", record)?;
    let role = match map.remove("role").or_else(|| map.remove("tag")) {
        Some(Json::Str(role)) => role,
        Some(other) => return Err(format!("its role is a string, not {}", other.type_name())),
        None => return Err("it needs a \"role\"".into()),
    };
    let time = time(&mut map, &TIMES)?;
    let standing = role == "system";
    let content = map.remove("content");
    let user_speaks = role == "user";
    let block = Block { standing, time, ..Block::said(&role, content) };
    Ok(Message { blocks: vec![block], user_speaks, left_out: None })
}
