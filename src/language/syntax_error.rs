//! The one error of the language: a text that could not be read, and where.
//!
//! It is built bottom-up from facts (code, span, what was expected) and knows no other stage; the
//! program decides how to print it. Invariant: `message` is one line without a final full stop.

use std::fmt;

use super::span::Span;

/// Which rule a text breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyntaxErrorKind {
    /// Not a selector.
    Invalid,
    /// A range from a relative address to a cycle, or the other way round.
    RangeKindMismatch,
    /// `@*` as an end of a range.
    RangeWildcard,
}

impl SyntaxErrorKind {
    /// The code that programs see.
    pub fn code(self) -> &'static str {
        match self {
            SyntaxErrorKind::Invalid => "E_SELECTOR_INVALID",
            SyntaxErrorKind::RangeKindMismatch => "E_SNAPSHOT_RANGE_KIND_MISMATCH",
            SyntaxErrorKind::RangeWildcard => "E_SNAPSHOT_RANGE_WILDCARD",
        }
    }
}

impl fmt::Display for SyntaxErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// Why a text could not be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Which rule it breaks.
    pub code: SyntaxErrorKind,
    /// The bytes to point at; empty at the end of the text.
    pub span: Span,
    /// What is wrong, in one line.
    pub message: String,
    /// What could stand there instead, in people's words; may be empty.
    pub expected: Vec<String>,
    /// What to write instead, where that can be guessed.
    pub hint: Option<String>,
}

impl SyntaxError {
    /// A text that is no selector.
    pub fn invalid(span: Span, message: impl Into<String>) -> Self {
        SyntaxError::of(SyntaxErrorKind::Invalid, span, message)
    }

    /// An error of this kind, with nothing expected and no hint.
    pub fn of(code: SyntaxErrorKind, span: Span, message: impl Into<String>) -> Self {
        SyntaxError { code, span, message: message.into(), expected: Vec::new(), hint: None }
    }

    /// The same error with this advice.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The line of `text` that is meant, a caret under it, and the message with its hint.
    ///
    /// Tabs stay tabs, so that the caret stands right wherever the line is printed.
    pub fn render(&self, text: &str) -> String {
        let at = floor_boundary(text, self.span.start);
        let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
        let end = floor_boundary(text, self.span.end.min(line_end)).max(at);
        let pad: String =
            text[line_start..at].chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let carets = "^".repeat(text[at..end].chars().count().max(1));
        let mut out = format!("{}\n{pad}{carets}\n{}", &text[line_start..line_end], self.message);
        if let Some(hint) = &self.hint {
            out.push_str("\nhint: ");
            out.push_str(hint);
        }
        out
    }
}

/// The last character boundary at or before `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.span.start, self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SyntaxError {}
