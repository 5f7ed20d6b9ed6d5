//! The log: events with the contents that they brought. It is the primary data, and nothing in this
//! folder is derived from it.
//!
//! The table `log` has a row for each event, its record, and a row for each content. Records are
//! chained by hashes. The functions here read and append rows of a table that somebody else opened:
//! `store` owns the transactions. What is derived from the log is in `index`.
//!
//! - `record` is the envelope of an event and the chain; `stored_node`, `stored_edit` and
//!   `stored_event` are the frozen forms of what is in it, `extras` what later releases added.
//! - `contents` are the rows of contents.
//! - `append` and `read` write and read events.

mod append;
mod contents;
mod extras;
mod read;
mod record;
mod stored_edit;
mod stored_event;
mod stored_node;
mod tables;

pub use append::NewEvent;
pub use read::Entry;
pub use record::{ChainHash, Record, chain_start};

pub(crate) use append::{LogEnd, Stamp, append_events};
pub(crate) use contents::{
    content_digest, each_content, get_content, lend_content, pack_row, repack_log,
};
pub(crate) use extras::{WholeAttempt, WholeNode};
pub(crate) use read::{
    find_end, get_entries, get_record, get_records, missing_event, next_records,
};
pub(crate) use stored_edit::StoredPolicy;
pub(crate) use stored_node::{CLASSES, stored_json};
pub(crate) use tables::{FORMAT, LOG, LogKey, META, identity_row, log_key_bytes};
