//! The real program at a pseudo-terminal: keys are typed, and the screen is read.
//!
//! Nothing sleeps: a test waits until the screen shows what it expects, and fails with a picture of
//! the screen when that takes too long.

use super::program::Folder;
use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::process::Child;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// How long a screen may take to show what is expected, on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// Lines that have gone off the screen and can still be read.
const SCROLLBACK: usize = 1000;

/// A program at a terminal.
pub struct Terminal {
    pty: Option<Arc<Pty>>,
    child: Child,
    seen: Arc<Seen>,
}

struct Seen {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    parser: vt100::Parser,
    bytes: Vec<u8>,
    ended: bool,
    leaving: bool,
}

impl Terminal {
    /// Starts the program in a folder, at a terminal of 80 columns and 24 lines.
    pub fn start(folder: &Folder, args: &[&str]) -> Terminal {
        Terminal::start_with(folder, args, (24, 80), &[])
    }

    /// The same with a size (lines, columns) and more of an environment.
    pub fn start_with(
        folder: &Folder,
        args: &[&str],
        (rows, columns): (u16, u16),
        environment: &[(&str, &str)],
    ) -> Terminal {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(rows, columns)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_pactdb"))
            .args(args)
            .current_dir(folder.path(""))
            .env("HOME", folder.path("home"))
            .env("TERM", "xterm-256color");
        let foreign = ["PACTDB_STORE", "NO_COLOR", "COLUMNS", "LINES", "PAGER", "XDG_STATE_HOME"];
        for name in foreign {
            command = command.env_remove(name);
        }
        let child = command.envs(environment.iter().copied()).spawn(pts).unwrap();
        let size = |n: u16| NonZeroU16::new(n).unwrap();
        let parser = vt100::Parser::new(size(rows), size(columns), SCROLLBACK);
        let state = Mutex::new(State { parser, bytes: Vec::new(), ended: false, leaving: false });
        let seen = Arc::new(Seen { state, changed: Condvar::new() });
        let pty = Arc::new(pty);
        watch(pty.clone(), seen.clone());
        Terminal { pty: Some(pty), child, seen }
    }

    /// Types text and keys.
    pub fn press(&self, keys: &str) {
        let mut pty: &Pty = self.pty.as_ref().unwrap();
        pty.write_all(keys.as_bytes()).unwrap();
        pty.flush().unwrap();
    }

    /// Types a line, and waits for the answer and the next prompt.
    pub fn enter(&self, line: &str) -> String {
        let before = self.prompts();
        self.press(line);
        self.press(ENTER);
        self.wait_for_prompt(&format!("an answer to {line:?}"), before)
    }

    /// Types a line, and waits until the editor has taken it: what comes now is no key for it any more.
    pub fn ask(&self, line: &str) {
        self.press(line);
        self.shows(line);
        self.press(ENTER);
        let start = Instant::now();
        while !self.echoes() {
            assert!(start.elapsed() < PATIENCE, "the editor keeps {line:?}:\n{}", self.screen());
            std::thread::yield_now();
        }
    }

    /// Whether the terminal is as it is for a program that reads no single keys.
    pub fn echoes(&self) -> bool {
        let modes = rustix::termios::tcgetattr(self.pty.as_ref().unwrap()).unwrap();
        modes.local_modes.contains(rustix::termios::LocalModes::ICANON)
    }

    /// Drops the line with Ctrl-C, and waits for the next prompt.
    pub fn cancel(&self) -> String {
        let before = self.prompts();
        self.press(CANCEL);
        self.wait_for_prompt("a prompt after Ctrl-C", before)
    }

    fn wait_for_prompt(&self, what: &str, before: usize) -> String {
        self.wait(what, |screen, prompts| {
            let last = screen.lines().last().unwrap_or_default();
            prompts > before && last.starts_with("pactdb ") && last.ends_with('>')
        })
    }

    fn prompts(&self) -> usize {
        prompts(&self.seen.state.lock().unwrap())
    }

    /// Waits until the screen shows a text.
    pub fn shows(&self, text: &str) -> String {
        self.wait(&format!("{text:?}"), |screen, _| screen.contains(text))
    }

    /// Waits until the line of the cursor is this one.
    pub fn line_is(&self, line: &str) {
        self.wait(&format!("the line {line:?}"), |screen, _| {
            screen.lines().last().is_some_and(|last| last == line)
        });
    }

