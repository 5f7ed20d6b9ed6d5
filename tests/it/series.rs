//! An import of many turns, which are written together, is what the same turns are when each is
//! committed on its own.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::disk::Disk;
use crate::support::life::CLOCK;
use pactdb::internals::db::{ImportTurn, TurnsRequest};
use pactdb::{Add, Batch, Commit, Db, EditOp, Json, Options};

fn store(disk: &Disk) -> Db {
    Options::new().clock(CLOCK).create_on(disk.clone()).unwrap()
}

/// The adds of a turn: a question, and an answer. The first answers expire while the import runs.
fn turn(i: u64) -> Vec<Add> {
    let block = |role: &str, content: Json| Add {
        role: Some(role.to_owned()),
        content: Some(content),
        ..Add::default()
    };
    let mut answer = block("assistant", Json::Int(i as i64));
    answer.ttl = (i < 10).then_some(15 + 13 * i as i64);
    answer.key = i.is_multiple_of(10).then(|| "plan".to_owned());
    vec![block("user", Json::Str(format!("question {i}"))), answer]
}

fn imported(db: &Db, turns: std::ops::Range<u64>) {
    let turns = turns.map(|i| ImportTurn { adds: turn(i), created_at_ns: None }).collect();
    let request = TurnsRequest { turns, ..TurnsRequest::default() };
    db.import_turns(request, &mut |_, _| {}).unwrap();
}

fn committed(db: &Db, turns: std::ops::Range<u64>) {
    for i in turns {
        let adds = turn(i).into_iter().map(|add| EditOp::Add(Box::new(add)));
        let ops = adds.chain([EditOp::Commit(Commit::default())]).collect();
        db.batch(Batch { ops, expected_cycle: None }).unwrap();
    }
}

#[test]
fn turns_written_together_are_the_same_turns() {
    let (together, alone) = (Disk::default(), Disk::default());
    let (ours, theirs) = (store(&together), store(&alone));
    // Not at a multiple of what is written at once, before and after.
    committed(&ours, 0..11);
    committed(&theirs, 0..11);
    imported(&ours, 11..161);
    committed(&theirs, 11..161);
    committed(&ours, 161..170);
    committed(&theirs, 161..170);
    assert_eq!(ours.last_cycle(), theirs.last_cycle());
    for cycle in ours.history().iter() {
        let digest = |db: &Db| db.cycle_info(cycle).unwrap().digest;
        assert_eq!(digest(&ours), digest(&theirs), "cycle {cycle}");
    }
    ours.verify(|_| {}).unwrap();
    assert_eq!(ours.export(None).unwrap(), theirs.export(None).unwrap());
    drop(ours);
    let ours = Options::new().clock(CLOCK).open_on(together).unwrap();
    assert_eq!(ours.export(None).unwrap(), theirs.export(None).unwrap());
    ours.verify(|_| {}).unwrap();
    for at in ["@c1", "@c64", "@c100", "@c130", "@t0"] {
        assert_eq!(ours.export(Some(at)).unwrap(), theirs.export(Some(at)).unwrap(), "{at}");
    }
}
