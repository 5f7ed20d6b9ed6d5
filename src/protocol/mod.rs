//! The operation protocol: JSON objects in, JSON objects out, for every front alike.
//!
//! [`handle`] is the one dispatcher; it never fails, because an error is a reply too.

mod fields;
mod parse;
mod reply;

pub use parse::{Op, Question, parse_request};
pub use reply::{Body, Reply, handle, handle_line};
