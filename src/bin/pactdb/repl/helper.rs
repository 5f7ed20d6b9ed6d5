//! What the line editor asks while a line is typed: completion, colours and hints.

use super::complete::{Words, complete};
use super::highlight;
use super::hint::{Expected, expected};
use super::meta::{self, Takes};
use super::session::Session;
use super::splitter::Splitter;
use crate::render::{Look, Tone, visible, width_of};
use crate::signals;
use pactdb::sql::is_question;
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};
use std::borrow::Cow;

/// No candidate is wider than this.
const WIDEST: usize = 200;

/// What the editor asks.
pub struct LineHelper {
    look: Look,
    words: Words,
    files: FilenameCompleter,
}

impl LineHelper {
    /// A helper for a session.
    pub fn new(session: &Session<'_>, look: Look) -> LineHelper {
        LineHelper { look, words: Words::of(session), files: FilenameCompleter::new() }
    }

    /// Follows the session.
    pub fn follow(&mut self, session: &Session<'_>, look: Look) {
        self.look = look;
        self.words = Words::of(session);
    }
}

impl Helper for LineHelper {}

impl Completer for LineHelper {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let text = line.get(..pos).unwrap_or(line);
        let text = &text[Splitter::start_of_last(text)..];
        if let Some((command, _)) = meta::of_line(text)
            && command.takes == Takes::File
            && text.trim_start().contains(char::is_whitespace)
            && !text.rsplit(char::is_whitespace).next().is_some_and(|word| word.starts_with('-'))
        {
            let (start, mut files) = self.files.complete(line, pos, context)?;
            files.retain(|file| can_be_offered(&file.replacement));
            return Ok((start, files));
        }
        let offer = complete(text, &self.words).moved_by(pos - text.len());
        // The quote that closes a value is typed for you and not listed.
        let shown = |candidate: &str| match candidate.starts_with(['\'', '"']) {
            true => candidate.to_owned(),
            false => candidate.trim_end_matches([' ', '\'', '"']).to_owned(),
        };
        let pairs = offer
            .candidates
            .into_iter()
            .filter(|candidate| can_be_offered(candidate))
            .map(|candidate| Pair { display: shown(&candidate), replacement: candidate });
        Ok((offer.span.start, pairs.collect()))
    }
}

impl Hint for Expected {
    fn display(&self) -> &str {
        &self.text
    }

    fn completion(&self) -> Option<&str> {
        self.taken.then_some(self.text.as_str())
    }
}

impl Hinter for LineHelper {
    type Hint = Expected;

    fn hint(&self, line: &str, pos: usize, _: &Context<'_>) -> Option<Expected> {
        // Without colours a hint would look like typed text.
        if pos < line.len() || !self.look.colour {
            return None;
        }
        let line = &line[Splitter::start_of_last(line)..];
        if is_question(line) { None } else { expected(line) }
    }
}

impl Highlighter for LineHelper {
    fn highlight<'l>(&self, line: &'l str, pos: usize) -> Cow<'l, str> {
        if self.look.colour {
            Cow::Owned(highlight::paint(line, Some(pos)))
        } else {
            highlight::without_unseen(line)
        }
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(self.look.paint(Tone::Dim, hint))
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        self.look.colour && kind != CmdKind::ForcedRefresh
    }
}

impl Validator for LineHelper {
    fn validate(&self, _: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        // Enter was pressed: a Ctrl-C that came before it was for nothing.
        signals::next_question();
        Ok(ValidationResult::Valid(None))
    }
}

/// Whether a word may become part of the line: one that cannot be seen cannot be edited either, and
/// one that is wider than a screen helps nobody.
fn can_be_offered(candidate: &str) -> bool {
    visible(candidate) == candidate && width_of(candidate) <= WIDEST
}