    /// Waits until the last line has this in it, and gives the line.
    pub fn line_has(&self, text: &str) -> String {
        let has = |line: &str| line.contains(text);
        let screen = self.wait(&format!("a last line with {text:?}"), |screen, _| {
            screen.lines().last().is_some_and(has)
        });
        screen.lines().last().unwrap().to_owned()
    }

    /// Waits until the program has ended, and gives its status.
    pub fn ends(&mut self) -> i32 {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            assert!(start.elapsed() < PATIENCE, "the program goes on:\n{}", self.screen());
            std::thread::yield_now();
        }
    }

    /// Takes the terminal away, as closing its window does.
    pub fn vanish(&mut self) {
        self.seen.state.lock().unwrap().leaving = true;
        // What the program writes about a key wakes the reader, which then lets go of its end.
        self.press("x");
        self.pty = None;
        let mut state = self.seen.state.lock().unwrap();
        while !state.ended {
            state = self.seen.changed.wait(state).unwrap();
        }
    }

    /// The process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What the screen shows, and what has gone off its top, without empty lines at the end.
    pub fn screen(&self) -> String {
        screen(&mut self.seen.state.lock().unwrap())
    }

    /// Every byte that was written.
    pub fn bytes(&self) -> Vec<u8> {
        self.seen.state.lock().unwrap().bytes.clone()
    }

    fn wait(&self, what: &str, mut fits: impl FnMut(&str, usize) -> bool) -> String {
        let deadline = Instant::now() + PATIENCE;
        let mut state = self.seen.state.lock().unwrap();
        loop {
            let shown = screen(&mut state);
            let ended = state.ended;
            if fits(&shown, prompts(&state)) {
                return shown;
            }
            assert!(!ended, "the program ended before it showed {what}:\n{shown}");
            assert!(Instant::now() < deadline, "the screen never shows {what}:\n{shown}");
            state = self.seen.changed.wait_timeout(state, PATIENCE).unwrap().0;
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads what the program writes until it ends.
fn watch(pty: Arc<Pty>, seen: Arc<Seen>) {
    let pty = Arc::downgrade(&pty);
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        loop {
            let leaving = seen.state.lock().map_or(true, |state| state.leaving);
            let Some(pty) = pty.upgrade().filter(|_| !leaving) else { break };
            let read = (&*pty).read(&mut buffer);
            drop(pty);
            let Ok(count @ 1..) = read else { break };
            // A test that failed leaves the lock poisoned, and nobody looks any more.
            let Ok(mut state) = seen.state.lock() else { return };
            state.parser.process(&buffer[..count]);
            state.bytes.extend_from_slice(&buffer[..count]);
            drop(state);
            seen.changed.notify_all();
        }
        if let Ok(mut state) = seen.state.lock() {
            state.ended = true;
        }
        seen.changed.notify_all();
    });
}

fn screen(state: &mut State) -> String {
    let screen = state.parser.screen_mut();
    let (rows, columns) = screen.size();
    screen.set_scrollback(usize::MAX);
    let above = screen.scrollback();
    let mut lines: Vec<String> = Vec::new();
    let step = usize::from(rows.get());
    let mut offset = above;
    loop {
        screen.set_scrollback(offset);
        let shown: Vec<String> = screen.rows(0, columns.get()).collect();
        let fresh = if offset == 0 { step } else { offset.min(step) };
        lines.extend(shown.into_iter().take(fresh).map(|line| line.trim_end().to_owned()));
        if offset == 0 {
            break;
        }
        offset = offset.saturating_sub(step);
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines.join("\n")
}

/// How many lines were asked for: the editor turns bracketed paste on for each of them.
fn prompts(state: &State) -> usize {
    let mark = b"\x1b[?2004h";
    state.bytes.windows(mark.len()).filter(|window| window == mark).count()
}

/// The Enter key.
pub const ENTER: &str = "\r";
/// The Tab key.
pub const TAB: &str = "\t";
/// The up arrow.
pub const UP: &str = "\x1b[A";
/// The right arrow.
pub const RIGHT: &str = "\x1b[C";
/// Ctrl-C.
pub const CANCEL: &str = "\x03";
/// Ctrl-D.
pub const LEAVE: &str = "\x04";
