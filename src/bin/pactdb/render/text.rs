//! Text of others on its way to a screen: made visible, measured, cut and filled up.
//!
//! Whatever is shown to people passes [`visible`] or [`visible_lines`], so that no stored byte is
//! an order to a terminal. Widths of parts do not add up (`لا` is as wide as `ل`), so a text is
//! always measured whole, as it will stand there.

use pactdb::json::is_unseen;
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

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
/// them where something was left out. It is cut between words, and a word that is too wide alone between
/// characters as people see them.
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
    (at_word(text, ends[low]), "…")
}

/// The end of the last whole word before a place in a text; the place itself if that is none, or if no word
/// ends before it.
fn at_word(text: &str, at: usize) -> usize {
    let (kept, rest) = text.split_at(at);
    if rest.starts_with(char::is_whitespace) || kept.ends_with(is_gap) {
        return kept.trim_end().len();
    }
    let mut signs = kept.grapheme_indices(true).rev();
    let end = signs.find(|(_, sign)| sign.starts_with(is_gap)).map_or(0, |(start, sign)| {
        let wide = !sign.starts_with(char::is_whitespace);
        kept[..start + if wide { sign.len() } else { 0 }].trim_end().len()
    });
    if end == 0 { at } else { end }
}

/// Whether a text can be cut beside a character: white space, signs that are words of their own, and what
/// stands between the words of JSON.
fn is_gap(symbol: char) -> bool {
    symbol.is_whitespace()
        || matches!(symbol, '"' | ',' | '{' | '[')
        || UnicodeWidthChar::width(symbol) == Some(2)
}

/// How wide a text has to be for no word of it to be broken: its longest word, and a mark behind it.
pub fn longest_word(text: &str) -> usize {
    let longest = text.split(is_gap).map(width_of).max().unwrap_or(0);
    if text.contains(is_gap) { longest + 1 } else { longest }
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

/// A text in lines of at most so many columns, broken between words; lines that follow begin with `indent`.
/// A word that is wider than a line stays whole.
pub fn wrapped(text: &str, columns: usize, indent: &str) -> String {
    if width_of(text) <= columns {
        return text.to_owned();
    }
    let mut words = text.split(' ');
    let (mut out, mut line) = (String::new(), words.next().unwrap_or_default().to_owned());
    for word in words {
        let longer = format!("{line} {word}");
        let empty = line.trim().is_empty() || line == indent.trim_end();
        if empty || width_of(&longer) <= columns {
            line = longer;
            continue;
        }
        out.push_str(line.trim_end());
        out.push('\n');
        line = format!("{indent}{word}");
    }
    out.push_str(&line);
    out
}

/// The spaces that fill a text up to so many columns.
pub fn padding(text: &str, columns: usize) -> String {
    " ".repeat(columns.saturating_sub(width_of(text)))
}
