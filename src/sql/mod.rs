//! Questions in SQL: SQLite counts, groups, sorts and joins, and the engine finds.
//!
//! A statement runs on a connection of its own, in memory, over virtual tables that the engine fills
//! row by row as they are asked for: `tables` has them, `vtab` puts them behind SQLite's interface,
//! `node_columns` makes the columns of nodes. Nothing is copied beforehand, nothing can be written and
//! no file is in reach: `connection` refuses everything else. All tables of a statement read the same
//! moment, a view that is held from its beginning to its end. `stages` makes a statement of a selector
//! that goes on with `|`. `faults` turns SQLite's errors into ours, `meter` bounds what a statement is
//! handed, `plan` and `explain` say which conditions the engine uses.
//!
//! No other folder knows SQLite. Without the feature `sql` there are the types of questions and
//! answers, and every question is refused.

mod answer;
#[cfg(feature = "sql")]
mod catalogue;
mod completion;
#[cfg(feature = "sql")]
mod connection;
#[cfg(feature = "sql")]
mod explain;
#[cfg(feature = "sql")]
mod faults;
#[cfg(feature = "sql")]
mod json;
#[cfg(feature = "sql")]
mod life_walk;
#[cfg(feature = "sql")]
mod meter;
#[cfg(feature = "sql")]
mod node_columns;
#[cfg(feature = "sql")]
mod plan;
#[cfg(feature = "sql")]
mod regexp;
#[cfg(feature = "sql")]
mod run;
#[cfg(feature = "sql")]
mod selector;
#[cfg(feature = "sql")]
mod source;
mod stages;
#[cfg(feature = "sql")]
mod table;
#[cfg(feature = "sql")]
mod tables;
#[cfg(all(test, feature = "sql"))]
mod tests;
#[cfg(feature = "sql")]
mod tokens;
#[cfg(feature = "sql")]
mod vtab;

#[cfg(not(feature = "sql"))]
mod absent;

#[cfg(not(feature = "sql"))]
pub use absent::{ask, catalogue, explain};
pub use answer::{SqlColumn, SqlReply, SqlTable};
#[cfg(feature = "sql")]
pub use catalogue::catalogue;
pub use completion::is_sql;
pub(crate) use completion::{Wanted, wanted, wanted_in_stage};
#[cfg(feature = "sql")]
pub use explain::explain;
#[cfg(feature = "sql")]
pub use run::ask;
pub use stages::{first_stage, has_stages, is_question};
