//! `X REGEXP Y`: the regular expressions of selectors, which take linear time.

use crate::limits::MAX_PATTERN_BYTES;
use regex::{Regex, RegexBuilder};
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Result};
use std::borrow::Cow;

/// What SQLite calls the operator.
pub(super) const NAME: &str = "regexp";

/// Makes `REGEXP` known to a connection.
pub(super) fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function(NAME, 2, flags, is_match)
}

fn is_match(context: &Context<'_>) -> Result<Option<bool>> {
    let (Some(_), Some(text)) = (text_of(context.get_raw(0)), text_of(context.get_raw(1))) else {
        return Ok(None);
    };
    // The pattern is mostly the same in all rows.
    let pattern =
        context.get_or_create_aux(0, |value| -> std::result::Result<Regex, BoxError> {
            compiled(&text_of(value).unwrap_or_default())
        })?;
    Ok(Some(pattern.is_match(&text)))
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

fn compiled(pattern: &str) -> std::result::Result<Regex, BoxError> {
    let built = RegexBuilder::new(pattern)
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(MAX_PATTERN_BYTES)
        .build();
    built.map_err(|error| {
        let text = error.to_string();
        let reason = text.lines().last().unwrap_or("").trim_start_matches("error: ");
        Error::UserFunctionError(format!("not a regular expression: {reason}").into()).into()
    })
}

/// A value as text; none for null and for bytes.
fn text_of(value: ValueRef<'_>) -> Option<Cow<'_, str>> {
    match value {
        ValueRef::Null | ValueRef::Blob(_) => None,
        ValueRef::Integer(number) => Some(Cow::Owned(number.to_string())),
        ValueRef::Real(number) => Some(Cow::Owned(number.to_string())),
        ValueRef::Text(text) => Some(String::from_utf8_lossy(text)),
    }
}
