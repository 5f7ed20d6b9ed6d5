//! The loop at a terminal: read a line, run it, print the answer.

use super::helper::LineHelper;
use super::history;
use super::prompt::{prompt, welcome};
use super::report;
use super::session::{Outcome, Session};
use crate::answer::Answer;
use crate::connect::is_there;
use crate::context::Context;
use crate::output::{exact, show};
use crate::render::{self, Look, Tone, width_of};
use crate::signals;
use pactdb::{Code, Error, Result};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{ColorMode, CompletionType, Config, Editor};
use std::process::ExitCode;
use std::sync::mpsc::channel;
use std::time::Instant;

/// What a second Ctrl-C is answered with.
const LEAVING: &str = "Ctrl-D or .quit leaves\n";

type LineEditor = Editor<LineHelper, FileHistory>;

/// Talks until the person leaves or the terminal is gone.
pub fn run(context: &Context) -> Result<ExitCode> {
    let is_new = !is_there(&context.store);
    let mut session = Session::new(context, context.open_to_stay()?)?;
    signals::at_terminal();
    session.interactive = true;
    session.history = history::file_for(&context.store);
    let terminal = Before::look();
    let mut editor = editor(&session)?;
    if show(session.look(), &welcome(&session, session.look(), is_new)?).is_err() {
        return Ok(ExitCode::SUCCESS);
    }
    let mut cancelled = false;
    loop {
        signals::next_question();
        let look = session.look();
        if let Some(helper) = editor.helper_mut() {
            helper.follow(&session, look);
        }
        let store = session.store().ok();
        session.seen = store.as_ref().map(|store| store.events);
        let asked = prompt(&session, store.as_ref(), look);
        let width = width_of(&asked.0);
        let line;
        (editor, line) = match read(editor, asked) {
            Some(read) => read,
            None => {
                terminal.restore();
                return Ok(signals::status().unwrap_or(ExitCode::SUCCESS));
            }
        };
        match line {
            Ok(line) if line.trim().is_empty() && session.replay.is_none() => cancelled = false,
            Ok(line) => {
                cancelled = false;
                remember(&mut editor, &session, &line);
                match answer(&mut session, &line, width) {
                    Ok(true) => {}
                    Ok(false) | Err(_) => return Ok(ExitCode::SUCCESS),
                }
                if let Some(status) = signals::status() {
                    return Ok(status);
                }
            }
            Err(ReadlineError::Interrupted) if cancelled => {
                cancelled = false;
                if show(session.look(), LEAVING).is_err() {
                    return Ok(ExitCode::SUCCESS);
                }
            }
            Err(ReadlineError::Interrupted) => {
                cancelled = true;
                session.replay = None;
            }
            // The window has another size, and the line is drawn anew.
            Err(ReadlineError::Signal(_)) => {}
            Err(ReadlineError::Eof) => return Ok(ExitCode::SUCCESS),
            Err(error) => return gone(&error),
        }
    }
}

/// Reads a line, in a thread of its own because the editor hears of no signal; none if one came that
/// ends the program. Ctrl-C is a key meanwhile.
fn read(
    mut editor: LineEditor,
    asked: (String, String),
) -> Option<(LineEditor, rustyline::Result<String>)> {
    let (sender, receiver) = channel();
    let signal = sender.clone();
    let _watcher = signals::tell(move || {
        let _ = signal.send(None);
    });
    std::thread::spawn(move || {
        let line = editor.readline(&asked);
        let _ = sender.send(Some((editor, line)));
    });
    receiver.recv().ok().flatten()
}

/// How the terminal was before the first line was asked for.
struct Before {
    #[cfg(unix)]
    modes: Option<rustix::termios::Termios>,
}

#[cfg(unix)]
impl Before {
    fn look() -> Before {
        Before { modes: rustix::termios::tcgetattr(std::io::stdin()).ok() }
    }

