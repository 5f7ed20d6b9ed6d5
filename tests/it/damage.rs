//! A bad byte is harmless, or it is found and named; it is never read as data.
//!
//! Bytes of a closed store's file are changed one at a time. Whatever is then read, and whatever
//! verification says, must either be right or be an error with a code of the specification.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod pages;
mod refused;

use crate::support::disk::Disk;
use crate::support::life::{CLOCK, must};
use crate::support::seeded::{Random, scaled};
use pactdb::{Db, Error, Log, Options};
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use serde_json::json;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// What redb's panics say is of no interest to whoever runs the tests; all others are printed.
pub(crate) fn quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !pactdb::panics_are_caught() {
                loud(info);
            }
        }));
    });
}

/// Everything that can be read.
#[derive(Debug, PartialEq)]
struct Readable {
    exports: Vec<String>,
    threads: Vec<String>,
    log: Vec<String>,
    figures: Vec<u64>,
    attempts: Vec<String>,
}

fn read_all(db: &Db) -> Result<Readable, Error> {
    let mut all = Readable {
        exports: vec![db.export(None)?],
        threads: vec![db.thread(None)?],
        log: Vec::new(),
        figures: Vec::new(),
        attempts: Vec::new(),
    };
    for cycle in db.history().iter() {
        let snapshot = db.snapshot(cycle)?;
        all.exports.push(snapshot.export()?);
        if cycle % 8 == 0 {
            all.threads.push(snapshot.thread()?);
        }
        all.figures.push(db.cycle_info(cycle)?.seq);
    }
    all.log = db.log(&Log::new())?.iter().map(|entry| format!("{entry:?}")).collect();
    let stats = db.stats()?;
    all.figures.extend([stats.cycle, stats.snapshots, stats.turns, stats.nodes, stats.blocks]);
    all.figures.extend([stats.content_bytes, stats.events, stats.uncommitted]);
    let list = pactdb::AttemptRequest::new(pactdb::AttemptAction::List);
    all.attempts = db.attempt(list)?.iter().map(|attempt| format!("{attempt:?}")).collect();
    Ok(all)
}

/// A closed store with rows in every table, and edits that no commit followed. Its snapshots are
/// small, because all of them are read very often.
fn store() -> Vec<u8> {
    let disk = Disk::default();
    let db = Options::new().clock(CLOCK).create_on(disk.clone()).unwrap();
    must(&db, &json!({"op": "policy", "set": [{"max_blocks": 8, "protect_recent_turns": 2}]}));
    must(&db, &json!({"op": "add", "to": "^sys", "id": "rules", "content": "Be brief."}));
    for turn in 0..66 {
        let text = format!("question {turn}: {}", "why? ".repeat(turn % 7 * 10));
        let mut said =
            json!({"op": "add", "id": format!("u{turn}"), "role": "user", "content": text});
        match turn % 5 {
            0 => said["refs"] = json!(["rules"]),
            1 => said["ttl"] = json!(3),
            2 => (said["key"], said["cad"]) = (json!("k"), json!(7)),
            3 => said["content"] = json!({"turn": turn, "why": [null, 1.5]}),
            _ => {
                let name = format!("a{turn}");
                must(&db, &json!({"op": "attempt", "action": "start", "attempt_id": name}));
                must(&db, &json!({"op": "attempt", "action": "finish", "attempt_id": name}));
            }
        }
        must(&db, &json!({"op": "batch", "ops": [said, {"op": "commit"}]}));
        if turn % 12 == 11 {
            must(
                &db,
                &json!({"op": "restore", "at": format!("@c{}", turn / 12 + 1), "discard": true}),
            );
        }
    }
    must(&db, &json!({"op": "attempt", "action": "start", "attempt_id": "open"}));
    must(&db, &json!({"op": "add", "id": "not-committed-1", "content": "x".repeat(300)}));
    must(&db, &json!({"op": "add", "id": "not-committed-2", "content": "the end"}));
    drop(db);
    disk.bytes()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Harmless,
    RefusedToOpen,
    FailedToRead,
    FoundByVerify,
}

