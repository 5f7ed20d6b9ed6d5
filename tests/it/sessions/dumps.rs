//! A dump that is loaded dumps the same bytes, and a bad one leaves nothing behind.

use crate::support::life::{CLOCK, grow, live, requests};
use crate::support::ops::{self, Op};
use crate::support::storage::Memory;
use pactdb::session::{dump, load, load_on};
use pactdb::{Code, Db, Generation, Log, Options};
use proptest::prelude::*;

pub(super) fn text(db: &Db) -> String {
    let mut out = Vec::new();
    dump(db, &mut out, &mut |_, _| {}).unwrap();
    String::from_utf8(out).unwrap()
}

pub(super) fn loaded(text: &str) -> pactdb::Result<Db> {
    let options = Options::new().clock(CLOCK);
    load_on(text.as_bytes(), Memory::default(), options, &mut |_, _| {})
}

/// A store that lived a lively life.
pub(super) fn lively(turns: u64) -> Db {
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    for request in requests(turns) {
        live(&db, &request);
    }
    db
}

/// Both stores say the same of everything.
pub(super) fn same(a: &Db, b: &Db) {
    assert_eq!(a.export(None).unwrap(), b.export(None).unwrap());
    assert_eq!(a.history(), b.history());
    for cycle in a.history().iter() {
        let (left, right) = (a.cycle_info(cycle).unwrap(), b.cycle_info(cycle).unwrap());
        assert_eq!(left, right);
    }
    assert_eq!(a.log(&Log::new()).unwrap(), b.log(&Log::new()).unwrap());
}

#[test]
fn a_lively_store_comes_back_as_it_was() {
    let db = lively(140);
    let first = text(&db);
    let copy = loaded(&first).unwrap();
    assert_eq!(text(&copy), first);
    same(&db, &copy);
    let verified = copy.verify(|_| {}).unwrap();
    assert_eq!(verified, db.verify(|_| {}).unwrap());
    // Both go on alike.
    for request in requests(3) {
        assert_eq!(live(&db, &request), live(&copy, &request));
    }
    assert_eq!(text(&copy), text(&db));
}

fn round_trip(generation: Generation, ops: &[Op]) {
    let db = grow(generation, ops);
    let first = text(&db);
    let copy = loaded(&first).unwrap_or_else(|error| panic!("{error}\n{first}"));
    assert_eq!(text(&copy), first);
    same(&db, &copy);
    copy.verify(|_| {}).unwrap();
    // All snapshots together, as one series, come back the same too.
    let all = |db: &Db| -> Vec<String> {
        db.history().iter().map(|cycle| db.snapshot(cycle).unwrap().export().unwrap()).collect()
    };
    let exports = all(&db);
    let other = Options::new().generation(generation).clock(CLOCK);
    let other = other.create_on(Memory::default()).unwrap();
    if !exports.is_empty() {
        super::imports::take(&other, &exports.join("\n"), &Default::default()).unwrap();
        assert_eq!(all(&other), exports);
        other.verify(|_| {}).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dumps_of_loads_are_the_same_in_0_1(ops in ops::sequence(1..30)) {
        round_trip(Generation::V0_1, &ops);
    }

    #[test]
    fn dumps_of_loads_are_the_same_in_1_0(ops in ops::sequence(1..30)) {
        round_trip(Generation::V1_0, &ops);
    }
}

#[test]
fn a_bad_dump_is_named_by_line_and_leaves_nothing() {
    let good = text(&lively(12));
    let lines: Vec<&str> = good.lines().collect();
    let with = |at: usize, line: String| {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        lines[at] = line;
        lines.join("\n") + "\n"
    };
    let (header, third) = (lines[0], lines[3]);
    let commit = lines.iter().position(|line| line.contains("\"event\":\"commit\"")).unwrap();
    let digest_at = lines[commit].find("\"digest\":\"").unwrap() + 10;
    let mut digest = lines[commit].to_owned();
    digest.replace_range(digest_at..digest_at + 8, "00000000");
    let cases = [
        (String::new(), Code::ImportInvalid, "the dump is empty"),
        ("{}\n".into(), Code::ImportInvalid, "line 1: this is no dump"),
        ("[1]\n".into(), Code::ImportInvalid, "line 1: the line must be an object"),
        (
            with(0, header.replace("dump\":1", "dump\":9")),
            Code::StoreFormat,
            "line 1: the dump has version 9",
        ),
        (with(0, header.replace("0.1", "0.7")), Code::ImportInvalid, "line 1: 'spec' is"),
        (lines[..6].join("\n"), Code::ImportInvalid, "the dump ends after event 5"),
        (with(3, "{\"seq\":".into()), Code::ImportInvalid, "line 4: it is not JSON"),
        (with(3, String::new()), Code::ImportInvalid, "line 4: it is blank"),
        (
            with(3, third.replace("\"seq\":3", "\"seq\":4")),
            Code::LogCorrupt,
            "line 4: event 4: event 3 should",
        ),
        (
            with(3, third.replace("\"time_ns\":", "\"time\":")),
            Code::ImportInvalid,
            "line 4: 'time_ns' is missing",
        ),
        (
            with(3, third.replacen('{', "{\"x\":1,", 1)),
            Code::ImportInvalid,
            "line 4: 'x' is unknown",
        ),
        (
            with(3, third.replace("time_ns\":1000000", "time_ns\":1000001")),
            Code::LogCorrupt,
            "does not match its hash",
        ),
        (with(commit, digest), Code::LogCorrupt, "does not arrive at its digest"),
        (with(2, lines[3].to_owned()), Code::LogCorrupt, "line 3: event 3"),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (dump, code, message) in cases {
        let path = folder.path().join("new.pactdb");
        let error = load(dump.as_bytes(), &path, Options::new(), &mut |_, _| {}).unwrap_err();
        assert_eq!(error.code, code, "{error}");
        assert!(error.message.contains(message), "{error}, not {message}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{error}");
    }
}

#[test]
fn a_load_makes_a_file_and_never_writes_over_one() {
    let db = lively(12);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.pactdb");
    let copy = load(text(&db).as_bytes(), &path, Options::new(), &mut |_, _| {}).unwrap();
    same(&db, &copy);
    drop(copy);
    let before = std::fs::read(&path).unwrap();
    let error = load(text(&db).as_bytes(), &path, Options::new(), &mut |_, _| {}).unwrap_err();
    assert_eq!(error.code, Code::StoreIo);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    same(&db, &Db::open(&path).unwrap());
}
