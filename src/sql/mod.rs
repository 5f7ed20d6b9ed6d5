//! Questions in SQL: SQLite counts, groups, sorts and joins, and the engine finds.
//!
//! `sqlite` answers them, and no other folder knows SQLite. Without the feature `sql` every question is
//! refused by `absent`. What stands beside them is there in any case: `answer` has the types of answers,
//! `text` tells SQL, selectors with stages and others apart, `completion` says what could be typed.

mod answer;
mod completion;
mod text;

#[cfg(not(feature = "sql"))]
mod absent;
#[cfg(feature = "sql")]
mod sqlite;

#[cfg(not(feature = "sql"))]
pub use absent::{ask, catalogue, explain};
#[cfg(feature = "sql")]
pub use sqlite::{ask, catalogue, explain};

pub use answer::{SqlColumn, SqlReply, SqlTable};
pub(crate) use completion::{Wanted, wanted, wanted_in_stage};
pub use text::{first_stage, has_stages, is_question, is_sql};
