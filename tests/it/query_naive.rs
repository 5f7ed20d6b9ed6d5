//! The engine against a naive evaluator written from the rules: on random stores with random
//! selectors, at one state, over every snapshot, over ranges and in diffs, in both dialects; and
//! on every selector of the fixtures.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::against::{Outcome, naive_store, same_answer, same_diff};
use crate::support::memory::Memory;
use crate::support::random::{
    Happening, at_every_state, at_one_state, happenings, over_a_range, store, timeless,
};
use pactdb::{Dialect, Generation, SelectOptions};
use proptest::prelude::*;
use proptest::sample::select as one_of;
use std::fmt::Write;

fn generations() -> impl Strategy<Value = Generation> {
    one_of(vec![Generation::V0_1, Generation::V1_0])
}

fn some(one: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(one, 8)
}

fn options() -> impl Strategy<Value = SelectOptions> {
    let small = || prop::option::weighted(0.2, 0u64..4);
    (small(), small(), small(), small()).prop_map(
        |(max_snapshots, max_changes_per_snapshot, limit, skip)| SelectOptions {
            max_snapshots,
            max_changes_per_snapshot,
            limit,
            skip,
            ..SelectOptions::default()
        },
    )
}

fn check(
    generation: Generation,
    imported: bool,
    events: &[Happening],
    selectors: &[String],
    options: &SelectOptions,
) -> Result<(), TestCaseError> {
    let memory = store(generation, imported, events);
    let naive = naive_store(&memory);
    for text in selectors {
        for dialect in Dialect::ALL {
            same_answer(&memory, &naive, text, dialect, options).map_err(TestCaseError::fail)?;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn one_state(
        generation in generations(), imported: bool, events in happenings(30),
        selectors in some(at_one_state()),
    ) {
        check(generation, imported, &events, &selectors, &SelectOptions::default())?;
    }

    #[test]
    fn every_state(
        generation in generations(), imported: bool, events in happenings(30),
        selectors in some(at_every_state()),
    ) {
        check(generation, imported, &events, &selectors, &SelectOptions::default())?;
    }

    #[test]
    fn ranges(
        generation in generations(), imported: bool, events in happenings(40),
        selectors in some(over_a_range()), options in options(),
    ) {
        check(generation, imported, &events, &selectors, &options)?;
    }

    #[test]
    fn options_count_as_controls(
        imported: bool, events in happenings(30), selectors in some(at_one_state()),
        options in options(),
    ) {
        check(Generation::V0_1, imported, &events, &selectors, &options)?;
    }

    #[test]
    fn diffs(
        generation in generations(), imported: bool, events in happenings(40),
        selectors in some(timeless()), a in 0usize..11, b in 0usize..11,
    ) {
        let times = [
            None, Some("@t0"), Some("@t-1"), Some("@t-2"), Some("@c2"), Some("@c4"), Some("@c5"),
            Some("@e2"), Some("@e5"), Some("@e9"), Some("@e14"),
        ];
        let memory = store(generation, imported, &events);
        let naive = naive_store(&memory);
        for text in &selectors {
            for dialect in Dialect::ALL {
                same_diff(&memory, &naive, [times[a], times[b]], text, dialect)
                    .map_err(TestCaseError::fail)?;
            }
        }
    }
}

/// Fails with every difference at once.
fn report(wrong: &str, count: usize, least: usize) {
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(count > least, "only {count} selectors had an answer");
}

#[test]
fn golden_cases() {
    let text = std::fs::read_to_string("fixtures/golden/cases.txt").unwrap();
    let mut memory = Memory::new(Generation::V0_1);
    let mut naive = naive_store(&memory);
    let (mut wrong, mut count) = (String::new(), 0);
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        if let Some(section) = line.strip_prefix("== ") {
            let (file, generation) = section.split_once(' ').unwrap();
            let file = std::fs::read_to_string(format!("fixtures/golden/{file}.json")).unwrap();
            memory = Memory::of(Generation::from_name(generation).unwrap(), &[&file]);
            naive = naive_store(&memory);
            continue;
        }
        let selector = line.split_once(' ').unwrap().1.rsplit_once("=>").unwrap().0.trim();
        for dialect in Dialect::ALL {
            match same_answer(&memory, &naive, selector, dialect, &SelectOptions::default()) {
                Ok(outcome) => count += usize::from(outcome == Outcome::Full),
                Err(difference) => writeln!(wrong, "{difference}").unwrap(),
            }
        }
    }
    report(&wrong, count, 250);
}

#[test]
fn accepted_selectors() {
    let text = std::fs::read_to_string("fixtures/selectors/accept.txt").unwrap();
    let of_selectors = text.split("== ").find(|part| part.starts_with("selector")).unwrap();
    let (mut wrong, mut count) = (String::new(), 0);
    for (file, generation) in [("spec-000", Generation::V0_1), ("rich", Generation::V1_0)] {
        let file = std::fs::read_to_string(format!("fixtures/golden/{file}.json")).unwrap();
        let mut memory = Memory::of(generation, &[&file]);
        memory.say("late", "user", "after the import");
        memory.commit();
        let naive = naive_store(&memory);
        for line in of_selectors.lines().skip(1).filter(|line| !line.starts_with('#')) {
            let Some((_, text)) = line.split_once(' ') else { continue };
            let text = text.split(" => ").next().unwrap();
            for dialect in Dialect::ALL {
                match same_answer(&memory, &naive, text, dialect, &SelectOptions::default()) {
                    Ok(outcome) => count += usize::from(outcome == Outcome::Full),
                    Err(difference) => writeln!(wrong, "{difference}").unwrap(),
                }
            }
        }
    }
    report(&wrong, count, 150);
}
