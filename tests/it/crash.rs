//! Nothing that was acknowledged is lost, and nothing else appears.
//!
//! One run on a disk that remembers the order of all writes is enough: what a power cut would have
//! left at any moment of it follows from the record. Each such image is opened again and compared
//! with the run itself after the same number of operations.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::disk::{Disk, Step, apply, lose_power};
use crate::support::life::{CLOCK, ask, live, requests};
use crate::support::seeded::{Random, scaled};
use pactdb::{Db, Durability, Log, Options};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// More commits than lie between two flushes of the indexes.
const TURNS: u64 = 62;

/// Everything that a store shows, in short: equal ones have the same log and the same state.
#[derive(Clone, Debug, PartialEq)]
struct Shown {
    events: u64,
    /// The hash of the newest event, and so of all.
    hash: String,
    working: String,
    cycles: Vec<u64>,
}

fn shown(db: &Db) -> Shown {
    let events = db.stats().unwrap().events;
    let newest = db.log(&Log::new().from(events)).unwrap();
    Shown {
        events,
        hash: newest[0].hash.clone(),
        working: db.export(None).unwrap(),
        cycles: db.history().iter().collect(),
    }
}

fn options(durability: Durability) -> Options {
    Options::new().clock(CLOCK).durability(durability)
}

/// A run to compare with.
struct Run {
    steps: Vec<Step>,
    /// After each operation: how many steps the disk had seen, and what the store showed.
    moments: Vec<(usize, Shown)>,
    /// What each snapshot exported when it was made.
    made: BTreeMap<u64, String>,
    /// The moments at which the state was a fresh commit.
    commits: BTreeSet<usize>,
    closed: Vec<u8>,
}

fn run(durability: Durability, turns: u64) -> Run {
    let disk = Disk::recording();
    let db = options(durability).create_on(disk.clone()).unwrap();
    let mut run = Run {
        steps: Vec::new(),
        moments: vec![(disk.step_count(), shown(&db))],
        made: BTreeMap::new(),
        commits: BTreeSet::from([0]),
        closed: Vec::new(),
    };
    let mut done: BTreeMap<String, u32> = BTreeMap::new();
    for request in requests(turns) {
        let reply = live(&db, &request);
        let steps = disk.step_count();
        let now = shown(&db);
        if reply.get("error").is_some() {
            assert_eq!(now, run.moments.last().unwrap().1, "{request} was refused with a trace");
            continue;
        }
        *done.entry(request["op"].as_str().unwrap().to_owned()).or_default() += 1;
        if now.cycles != run.moments.last().unwrap().1.cycles {
            run.commits.insert(run.moments.len());
        }
        for cycle in &now.cycles {
            run.made
                .entry(*cycle)
                .or_insert_with(|| db.export(Some(&format!("@c{cycle}"))).unwrap());
        }
        run.moments.push((steps, now));
    }
    for op in ["add", "set", "batch", "commit", "policy", "cadence", "attempt", "undo", "restore"] {
        assert!(done.contains_key(op), "a life without {op} is not lively: {done:?}");
    }
    assert!(done["import"] >= 4 && run.made.len() > 64, "{done:?}, {} cycles", run.made.len());
    drop(db);
    run.steps = disk.steps();
    run.closed = disk.bytes();
    run
}

impl Run {
    /// How many operations were acknowledged, at the latest, before a step.
    fn acknowledged(&self, step: usize) -> Option<usize> {
        self.moments.partition_point(|(steps, _)| *steps <= step).checked_sub(1)
    }

    /// Opens what a power cut left, and compares it with what it may be.
    fn check(&self, image: Vec<u8>, allowed: &[usize], thorough: bool, what: &str) -> Vec<u8> {
        let disk = Disk::with(image);
        let db = match Options::new().clock(CLOCK).open_on(disk.clone()) {
            Ok(db) => db,
            Err(error) => panic!("{what}: {} {error}", error.code),
        };
        let found = shown(&db);
        let held = allowed.iter().find(|n| self.moments[**n].1 == found);
        let Some(held) = held else {
            let events: Vec<u64> = allowed.iter().map(|n| self.moments[*n].1.events).collect();
            panic!(
                "{what}: {} events are there, {events:?} may be, or the state differs",
                found.events
            );
        };
        if thorough {
            for cycle in &found.cycles {
                let export = db.export(Some(&format!("@c{cycle}"))).unwrap();
                assert_eq!(export, self.made[cycle], "{what}: @c{cycle} after {held} operations");
            }
            db.verify(|_| {}).unwrap_or_else(|error| panic!("{what}: {error}"));
        }
        drop(db);
        disk.bytes()
    }

    /// What may be there if the power goes before a step: nothing is lost, and one operation may
    /// be on its way.
    fn allowed_immediately(&self, step: usize) -> Option<Vec<usize>> {
        let sure = self.acknowledged(step)?;
        Some((sure..self.moments.len().min(sure + 2)).collect())
    }

