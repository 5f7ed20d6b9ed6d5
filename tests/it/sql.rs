//! Questions in SQL: the tables say what the engine says, nothing can be written, a statement reads one moment,
//! and it ends when it must.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod answers;
mod columns;
#[cfg(feature = "cli")]
mod fronts;
mod fuzz;
mod moment;
mod refusals;
mod same_as_selectors;
mod stages;

use crate::support::life::{CLOCK, live, must, requests};
use crate::support::storage::Memory;
use pactdb::sql::ask;
use pactdb::{Db, Error, Json, Options};
use serde_json::json;
use std::sync::OnceLock;

/// The rows of a question.
fn rows(db: &Db, sql: &str) -> Vec<Vec<Json>> {
    rows_with(db, sql, &Json::Null).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// The rows of a question with parameters.
fn rows_with(db: &Db, sql: &str, params: &Json) -> Result<Vec<Vec<Json>>, Error> {
    let reply = ask(db, sql, params, Some(u64::MAX))?;
    assert!(!reply.truncated);
    assert!(reply.rows.iter().all(|row| row.len() == reply.columns.len()));
    Ok(reply.rows)
}

/// The only value of a question.
fn value(db: &Db, sql: &str) -> Json {
    rows(db, sql).pop().unwrap().pop().unwrap()
}

fn error(db: &Db, sql: &str) -> Error {
    ask(db, sql, &Json::Null, None).expect_err(sql)
}

/// Texts as parameters.
fn texts(list: &[&str]) -> Json {
    Json::List(list.iter().map(|text| Json::from(*text)).collect())
}

/// A store with a life behind it.
fn old_store() -> &'static Db {
    static STORE: OnceLock<Db> = OnceLock::new();
    STORE.get_or_init(|| {
        let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
        for request in requests(70) {
            live(&db, &request);
        }
        must(&db, &json!({"op": "add", "role": "user", "content": "not committed"}));
        db
    })
}

/// A number as rows have it.
fn int(number: u64) -> Json {
    Json::Int(number.try_into().unwrap())
}
