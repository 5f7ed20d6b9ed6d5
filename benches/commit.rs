//! What does a commit cost, and does it stay flat as history grows?
//!
//! 1. A turn of about 3.8 kB as one batch with its commit, beside raw redb that writes the same
//!    content in one durable transaction; p50, p99 and the ratio, at 100, 1,000 and 10,000 turns.
//!    The two take turns, so that a busy disk hits both alike.
//! 2. A commit of five blocks in a store of 100 and of 100,000 turns: bytes written, time, ratio.
//! 3. How the file grows: bytes per turn after `compact` at 10,000 turns, against 1.5 times the
//!    content plus 1 KiB.
//! 4. A commit in a store of 1,000,000 nodes while another thread scans all of it again and again,
//!    beside the same commit alone: the two take turns, a few commits at a time; p50 and the ratio,
//!    which should be at most 1.3.
//!
//! `cargo bench --bench commit` runs it all; `-- quick` leaves the large stores out, `-- short` also
//! stops the first part at 1,000 turns; `-- scan` runs the fourth part alone.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use pactdb::internals::storage::FileStorage;
use pactdb::{Add, Batch, Commit, Db, EditOp, Json, Options};
use redb::TableDefinition;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;
use support::{Conversation, Counters, Counting, percentile};

const RAW: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("raw");

fn main() {
    let given = |name: &str| std::env::args().any(|argument| argument == name);
    let short = given("short");
    if given("scan") {
        return beside_a_scan(if short { 25_000 } else { 250_000 });
    }
    beside_raw_redb(if short { &[100, 1_000] } else { &[100, 1_000, 10_000] });
    if !short && !given("quick") {
        flat();
        beside_a_scan(250_000);
    }
}

fn counted(path: &Path) -> (Db, Arc<Counters>) {
    let file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(path)
        .unwrap();
    let counters = Arc::new(Counters::default());
    let inner = FileStorage::new(file).unwrap();
    let db = Options::new().create_on(Counting { inner, counters: counters.clone() }).unwrap();
    (db, counters)
}

fn beside_raw_redb(stops: &[u64]) {
    println!("a turn of 4 blocks and its commit, beside raw redb with the same content (µs)");
    println!(
        "{:>8} {:>10} {:>10} {:>10} {:>10} {:>8} {:>8}",
        "turns", "p50", "raw p50", "p99", "raw p99", "ratio50", "ratio99"
    );
    let folder = tempfile::tempdir_in(".").unwrap();
    let path = folder.path().join("bench.pactdb");
    let db = Options::new().create(&path).unwrap();
    let raw = redb::Database::create(folder.path().join("raw.redb")).unwrap();
    let mut conversation = Conversation::new(7);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut content, mut turns) = (0, 0u64);
    for until in stops.iter().copied() {
        ours.clear();
        theirs.clear();
        while turns < until {
            let (batch, bytes) = conversation.batch();
            let blob = blob_of(&batch);
            let start = Instant::now();
            db.batch(batch).unwrap();
            ours.push(start.elapsed().as_micros() as u64);
            let start = Instant::now();
            let txn = raw.begin_write().unwrap();
            txn.open_table(RAW).unwrap().insert(turns, blob.as_slice()).unwrap();
            txn.commit().unwrap();
            theirs.push(start.elapsed().as_micros() as u64);
            content += bytes;
            turns += 1;
        }
        let (p50, raw50) = (percentile(&mut ours, 0.5), percentile(&mut theirs, 0.5));
        let (p99, raw99) = (percentile(&mut ours, 0.99), percentile(&mut theirs, 0.99));
        println!(
            "{until:>8} {p50:>10} {raw50:>10} {p99:>10} {raw99:>10} {:>8.2} {:>8.2}",
            p50 as f64 / raw50 as f64,
            p99 as f64 / raw99 as f64
        );
    }
    growth(&db, &path, turns, content);
}

fn blob_of(batch: &Batch) -> Vec<u8> {
    let mut blob = Vec::new();
    for op in &batch.ops {
        if let EditOp::Add(add) = op
            && let Some(Json::Str(text)) = &add.content
        {
            blob.extend_from_slice(text.as_bytes());
        }
    }
    blob
}

fn growth(db: &Db, path: &Path, turns: u64, content: u64) {
    let size = || std::fs::metadata(path).unwrap().len();
    let before = db.stats().unwrap().sizes;
    let start = Instant::now();
    db.compact().unwrap();
    let took = start.elapsed().as_millis();
    let stats = db.stats().unwrap();
    let allowed = content * 3 / 2 + turns * 1024;
    println!();
    println!(
        "the file at {turns} turns: content {} kB, used before compact {} kB, file after {} kB ({took} ms)",
        content / 1000,
        before.used_bytes / 1000,
        size() / 1000
    );
    println!(
        "  live bytes {} kB; {} bytes a turn; allowed {} kB; ratio to allowed {:.2}",
        stats.sizes.live_bytes / 1000,
        size() / turns,
        allowed / 1000,
        size() as f64 / allowed as f64
    );
}

