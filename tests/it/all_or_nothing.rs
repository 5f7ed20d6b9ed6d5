//! What takes many writes happens as a whole or not at all: imports and rebuilds that fail, that are
//! cut off, or whose caller panics leave the store as it was, on disk and in this process.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::disk::Disk;
use crate::support::life::{CLOCK, live, must, requests};
use pactdb::internals::db::{ImportTurn, TurnsRequest};
use pactdb::{Add, Commit, Db, Durability, Error, Json, Log, Options};
use redb::{Database, ReadableDatabase, ReadableTableMetadata, TableDefinition};
use serde_json::json;
use std::panic::{AssertUnwindSafe, catch_unwind};

const TURNS: u64 = 70;

/// The exports of all snapshots, and of the working state.
fn exports(db: &Db) -> Vec<String> {
    let history = db.history();
    let snapshots = history.iter().map(|cycle| db.export(Some(&format!("@c{cycle}"))).unwrap());
    snapshots.chain([db.export(None).unwrap()]).collect()
}

/// Everything that a store shows.
fn shown(db: &Db) -> (u64, String, Vec<String>) {
    let log = db.log(&Log::new()).unwrap();
    (db.events(), log.last().unwrap().hash.clone(), exports(db))
}

fn options() -> Options {
    Options::new().clock(CLOCK)
}

/// A store with a past, and nothing uncommitted.
fn store() -> (Disk, Db) {
    let disk = Disk::default();
    let db = options().durability(Durability::AtCommit).create_on(disk.clone()).unwrap();
    for request in requests(20) {
        live(&db, &request);
    }
    must(&db, &json!({"op": "commit"}));
    // Something that is not on disk yet, and is no edit.
    must(&db, &json!({"op": "attempt", "action": "start", "attempt_id": "running"}));
    (disk, db)
}

fn turns() -> TurnsRequest {
    let turn = |i: u64| {
        let content =
            Some(Json::from(format!("message {i} {}", "of many words ".repeat(20)).as_str()));
        let add = Add { role: Some("user".into()), content, ..Add::default() };
        ImportTurn { adds: vec![add], created_at_ns: None }
    };
    TurnsRequest { turns: (0..TURNS).map(turn).collect(), ..TurnsRequest::default() }
}

/// Snapshots of a store that lived on: a series to import.
fn documents() -> Vec<Json> {
    let db = options().create_on(Disk::default()).unwrap();
    for turn in 0..TURNS {
        must(&db, &json!({"op": "add", "content": format!("said {turn}"), "ttl": 9}));
        must(&db, &json!({"op": "commit"}));
    }
    let mut exports = exports(&db);
    exports.pop();
    let mut documents: Vec<Json> =
        exports.iter().map(|text| pactdb::json::parse(text).unwrap()).collect();
    for (i, document) in documents.iter_mut().enumerate() {
        let Json::Map(fields) = document else { panic!("an export is an object") };
        fields.insert("cycle".into(), Json::from(1000 + i as i64));
    }
    documents
}

/// An import, told how many are done after each.
type Import<'a> = &'a dyn Fn(&Db, &mut dyn FnMut(u64, u64)) -> Result<u64, Error>;

/// Runs a check for each way to import many things.
fn each_import(check: impl Fn(&str, Import<'_>)) {
    check("turns", &|db, progress| Ok(db.import_turns(turns(), progress)?.commits));
    let documents = documents();
    check("snapshots", &|db, progress| Ok(db.import_snapshots(&documents, progress)?.commits));
}

/// A panic in a progress callback left a store that went on from half of the import.
#[test]
fn an_import_whose_caller_panics_has_not_happened() {
    each_import(|what, import| {
        let (disk, db) = store();
        let before = shown(&db);
        for stop in [1, 40, TURNS] {
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                import(&db, &mut |done, _| {
                    if done == stop {
                        std::panic::resume_unwind(Box::new("enough"));
                    }
                })
            }));
            assert_eq!(*panicked.unwrap_err().downcast::<&str>().unwrap(), "enough");
            assert_eq!(shown(&db), before, "{what} {stop}");
            db.verify(|_| {}).unwrap();
        }
        drop(db);
        // Closing makes nothing of it durable either.
        let db = options().open_on(disk.clone()).unwrap();
        assert_eq!(shown(&db), before, "{what}");
        must(&db, &json!({"op": "attempt", "action": "finish", "attempt_id": "running"}));
        assert_eq!(import(&db, &mut |_, _| {}).unwrap(), TURNS, "{what}");
        must(&db, &json!({"op": "add", "content": "and on"}));
        let after = shown(&db);
        drop(db);
        let db = options().open_on(disk).unwrap();
        assert_eq!(shown(&db), after, "{what}");
        db.verify(|_| {}).unwrap();
    });
}

