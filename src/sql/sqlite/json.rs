//! JSON as columns have it.

use super::table::Value;
use crate::json::{Json, canonical_string, parse};
use std::borrow::Cow;

/// A value of a column: lists and objects are their JSON text, true and false are 1 and 0.
pub(super) fn column_of(value: &Json) -> Value<'_> {
    match value {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Int((*flag).into()),
        Json::Int(number) => Value::Int(*number),
        Json::Float(number) => Value::Real(*number),
        Json::Str(text) => Value::text(text),
        other => Value::owned(canonical_string(other)),
    }
}

/// A content as text: a string as it is, anything else as JSON.
pub(super) fn text_of(content: &Json) -> Cow<'_, str> {
    match content {
        Json::Str(text) => Cow::Borrowed(text),
        other => Cow::Owned(canonical_string(other)),
    }
}

/// A content as JSON that SQLite's functions take; null if it is a plain text.
pub(super) fn json_of(content: &Json) -> Value<'_> {
    let text = match content {
        Json::Str(text) => text,
        other => return Value::owned(canonical_string(other)),
    };
    if !text.trim_start().starts_with(['{', '[']) {
        return Value::Null;
    }
    parse(text).map_or(Value::Null, |value| Value::owned(canonical_string(&value)))
}

/// A list of texts as JSON.
pub(super) fn list_of<'a>(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Value<'a> {
    let list = texts.into_iter().map(|text| Json::from(text.as_ref())).collect();
    Value::owned(canonical_string(&Json::List(list)))
}
