//! The engine held against the naive evaluator.

use super::memory::Memory;
use super::model::canon::canonical;
use super::naive::{Answer, Store, Wrong};
use pactdb::internals::query::{Timeline, diff, select};
use pactdb::internals::snapshot::export;
use pactdb::language::{parse_selector, parse_time};
use pactdb::{Code, Dialect, Generation, SelectOptions, Selected};
use serde_json::Value;

/// Every state of a store, for the naive evaluator.
pub(crate) fn naive_store(memory: &Memory) -> Store {
    let document = |tree, cycle| {
        let text = export(&tree, memory.generation(), cycle, memory.contents()).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let cycles = memory.history().iter();
    let snapshots: Vec<Value> =
        cycles.map(|cycle| document(memory.at(cycle).unwrap(), cycle)).collect();
    let working = document(memory.working().unwrap(), memory.last_cycle());
    let word = if memory.generation() == Generation::V0_1 { "mc" } else { "cont" };
    let mut store = Store::new(&snapshots, &working, word);
    for (seq, (cycle, tree)) in memory.events() {
        store.after_event(*seq, &document(tree.clone(), *cycle), word);
    }
    store
}

/// What an answer was, for counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    NotRead,
    Refused,
    Empty,
    Full,
}

/// Asks both; the error says how they differ.
pub(crate) fn same_answer(
    memory: &Memory,
    store: &Store,
    text: &str,
    dialect: Dialect,
    options: &SelectOptions,
) -> Result<Outcome, String> {
    let engine = select(memory, text, dialect, options).map_err(|error| error.code);
    same_as(engine, store, text, dialect, options)
}

/// The same for an answer that is there already.
pub(crate) fn same_as(
    engine: Result<Selected, Code>,
    store: &Store,
    text: &str,
    dialect: Dialect,
    options: &SelectOptions,
) -> Result<Outcome, String> {
    let Ok(selector) = parse_selector(text, dialect) else { return Ok(Outcome::NotRead) };
    let naive = store.select(text, &selector, dialect, options);
    let differ = |engine: &dyn std::fmt::Debug, naive: &dyn std::fmt::Debug| {
        Err(format!("{text:?} in {dialect}\n  engine {engine:?}\n  naive  {naive:?}"))
    };
    match (engine, naive) {
        (Ok(Selected::Ids { ids, .. }), Ok(Answer::Ids(expected))) => {
            let ids: Vec<String> = ids.iter().map(|id| id.to_string()).collect();
            match ids == expected {
                true if ids.is_empty() => Ok(Outcome::Empty),
                true => Ok(Outcome::Full),
                false => differ(&ids, &expected),
            }
        }
        (Ok(Selected::Range(range)), Ok(Answer::Range(expected, clipped))) => {
            let says = range.warnings.iter().any(|warning| warning.contains("clipped"));
            let got = without_words(serde_json::to_value(range).unwrap());
            match says == clipped && canonical(&got) == canonical(&expected) {
                true if got["diffs"].as_array().unwrap().is_empty() => Ok(Outcome::Empty),
                true => Ok(Outcome::Full),
                false => differ(&(got.to_string(), says), &(expected.to_string(), clipped)),
            }
        }
        (Err(code), Err(wrong)) => refused(code, &wrong).or_else(|()| differ(&code, &wrong)),
        (engine, naive) => differ(&engine, &naive),
    }
}

/// The same for a diff.
pub(crate) fn same_diff(
    memory: &Memory,
    store: &Store,
    times: [Option<&str>; 2],
    text: &str,
    dialect: Dialect,
) -> Result<Outcome, String> {
    let Ok(selector) = parse_selector(text, dialect) else { return Ok(Outcome::NotRead) };
    let engine = diff(memory, times[0], times[1], text, dialect);
    let kinds = times.map(|time| time.map(|time| parse_time(time).unwrap().kind));
    let naive = store.diff(kinds, &selector, dialect);
    let differ = |engine: &dyn std::fmt::Debug, naive: &dyn std::fmt::Debug| {
        Err(format!("{times:?} {text:?} in {dialect}\n  engine {engine:?}\n  naive  {naive:?}"))
    };
    match (engine, naive) {
        (Ok(engine), Ok(naive)) => {
            let engine = serde_json::to_value(engine).unwrap();
            match canonical(&engine) == canonical(&naive) {
                true => Ok(Outcome::Full),
                false => differ(&engine.to_string(), &naive.to_string()),
            }
        }
        (Err(error), Err(wrong)) => {
            refused(error.code, &wrong).or_else(|()| differ(&error, &wrong))
        }
        (engine, naive) => differ(&engine, &naive),
    }
}

/// Where several errors apply, any of their codes is right.
fn refused(code: Code, wrong: &Wrong) -> Result<Outcome, ()> {
    match wrong.contains(&code.as_str()) {
        true => Ok(Outcome::Refused),
        false => Err(()),
    }
}

/// A range without the sentences in it.
fn without_words(mut range: Value) -> Value {
    range.as_object_mut().unwrap().remove("warnings");
    if let Some(errors) = range.get_mut("errors").and_then(Value::as_array_mut) {
        for error in errors {
            error.as_object_mut().unwrap().remove("message");
        }
    }
    range
}
