//! Figures of the server, as Prometheus reads them.
//!
//! No name of a store is a label: there may be any number of them, and not everybody who may read the
//! figures may know them.

use super::record::Operated;
use crate::code::Code;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Upper bounds of the classes of times, in seconds, and as they are written.
const BOUNDS: [(f64, &str); 14] = [
    (0.0001, "0.0001"),
    (0.00025, "0.00025"),
    (0.0005, "0.0005"),
    (0.001, "0.001"),
    (0.0025, "0.0025"),
    (0.005, "0.005"),
    (0.01, "0.01"),
    (0.025, "0.025"),
    (0.1, "0.1"),
    (0.5, "0.5"),
    (1.0, "1"),
    (5.0, "5"),
    (30.0, "30"),
    (120.0, "120"),
];

/// How long something took, many times.
#[derive(Debug, Clone, Default)]
struct Times {
    classes: [u64; BOUNDS.len()],
    count: u64,
    sum: f64,
}

impl Times {
    fn add(&mut self, seconds: f64) {
        let class = BOUNDS.iter().position(|(bound, _)| seconds <= *bound);
        if let Some(class) = class {
            self.classes[class] += 1;
        }
        self.count += 1;
        self.sum += seconds;
    }
}

#[derive(Default)]
struct Operations {
    by_code: BTreeMap<(&'static str, &'static str), u64>,
    times: BTreeMap<&'static str, Times>,
}

/// Figures of a server.
pub(super) struct Metrics {
    started: Instant,
    operations: Mutex<Operations>,
    refused: Mutex<BTreeMap<&'static str, u64>>,
    commits: AtomicU64,
    received: AtomicU64,
    sent: AtomicU64,
    /// Connections that were taken, and that were turned away.
    pub(super) connections: AtomicU64,
    pub(super) turned_away: AtomicU64,
}

/// What is counted elsewhere.
pub(super) struct Now {
    pub(super) open_stores: usize,
    pub(super) store_bytes: u64,
    pub(super) connections: usize,
}

impl Metrics {
    pub(super) fn new() -> Metrics {
        Metrics {
            started: Instant::now(),
            operations: Mutex::default(),
            refused: Mutex::default(),
            commits: AtomicU64::new(0),
            received: AtomicU64::new(0),
            sent: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            turned_away: AtomicU64::new(0),
        }
    }

    /// An operation was answered.
    pub(super) fn operated(&self, operated: &Operated<'_>) {
        let (name, outcome) = (operated.name(), operated.outcome());
        let mut operations = lock(&self.operations);
        *operations.by_code.entry((name, outcome)).or_default() += 1;
        operations.times.entry(name).or_default().add(operated.took.as_secs_f64());
        drop(operations);
        if operated.cycle.is_some() {
            self.commits.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A request was refused before it came to a store.
    pub(super) fn refused(&self, code: Code) {
        *lock(&self.refused).entry(code.as_str()).or_default() += 1;
    }

    /// Bytes came and went.
    pub(super) fn moved(&self, received: usize, sent: usize) {
        self.received.fetch_add(received as u64, Ordering::Relaxed);
        self.sent.fetch_add(sent as u64, Ordering::Relaxed);
    }

    /// All of it as text.
    pub(super) fn text(&self, now: &Now) -> String {
        let mut page = Page(String::new());
        let (mut times, by_code) = {
            let operations = lock(&self.operations);
            (operations.times.clone(), operations.by_code.clone())
        };
        page.head("pactdb_operations_total", "counter", "Operations that were answered.");
        for ((op, code), count) in by_code {
            page.line(&format!("pactdb_operations_total{{op=\"{op}\",code=\"{code}\"}}"), count);
        }
        page.head("pactdb_operation_seconds", "histogram", "How long operations took.");
        while let Some((op, times)) = times.pop_first() {
            page.times("pactdb_operation_seconds", op, &times);
        }
        page.head("pactdb_refused_total", "counter", "Requests that came to no store.");
        for (code, count) in lock(&self.refused).iter() {
            page.line(&format!("pactdb_refused_total{{code=\"{code}\"}}"), *count);
        }
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        page.one("pactdb_commits_total", "counter", "Cycles closed.", read(&self.commits));
        let (received, sent) = (read(&self.received), read(&self.sent));
        page.one("pactdb_received_bytes_total", "counter", "Bytes of requests.", received);
        page.one("pactdb_sent_bytes_total", "counter", "Bytes of replies.", sent);
        let (taken, away) = (read(&self.connections), read(&self.turned_away));
        page.one("pactdb_connections_total", "counter", "Connections taken.", taken);
        page.one("pactdb_turned_away_total", "counter", "Connections turned away.", away);
        let connections = now.connections as u64;
        page.one("pactdb_connections", "gauge", "Connections now.", connections);
        page.one("pactdb_open_stores", "gauge", "Stores open now.", now.open_stores as u64);
        page.one("pactdb_open_store_bytes", "gauge", "Bytes of their files.", now.store_bytes);
        let seconds = self.started.elapsed().as_secs();
        page.one("pactdb_uptime_seconds", "gauge", "Age of the server.", seconds);
        page.0
    }
}

/// A page in Prometheus' text format.
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, what: &str, value: u64) {
        let _ = writeln!(self.0, "{what} {value}");
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: u64) {
        self.head(name, kind, help);
        self.line(name, value);
    }

    fn times(&mut self, name: &str, op: &str, times: &Times) {
        let mut below = 0;
        for ((_, bound), count) in BOUNDS.iter().zip(times.classes) {
            below += count;
            self.line(&format!("{name}_bucket{{op=\"{op}\",le=\"{bound}\"}}"), below);
        }
        self.line(&format!("{name}_bucket{{op=\"{op}\",le=\"+Inf\"}}"), times.count);
        let _ = writeln!(self.0, "{name}_sum{{op=\"{op}\"}} {:.6}", times.sum);
        self.line(&format!("{name}_count{{op=\"{op}\"}}"), times.count);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
