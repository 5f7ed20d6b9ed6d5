//! Errors: the code and the sentence, the text with a caret below the fault, what would be right.

use super::look::{Look, Tone};
use super::units::width_of;
use pactdb::Error;

/// An error as `CODE: message`, and under it what helps to mend it.
pub fn error(look: Look, error: &Error) -> String {
    let mut out = format!("{}: {}\n", look.paint(Tone::Fault, error.code.as_str()), error.message);
    if let (Some(text), Some(span)) = (&error.details.text, error.details.span) {
        out.push_str(&caret(look, text, span));
    }
    // Some messages end in the hint already.
    if let Some(hint) = error.details.hint.as_ref().filter(|hint| !error.message.contains(*hint)) {
        out.push_str(&format!("{}: {hint}\n", look.paint(Tone::Soon, "hint")));
    }
    out
}

/// The line of a text that has a span, and carets below the span.
pub fn caret(look: Look, text: &str, (start, end): (usize, usize)) -> String {
    let start = floor(text, start);
    let end = floor(text, end).max(start);
    let first = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let last = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let line = &text[first..last];
    let (before, under) = (&text[first..start], &text[start..end.min(last)]);
    // A long line is shown around the fault.
    let room = look.width.saturating_sub(4);
    let lead = width_of(before);
    let skipped = if width_of(line) > room && lead > room / 2 { lead - room / 2 } else { 0 };
    let (mut dropped, mut from) = (0, 0);
    for c in line.chars() {
        if dropped >= skipped {
            break;
        }
        dropped += width_of(c.encode_utf8(&mut [0; 4]));
        from += c.len_utf8();
    }
    let mark = if from > 0 { "…" } else { "" };
    let shown = super::units::cut(&line[from..], room.saturating_sub(1));
    let indent = " ".repeat(lead.saturating_sub(dropped) + width_of(mark));
    let carets = "^".repeat(width_of(under).clamp(1, room.saturating_sub(lead.min(room)).max(1)));
    format!("  {mark}{shown}\n  {indent}{}\n", look.paint(Tone::Fault, &carets))
}

/// The greatest place at or before `at` where a character begins.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
