//! Statements to operations: what a line says, as the request that every other front would send.
//!
//! The fields of a statement are read like those of any other request, so there is one judge of
//! names and types; an error points at the field that it is about. Selectors are passed on as they
//! were written.

use super::operation::Request;
use super::requests::{Nodes, Undo};
use crate::code::Code;
use crate::db::{Add, Commit, Diff, EndCadence, Move, PolicyRequest, Remove, Restore, Select, Set};
use crate::error::{Error, Result};
use crate::json::{self, DecodeError, Fault, Json, Map, from_json};
use crate::language::ast::{self, Field, FieldValue, Fields, Moment, Statement, Value, ValueKind};
use crate::language::{Dialect, Span, format, nearest_word};
use crate::lifecycle;
use crate::model::{HEADERS, Held, addable, header, settable};
use crate::query::SelectOptions;
use serde::de::DeserializeOwned;

/// What an add has beside headers: a type, and whether it is a container.
const ADD_WORDS: [&str; 2] = ["type", "container"];

/// The fields of a move.
pub const MOVE_FIELDS: [&str; 2] = ["offset", "created_at_ns"];

/// The fields of a commit.
pub const COMMIT_FIELDS: [&str; 4] =
    ["expected_cycle", "expected_event", "created_at_ns", "dry_run"];

/// The fields of one policy.
pub const POLICY_FIELDS: [&str; 7] = [
    "region",
    "max_blocks",
    "max_bytes",
    "max_tokens",
    "max_turns",
    "max_nodes",
    "protect_recent_turns",
];

/// The fields of an add beside those that have a place of their own in the statement.
pub fn add_fields() -> Vec<&'static str> {
    addable().map(|header| header.name).chain(ADD_WORDS).collect()
}

/// The fields of a set, likewise.
pub fn set_fields() -> Vec<&'static str> {
    let names = settable().into_iter().map(|header| header.name);
    names.filter(|name| *name != "content").collect()
}

/// The request that a statement makes. `text` is what the statement was read from, in `dialect`;
/// a selector becomes a `nodes` if it asks for one state, and else a `select`.
pub fn statement_request(statement: &Statement, text: &str, dialect: Dialect) -> Result<Request> {
    let part = |span: Span| span.of(text).to_owned();
    Ok(match statement {
        Statement::Select(selector) => {
            let (q, dialect) = (part(selector.at.0), Some(dialect));
            let options = SelectOptions::default();
            match selector.time.as_ref().is_some_and(|time| time.kind.is_range()) {
                true => Select { q, dialect, options }.into(),
                false => Nodes { q, dialect, options }.into(),
            }
        }
        Statement::Add(add) => add_request(add, text)?.into(),
        Statement::Set(set) => set_request(set, text)?.into(),
        Statement::Move(request) => {
            let fields = request.fields.as_ref();
            let mut map = plain_fields("move", fields, &MOVE_FIELDS)?;
            map.insert("target".to_owned(), Json::from(part(request.target.at.0)));
            map.insert("to".to_owned(), Json::from(part(request.to.at.0)));
            read::<Move>("move", fields, map)?.into()
        }
        Statement::Remove(remove) => {
            Remove { target: part(remove.target.at.0), force: remove.force }.into()
        }
        Statement::Commit(commit) => {
            let fields = commit.fields.as_ref();
            let map = plain_fields("commit", fields, &COMMIT_FIELDS)?;
            read::<Commit>("commit", fields, map)?.into()
        }
        Statement::Undo(_) => Undo::default().into(),
        Statement::Restore(restore) => {
            Restore { at: part(restore.to.at.0), discard: restore.discard }.into()
        }
        Statement::Diff(diff) => diff_request(diff, text, dialect).into(),
        Statement::Policy(policy) => policy_request(policy)?.into(),
        Statement::EndCadence(cadence) => EndCadence { end: cadence.key.clone() }.into(),
    })
}

fn add_request(add: &ast::Add, text: &str) -> Result<Add> {
    let fields = add.fields.as_ref();
    let map = node_fields("add", fields, &add_fields())?;
    let mut request: Add = read("add", fields, map)?;
    request.to = add.place.as_ref().map(|place| place.at.0.of(text).to_owned());
    if let Some(name) = &add.node_type {
        if request.node_type.is_some() {
            return Err(at(name.at.0, Error::request("the type is given twice")));
        }
        request.node_type = Some(match &name.name {
            Some(rest) => format!("{}:{rest}", name.base),
            None => name.base.clone(),
        });
    }
    if let Some(content) = &add.content {
        request.content = Some(content.value.clone()).filter(|content| !content.is_null());
    }
    Ok(request)
}

