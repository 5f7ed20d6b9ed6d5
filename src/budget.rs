//! How long a question may take, and who may end it.
//!
//! A [`Budget`] is a deadline and a flag that somebody else can set. Whoever answers a question runs
//! it inside [`Budget::run`]; everything below calls [`check`] or [`reached`] wherever it loops, and
//! passes on the [`Stopped`] that comes back. The budget in force belongs to the thread, like its
//! stack: no function needs it as an argument, and a loop in the storage is ended by the same line as
//! one in a query. Without a budget nothing is ever stopped.
//!
//! Only work that can be given up at any point asks: reading, comparing, replaying, and judging what
//! is to be imported. What has begun to be written is finished.

use crate::code::Code;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A flag that ends questions. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not set.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Ends every question that runs under this flag, now and later.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Lets later questions run again.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a question may take. The default is no bound at all.
///
/// ```
/// use pactdb::{Budget, Cancel};
/// use std::time::Duration;
///
/// let cancel = Cancel::new();
/// let budget = Budget::new().timeout(Duration::from_millis(300)).cancelled_by(&cancel);
/// let answer = budget.run(|| 40 + 2);
/// assert_eq!(answer, 42);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Budget {
    timeout: Option<Duration>,
    cancel: Option<Cancel>,
}

impl Budget {
    /// No bound.
    pub fn new() -> Budget {
        Budget::default()
    }

    /// With a bound on the time from the beginning of [`Budget::run`]; zero is none.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Budget {
        self.timeout = Some(timeout).filter(|timeout| !timeout.is_zero());
        self
    }

    /// With a flag that ends it.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Budget {
        self.cancel = Some(cancel.clone());
        self
    }

    /// Runs something under this budget, and under the one that is in force already.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let outer = IN_FORCE.with_borrow(Clone::clone);
        let deadline = self.timeout.and_then(|timeout| began.checked_add(timeout));
        let mut cancels = outer.cancels.clone();
        cancels.extend(self.cancel.clone());
        let deadline = match (deadline, outer.deadline) {
            (Some(own), Some(outer)) => Some(own.min(outer)),
            (own, outer) => own.or(outer),
        };
        // What was in force comes back also if the work panics.
        let _outer = Restore(Some(outer));
        let bounded = deadline.is_some() || !cancels.is_empty();
        IN_FORCE.set(InForce { deadline, cancels, began: Some(began) });
        BOUNDED.set(bounded);
        REACHED.set([None; COUNTED]);
        work()
    }
}

/// How many things are counted at once: loops are in other loops, and follow each other.
const COUNTED: usize = 4;

/// What is in force in this thread.
#[derive(Debug, Clone, Default)]
struct InForce {
    deadline: Option<Instant>,
    cancels: Vec<Cancel>,
    began: Option<Instant>,
}

thread_local! {
    static IN_FORCE: RefCell<InForce> = RefCell::default();
    /// Whether anything is in force: the only thing that most calls look at.
    static BOUNDED: Cell<bool> = const { Cell::new(false) };
    /// How far the work has come, as far as it has said: what it counts, in the order in which it
    /// began to.
    static REACHED: Cell<[Option<Reached>; COUNTED]> = const { Cell::new([None; COUNTED]) };
}

/// Puts back what was in force before.
struct Restore(Option<InForce>);

impl Drop for Restore {
    fn drop(&mut self) {
        let outer = self.0.take().unwrap_or_default();
        BOUNDED.set(outer.deadline.is_some() || !outer.cancels.is_empty());
        IN_FORCE.set(outer);
    }
}

/// How far work had come: `312 of 4000 snapshots were compared`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    /// What was counted, in words: `snapshots were compared`.
    pub what: &'static str,
    /// How many.
    pub done: u64,
    /// Of how many, if that is known.
    pub total: Option<u64>,
}

/// Why work was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Somebody ended it.
    Cancelled,
    /// Its time was over.
    TimedOut,
}

/// Work that was given up. It is one word long, because errors that have it are passed on by loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped(Box<GivenUp>);

impl std::ops::Deref for Stopped {
    type Target = GivenUp;

    fn deref(&self) -> &GivenUp {
        &self.0
    }
}

/// What is known of work that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenUp {
    /// Why.
    pub reason: Reason,
    /// After how long.
    pub after: Duration,
    /// How far it had come: the outer loop first.
    pub reached: [Option<Reached>; COUNTED],
}

impl Stopped {
    /// The code for programs.
    pub fn code(&self) -> Code {
        match self.reason {
            Reason::Cancelled => Code::Cancelled,
            Reason::TimedOut => Code::Timeout,
        }
    }
}

impl std::error::Error for Stopped {}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let after = self.after;
        match self.reason {
            Reason::Cancelled => write!(f, "cancelled after {after:.1?}")?,
            Reason::TimedOut => write!(f, "the time was over after {after:.1?}")?,
        }
        for (i, reached) in self.reached.iter().flatten().enumerate() {
            let Reached { what, done, total } = reached;
            f.write_str(if i == 0 { ": " } else { ", " })?;
            match total {
                Some(total) => write!(f, "{done} of {total} {what}")?,
                None => write!(f, "{done} {what}")?,
            }
        }
        Ok(())
    }
}

/// Whether the work of this thread may go on. Cheap enough for every part of a tree that is read;
/// loops over single nodes ask once for many.
#[inline]
pub fn check() -> Result<(), Stopped> {
    if BOUNDED.get() { check_bounds() } else { Ok(()) }
}

/// The same, and says how far the work has come: `done` of `total` (if that is known) of `what`.
#[inline]
pub fn reached(what: &'static str, done: u64, total: Option<u64>) -> Result<(), Stopped> {
    if !BOUNDED.get() {
        return Ok(());
    }
    let mut counts = REACHED.get();
    let known = |count: &Option<Reached>| count.is_none_or(|count| count.what == what);
    if let Some(count) = counts.iter_mut().find(|count| known(count)) {
        *count = Some(Reached { what, done, total });
        REACHED.set(counts);
    }
    check_bounds()
}

fn check_bounds() -> Result<(), Stopped> {
    IN_FORCE.with_borrow(|force| {
        let reason = if force.cancels.iter().any(Cancel::is_set) {
            Reason::Cancelled
        } else if force.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Reason::TimedOut
        } else {
            return Ok(());
        };
        let after = force.began.map_or(Duration::ZERO, |began| began.elapsed());
        Err(Stopped(Box::new(GivenUp { reason, after, reached: REACHED.get() })))
    })
}