/// The same store goes on after it, in this process.
#[test]
fn a_store_goes_on_after_an_import_that_panicked() {
    each_import(|what, import| {
        let (disk, db) = store();
        let stopped = catch_unwind(AssertUnwindSafe(|| {
            import(&db, &mut |done, _| {
                if done == 60 {
                    std::panic::resume_unwind(Box::new(()));
                }
            })
        }));
        assert!(stopped.is_err());
        must(
            &db,
            &json!({"op": "batch", "ops": [{"op": "add", "content": "x"}, {"op": "commit"}]}),
        );
        import(&db, &mut |_, _| {}).unwrap();
        let after = shown(&db);
        db.verify(|_| {}).unwrap();
        drop(db);
        let db = options().open_on(disk).unwrap();
        assert_eq!(shown(&db), after, "{what}");
        db.verify(|_| {}).unwrap();
    });
}

/// Of a series of snapshots whose import was killed, two thirds stayed.
#[test]
fn an_import_that_is_killed_has_not_happened() {
    each_import(|what, import| {
        let (disk, db) = store();
        let before = shown(&db);
        let mut images = Vec::new();
        import(&db, &mut |done, _| {
            if done % 17 == 1 || done == TURNS {
                images.push(disk.bytes());
            }
        })
        .unwrap();
        assert!(images.len() > 4);
        for image in images {
            let db = options().open_on(Disk::with(image)).unwrap();
            assert_eq!(shown(&db), before, "{what}");
            db.verify(|_| {}).unwrap();
        }
    });
}

/// An import on a disk that fails has not happened, and the store goes on once the disk does.
#[test]
fn an_import_on_a_disk_that_fails_has_not_happened() {
    each_import(|what, import| {
        for steps in [0, 3, 40] {
            let (disk, db) = store();
            let before = shown(&db);
            disk.fail_after(steps);
            let error = import(&db, &mut |_, _| {}).unwrap_err();
            assert_eq!(error.code.as_str(), "E_STORE_IO", "{what} {steps}: {error}");
            disk.heal();
            if db.add(Add::default()).is_ok() {
                db.undo().unwrap();
                assert_eq!(shown(&db).2, before.2, "{what} {steps}");
            }
            drop(db);
            let db = options().open_on(disk).unwrap();
            assert_eq!(shown(&db).2, before.2, "{what} {steps}");
            db.verify(|_| {}).unwrap();
        }
    });
}

const META: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("meta");
const LOG: TableDefinition<'_, (u64, u32), &[u8]> = TableDefinition::new("log");
const PARTS: TableDefinition<'_, (u64, u32, u64), &[u8]> = TableDefinition::new("parts");

/// Writes to a closed store behind its back.
fn behind_its_back(disk: &Disk, change: impl FnOnce(&redb::WriteTransaction)) {
    let db = Database::builder().create_with_backend(disk.clone()).unwrap();
    let txn = db.begin_write().unwrap();
    change(&txn);
    txn.commit().unwrap();
}

fn spoil_a_record(txn: &redb::WriteTransaction) {
    txn.open_table(LOG).unwrap().insert((9, 0), b"rotten".as_slice()).unwrap();
}

/// A rebuild threw the old tables away before it read the log. A bad record then left nothing.
#[test]
fn a_rebuild_that_meets_a_bad_record_leaves_the_store_as_it_was() {
    let (disk, db) = store();
    let before = exports(&db);
    drop(db);
    behind_its_back(&disk, spoil_a_record);
    let db = options().open_on(disk.clone()).unwrap();
    for _ in 0..2 {
        let error = db.rebuild(|_| {}).unwrap_err();
        assert_eq!(error.code.as_str(), "E_LOG_CORRUPT", "{error}");
        assert!(error.message.contains("event 9"), "{error}");
        assert_eq!(exports(&db), before);
    }
    must(&db, &json!({"op": "add", "content": "still here"}));
    drop(db);
    let after = exports(&options().open_on(disk).unwrap());
    let snapshots = before.len() - 1;
    assert_eq!(after[..snapshots], before[..snapshots]);
}

