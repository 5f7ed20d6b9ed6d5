//! What went wrong, from SQLite's words to ours: a code, the place in the text, and what was probably
//! meant.

use super::meter::Meter;
use super::stages::words;
use super::tables::shapes;
use crate::budget;
use crate::code::Code;
use crate::error::Error;
use crate::language::nearest_word;
use crate::limits::MAX_SQL_VALUE_BYTES;
use rusqlite::{Error as SqliteError, ErrorCode};

/// Functions that a misspelt one may be; SQLite has more.
const FUNCTIONS: [&str; 38] = [
    "abs",
    "avg",
    "coalesce",
    "count",
    "date",
    "datetime",
    "format",
    "group_concat",
    "hex",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array_length",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_object",
    "json_type",
    "json_valid",
    "julianday",
    "length",
    "like",
    "lower",
    "ltrim",
    "max",
    "min",
    "nullif",
    "printf",
    "replace",
    "round",
    "rtrim",
    "strftime",
    "substr",
    "sum",
    "total",
    "trim",
    "upper",
];

/// Words that people use for a column that has another name.
const OTHER_WORDS: [(&str, &str); 8] = [
    ("type", "nodeType"),
    ("text", "content"),
    ("body", "content"),
    ("size", "bytes"),
    ("length", "chars"),
    ("tag", "tags"),
    ("created_at", "time"),
    ("attributes", "attrs"),
];

/// The error of a statement.
pub(super) fn fault(error: SqliteError, sql: &str, meter: &Meter) -> Error {
    if let Some(error) = meter.failed() {
        return in_statement(error, sql);
    }
    if let Some(what) = meter.denied() {
        let mut error = Error::new(Code::SqlDenied, what);
        error.details.hint = Some(format!("a question reads {}", names()));
        return error;
    }
    match error {
        SqliteError::SqlInputError { .. } if is_no_question(sql) => no_question(),
        SqliteError::SqlInputError { sql: part, .. } if part != sql => several(),
        SqliteError::SqlInputError { msg, offset, .. } => {
            invalid(&msg, sql, usize::try_from(offset).ok())
        }
        SqliteError::MultipleStatement => several(),
        SqliteError::SqliteFailure(failure, message) => match failure.code {
            ErrorCode::OperationInterrupted => match budget::check() {
                Err(stopped) => stopped.into(),
                Ok(()) => Error::new(Code::Cancelled, "the statement was interrupted"),
            },
            ErrorCode::TooBig => {
                let message = format!("a text has at most {MAX_SQL_VALUE_BYTES} bytes in SQL");
                Error::new(Code::Limit, message)
            }
            ErrorCode::OutOfMemory => {
                Error::new(Code::Limit, "the statement needs too much memory")
            }
            _ if is_no_question(sql) => no_question(),
            _ => invalid(&message.unwrap_or_else(|| failure.to_string()), sql, None),
        },
        other => invalid(&other.to_string(), sql, None),
    }
}

/// An error that no part of the text is about.
pub(super) fn plain(message: impl Into<String>) -> Error {
    Error::new(Code::SqlInvalid, message)
}

/// The error of a statement that is no question.
pub(super) fn no_question() -> Error {
    Error::new(Code::SqlDenied, "only questions can be asked: select … or with …")
}

/// Words that begin other statements.
const OTHER_STATEMENTS: [&str; 19] = [
    "alter",
    "analyze",
    "attach",
    "begin",
    "commit",
    "create",
    "delete",
    "detach",
    "drop",
    "end",
    "insert",
    "pragma",
    "reindex",
    "release",
    "replace",
    "rollback",
    "savepoint",
    "update",
    "vacuum",
];

/// Whether a text begins like another statement, whatever else is wrong with it. SQLite says of some of
/// them only that they cannot be read: `delete from pact('.cb')`.
fn is_no_question(sql: &str) -> bool {
    let words = words(sql, 0..sql.len()).into_iter().map(|at| sql[at].to_ascii_lowercase());
    let mut words = words.skip_while(|word| ["explain", "query", "plan"].contains(&&**word));
    let word = match words.next() {
        // What the tables of `with` are for stands behind them.
        Some(with) if with == "with" => {
            words.find(|word| ["select", "values", "insert", "update", "delete"].contains(&&**word))
        }
        word => word,
    };
    word.is_some_and(|word| OTHER_STATEMENTS.contains(&&*word))
}

fn several() -> Error {
    plain("one statement at a time: something follows the first")
}

/// The names of all tables.
fn names() -> String {
    let calls: Vec<String> = shapes().iter().map(|shape| shape.call()).collect();
    calls.join(", ")
}

fn invalid(message: &str, sql: &str, offset: Option<usize>) -> Error {
    let (what, name) = match message.split_once(": ") {
        Some((what, name)) if what.starts_with("no such ") => {
            // About a name in double quotes it says more.
            let name = name.split(" - ").next().unwrap_or(name);
            (what, Some(name.trim_matches('"')))
        }
        _ => (message, None),
    };
    let offset = offset.or_else(|| name.and_then(|name| sql.find(name)));
    let mut error = plain(message);
    if let Some(start) = offset.filter(|start| sql.is_char_boundary(*start)) {
        let word = sql[start..].find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.');
        let rest = &sql[start..];
        let length = match word.unwrap_or(rest.len()) {
            0 => rest.chars().next().map_or(0, char::len_utf8),
            length => length,
        };
        error.message = format!("at byte {start}: {message}");
        error.details.span = Some((start, start + length));
        error.details.text = Some(sql.to_owned());
    }
    if let Some(name) = name {
        let name = name.rsplit('.').next().unwrap_or(name);
        error.details.hint = meant(what, name);
    }
    error
}

/// What a name was probably meant to be.
fn meant(what: &str, name: &str) -> Option<String> {
    let shapes = shapes();
    let near = match what {
        "no such column" => {
            let other = OTHER_WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(name));
            let columns = || shapes.iter().flat_map(|shape| &shape.columns);
            other
                .map(|(_, column)| *column)
                .or_else(|| nearest_word(name, columns().map(|column| column.name)))
        }
        "no such table" => nearest_word(name, shapes.iter().map(|shape| shape.name)),
        "no such function" => nearest_word(name, FUNCTIONS),
        _ => None,
    };
    match (near, what) {
        (Some(near), _) => Some(format!("did you mean `{near}`?")),
        (None, "no such table") => Some(format!("there are {}", names())),
        _ => None,
    }
}

/// An error of a table's argument, with the place in the statement where that can be found.
fn in_statement(mut error: Error, sql: &str) -> Error {
    let Some((start, end)) = error.details.span.take() else { return error };
    let text = error.details.text.take().unwrap_or_default();
    let prefix = format!("at byte {start}: ");
    let message = error.message.strip_prefix(&prefix).unwrap_or(&error.message).to_owned();
    // In the statement each quote of it is written twice.
    let twice = |upto: usize| upto + text[..upto].matches('\'').count();
    let quoted = text.replace('\'', "''");
    let mut found = sql.match_indices(quoted.as_str()).map(|(at, _)| at);
    match (found.next(), found.next()) {
        (Some(at), None) if !text.is_empty() => {
            let (start, end) = (at + twice(start), at + twice(end));
            error.message = format!("at byte {start}: {message}");
            error.details.span = Some((start, end));
            error.details.text = Some(sql.to_owned());
        }
        _ => error.message = format!("in the selector `{text}` at byte {start}: {message}"),
    }
    error
}
