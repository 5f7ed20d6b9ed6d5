//! Attempts (R10): events of the log that no tree and no digest ever sees.

use super::*;
use pactdb::{Attempt, AttemptAction, AttemptRequest, AttemptStatus, Restore};

fn start(db: &Db, id: &str) -> Attempt {
    let mut request = AttemptRequest::new(AttemptAction::Start);
    request.attempt_id = Some(id.into());
    request.provider = Some("somebody".into());
    db.attempt(request).unwrap().remove(0)
}

fn finish(db: &Db, id: &str) -> Result<Attempt, Error> {
    let mut request = AttemptRequest::new(AttemptAction::Finish);
    request.attempt_id = Some(id.into());
    request.token_out = Some(20);
    Ok(db.attempt(request)?.remove(0))
}

fn list(db: &Db, change: impl FnOnce(&mut AttemptRequest)) -> Vec<String> {
    let mut request = AttemptRequest::new(AttemptAction::List);
    change(&mut request);
    db.attempt(request).unwrap().into_iter().map(|attempt| attempt.attempt_id).collect()
}

#[test]
fn an_attempt_is_recorded_with_its_cycle_and_ends_once() {
    let db = store();
    commit(&db);
    let started = start(&db, "a");
    assert_eq!((started.cycle_id, started.status), (2, AttemptStatus::Running));
    assert_eq!((started.started_at, started.ended_at), (1000, None));
    commit(&db);
    let ended = finish(&db, "a").unwrap();
    assert_eq!((ended.cycle_id, ended.status), (2, AttemptStatus::Completed));
    assert_eq!((ended.ended_at, ended.token_out), (Some(1000), Some(20)));
    assert_eq!(ended.provider.as_deref(), Some("somebody"), "what it started with stays");
    assert_eq!(code(finish(&db, "a")), Code::Conflict);
    assert_eq!(code(finish(&db, "b")), Code::NodeNotFound);
    let mut again = AttemptRequest::new(AttemptAction::Start);
    again.attempt_id = Some("a".into());
    assert_eq!(code(db.attempt(again)), Code::NodeExists);
}

#[test]
fn an_error_makes_it_a_failure_and_a_status_says_otherwise() {
    let db = store();
    for (id, status, error, expected) in [
        ("a", None, Some("timeout"), AttemptStatus::Error),
        ("b", Some(AttemptStatus::Canceled), Some("by hand"), AttemptStatus::Canceled),
        ("c", Some(AttemptStatus::Error), None, AttemptStatus::Error),
    ] {
        start(&db, id);
        let mut request = AttemptRequest::new(AttemptAction::Finish);
        request.attempt_id = Some(id.into());
        request.status = status;
        request.error = error.map(String::from);
        let ended = db.attempt(request).unwrap().remove(0);
        assert_eq!((ended.status, ended.error.as_deref()), (expected, error));
    }
}

/// A list once ignored everything but the cycle that it was asked for.
#[test]
fn a_list_has_those_that_agree_with_the_request() {
    let db = store();
    start(&db, "a");
    start(&db, "b");
    finish(&db, "a").unwrap();
    commit(&db);
    start(&db, "c");
    assert_eq!(list(&db, |_| {}), ["a", "b", "c"]);
    assert_eq!(list(&db, |request| request.cycle = Some(1)), ["a", "b"]);
    assert_eq!(list(&db, |request| request.status = Some(AttemptStatus::Running)), ["b", "c"]);
    assert_eq!(list(&db, |request| request.attempt_id = Some("b".into())), ["b"]);
    assert_eq!(list(&db, |request| request.token_out = Some(20)), ["a"]);
    assert_eq!(list(&db, |request| request.provider = Some("nobody".into())), Vec::<String>::new());
}

#[test]
fn attempts_do_not_touch_the_tree_or_its_digest() {
    let (quiet, busy) = (store(), store());
    let before = busy.export(None).unwrap();
    start(&busy, "a");
    assert_eq!(busy.export(None).unwrap(), before);
    assert_eq!(code(busy.undo()), Code::NodeNotFound, "there is no edit to undo");
    for db in [&quiet, &busy] {
        // Ids that the engine makes do not depend on attempts either.
        db.add(Add::default()).unwrap();
    }
    finish(&busy, "a").unwrap();
    assert_eq!(commit(&quiet).digest, commit(&busy).digest);
    assert_eq!(quiet.export(None).unwrap(), busy.export(None).unwrap());
}

#[test]
fn running_attempts_are_running_after_the_store_was_opened_again() {
    let storage = Memory::default();
    let reopen = |db: Db| {
        drop(db);
        Options::new().clock(2000).open_on(storage.clone()).unwrap()
    };
    let db = Options::new().clock(1000).create_on(storage.clone()).unwrap();
    start(&db, "old");
    start(&db, "ended");
    commit(&db);
    start(&db, "new");
    finish(&db, "ended").unwrap();
    let db = reopen(db);
    assert_eq!(list(&db, |request| request.status = Some(AttemptStatus::Running)), ["old", "new"]);
    assert_eq!(code(finish(&db, "ended")), Code::Conflict);
    let ended = finish(&db, "old").unwrap();
    assert_eq!((ended.cycle_id, ended.started_at, ended.ended_at), (1, 1000, Some(2000)));
    // Undo and restore go back to older states of the tree, and attempts stay as they are.
    add(&db, block("a"));
    db.undo().unwrap();
    db.restore(Restore { at: "@c1".into(), discard: true }).unwrap();
    let db = reopen(db);
    assert_eq!(code(finish(&db, "old")), Code::Conflict);
    assert_eq!(finish(&db, "new").unwrap().cycle_id, 2);
    db.rebuild(|_| {}).unwrap();
    let db = reopen(db);
    assert_eq!(
        list(&db, |request| request.status = Some(AttemptStatus::Running)),
        Vec::<String>::new()
    );
    assert_eq!(list(&db, |request| request.cycle = Some(1)), ["ended", "old"]);
}
