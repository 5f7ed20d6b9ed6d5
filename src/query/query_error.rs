//! The one error of queries: a code, a sentence, and where it is known a place in the text.
//!
//! Errors of the parser and of reading become one of these; nothing here formats for a terminal.

use crate::budget::Stopped;
use crate::cause::Cause;
use crate::code::Code;
use crate::language::Span;
use crate::language::{SyntaxError, SyntaxErrorKind};
use crate::model::ReadError;
use std::fmt;

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// The code of R11.
    pub code: Code,
    /// What is wrong, in one line.
    pub message: String,
    /// The bytes of the text to point at.
    pub span: Option<Span>,
    /// What could stand there instead, in people's words; may be empty.
    pub expected: Vec<String>,
    /// What to write instead, where that can be guessed.
    pub hint: Option<String>,
    /// What stands behind it.
    pub cause: Cause,
}

impl QueryError {
    /// An error that points at no part of a text.
    pub fn new(code: Code, message: impl Into<String>) -> QueryError {
        QueryError {
            code,
            message: message.into(),
            span: None,
            expected: Vec::new(),
            hint: None,
            cause: Cause::default(),
        }
    }

    /// A text that is no valid selector, and where.
    pub fn invalid(span: Span, message: impl Into<String>) -> QueryError {
        QueryError::new(Code::SelectorInvalid, message).at(span)
    }

    /// The same error at a part of the text.
    pub fn at(mut self, span: Span) -> QueryError {
        self.span = Some(span);
        self
    }

    /// The same error with this advice.
    pub fn with_hint(mut self, hint: impl Into<String>) -> QueryError {
        self.hint = Some(hint.into());
        self
    }
}

impl From<SyntaxError> for QueryError {
    fn from(error: SyntaxError) -> QueryError {
        let code = match error.code {
            SyntaxErrorKind::Invalid => Code::SelectorInvalid,
            SyntaxErrorKind::RangeKindMismatch => Code::SnapshotRangeKindMismatch,
            SyntaxErrorKind::RangeWildcard => Code::SnapshotRangeWildcard,
        };
        let SyntaxError { span, message, expected, hint, .. } = error;
        QueryError { span: Some(span), expected, hint, ..QueryError::new(code, message) }
    }
}

impl From<Stopped> for QueryError {
    fn from(stopped: Stopped) -> QueryError {
        ReadError::from(stopped).into()
    }
}

impl From<ReadError> for QueryError {
    fn from(error: ReadError) -> QueryError {
        QueryError { cause: error.cause(), ..QueryError::new(error.code(), error.to_string()) }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(span) = self.span {
            write!(f, "at byte {}: ", span.start)?;
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for QueryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.source()
    }
}
