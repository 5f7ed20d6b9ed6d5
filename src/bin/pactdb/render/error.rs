//! Errors: the code and the sentence, the text with a caret below the fault, what would be right.

use super::look::{Look, Tone};
use super::text::{fit, tail, visible, width_of};
use pactdb::Error;

/// An error as `CODE: message`, and under it what helps to mend it.
pub fn error(look: Look, error: &Error) -> String {
    let mut out = labelled(look, Tone::Fault, error.code.as_str(), &error.message);
    if let (Some(text), Some(span)) = (&error.details.text, error.details.span) {
        out.push_str(&caret(look, text, span));
    }
    // Some messages end in the hint already.
    if let Some(hint) = error.details.hint.as_ref().filter(|hint| !error.message.contains(*hint)) {
        out.push_str(&labelled(look, Tone::Soon, "hint", hint));
    }
    out
}

/// A warning, whole lines.
pub fn warning(look: Look, text: &str) -> String {
    labelled(look, Tone::Soon, "warning", text)
}

/// A sentence with a word before it that says what it is, whole lines.
pub fn labelled(look: Look, tone: Tone, label: &str, text: &str) -> String {
    let whole = look.wrap(&format!("{label}: {}", visible(text)), "  ");
    let rest = whole.strip_prefix(label).unwrap_or(&whole);
    format!("{}{rest}\n", look.paint(tone, label))
}

/// The line of a text that has a span, made visible, and carets below the span.
pub fn caret(look: Look, text: &str, (start, end): (usize, usize)) -> String {
    let start = floor(text, start);
    let end = floor(text, end).max(start);
    let first = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let last = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let before = visible(&text[first..start]);
    let to_end = format!("{before}{}", visible(&text[start..end.min(last)]));
    let line = format!("{to_end}{}", visible(&text[end.min(last)..last]));
    // A long line is shown around the fault.
    let room = look.width.saturating_sub(4).max(2);
    let from = match width_of(&line) > room {
        true => tail(&before, room / 2),
        false => 0,
    };
    let mark = if from > 0 { "…" } else { "" };
    let (kept, more) = fit(&line[from..], room - width_of(mark));
    let shown = format!("{mark}{}{more}", &line[from..from + kept]);
    let lead = width_of(&format!("{mark}{}", &before[from..]));
    // A fault that is longer than what is shown is marked up to there.
    let under = width_of(&format!("{mark}{}", &to_end[from..])).min(width_of(&shown));
    let carets = "^".repeat(under.saturating_sub(lead).max(1));
    format!("  {shown}\n  {}{}\n", " ".repeat(lead), look.paint(Tone::Fault, &carets))
}

/// The greatest place at or before `at` where a character begins.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
