//! A question under a budget ends when its time is over or somebody ends it, says how far it was, and
//! leaves the store as it was.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use pactdb::budget::{self, Reason};
use pactdb::{Budget, Cancel};
use std::time::{Duration, Instant};

/// Runs until it is stopped.
fn endless() -> budget::Stopped {
    for done in 0u64.. {
        if let Err(stopped) = budget::reached("things were done", done, None) {
            return stopped;
        }
    }
    unreachable!("it is stopped before it has counted that far")
}

#[test]
fn the_time_of_a_budget_ends_work() {
    let began = Instant::now();
    let stopped = Budget::new().timeout(Duration::from_millis(20)).run(endless);
    assert_eq!(stopped.reason, Reason::TimedOut);
    assert!(stopped.after >= Duration::from_millis(20) && began.elapsed() >= stopped.after);
    assert!(stopped.to_string().contains("things were done"), "{stopped}");
    assert!(budget::check().is_ok(), "nothing is in force any more");
}

#[test]
fn somebody_else_ends_work() {
    let cancel = Cancel::new();
    let stopped = std::thread::scope(|scope| {
        let work = scope.spawn(|| Budget::new().cancelled_by(&cancel).run(endless));
        cancel.cancel();
        work.join().unwrap()
    });
    assert_eq!(stopped.reason, Reason::Cancelled);
    assert_eq!(stopped.code().as_str(), "E_CANCELLED");
}

/// A budget inside of another keeps to both.
#[test]
fn an_inner_budget_cannot_loosen_an_outer_one() {
    let outer = Budget::new().timeout(Duration::from_millis(20));
    let inner = Budget::new().timeout(Duration::from_secs(3600));
    let stopped = outer.run(|| inner.run(endless));
    assert_eq!(stopped.code().as_str(), "E_TIMEOUT");
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = Budget::new().cancelled_by(&cancel).run(|| inner.run(budget::check));
    assert_eq!(stopped.unwrap_err().reason, Reason::Cancelled);
}

#[test]
fn a_panic_takes_its_budget_along() {
    let caught = std::panic::catch_unwind(|| {
        Budget::new().timeout(Duration::from_nanos(1)).run(|| {
            std::panic::resume_unwind(Box::new(()));
        })
    });
    assert!(caught.is_err());
    assert!(budget::check().is_ok());
}

#[test]
fn no_time_is_no_bound() {
    assert!(Budget::new().timeout(Duration::ZERO).run(budget::check).is_ok());
}
