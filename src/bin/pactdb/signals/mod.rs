//! Ctrl-C and SIGTERM: they end what runs, and the program after it.
//!
//! One flag, [`CANCEL`], ends whatever runs under [`budget`]; the answer is `E_CANCELLED`, the store
//! is closed on the way out, and [`status`] is what shells expect: 130 or 143. Nobody who waits, for
//! input or for somebody to read the output, keeps a signal waiting: [`Input`] and [`Output`] fail
//! when one comes, and [`tell`] wakes whoever waits for something else. A second Ctrl-C ends the
//! program at once.
//!
//! At a terminal Ctrl-C ends the question that runs, and nothing else: there it is no reason to leave.

mod streams;

pub use streams::{Input, Output};

use pactdb::{Budget, Cancel, Code, Error, Result};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// Ends what runs.
static CANCEL: LazyLock<Cancel> = LazyLock::new(Cancel::new);

/// The last signal that ends the program; 0 before the first.
static LAST: AtomicI32 = AtomicI32::new(0);

/// Whether somebody at a terminal has Ctrl-C for questions.
static AT_TERMINAL: AtomicBool = AtomicBool::new(false);

/// Who waits, and is told of a signal.
static WAITING: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// The number of Ctrl-C.
const INTERRUPT: i32 = 2;

/// What every command runs under.
pub fn budget() -> Budget {
    Budget::new().cancelled_by(&CANCEL)
}

/// Listens from now on; if `hangup` says so, also for the end of a terminal or a connection.
pub fn listen(hangup: bool) -> Result<()> {
    listen_to_system(hangup).map_err(|error| Error::new(Code::StoreIo, format!("signals: {error}")))
}

#[cfg(unix)]
fn listen_to_system(hangup: bool) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    streams::prepare()?;
    let mut signals = Signals::new([SIGINT, SIGTERM].into_iter().chain(hangup.then_some(SIGHUP)))?;
    std::thread::spawn(move || signals.forever().for_each(came));
    Ok(())
}

#[cfg(not(unix))]
fn listen_to_system(_hangup: bool) -> std::io::Result<()> {
    ctrlc::set_handler(|| came(INTERRUPT)).map_err(std::io::Error::other)
}

/// A signal came. This runs in a thread of its own.
fn came(signal: i32) {
    if signal == INTERRUPT && AT_TERMINAL.load(SeqCst) {
        // While a line is typed Ctrl-C is a key, and there is nothing to end. From Enter on the terminal
        // makes a signal of it, which is for the question that is about to run.
        if waiting().is_none() || !streams::reads_keys() {
            CANCEL.cancel();
        }
        return;
    }
    let first = LAST.swap(signal, SeqCst) == 0;
    CANCEL.cancel();
    if streams::cannot_be_woken() || (!first && signal == INTERRUPT) {
        end_at_once(signal);
    }
    streams::wake();
    if let Some(tell) = waiting().take() {
        std::thread::spawn(tell);
    }
}

fn waiting() -> MutexGuard<'static, Option<Box<dyn FnOnce() + Send>>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does what the system does with a signal that nobody listens to.
#[cfg(unix)]
fn end_at_once(signal: i32) {
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}

#[cfg(not(unix))]
#[allow(clippy::exit, reason = "there is nothing to wait for")]
fn end_at_once(signal: i32) {
    std::process::exit(128 + signal);
}

/// Whether a signal came that ends the program.
pub fn came_already() -> bool {
    LAST.load(SeqCst) != 0
}

/// The exit status of a program that a signal ended.
pub fn status() -> Option<ExitCode> {
    let signal = u8::try_from(LAST.load(SeqCst)).ok().filter(|signal| *signal != 0)?;
    Some(ExitCode::from(128 | signal))
}

/// The error of a command that a signal ended, whatever the signal made fail in it.
pub fn error_of(error: Error) -> Error {
    match came_already() && error.code != Code::Cancelled {
        true => Error::new(Code::Cancelled, "a signal came while the program waited"),
        false => error,
    }
}

/// Wakes somebody who waits, once, when a signal comes that ends the program.
pub fn tell(watcher: impl FnOnce() + Send + 'static) -> Watcher {
    *waiting() = Some(Box::new(watcher));
    // One that came in the meantime found nobody.
    if came_already()
        && let Some(tell) = waiting().take()
    {
        std::thread::spawn(tell);
    }
    Watcher
}

/// Waits until it is dropped.
#[must_use]
pub struct Watcher;

impl Drop for Watcher {
    fn drop(&mut self) {
        waiting().take();
    }
}

/// From now on Ctrl-C ends questions and not the program.
pub fn at_terminal() {
    AT_TERMINAL.store(true, SeqCst);
}

/// A question was answered, and Ctrl-C was for that one; or a line is being typed.
pub fn next_question() {
    CANCEL.reset();
    // A signal that ends the program stays.
    if came_already() {
        CANCEL.cancel();
    }
}
