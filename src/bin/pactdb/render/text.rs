//! Text of others on its way to a screen: made visible, measured, cut and filled up.
//!
//! Whatever is shown to people passes [`visible`] or [`visible_lines`], so that no stored byte is
//! an order to a terminal. Widths of parts do not add up (`لا` is as wide as `ل`), so a text is
//! always measured whole, as it will stand there.

use pactdb::json::is_unseen;
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// A text in one line: control characters and others that nobody sees are written out, `\n` and
/// `\u{1b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    written_out(text, is_unseen)
}

/// The same for a text of several lines, whose ends stay what they are.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    written_out(text, |symbol| symbol != '\n' && is_unseen(symbol))
}

fn written_out(text: &str, unseen: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&unseen) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for symbol in text.chars() {
        match unseen(symbol) {
            true => out.extend(symbol.escape_default()),
            false => out.push(symbol),
        }
    }
    Cow::Owned(out)
}

/// How many columns a text takes.
pub fn width_of(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// What of a text is shown in at most so many columns: how many of its bytes, and the mark behind
/// them where something was left out. It is cut between characters as people see them.
pub fn fit(text: &str, columns: usize) -> (usize, &'static str) {
    if width_of(text) <= columns {
        return (text.len(), "");
    }
    if columns == 0 {
        return (0, "");
    }
    let fits = |end: usize| width_of(&format!("{}…", &text[..end])) <= columns;
    // Marks without a width could go on for ever; nobody has use for so many of them.
    let ends: Vec<usize> =
        text.grapheme_indices(true).map(|(at, _)| at).take(8 * columns + 64).collect();
    let (mut low, mut high) = (0, ends.len());
    while low + 1 < high {
        let middle = low.midpoint(high);
        if fits(ends[middle]) { low = middle } else { high = middle }
    }
    (ends[low], "…")
}

/// A text in at most so many columns, with `…` where something was left out.
pub fn cut(text: &str, columns: usize) -> String {
    let (end, mark) = fit(text, columns);
    format!("{}{mark}", &text[..end])
}

/// Where the end of a text begins that takes at most so many columns.
pub fn tail(text: &str, columns: usize) -> usize {
    let starts = text.grapheme_indices(true).rev().map(|(at, _)| at);
    starts.take_while(|at| width_of(&text[*at..]) <= columns).last().unwrap_or(text.len())
}

/// The spaces that fill a text up to so many columns.
pub fn padding(text: &str, columns: usize) -> String {
    " ".repeat(columns.saturating_sub(width_of(text)))
}
