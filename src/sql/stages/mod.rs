//! Stages: a selector that goes on with `|`, as one statement in SQL.
//!
//! `@t0 .cb | where bytes > 1000 | count by role`: a stage is a word and SQL in small. `scan` cuts a text
//! into its stages, `parse` reads them, `build` makes the statement, and its `back` leads from a place in
//! it to the place in what was typed. There is no second evaluator.

#[cfg(feature = "sql")]
mod build;
mod first;
#[cfg(feature = "sql")]
mod parse;
#[cfg(feature = "sql")]
mod scan;

#[cfg(feature = "sql")]
pub(super) use scan::words;

pub use first::{first_stage, has_stages, is_question};

/// The statement that a selector with stages stands for.
#[cfg(feature = "sql")]
pub(super) fn statement(
    text: &str,
    dialect: crate::language::Dialect,
) -> crate::error::Result<build::Statement<'_>> {
    Ok(build::build(text, &parse::parse(text, dialect)?))
}
