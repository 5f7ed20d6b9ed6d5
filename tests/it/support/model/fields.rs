//! Reading the fields of a request: names, types and bounds (R2.2, R2.3, R3.3), each with its code.

use std::collections::BTreeMap;

use serde_json::Value;

use super::fail::{Codes, Fail, Res};

/// Headers and other names that no custom attribute may take.
const RESERVED: [&str; 31] = [
    "id",
    "nodeType",
    "offset",
    "ttl",
    "priority",
    "cycle",
    "created_at_ns",
    "created_at_iso",
    "creation_index",
    "role",
    "kind",
    "key",
    "tags",
    "tag",
    "cad",
    "content",
    "content_hash",
    "provenance",
    "mime",
    "encoding",
    "removable",
    "pinned",
    "refs",
    "children",
    "parent",
    "type",
    "depth",
    "sdepth",
    "age",
    "born_turn",
    "ephemeral",
];

/// The name of the operation.
pub(crate) fn op(request: &Value) -> Res<&str> {
    request.get("op").and_then(Value::as_str).ok_or(Fail::one("E_REQUEST_INVALID"))
}

/// Notes a field that the operation does not know.
pub(crate) fn only(request: &Value, known: &[&str], codes: &mut Codes) {
    for name in request.as_object().into_iter().flat_map(|map| map.keys()) {
        if !known.contains(&name.as_str()) && name != "op" && name != "rid" {
            codes.add("E_REQUEST_INVALID");
        }
    }
}

/// The field, null being the same as nothing.
pub(crate) fn given<'a>(request: &'a Value, name: &str) -> Option<&'a Value> {
    request.get(name).filter(|value| !value.is_null())
}

/// An optional header: null, false and the empty list are the same as nothing (R2.2).
pub(crate) fn header<'a>(request: &'a Value, name: &str) -> Option<&'a Value> {
    given(request, name).filter(|value| !is_absent(value))
}

pub(crate) fn is_absent(value: &Value) -> bool {
    value.is_null() || *value == Value::Bool(false) || value.as_array().is_some_and(Vec::is_empty)
}

/// A text among the optional headers.
pub(crate) fn text(request: &Value, name: &str, codes: &mut Codes) -> Option<String> {
    let value = header(request, name)?;
    if !value.is_string() {
        codes.add("E_ATTR_INVALID");
    }
    value.as_str().map(str::to_string)
}

/// A list of texts among the optional headers.
pub(crate) fn texts(request: &Value, name: &str, codes: &mut Codes) -> Vec<String> {
    let Some(value) = header(request, name) else { return Vec::new() };
    let items = value.as_array().filter(|items| items.iter().all(Value::is_string));
    if items.is_none() {
        codes.add("E_ATTR_INVALID");
    }
    items.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_string)).collect()
}

/// A yes or no among the optional headers.
pub(crate) fn flag(request: &Value, name: &str, codes: &mut Codes) -> bool {
    match header(request, name) {
        None => false,
        Some(Value::Bool(flag)) => *flag,
        Some(_) => {
            codes.add("E_ATTR_INVALID");
            false
        }
    }
}

/// An integer that is at least `least`.
pub(crate) fn integer(value: Option<&Value>, least: i64, codes: &mut Codes) -> Option<i64> {
    let number = value?.as_i64().filter(|number| *number >= least);
    if number.is_none() {
        codes.add("E_ATTR_INVALID");
    }
    number
}

/// A time for what the operation creates. It is no header, so the request may be called malformed as well.
pub(crate) fn time(request: &Value, codes: &mut Codes) -> Option<i64> {
    let value = given(request, "created_at_ns")?;
    let ns = value.as_i64().filter(|ns| *ns >= 0);
    if ns.is_none() {
        codes.add_all(&["E_ATTR_INVALID", "E_REQUEST_INVALID"]);
    }
    ns
}

/// Custom attributes by name; a null stays a null here.
pub(crate) fn attrs(request: &Value, codes: &mut Codes) -> BTreeMap<String, Value> {
    let Some(value) = given(request, "attrs") else { return BTreeMap::new() };
    let Some(map) = value.as_object() else {
        codes.add_all(&["E_ATTR_INVALID", "E_REQUEST_INVALID"]);
        return BTreeMap::new();
    };
    for name in map.keys() {
        let spaced =
            name.starts_with("data_") || name.starts_with("content_") || name.contains(':');
        if RESERVED.contains(&name.as_str()) {
            codes.add("E_ATTR_RESERVED");
        }
        if !spaced {
            codes.add("E_ATTR_NAMESPACE");
        }
    }
    map.clone().into_iter().collect()
}

/// `mt:42`, `mc:42`, `seg:42`, `cont:42`: what sealing names its nodes (R2.6).
pub(crate) fn is_numbered_shape(id: &str) -> bool {
    id.split_once(':').is_some_and(|(word, number)| {
        matches!(word, "mt" | "mc" | "seg" | "cont")
            && !number.is_empty()
            && number.chars().all(|c| c.is_ascii_digit())
    })
}
