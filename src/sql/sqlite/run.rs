//! Running one statement: its parameters, its rows, its bounds.

use super::connection::open;
use super::faults::{fault, no_question, plain};
use super::meter::Meter;
use super::stages::statement;
use super::table::Table;
use super::tables::tables;
use crate::budget;
use crate::code::Code;
use crate::db::Db;
use crate::error::{Error, Result};
use crate::json::{Json, canonical_string};
use crate::limits::{MAX_SQL_REPLY_BYTES, MAX_SQL_TEXT_BYTES, SQL_ROWS};
use crate::model::hex;
use crate::sql::answer::{SqlColumn, SqlReply};
use crate::sql::text::{has_stages, is_sql};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, Statement};
use std::sync::Arc;

/// Answers a question in SQL, or a selector with stages, at one moment of the store. `params` are a list for `?`, or an object
/// for `:name`. At most `limit` rows come back.
pub fn ask(db: &Db, q: &str, params: &Json, limit: Option<u64>) -> Result<SqlReply> {
    in_sql(db, q, |sql| {
        with_connection(db, sql, |connection, meter| {
            run(connection, meter, sql, params, limit.unwrap_or(SQL_ROWS))
        })
    })
}

/// Gives the statement of a question to `work`: what it is, or what its stages stand for.
pub(super) fn in_sql<T>(db: &Db, q: &str, work: impl FnOnce(&str) -> Result<T>) -> Result<T> {
    if is_sql(q) || !(has_stages(q) || begins_as_selector(q)) {
        return work(q);
    }
    check_text(q)?;
    let statement = statement(q, db.dialect())?;
    work(&statement.sql).map_err(|error| statement.back(error))
}

/// Whether a text can only be a selector, whatever is wrong with it.
fn begins_as_selector(q: &str) -> bool {
    let each = q.split_whitespace().next() == Some("each");
    each || q.trim_start().starts_with(['@', '.', '^', '#', '*', '[', '{', '+'])
}

/// A connection over the tables of a moment, which ends before the moment does.
pub(super) fn with_connection<T>(
    db: &Db,
    sql: &str,
    work: impl FnOnce(&Connection, &Meter) -> Result<T>,
) -> Result<T> {
    check_text(sql)?;
    let held = db.view();
    over(tables(&held.shared()), sql, work)
}

/// A connection over these tables.
pub(super) fn over<T>(
    tables: Vec<Arc<dyn Table>>,
    sql: &str,
    work: impl FnOnce(&Connection, &Meter) -> Result<T>,
) -> Result<T> {
    budget::check()?;
    let meter = Arc::new(Meter::default());
    let connection = open(tables, &meter).map_err(|error| fault(error, sql, &meter))?;
    work(&connection, &meter)
}

fn check_text(sql: &str) -> Result<()> {
    if sql.len() > MAX_SQL_TEXT_BYTES {
        let message = format!("a question in SQL has at most {MAX_SQL_TEXT_BYTES} bytes");
        return Err(Error::new(Code::Limit, message));
    }
    match sql.contains('\0') {
        true => Err(plain("the text has a character of the value 0")),
        false => Ok(()),
    }
}

/// A statement that only reads.
pub(super) fn prepare<'c>(
    connection: &'c Connection,
    meter: &Meter,
    sql: &str,
) -> Result<Statement<'c>> {
    let statement = connection.prepare(sql).map_err(|error| fault(error, sql, meter))?;
    if statement.column_count() == 0 || !statement.readonly() {
        let empty = statement.expanded_sql().is_none_or(|sql| sql.trim().is_empty());
        return Err(match empty {
            true => plain("there is no statement in the text"),
            false => no_question(),
        });
    }
    Ok(statement)
}

