//! The blocks of a state as what providers know, and the pairing of calls with results.

use super::Unpaired;
use crate::code::Code;
use crate::db::Snapshot;
use crate::error::{Error, Result};
use crate::json::{self, Json, canonical_string};
use crate::model::{Class, Id, Node, Place};
use std::collections::BTreeSet;
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
    pub(super) node: Arc<Node>,
    pub(super) sort: Sort,
    /// `system`, `user`, `assistant` or `tool`; `developer` only among instructions.
    pub(super) role: String,
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

    /// The message that the block was one of, if it says so.
    pub(super) fn message(&self) -> Option<&Json> {
        self.node.attrs.get("data_message")
    }

    /// Whether two blocks can be parts of one message: they were, or nobody says that they
    /// were not.
    pub(super) fn goes_with(&self, other: &Unit) -> bool {
        self.message() == other.message()
    }

    /// The id of the call, without which calls and results cannot be paired.
    pub(super) fn call_id(&self) -> Result<&str> {
        self.attr("data_call_id").ok_or_else(|| self.fault("has no data_call_id to be paired by"))
    }

    /// The name of the called tool.
    pub(super) fn tool(&self) -> Result<&str> {
        self.attr("data_tool_name").ok_or_else(|| self.fault("has no data_tool_name"))
    }

    /// An error about this block.
    pub(super) fn fault(&self, what: &str) -> Error {
        let kind = self.node.kind.as_deref().map(|kind| format!(" ({kind})")).unwrap_or_default();
        let mut error = Error::new(
            Code::AttrInvalid,
            format!("{}{kind} cannot be said to this provider: it {what}", self.node.id),
        );
        error.details.hint =
            Some(format!("leave it out of the state, or mend it: set '#{}'", self.node.id));
        error
    }

    /// What else the record said that the block came from.
    pub(super) fn extra(&self) -> impl Iterator<Item = (String, Json)> + '_ {
        let extra = match self.node.attrs.get("data_extra") {
            Some(Json::Map(map)) => Some(map),
            _ => None,
        };
        extra.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone()))
    }

    /// The content as one text: a string as it is, anything else as JSON.
    pub(super) fn text(&self) -> String {
        match self.content.as_deref() {
            None => String::new(),
            Some(Json::Str(text)) => text.clone(),
            Some(other) => canonical_string(other),
        }
    }

    /// The arguments of a call as an object.
    pub(super) fn arguments(&self) -> Result<Json> {
        let value = match self.content.as_deref() {
            None => Json::Map(Default::default()),
            Some(Json::Str(text)) if text.trim().is_empty() => Json::Map(Default::default()),
            Some(Json::Str(text)) => {
                json::parse(text).map_err(|_| self.fault("has arguments that are not JSON"))?
            }
            Some(other) => other.clone(),
        };
        match value {
            Json::Map(_) => Ok(value),
            _ => Err(self.fault("has arguments that are no object")),
        }
    }
}

/// The blocks of a state in canonical order. A block without a content says nothing, unless it is
/// a call or a result.
pub(super) fn units(state: &Snapshot, unpaired: Unpaired) -> Result<Vec<Unit>> {
    let mut units = Vec::new();
    for place in state.tree().places() {
        for entry in state.tree().subtree(place)?.entries() {
            let node = &entry.node;
            if node.class != Class::Block {
                continue;
            }
            let content = state.content(node)?;
            if let Some(unit) = unit(node, place, content)? {
                units.push(unit);
            }
        }
    }
    if unpaired == Unpaired::LeaveOut {
        let lonely = lonely(&units);
        let mut at = 0..;
        units.retain(|_| at.next().is_none_or(|at: usize| !lonely.contains(&at)));
    }
    check_pairs(&units)?;
    Ok(units)
}

/// Calls without their results right after them, and results without their calls.
fn lonely(units: &[Unit]) -> BTreeSet<usize> {
    let mut lonely = BTreeSet::new();
    let mut open: Vec<usize> = Vec::new();
    let mut answering = false;
    for (at, unit) in units.iter().enumerate() {
        let id = unit.attr("data_call_id");
        match unit.sort {
            Sort::Thought => continue,
            Sort::Answer => {
                let found = open.iter().position(|call| units[*call].attr("data_call_id") == id);
                match found.filter(|_| id.is_some()) {
                    Some(found) => drop(open.remove(found)),
                    None => drop(lonely.insert(at)),
                }
                answering = true;
                continue;
            }
            Sort::Call if !answering => {}
            _ => lonely.extend(open.drain(..)),
        }
        answering = false;
        match (unit.sort, id) {
            (Sort::Call, Some(_)) => open.push(at),
            (Sort::Call, None) => drop(lonely.insert(at)),
            _ => {}
        }
    }
    lonely.extend(open);
    lonely
}

fn unit(node: &Arc<Node>, place: Place, content: Option<Arc<Json>>) -> Result<Option<Unit>> {
    let in_sys = place == Place::Sys;
    let role = node.role.as_deref().unwrap_or(if in_sys { "system" } else { "user" });
    let mut unit = Unit { node: node.clone(), sort: Sort::Said, role: role.to_owned(), content };
    unit.sort = match (node.kind.as_deref(), role) {
        (Some("call"), _) => Sort::Call,
        (Some("result"), _) => Sort::Answer,
        (_, "tool" | "function") if unit.attr("data_call_id").is_some() => Sort::Answer,
        (Some("reasoning"), _) => Sort::Thought,
        (_, "system" | "developer") => Sort::Standing,
        (_, "user" | "assistant") => Sort::Said,
        (_, "tool") => return Err(unit.fault("has no data_call_id to be paired by")),
        (_, other) => {
            return Err(unit.fault(&format!("has the role {other}, which providers do not know")));
        }
    };
    unit.role = match unit.sort {
        Sort::Call | Sort::Thought => "assistant".into(),
        Sort::Answer => "tool".into(),
        _ => unit.role,
    };
    let silent = unit.content.is_none() && matches!(unit.sort, Sort::Said | Sort::Standing);
    Ok((!silent).then_some(unit))
}

/// Every call is answered by the results that follow it at once, and every result answers one.
fn check_pairs(units: &[Unit]) -> Result<()> {
    let mut open: Vec<&Unit> = Vec::new();
    let mut answering = false;
    for unit in units {
        match unit.sort {
            Sort::Thought => {}
            Sort::Call => {
                if answering && let Some(call) = open.first() {
                    return Err(unanswered(call));
                }
                answering = false;
                unit.call_id()?;
                open.push(unit);
            }
            Sort::Answer => {
                let id = unit.call_id()?;
                let found = open.iter().position(|call| call.attr("data_call_id") == Some(id));
                let Some(found) = found else {
                    return Err(unit.fault(&format!("answers the call {id}, which is not there")));
                };
                open.remove(found);
                answering = true;
            }
            _ => {
                if let Some(call) = open.first() {
                    return Err(unanswered(call));
                }
                answering = false;
            }
        }
    }
    match open.first() {
        None => Ok(()),
        Some(call) => Err(unanswered(call)),
    }
}

fn unanswered(call: &Unit) -> Error {
    call.fault("is a call without a result right after it")
}
