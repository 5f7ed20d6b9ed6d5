//! Why an edit is refused.

use crate::cause::Cause;
use crate::code::Code;
use crate::model::ReadError;

/// A refusal: a code for programs, a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ChangeError {
    /// The code of R11.
    pub code: Code,
    /// What was wrong, where, and what to do.
    pub message: String,
    /// What stands behind it.
    pub cause: Cause,
}

impl ChangeError {
    /// A refusal.
    pub fn new(code: Code, message: impl Into<String>) -> ChangeError {
        ChangeError { code, message: message.into(), cause: Cause::default() }
    }
}

impl From<ReadError> for ChangeError {
    fn from(error: ReadError) -> ChangeError {
        ChangeError { cause: error.cause(), ..ChangeError::new(error.code(), error.to_string()) }
    }
}
