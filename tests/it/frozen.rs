//! Stores of earlier releases are read for ever: `fixtures/stores` has one of every kind, with the dump that the
//! program of that time wrote.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::storage::Memory;
use pactdb::session::{dump, fork_on, load_on};
use pactdb::{Add, Commit, Db, Options};
use std::path::{Path, PathBuf};

/// Every frozen store, with its dump.
fn frozen() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/stores");
    let mut found = Vec::new();
    for version in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if !version.is_dir() {
            continue;
        }
        for store in std::fs::read_dir(version).unwrap().map(|entry| entry.unwrap().path()) {
            if store.extension().is_some_and(|extension| extension == "pactdb") {
                let dump = std::fs::read_to_string(store.with_extension("jsonl")).unwrap();
                found.push((store, dump));
            }
        }
    }
    assert!(found.len() >= 3, "{found:?}");
    found
}

fn text(db: &Db) -> String {
    let mut out = Vec::new();
    dump(db, &mut out, &mut |_, _| {}).unwrap();
    String::from_utf8(out).unwrap()
}

/// The exports of all snapshots, and of the working state.
fn exports(db: &Db) -> Vec<String> {
    let history = db.history();
    let snapshots = history.iter().map(|cycle| format!("@c{cycle}"));
    let mut all: Vec<String> = snapshots.map(|at| db.export(Some(&at)).unwrap()).collect();
    all.push(db.export(None).unwrap());
    all
}

/// Opens a copy: opening may make the derived tables anew, and the fixture stays as it is.
fn opened<T>(store: &Path, look: impl FnOnce(&Db) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.pactdb");
    std::fs::copy(store, &copy).unwrap();
    look(&Db::open(&copy).unwrap_or_else(|error| panic!("{}: {error}", store.display())))
}

#[test]
fn a_store_of_an_earlier_release_opens_and_verifies() {
    for (store, dumped) in frozen() {
        opened(&store, |db| {
            db.verify(|_| {}).unwrap_or_else(|error| panic!("{}: {error}", store.display()));
            assert!(text(db) == dumped, "{} dumps other bytes than then", store.display());
            db.rebuild(|_| {}).unwrap();
            db.verify(|_| {}).unwrap();
        });
    }
}

#[test]
fn a_dump_of_an_earlier_release_loads_into_the_same_store() {
    for (store, dumped) in frozen() {
        let loaded = load_on(dumped.as_bytes(), Memory::default(), Options::new(), &mut |_, _| {})
            .unwrap_or_else(|error| panic!("{}: {error}", store.display()));
        assert!(text(&loaded) == dumped, "{} dumps other bytes when loaded", store.display());
        loaded.verify(|_| {}).unwrap();
        assert_eq!(opened(&store, exports), exports(&loaded));
    }
}

#[test]
fn a_store_of_an_earlier_release_forks_and_goes_on() {
    for (store, _) in frozen() {
        opened(&store, |db| {
            for cycle in db.history().iter() {
                let forked =
                    fork_on(db, cycle, Memory::default(), Options::new(), &mut |_, _| {}).unwrap();
                let address = format!("@c{cycle}");
                let both = [db, &forked].map(|db| db.export(Some(&address)).unwrap());
                assert_eq!(both[0], both[1]);
            }
            let content = Some("What is new?".into());
            db.add(Add { content, ..Add::default() }).unwrap();
            db.commit(Commit::default()).unwrap();
            db.verify(|_| {}).unwrap();
        });
    }
}
