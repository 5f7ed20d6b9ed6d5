//! The wall clock, which a test can replace.

use std::time::{SystemTime, UNIX_EPOCH};

/// A source of times.
pub trait Clock: Send + Sync {
    /// Nanoseconds since 1970.
    fn now(&self) -> i64;
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
    }
}

/// A clock that stands still.
impl Clock for i64 {
    fn now(&self) -> i64 {
        *self
    }
}
