//! Feeding a store's own choice of ids into the model.

use std::collections::{HashSet, VecDeque};

use serde_json::Value;

use super::model::Model;

/// The ids that a store chose while it answered `request`, in order of creation.
///
/// `exports` are the states that the store shows afterwards (the working state, and the newest snapshots if the
/// request committed). What the model knows, what the request names, and what sealing names is not a choice.
/// Call it before the model has seen the request.
pub(crate) fn chosen_ids(model: &Model, request: &Value, exports: &[Value]) -> VecDeque<String> {
    let mut named = HashSet::new();
    names(request, &mut named);
    let mut found = Vec::new();
    for export in exports {
        walk(&export["root"], &mut found);
    }
    found.retain(|(_, id)| !model.is_used(id) && !named.contains(id) && !is_sealing_name(id));
    found.sort();
    found.dedup();
    found.into_iter().map(|(_, id)| id).collect()
}

/// The ids that a dry run of a commit would choose: no export shows them, only its reply does.
pub(crate) fn rehearsed_ids(reply: &Value) -> VecDeque<String> {
    let ids = reply["ok"]["materialized"].as_array().into_iter().flatten();
    ids.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Answers a request with the model, taking open ids from `chosen` and inventing some when it runs dry.
pub(crate) fn handle_following(
    model: &mut Model,
    request: &Value,
    mut chosen: VecDeque<String>,
) -> Value {
    let mut invented = 0;
    model.handle_with_ids(request, &mut |prefix| {
        chosen.pop_front().unwrap_or_else(|| {
            invented += 1;
            format!("{prefix}:not-in-the-export-{invented}")
        })
    })
}

fn names(value: &Value, named: &mut HashSet<String>) {
    match value {
        Value::Object(map) => {
            if let Some(Value::String(id)) = map.get("id") {
                named.insert(id.clone());
            }
            map.values().for_each(|value| names(value, named));
        }
        Value::Array(items) => items.iter().for_each(|value| names(value, named)),
        _ => {}
    }
}

fn walk(node: &Value, found: &mut Vec<(i64, String)>) {
    let created = node["created_at_ns"].as_i64().unwrap_or_default();
    found.push((created, node["id"].as_str().unwrap_or_default().to_string()));
    for child in node["children"].as_array().into_iter().flatten() {
        walk(child, found);
    }
}

/// `mt:42`, and `mt:42-2` if that was taken.
fn is_sealing_name(id: &str) -> bool {
    let Some((word, number)) = id.split_once(':') else { return false };
    let (number, again) = number.split_once('-').unwrap_or((number, "2"));
    let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    matches!(word, "mt" | "mc" | "seg" | "cont") && digits(number) && digits(again)
}
