//! `@eN`: the working state right after event N, as it was recorded when that event was the newest.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::against::same_as;
use crate::support::disk::Disk;
use crate::support::life::{CLOCK, ask, grow_watched, live, must, requests};
use crate::support::naive::Store;
use crate::support::ops::{self, Op};
use crate::support::random::timeless;
use crate::support::storage::Memory;
use pactdb::session::{Until, copy_on};
use pactdb::{
    Code, Db, Dialect, Diff, Durability, Generation, Log, Options, Select, SelectOptions,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What the working state exported when an event was the newest.
type Recorded = BTreeMap<u64, String>;

/// The last events of all batches: the others have no state of their own.
fn group_ends(db: &Db) -> Vec<u64> {
    let log = db.log(&Log::new()).unwrap();
    let last = |pair: &[pactdb::LogEntry]| (pair[0].group != pair[1].group).then_some(pair[0].seq);
    log.windows(2).filter_map(last).chain(log.last().map(|entry| entry.seq)).collect()
}

/// Every event of a store reads as it was recorded, or has no state of its own.
fn check_every_event(db: &Db, recorded: &Recorded) -> Result<(), TestCaseError> {
    let ends = group_ends(db);
    for seq in 0..=db.events() + 1 {
        let export = db.export(Some(&format!("@e{seq}")));
        if !ends.contains(&seq) {
            let code = export.map(|_| ()).map_err(|error| error.code);
            prop_assert_eq!(code, Err(Code::SnapshotNotFound), "@e{}", seq);
            continue;
        }
        let before = match recorded.get(&seq) {
            Some(export) => export.clone(),
            // An import of several turns is several batches: a store that ends there shows it.
            None => {
                let storage = Memory::default();
                let options = Options::new().clock(CLOCK);
                let cut = copy_on(db, Until::Event(seq), storage, options, &mut |_, _| {});
                cut.unwrap().export(None).unwrap()
            }
        };
        prop_assert_eq!(export.unwrap(), before, "@e{}", seq);
    }
    Ok(())
}

fn check(generation: Generation, ops: &[Op]) -> Result<(), TestCaseError> {
    let storage = Memory::default();
    let options = Options::new().generation(generation).clock(CLOCK);
    let db = options.create_on(storage.clone()).unwrap();
    let mut recorded = Recorded::from([(1, db.export(None).unwrap())]);
    grow_watched(&db, ops, &mut || {
        recorded.insert(db.events(), db.export(None).unwrap());
    });
    check_every_event(&db, &recorded)?;
    drop(db);
    let db = Options::new().clock(CLOCK).open_on(storage).unwrap();
    check_every_event(&db, &recorded)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_event_reads_as_it_did_when_it_was_the_newest_in_0_1(ops in ops::sequence(1..40)) {
        check(Generation::V0_1, &ops)?;
    }

    #[test]
    fn an_event_reads_as_it_did_when_it_was_the_newest_in_1_0(ops in ops::sequence(1..40)) {
        check(Generation::V1_0, &ops)?;
    }
}

/// A store that lived some turns, with what it showed after each event.
fn lived(turns: u64) -> (Db, Recorded) {
    lived_and(turns, |_| {})
}

/// The same; `after` is called after each request.
fn lived_and(turns: u64, mut after: impl FnMut(&Db)) -> (Db, Recorded) {
    let options = Options::new().clock(CLOCK).durability(Durability::AtCommit);
    let db = options.create_on(Memory::default()).unwrap();
    let mut recorded = Recorded::from([(1, db.export(None).unwrap())]);
    for request in requests(turns) {
        live(&db, &request);
        recorded.insert(db.events(), db.export(None).unwrap());
        after(&db);
    }
    (db, recorded)
}

/// A thread in every format, at an address or now, with its warnings or its error.
fn threads(db: &Db, at: Option<String>) -> [Value; 3] {
    ["thread", "openai", "anthropic"].map(|format| {
        let request = json!({"op": "thread", "at": at, "format": format});
        let mut reply = ask(db, &request);
        if let Some(error) = reply.get_mut("error") {
            *error = error["code"].clone();
        }
        reply
    })
}

#[test]
fn threads_after_an_event_are_what_they_were_then() {
    let mut said = BTreeMap::new();
    let (db, _) = lived_and(35, |db| {
        said.insert(db.events(), threads(db, None));
    });
    for (seq, then) in said {
        assert_eq!(threads(&db, Some(format!("@e{seq}"))), then, "@e{seq}");
    }
}

#[test]
fn a_long_life_reads_as_it_was_at_every_event() {
    let (db, recorded) = lived(70);
    check_every_event(&db, &recorded).unwrap();
}

#[test]
fn selectors_after_an_event_answer_like_the_naive_evaluator() {
    let (db, recorded) = lived(35);
    let document = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let cycles = db.history();
    let snapshots: Vec<Value> = cycles
        .iter()
        .map(|cycle| document(&db.export(Some(&format!("@c{cycle}"))).unwrap()))
        .collect();
    let mut naive = Store::new(&snapshots, &document(&db.export(None).unwrap()), "mc");
    for (seq, export) in &recorded {
        naive.after_event(*seq, &document(export), "mc");
    }
    let (mut runner, texts) = (TestRunner::deterministic(), timeless());
    let fixed = ["*", ".mt:depth(1) .cb", ".cb[age<2]", ".cb[depth=1]", ".cb[ttl<=1]"];
    for (i, seq) in recorded.keys().enumerate() {
        let drawn: Vec<String> =
            (0..3).map(|_| texts.new_tree(&mut runner).unwrap().current()).collect();
        let fixed = fixed[i % fixed.len()];
        for text in drawn.iter().map(String::as_str).chain([fixed]) {
            let text = format!("@e{seq} {text}");
            for dialect in Dialect::ALL {
                let options = SelectOptions::default();
                let answer = db
                    .select(Select::new(&text).dialect(dialect).options(options.clone()))
                    .map_err(|error| error.code);
                same_as(answer, &naive, &text, dialect, &options).unwrap();
            }
        }
    }
}

/// The story: a question, a tool result that lives for no cycle, an answer that is taken back.
fn story() -> Db {
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    for request in [
        json!({"op": "add", "id": "q", "role": "user", "content": "how warm?"}),
        json!({"op": "add", "id": "seen", "role": "tool", "ttl": 0, "content": "18 degrees"}),
        json!({"op": "add", "id": "slip", "role": "assistant", "content": "cold"}),
        json!({"op": "undo"}),
        json!({"op": "batch", "ops": [
            {"op": "add", "id": "a", "role": "assistant", "content": "warm"},
            {"op": "add", "id": "again", "key": "k", "cad": 1, "ttl": 0, "content": "remember"},
        ]}),
        json!({"op": "commit"}),
        json!({"op": "add", "id": "next", "role": "user", "content": "thanks"}),
    ] {
        must(&db, &request);
    }
    db
}

fn ids(db: &Db, q: &str) -> Value {
    must(db, &json!({"op": "select", "q": q}))
}

#[test]
fn what_was_taken_back_later_and_what_expired_show_in_their_moment() {
    let db = story();
    // 1 made the store, 2 and 3 are the question and the result, 4 the slip, 5 its undo, 6 and 7
    // the batch, 8 the commit.
    assert_eq!(ids(&db, "@e3 ^ah .cb"), json!(["q", "seen"]));
    assert_eq!(ids(&db, "@e4 ^ah .cb"), json!(["q", "seen", "slip"]));
    assert_eq!(ids(&db, "@e5 ^ah .cb"), json!(["q", "seen"]));
    assert_eq!(ids(&db, "@e7 ^ah .cb"), json!(["q", "seen", "a", "again"]));
    // The instance that the cadence made with the commit is there, the snapshot has it not yet.
    assert_eq!(ids(&db, "@e8 ^ah .cb").as_array().unwrap().len(), 1);
    assert_eq!(ids(&db, "@c1 ^ah .cb"), json!([]));
    assert_eq!(ids(&db, "@e8 ^seq .cb"), json!(["q", "a"]));
    // Age and depth count to the coming cycle, ttl reads as in the working state.
    assert_eq!(ids(&db, "@e3 .cb[age=0][ttl=0]"), json!(["seen"]));
    assert_eq!(ids(&db, "@e8 .mt .cb[age=1][depth=1]"), json!(["q", "a"]));
    let nodes = must(&db, &json!({"op": "nodes", "q": "@e3 #seen"}));
    assert_eq!((&nodes[0]["ttl"], &nodes[0]["content"]), (&json!(0), &json!("18 degrees")));
    let thread = must(&db, &json!({"op": "thread", "at": "@e3"}));
    assert_eq!(thread.as_array().unwrap().len(), 2);
}

#[test]
fn an_event_inside_a_batch_or_unknown_is_not_found_and_the_message_helps() {
    let db = story();
    for (request, word) in [
        (json!({"op": "select", "q": "@e6 .cb"}), "`@e7`"),
        (json!({"op": "export", "at": "@e6"}), "@e7"),
        (json!({"op": "nodes", "q": "@e0 .cb"}), "from 1 to 9"),
        (json!({"op": "thread", "at": "@e10"}), "1 to 9"),
        (json!({"op": "export", "at": "@e99999999999999999999"}), "@e99999999999999999999 is no"),
        (json!({"op": "diff", "a": "@e6", "b": "@e7"}), "`@e7`"),
        (json!({"op": "explain", "q": "@e99999999999999999999 .cb"}), "from 1 to 9"),
    ] {
        let reply = ask(&db, &request);
        assert_eq!(reply["error"]["code"], "E_SNAPSHOT_NOT_FOUND", "{request}: {reply}");
        assert!(reply["error"].to_string().contains(word), "{request}: {reply}");
    }
}

#[test]
fn an_event_is_an_address_wherever_one_state_is_meant_but_not_in_restore() {
    let db = story();
    let export = must(&db, &json!({"op": "export", "at": "@e4"}));
    assert_eq!(export["cycle"], json!(0));
    let diff = must(&db, &json!({"op": "diff", "a": "@e5", "b": "@e4"}));
    assert_eq!(diff, json!({"added": [], "removed": ["slip"], "changed": []}));
    let rich = must(&db, &json!({"op": "diff", "a": "@e4", "b": "@c1", "rich": true}));
    assert_eq!(rich["removed"], json!(["seen", "slip"]));
    let explained = must(&db, &json!({"op": "explain", "q": "@e4 .cb"}));
    assert_eq!(explained["canonical"], "@e4 .cb");
    for (request, code) in [
        (json!({"op": "restore", "at": "@e8"}), "E_SELECTOR_INVALID"),
        (json!({"op": "select", "q": "@e4..@e8 .cb"}), "E_SELECTOR_INVALID"),
        (json!({"op": "select", "q": "@* @e4 .cb"}), "E_SELECTOR_INVALID"),
        (json!({"op": "export", "at": "@e4..@e8"}), "E_SELECTOR_INVALID"),
        (json!({"op": "remove", "target": "@e4 #q"}), "E_SELECTOR_INVALID"),
    ] {
        let reply = ask(&db, &request);
        assert_eq!(reply["error"]["code"], code, "{request}: {reply}");
    }
    let both = Dialect::ALL.map(|dialect| {
        let request = json!({"op": "select", "q": "@e4 .cb", "dialect": dialect.name()});
        must(&db, &request)
    });
    assert_eq!(both[0], both[1]);
}

/// A store of so many cycles of three events each, behind the event that made it.
fn regular(disk: &Disk, cycles: u64) -> Db {
    let options = Options::new().clock(CLOCK).durability(Durability::AtCommit);
    let db = options.create_on(disk.clone()).unwrap();
    for cycle in 0..cycles {
        must(&db, &json!({"op": "add", "role": "user", "content": format!("question {cycle}")}));
        must(&db, &json!({"op": "add", "role": "assistant", "content": format!("answer {cycle}")}));
        must(&db, &json!({"op": "commit"}));
    }
    db
}

#[test]
fn an_event_costs_the_events_of_its_own_cycle() {
    let db = regular(&Disk::default(), 60);
    for (seq, events) in [
        (2, "2 events of"),
        (3, "3 events of"),
        (4, "no events"),
        (95, "1 event of"),
        (96, "2 events of"),
        (97, "no events"),
        (180, "2 events of"),
    ] {
        let explained = db.explain(&format!("@e{seq} ^ah .cb"), None).unwrap();
        assert!(explained.reads[0].starts_with(events), "@e{seq}: {:?}", explained.reads);
    }
}

/// Undoing again and again does not make a state cost more than its events.
#[test]
fn a_cycle_of_many_undos_is_applied_once() {
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    for i in 0..50 {
        must(&db, &json!({"op": "add", "content": i}));
        must(&db, &json!({"op": "undo"}));
    }
    must(&db, &json!({"op": "add", "id": "stays", "content": "x"}));
    assert_eq!(ids(&db, "@e102 .cb"), json!(["stays"]));
    assert_eq!(ids(&db, "@e101 .cb"), json!([]));
    assert_eq!(ids(&db, "@e100 .cb").as_array().unwrap().len(), 1);
}

/// How many reads of the disk an event in the middle of history takes in a store just opened.
fn reads_of(cycles: u64) -> usize {
    let disk = Disk::default();
    drop(regular(&disk, cycles));
    let db = Options::new().clock(CLOCK).open_on(disk.clone()).unwrap();
    let seq = 3 * (cycles / 2) + 3;
    disk.take_reads();
    let request = json!({"op": "select", "q": format!("@e{seq} ^ah .cb")});
    assert_eq!(must(&db, &request).as_array().unwrap().len(), 2);
    disk.take_reads().len()
}

#[test]
fn an_event_is_found_without_a_walk() {
    let (few, many) = (reads_of(16), reads_of(400));
    // Each doubling of history is one more row that is looked at.
    assert!(many <= few + 5 * 4, "{few} reads among 16 cycles, {many} among 400");
}

#[test]
fn a_diff_may_name_an_event_and_the_working_state() {
    let db = story();
    let request = Diff { a: Some("@e3".into()), ..Diff::default() };
    assert_eq!(db.diff(&request).unwrap().removed, ["seen".into()]);
}
