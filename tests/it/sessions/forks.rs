//! Forks and copies: the same history up to a point, in another store; reading changes nothing.

use super::dumps::{lively, text};
use crate::support::life::{CLOCK, live, must, requests};
use crate::support::storage::Memory;
use pactdb::session::{Replay, ReplayRequest, Until, copy, copy_on, fork, fork_on, life};
use pactdb::{Code, Commit, Db, Generation, Log, Options};
use serde_json::json;

fn options() -> Options {
    Options::new().clock(CLOCK)
}

#[test]
fn a_fork_has_the_history_and_says_where_it_came_from() {
    let db = lively(30);
    let cycle = db.history().iter().nth(17).unwrap();
    let seq = db.seq_of_cycle(cycle).unwrap();
    let forked = fork_on(&db, cycle, Memory::default(), options(), &mut |_, _| {}).unwrap();
    assert_eq!(forked.last_cycle(), cycle);
    for known in forked.history().iter() {
        assert_eq!(forked.cycle_info(known).unwrap(), db.cycle_info(known).unwrap());
        let address = format!("@c{known}");
        assert_eq!(forked.export(Some(&address)).unwrap(), db.export(Some(&address)).unwrap());
    }
    assert_eq!(forked.chain_hash(seq).unwrap(), db.chain_hash(seq).unwrap());
    let sources = forked.sources().unwrap();
    assert_eq!(sources.len(), 1);
    assert_eq!(sources[0].origin.cycle, Some(cycle));
    assert_eq!(sources[0].origin.digest, db.chain_hash(seq).unwrap());
    assert_eq!(forked.events(), seq + 1);
    forked.verify(|_| {}).unwrap();
    // It can be written to at once, and the old one does not hear of it.
    let before = text(&db);
    must(&forked, &json!({"op": "add", "role": "user", "content": "another way"}));
    let reply = forked.commit(Commit::default()).unwrap();
    assert_eq!(reply.cycle, cycle + 1);
    assert_eq!(text(&db), before);
    forked.verify(|_| {}).unwrap();
}

#[test]
fn copies_end_at_a_cycle_an_event_or_the_end() {
    let db = lively(22);
    must(&db, &json!({"op": "add", "role": "user", "content": "not committed"}));
    let whole = copy_on(&db, Until::End, Memory::default(), options(), &mut |_, _| {}).unwrap();
    assert_eq!(text(&whole), text(&db));
    assert_eq!(whole.export(None).unwrap(), db.export(None).unwrap());
    let (cycle, last) = (db.history().iter().nth(9).unwrap(), db.events());
    let some = copy_on(&db, Until::Cycle(cycle), Memory::default(), options(), &mut |_, _| {});
    let some = some.unwrap();
    assert_eq!(some.last_cycle(), cycle);
    assert_eq!(some.cycle_info(cycle).unwrap().digest, db.cycle_info(cycle).unwrap().digest);
    let part = copy_on(&db, Until::Event(last - 3), Memory::default(), options(), &mut |_, _| {});
    assert_eq!(part.unwrap().events(), last - 3);
    let wrong = [
        (Until::Event(last + 1), Code::NodeNotFound),
        (Until::Event(0), Code::NodeNotFound),
        (Until::Cycle(9999), Code::SnapshotNotFound),
        (Until::Cycle(0), Code::SnapshotNotFound),
    ];
    for (until, code) in wrong {
        let error = copy_on(&db, until, Memory::default(), options(), &mut |_, _| {}).unwrap_err();
        assert_eq!(error.code, code);
    }
}

#[test]
fn reading_the_past_changes_not_one_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.pactdb");
    let db = Options::new().clock(CLOCK).create(&path).unwrap();
    for request in requests(40) {
        live(&db, &request);
    }
    drop(db);
    let before = std::fs::read(&path).unwrap();
    let db = Db::open(&path).unwrap();
    for cycle in db.history().iter() {
        let address = format!("@c{cycle}");
        db.export(Some(&address)).unwrap();
        db.thread(Some(&address)).unwrap();
        db.select(format!("{address} .cb")).unwrap();
        db.cycle_info(cycle).unwrap();
    }
    db.select("@t-3..@t0 .cb").unwrap();
    db.log(&Log::new()).unwrap();
    text(&db);
    Replay::new(&db, &ReplayRequest::default()).unwrap().for_each(|step| drop(step.unwrap()));
    life(&db, "u1").unwrap();
    let cycle = db.history().iter().nth(20).unwrap();
    fork(&db, cycle, folder.path().join("fork.pactdb"), options(), &mut |_, _| {}).unwrap();
    copy(&db, Until::End, folder.path().join("copy.pactdb"), options(), &mut |_, _| {}).unwrap();
    db.verify(|_| {}).unwrap();
    drop(db);
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_fork_onto_a_file_that_exists_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("taken.pactdb");
    Db::create(&path, Generation::V0_1).unwrap();
    let before = std::fs::read(&path).unwrap();
    let db = lively(3);
    let error = fork(&db, 1, &path, options(), &mut |_, _| {}).unwrap_err();
    assert_eq!(error.code, Code::StoreIo);
    assert_eq!(std::fs::read(&path).unwrap(), before);
}