/// Opens, reads and verifies an image.
fn outcome(image: Vec<u8>, right: &Readable) -> Result<Outcome, String> {
    let coded = |error: &Error| {
        let code = error.code.as_str();
        let allowed = ["E_STORE_FORMAT", "E_LOG_CORRUPT", "E_STORE_IO"].contains(&code);
        if allowed { Ok(()) } else { Err(format!("{code} {error}")) }
    };
    let disk = Disk::with(image);
    disk.record();
    let tried = catch_unwind(AssertUnwindSafe(|| -> Result<Outcome, String> {
        let db = match Options::new().clock(CLOCK).open_on(disk.clone()) {
            Ok(db) => db,
            Err(error) => return coded(&error).map(|()| Outcome::RefusedToOpen),
        };
        let read = match read_all(&db) {
            Ok(read) => read,
            Err(error) => return coded(&error).map(|()| Outcome::FailedToRead),
        };
        match db.verify(|_| {}) {
            Err(error) => coded(&error).map(|()| Outcome::FoundByVerify),
            Ok(_) if read == *right => Ok(Outcome::Harmless),
            Ok(_) => Err("a wrong answer, and nothing said".to_owned()),
        }
    }));
    let outcome = tried.map_err(|_| "a panic".to_owned())??;
    if outcome == Outcome::RefusedToOpen && disk.step_count() > 0 {
        return Err("refused, and yet written to".to_owned());
    }
    Ok(outcome)
}

/// Bytes to change: all of the header, many of what reading touches, some of the rest.
fn places(image: &[u8], touched: &[(u64, usize)]) -> Vec<(usize, u8)> {
    let mut random = Random::new(6);
    let mut places: Vec<(usize, u8)> = (0..320).map(|at| (at, 1 << (at % 8))).collect();
    let pages: BTreeMap<u64, usize> = touched.iter().copied().filter(|(at, _)| *at > 0).collect();
    let pages: Vec<(u64, usize)> = pages.into_iter().collect();
    let mut change = |from: usize, len: usize, random: &mut Random| {
        let at = from + random.below(len as u64) as usize;
        let mask = if random.below(2) == 0 { 1 << random.below(8) } else { 1 + random.below(255) };
        places.push((at, mask as u8));
    };
    // The beginnings of pages are about their structure; they are worth a closer look.
    for i in 0..scaled(450) {
        let (from, len) = pages[i % pages.len()];
        change(from as usize, len, &mut random);
        change(from as usize, len.min(128), &mut random);
    }
    for _ in 0..scaled(80) {
        change(0, image.len(), &mut random);
    }
    places
}

#[test]
fn a_flipped_byte_is_harmless_or_named() {
    quiet();
    let image = store();
    let disk = Disk::with(image.clone());
    let db = Options::new().clock(CLOCK).open_on(disk.clone()).unwrap();
    let right = read_all(&db).unwrap();
    db.verify(|_| {}).unwrap();
    let touched = disk.take_reads();
    drop(db);
    let places = places(&image, &touched);
    let results = in_threads(&places, |(at, mask)| {
        let mut damaged = image.clone();
        damaged[*at] ^= mask;
        outcome(damaged, &right).map_err(|wrong| format!("byte {at} ^ {mask:#04x}: {wrong}"))
    });
    let wrong: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), results.len());
    let mut counts: BTreeMap<Outcome, usize> = BTreeMap::new();
    for outcome in results.iter().flatten() {
        *counts.entry(*outcome).or_default() += 1;
    }
    for kind in
        [Outcome::Harmless, Outcome::RefusedToOpen, Outcome::FailedToRead, Outcome::FoundByVerify]
    {
        assert!(counts.get(&kind).is_some_and(|count| *count > 5), "{counts:?}");
    }
}

/// Maps items in two threads; the order of the results is that of the items.
fn in_threads<T: Sync, R: Send>(items: &[T], run: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let half = items.len() / 2;
    std::thread::scope(|scope| {
        let second = scope.spawn(|| items[half..].iter().map(&run).collect::<Vec<R>>());
        let mut results: Vec<R> = items[..half].iter().map(&run).collect();
        results.extend(second.join().unwrap());
        results
    })
}

