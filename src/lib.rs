//! pactdb

pub mod change;
pub mod code;
pub mod db;
pub mod error;
pub mod json;
pub mod lifecycle;
pub mod limits;
pub mod log;
pub mod model;
pub mod protocol;
pub mod query;
pub mod snapshot;
