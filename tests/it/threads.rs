//! Readers see whole states while a writer works: every snapshot for ever as it was made, and a
//! working state that some prefix of the operations produced.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::disk::Disk;
use crate::support::life::{CLOCK, live, must, requests};
use crate::support::seeded::{Random, scaled};
use pactdb::{Db, Options, Select};
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the working state may be: all exports of a run without readers, and where they stand in it.
struct Known {
    moments: HashMap<String, Vec<usize>>,
    snapshots: BTreeMap<u64, String>,
}

fn alone(turns: u64) -> Known {
    let db = Options::new().clock(CLOCK).create_on(Disk::default()).unwrap();
    let mut known = Known { moments: HashMap::new(), snapshots: BTreeMap::new() };
    known.moments.entry(db.export(None).unwrap()).or_default().push(0);
    let mut moment = 0;
    let mut seen = 0;
    for request in requests(turns) {
        live(&db, &request);
        moment += 1;
        known.moments.entry(db.export(None).unwrap()).or_default().push(moment);
        for cycle in db.history().iter().filter(|cycle| *cycle > seen) {
            known.snapshots.insert(cycle, db.snapshot(cycle).unwrap().export().unwrap());
            // An import of several turns shows each of them on its way.
            let turn = db.snapshot(cycle).unwrap().export().unwrap();
            known.moments.entry(turn).or_default().push(moment);
        }
        seen = db.last_cycle();
    }
    known
}

fn read(db: &Db, known: &Known, seed: u64, done: &AtomicBool) -> Result<usize, String> {
    let mut random = Random::new(seed);
    let (mut rounds, mut latest) = (0, 0);
    loop {
        let last_round = done.load(Ordering::Acquire);
        let working = db.working_state();
        let export = working.export().map_err(|error| error.to_string())?;
        let moments = known.moments.get(&export);
        let moments = moments.ok_or_else(|| format!("no operation led to {export}"))?;
        // Time does not run backwards for a reader.
        match moments.iter().find(|moment| **moment >= latest) {
            Some(moment) => latest = *moment,
            None => return Err(format!("after moment {latest} came {moments:?}")),
        }
        let violations = working.violations().map_err(|error| error.to_string())?;
        if !violations.is_empty() {
            return Err(format!("{violations:?}"));
        }
        let history = db.history();
        if !history.is_empty() {
            let nth = random.below(history.len()) as usize;
            let cycle = history.iter().nth(nth).unwrap_or_default();
            let snapshot = db.snapshot(cycle).and_then(|snapshot| snapshot.export());
            if snapshot.as_ref() != Ok(&known.snapshots[&cycle]) {
                return Err(format!("@c{cycle} is now {snapshot:?}"));
            }
        }
        if random.below(16) == 0 {
            db.clear_cache();
        }
        rounds += 1;
        if last_round {
            return Ok(rounds);
        }
    }
}

#[test]
fn readers_see_whole_states_while_a_writer_works() {
    let turns = scaled(100) as u64;
    let known = alone(turns);
    let db = Options::new().clock(CLOCK).create_on(Disk::default()).unwrap();
    let done = AtomicBool::new(false);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for seed in 0..3 {
            let (db, known, done, results) = (db.clone(), &known, &done, &results);
            scope.spawn(move || results.lock().unwrap().push(read(&db, known, seed, done)));
        }
        for request in requests(turns) {
            live(&db, &request);
        }
        done.store(true, Ordering::Release);
    });
    for result in results.into_inner().unwrap() {
        assert!(result.as_ref().is_ok_and(|rounds| *rounds > 0), "{result:?}");
    }
    assert!(db.history().len() > turns);
    db.verify(|_| {}).unwrap();
}

/// What a reader took before a commit stays readable while commits, a rebuild and a compaction pass
/// over it.
#[test]
fn what_was_taken_stays_as_it_was() {
    let db = Options::new().clock(CLOCK).create_on(Disk::default()).unwrap();
    let mut taken = Vec::new();
    for request in requests(25) {
        live(&db, &request);
        let state = db.working_state();
        let export = state.export().unwrap();
        taken.push((state, export));
    }
    let check = |what: &str| {
        db.clear_cache();
        for (i, (state, export)) in taken.iter().enumerate() {
            assert_eq!(state.export().as_ref(), Ok(export), "state {i} {what}");
        }
    };
    check("later");
    db.rebuild(|_| {}).unwrap();
    check("after a rebuild");
    db.compact().unwrap();
    check("after a compaction");
    db.verify(|_| {}).unwrap();
}

/// Whoever asks while everything derived is made anew gets the whole answer.
#[test]
fn a_rebuild_shows_nobody_half_of_an_index() {
    let db = Options::new().clock(CLOCK).create_on(Disk::default()).unwrap();
    for turn in 0..200 {
        let mut add = json!({"op": "add", "role": "user", "content": format!("number {turn}")});
        if turn % 50 == 7 {
            add["key"] = json!("plan");
        }
        must(&db, &json!({"op": "batch", "ops": [add, {"op": "commit"}]}));
    }
    let ask = || -> Vec<String> {
        let questions = ["[key='plan'] @order=path", ".cb[content~'number 1[05]7']", "@c9 .cb"];
        let options = pactdb::SelectOptions::default();
        let mut answers = questions
            .map(|text| format!("{:?}", db.select(Select::new(text).options(options.clone()))));
        // Snapshots as well, which are read without a question.
        db.clear_cache();
        let snapshot = db.snapshot(150).unwrap();
        answers[2] = format!("{:?} {:?}", snapshot.export(), db.thread(Some("@c120")));
        answers.to_vec()
    };
    let expected = ask();
    assert!(expected.iter().all(|answer| answer.contains("cb:")), "{expected:?}");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut rounds = 0;
            while !done.load(Ordering::Acquire) {
                assert_eq!(ask(), expected);
                rounds += 1;
            }
            rounds
        });
        for _ in 0..3 {
            db.rebuild(|_| {}).unwrap();
        }
        done.store(true, Ordering::Release);
        assert!(reader.join().unwrap() > 0);
    });
}
