//! Statements to operations: what a line says, as the request that every other front would send.
//!
//! A statement becomes the JSON object of its operation and is read like any other, so there is
//! one judge of fields and types. Each field is first judged alone, so that an error can point at
//! it. Selectors are passed on as they were written.

use super::parse::{Op, Question, parse_request};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::json::{self, Json, Map};
use crate::language::ast::{
    Add, Diff, Field, FieldValue, Fields, Moment, Policy, Set, Statement, Value, ValueKind,
};
use crate::language::{Dialect, Span, format, nearest_word};
use crate::model::HEADERS;
use crate::query::SelectOptions;

/// The fields of an add beside those that have a place of their own in the statement.
pub const ADD_FIELDS: [&str; 18] = [
    "role",
    "kind",
    "key",
    "tags",
    "ttl",
    "cad",
    "offset",
    "priority",
    "refs",
    "pinned",
    "id",
    "type",
    "container",
    "removable",
    "provenance",
    "mime",
    "encoding",
    "created_at_ns",
];

/// The fields of a set.
pub const SET_FIELDS: [&str; 9] =
    ["ttl", "priority", "key", "tags", "cad", "pinned", "refs", "mime", "encoding"];

/// The fields of a move.
pub const MOVE_FIELDS: [&str; 2] = ["offset", "created_at_ns"];

/// The fields of a commit.
pub const COMMIT_FIELDS: [&str; 3] = ["expected_cycle", "created_at_ns", "dry_run"];

/// The fields of one policy.
pub const POLICY_FIELDS: [&str; 5] =
    ["region", "max_blocks", "max_bytes", "max_tokens", "protect_recent_turns"];

/// Headers that are lists of texts: one text is a list of one.
const LISTS: [&str; 2] = ["tags", "refs"];

/// The operation that a statement asks for. `text` is what the statement was read from, in
/// `dialect`; a selector becomes a `nodes` if it asks for one state, and else a `select`.
pub fn statement_op(statement: &Statement, text: &str, dialect: Dialect) -> Result<Op> {
    let part = |span: Span| Json::from(span.of(text));
    let request = match statement {
        Statement::Select(selector) => {
            let q = selector.at.0.of(text).to_owned();
            let question =
                Question { q, dialect: Some(dialect), options: SelectOptions::default() };
            let range = selector.time.as_ref().is_some_and(|time| time.kind.is_range());
            return Ok(if range { Op::Select(question) } else { Op::Nodes(question) });
        }
        Statement::Add(add) => add_request(add, text)?,
        Statement::Set(set) => set_request(set, text)?,
        Statement::Move(request) => {
            let mut map = plain_fields("move", request.fields.as_ref(), &MOVE_FIELDS)?;
            map.insert("target".to_owned(), part(request.target.at.0));
            map.insert("to".to_owned(), part(request.to.at.0));
            map
        }
        Statement::Remove(remove) => Map::from([
            ("op".to_owned(), Json::from("remove")),
            ("target".to_owned(), part(remove.target.at.0)),
            ("force".to_owned(), Json::from(remove.force)),
        ]),
        Statement::Commit(commit) => {
            plain_fields("commit", commit.fields.as_ref(), &COMMIT_FIELDS)?
        }
        Statement::Undo(_) => Map::from([("op".to_owned(), Json::from("undo"))]),
        Statement::Restore(restore) => Map::from([
            ("op".to_owned(), Json::from("restore")),
            ("at".to_owned(), part(restore.to.at.0)),
            ("discard".to_owned(), Json::from(restore.discard)),
        ]),
        Statement::Diff(diff) => diff_request(diff, text, dialect),
        Statement::Policy(policy) => policy_request(policy)?,
        Statement::EndCadence(cadence) => Map::from([
            ("op".to_owned(), Json::from("cadence")),
            ("end".to_owned(), Json::from(cadence.key.as_str())),
        ]),
    };
    parse_request(Json::Map(request))
}

fn add_request(add: &Add, text: &str) -> Result<Map> {
    let mut map = node_fields("add", add.fields.as_ref(), &ADD_FIELDS)?;
    if let Some(place) = &add.place {
        map.insert("to".to_owned(), Json::from(place.at.0.of(text)));
    }
    if let Some(name) = &add.node_type {
        if map.contains_key("type") {
            return Err(at(name.at.0, Error::request("the type is given twice")));
        }
        let name = match &name.name {
            Some(rest) => format!("{}:{rest}", name.base),
            None => name.base.clone(),
        };
        map.insert("type".to_owned(), Json::from(name));
    }
    if let Some(content) = &add.content {
        map.insert("content".to_owned(), content.value.clone());
    }
    Ok(map)
}

fn set_request(set: &Set, text: &str) -> Result<Map> {
    let mut map = node_fields("set", set.fields.as_ref(), &SET_FIELDS)?;
    map.insert("target".to_owned(), Json::from(set.target.at.0.of(text)));
    if let Some(content) = &set.content {
        map.insert("content".to_owned(), content.value.clone());
    }
    Ok(map)
}

fn diff_request(diff: &Diff, text: &str, dialect: Dialect) -> Map {
    let address = |moment: &Moment| match moment {
        Moment::Now(_) => Json::Null,
        Moment::Time(time) => Json::from(format(time, dialect)),
    };
    let newest = if dialect.t0_is_working_state() { "@t-1" } else { "@t0" };
    let (a, b) = match &diff.states[..] {
        [] => (Json::from(newest), Json::Null),
        [one] => (address(one), Json::Null),
        [a, b, ..] => (address(a), address(b)),
    };
    let mut map = Map::from([
        ("op".to_owned(), Json::from("diff")),
        ("a".to_owned(), a),
        ("b".to_owned(), b),
        ("rich".to_owned(), Json::from(diff.rich)),
        ("dialect".to_owned(), Json::from(dialect.name())),
    ]);
    if let Some(selector) = &diff.selector {
        map.insert("q".to_owned(), Json::from(selector.at.0.of(text)));
    }
    map
}

