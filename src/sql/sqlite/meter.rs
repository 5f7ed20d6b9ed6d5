//! What one statement has taken from the tables, and what went wrong in them.
//!
//! SQLite sorts and groups in memory what it is handed, so a bound on that bounds the whole
//! statement. An error of ours cannot pass through SQLite with all that it says: it waits here.

use crate::code::Code;
use crate::error::{Error, Result};
use crate::limits::{MAX_SQL_BYTES, MAX_SQL_VALUES};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The account of one statement, which runs in one thread.
#[derive(Debug, Default)]
pub(super) struct Meter {
    values: AtomicU64,
    bytes: AtomicU64,
    failed: Mutex<Option<Error>>,
    denied: Mutex<Option<String>>,
}

impl Meter {
    /// Counts a value that SQLite is handed.
    #[inline]
    pub(super) fn count(&self, bytes: usize) -> Result<()> {
        // One thread writes, so nothing is lost between the two.
        let add = |counter: &AtomicU64, more: u64| {
            let sum = counter.load(Ordering::Relaxed) + more;
            counter.store(sum, Ordering::Relaxed);
            sum
        };
        let (values, bytes) = (add(&self.values, 1), add(&self.bytes, bytes as u64));
        match values > MAX_SQL_VALUES || bytes > MAX_SQL_BYTES {
            true => Err(too_much()),
            false => Ok(()),
        }
    }

    /// Keeps an error; the first one counts.
    pub(super) fn fail(&self, error: Error) {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// The error that was kept.
    pub(super) fn failed(&self) -> Option<Error> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Keeps what was refused, in words; the first one counts.
    pub(super) fn deny(&self, what: String) {
        self.denied.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(what);
    }

    /// What was refused.
    pub(super) fn denied(&self) -> Option<String> {
        self.denied.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn too_much() -> Error {
    let message = format!(
        "the tables gave this statement more than {MAX_SQL_VALUES} values or {MAX_SQL_BYTES} bytes: \
         let a selector or a condition narrow it"
    );
    Error::new(Code::Limit, message)
}