fn run(
    connection: &Connection,
    meter: &Meter,
    sql: &str,
    params: &Json,
    limit: u64,
) -> Result<SqlReply> {
    let mut statement = prepare(connection, meter, sql)?;
    bind(&mut statement, params)?;
    let columns: Vec<SqlColumn> = statement
        .columns()
        .map(|column| SqlColumn {
            name: column.name().to_owned(),
            kind: column.decl_type().map(str::to_owned),
        })
        .collect();
    let (mut rows, mut room, mut truncated) = (Vec::new(), MAX_SQL_REPLY_BYTES, false);
    let mut found = statement.raw_query();
    while let Some(row) = found.next().map_err(|error| fault(error, sql, meter))? {
        let fits = (rows.len() as u64) < limit;
        let values = fits.then(|| values_of(row, columns.len(), &mut room)).transpose();
        match values.map_err(|error| fault(error, sql, meter))?.flatten() {
            Some(values) => rows.push(values),
            None if fits && rows.is_empty() => {
                let message = format!("an answer has at most {MAX_SQL_REPLY_BYTES} bytes");
                return Err(Error::new(Code::Limit, message));
            }
            None => {
                truncated = true;
                break;
            }
        }
    }
    Ok(SqlReply { columns, rows, truncated })
}

/// The values of a row; none if there is no room for them.
fn values_of(
    row: &Row<'_>,
    columns: usize,
    room: &mut usize,
) -> rusqlite::Result<Option<Vec<Json>>> {
    let mut values = Vec::with_capacity(columns);
    for i in 0..columns {
        let value = row.get_ref(i)?;
        let bytes = match value {
            ValueRef::Text(text) => text.len(),
            ValueRef::Blob(bytes) => bytes.len() * 2,
            _ => 0,
        };
        let Some(left) = room.checked_sub(8 + bytes) else { return Ok(None) };
        *room = left;
        values.push(to_json(value));
    }
    Ok(Some(values))
}

fn to_json(value: ValueRef<'_>) -> Json {
    match value {
        ValueRef::Null => Json::Null,
        ValueRef::Integer(number) => Json::Int(number),
        ValueRef::Real(number) if number.is_finite() => Json::Float(number),
        // JSON has no word for these.
        ValueRef::Real(number) => Json::from(if number > 0.0 { "Inf" } else { "-Inf" }),
        ValueRef::Text(text) => Json::from(&*String::from_utf8_lossy(text)),
        ValueRef::Blob(bytes) => Json::from(&*hex(bytes)),
    }
}

/// Gives a statement its parameters: all of them, and no others.
fn bind(statement: &mut Statement<'_>, params: &Json) -> Result<()> {
    let count = statement.parameter_count();
    let wrong = |given: usize| {
        plain(format!("the statement has {count} parameters, and {given} are given"))
    };
    match params {
        Json::Null if count == 0 => Ok(()),
        Json::Null => Err(wrong(0)),
        Json::List(list) if list.len() == count => {
            for (i, value) in (1..).zip(list) {
                put(statement, i, value)?;
            }
            Ok(())
        }
        Json::List(list) => Err(wrong(list.len())),
        Json::Map(map) => {
            let mut used = 0;
            for i in 1..=count {
                let name = statement.parameter_name(i).map(str::to_owned);
                let bare = name.as_deref().map(|name| name.trim_start_matches([':', '@', '$']));
                let value = bare.and_then(|bare| map.get(bare));
                let Some(value) = value.or_else(|| map.get(name.as_deref()?)) else {
                    let name = name.unwrap_or_else(|| format!("?{i}"));
                    return Err(plain(format!("the parameter {name} is not given")));
                };
                put(statement, i, value)?;
                used += 1;
            }
            if used < map.len() { Err(wrong(map.len())) } else { Ok(()) }
        }
        other => {
            let message = format!("'params' is a list or an object, not {}", other.type_name());
            Err(Error::request(message))
        }
    }
}

fn put(statement: &mut Statement<'_>, i: usize, value: &Json) -> Result<()> {
    let value = match value {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Integer((*flag).into()),
        Json::Int(number) => Value::Integer(*number),
        Json::Float(number) => Value::Real(*number),
        Json::Str(text) => Value::Text(text.clone()),
        other => Value::Text(canonical_string(other)),
    };
    statement.raw_bind_parameter(i, value).map_err(|error| plain(error.to_string()))
}