fn policy_request(policy: &Policy) -> Result<Map> {
    let mut map = Map::from([("op".to_owned(), Json::from("policy"))]);
    let Some(set) = &policy.set else { return Ok(map) };
    let mut list = Vec::with_capacity(set.len());
    for fields in set {
        let mut one = Map::new();
        for field in &fields.list {
            known(field, "policy", &POLICY_FIELDS)?;
            let mut value = value_of(field);
            if let ("region", Json::Str(region)) = (field.name.text.as_str(), &mut value)
                && !region.starts_with('^')
            {
                region.insert(0, '^');
            }
            let alone = Map::from([(field.name.text.clone(), value.clone())]);
            let request = Map::from([
                ("op".to_owned(), Json::from("policy")),
                ("set".to_owned(), Json::List(vec![Json::Map(alone)])),
            ]);
            parse_request(Json::Map(request)).map_err(|error| at(field.at.0, error))?;
            one.insert(field.name.text.clone(), value);
        }
        list.push(Json::Map(one));
    }
    map.insert("set".to_owned(), Json::List(list));
    Ok(map)
}

/// The request of an operation whose fields are a closed list.
fn plain_fields(op: &str, fields: Option<&Fields>, names: &[&str]) -> Result<Map> {
    let mut map = Map::from([("op".to_owned(), Json::from(op))]);
    for field in fields.into_iter().flat_map(|fields| &fields.list) {
        known(field, op, names)?;
        judge(op, field, field.name.text.clone(), value_of(field))?;
        map.insert(field.name.text.clone(), value_of(field));
    }
    Ok(map)
}

/// The request of an operation on nodes, which may have attributes of their own.
fn node_fields(op: &str, fields: Option<&Fields>, names: &[&str]) -> Result<Map> {
    let mut map = Map::from([("op".to_owned(), Json::from(op))]);
    let mut attrs = Map::new();
    for field in fields.into_iter().flat_map(|fields| &fields.list) {
        let name = field.name.text.as_str();
        let value = value_of(field);
        if name == "content" || names.contains(&name) || (op == "set" && ADD_FIELDS.contains(&name))
        {
            judge(op, field, name.to_owned(), value.clone())?;
            map.insert(name.to_owned(), value);
        } else {
            let own = name.starts_with("data_") || name.starts_with("content_");
            if !own && !name.contains(':') && !HEADERS.contains(&name) {
                return Err(unknown(field, op, names, Code::AttrNamespace));
            }
            attrs.insert(name.to_owned(), value);
        }
    }
    if !attrs.is_empty() {
        map.insert("attrs".to_owned(), Json::Map(attrs));
    }
    Ok(map)
}

/// Reads a request with this field alone.
fn judge(op: &str, field: &Field, name: String, value: Json) -> Result<()> {
    let mut alone = Map::from([("op".to_owned(), Json::from(op)), (name, value)]);
    for needed in ["target", "to"] {
        if matches!((op, needed), ("set" | "move", "target") | ("move", "to")) {
            alone.insert(needed.to_owned(), Json::from("*"));
        }
    }
    parse_request(Json::Map(alone)).map_err(|error| at(field.at.0, error))?;
    Ok(())
}

fn known(field: &Field, op: &str, names: &[&str]) -> Result<()> {
    match names.contains(&field.name.text.as_str()) {
        true => Ok(()),
        false => Err(unknown(field, op, names, Code::RequestInvalid)),
    }
}

fn unknown(field: &Field, op: &str, names: &[&str], code: Code) -> Error {
    let name = &field.name.text;
    let own = match code {
        Code::AttrNamespace => {
            ", and an attribute of your own begins with data_ or content_, or has a colon"
        }
        _ => "",
    };
    let mut error = Error::new(code, format!("{op} has no field '{name}'{own}"));
    error.details.expected = names.iter().map(|name| format!("`{name}`")).collect();
    error.details.hint = match nearest_word(name, names.iter().copied()) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None if code == Code::AttrNamespace => Some(format!("write `data_{name}`")),
        None => Some(format!("the fields of {op} are {}", names.join(", "))),
    };
    at(field.name.at.0, error)
}

fn at(span: Span, mut error: Error) -> Error {
    error.details.span = Some((span.start, span.end));
    error
}

/// The value of a field as JSON.
fn value_of(field: &Field) -> Json {
    match &field.value {
        FieldValue::Flag => Json::Bool(true),
        FieldValue::Many(values) => Json::List(values.iter().map(value).collect()),
        FieldValue::One(one) => match value(one) {
            text @ Json::Str(_) if LISTS.contains(&field.name.text.as_str()) => {
                Json::List(vec![text])
            }
            other => other,
        },
    }
}

fn value(value: &Value) -> Json {
    match &value.kind {
        ValueKind::Text(text) => Json::from(text.as_str()),
        ValueKind::Word(word) => match word.as_str() {
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            word => Json::from(word),
        },
        ValueKind::Number(number) => number_value(number),
        ValueKind::Null => Json::Null,
    }
}

/// A number of the language as JSON writes it: no plus sign, no zeros in front.
fn number_value(number: &str) -> Json {
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", number.strip_prefix('+').unwrap_or(number)),
    };
    let digits = digits.trim_start_matches('0');
    let zero = if digits.is_empty() || digits.starts_with('.') { "0" } else { "" };
    let text = format!("{sign}{zero}{digits}");
    // A number too large for a double is kept as the text that it was.
    json::parse(&text).unwrap_or_else(|_| Json::from(number))
}
