//! The query language.

pub mod ast;
mod construct;
mod construct_time;
mod controls;
mod dialect;
mod error;
mod layout;
mod lexer;
mod scan;
mod span;
mod token;
pub mod words;

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, clippy::unwrap_used, clippy::expect_used, missing_docs)]
    #[allow(unreachable_pub, unused_qualifications, unused)]
    grammar,
    "/selector.rs"
);
