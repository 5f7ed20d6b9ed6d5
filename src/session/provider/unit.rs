//! A block as providers know it: what sort of thing it is, who says it, and what it says.

use crate::json::{Json, canonical_string};
use crate::model::{Id, Node, Place};
use std::sync::Arc;

/// What a block is to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A standing instruction.
    Standing,
    /// Something that the user or the assistant says.
    Said,
    /// A tool call.
    Call,
    /// The result of one.
    Answer,
    /// A thought of the model.
    Thought,
}

/// A block to be said.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    /// Its place among the blocks of the state.
    pub(super) at: usize,
    /// The part of the tree that it lies in.
    pub(super) place: Place,
    pub(super) node: Arc<Node>,
    pub(super) sort: Sort,
    /// `system`, `user`, `assistant` or `tool`; `developer` only among instructions.
    pub(super) role: String,
    /// What has to stand before the content, because the role does not tell it.
    pub(super) label: Option<String>,
    pub(super) content: Option<Arc<Json>>,
}

impl Unit {
    pub(super) fn id(&self) -> &Id {
        &self.node.id
    }

    /// An attribute that is a text.
    pub(super) fn attr(&self, name: &str) -> Option<&str> {
        self.node.attrs.get(name).and_then(Json::as_str)
    }

    /// The id that calls and results are paired by.
    pub(super) fn call_id(&self) -> Option<&str> {
        self.attr("data_call_id").filter(|id| !is_blank(id))
    }

    /// The message that the block was one of, if it says so.
    pub(super) fn message(&self) -> Option<&Json> {
        self.node.attrs.get("data_message")
    }

    /// Whether two blocks can be parts of one message: they were, or nobody says that they
    /// were not.
    pub(super) fn goes_with(&self, other: &Unit) -> bool {
        self.message() == other.message()
    }

    /// What else the record said that the block came from.
    pub(super) fn extra(&self) -> impl Iterator<Item = (&String, &Json)> + '_ {
        let extra = match self.node.attrs.get("data_extra") {
            Some(Json::Map(map)) => Some(map),
            _ => None,
        };
        extra.into_iter().flatten()
    }

    /// The text of a refusal to answer, which the chat API has beside the content.
    pub(super) fn refusal(&self) -> Option<&str> {
        let refusal = self.extra().find(|(name, _)| *name == "refusal");
        let text = refusal.and_then(|(_, value)| value.as_str());
        text.filter(|text| self.role == "assistant" && !is_blank(text))
    }

    /// The content as one text: a string as it is, anything else as JSON.
    pub(super) fn text(&self) -> String {
        match self.content.as_deref() {
            None => String::new(),
            Some(Json::Str(text)) => text.clone(),
            Some(other) => canonical_string(other),
        }
    }

    /// Whether a thought has what the API gave it to know it again.
    pub(super) fn is_signed(&self) -> bool {
        match (self.is_redacted(), self.content.as_deref()) {
            (true, Some(Json::Str(sealed))) => !is_blank(sealed),
            (true, _) => false,
            (false, _) => self.attr("data_signature").is_some_and(|text| !is_blank(text)),
        }
    }

    /// Whether a thought is there in a sealed form only.
    pub(super) fn is_redacted(&self) -> bool {
        self.node.attrs.contains_key("data_redacted")
    }

    /// Makes it something that is said in the user's name.
    pub(super) fn becomes_said(&mut self, label: String) {
        self.sort = Sort::Said;
        self.role = "user".into();
        self.label = Some(label);
    }
}

/// Whether a text says nothing.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// Whether a character is white space to anybody: some count the separators of ASCII too.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

/// A name as it can stand in a label: one short line.
pub(super) fn label(name: &str) -> String {
    let line: String =
        name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(64).collect();
    match line.trim() {
        "" => "unknown".to_owned(),
        line => line.to_owned(),
    }
}