/// The same where another version of the derived tables asks for the rebuild at opening: it cannot
/// be opened by this release, and the one before still can.
#[test]
fn an_opening_that_cannot_rebuild_leaves_the_old_tables() {
    let (disk, db) = store();
    drop(db);
    let rows = |disk: &Disk| {
        let db = Database::builder().create_with_backend(disk.clone()).unwrap();
        let txn = db.begin_read().unwrap();
        let derived =
            txn.open_table(META).unwrap().get("derived").unwrap().unwrap().value().to_vec();
        let tables = txn.list_tables().unwrap().count();
        (txn.open_table(PARTS).unwrap().len().unwrap(), derived, tables)
    };
    behind_its_back(&disk, |txn| {
        txn.open_table(META).unwrap().insert("derived", 1u32.to_le_bytes().as_slice()).unwrap();
        spoil_a_record(txn);
    });
    let before = rows(&disk);
    assert!(before.0 > 20);
    let error = options().open_on(disk.clone()).map(drop).unwrap_err();
    assert_eq!(error.code.as_str(), "E_LOG_CORRUPT", "{error}");
    assert_eq!(rows(&disk), before);
}

#[test]
fn a_rebuild_that_is_cut_off_or_whose_caller_panics_has_not_happened() {
    let (disk, db) = store();
    let before = shown(&db);
    drop(db);
    let rows = disk.bytes();
    let db = options().open_on(disk.clone()).unwrap();
    let mut images = vec![rows];
    db.rebuild(|_| images.push(disk.bytes())).unwrap();
    assert_eq!(shown(&db), before);
    for _ in 0..2 {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            db.rebuild(|_| std::panic::resume_unwind(Box::new(())))
        }));
        assert!(panicked.is_err());
        assert_eq!(shown(&db), before);
    }
    db.verify(|_| {}).unwrap();
    drop(db);
    for image in images {
        let disk = Disk::with(image);
        let db = options().open_on(disk.clone()).unwrap();
        assert_eq!(shown(&db), before);
        db.verify(|_| {}).unwrap();
        drop(db);
        // Nothing of what was made beside stays.
        let db = Database::builder().create_with_backend(disk).unwrap();
        let txn = db.begin_read().unwrap();
        assert_eq!(txn.list_tables().unwrap().count(), 19);
    }
}

/// A panic while something is written is not passed over: nobody writes after it.
#[test]
fn after_a_panic_in_the_middle_of_an_edit_nothing_more_is_written() {
    struct Broken(std::sync::atomic::AtomicBool);
    impl pactdb::Clock for Broken {
        fn now(&self) -> i64 {
            if self.0.swap(true, std::sync::atomic::Ordering::Relaxed) {
                std::panic::resume_unwind(Box::new(()));
            }
            CLOCK
        }
    }
    let disk = Disk::default();
    let clock = Broken(std::sync::atomic::AtomicBool::new(false));
    let db = Options::new().clock(clock).create_on(disk.clone()).unwrap();
    let before = db.export(None).unwrap();
    let edit = || db.add(Add::default());
    assert!(catch_unwind(AssertUnwindSafe(edit)).is_err());
    assert_eq!(edit().unwrap_err().code.as_str(), "E_STORE_IO");
    // A dry run would judge by a state that nobody may build upon.
    let dry_run = db.commit(Commit { dry_run: true, ..Commit::default() });
    assert_eq!(dry_run.unwrap_err().code.as_str(), "E_STORE_IO");
    assert_eq!(db.export(None).unwrap(), before);
    drop(db);
    assert_eq!(options().open_on(disk).unwrap().export(None).unwrap(), before);
}

/// An import that was too large for the disk filled it, and then nothing worked.
#[test]
fn an_import_that_the_disk_has_no_room_for_is_refused_before_it_begins() {
    each_import(|what, import| {
        let disk = Disk::default();
        let db = options().room(|| 4 << 20).create_on(disk.clone()).unwrap();
        disk.record();
        let error = import(&db, &mut |_, _| panic!("it has begun")).unwrap_err();
        assert_eq!(error.code.as_str(), "E_STORE_IO", "{what}: {error}");
        assert!(error.message.contains("the disk has 4 MB left"), "{what}: {error}");
        assert_eq!(disk.step_count(), 0, "{what}");
        must(&db, &json!({"op": "add", "content": "what is small goes on"}));
        drop(db);
        let db = options().room(|| 40 << 20).open_on(disk).unwrap();
        must(&db, &json!({"op": "undo"}));
        assert_eq!(import(&db, &mut |_, _| {}).unwrap(), TURNS, "{what}");
    });
}

/// To pack the tables they are written once more, which a full disk has no room for.
#[test]
fn compacting_without_room_leaves_the_tables_as_they_are() {
    let (disk, db) = store();
    let before = shown(&db);
    drop(db);
    for (room, packed) in [(1 << 20, false), (1 << 30, true)] {
        let db = options().room(move || room).open_on(disk.clone()).unwrap();
        assert_eq!(db.compact().unwrap(), packed, "{room}");
        assert_eq!(shown(&db), before);
        db.verify(|_| {}).unwrap();
    }
}
