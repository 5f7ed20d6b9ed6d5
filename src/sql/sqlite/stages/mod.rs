//! Stages: a selector that goes on with `|`, as one statement in SQL.
//!
//! `@t0 .cb | where bytes > 1000 | count by role`: a stage is a word and SQL in small. `scan` cuts a text
//! into its stages, `parse` reads them, `build` makes the statement, and its `back` leads from a place in
//! it to the place in what was typed. There is no second evaluator.

mod build;
mod parse;
mod scan;

use crate::error::Result;
use crate::language::Dialect;

pub(super) use scan::words;

/// The statement that a selector with stages stands for.
pub(super) fn statement(text: &str, dialect: Dialect) -> Result<build::Statement<'_>> {
    Ok(build::build(text, &parse::parse(text, dialect)?))
}
