//! The chapter "Rows, byte by byte" of `docs/storage.md` is enough to read a store: what is in the
//! modules below was written from it, and shares no code with the crate.
//!
//! Every row of every table is read to its last byte. The log is held against dumps, snapshots
//! against exports and digests, and what is derived against what it is derived from.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bytes;
mod document;
mod event;
mod figures;
mod indexes;
mod log;
mod node;
mod notes;
mod parts;
mod search;
mod tables;

use crate::support::life::{CLOCK, live, must, requests};
use crate::support::storage::Memory;
use pactdb::session::{ImportRequest, dump, import};
use pactdb::{Db, Options};
use redb::Database;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn database(storage: &Memory) -> Database {
    Database::builder().create_with_backend(Memory::with(storage.bytes())).unwrap()
}

fn frozen() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/stores");
    let folders = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = folders
        .filter(|path| path.is_dir())
        .flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    let stores: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "pactdb")).collect();
    assert!(stores.len() >= 5, "{stores:?}");
    stores
}

/// Reads all tables of a closed store, and holds them against what its library says.
fn check(storage: &Memory) {
    let db = Options::new().clock(CLOCK).open_on(storage.clone()).unwrap();
    let mut dumped = Vec::new();
    dump(&db, &mut dumped, &mut |_, _| {}).unwrap();
    let cycles: Vec<u64> = db.history().iter().collect();
    let exports: Vec<String> =
        cycles.iter().map(|cycle| db.export(Some(&format!("@c{cycle}"))).unwrap()).collect();
    let infos: Vec<_> = cycles.iter().map(|cycle| db.cycle_info(*cycle).unwrap()).collect();
    drop(db);

    let db = database(storage);
    let expected = [
        "attempt_cycles",
        "attempts",
        "expiry",
        "failed_attempts",
        "features",
        "figures",
        "grams",
        "ids",
        "instances",
        "log",
        "meta",
        "open_attempts",
        "origins",
        "parts",
        "prunes",
        "refs",
        "running",
        "sketches",
        "turn_sizes",
    ];
    assert!(tables::counts(&db).keys().eq(expected));
    let meta = tables::meta(&db);
    assert_eq!(meta.derived, 17, "the chapter describes the derived tables of this version");
    let log = log::read(&db);
    assert!(log.dump(&meta.generation) == String::from_utf8(dumped).unwrap(), "the dump differs");

    let parts = parts::read(&db);
    let spec_version = format!("PACT/{}.0", meta.generation);
    assert!(parts.commits.keys().eq(&cycles));
    for ((cycle, export), info) in cycles.iter().zip(exports).zip(infos) {
        assert!(
            parts.export(*cycle, &spec_version, &log) == export,
            "the export of {cycle} differs"
        );
        let commit = &parts.commits[cycle];
        assert_eq!(parts.skeleton(*cycle).history, cycles[..=cycles.binary_search(cycle).unwrap()]);
        assert_eq!(parts.digest(*cycle, &spec_version).0, commit.digest, "the digest of {cycle}");
        assert_eq!((commit.seq, commit.digest), (info.seq, info.digest));
        let closing = &log.records[commit.seq as usize - 1].event;
        assert_eq!(closing.closes(), Some((*cycle, commit.digest)));
        let removed = [info.removed.expired, info.removed.cascaded, info.removed.pruned];
        let removed = removed.map(|ids| ids.iter().map(|id| id.to_string()).collect::<Vec<_>>());
        assert_eq!(commit.removed, removed);
        let policies: Vec<_> = commit.policies.iter().map(notes::Policy::dumped).collect();
        assert_eq!(policies, log.policies(commit.seq));
        parts.check_changes(*cycle);
    }
    // Every 64th snapshot is a checkpoint; those after it write the indexes up to it.
    let checkpoints: Vec<u64> = cycles.chunks_exact(64).map(|chunk| chunk[63]).collect();
    let sum = checkpoints.last().map(|last| (*last, parts.digest(*last, &spec_version).1));
    assert_eq!(meta.checkpoint, sum);
    let written = Written { checkpoints, position: cycles.len() % 64 };
    indexes::check(&db, &parts, &written);
    indexes::check_notes(&db, &log);
    search::check(&db, &parts, &log, &written);
    figures::check(&db, &parts, &log, &meta.generation, &written);
}

/// How far the indexes are written.
struct Written {
    /// The last cycles of the layers of 64 snapshots that are complete.
    checkpoints: Vec<u64>,
    /// How many snapshots came after the last of them.
    position: usize,
}

impl Written {
    /// The last cycles of the last layer but one, and of the last one; 0 where there is none.
    fn upto(&self) -> (u64, u64) {
        let from_the_end = |n: usize| {
            let at = self.checkpoints.len().checked_sub(n);
            at.map_or(0, |at| self.checkpoints[at])
        };
        (from_the_end(2), from_the_end(1))
    }

    /// How many of so many things of the last layer are written, in pieces from a position on.
    fn of(&self, things: usize, first: usize, pieces: usize) -> usize {
        things * (self.position + 1).saturating_sub(first).min(pieces) / pieces
    }

