//! The blocks of a state as what providers know: instructions, things said, calls, results,
//! thoughts. A block that is none of these is something said in the user's name, with a label
//! that tells whose it is.

use super::notes::Notes;
use super::unit::{Sort, Unit, is_blank, label};
use crate::db::Snapshot;
use crate::error::Result;
use crate::json::Json;
use crate::model::{Class, Node, Place};
use std::sync::Arc;

/// The blocks of a state in canonical order. A block without a content says nothing, unless it is
/// a call or a result.
pub(super) fn units(state: &Snapshot, notes: &mut Notes) -> Result<Vec<Unit>> {
    let mut units = Vec::new();
    for place in state.tree().places() {
        for entry in state.tree().subtree(place)?.entries() {
            let node = &entry.node;
            if node.class != Class::Block {
                continue;
            }
            let content = state.content(node)?;
            let unit = unit(units.len(), node, place, content, notes);
            if speaks(&unit, notes) {
                units.push(unit);
            }
        }
    }
    Ok(units)
}

/// Whether there is anything in it. No API takes an empty text.
fn speaks(unit: &Unit, notes: &mut Notes) -> bool {
    if !matches!(unit.sort, Sort::Said | Sort::Standing) || unit.refusal().is_some() {
        return true;
    }
    match unit.content.as_deref() {
        None => false,
        Some(Json::Str(text)) if is_blank(text) => {
            notes.mended(unit, "is empty", "left out");
            false
        }
        Some(_) => true,
    }
}

fn unit(
    at: usize,
    node: &Arc<Node>,
    place: Place,
    content: Option<Arc<Json>>,
    notes: &mut Notes,
) -> Unit {
    let in_sys = place == Place::Sys;
    let role = node.role.as_deref().unwrap_or(if in_sys { "system" } else { "user" });
    let mut unit = Unit {
        at,
        place,
        node: node.clone(),
        sort: Sort::Said,
        role: role.to_owned(),
        label: None,
        content,
    };
    unit.sort = match (node.kind.as_deref(), role) {
        (Some("call"), _) => Sort::Call,
        (Some("result"), _) => Sort::Answer,
        (_, "tool" | "function") if unit.call_id().is_some() => Sort::Answer,
        (Some("reasoning"), _) => Sort::Thought,
        (_, "system" | "developer") => Sort::Standing,
        _ => Sort::Said,
    };
    match unit.sort {
        Sort::Call | Sort::Thought => unit.role = "assistant".into(),
        Sort::Answer => unit.role = "tool".into(),
        Sort::Said if !matches!(role, "user" | "assistant") => foreign(&mut unit, role, notes),
        _ => {}
    }
    unit
}

/// Something said by somebody whom the APIs do not know.
fn foreign(unit: &mut Unit, role: &str, notes: &mut Notes) {
    let kind = unit.node.kind.as_deref();
    let names: Vec<&str> = [Some(role), kind].into_iter().flatten().collect();
    unit.becomes_said(label(&names.join(" ")));
    if unit.content.is_none() {
        return;
    }
    let what = match role {
        "tool" | "function" => "has no data_call_id to be paired by".to_owned(),
        other => format!("has the role {}, which providers do not know", label(other)),
    };
    notes.mended(unit, what, "said in the user's name, after a label");
}
