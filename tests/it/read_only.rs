//! A file that may only be read is opened for reading, by as many as like; it answers every question as
//! if it could be written to, refuses every edit with the reason, and keeps every byte.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

use crate::support::life::{CLOCK, ask, live, requests};
use pactdb::session::dump;
use pactdb::{Code, Db, Options};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn only_read(path: &Path) -> Db {
    Options::new().clock(CLOCK).read_only(true).open(path).unwrap()
}

/// Everything that can be asked, in words.
fn answers(db: &Db) -> Vec<String> {
    let mut dumped = Vec::new();
    dump(db, &mut dumped, &mut |_, _| {}).unwrap();
    let mut all = vec![String::from_utf8(dumped).unwrap()];
    all.push(format!("{:?}", db.verify(|_| {}).unwrap()));
    let history = db.history();
    all.extend(history.iter().map(|cycle| db.export(Some(&format!("@c{cycle}"))).unwrap()));
    all.push(db.export(None).unwrap());
    all.push(db.thread(None).unwrap());
    for request in [
        json!({"op": "select", "q": "@* .cb"}),
        json!({"op": "select", "q": ".cb[content~'e']", "nodes": true}),
        json!({"op": "log"}),
        json!({"op": "policy"}),
        json!({"op": "attempt", "action": "list"}),
        json!({"op": "commit", "dry_run": true}),
    ] {
        all.push(ask(db, &request).to_string());
    }
    all
}

/// Stores of earlier releases, each copied to a folder.
fn frozen(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for version in ["envelope-1", "envelope-2"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/stores").join(version);
        for store in std::fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
            if store.extension().is_some_and(|extension| extension == "pactdb") {
                let name = store.file_name().unwrap().to_str().unwrap();
                found.push(folder.join(format!("{version}-{name}")));
                std::fs::copy(&store, found.last().unwrap()).unwrap();
            }
        }
    }
    found
}

/// A store with a life, closed.
fn lived(path: &Path) {
    let db = Options::new().clock(CLOCK).create(path).unwrap();
    requests(80).iter().for_each(|request| drop(live(&db, request)));
    ask(&db, &json!({"op": "add", "content": "not committed"}));
}

#[test]
fn a_store_that_is_only_read_answers_as_if_it_could_be_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    lived(&path);
    let bytes = std::fs::read(&path).unwrap();
    let read = answers(&only_read(&path));
    assert!(std::fs::read(&path).unwrap() == bytes);
    assert_eq!(read, answers(&Options::new().clock(CLOCK).open(&path).unwrap()));
}

/// What an earlier release derived is derived again, and the file is the one of the earlier release
/// afterwards.
#[test]
fn a_store_of_an_earlier_release_is_read_without_being_changed() {
    let folder = tempfile::tempdir().unwrap();
    let rebuilt = Arc::new(AtomicU64::new(0));
    for path in frozen(folder.path()) {
        let bytes = std::fs::read(&path).unwrap();
        let told = rebuilt.clone();
        let options = Options::new().clock(CLOCK).read_only(true);
        let options = options.progress(move |_| {
            told.fetch_add(1, Ordering::Relaxed);
        });
        let read = answers(&options.open(&path).unwrap());
        assert!(std::fs::read(&path).unwrap() == bytes, "{}", path.display());
        assert_eq!(read, answers(&Options::new().clock(CLOCK).open(&path).unwrap()));
    }
    assert!(rebuilt.load(Ordering::Relaxed) > 0, "no store was of another version");
}

/// redb's own read-only mode refuses such a file.
#[test]
fn a_file_that_a_kill_left_behind_is_repaired_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("store"), folder.path().join("copy"));
    lived(&path);
    let db = Options::new().clock(CLOCK).open(&path).unwrap();
    ask(&db, &json!({"op": "commit"}));
    ask(&db, &json!({"op": "add", "content": "the last words"}));
    // What a process leaves that is killed now.
    std::fs::copy(&path, &copy).unwrap();
    let expected = answers(&db);
    drop(db);
    let bytes = std::fs::read(&copy).unwrap();
    assert!(redb::ReadOnlyDatabase::open(&copy).is_err(), "the copy needs a repair");
    let [one, other] = [only_read(&copy), only_read(&copy)];
    assert_eq!(answers(&one), expected);
    assert_eq!(answers(&other), expected);
    drop((one, other));
    assert!(std::fs::read(&copy).unwrap() == bytes);
    assert_eq!(answers(&Options::new().clock(CLOCK).open(&copy).unwrap()), expected);
}

#[test]
fn several_read_a_file_at_once_while_nobody_writes_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    lived(&path);
    let writer = Db::open(&path).unwrap();
    let refused = Options::new().read_only(true).open(&path).unwrap_err();
    assert_eq!(refused.code, Code::StoreLocked, "{refused}");
    drop(writer);
    let readers = [only_read(&path), only_read(&path), only_read(&path)];
    assert_eq!(Db::open(&path).unwrap_err().code, Code::StoreLocked);
    let [one, two, three] = readers.map(|db| std::thread::spawn(move || answers(&db)));
    let one = one.join().unwrap();
    assert!(one == two.join().unwrap() && one == three.join().unwrap());
    assert!(!Db::open(&path).unwrap().is_read_only());
}

