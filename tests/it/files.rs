//! The file of a store: it is made whole or not at all, for its owner alone, and nothing is
//! acknowledged that goes into a file which nobody can find.

#![cfg(unix)]
// Without the program some of these tests are not there.
#![cfg_attr(not(feature = "cli"), allow(unused_imports))]
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[cfg(feature = "cli")]
use crate::support::program::Folder;
use pactdb::internals::storage::{FileStorage, StorageBackend};
use pactdb::{Add, Code, Commit, Db, Generation, Options};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Barrier;

fn add(db: &Db) -> Result<(), pactdb::Error> {
    db.add(Add { content: Some("x".into()), ..Add::default() }).map(drop)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A store that could not be made on a full disk was "not a store" and "exists already".
#[cfg(feature = "cli")]
#[test]
fn a_store_that_cannot_be_made_leaves_nothing() {
    let folder = Folder::new();
    let bin = env!("CARGO_BIN_EXE_pactdb");
    for args in ["init", "add hello", "demo store.pactdb"] {
        // Files of more than so many blocks cannot be written, and the program lives to hear of it.
        let script = format!("trap '' XFSZ; ulimit -f 16; exec {bin} -s store.pactdb {args}");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(folder.path("")).env_remove("PACTDB_STORE");
        let ran = command.output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(!ran.status.success() && said.contains("E_STORE_IO"), "{args}: {said}");
        assert_eq!(names(&folder.path("")), Vec::<String>::new(), "{args}");
    }
    // An empty file that was there is empty again.
    folder.write("store.pactdb", "");
    let script = format!("trap '' XFSZ; ulimit -f 16; exec {bin} -s store.pactdb init");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(folder.path(""));
    assert!(!command.output().unwrap().status.success());
    assert_eq!(folder.read("store.pactdb"), b"");
    folder.ok(&["-s", "store.pactdb", "init"]);
}

/// The loser of a race to make a store was told that it is none.
#[test]
fn whoever_loses_the_race_to_make_a_store_is_told_who_has_it() {
    for round in 0..8 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let barrier = Barrier::new(4);
        let results: Vec<Result<Db, pactdb::Error>> = std::thread::scope(|scope| {
            let race = || {
                barrier.wait();
                Options::new().open_or_create(&path)
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(race)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let codes: Vec<Code> =
            results.iter().filter_map(|r| r.as_ref().err().map(|e| e.code)).collect();
        assert_eq!(codes, [Code::StoreLocked; 3], "round {round}: {results:?}");
        assert_eq!(names(folder.path()), ["store"]);
    }
}

#[cfg(feature = "cli")]
#[test]
fn stores_and_dumps_are_for_their_owner_alone() {
    let folder = Folder::new();
    folder.ok(&["-s", "a.pactdb", "add", "hello"]);
    folder.ok(&["-s", "a.pactdb", "commit"]);
    folder.ok(&["-s", "a.pactdb", "dump", "a.jsonl"]);
    folder.ok(&["-s", "a.pactdb", "fork", "b.pactdb"]);
    folder.ok(&["load", "c.pactdb", "a.jsonl"]);
    folder.ok(&["demo", "d.pactdb"]);
    folder.run_with(&["-s", "a.pactdb", "repl"], ".dump b.jsonl\n.export a.json\n.fork e.pactdb\n");
    let names = names(&folder.path(""));
    assert_eq!(names.len(), 8, "{names:?}");
    for name in names {
        let mode = std::fs::metadata(folder.path(&name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

/// A store that was deleted or replaced while it was open went on acknowledging edits.
#[test]
fn a_store_that_lost_its_file_acknowledges_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let lost = |db: &Db, words: &str| {
        for result in [add(db), db.commit(Default::default()).map(drop)] {
            let error = result.unwrap_err();
            assert_eq!(error.code, Code::StoreIo, "{error}");
            assert!(error.message.contains(words), "{error}");
        }
    };
    let db = Options::new().create(&path).unwrap();
    add(&db).unwrap();
    std::fs::remove_file(&path).unwrap();
    lost(&db, "was deleted");
    drop(db);
    let db = Options::new().create(&path).unwrap();
    add(&db).unwrap();
    let other = folder.path().join("other");
    drop(Options::new().create(&other).unwrap());
    std::fs::rename(&other, &path).unwrap();
    lost(&db, "was replaced");
    drop(db);
    // One that was only given another name can be found.
    let db = Options::new().open(&path).unwrap();
    std::fs::rename(&path, &other).unwrap();
    add(&db).unwrap();
    drop(db);
    assert_eq!(Db::open(&other).unwrap().uncommitted(), 1);
}

/// `load` and `fork` that were killed left NEW.PID.partial behind.
#[cfg(feature = "cli")]
#[test]
fn a_load_that_is_killed_leaves_nothing() {
    let folder = Folder::new();
    folder.ok(&["-s", "a.pactdb", "add", "hello"]);
    folder.ok(&["-s", "a.pactdb", "commit"]);
    let dump = folder.ok(&["-s", "a.pactdb", "dump"]);
    let mut child = folder
        .command()
        .args(["load", "new.pactdb"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let half = dump.trim_end().rsplit_once('\n').unwrap().0;
    let mut input = child.stdin.take().unwrap();
    input.write_all(half.as_bytes()).unwrap();
    input.flush().unwrap();
    // Until it has the file of the new store open.
    let fds = format!("/proc/{}/fd", child.id());
    let open = || {
        let links = std::fs::read_dir(&fds).into_iter().flatten().flatten();
        links
            .filter_map(|fd| std::fs::read_link(fd.path()).ok())
            .any(|to| to.starts_with(std::fs::canonicalize(folder.path("")).unwrap()))
    };
    while Path::new("/proc/self/fd").exists() && !open() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    drop(input);
    // What an earlier one left, where files without a name cannot be had, goes as well.
    folder.write("new.pactdb.4294967295-0.partial", "half a store");
    folder.write("new.pactdb.notes.partial", "not ours");
    let ran = folder.run_with(&["load", "new.pactdb"], &dump);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(
        names(&folder.path("")),
        ["a.pactdb", "new.pactdb", "new.pactdb.notes.partial"],
        "{said}"
    );
}

/// File systems have been wrong about holes. Zeros were written wherever one was said to be.
#[test]
fn what_a_file_holds_is_not_written_over_whatever_is_said_about_holes() {
    let mut file = tempfile::tempfile().unwrap();
    let bytes: Vec<u8> = (0..3 << 20).map(|i: u32| (i >> 16) as u8 + 1).collect();
    file.write_all(&bytes).unwrap();
    let storage = FileStorage::with_holes(file.try_clone().unwrap(), |_, _, _| true).unwrap();
    storage.set_len(6 << 20).unwrap();
    storage.write(100, b"something new").unwrap();
    storage.write((4 << 20) + 5, b"and more").unwrap();
    let mut found = vec![0; 6 << 20];
    storage.read(0, &mut found).unwrap();
    let mut expected = bytes;
    expected.resize(6 << 20, 0);
    expected[100..113].copy_from_slice(b"something new");
    expected[(4 << 20) + 5..][..8].copy_from_slice(b"and more");
    assert!(found == expected, "bytes were lost");
}

/// Each table is listed, with what it holds; what is asked for without it stays as it was.
#[test]
fn the_figures_of_tables_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1).unwrap();
    for i in 0..70 {
        db.add(Add::user(format!("Where is key {i}?"))).unwrap();
        db.commit(Commit::new()).unwrap();
    }
    let (stats, tables) = (db.stats().unwrap(), db.table_sizes().unwrap());
    assert_eq!(stats.tables, None);
    let of = |name: &str| tables.iter().find(|table| table.table == name).unwrap();
    // Each edit brought one content.
    assert_eq!((of("log").rows, of("log").derived), (stats.events + 70, false));
    assert!(of("parts").rows >= 140 && of("parts").derived && !of("meta").derived);
    assert_eq!((of("attempts").rows, of("attempts").used_bytes), (0, 0));
    for table in &tables {
        assert_eq!(table.stored_bytes + table.slack_bytes, table.used_bytes, "{table:?}");
        assert_eq!(table.used_bytes % 4096, 0, "{table:?}");
        assert_eq!(table.rows == 0, table.stored_bytes == 0, "{table:?}");
    }
    let stored: u64 = tables.iter().map(|table| table.stored_bytes).sum();
    let used: u64 = tables.iter().map(|table| table.used_bytes).sum();
    assert_eq!(stored, stats.sizes.live_bytes);
    assert!(used < stats.sizes.used_bytes);
}
