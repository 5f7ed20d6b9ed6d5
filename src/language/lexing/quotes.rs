//! Quoted texts: what stands between two quote marks, and the id that somebody names.

use super::lexer::Lexer;
use super::token::Token;
use std::borrow::Cow;

/// The text between two quote marks; `\\`, `\'` and `\"` are escapes, other backslashes stay.
pub(crate) fn unquoted(quoted: &str) -> String {
    let inner = quoted.get(1..quoted.len() - 1).unwrap_or("");
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(&next @ ('\\' | '\'' | '"')) if c == '\\' => {
                out.push(next);
                chars.next();
            }
            _ => out.push(c),
        }
    }
    out
}

/// The id that somebody means who names one node: `cb:1`, `#cb:1`, or in quotes as a selector has
/// them, `#'cb:pre'`.
pub fn named_id(text: &str) -> Cow<'_, str> {
    let mut tokens = Lexer::new(text);
    match (tokens.next().map(|lexeme| lexeme.token), tokens.next()) {
        (Some(Token::QuotedId(quoted) | Token::Text(quoted)), None) => Cow::Owned(unquoted(quoted)),
        _ => Cow::Borrowed(text.strip_prefix('#').unwrap_or(text)),
    }
}
