//! Opening costs the same whatever the length of history, and reading changes nothing.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::disk::Disk;
use crate::support::life::{CLOCK, live, must, requests};
use crate::support::seeded::scaled;
use pactdb::{Db, Durability, Log, Options};
use serde_json::json;

fn open(disk: &Disk) -> Db {
    Options::new().clock(CLOCK).open_on(disk.clone()).unwrap()
}

/// A store of many commits like those of any conversation.
fn conversation(commits: usize) -> Disk {
    let disk = Disk::default();
    let options = Options::new().clock(CLOCK).durability(Durability::AtCommit);
    let db = options.create_on(disk.clone()).unwrap();
    must(&db, &json!({"op": "add", "to": "^sys", "content": "Be brief."}));
    for turn in 0..commits {
        must(
            &db,
            &json!({"op": "batch", "ops": [
                {"op": "add", "role": "user", "id": format!("u{turn}"), "content": format!("question {turn}")},
                {"op": "add", "role": "assistant", "content": "an answer", "ttl": 3, "refs": [format!("u{turn}")]},
                {"op": "commit"},
            ]}),
        );
    }
    drop(db);
    disk
}

/// How many reads, and of how many bytes, opening a store takes.
fn cost(disk: &Disk) -> (usize, usize) {
    disk.take_reads();
    let db = open(disk);
    let reads = disk.take_reads();
    assert!(db.last_cycle() > 0);
    (reads.len(), reads.iter().map(|(_, len)| len).sum())
}

/// The numbers of commits lie equally far behind a flush of the indexes, so the only difference is
/// what lies before.
#[test]
fn opening_costs_the_same_after_20_and_after_2000_commits() {
    let many = (scaled(2000) / 64).max(10) * 64 + 20;
    let (few_reads, few_bytes) = cost(&conversation(20));
    let (many_reads, many_bytes) = cost(&conversation(many));
    assert!(
        many_reads <= 2 * few_reads + 30,
        "{few_reads} reads after 20, {many_reads} after {many}"
    );
    assert!(many_bytes <= 2 * few_bytes + (256 << 10), "{few_bytes} bytes, then {many_bytes}");
}

/// Nothing that an older or newer release derived is read, however it was written.
#[test]
fn what_another_version_derived_is_made_anew() {
    use redb::{Database, ReadableTable, TableDefinition};
    let disk = conversation(70);
    let export = open(&disk).export(Some("@c40")).unwrap();
    {
        let meta: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("meta");
        let parts: TableDefinition<'_, (u64, u32, u64), &[u8]> = TableDefinition::new("parts");
        let db = Database::builder().create_with_backend(disk.clone()).unwrap();
        let txn = db.begin_write().unwrap();
        {
            txn.open_table(meta).unwrap().insert("derived", 1u32.to_le_bytes().as_slice()).unwrap();
            let mut table = txn.open_table(parts).unwrap();
            let keys: Vec<_> = table.iter().unwrap().map(|row| row.unwrap().0.value()).collect();
            assert!(keys.len() > 70);
            for key in keys {
                table.insert(key, b"another form".as_slice()).unwrap();
            }
            txn.delete_table(TableDefinition::<'_, (u64, u32), &[u8]>::new("grams")).unwrap();
        }
        txn.commit().unwrap();
    }
    let mut steps = 0;
    let options = Options::new().clock(CLOCK).progress(move |progress| {
        steps += 1;
        assert!(progress.done <= progress.total && steps > 0);
    });
    let db = options.open_on(disk.clone()).unwrap();
    assert_eq!(db.export(Some("@c40")).unwrap(), export);
    assert_eq!(db.last_cycle(), 70);
    db.verify(|_| {}).unwrap();
}

#[test]
fn reading_changes_not_one_byte() {
    let disk = Disk::default();
    let db = Options::new().clock(CLOCK).create_on(disk.clone()).unwrap();
    for request in requests(66) {
        live(&db, &request);
    }
    drop(db);
    let db = open(&disk);
    let before = disk.bytes();
    disk.record();
    for cycle in db.history().iter() {
        db.clear_cache();
        let snapshot = db.snapshot(cycle).unwrap();
        snapshot.export().unwrap();
        snapshot.thread().unwrap();
        snapshot.violations().unwrap();
        db.cycle_info(cycle).unwrap();
    }
    db.export(None).unwrap();
    db.log(&Log::new()).unwrap();
    db.stats().unwrap();
    db.verify(|_| {}).unwrap();
    must(&db, &json!({"op": "attempt", "action": "list"}));
    assert!(disk.bytes() == before, "reading changed the file");
    assert_eq!(disk.step_count(), 0, "reading wrote to the file");
}

/// The first commit above a policy's limit after opening read every turn that lived.
#[test]
fn a_policy_reads_what_it_removes_and_not_every_turn() {
    let cost = |turns: usize| {
        let disk = Disk::default();
        let options = Options::new().clock(CLOCK).durability(Durability::AtCommit);
        let db = options.create_on(disk.clone()).unwrap();
        for turn in 0..turns {
            let text = format!("question {turn}: {}", "why? ".repeat(40));
            must(
                &db,
                &json!({"op": "batch", "ops": [
                    {"op": "add", "role": "user", "content": text, "attrs": {"data_long": "x".repeat(300)}},
                    {"op": "commit"},
                ]}),
            );
        }
        must(&db, &json!({"op": "policy", "set": [{"max_blocks": turns}]}));
        drop(db);
        let db = open(&disk);
        disk.take_reads();
        let reply = must(&db, &json!({"op": "batch", "ops": [{"op": "add"}, {"op": "commit"}]}));
        assert_eq!(reply["results"][1]["pruned"].as_array().unwrap().len(), 1, "{reply}");
        disk.take_reads().iter().map(|(_, len)| len).sum::<usize>()
    };
    let (few, many) = (cost(80), cost((scaled(1000) / 64).max(8) * 64 + 16));
    assert!(many <= 2 * few + (128 << 10), "{few} bytes after 80 turns, {many} after many");
}