/// The chain of hashes ties each event to the one before; nothing ties the last one to anything
/// after it. A log that lost its newest uncommitted events read as one that never had them, and
/// verification passed.
#[test]
fn a_log_that_lost_its_end_is_found_by_verify() {
    let whole = store();
    let (key, row) = newest_log_row(&whole);
    assert_eq!(key.1, 1, "the newest row is the content of the newest event");
    let at = whole.windows(row.len()).rposition(|bytes| bytes == row).unwrap();
    let mut cut = whole.clone();
    drop_rows(&mut cut[at / 4096 * 4096..][..4096], 2);
    assert_eq!(newest_log_row(&cut).0.0, key.0 - 1, "the newest event is gone");
    let db = Options::new().clock(CLOCK).open_on(Disk::with(cut)).unwrap();
    let found = db.verify(|_| {}).unwrap_err();
    assert_eq!(found.code.as_str(), "E_LOG_CORRUPT", "{found}");
}

fn newest_log_row(image: &[u8]) -> ((u64, u32), Vec<u8>) {
    let log: TableDefinition<'_, (u64, u32), &[u8]> = TableDefinition::new("log");
    let disk = Disk::with(image.to_vec());
    let db = Database::builder().create_with_backend(disk).unwrap();
    let txn = db.begin_read().unwrap();
    let table = txn.open_table(log).unwrap();
    let (key, row) = table.last().unwrap().unwrap();
    (key.value(), row.value().to_vec())
}

/// Takes the last rows out of a leaf of the log: its kind (2 bytes), the number of rows (2), where
/// each row ends (4 each), the keys (12 each), the rows.
fn drop_rows(page: &mut [u8], rows: usize) {
    let count = usize::from(u16::from_le_bytes([page[2], page[3]]));
    let left = count - rows;
    let end = |page: &[u8], i: usize| {
        u32::from_le_bytes(page[4 + 4 * i..][..4].try_into().unwrap()) as usize
    };
    let mut leaf = page[..2].to_vec();
    leaf.extend_from_slice(&(left as u16).to_le_bytes());
    for i in 0..left {
        leaf.extend_from_slice(&((end(page, i) - 16 * rows) as u32).to_le_bytes());
    }
    leaf.extend_from_slice(&page[4 + 4 * count..][..12 * left]);
    leaf.extend_from_slice(&page[4 + 16 * count..end(page, left - 1)]);
    page[..leaf.len()].copy_from_slice(&leaf);
}

/// redb writes its free pages down when it closes a file. With damage in the list of them that
/// panicked, and so did the cleaning up after it, which ended the process of somebody who had only
/// read from the store.
#[test]
fn a_store_that_was_only_read_is_closed_without_a_write() {
    let image = store();
    let disk = Disk::with(image.clone());
    disk.record();
    let db = Options::new().clock(CLOCK).open_on(disk.clone()).unwrap();
    read_all(&db).unwrap();
    db.verify(|_| {}).unwrap();
    drop(db);
    assert_eq!(disk.step_count(), 0);
    // It is as clean as before: the next one may write, and closes it properly.
    let db = Options::new().clock(CLOCK).open_on(disk.clone()).unwrap();
    must(&db, &json!({"op": "commit"}));
    drop(db);
    let steps = disk.step_count();
    assert!(steps > 0);
    let db = Options::new().clock(CLOCK).open_on(disk.clone()).unwrap();
    db.verify(|_| {}).unwrap();
    drop(db);
    assert_eq!(disk.step_count(), steps);
}