    /// The last cycle that a table knows which is written whole, at position 25.
    fn whole(&self) -> u64 {
        if self.position >= 25 { self.upto().1 } else { self.upto().0 }
    }
}

#[test]
fn every_byte_of_the_frozen_stores_has_an_explanation() {
    let mut versions = BTreeSet::new();
    for path in frozen() {
        let dumped = std::fs::read_to_string(path.with_extension("jsonl")).unwrap();
        let storage = Memory::with(std::fs::read(&path).unwrap());
        let db = database(&storage);
        let log = log::read(&db);
        let spec = if dumped.lines().next().unwrap().contains("\"1.0\"") { "1.0" } else { "0.1" };
        assert!(log.dump(spec) == dumped, "{} as it was written", path.display());
        versions.extend(log.records.iter().map(|record| record.version));
        drop(db);
        // What another version derived is made anew when the store is opened.
        check(&storage);
    }
    assert_eq!(versions, BTreeSet::from([1, 2]));
}

/// Commits until so many snapshots are there beside whole layers of 64.
fn commit_to(db: &Db, position: usize) {
    loop {
        must(db, &json!({"op": "commit"}));
        if db.history().iter().count() % 64 == position {
            return;
        }
    }
}

/// A store with every sort of event, of header and of row.
#[test]
fn every_byte_of_a_lively_store_has_an_explanation() {
    let storage = Memory::default();
    let db = Options::new().clock(CLOCK).create_on(storage.clone()).unwrap();
    let session = r#"[{"role":"user","content":"from \"afar\" \u00e9\ud83d\ude00\n"}]"#;
    import(&db, session.as_bytes(), &ImportRequest::default(), &mut |_| {}).unwrap();
    let long = "Contents of this size are compressed at once. ".repeat(500);
    for request in [
        json!({"op": "add", "to": "^sys", "id": "rules", "content": long, "pinned": true, "mime": "text/plain"}),
        json!({"op": "add", "id": "medium", "content": "Others wait for a compaction. ".repeat(20)}),
        json!({"op": "add", "id": "first", "content": {"a": [1, 2.5, null]}, "encoding": "none", "attrs": {"data_n": [1.0, "\u{7f}"], "x:y": {}}, "provenance": "keyboard", "kind": "note"}),
        json!({"op": "attempt", "action": "start", "attempt_id": "a", "provider": "p", "model": "m", "params": {"t": 1}}),
        json!({"op": "commit"}),
        json!({"op": "set", "target": "#rules", "mime": null, "encoding": "identity", "key": "k", "tags": ["t"], "priority": -3, "attrs": {"data_z": "z"}}),
        json!({"op": "add", "to": "(d0,end)", "id": "end"}),
        json!({"op": "add", "to": "(d0,-1)", "id": "before", "type": "log:entry.one"}),
        json!({"op": "move", "target": "#end", "to": "^sys", "offset": -5}),
        json!({"op": "attempt", "action": "finish", "attempt_id": "a", "error": "timeout"}),
        json!({"op": "commit"}),
    ] {
        must(&db, &request);
    }
    // A turn that changes more often than a row of sketches has room for, and one that is too large.
    for number in 0..6 {
        must(
            &db,
            &json!({"op": "add", "to": "#mt:1", "offset": 3, "content": format!("note {number}")}),
        );
        must(&db, &json!({"op": "commit"}));
    }
    let many: Vec<_> = (0..300).map(|i| json!({"op": "add", "id": format!("many{i}")})).collect();
    must(&db, &json!({"op": "batch", "ops": many}));
    must(&db, &json!({"op": "commit"}));
    for request in requests(150) {
        live(&db, &request);
    }
    // A cadence that runs when the indexes are written.
    must(&db, &json!({"op": "add", "key": "clock", "cad": 5, "ttl": 1, "content": "tick"}));
    commit_to(&db, 0);
    drop(db);
    check(&storage);
    // While they are written, a slice with each commit, and when they are.
    for position in [6, 14, 20, 25] {
        let db = Options::new().clock(CLOCK).open_on(storage.clone()).unwrap();
        commit_to(&db, position);
        drop(db);
        check(&storage);
    }
    let db = Options::new().clock(CLOCK).open_on(storage.clone()).unwrap();
    must(&db, &json!({"op": "add", "id": "open", "content": "not committed"}));
    must(&db, &json!({"op": "attempt", "action": "start", "attempt_id": "open"}));
    drop(db);
    check(&storage);
    for (table, count) in tables::counts(&database(&storage)) {
        assert!(count > 0, "no row of {table} was read");
    }

    let compressed = |storage: &Memory| {
        let log = log::read(&database(storage));
        log.contents.values().filter(|content| content.is_compressed).count()
    };
    assert_eq!(compressed(&storage), 1);
    let db = Options::new().clock(CLOCK).open_on(storage.clone()).unwrap();
    db.compact().unwrap();
    drop(db);
    assert!(compressed(&storage) > 1, "compaction packs more of them");
    check(&storage);
}
