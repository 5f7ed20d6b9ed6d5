//! An export that is imported into an empty store exports the same bytes (R9.2): for every snapshot and for the working
//! state of random stores, in both generations.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::follow::{chosen_ids, handle_following};
use crate::support::model::Model;
use crate::support::ops::{self, Op};
use crate::support::storage::Memory;
use pactdb::db::{Db, Options};
use pactdb::json;
use pactdb::model::Generation;
use pactdb::protocol::handle_line;
use proptest::prelude::*;
use serde_json::Value;

const CLOCK: i64 = 1000;

/// Runs the operations. The model only tells which nodes there are to choose from.
fn grow(generation: Generation, ops: &[Op]) -> Db {
    let options = Options::new().generation(generation).clock(CLOCK);
    let db = options.create_on(Memory::default()).unwrap();
    let mut model = Model::with_clock(generation.name(), CLOCK);
    for op in ops {
        let request = op.request(&model);
        if request.get("messages").is_some() || request["op"] == "diff" {
            continue;
        }
        handle_line(&db, &request.to_string());
        let newest = db.last_cycle().to_string();
        let states = [None, (newest != "0").then(|| format!("@c{newest}"))];
        let exports: Vec<Value> = states
            .iter()
            .map(|at| serde_json::from_str(&db.export(at.as_deref()).unwrap()).unwrap())
            .collect();
        let chosen = chosen_ids(&model, &request, &exports);
        handle_following(&mut model, &request, chosen);
    }
    db
}

fn check(generation: Generation, bytes: &str, what: &str) -> Result<(), TestCaseError> {
    let storage = Memory::default();
    let options = Options::new().generation(generation).clock(CLOCK);
    let db = options.create_on(storage.clone()).unwrap();
    let reply = db
        .import_snapshot(&json::parse(bytes).unwrap())
        .map_err(|error| TestCaseError::fail(format!("{what} is refused: {error}\n{bytes}")))?;
    // A store without a commit exports cycle 0, and the import of that makes cycle 1.
    let expected = bytes.replacen("{\"cycle\":0,\"root\"", "{\"cycle\":1,\"root\"", 1);
    prop_assert_eq!(&db.export(None).unwrap(), &expected, "{}", what);
    let address = format!("@c{}", reply.cycle);
    prop_assert_eq!(&db.export(Some(&address)).unwrap(), &expected, "{}", what);
    let violations = db.working_state().violations().unwrap();
    prop_assert_eq!(violations, Vec::<String>::new(), "{}", what);
    drop(db);
    let db = Options::new().clock(CLOCK).open_on(storage).unwrap();
    prop_assert_eq!(&db.export(None).unwrap(), &expected, "{} opened again", what);
    Ok(())
}

fn run(generation: Generation, ops: &[Op]) -> Result<(), TestCaseError> {
    let db = grow(generation, ops);
    check(generation, &db.export(None).unwrap(), "the working state")?;
    for cycle in db.history().iter() {
        let address = format!("@c{cycle}");
        check(generation, &db.export(Some(&address)).unwrap(), &address)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn imports_of_exports_export_the_same_in_0_1(ops in ops::sequence(1..30)) {
        run(Generation::V0_1, &ops)?;
    }

    #[test]
    fn imports_of_exports_export_the_same_in_1_0(ops in ops::sequence(1..30)) {
        run(Generation::V1_0, &ops)?;
    }
}
