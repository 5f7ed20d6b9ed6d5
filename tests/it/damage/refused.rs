//! What is no store, or none of this release, is refused and keeps every byte.

use super::{quiet, store};
use crate::support::seeded::{Random, scaled};
use pactdb::Db;
use redb::{Database, ReadableDatabase, TableDefinition};
use std::path::Path;

const META: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("meta");

/// Opens a file, which must be refused with one of some codes and keep every byte.
fn refused(path: &Path, codes: &[&str], what: &str) {
    let before = std::fs::read(path).unwrap();
    for attempt in 0..2 {
        let error = Db::open(path).expect_err(what);
        assert!(codes.contains(&error.code.as_str()), "{what}: {} {error}", error.code);
        assert!(std::fs::read(path).unwrap() == before, "{what}: changed by opening {attempt}");
    }
}

#[test]
fn what_is_no_store_is_refused_and_not_touched() {
    quiet();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let text = "To whom it may concern: this is not a store. ".repeat(500);
    for (what, bytes) in [
        ("an empty file", Vec::new()),
        ("a short text", b"hello".to_vec()),
        ("a long text", text.clone().into_bytes()),
        ("zeros", vec![0; 1 << 20]),
        ("the magic number alone", store()[..9].to_vec()),
        ("a beginning", store()[..2000].to_vec()),
    ] {
        std::fs::write(&path, bytes).unwrap();
        refused(&path, &["E_STORE_FORMAT"], what);
    }
}

/// redb marks every file that it opens, and writes its free pages down when it closes one. A redb
/// file of some other program was thus changed by the attempt to open it as a store.
#[test]
fn the_redb_file_of_another_program_is_refused_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.redb");
    let other: TableDefinition<'_, u64, u64> = TableDefinition::new("other");
    let db = Database::create(&path).unwrap();
    let txn = db.begin_write().unwrap();
    txn.open_table(other).unwrap().insert(1, 2).unwrap();
    txn.commit().unwrap();
    // A copy of a file in use needs a repair, which would write to it as well.
    let in_use = folder.path().join("in-use.redb");
    std::fs::copy(&path, &in_use).unwrap();
    drop(db);
    refused(&path, &["E_STORE_FORMAT"], "another program's file");
    refused(&in_use, &["E_STORE_FORMAT"], "another program's file, not closed");
    let db = Database::open(&path).unwrap();
    let txn = db.begin_read().unwrap();
    assert_eq!(txn.open_table(other).unwrap().get(1).unwrap().unwrap().value(), 2);
}

#[test]
fn a_store_of_a_newer_format_is_refused_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("newer");
    std::fs::write(&path, store()).unwrap();
    let db = Database::open(&path).unwrap();
    let txn = db.begin_write().unwrap();
    txn.open_table(META).unwrap().insert("format", 2u32.to_le_bytes().as_slice()).unwrap();
    txn.commit().unwrap();
    drop(db);
    refused(&path, &["E_STORE_FORMAT"], "a newer store");
    let error = Db::open(&path).unwrap_err();
    assert!(error.message.contains("format 2"), "{error}");
}

/// A file that was cut off is a store no longer, or one with damage; either way it stays as it is.
#[test]
fn a_truncated_store_is_refused_and_not_touched() {
    quiet();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut");
    let image = store();
    let mut random = Random::new(7);
    let mut lengths =
        vec![1, 8, 9, 100, 319, 320, 4095, 4096, 8192, image.len() - 4096, image.len() - 1];
    lengths.extend((0..scaled(20)).map(|_| random.below(image.len() as u64) as usize));
    for len in lengths {
        std::fs::write(&path, &image[..len]).unwrap();
        let codes: &[&str] =
            if len < 4096 { &["E_STORE_FORMAT"] } else { &["E_STORE_FORMAT", "E_LOG_CORRUPT"] };
        refused(&path, codes, &format!("the first {len} bytes"));
    }
}
