//! A store is packed by a copy into a new file, which takes the place of the old one: the handle goes
//! on with it, nobody else gets in between, and a kill leaves the old file or the new one, whole.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use pactdb::{Add, Budget, Cancel, Code, Commit, Db, Generation, Options, Packed};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const STORE: &str = "PACTDB_TEST_COPY_STORE";

fn commit(db: &Db, text: &str) -> u64 {
    db.add(Add::user(text)).unwrap();
    db.commit(Commit::new()).unwrap().cycle
}

/// A store of some hundred rows, with room to give back.
fn lived(path: &Path) -> Db {
    let db = Db::create(path, Generation::V0_1).unwrap();
    for turn in 0..120 {
        commit(&db, &format!("turn {turn}: {}", "words that repeat themselves. ".repeat(20)));
    }
    db
}

fn shown(db: &Db) -> Vec<String> {
    let states = ["@t0", "@c1", "@c60", "@c120"];
    states.iter().map(|at| format!("{:?}", db.export(Some(at)).unwrap())).collect()
}

fn inode(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().ino()
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    names
}

#[test]
fn the_handle_goes_on_with_the_copy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let db = lived(&path);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    let (before, old, sizes) = (shown(&db), inode(&path), db.stats().unwrap().sizes);
    db.add(Add::user("not committed yet")).unwrap();
    let mut told = Vec::new();
    let packed = db.compact_watched(|progress| told.push((progress.done, progress.total))).unwrap();
    assert_eq!(packed, Packed::Copied);
    assert!(told.len() > 1 && told.is_sorted() && told.iter().all(|(_, all)| *all == told[0].1));
    assert_eq!(told.last().unwrap().0, told[0].1);
    assert_ne!(inode(&path), old);
    assert!(db.stats().unwrap().sizes.file_bytes < sizes.file_bytes);
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o640);
    assert_eq!(names(folder.path()), std::slice::from_ref(&path));
    // Nobody else can open it.
    assert_eq!(Db::open(&path).unwrap_err().code, Code::StoreLocked);
    // What was not committed is there, and what comes now goes into the new file.
    assert_eq!(db.commit(Commit::new()).unwrap().cycle, 121);
    commit(&db, "afterwards");
    assert_eq!(db.compact_watched(|_| {}).unwrap(), Packed::Copied, "and once more");
    let verified = db.verify(|_| {}).unwrap();
    assert_eq!(verified.commits, 122);
    let now = db.export(Some("@t0")).unwrap();
    drop(db);
    let db = Db::open(&path).unwrap();
    assert_eq!(db.verify(|_| {}).unwrap(), verified);
    assert_eq!(db.export(Some("@t0")).unwrap(), now);
    assert_eq!(shown(&db)[1..], before[1..]);
}

/// What others know the file by goes on meaning the store.
#[test]
fn links_stay_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("store"), folder.path().join("link"));
    drop(lived(&path));
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let db = Db::open(&link).unwrap();
    assert_eq!(db.compact_watched(|_| {}).unwrap(), Packed::Copied);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    commit(&db, "through the link");
    drop(db);
    std::fs::remove_file(&link).unwrap();
    std::fs::hard_link(&path, &link).unwrap();
    let db = Db::open(&path).unwrap();
    assert_eq!(db.last_cycle(), 121);
    assert_eq!(db.compact_watched(|_| {}).unwrap(), Packed::InPlace);
    assert_eq!(inode(&path), inode(&link));
    db.verify(|_| {}).unwrap();
}

#[test]
fn a_copy_that_is_given_up_leaves_everything_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let db = lived(&path);
    let (before, old) = (shown(&db), inode(&path));
    let cancel = Cancel::new();
    let run = || db.compact_watched(|_| cancel.cancel());
    let error = Budget::new().cancelled_by(&cancel).run(run).unwrap_err();
    assert_eq!(error.code, Code::Cancelled, "{error}");
    assert!(error.to_string().contains("rows were copied"), "{error}");
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        db.compact_watched(|_| std::panic::resume_unwind(Box::new(())))
    }));
    assert!(panicked.is_err());
    assert_eq!((inode(&path), names(folder.path())), (old, vec![path.clone()]));
    assert_eq!(shown(&db), before);
    commit(&db, "and on");
    db.verify(|_| {}).unwrap();
    drop(db);
    // Without room free pages are given back, and that is all.
    let db = Options::new().room(|| 1 << 20).open(&path).unwrap();
    assert_eq!(db.compact_watched(|_| {}).unwrap(), Packed::Trimmed);
    assert_eq!(inode(&path), old);
    db.verify(|_| {}).unwrap();
}

/// Whoever opens a store while its holder replaces it and goes gets the new file, or is told that it is
/// held: never the old one, to which nothing could be written any more.
#[test]
fn nobody_opens_the_file_that_was_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    drop(Db::create(&path, Generation::V0_1).unwrap());
    let work = |packs: bool| {
        let mut commits = 0;
        while commits < 60 {
            match Db::open(&path) {
                Ok(db) => {
                    commit(&db, "mine");
                    commits += 1;
                    if packs {
                        assert_eq!(db.compact_watched(|_| {}).unwrap(), Packed::Copied);
                    }
                }
                Err(error) => assert_eq!(error.code, Code::StoreLocked, "{error}"),
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| work(true));
        scope.spawn(|| work(false));
        scope.spawn(|| work(true));
    });
    let db = Db::open(&path).unwrap();
    assert_eq!(db.last_cycle(), 180);
    db.verify(|_| {}).unwrap();
}

/// This is the process that is killed if it was started as one.
#[test]
fn the_process_that_packs() {
    let Some(path) = std::env::var_os(STORE) else { return };
    let db = Db::open(&path).unwrap();
    loop {
        db.compact_watched(|progress| println!("\ncopied {}", progress.done)).unwrap();
        println!("\npacked 1");
        println!("\ncommitted {}", commit(&db, "after a copy"));
    }
}

#[test]
fn a_kill_leaves_the_old_file_or_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    drop(lived(&path));
    let mut acknowledged = 120;
    for wanted in 1..24 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["copies::the_process_that_packs", "--exact", "--nocapture"])
            .env(STORE, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut told = 0;
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            let Some((what, number)) = line.split_once(' ') else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            if what == "committed" {
                acknowledged = acknowledged.max(number);
            }
            told += u64::from(["copied", "packed", "committed"].contains(&what));
            if told == wanted {
                // What it still says until it is gone is read too.
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        assert!(told >= wanted, "{told}");
        let db = Db::open(&path).unwrap();
        assert!(db.last_cycle() >= acknowledged, "{} < {acknowledged}", db.last_cycle());
        acknowledged = db.last_cycle();
        db.verify(|_| {}).unwrap();
    }
    let db = Db::open(&path).unwrap();
    assert_eq!(db.compact_watched(|_| {}).unwrap(), Packed::Copied);
    assert_eq!(names(folder.path()), [path]);
}