fn set_request(set: &ast::Set, text: &str) -> Result<Set> {
    let fields = set.fields.as_ref();
    let mut map = node_fields("set", fields, &set_fields())?;
    map.insert("target".to_owned(), Json::from(set.target.at.0.of(text)));
    let mut request: Set = read("set", fields, map)?;
    if let Some(content) = &set.content {
        request.content = Some(Some(content.value.clone()).filter(|content| !content.is_null()));
    }
    Ok(request)
}

fn diff_request(diff: &ast::Diff, text: &str, dialect: Dialect) -> Diff {
    let address = |moment: &Moment| match moment {
        Moment::Now(_) => None,
        Moment::Time(time) => Some(format(time, dialect)),
    };
    let newest = if dialect.t0_is_working_state() { "@t-1" } else { "@t0" };
    let (a, b) = match &diff.states[..] {
        [] => (Some(newest.to_owned()), None),
        [one] => (address(one), None),
        [a, b, ..] => (address(a), address(b)),
    };
    let q = diff.selector.as_ref().map(|selector| selector.at.0.of(text).to_owned());
    Diff { a, b, q, rich: diff.rich, dialect: Some(dialect) }
}

fn policy_request(policy: &ast::Policy) -> Result<PolicyRequest> {
    let Some(set) = &policy.set else { return Ok(PolicyRequest::default()) };
    let mut list: Vec<lifecycle::Policy> = Vec::with_capacity(set.len());
    for fields in set {
        let mut map = plain_fields("policy", Some(fields), &POLICY_FIELDS)?;
        if let Some(Json::Str(region)) = map.get_mut("region")
            && !region.starts_with('^')
        {
            region.insert(0, '^');
        }
        list.push(read("policy", Some(fields), map)?);
    }
    Ok(PolicyRequest { set: Some(list) })
}

/// A request of these fields; an error is about one of them, or about none.
fn read<T: DeserializeOwned>(op: &str, fields: Option<&Fields>, map: Map) -> Result<T> {
    from_json(Json::Map(map)).map_err(|error: DecodeError| {
        let name = match (&error.fault, error.path.first()) {
            (Fault::Unknown { name, .. }, None) => Some(name.clone()),
            (_, field) => field.cloned(),
        };
        let field = fields.and_then(|fields| {
            fields.list.iter().find(|field| Some(&field.name.text) == name.as_ref())
        });
        let error = Error::in_request(op, error);
        match field {
            Some(field) => at(field.at.0, error),
            None => error,
        }
    })
}

/// The fields of an operation that has a closed list of them.
fn plain_fields(op: &str, fields: Option<&Fields>, names: &[&str]) -> Result<Map> {
    let mut map = Map::new();
    for field in fields.into_iter().flat_map(|fields| &fields.list) {
        known(field, op, names)?;
        map.insert(field.name.text.clone(), value_of(field));
    }
    // Null is nothing that any of them could be.
    map.retain(|_, value| !value.is_null());
    Ok(map)
}

/// The fields of an operation on nodes, which may have attributes of their own.
fn node_fields(op: &str, fields: Option<&Fields>, names: &[&str]) -> Result<Map> {
    let (mut map, mut attrs) = (Map::new(), Map::new());
    for field in fields.into_iter().flat_map(|fields| &fields.list) {
        let name = field.name.text.as_str();
        let value = value_of(field);
        let is_field = name == "content"
            || names.contains(&name)
            || (op == "set" && add_fields().contains(&name));
        if is_field {
            map.insert(name.to_owned(), value);
            continue;
        }
        let own = name.starts_with("data_") || name.starts_with("content_");
        if !own && !name.contains(':') && !HEADERS.contains(&name) {
            return Err(unknown(field, op, names, Code::AttrNamespace));
        }
        attrs.insert(name.to_owned(), value);
    }
    if op == "add" {
        map.retain(|_, value| !value.is_null());
    }
    if !attrs.is_empty() {
        map.insert("attrs".to_owned(), Json::Map(attrs));
    }
    Ok(map)
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
            // One text is a list of one.
            text @ Json::Str(_) if is_list(&field.name.text) => Json::List(vec![text]),
            other => other,
        },
    }
}

fn is_list(name: &str) -> bool {
    header(name).is_some_and(|header| matches!(header.held, Held::List(_)))
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
