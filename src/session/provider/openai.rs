//! Messages as the OpenAI chat API accepts them. Thoughts are left out: that API never takes them.

use super::Piece;
use super::units::{Sort, Unit};
use crate::error::Result;
use crate::json::{Json, canonical_string};
use std::collections::BTreeMap;

type Map = BTreeMap<String, Json>;

const PARTS: [&str; 5] = ["text", "image_url", "input_audio", "file", "refusal"];

pub(super) fn messages(units: &[Unit]) -> Result<Vec<Piece>> {
    let units: Vec<&Unit> = units.iter().filter(|unit| unit.sort != Sort::Thought).collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(unit) = units.get(at) {
        let run = match unit.sort {
            Sort::Answer => 1,
            Sort::Call => calls(&units[at..]),
            _ => said(&units[at..]),
        };
        let group = &units[at..at + run];
        let value = match unit.sort {
            Sort::Answer => answer(unit)?,
            _ => message(group)?,
        };
        let ids = group.iter().map(|unit| unit.id().clone()).collect();
        pieces.push(Piece { ids, value, beside: false });
        at += run;
    }
    Ok(pieces)
}

/// How many of these are calls of one message.
fn calls(units: &[&Unit]) -> usize {
    units.iter().take_while(|unit| unit.sort == Sort::Call && unit.goes_with(units[0])).count()
}

/// How many of these are one message: what is said, in parts that name the same message, and the
/// calls that come with it.
fn said(units: &[&Unit]) -> usize {
    let first = units[0];
    let parts = units
        .iter()
        .take_while(|unit| {
            let same = unit.sort == first.sort && unit.role == first.role;
            same && first.message().is_some() && unit.goes_with(first)
        })
        .count()
        .max(1);
    let calls = units[parts..]
        .iter()
        .take_while(|unit| {
            first.role == "assistant" && unit.sort == Sort::Call && unit.goes_with(first)
        })
        .count();
    parts + calls
}

fn message(group: &[&Unit]) -> Result<Json> {
    let mut map = Map::new();
    let (calls, parts): (Vec<&&Unit>, Vec<&&Unit>) =
        group.iter().partition(|unit| unit.sort == Sort::Call);
    let Some(first) = group.first() else { return Ok(Json::Null) };
    map.extend(first.extra().filter(|_| first.attr("data_block").is_none()));
    map.insert("role".into(), Json::from(first.role.as_str()));
    if let Some(name) = first.attr("data_name") {
        map.insert("name".into(), Json::from(name));
    }
    let content = match parts.as_slice() {
        [] => Json::Null,
        [only] => content(only)?,
        several => {
            let parts: Result<Vec<Vec<Json>>> = several.iter().map(|unit| as_parts(unit)).collect();
            Json::List(parts?.concat())
        }
    };
    map.insert("content".into(), content);
    if !calls.is_empty() {
        let calls: Result<Vec<Json>> = calls.into_iter().map(|unit| call(unit)).collect();
        map.insert("tool_calls".into(), Json::List(calls?));
    }
    Ok(Json::Map(map))
}

/// A text, or parts that the API knows; any other value is said as JSON.
fn content(unit: &Unit) -> Result<Json> {
    if let Some(form) = unit.attr("data_block") {
        return Err(unit.fault(&format!("is a block of the {form} API alone")));
    }
    match unit.content.as_deref() {
        Some(Json::List(items)) if is_parts(items) => {
            for item in items {
                check_part(unit, item)?;
            }
            Ok(Json::List(items.clone()))
        }
        _ => Ok(Json::Str(unit.text())),
    }
}

fn as_parts(unit: &Unit) -> Result<Vec<Json>> {
    Ok(match content(unit)? {
        Json::List(parts) => parts,
        text => vec![Json::Map(Map::from([
            ("type".to_owned(), Json::from("text")),
            ("text".to_owned(), text),
        ]))],
    })
}

/// Whether a list is one of typed parts, and not just a value.
fn is_parts(items: &[Json]) -> bool {
    let typed = |item: &Json| matches!(item, Json::Map(map) if map.contains_key("type"));
    !items.is_empty() && items.iter().all(typed)
}

fn check_part(unit: &Unit, item: &Json) -> Result<()> {
    let Json::Map(part) = item else { return Ok(()) };
    match part.get("type").and_then(Json::as_str) {
        Some(kind) if PARTS.contains(&kind) => Ok(()),
        Some(kind) => Err(unit.fault(&format!("has a part of the type {kind}"))),
        None => Err(unit.fault("has a part without a type")),
    }
}

fn call(unit: &Unit) -> Result<Json> {
    let custom = unit.attr("data_tool_type") == Some("custom");
    let arguments = match unit.content.as_deref() {
        None => "{}".to_owned(),
        Some(Json::Str(text)) => text.clone(),
        Some(other) => canonical_string(other),
    };
    let (kind, input) = if custom { ("custom", "input") } else { ("function", "arguments") };
    let tool = Map::from([
        ("name".to_owned(), Json::from(unit.tool()?)),
        (input.to_owned(), Json::Str(arguments)),
    ]);
    Ok(Json::Map(Map::from([
        ("id".to_owned(), Json::from(unit.call_id()?)),
        ("type".to_owned(), Json::from(kind)),
        (kind.to_owned(), Json::Map(tool)),
    ])))
}

fn answer(unit: &Unit) -> Result<Json> {
    let mut map = Map::new();
    map.extend(unit.extra());
    map.insert("role".into(), Json::from("tool"));
    map.insert("tool_call_id".into(), Json::from(unit.call_id()?));
    map.insert("content".into(), content(unit)?);
    Ok(Json::Map(map))
}
