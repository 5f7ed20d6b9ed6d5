//! Addresses by the clock: the newest snapshot that was committed by then, whichever way times run.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::storage::Memory;
use pactdb::protocol::handle_line;
use pactdb::{Add, Clock, Code, Commit, Db, Json, Options, Restore};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock that is set by hand.
#[derive(Clone, Default)]
struct Hands(Arc<AtomicI64>);

impl Clock for Hands {
    fn now(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

const SECOND: i64 = 1_000_000_000;

/// The address of so many seconds after 1970.
fn address(seconds: i64) -> String {
    let time = jiff::Timestamp::from_second(seconds).unwrap();
    format!("@{time}")
}

/// A store whose cycles were closed at these seconds, by a commit or by restoring the first snapshot, and
/// their times in nanoseconds. Commits are never earlier than what was made before them.
fn closed_at(seconds: &[(i64, bool)]) -> (Db, Vec<i64>) {
    let hands = Hands::default();
    let db = Options::new().clock(hands.clone()).create_on(Memory::default()).unwrap();
    let mut times = Vec::new();
    for (second, commits) in seconds {
        hands.0.store(second * SECOND, Ordering::Relaxed);
        if *commits || times.is_empty() {
            db.add(Add::user("x")).unwrap();
            db.commit(Commit::new()).unwrap();
            let newest = db.nodes("@t0 .mt:depth(1)").unwrap();
            let Json::Int(time) = newest.nodes[0]["created_at_ns"] else { panic!("{newest:?}") };
            times.push(time);
        } else {
            db.restore(Restore::at("@c1")).unwrap();
            times.push(second * SECOND);
        }
    }
    (db, times)
}

/// The cycle of the newest snapshot that was closed at a second or before it.
fn scanned(times: &[i64], until: i64) -> Option<u64> {
    let last = times.iter().rposition(|time| *time <= until * SECOND);
    last.map(|number| number as u64 + 1)
}

fn check(db: &Db, times: &[i64], until: i64) {
    match (scanned(times, until), db.at(Some(&address(until)))) {
        (Some(cycle), found) => assert_eq!(found.unwrap().cycle(), cycle, "{until}"),
        (None, found) => assert_eq!(found.err().unwrap().code, Code::SnapshotNotFound, "{until}"),
    }
    let ids = db.select(format!("{} .cb", address(until)));
    match scanned(times, until) {
        Some(cycle) => {
            assert_eq!(ids.unwrap(), db.select(format!("@c{cycle} .cb")).unwrap(), "{until}");
        }
        None => assert_eq!(ids.unwrap_err().code, Code::SnapshotNotFound),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_clock_time_is_the_newest_snapshot_by_then(
        seconds in prop::collection::vec((100i64..200, any::<bool>()), 1..12),
        asked in prop::collection::vec(90i64..210, 8),
    ) {
        let (db, times) = closed_at(&seconds);
        for until in asked {
            check(&db, &times, until);
        }
    }

    #[test]
    fn a_range_of_clock_times_is_one_of_cycles(
        seconds in prop::collection::vec((100i64..200, any::<bool>()), 1..12),
        a in 90i64..210,
        b in 90i64..210,
    ) {
        let (db, times) = closed_at(&seconds);
        let answer = |time: &str| {
            let request = json!({"op": "select", "q": format!("{time} .cb")}).to_string();
            let reply: Value = serde_json::from_str(&handle_line(&db, &request)).unwrap();
            without_words(reply)
        };
        let asked = answer(&format!("{}..{}", address(a), address(b)));
        let (low, high) = (scanned(&times, a.min(b)), scanned(&times, a.max(b)));
        match high {
            None => prop_assert_eq!(&asked["error"]["code"], "E_SNAPSHOT_NOT_FOUND"),
            Some(high) => {
                let cycles = format!("@c{}..@c{high}", low.unwrap_or(1).min(high));
                prop_assert_eq!(asked, answer(&cycles));
            }
        }
    }
}

/// A reply without the words of the question.
fn without_words(mut reply: Value) -> Value {
    if let Some(answer) = reply["ok"].as_object_mut() {
        answer.remove("warnings");
        assert!(answer.remove("query").is_some(), "{answer:?}");
    }
    reply
}

/// More commits than are looked at together, with times that go up and down, asked twice: the second
/// time from what was kept.
#[test]
fn many_commits_are_found_again() {
    let second = |n: i64| (10_000 + n * 10 - (n % 7) * 25, n % 5 != 0);
    let (db, times) = closed_at(&(0..900).map(second).collect::<Vec<_>>());
    for _ in 0..2 {
        for until in (9_900..19_100).step_by(397) {
            check(&db, &times, until);
        }
    }
}