    /// The same if edits wait for the next commit.
    fn allowed_at_commit(&self, step: usize) -> Option<Vec<usize>> {
        let acknowledged = self.acknowledged(step)?;
        let sure = *self.commits.range(..=acknowledged).next_back()?;
        Some((sure..self.moments.len().min(acknowledged + 2)).collect())
    }

    fn stop_everywhere(&self, seed: u64, allowed: impl Fn(usize) -> Option<Vec<usize>>) -> usize {
        let mut random = Random::new(seed);
        let (mut durable, mut synced, mut stops) = (Vec::new(), 0, 0);
        for (i, step) in self.steps.iter().enumerate() {
            if !matches!(step, Step::Sync) || i == synced {
                continue;
            }
            // In the middle: some of what was written since the last sync has arrived.
            for _ in 0..scaled(2) {
                let stop = synced + 1 + random.below((i - synced) as u64) as usize;
                let mut image: Vec<u8> = durable.clone();
                lose_power(&mut image, &self.steps[synced..stop], &mut random);
                if let Some(allowed) = allowed(stop) {
                    let thorough = random.below(6) == 0;
                    self.check(
                        image,
                        &allowed,
                        thorough,
                        &format!("in the middle, before step {stop}"),
                    );
                    stops += 1;
                }
            }
            // At the sync: all of it has.
            for step in &self.steps[synced..i] {
                apply(&mut durable, step).unwrap();
            }
            synced = i + 1;
            if let Some(allowed) = allowed(synced) {
                let thorough = random.below(6) == 0;
                self.check(
                    durable.clone(),
                    &allowed,
                    thorough,
                    &format!("at the sync of step {i}"),
                );
                stops += 1;
            }
        }
        stops
    }
}

#[test]
fn a_power_cut_takes_nothing_that_was_acknowledged() {
    let run = run(Durability::Immediate, TURNS);
    let stops = run.stop_everywhere(1, |step| run.allowed_immediately(step));
    assert!(stops > 400, "only {stops} stops");
    let last = run.moments.len() - 1;
    run.check(run.closed.clone(), &[last], true, "closed");
}

#[test]
fn with_relaxed_durability_a_power_cut_takes_nothing_that_was_committed() {
    let run = run(Durability::AtCommit, TURNS);
    let stops = run.stop_everywhere(2, |step| run.allowed_at_commit(step));
    assert!(stops > 150, "only {stops} stops");
    // Closing keeps also what no commit followed.
    let last = run.moments.len() - 1;
    run.check(run.closed.clone(), &[last], true, "closed");
}

/// Opening repairs what a power cut left, and that may itself be cut off.
#[test]
fn a_power_cut_during_the_repair_takes_nothing_either() {
    let run = run(Durability::Immediate, TURNS);
    let mut random = Random::new(3);
    for _ in 0..scaled(25) {
        let stop = random.below(run.steps.len() as u64) as usize;
        let Some(allowed) = run.allowed_immediately(stop) else { continue };
        let mut image = Vec::new();
        for step in &run.steps[..stop] {
            apply(&mut image, step).unwrap();
        }
        let disk = Disk::with(image.clone());
        disk.record();
        drop(Options::new().clock(CLOCK).open_on(disk.clone()).unwrap());
        let steps = disk.steps();
        let (mut durable, mut synced) = (image, 0);
        for (i, step) in steps.iter().enumerate() {
            let mut image = durable.clone();
            lose_power(&mut image, &steps[synced..=i], &mut random);
            run.check(image, &allowed, false, &format!("step {i} of the repair at {stop}"));
            if matches!(step, Step::Sync) {
                for step in &steps[synced..i] {
                    apply(&mut durable, step).unwrap();
                }
                synced = i + 1;
            }
        }
    }
}

/// A store of which a power cut left less than a store is refused, or is empty; never half there.
#[test]
fn a_power_cut_during_the_creation_leaves_nothing_or_an_empty_store() {
    let disk = Disk::recording();
    let db = options(Durability::Immediate).create_on(disk.clone()).unwrap();
    let (made, empty) = (disk.step_count(), shown(&db));
    let steps = disk.steps();
    let mut random = Random::new(4);
    let (mut opened, mut refused) = (0, 0);
    for round in 0..scaled(200) {
        let stop = random.below(made as u64 + 1) as usize;
        let synced = steps[..stop].iter().rposition(|step| matches!(step, Step::Sync)).unwrap_or(0);
        let mut image = Vec::new();
        for step in &steps[..synced] {
            apply(&mut image, step).unwrap();
        }
        lose_power(&mut image, &steps[synced..stop], &mut random);
        match Options::new().clock(CLOCK).open_on(Disk::with(image)) {
            Ok(db) => {
                assert_eq!(shown(&db), empty, "round {round}");
                opened += 1;
            }
            Err(error) => {
                assert_eq!(error.code.as_str(), "E_STORE_FORMAT", "round {round}: {error}");
                assert!(stop < made, "round {round}: {error}");
                refused += 1;
            }
        }
    }
    assert!(opened > 0 && refused > 0, "{opened} opened, {refused} refused");
}

