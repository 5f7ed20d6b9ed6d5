//! Refused stores: files that are none, that are newer, that are open, or that are damaged.

use super::*;
use pactdb::{Code, Error, Generation};
use redb::ReadableTable;

fn refused(result: Result<Db, Error>, code: Code, words: &str) -> Error {
    let error = result.expect_err("it must be refused");
    assert_eq!(error.code, code, "{error}");
    assert!(error.message.contains(words), "\"{error}\" does not say \"{words}\"");
    error
}

#[test]
fn files_that_are_no_stores_are_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let other = Memory::default();
    drop(redb::Builder::new().create_with_backend(other.clone()).unwrap());
    for (name, bytes, words) in [
        ("notes.txt", b"some notes".to_vec(), "is not a pactdb store"),
        ("short", b"redb".to_vec(), "is not a pactdb store"),
        ("empty", Vec::new(), "is not a pactdb store"),
        ("other.redb", other.bytes(), "but not a pactdb store"),
    ] {
        let path = file(name, &bytes);
        refused(Db::open(&path), Code::StoreFormat, words);
        if name != "other.redb" {
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "{name}");
        }
    }
    let path = file("notes.txt", b"some notes");
    refused(Db::create(&path, Generation::V0_1), Code::StoreFormat, "exists already");
    assert_eq!(std::fs::read(&path).unwrap(), b"some notes");
    refused(Db::open(folder.path().join("nothing")), Code::StoreIo, "nothing: ");
    refused(Db::open(folder.path()), Code::StoreIo, "");
    let missing = folder.path().join("no folder").join("a.pactdb");
    refused(Db::create(missing, Generation::V0_1), Code::StoreIo, "a.pactdb: ");
}

#[test]
fn a_newer_format_is_refused() {
    let storage = Memory::default();
    drop(Options::new().clock(1000).create_on(storage.clone()).unwrap());
    let db = redb::Builder::new().create_with_backend(storage.clone()).unwrap();
    let txn = db.begin_write().unwrap();
    let meta = redb::TableDefinition::<&str, &[u8]>::new("meta");
    txn.open_table(meta).unwrap().insert("format", 99u32.to_le_bytes().as_slice()).unwrap();
    txn.commit().unwrap();
    drop(db);
    let error = Options::new().open_on(storage).map(|_| ()).unwrap_err();
    assert_eq!(error.code, Code::StoreFormat);
    assert!(error.message.contains("has format 99") && error.message.contains("use a newer one"));
}

#[test]
fn a_store_that_is_open_is_locked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.pactdb");
    let db = Db::create(&path, Generation::V0_1).unwrap();
    let error = refused(Db::open(&path), Code::StoreLocked, "memory.pactdb");
    if let Some(holder) = error.details.holder {
        assert_eq!(holder, std::process::id());
    }
    ok(&db, json!({"op": "add", "id": "a"}));
    drop(db);
    assert!(Db::open(&path).unwrap().export(None).unwrap().contains("\"id\":\"a\""));
}

#[test]
fn a_damaged_record_is_named() {
    let storage = Memory::default();
    let db = Options::new().clock(1000).create_on(storage.clone()).unwrap();
    ok(&db, json!({"op": "add", "id": "a", "content": "hello"}));
    ok(&db, json!({"op": "commit"}));
    drop(db);
    let file = redb::Builder::new().create_with_backend(storage.clone()).unwrap();
    let txn = file.begin_write().unwrap();
    {
        let log = redb::TableDefinition::<(u64, u32), &[u8]>::new("log");
        let mut log = txn.open_table(log).unwrap();
        let mut row = log.get((2, 1)).unwrap().unwrap().value().to_vec();
        row[1] ^= 1;
        log.insert((2, 1), row.as_slice()).unwrap();
    }
    txn.commit().unwrap();
    drop(file);
    let db = Options::new().clock(1000).open_on(storage).unwrap();
    for request in [r#"{"op":"export"}"#, r#"{"op":"thread"}"#, r#"{"op":"verify"}"#] {
        let reply = ask(&db, request);
        assert_eq!(reply["error"]["code"], "E_LOG_CORRUPT", "{request}: {reply}");
        let message = reply["error"]["message"].as_str().unwrap();
        assert!(message.contains("event 2"), "{message}");
    }
}
