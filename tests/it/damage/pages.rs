//! Where whole pages were exchanged or redb's own are damaged, to write is refused and never ends the process.

use super::{quiet, read_all, store};
use crate::support::disk::Disk;
use crate::support::life::{CLOCK, ask, must};
#[cfg(feature = "cli")]
use crate::support::seeded::{Random, scaled};
use pactdb::Options;
use serde_json::json;

/// A closed store whose pages were written, freed and written again by many openings.
fn worn_store() -> Vec<u8> {
    let disk = Disk::with(store());
    for round in 0..6 {
        let db = Options::new().clock(CLOCK).open_on(disk.clone()).unwrap();
        for turn in 0..12 {
            let text = format!("once more {round} {turn} {}", "and on ".repeat(turn * 40));
            must(&db, &json!({"op": "add", "role": "user", "content": text}));
            must(&db, &json!({"op": "commit"}));
        }
        if round % 3 == 1 {
            db.rebuild(|_| {}).unwrap();
        }
    }
    disk.bytes()
}

/// Exchanges of two pages, one of which whoever adds something reads; all pages have something in
/// them. Every third time one page is only put over the other.
#[cfg(feature = "cli")]
fn exchanges(image: &[u8], count: usize, random: &mut Random) -> Vec<(Vec<u8>, String)> {
    let disk = Disk::with(image.to_vec());
    let db = Options::new().clock(CLOCK).open_on(disk.clone()).unwrap();
    must(&db, &json!({"op": "add", "content": "one more"}));
    must(&db, &json!({"op": "commit"}));
    drop(db);
    let mut read: Vec<usize> =
        disk.take_reads().iter().map(|(at, _)| *at as usize / 4096).collect();
    read.sort_unstable();
    read.dedup();
    read.retain(|page| *page > 0 && (page + 1) * 4096 <= image.len());
    let page = |page: usize| &image[page * 4096..][..4096];
    let used: Vec<usize> =
        (1..image.len() / 4096).filter(|at| page(*at).iter().any(|byte| *byte != 0)).collect();
    let one = |i: usize| {
        let from = read[i % read.len()];
        let to = used[random.below(used.len() as u64) as usize];
        let mut changed = image.to_vec();
        changed[from * 4096..][..4096].copy_from_slice(page(to));
        if !i.is_multiple_of(3) {
            changed[to * 4096..][..4096].copy_from_slice(page(from));
        }
        (changed, format!("exchange {i}, of the pages {from} and {to}"))
    };
    (0..count).map(one).collect()
}

/// redb does not check what it reads. Where pages were exchanged, its commit panicked, and panicked
/// again while it cleaned up, which ended the process; `compact` also went round in circles.
#[cfg(feature = "cli")]
#[test]
fn exchanged_pages_never_end_the_program() {
    let folder = crate::support::program::Folder::new();
    folder.ok(&["demo"]);
    let pipe = r#"{"op":"select","selector":".cb"}
{"op":"add","content":"x"}
{"op":"commit"}
{"op":"add","content":"y"}
{"op":"commit"}"#;
    let commands: [(&[&str], &str); 5] = [
        (&["add", "one more"], ""),
        (&["compact"], ""),
        (&["commit"], ""),
        (&["rebuild"], ""),
        (&["pipe"], pipe),
    ];
    let mut random = Random::new(11);
    let (mut refused, mut done) = (0, 0);
    for (image, count) in [(folder.read("demo.pactdb"), 400), (store(), 300), (worn_store(), 300)] {
        for (i, (image, what)) in
            exchanges(&image, scaled(count), &mut random).into_iter().enumerate()
        {
            let (arguments, input) = commands[random.below(5) as usize];
            let name = format!("{i}.pactdb");
            std::fs::write(folder.path(&name), &image).unwrap();
            let arguments = [&["-s", &name], arguments].concat();
            let ran = folder.run_with(&arguments, input);
            let coded = ran.err.starts_with("E_") && !ran.err.contains("panicked");
            match ran.status {
                0 => done += 1,
                1 if coded => refused += 1,
                _ => panic!("{what}, then {arguments:?}: {ran:?}"),
            }
            // What is refused before anything was written has changed nothing.
            if ran.err.contains("Nothing more is written") && arguments[2] != "pipe" {
                assert!(folder.read(&name) == image, "{what}, then {arguments:?}: {ran:?}");
            }
            std::fs::remove_file(folder.path(&name)).unwrap();
        }
    }
    // Most of these pages matter to whoever writes, and `rebuild` and `compact` look at all of them.
    assert!(refused > done && done > refused / 20, "{refused} refused, {done} done");
}

/// Where redb's own pages are damaged, everything can still be read, and nothing is written: not by
/// whoever tries, and not at closing.
#[test]
fn a_store_whose_free_pages_are_damaged_can_be_read_and_keeps_every_byte() {
    quiet();
    let image = worn_store();
    let disk = Disk::with(image.clone());
    let db = Options::new().clock(CLOCK).open_on(disk.clone()).unwrap();
    let opening: Vec<(u64, usize)> = disk.take_reads();
    let right = read_all(&db).unwrap();
    drop(db);
    let mut found = 0;
    for (at, len) in opening.into_iter().filter(|(at, _)| *at > 0) {
        let mut damaged = image.clone();
        // The last byte of what is used.
        let used = damaged[at as usize..][..len].iter().rposition(|byte| *byte != 0).unwrap();
        damaged[at as usize + used] ^= 1;
        let disk = Disk::with(damaged.clone());
        disk.record();
        let Ok(db) = Options::new().clock(CLOCK).open_on(disk.clone()) else { continue };
        let Err(refused) = db.stats() else { continue };
        assert_eq!(refused.code.as_str(), "E_LOG_CORRUPT", "{refused}");
        found += 1;
        let answer = ask(&db, &json!({"op": "add", "content": "one more"}));
        assert_eq!(answer["error"]["code"], "E_LOG_CORRUPT", "{answer}");
        assert_eq!(db.verify(|_| {}).unwrap_err().code.as_str(), "E_LOG_CORRUPT");
        assert_eq!(db.export(None).unwrap(), right.exports[0]);
        drop(db);
        assert_eq!(disk.step_count(), 0);
    }
    assert!(found > 1, "{found}");
}

/// A branch in the place of a page below it: redb went down and down, to the end of the stack.
#[cfg(feature = "cli")]
#[test]
fn pages_that_name_each_other_are_not_followed_for_ever() {
    let folder = crate::support::program::Folder::new();
    folder.ok(&["demo"]);
    let image = folder.read("demo.pactdb");
    let page = |page: usize| &image[page * 4096..][..4096];
    let all = 1..image.len() / 4096;
    let branches: Vec<usize> = all.clone().filter(|at| page(*at)[..2] == [2, 0]).collect();
    let leaves: Vec<usize> = all.filter(|at| page(*at)[..2] == [1, 0]).collect();
    assert!(!branches.is_empty() && leaves.len() > 20);
    let mut refused = 0;
    for branch in branches {
        for leaf in &leaves {
            let mut changed = image.clone();
            changed[leaf * 4096..][..4096].copy_from_slice(page(branch));
            std::fs::write(folder.path("round.pactdb"), &changed).unwrap();
            let ran = folder.run(&["-s", "round.pactdb", "stats"]);
            let what = format!("page {branch} in the place of {leaf}: {ran:?}");
            assert!(ran.status == 0 || ran.status == 1 && ran.err.starts_with("E_"), "{what}");
            refused += ran.status;
        }
    }
    assert!(refused > 5, "{refused}");
}
