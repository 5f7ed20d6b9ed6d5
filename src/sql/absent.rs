//! Questions in SQL where SQLite is not compiled in: all are refused.

use super::answer::{SqlReply, SqlTable};
use crate::db::Db;
use crate::error::{Error, Result};
use crate::json::Json;

fn refused() -> Error {
    Error::request("this build has no SQL: build it with the feature `sql`")
}

/// Refuses a question.
pub fn ask(_: &Db, _: &str, _: &Json, _: Option<u64>) -> Result<SqlReply> {
    Err(refused())
}

/// Refuses to explain one.
pub fn explain(_: &Db, _: &str) -> Result<SqlReply> {
    Err(refused())
}

/// No tables.
pub fn catalogue() -> Vec<SqlTable> {
    Vec::new()
}
