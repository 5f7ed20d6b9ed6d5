//! Answers questions in SQL with SQLite.
//!
//! A statement runs on a connection of its own, in memory, over virtual tables that the engine fills
//! row by row as they are asked for: `tables` has them, `vtab` puts them behind SQLite's interface,
//! `node_columns` makes the columns of nodes. Nothing is copied beforehand, nothing can be written and
//! no file is in reach: `connection` refuses everything else. All tables of a statement read the same
//! moment, a view that is held from its beginning to its end. `stages` makes a statement of a selector
//! that goes on with `|`. `faults` turns SQLite's errors into ours, `meter` bounds what a statement is
//! handed, `plan` and `explain` say which conditions the engine uses.

mod catalogue;
mod connection;
mod explain;
mod faults;
mod json;
mod life_walk;
mod meter;
mod node_columns;
mod plan;
mod regexp;
mod run;
mod selector;
mod source;
mod stages;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod vtab;

pub use catalogue::catalogue;
pub use explain::explain;
pub use run::ask;
