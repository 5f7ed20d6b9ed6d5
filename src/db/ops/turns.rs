//! Turns that an import brings, once it knows what they are.

use super::edit::Add;

/// Turns to import.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnsRequest {
    /// The turns, oldest first.
    pub turns: Vec<ImportTurn>,
    /// Where they come from: noted in the log, and refused if it came before.
    pub origin: Option<crate::change::Origin>,
    /// Whether to take them although they came before.
    pub again: bool,
}

/// One turn to import: blocks for `^sys` and the head, and the commit that closes it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportTurn {
    /// The blocks, in order, each with its own time.
    pub adds: Vec<Add>,
    /// When the turn was closed; the clock if there is none.
    pub created_at_ns: Option<i64>,
}
