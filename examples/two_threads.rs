//! A writer and a reader in two threads: readers never wait for a commit's disk, and what they hold
//! stays as it is.
//!
//! Run it with `cargo run --example two_threads`.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "an example prints, and needs a folder"
)]

use pactdb::{Add, Budget, Cancel, Commit, Db, Generation, Result};
use std::thread;
use std::time::Duration;

/// How many turns the writer makes.
const TURNS: u64 = 20;

/// Lets one thread write while the other asks.
pub fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder for the store");
    let db = Db::create(folder.path().join("memory.pactdb"), Generation::V0_1)?;

    // Clones of a `Db` share the store.
    let writing = db.clone();
    let writer = thread::spawn(move || -> Result<()> {
        for turn in 1..=TURNS {
            writing.add(Add::user(format!("question {turn}")))?;
            // Whoever else commits meanwhile would be noticed.
            writing.commit(Commit::new().expecting(turn - 1))?;
        }
        Ok(())
    });

    // A question may take a while; this flag, or the time, ends it.
    let cancel = Cancel::new();
    let budget = Budget::new().timeout(Duration::from_secs(30)).cancelled_by(&cancel);
    let mut seen = 0;
    while seen < TURNS {
        // A snapshot is one state: whatever the writer does, it holds as many turns as its cycle says.
        let state = db.at(None)?;
        assert_eq!(state.turns(), state.cycle());
        seen = budget.run(|| db.select("@* .cb[role='user']"))?.ids().len() as u64;
        if writer.is_finished() && db.last_cycle() < TURNS {
            break;
        }
        thread::yield_now();
    }
    println!("the reader has seen {seen} questions");
    writer.join().expect("the writer does not panic")?;
    assert_eq!(db.last_cycle(), TURNS);
    Ok(())
}
