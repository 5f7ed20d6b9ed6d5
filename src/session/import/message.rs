//! What a record says, in the words of this crate: a message and its blocks.

use super::value::Map;
use crate::json::Json;

/// What a session file says of itself, once for all its records.
#[derive(Default)]
pub(super) struct About {
    /// The name that the session gives itself.
    pub(super) session: Option<String>,
    /// The model that answers.
    pub(super) model: Option<String>,
}

/// What a record says.
#[derive(Default)]
pub(super) struct Message {
    /// Its blocks, in order.
    pub(super) blocks: Vec<Block>,
    /// Whether the user speaks in it.
    pub(super) user_speaks: bool,
    /// Its type, if it is no part of the conversation.
    pub(super) left_out: Option<String>,
}

impl Message {
    /// A record that is no part of the conversation.
    pub(super) fn left_out(kind: &str) -> Message {
        Message { left_out: Some(kind.to_owned()), ..Message::default() }
    }
}

/// A block that is made of a record.
#[derive(Default)]
pub(super) struct Block {
    /// Whether it is a standing instruction.
    pub(super) standing: bool,
    pub(super) role: String,
    pub(super) kind: Option<String>,
    pub(super) content: Option<Json>,
    pub(super) tags: Vec<String>,
    pub(super) attrs: Map,
    /// Its time, and the time as it was written.
    pub(super) time: Option<(i64, Json)>,
}

impl Block {
    /// Something said by somebody.
    pub(super) fn said(role: &str, content: Option<Json>) -> Block {
        let content = content.filter(|content| !content.is_null());
        Block { role: role.to_owned(), content, ..Block::default() }
    }

    /// A tool call, with its arguments as content.
    pub(super) fn call(id: Option<String>, name: Option<String>, arguments: Option<Json>) -> Block {
        let block = Block { kind: Some("call".into()), ..Block::said("assistant", arguments) };
        block.attr("data_call_id", id).attr("data_tool_name", name)
    }

    /// What a tool answered.
    pub(super) fn result(id: Option<String>, content: Option<Json>) -> Block {
        let block = Block { kind: Some("result".into()), ..Block::said("tool", content) };
        block.attr("data_call_id", id)
    }

    /// With an attribute, if there is a value.
    pub(super) fn attr<T: Into<Json>>(mut self, name: &str, value: Option<T>) -> Block {
        self.attrs.extend(value.map(|value| (name.to_owned(), value.into())));
        self
    }

    /// With what else the record says, under one name.
    pub(super) fn extra(self, rest: Map) -> Block {
        self.attr("data_extra", Some(rest).filter(|rest| !rest.is_empty()).map(Json::Map))
    }
}
