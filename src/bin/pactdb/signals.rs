//! Ctrl-C and SIGTERM: they end the question that runs, and the program after it.
//!
//! One flag, [`CANCEL`], ends whatever runs under [`budget`]; the answer is `E_CANCELLED`, the store
//! is closed on the way out, and [`status`] is what shells expect: 130 or 143. A second Ctrl-C ends
//! the program at once, and so does any signal while it waits for input, when nothing is under way.
//! At a terminal Ctrl-C ends questions alone.

use pactdb::{Budget, Cancel, Code, Error, Result};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Ends what runs.
static CANCEL: LazyLock<Cancel> = LazyLock::new(Cancel::new);

/// The last signal that came; 0 before the first.
static LAST: AtomicI32 = AtomicI32::new(0);

/// Whether the program waits for input.
static WAITING: AtomicBool = AtomicBool::new(false);

/// Whether somebody at a terminal has Ctrl-C for questions.
static AT_TERMINAL: AtomicBool = AtomicBool::new(false);

/// Who is told of a signal.
static WATCHER: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

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
    let first = LAST.swap(signal, SeqCst) == 0;
    CANCEL.cancel();
    let to_question = signal == INTERRUPT && AT_TERMINAL.load(SeqCst);
    if !to_question && (WAITING.load(SeqCst) || (!first && signal == INTERRUPT)) {
        end_at_once(signal);
    }
    let watcher = WATCHER.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(tell) = watcher {
        std::thread::spawn(tell);
    }
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

/// Whether a signal came.
pub fn came_already() -> bool {
    LAST.load(SeqCst) != 0
}

/// The exit status of a program that a signal ended.
pub fn status() -> Option<ExitCode> {
    let signal = u8::try_from(LAST.load(SeqCst)).ok().filter(|signal| *signal != 0)?;
    Some(ExitCode::from(128 | signal))
}

/// Tells of the next signal, once.
pub fn tell(watcher: impl FnOnce() + Send + 'static) {
    *WATCHER.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(watcher));
}

/// Waits for input. A signal ends the program meanwhile; one that came before does not let it begin.
pub fn wait<T>(input: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
    WAITING.store(true, SeqCst);
    let came = match came_already() {
        true => Err(std::io::Error::other("a signal came")),
        false => input(),
    };
    WAITING.store(false, SeqCst);
    came
}

/// From now on Ctrl-C ends questions and not the program.
pub fn at_terminal() {
    AT_TERMINAL.store(true, SeqCst);
}

/// Forgets a Ctrl-C, so that questions run again; whether there was one.
pub fn forget_interrupt() -> bool {
    let was = LAST.compare_exchange(INTERRUPT, 0, SeqCst, SeqCst).is_ok();
    if was {
        CANCEL.reset();
        // A SIGTERM that came in between stays.
        if came_already() {
            CANCEL.cancel();
        }
    }
    was
}

/// Standard input, which signals do not have to wait for.
pub struct Input;

impl std::io::Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        wait(|| std::io::stdin().lock().read(buffer))
    }
}