/// A store in which every page is damaged is still only an error, however it is used and closed.
#[test]
fn a_store_of_noise_is_an_error() {
    quiet();
    let image = store();
    let mut random = Random::new(8);
    for round in 0..scaled(20) {
        let mut noise = image.clone();
        for page in noise.chunks_mut(4096).skip(1) {
            for _ in 0..1 + round % 8 {
                page[random.below(4096) as usize] ^= 1 + random.below(255) as u8;
            }
        }
        let disk = Disk::with(noise.clone());
        let used = catch_unwind(AssertUnwindSafe(|| {
            let db = Options::new().clock(CLOCK).open_on(disk.clone())?;
            read_all(&db)?;
            db.verify(|_| {})
        }));
        used.expect("no panic").expect_err("no right answer can come of this");
    }
}

/// A content that cannot be read is lost, and nothing else is: commits go on, also where its turn
/// changes, the derived tables are made anew, and searches for other texts are answered.
#[test]
fn a_damaged_content_stands_in_nobodys_way() {
    const LOG: TableDefinition<'_, (u64, u32), &[u8]> = TableDefinition::new("log");
    let disk = Disk::default();
    let options = || Options::new().clock(CLOCK);
    let db = options().create_on(disk.clone()).unwrap();
    let turn = |db: &Db, text: &str| {
        must(db, &json!({"op": "add", "role": "user", "content": text}));
        must(db, &json!({"op": "add", "role": "tool", "content": "for a while", "ttl": 70}));
        must(db, &json!({"op": "commit"}));
    };
    (0..65).for_each(|number| turn(&db, &format!("number {number} of many")));
    drop(db);
    {
        let db = Database::builder().create_with_backend(disk.clone()).unwrap();
        let txn = db.begin_write().unwrap();
        txn.open_table(LOG).unwrap().insert((5, 1), b"rotten".as_slice()).unwrap();
        txn.commit().unwrap();
    }
    let db = options().open_on(disk.clone()).unwrap();
    (65..140).for_each(|number| turn(&db, &format!("number {number} of many")));
    db.rebuild(|_| {}).unwrap();
    assert_eq!(db.last_cycle(), 140);
    let select = |text: &str| db.select(text);
    assert!(matches!(
        select("@c140 .mt:depth(1-70) .cb[content~'number 1[23]']").unwrap(),
        pactdb::Selected::Ids { ids, .. } if ids.len() == 20
    ));
    let error = select(".cb[content~'number 1[23]']").unwrap_err();
    assert!(error.to_string().contains("content 1 of event 5"), "{error}");
    let error = db.verify(|_| {}).unwrap_err();
    assert!(error.to_string().contains("content 1 of event 5"), "{error}");
}

/// What whoever asks does with what it is given runs outside of all guards: a panic there was taken
/// for damage of the file.
#[test]
fn a_mistake_of_the_caller_is_not_taken_for_damage() {
    let db = Options::new().clock(CLOCK).open_on(Disk::with(store())).unwrap();
    let tree = db.snapshot(1).unwrap().tree().clone();
    let content = tree.get("u0").unwrap().unwrap().content.unwrap();
    let asked = catch_unwind(AssertUnwindSafe(|| {
        db.contents().each(&[content], &mut |_, _| std::panic::resume_unwind(Box::new("mine")))
    }));
    assert_eq!(*asked.unwrap_err().downcast::<&str>().unwrap(), "mine");
    assert!(!pactdb::panics_are_caught());
    db.verify(|_| {}).unwrap();
}

/// Panics of redb that were caught were printed all the same, before the error.
#[cfg(feature = "cli")]
#[test]
fn the_program_says_nothing_of_panics_that_were_caught() {
    let folder = crate::support::program::Folder::new();
    let image = store();
    let mut random = Random::new(10);
    for round in 0..8 {
        let mut noise = image.clone();
        for page in noise.chunks_mut(4096).skip(2) {
            for _ in 0..1 + round % 4 {
                page[random.below(64) as usize] ^= 1 << random.below(8);
            }
        }
        std::fs::write(folder.path("noise.pactdb"), &noise).unwrap();
        for command in ["verify", "log", "export"] {
            let ran = folder.run(&["-s", "noise.pactdb", command]);
            assert!(!ran.err.contains("panicked"), "round {round}, {command}: {}", ran.err);
            assert!(ran.status == 0 || ran.err.starts_with("E_"), "{command}: {}", ran.err);
        }
    }
}
