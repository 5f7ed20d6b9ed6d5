//! Commits, cycles and what surrounds them, rule by rule, as a program in Rust sees them. Trees are drawn in one line:
//! `id@offset(children…)`, the offset left out where it is 0.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod attempts;
mod batches;
mod cadence;
mod cost;
mod history;
mod identity;
mod rehearsal;
mod removal;
mod turn_limits;

use crate::support::storage::Memory;
use pactdb::{
    Add, Batch, Code, Commit, CommitReply, Db, EditOp, Error, Json, Options, Policy, Region,
    Remove, Set, json,
};
use serde_json::Value;

/// A new store whose clock stands at 1000.
fn store() -> Db {
    Options::new().clock(1000).create_on(Memory::default()).unwrap()
}

fn block(id: &str) -> Add {
    Add { id: Some(id.into()), ..Add::default() }
}

fn below(parent: &str, id: &str) -> Add {
    Add { to: Some(parent.into()), ..block(id) }
}

fn container(parent: &str, id: &str, offset: i64) -> Add {
    Add { container: Some(true), offset: Some(offset), ..below(parent, id) }
}

fn add(db: &Db, request: Add) {
    db.add(request).unwrap();
}

fn commit(db: &Db) -> CommitReply {
    db.commit(Commit::default()).unwrap()
}

/// Closes cycles until this one is the last.
fn commit_to(db: &Db, cycle: u64) -> CommitReply {
    while db.last_cycle() + 1 < cycle {
        commit(db);
    }
    commit(db)
}

fn remove(db: &Db, target: &str) {
    db.remove(Remove { target: target.into(), force: false }).unwrap();
}

fn set(target: &str) -> Set {
    Set { target: target.into(), ..Set::default() }
}

fn import(db: &Db, document: &str) {
    db.import_snapshot(&json::parse(document).unwrap()).unwrap();
}

fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> Code {
    result.expect_err("it must be refused").code
}

fn export(db: &Db, at: Option<&str>) -> Value {
    serde_json::from_str(&db.export(at).unwrap()).unwrap()
}

fn sketch(db: &Db, at: Option<&str>) -> String {
    let export = export(db, at);
    let regions = export["root"]["children"].as_array().unwrap();
    regions.iter().map(draw).collect::<Vec<_>>().join(" ")
}

fn draw(node: &Value) -> String {
    let mut text = node["id"].as_str().unwrap().to_owned();
    if node["offset"] != 0 {
        text += &format!("@{}", node["offset"]);
    }
    let children = node["children"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !children.is_empty() {
        text += &format!("({})", children.iter().map(draw).collect::<Vec<_>>().join(" "));
    }
    text
}

/// A header of a node at a time; `None` if the node is not there.
fn header(db: &Db, at: Option<&str>, id: &str, name: &str) -> Option<Json> {
    match db.at(at).unwrap().node(id).unwrap()? {
        Json::Map(map) => Some(map.get(name).cloned().unwrap_or(Json::Null)),
        _ => None,
    }
}

fn ttl(db: &Db, at: Option<&str>, id: &str) -> Option<Json> {
    header(db, at, id, "ttl")
}

fn number(number: i64) -> Option<Json> {
    Some(Json::Int(number))
}
