//! The words, quotes and brackets of SQL in small.

use std::ops::Range;

/// A piece of SQL, as small as splitting it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// Letters, digits, `_` and `.`.
    Word,
    /// Anything in quotes, and comments.
    Closed,
    Comma,
    /// A lone `|`.
    Pipe,
    Space,
    /// Any other character.
    Other,
}

/// The pieces of a part of a text, with how many brackets are open around each.
pub(super) fn pieces(text: &str, within: Range<usize>) -> Vec<(Piece, usize, Range<usize>)> {
    let (mut found, mut at, mut depth) = (Vec::new(), within.start, 0usize);
    while at < within.end {
        let rest = &text[at..within.end];
        let first = rest.chars().next().unwrap_or(' ');
        let run = |keep: &dyn Fn(char) -> bool| rest.find(|c| !keep(c)).unwrap_or(rest.len());
        let (piece, length) = match first {
            '\'' | '"' | '`' => (Piece::Closed, quoted(rest, first)),
            _ if rest.starts_with("--") => (Piece::Closed, rest.find('\n').unwrap_or(rest.len())),
            _ if rest.starts_with("/*") => {
                (Piece::Closed, rest[2..].find("*/").map_or(rest.len(), |end| end + 4))
            }
            _ if rest.starts_with("||") => (Piece::Other, 2),
            '|' => (Piece::Pipe, 1),
            ',' => (Piece::Comma, 1),
            _ if first.is_whitespace() => (Piece::Space, run(&char::is_whitespace)),
            _ if is_word(first) => (Piece::Word, run(&is_word)),
            _ => (Piece::Other, first.len_utf8()),
        };
        if first == ')' {
            depth = depth.saturating_sub(1);
        }
        found.push((piece, depth, at..at + length));
        if first == '(' {
            depth += 1;
        }
        at += length;
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

/// The length of a quoted text, in which the quote is written twice; of one without an end, all of it.
fn quoted(rest: &str, quote: char) -> usize {
    let mut at = 1;
    while let Some(found) = rest[at..].find(quote) {
        at += found + 1;
        if !rest[at..].starts_with(quote) {
            return at;
        }
        at += 1;
    }
    rest.len()
}

/// The parts of a text between pieces of a kind that stand outside of brackets.
pub(super) fn split(text: &str, within: Range<usize>, by: Piece) -> Vec<Range<usize>> {
    let (mut parts, mut from) = (Vec::new(), within.start);
    for (piece, depth, at) in pieces(text, within.clone()) {
        if piece == by && depth == 0 {
            parts.push(trimmed(text, from..at.start));
            from = at.end;
        }
    }
    parts.push(trimmed(text, from..within.end));
    parts
}

/// The words of a text that stand outside of brackets.
pub(in crate::sql::sqlite) fn words(text: &str, within: Range<usize>) -> Vec<Range<usize>> {
    let words = pieces(text, within).into_iter();
    words
        .filter(|(piece, depth, _)| *piece == Piece::Word && *depth == 0)
        .map(|(.., at)| at)
        .collect()
}

/// A part without the white space around it.
pub(super) fn trimmed(text: &str, within: Range<usize>) -> Range<usize> {
    let part = &text[within.clone()];
    let start = within.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}