fn flat() {
    println!();
    println!("a commit of five blocks: a store of 100 turns and one of 100,000");
    let folder = tempfile::tempdir_in(".").unwrap();
    let (small, small_counters) = counted(&folder.path().join("small"));
    let (large, large_counters) = counted(&folder.path().join("large"));
    prefill(&small, 100);
    let start = Instant::now();
    prefill(&large, 100_000);
    println!("  (100,000 turns imported in {:.1} s)", start.elapsed().as_secs_f64());
    let mut conversation = Conversation::new(11);
    let (mut t_small, mut t_large) = (Vec::new(), Vec::new());
    let (w_small, w_large) = (written(&small_counters), written(&large_counters));
    for _ in 0..1000 {
        let batch = five_blocks(&mut conversation);
        for (db, times) in [(&small, &mut t_small), (&large, &mut t_large)] {
            let start = Instant::now();
            db.batch(batch.clone()).unwrap();
            times.push(start.elapsed().as_micros() as u64);
        }
    }
    let (b_small, b_large) =
        ((written(&small_counters) - w_small) / 1000, (written(&large_counters) - w_large) / 1000);
    let (p_small, p_large) = (percentile(&mut t_small, 0.5), percentile(&mut t_large, 0.5));
    println!(
        "  bytes written: {b_small} and {b_large}, ratio {:.2}",
        b_large as f64 / b_small as f64
    );
    println!("  p50: {p_small} µs and {p_large} µs, ratio {:.2}", p_large as f64 / p_small as f64);
}

/// Scans that look at every block: one of a header, one of all contents.
const SCANS: [&str; 2] = ["@t0 .cb[priority>99999]", "@t0 .cb[content~'[0-9]{9}']"];

fn beside_a_scan(turns: u64) {
    let folder = tempfile::tempdir_in(".").unwrap();
    let db = Options::new().create(folder.path().join("scanned")).unwrap();
    prefill(&db, turns);
    let start = Instant::now();
    let stats = db.stats().unwrap();
    let took = start.elapsed().as_micros();
    println!();
    println!("a commit beside a scan of {} nodes", stats.nodes);
    println!("  (stats of {} MB takes {took} µs)", stats.sizes.used_bytes / 1_000_000);
    let (scanning, ended) = (AtomicBool::new(false), AtomicBool::new(false));
    let scans = AtomicU64::new(0);
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        let scanner = scope.spawn(|| {
            for scan in SCANS.iter().cycle() {
                while !scanning.load(Ordering::Acquire) {
                    if ended.load(Ordering::Acquire) {
                        return;
                    }
                    std::thread::park();
                }
                assert!(db.select(*scan).unwrap().ids().is_empty());
                scans.fetch_add(1, Ordering::Release);
            }
        });
        let mut conversation = Conversation::new(13);
        for round in 0..20 {
            // The first of each round shows neither: caches and the other thread change over.
            let times = if round % 2 == 0 { &mut alone } else { &mut beside };
            scanning.store(round % 2 == 1, Ordering::Release);
            scanner.thread().unpark();
            let before = scans.load(Ordering::Acquire);
            for nth in 0.. {
                let batch = five_blocks(&mut conversation);
                let start = Instant::now();
                db.batch(batch).unwrap();
                if nth >= 5 {
                    times.push(start.elapsed().as_micros() as u64);
                }
                // Beside a scan means beside whole ones.
                let scanned = scans.load(Ordering::Acquire) - before;
                if nth >= 50 && (round % 2 == 0 || scanned >= 2) {
                    break;
                }
            }
        }
        ended.store(true, Ordering::Release);
        scanning.store(false, Ordering::Release);
        scanner.thread().unpark();
    });
    let (commits, p50) = ([alone.len(), beside.len()], percentile(&mut alone, 0.5));
    let (with, p99) = (percentile(&mut beside, 0.5), percentile(&mut alone, 0.99));
    println!(
        "  {} commits alone and {} beside {} scans",
        commits[0],
        commits[1],
        scans.load(Ordering::Acquire)
    );
    println!("  p50: {p50} µs and {with} µs, ratio {:.2}", with as f64 / p50 as f64);
    println!("  p99: {p99} µs and {} µs", percentile(&mut beside, 0.99));
}

fn written(counters: &Counters) -> u64 {
    counters.written.load(Ordering::Relaxed)
}

fn five_blocks(conversation: &mut Conversation) -> Batch {
    let mut turn = conversation.turn();
    turn.push(("assistant", "text", None, "done".to_owned()));
    let mut ops: Vec<EditOp> = turn
        .into_iter()
        .map(|(role, kind, ttl, content)| {
            EditOp::Add(Box::new(Add {
                role: Some(role.to_owned()),
                kind: Some(kind.to_owned()),
                ttl,
                content: Some(Json::Str(content)),
                ..Add::default()
            }))
        })
        .collect();
    ops.push(EditOp::Commit(Commit::default()));
    Batch { ops, expected_cycle: None }
}

fn prefill(db: &Db, turns: u64) {
    let message = |role: &str, text: String| {
        let fields = [("role", role.to_owned()), ("content", text)];
        Json::Map(fields.map(|(name, value)| (name.to_owned(), Json::Str(value))).into())
    };
    let mut messages = Vec::new();
    for turn in 0..turns {
        messages.push(message("user", format!("question {turn}")));
        messages.push(message("assistant", format!("answer {turn}")));
    }
    db.import_messages(&messages, None).unwrap();
}
