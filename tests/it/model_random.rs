//! The model against itself on random operations: it keeps its invariants, refuses without a trace, says the same
//! twice, and follows another store's ids. This tests the model and the generator before any engine is involved.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::support::follow::{chosen_ids, handle_following, rehearsed_ids};
use crate::support::model::{Model, canonical};
use crate::support::ops::{self, Op};

fn exports(model: &mut Model) -> Vec<Value> {
    let mut times = vec![Value::Null];
    times.extend(model.cycles().iter().map(|cycle| json!(format!("@c{cycle}"))));
    let mut read = |at| model.handle(&json!({"op": "export", "at": at}))["ok"].clone();
    times.into_iter().map(&mut read).collect()
}

/// Runs the operations on two models, the second of which takes its open ids from the first.
fn run(spec: &str, ops: &[Op]) -> Result<(), TestCaseError> {
    let (mut leader, mut follower) = (Model::with_clock(spec, 1000), Model::with_clock(spec, 1000));
    for op in ops {
        let request = op.request(&leader);
        let before = leader.export_bytes(None);
        let reply = leader.handle(&request);
        prop_assert_eq!(leader.check(), Vec::<String>::new(), "after {}", request);
        if reply.get("error").is_some() {
            prop_assert_eq!(leader.export_bytes(None), before, "{} left a trace", request);
        }
        let chosen = match request["dry_run"] == true {
            true => rehearsed_ids(&reply),
            false => chosen_ids(&follower, &request, &exports(&mut leader)),
        };
        let other = handle_following(&mut follower, &request, chosen);
        prop_assert_eq!(canonical(&other), canonical(&reply), "two answers to {}", request);
        prop_assert_eq!(
            leader.export_bytes(None),
            follower.export_bytes(None),
            "after {}",
            request
        );
        prop_assert_eq!(follower.check(), Vec::<String>::new(), "ids after {}", request);
    }
    prop_assert!(leader.survives_round_trip(None));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_model_holds_in_0_1(ops in ops::sequence(1..40)) {
        run("0.1", &ops)?;
    }

    #[test]
    fn the_model_holds_in_1_0(ops in ops::sequence(1..40)) {
        run("1.0", &ops)?;
    }
}

#[test]
fn the_generator_reaches_every_code_and_mostly_succeeds() {
    let mut runner = TestRunner::deterministic();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..60 {
        let ops = ops::sequence(40..41).new_tree(&mut runner).unwrap().current();
        let mut model = Model::new("0.1");
        for op in ops {
            let reply = model.handle(&op.request(&model));
            let code = reply["error"]["code"].as_str().unwrap_or("ok").to_string();
            *counts.entry(code).or_default() += 1;
            let results = reply["ok"]["results"].as_array().cloned().unwrap_or_default();
            for commit in results.iter().chain(reply.get("ok")) {
                for list in ["expired", "cascaded", "pruned", "materialized"] {
                    let happened = commit[list].as_array().is_some_and(|list| !list.is_empty());
                    *outcomes.entry(list).or_default() += usize::from(happened);
                }
            }
        }
    }
    let count = |code: &str| counts.get(code).copied().unwrap_or_default();
    let total: usize = counts.values().sum();
    for code in [
        "E_SELECTOR_INVALID",
        "E_SNAPSHOT_NOT_FOUND",
        "E_NODE_NOT_FOUND",
        "E_NODE_EXISTS",
        "E_AMBIGUOUS",
        "E_INVALID_PARENT",
        "E_PARENT_NOT_CONTAINER",
        "E_CYCLE_DETECTED",
        "E_PLACEMENT",
        "E_SEALED",
        "E_REFERENCED",
        "E_ATTR_RESERVED",
        "E_ATTR_NAMESPACE",
        "E_ATTR_INVALID",
        "E_IMPORT_INVALID",
        "E_IMPORT_CONFLICT",
        "E_CONFLICT",
        "E_REQUEST_INVALID",
    ] {
        assert!(count(code) > 0, "{code} never came up: {counts:?}");
    }
    assert!(outcomes.values().all(|count| *count > 0), "the lifecycle is idle: {outcomes:?}");
    assert!(count("ok") * 2 > total, "most requests are refused: {counts:?}");
    assert!(count("MODEL_UNSUPPORTED") * 50 < total, "the generator strays: {counts:?}");
}