    /// Takes the terminal back from an editor that is still reading.
    fn restore(&self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        let modes = self.modes.as_ref();
        let _ = modes.map(|modes| tcsetattr(std::io::stdin(), OptionalActions::Now, modes));
        let _ = exact("\x1b[?2004l\n");
    }
}

#[cfg(not(unix))]
impl Before {
    fn look() -> Before {
        Before {}
    }

    fn restore(&self) {}
}

/// The terminal is gone, or cannot be used: there is nobody to talk to.
fn gone(error: &ReadlineError) -> Result<ExitCode> {
    Err(Error::new(Code::StoreIo, format!("the terminal: {error}")))
}

fn editor(session: &Session<'_>) -> Result<LineEditor> {
    let look = session.look();
    let broken = |error: ReadlineError| Error::new(Code::StoreIo, format!("the terminal: {error}"));
    let config = Config::builder()
        .max_history_size(2000)
        .map_err(broken)?
        .history_ignore_dups(true)
        .map_err(broken)?
        .history_ignore_space(true)
        .completion_type(CompletionType::List)
        // Without colours too the line is shown through the highlighter, which knows what to hide.
        .color_mode(ColorMode::Forced)
        .build();
    let mut editor = LineEditor::with_config(config).map_err(broken)?;
    editor.set_helper(Some(LineHelper::new(session, look)));
    if let Some(file) = &session.history {
        // A history that cannot be read is as good as none.
        let _ = editor.load_history(file);
    }
    Ok(editor)
}

/// One entry for each statement, on disk at once: the next session has it whatever happens to
/// this one.
fn remember(editor: &mut LineEditor, session: &Session<'_>, line: &str) {
    if line.trim().is_empty() {
        return;
    }
    let added = editor.add_history_entry(line.trim_end()).unwrap_or(false);
    if let (true, Some(file)) = (added, &session.history) {
        let _ = editor.append_history(file);
    }
}

/// Runs a line and prints what came of it; false if the session is over.
fn answer(session: &mut Session<'_>, line: &str, prompt: usize) -> std::io::Result<bool> {
    let start = Instant::now();
    let outcome = session.execute(line);
    let took = session.timing.then(|| start.elapsed());
    let look = session.look();
    match outcome {
        Ok(Outcome::Leave) => return Ok(false),
        Ok(Outcome::Answer(answer)) => {
            let (text, more) = cut(look, &answer.text);
            show(look, text)?;
            if let Some(more) = more {
                show(look, &format!("{}\n", look.paint(Tone::Dim, &more)))?;
            }
            footer(look, &answer, took)?;
        }
        Ok(Outcome::Whole(answer)) => {
            // Printing through a pager fails like printing does.
            session.context.page(&answer.text).map_err(std::io::Error::other)?;
            footer(look, &answer, took)?;
        }
        Err(error) => show(look, &report::show(look, &error, Some(prompt)))?,
    }
    Ok(true)
}

/// The lines that fit on the screen, and how to see the rest.
fn cut(look: Look, text: &str) -> (&str, Option<String>) {
    let room = look.height.unwrap_or(24).saturating_sub(6).max(10);
    let total = text.lines().count();
    if total <= room + 2 {
        return (text, None);
    }
    let end = text.match_indices('\n').nth(room - 1).map_or(text.len(), |(at, _)| at + 1);
    let more = format!("… {} more lines: `.last` shows them all", total - room);
    (&text[..end], Some(more))
}

/// Warnings, and which snapshot was read.
fn footer(look: Look, answer: &Answer, took: Option<std::time::Duration>) -> std::io::Result<()> {
    for warning in &answer.warnings {
        show(look, &render::warning(look, warning))?;
    }
    let time = took.map(|took| format!("{:.1} ms", took.as_secs_f64() * 1000.0));
    let parts: Vec<String> = answer.source.clone().into_iter().chain(time).collect();
    if parts.is_empty() {
        return Ok(());
    }
    let words = look.paint(Tone::Dim, &format!("-- {}", parts.join(", ")));
    show(look, &format!("{words}\n"))
}
