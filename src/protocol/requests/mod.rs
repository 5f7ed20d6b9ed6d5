//! The requests of operations that are not methods of [`Db`](crate::db::Db) already: plain data
//! with the fields of the protocol.

mod ask;
mod care;

pub use ask::{
    CheckSent, Compare, Complete, Details, Explain, Export, Fmt, Life, Nodes, Replay, Sql, State,
    Thread, Timeline, Tree, Watch,
};
pub use care::{Compact, Dump, GetStats, Import, Rebuild, Redact, Undo, Verify};
