//! One more filter never makes a result larger, whatever it is about, in both dialects.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::memory::Memory;
use crate::support::random::{any_filter, filtered_step, happenings, store};
use pactdb::internals::model::HEADERS;
use pactdb::internals::query::select;
use pactdb::{Dialect, Generation, SelectOptions, Selected};
use proptest::prelude::*;
use proptest::sample::select as one_of;
use std::collections::BTreeSet;

/// What a selector finds; nothing if it is refused.
fn found(memory: &Memory, text: &str, dialect: Dialect) -> BTreeSet<String> {
    match select(memory, text, dialect, &SelectOptions::default()) {
        Ok(Selected::Ids { ids, .. }) => ids.iter().map(|id| id.to_string()).collect(),
        Ok(other) => panic!("{text}: {other:?}"),
        Err(_) => BTreeSet::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn a_further_filter_never_enlarges_a_result(
        generation in one_of(vec![Generation::V0_1, Generation::V1_0]),
        imported: bool,
        events in happenings(25),
        steps in prop::collection::vec((filtered_step(), any_filter()), 12),
        time in one_of(vec!["", "@t0 ", "@* "]),
        around in one_of(vec![("", ""), (".mt ", ""), ("", " *"), ("^root > * ", " > .cb")]),
    ) {
        let memory = store(generation, imported, &events);
        for (step, filter) in &steps {
            for dialect in Dialect::ALL {
                let ask = |step: &str| {
                    found(&memory, &format!("{time}{}{step}{}", around.0, around.1), dialect)
                };
                let (before, after) = (ask(step), ask(&format!("{step}{filter}")));
                prop_assert!(
                    after.is_subset(&before),
                    "{}{} then {} in {}: {:?} is not in {:?}",
                    time, step, filter, dialect, after, before
                );
            }
        }
    }
}

/// The same for every pair of tests of every header, which random ones may not meet.
#[test]
fn no_pair_of_tests_on_headers_finds_more_than_either() {
    let document = std::fs::read_to_string("fixtures/golden/amendments.json").unwrap();
    let memory = Memory::of(Generation::V0_1, &[&document]);
    let mut tests = Vec::new();
    for name in HEADERS.into_iter().chain(["tag", "type", "parent", "author", "data_author"]) {
        tests.extend([format!("[{name}]"), format!("[{name}=null]")]);
        for op in ["=", "!=", "<", ">=", "~"] {
            tests.extend(["cb", "'cb:note'", "note", "1"].map(|v| format!("[{name}{op}{v}]")));
        }
    }
    for dialect in Dialect::ALL {
        let alone: Vec<BTreeSet<String>> =
            tests.iter().map(|test| found(&memory, test, dialect)).collect();
        for (i, one) in tests.iter().enumerate() {
            // Each with a part of the others, so that all headers meet and it stays quick.
            for (j, other) in tests.iter().enumerate().skip(i % 7).step_by(7) {
                let both = found(&memory, &format!("{one}{other}"), dialect);
                let expected: BTreeSet<String> =
                    alone[i].intersection(&alone[j]).cloned().collect();
                assert_eq!(both, expected, "{one}{other} in {dialect}");
            }
        }
    }
}
