//! pactdb

mod limits;
pub mod query;
