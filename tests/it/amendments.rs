//! The amendments of R14 that concern the store, rule by rule: requests as every front sends them, and their replies.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod attempts;
mod births;
mod diffs;
mod headers;
mod places;
mod sizes;
mod versions;

use crate::support::storage::Memory;
use pactdb::protocol::handle_line;
use pactdb::{Db, Generation, Options};
use serde_json::{Value, json};

/// A new store whose clock stands at 1000.
fn store() -> Db {
    Options::new().clock(1000).create_on(Memory::default()).unwrap()
}

fn ask(db: &Db, request: Value) -> Value {
    serde_json::from_str(&handle_line(db, &request.to_string())).unwrap()
}

fn ok(db: &Db, request: Value) -> Value {
    let reply = ask(db, request.clone());
    assert!(reply.get("ok").is_some(), "{request} was refused: {reply}");
    reply["ok"].clone()
}

/// The code of a refusal, which leaves no trace.
fn refused(db: &Db, request: Value) -> String {
    let before = (db.export(None).unwrap(), db.stats().unwrap().events);
    let reply = ask(db, request.clone());
    assert_eq!(before, (db.export(None).unwrap(), db.stats().unwrap().events), "{request}");
    reply["error"]["code"].as_str().unwrap_or_else(|| panic!("{request} gave {reply}")).to_owned()
}

/// A node of the working state with all its headers.
fn node(db: &Db, id: &str) -> Value {
    let list = ok(db, json!({"op": "nodes", "q": format!("[id='{id}']")}));
    list[0].clone()
}

fn export(db: &Db, at: &str) -> Value {
    ok(db, json!({"op": "export", "at": at}))
}
