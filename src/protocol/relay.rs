//! Replies that pass through a third process: what a line of the protocol does not say by itself.
//!
//! An error points into a text that whoever asked knows. Who passes replies on does not, and gets the
//! text beside the error.

use super::reply::{Notice, Reply};
use crate::json::{self, Json};

/// The field of a reply that has the text which its error points into.
const TEXT: &str = "text";

/// The line of a reply, with the text beside its error.
#[cfg(feature = "attach")]
pub(crate) fn with_text(mut reply: String, text: Option<&str>) -> String {
    if let Some(Ok(text)) = text.map(json::line)
        && reply.pop() == Some('}')
    {
        reply.push_str(&format!(",\"{TEXT}\":{text}}}"));
    }
    reply
}

/// Gives the error of a reply the text beside it.
pub(crate) fn text_beside(reply: Reply, line: &str) -> Reply {
    let result = reply.result.map_err(|error| match json::field(line.as_bytes(), TEXT) {
        Some(Json::Str(text)) => error.in_text(&text),
        _ => error,
    });
    Reply { result, ..reply }
}

/// What is told before the reply to a request with this `rid`, if that is what the line is. Both come
/// from the same writer, so that the beginning of the line tells them apart.
pub(crate) fn notice_of(line: &str, rid: Option<i64>) -> Option<Notice> {
    let rest = match rid {
        Some(rid) => line.strip_prefix(&format!("{{\"rid\":{rid},\""))?,
        None => line.strip_prefix("{\"")?,
    };
    let (name, value) = rest.split_once("\":")?;
    if !matches!(name, "part" | "progress") {
        return None;
    }
    let value = json::parse(value.trim_end().strip_suffix('}')?).ok()?;
    match name {
        "part" => Some(Notice::Part(value)),
        _ => json::from_json(value).ok().map(Notice::Progress),
    }
}
