//! One line in the log for each operation, commit and failure of the server.
//!
//! What is logged is which store, what was done, how it ended and how long it took: never contents,
//! never selectors, never tokens. The messages of errors may quote them, so codes stand for errors.

use crate::code::Code;
use std::time::Duration;

/// What the log is told under.
const TARGET: &str = "pactdb::serve";

/// An operation that was answered.
pub(super) struct Operated<'a> {
    pub(super) store: &'a str,
    /// Its name; none if it was no request.
    pub(super) operation: Option<&'static str>,
    /// None if it went well.
    pub(super) code: Option<Code>,
    pub(super) took: Duration,
    /// Bytes that were sent.
    pub(super) bytes: usize,
    /// The cycle that it closed.
    pub(super) cycle: Option<i64>,
}

impl Operated<'_> {
    /// The name of the operation, or that there is none.
    pub(super) fn name(&self) -> &'static str {
        self.operation.unwrap_or("none")
    }

    /// How it ended.
    pub(super) fn outcome(&self) -> &'static str {
        self.code.map_or("ok", Code::as_str)
    }
}

/// Logs an operation, and the commit that it made.
pub(super) fn operated(operated: &Operated<'_>) {
    let Operated { store, took, bytes, cycle, .. } = operated;
    let (op, code, bytes) = (operated.name(), operated.outcome(), *bytes as u64);
    let ms = took.as_micros() as f64 / 1000.0;
    match operated.code {
        Some(Code::StoreIo | Code::StoreFormat | Code::LogCorrupt) => {
            tracing::error!(target: TARGET, store, op, code, ms, bytes, "request");
        }
        _ => tracing::info!(target: TARGET, store, op, code, ms, bytes, "request"),
    }
    if let Some(cycle) = cycle {
        tracing::info!(target: TARGET, store, cycle, "commit");
    }
}

/// Logs that a request was refused before it came to a store.
pub(super) fn refused(store: &str, code: Code) {
    tracing::warn!(target: TARGET, store, code = code.as_str(), "refused");
}

/// Logs what happens to the server.
pub(super) fn server(what: &'static str) {
    tracing::info!(target: TARGET, "{what}");
}