/// Every operation that changes a store.
fn edits() -> Vec<Value> {
    vec![
        json!({"op": "add", "content": "x"}),
        json!({"op": "set", "target": "#rules", "content": "x"}),
        json!({"op": "move", "target": "#rules", "to": "^ah"}),
        json!({"op": "remove", "target": "#rules"}),
        json!({"op": "batch", "ops": [{"op": "add", "content": "x"}]}),
        json!({"op": "policy", "set": []}),
        json!({"op": "cadence", "end": "k0"}),
        json!({"op": "commit"}),
        json!({"op": "undo"}),
        json!({"op": "restore", "at": "@t-1"}),
        json!({"op": "attempt", "action": "start"}),
        json!({"op": "attempt", "action": "finish", "attempt_id": "a4"}),
        json!({"op": "import", "messages": [{"role": "user", "content": "x"}]}),
        json!({"op": "compact"}),
        json!({"op": "rebuild"}),
    ]
}

#[test]
fn every_edit_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.pactdb");
    lived(&path);
    let bytes = std::fs::read(&path).unwrap();
    let db = only_read(&path);
    let (before, reason) = (answers(&db), format!("{} may only be read", path.display()));
    for request in edits() {
        let answer = ask(&db, &request);
        assert_eq!(answer["error"]["code"], "E_READ_ONLY", "{request}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.starts_with(&reason), "{request}: {message}");
    }
    assert!(db.is_read_only());
    let stats = ask(&db, &json!({"op": "stats"}));
    assert!(stats["ok"]["read_only"].as_str().unwrap().starts_with(&reason), "{stats}");
    assert_eq!(answers(&db), before);
    drop(db);
    assert!(std::fs::read(&path).unwrap() == bytes);
    let absent = folder.path().join("absent");
    for refused in [
        Options::new().read_only(true).create(&absent).unwrap_err(),
        Options::new().read_only(true).open_or_create(&absent).unwrap_err(),
    ] {
        assert_eq!(refused.code, Code::ReadOnly, "{refused}");
    }
    assert!(!absent.exists());
}

/// The file that the other process opens, and the one that it writes its answer to.
const STORE: &str = "PACTDB_TEST_READ_ONLY_STORE";
const ANSWER: &str = "PACTDB_TEST_READ_ONLY_ANSWER";

/// This is the other process if it was started as one, and has nothing to say otherwise.
#[test]
fn the_other_process() {
    let (Some(store), Some(answer)) = (std::env::var_os(STORE), std::env::var_os(ANSWER)) else {
        return;
    };
    // Twice at once.
    let [db, _other] = [(); 2].map(|()| Options::new().clock(CLOCK).open(&store).unwrap());
    let edit = ask(&db, &json!({"op": "add", "content": "x"}));
    let said = json!({"read_only": db.is_read_only(), "edit": edit, "answers": answers(&db)});
    std::fs::write(answer, said.to_string()).unwrap();
}

/// A program run by somebody to whom permissions mean something, which they do not to root. None where
/// nobody else can be asked for.
fn as_somebody_else(binary: &Path) -> Option<Command> {
    use std::os::unix::fs::MetadataExt;
    if std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() != 0) {
        return Some(Command::new(binary));
    }
    let other = || {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(binary);
        command
    };
    let works = other().arg("--help").output().is_ok_and(|ran| ran.status.success());
    if !works {
        eprintln!("left out: this is root, and setpriv cannot make it somebody else");
    }
    works.then(other)
}

/// A store in a folder, which others may read and nobody may write to.
fn archived(folder: &Path) -> PathBuf {
    let path = folder.join("memory.pactdb");
    lived(&path);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o444)).unwrap();
    std::fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_file_without_permission_to_write_is_opened_for_reading() {
    let test = std::env::current_exe().unwrap();
    let Some(mut command) = as_somebody_else(&test) else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = archived(folder.path());
    let expected = answers(&only_read(&path));
    let bytes = std::fs::read(&path).unwrap();
    let answer = folder.path().join("answer");
    std::fs::write(&answer, "").unwrap();
    std::fs::set_permissions(&answer, PermissionsExt::from_mode(0o666)).unwrap();
    command.args(["read_only::the_other_process", "--exact"]);
    let ran = command.env(STORE, &path).env(ANSWER, &answer).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    let said: Value = serde_json::from_slice(&std::fs::read(&answer).unwrap()).unwrap();
    assert_eq!(said["read_only"], true, "{said}");
    let message = format!("{} may only be read: permission denied", path.display());
    assert_eq!(said["edit"]["error"]["code"], "E_READ_ONLY");
    assert_eq!(said["edit"]["error"]["message"], message);
    assert_eq!(said["answers"], json!(expected));
    assert!(std::fs::read(&path).unwrap() == bytes);
}

#[cfg(feature = "cli")]
#[test]
fn the_program_reads_a_file_without_permission_to_write() {
    let program = Path::new(env!("CARGO_BIN_EXE_pactdb"));
    let folder = tempfile::tempdir().unwrap();
    let path = archived(folder.path());
    let bytes = std::fs::read(&path).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = as_somebody_else(program)?;
        command.arg("-s").arg(&path).args(arguments).current_dir(folder.path());
        let ran = command.env_remove("PACTDB_STORE").output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Some((ran.status.code(), text(ran.stdout), text(ran.stderr)))
    };
    let Some((status, out, err)) = run(&["stats"]) else { return };
    assert!(status == Some(0) && out.contains("may only be read: permission denied"), "{out}{err}");
    for arguments in [&["verify"] as &[&str], &["select", "@t0 .cb"], &["export"]] {
        let (status, _, err) = run(arguments).unwrap();
        assert_eq!(status, Some(0), "{arguments:?}: {err}");
    }
    for arguments in [&["add", "x"] as &[&str], &["undo"], &["compact"], &["rebuild"]] {
        let (status, _, err) = run(arguments).unwrap();
        let message = "memory.pactdb may only be read: permission denied";
        assert!(err.starts_with("E_READ_ONLY") && err.contains(message), "{arguments:?}: {err}");
        assert_eq!(status, Some(1));
    }
    assert!(std::fs::read(&path).unwrap() == bytes);
}
