//! Errors as the session shows them: pointing into the line that was typed.
//!
//! The library's errors name a part of a request and bytes of that part; here they are put back
//! into the line. On a terminal the caret stands under the line itself.

use crate::render::{self, Look, Tone, visible, width_of};
use pactdb::Error;
use pactdb::language::SyntaxError;

/// Most of what was expected that is listed.
const MOST_EXPECTED: usize = 6;

/// An error of the grammar, about a line.
pub fn of_syntax(error: SyntaxError, line: &str) -> Error {
    let message = error.message.clone();
    let mut public = Error::from(error);
    public.message = message;
    public.in_text(line)
}

/// An error of an operation, about the line that asked for it; `prefix` is what was put in front
/// of the line's selector.
pub fn in_line(mut error: Error, line: &str, prefix: &str) -> Error {
    if let Some(part) = error.details.text.take() {
        if let Some(rest) = error.message.strip_prefix(&format!("{part}: ")) {
            error.message = rest.to_owned();
        }
        error.details.span = error.details.span.and_then(|(start, end)| {
            let own = part.strip_prefix(prefix).unwrap_or(&part);
            let at = line.find(own)?;
            let dropped = part.len() - own.len();
            Some((at + start.saturating_sub(dropped), at + end.saturating_sub(dropped)))
        });
    }
    if error.details.span.is_some_and(|(_, end)| end > line.len()) {
        error.details.span = None;
    }
    error.message = plain(&error);
    error.in_text(line)
}

/// The message without the place and the advice, which are shown apart.
fn plain(error: &Error) -> String {
    let mut message = error.message.as_str();
    if let Some(rest) = message.strip_prefix("at byte ")
        && let Some((_, rest)) = rest.split_once(": ")
    {
        message = rest;
    }
    if let Some(hint) = &error.details.hint
        && let Some(rest) = message.strip_suffix(&format!(" ({hint})"))
    {
        message = rest;
    }
    message.to_owned()
}

/// An error in words. With the width of the prompt, the caret goes under the line that was just
/// typed, if that is one line of the screen; else the line is repeated.
pub fn show(look: Look, error: &Error, prompt: Option<usize>) -> String {
    let mut out = String::new();
    let mut shown = error.clone();
    if let (Some(indent), Some(text), Some((start, end))) =
        (prompt, &error.details.text, error.details.span)
        && let (Some(before), Some(under)) = (text.get(..start), text.get(start..end))
        && is_shown_as_typed(text.trim_end())
        && indent + width_of(text) < look.width
    {
        let carets = "^".repeat(width_of(under.trim_end()).max(1));
        let pad = " ".repeat(indent + width_of(before));
        out.push_str(&format!("{pad}{}\n", look.paint(Tone::Fault, &carets)));
        shown.details.text = None;
    }
    let expected = &error.details.expected;
    let told = !error.message.contains("expected") && error.details.hint.is_none();
    let hint = shown.details.hint.take();
    out.push_str(&render::error(look, &shown));
    if told && (1..=MOST_EXPECTED).contains(&expected.len()) {
        let expected = expected.join(", ");
        out.push_str(&render::labelled(look, Tone::Soon, "expected", &expected));
    }
    if let Some(hint) = hint {
        out.push_str(&render::labelled(look, Tone::Soon, "hint", &hint));
    }
    out
}

/// Whether a line stands on the screen as it was typed, each character in its own columns: only
/// then does a caret below it point where it should.
fn is_shown_as_typed(text: &str) -> bool {
    let alone = |symbol: char| width_of(symbol.encode_utf8(&mut [0; 4]));
    visible(text) == text && text.chars().map(alone).sum::<usize>() == width_of(text)
}
