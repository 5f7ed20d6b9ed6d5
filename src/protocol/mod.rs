//! The operation protocol: JSON objects in, JSON objects out, for every front alike.
//!
//! [`answer`] is the one dispatcher, [`handle`] reads a request first; neither fails, because an
//! error is a reply too.

mod fields;
mod parse;
mod reply;
mod statement;
mod vocabulary;

pub use parse::{At, Op, Question, parse_request};
pub use reply::{Body, Reply, answer, handle, handle_bytes, handle_line, refuse_line};
pub use statement::statement_op;
pub use vocabulary::{statement_fields, words_of};