/// Images of a run, each with how many operations it holds.
fn images(run: &Run, at: &[usize]) -> Vec<(usize, Vec<u8>)> {
    let image = |n: &usize| {
        let mut image = Vec::new();
        for step in &run.steps[..run.moments[*n].0] {
            apply(&mut image, step).unwrap();
        }
        (*n, image)
    };
    at.iter().map(image).collect()
}

/// The requests of the run that were not refused.
fn accepted(turns: u64) -> Vec<Value> {
    let db = options(Durability::Immediate).create_on(Disk::default()).unwrap();
    let mut requests = requests(turns);
    requests.retain(|request| live(&db, request).get("ok").is_some());
    requests
}

/// A disk that failed while a flat log was imported left its first turns in view, though none of
/// them was safe; they were gone when the store was opened again.
#[test]
fn a_disk_that_fails_is_an_error_and_nothing_is_shown_that_is_not_safe() {
    let run = run(Durability::Immediate, TURNS);
    let requests = accepted(TURNS);
    assert_eq!(requests.len() + 1, run.moments.len());
    let mut random = Random::new(5);
    let mut failures = 0;
    for (n, image) in images(&run, &windows(&run, &requests)) {
        // The first write of the operation fails, then the second, until none is left to fail.
        for writes in 0.. {
            let disk = Disk::with(image.clone());
            let db = Options::new().clock(CLOCK).open_on(disk.clone()).unwrap();
            disk.record();
            let before = disk.bytes();
            disk.fail_after(writes);
            let reply = live(&db, &requests[n]);
            if reply.get("ok").is_some() {
                assert!(!disk.has_failed(), "{} succeeded on a disk that failed", requests[n]);
                break;
            }
            failures += 1;
            assert_eq!(reply["error"]["code"], "E_STORE_IO", "{}: {reply}", requests[n]);
            // Nothing new is published; what still can be read is as it was.
            assert_eq!(
                db.history().iter().collect::<Vec<_>>(),
                run.moments[n].1.cycles,
                "{}",
                requests[n]
            );
            if let Ok(export) = db.export(None) {
                assert_eq!(export, run.moments[n].1.working, "{}", requests[n]);
            }
            let again = ask(&db, &json!({"op": "commit"}));
            assert_eq!(again["error"]["code"], "E_STORE_IO", "{again}");
            drop(db);
            // The machine lives on and has all that was written, or the power goes as well.
            let what = format!("{} failed at write {writes}", requests[n]);
            run.check(disk.bytes(), &[n, n + 1], writes % 4 == 0, &what);
            let steps = disk.steps();
            let synced = steps.iter().rposition(|step| matches!(step, Step::Sync)).unwrap_or(0);
            let mut left = before;
            for step in &steps[..synced] {
                apply(&mut left, step).unwrap();
            }
            lose_power(&mut left, &steps[synced..], &mut random);
            run.check(left, &[n, n + 1], false, &what);
        }
    }
    assert!(failures > 100, "only {failures} failures");
}

/// Operations to disturb: one of each sort, and the commit that flushes the indexes.
fn windows(run: &Run, requests: &[Value]) -> Vec<usize> {
    let mut at = BTreeSet::new();
    let kinds = ["add", "batch", "commit", "policy", "attempt", "undo", "restore"];
    for kind in kinds {
        let of_kind = requests.iter().rposition(|request| request["op"] == kind);
        at.extend(of_kind);
    }
    at.extend(requests.iter().rposition(|request| request.get("messages").is_some()));
    at.extend(requests.iter().rposition(|request| request.get("snapshot").is_some()));
    let flush = run.moments.iter().position(|(_, shown)| shown.cycles.len() >= 64).unwrap();
    at.insert(flush - 1);
    at.into_iter().collect()
}

/// A flat log is imported turn by turn, and only the last turn waits for the disk. A message that
/// could not be stored left the turns before it behind.
#[test]
fn a_bad_message_in_a_flat_log_leaves_no_trace() {
    let disk = Disk::default();
    let db = options(Durability::Immediate).create_on(disk.clone()).unwrap();
    let before = shown(&db);
    let reply = ask(
        &db,
        &json!({"op": "import", "messages": [
            {"role": "user", "content": "one"}, {"role": "user", "content": "two"},
            {"role": "r".repeat(1000), "content": "three"},
        ]}),
    );
    assert_eq!(reply["error"]["path"], "$[2]", "{reply}");
    assert_eq!(shown(&db), before);
    drop(db);
    let db = options(Durability::Immediate).open_on(disk).unwrap();
    assert_eq!(shown(&db), before, "after opening again");
}
