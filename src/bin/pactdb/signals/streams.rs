//! Standard input and output whose waiting a signal ends.
//!
//! On Unix they wait for the stream and for [`wake`] together. Elsewhere a stream cannot be waited for
//! like that; there a signal ends the program while it waits, when nothing is under way.

use std::io::{Read, Write};
#[cfg(not(unix))]
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
#[cfg(unix)]
use std::{os::unix::net::UnixStream, sync::OnceLock};

/// Standard input.
pub struct Input;

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        wait(false, || read(buffer))
    }
}

/// Past the buffer of the standard library: what lay in it could not be waited for.
#[cfg(unix)]
fn read(buffer: &mut [u8]) -> std::io::Result<usize> {
    Ok(rustix::io::read(std::io::stdin(), buffer)?)
}

#[cfg(not(unix))]
fn read(buffer: &mut [u8]) -> std::io::Result<usize> {
    std::io::stdin().lock().read(buffer)
}

/// So many bytes fit into a pipe that has room at all.
const PIECE: usize = 4096;

/// Standard output. What is written is flushed.
pub struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let piece = &bytes[..bytes.len().min(PIECE)];
        wait(true, || {
            let mut output = std::io::stdout().lock();
            output.write_all(piece)?;
            output.flush()
        })?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Two ends: one is shut when a signal comes, which whoever waits for the other sees.
#[cfg(unix)]
static WAKE: OnceLock<(UnixStream, UnixStream)> = OnceLock::new();

/// Makes the ends, before the first signal.
#[cfg(unix)]
pub fn prepare() -> std::io::Result<()> {
    let ends = UnixStream::pair()?;
    // Whoever was here before has made them already.
    let _ = WAKE.set(ends);
    Ok(())
}

/// Ends all waiting, now and later.
#[cfg(unix)]
pub fn wake() {
    if let Some((_, end)) = WAKE.get() {
        let _ = end.shutdown(std::net::Shutdown::Both);
    }
}

/// Whether somebody waits who does not hear of signals.
#[cfg(unix)]
pub fn cannot_be_woken() -> bool {
    false
}

/// Whether the terminal gives every key to the program as it is.
#[cfg(unix)]
pub fn reads_keys() -> bool {
    use rustix::termios::{LocalModes, tcgetattr};
    tcgetattr(std::io::stdin()).is_ok_and(|modes| !modes.local_modes.contains(LocalModes::ICANON))
}

/// Does something with a stream when that is possible without waiting, and fails if a signal comes
/// first.
#[cfg(unix)]
fn wait<T>(out: bool, act: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::retry_on_intr;
    use std::os::fd::AsFd;
    let (input, output) = (std::io::stdin(), std::io::stdout());
    let (stream, event) = match out {
        true => (output.as_fd(), PollFlags::OUT),
        false => (input.as_fd(), PollFlags::IN),
    };
    let Some((woken, _)) = WAKE.get() else { return act() };
    let mut waits = [PollFd::new(&stream, event), PollFd::new(woken, PollFlags::IN)];
    retry_on_intr(|| poll(&mut waits, None))?;
    if out && waits[0].revents().is_empty() {
        retry_on_intr(|| poll(&mut waits[..1], Some(&GRACE)))?;
    }
    // What can be written at once still is; more input would only be more work.
    let ended = if out { waits[0].revents().is_empty() } else { !waits[1].revents().is_empty() };
    match ended {
        true => Err(std::io::Error::other("a signal came")),
        false => act(),
    }
}

/// How long somebody who reads slowly is waited for after a signal: the last reply says what it ended.
#[cfg(unix)]
const GRACE: rustix::event::Timespec = rustix::event::Timespec { tv_sec: 1, tv_nsec: 0 };

#[cfg(not(unix))]
static BLOCKED: AtomicBool = AtomicBool::new(false);

#[cfg(not(unix))]
pub fn wake() {}

#[cfg(not(unix))]
pub fn reads_keys() -> bool {
    true
}

#[cfg(not(unix))]
pub fn cannot_be_woken() -> bool {
    BLOCKED.load(SeqCst)
}

#[cfg(not(unix))]
fn wait<T>(_out: bool, act: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
    BLOCKED.store(true, SeqCst);
    let done = act();
    BLOCKED.store(false, SeqCst);
    done
}
