//! An export that is imported into an empty store exports the same bytes (R9.2): for every snapshot and for the working
//! state of random stores, in both generations.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::life::{CLOCK, grow};
use crate::support::ops::{self, Op};
use crate::support::storage::Memory;
use pactdb::{Generation, Options, json};
use proptest::prelude::*;

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
