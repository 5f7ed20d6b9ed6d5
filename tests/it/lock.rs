//! One process has a store open; whoever else asks is told so, and by whom it is held.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use pactdb::{Db, Generation};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// The store that the second process opens, and the file that it writes its answer to.
const STORE: &str = "PACTDB_TEST_LOCK_STORE";
const ANSWER: &str = "PACTDB_TEST_LOCK_ANSWER";

fn try_to_open(path: &Path) -> Value {
    match Db::open(path) {
        Ok(db) => json!({"cycle": db.last_cycle()}),
        Err(error) => serde_json::to_value(&error).unwrap(),
    }
}

/// This is the second process if it was started as one, and has nothing to say otherwise.
#[test]
fn the_second_process() {
    if let (Some(store), Some(answer)) = (std::env::var_os(STORE), std::env::var_os(ANSWER)) {
        std::fs::write(answer, try_to_open(Path::new(&store)).to_string()).unwrap();
    }
}

fn ask_second_process(store: &Path, answer: &Path) -> Value {
    let run = Command::new(std::env::current_exe().unwrap())
        .args(["lock::the_second_process", "--exact"])
        .env(STORE, store)
        .env(ANSWER, answer)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    serde_json::from_str(&std::fs::read_to_string(answer).unwrap()).unwrap()
}

fn check_locked(answer: &Value, store: &Path) {
    assert_eq!(answer["code"], "E_STORE_LOCKED", "{answer}");
    assert!(answer["message"].as_str().unwrap().contains(store.to_str().unwrap()), "{answer}");
    // Where the kernel lists locks with their holders, the holder is named.
    if kernel_lists_our_locks() {
        assert_eq!(answer["holder"], std::process::id(), "{answer}");
    }
}

fn kernel_lists_our_locks() -> bool {
    let pid = std::process::id().to_string();
    let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
    locks.lines().any(|line| line.split_whitespace().any(|field| field == pid))
}

#[test]
fn a_store_is_open_once() {
    let folder = tempfile::tempdir().unwrap();
    let (store, answer) = (folder.path().join("store"), folder.path().join("answer"));
    let db = Db::create(&store, Generation::default()).unwrap();
    db.commit(Default::default()).unwrap();
    check_locked(&try_to_open(&store), &store);
    check_locked(&ask_second_process(&store, &answer), &store);
    // Being refused did not loosen the lock.
    check_locked(&ask_second_process(&store, &answer), &store);
    assert!(Db::create(&store, Generation::default()).is_err());
    db.commit(Default::default()).unwrap();
    let clone = db.clone();
    drop(db);
    check_locked(&ask_second_process(&store, &answer), &store);
    drop(clone);
    assert_eq!(ask_second_process(&store, &answer), json!({"cycle": 2}));
    assert_eq!(try_to_open(&store), json!({"cycle": 2}));
    Db::open(&store).unwrap().verify(|_| {}).unwrap();
}

/// A snapshot reads from the file, so it keeps the store open by itself.
#[test]
fn a_snapshot_keeps_the_store_open() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let db = Db::create(&store, Generation::default()).unwrap();
    db.commit(Default::default()).unwrap();
    let snapshot = db.snapshot(1).unwrap();
    drop(db);
    check_locked(&try_to_open(&store), &store);
    assert!(snapshot.export().is_ok());
    drop(snapshot);
    assert_eq!(try_to_open(&store), json!({"cycle": 1}));
}
