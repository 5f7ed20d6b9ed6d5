//! What it costs to be attached, and what others cost the holder.
//!
//! Three figures of one run: a bounded question in this process and over the local socket; and commits
//! alone and while an attached client reads every content, again and again. Turns of each kind are taken
//! in rounds, each with a whole such scan in it, one after the other, because machines are not quiet. `PACTDB_NODES` is how many nodes there
//! are, 1,000,000 if it says nothing.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use pactdb::attach::{Access, Attached, Sharing};
use pactdb::protocol::{Client, ClientExt, LocalClient};
use pactdb::{Add, Batch, Budget, Cancel, Commit, Db, EditOp, Generation, Select};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Blocks of one turn.
const BLOCKS: usize = 500;

fn main() {
    let nodes: usize =
        std::env::var("PACTDB_NODES").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir().unwrap();
    let db = Db::create(folder.path().join("attach.pactdb"), Generation::V0_1).unwrap();
    for turn in 0..nodes.div_ceil(BLOCKS) {
        let add = |i| EditOp::Add(Box::new(Add::user(format!("turn {turn}, block {i}"))));
        let mut ops: Vec<EditOp> = (0..BLOCKS).map(add).collect();
        ops.push(EditOp::Commit(Commit::new()));
        db.batch(Batch { ops, expected_cycle: None }).unwrap();
    }
    let stats = db.stats().unwrap();
    println!("{} nodes in {} turns", stats.nodes, stats.turns);
    let _sharing = Sharing::start(&db, Access::Write).unwrap();
    let attached = Attached::to(db.path().unwrap()).unwrap();
    question(&LocalClient::new(db.clone()), &attached);
    commits(&db, &attached);
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn question(near: &dyn Client, far: &dyn Client) {
    let ask = |client: &dyn Client| {
        let start = Instant::now();
        client.ask(Select::new("#cb:1")).unwrap();
        start.elapsed()
    };
    let (mut here, mut there) = (Vec::new(), Vec::new());
    for _ in 0..5000 {
        here.push(ask(near));
        there.push(ask(far));
    }
    let (here, there) = (median(here), median(there));
    println!("by id: {here:.1?} in process, {there:.1?} attached: {:.1?} more", there - here);
}

fn commits(db: &Db, attached: &Attached) {
    let commit = || {
        db.add(Add::user("one more")).unwrap();
        let start = Instant::now();
        db.commit(Commit::new()).unwrap();
        start.elapsed()
    };
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    let scans = AtomicU64::new(0);
    for _ in 0..10 {
        let before = scans.load(Ordering::Relaxed);
        let enough = |commits: usize| commits >= 30 && scans.load(Ordering::Relaxed) > before;
        let cancel = Cancel::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                Budget::new().cancelled_by(&cancel).run(|| {
                    while attached.ask(Select::new("@t0 .cb[content~'q.z']")).is_ok() {
                        scans.fetch_add(1, Ordering::Relaxed);
                    }
                });
            });
            // A round has a whole scan in it.
            let first = beside.len();
            while !enough(beside.len() - first) {
                beside.push(commit());
            }
            cancel.cancel();
        });
        while alone.len() < beside.len() {
            alone.push(commit());
        }
    }
    let (alone, beside) = (median(alone), median(beside));
    let ratio = beside.as_secs_f64() / alone.as_secs_f64();
    println!(
        "commit p50: {alone:.1?} alone, {beside:.1?} beside a client that scans ({} scans): {ratio:.2} ×",
        scans.load(Ordering::Relaxed)
    );
}
