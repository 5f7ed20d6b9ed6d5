//! Reading what is typed: the line editor, its history, and the prompt for a statement that goes on.
//!
//! It knows nothing of what statements do.

use super::helper::LineHelper;
use super::session::Session;
use super::splitter::{Piece, Splitter};
use crate::output::exact;
use crate::render::{Look, Tone, width_of};
use crate::signals;
use pactdb::{Code, Error, Result};
use rustyline::error::ReadlineError;
use rustyline::history::{FileHistory, History};
use rustyline::{ColorMode, CompletionType, Config, Editor};
use std::path::PathBuf;
use std::sync::mpsc::channel;

type LineEditor = Editor<LineHelper, FileHistory>;

/// Who reads what is typed.
pub struct Reader {
    /// None after a signal came while it was reading.
    editor: Option<LineEditor>,
    history: Option<PathBuf>,
    terminal: Before,
}

/// What was typed.
pub enum Typed {
    /// Statements, and the text that they are in.
    Statements(String, Vec<Piece>),
    /// Ctrl-C: what was typed is dropped.
    Dropped,
    /// Ctrl-D, or the end of the program.
    End,
}

impl Reader {
    /// A reader for a session.
    pub fn new(session: &Session<'_>) -> Result<Reader> {
        let terminal = Before::look();
        let editor = editor(session)?;
        let mut reader = Reader { editor: Some(editor), history: None, terminal };
        reader.follow(session);
        Ok(reader)
    }

    /// Follows the session: what it looks at, and whose history it is.
    pub fn follow(&mut self, session: &Session<'_>) {
        let Some(editor) = &mut self.editor else { return };
        if let Some(helper) = editor.helper_mut() {
            helper.follow(session, session.screen());
        }
        if self.history != session.history {
            self.history.clone_from(&session.history);
            let _ = editor.history_mut().clear();
            // A history that cannot be read is as good as none.
            let _ = self.history.as_ref().map(|file| editor.load_history(file));
        }
    }

    /// Reads up to the end of a statement. `asked` is the prompt, plain and in colours.
    pub fn read(&mut self, asked: (String, String), look: Look) -> Result<Typed> {
        let width = width_of(&asked.0);
        let (mut text, mut prompt) = (String::new(), asked);
        loop {
            let Some(line) = self.line(prompt.clone()) else { return Ok(Typed::End) };
            match line {
                Ok(line) if text.is_empty() => text = line,
                Ok(line) => text = format!("{text}\n{line}"),
                Err(ReadlineError::Interrupted) => return Ok(Typed::Dropped),
                // The window has another size, and the line is drawn anew.
                Err(ReadlineError::Signal(_)) => continue,
                Err(ReadlineError::Eof) => return Ok(Typed::End),
                Err(error) => return Err(broken(&error)),
            }
            let (pieces, unfinished) = Splitter::of_text(&text);
            if !unfinished {
                self.remember(&text);
                return Ok(Typed::Statements(text, pieces));
            }
            prompt = going_on(width, look);
        }
    }

    /// Reads a line, in a thread of its own because the editor hears of no signal; none if one came that
    /// ends the program. Ctrl-C is a key meanwhile.
    fn line(&mut self, asked: (String, String)) -> Option<rustyline::Result<String>> {
        let mut editor = self.editor.take()?;
        let (sender, receiver) = channel();
        let signal = sender.clone();
        let _watcher = signals::tell(move || {
            let _ = signal.send(None);
        });
        std::thread::spawn(move || {
            let line = editor.readline(&asked);
            let _ = sender.send(Some((editor, line)));
        });
        let Some((editor, line)) = receiver.recv().ok().flatten() else {
            self.terminal.restore();
            return None;
        };
        self.editor = Some(editor);
        Some(line)
    }

    /// One entry for all that was typed at once, on disk at once: the next session has it whatever happens
    /// to this one.
    fn remember(&mut self, text: &str) {
        let Some(editor) = self.editor.as_mut().filter(|_| !text.trim().is_empty()) else { return };
        let added = editor.add_history_entry(text.trim_end()).unwrap_or(false);
        if let (true, Some(file)) = (added, &self.history) {
            let _ = editor.append_history(file);
        }
    }
}

/// The prompt for the next line of a statement: as wide as the first one.
fn going_on(width: usize, look: Look) -> (String, String) {
    let plain = format!("{:>width$}", "...> ");
    let styled = look.paint(Tone::Dim, &plain);
    (plain, styled)
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
fn broken(error: &ReadlineError) -> Error {
    Error::new(Code::StoreIo, format!("the terminal: {error}"))
}

fn editor(session: &Session<'_>) -> Result<LineEditor> {
    let broken = |error: ReadlineError| broken(&error);
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
    editor.set_helper(Some(LineHelper::new(session, session.screen())));
    Ok(editor)
}
