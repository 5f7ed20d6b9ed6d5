//! Failures of the lexer and the parser in people's words: a message, a caret, a hint.
//!
//! `diagnose` is the only place where they are converted. It looks at the tokens around a failure;
//! `expect` says what the grammar could have read next, `hint` what to write instead, and `nearest`
//! which known word a misspelt one was meant to be. Nothing here knows the syntax tree.

mod diagnose;
mod expect;
mod hint;
mod nearest;
mod subject;

pub(super) use diagnose::{Failure, diagnose, diagnose_fault, unknown_statement};
pub(super) use nearest::is_slip_for;
pub use nearest::nearest;
pub(super) use subject::Subject;
