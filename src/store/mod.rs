//! The store: log and index in one file, written in one transaction, so that they never disagree.
//!
//! It is the only owner of transactions. Whoever edits gives it events to append, with the cycle
//! that they close; whoever reads asks its [`StoreReader`].
//!
//! - `handle` is the open store and `head` where its log ends; `reader` reads everything, in
//!   `contents`, `parts`, `snapshots` and `lookups`.
//! - `open` makes and opens stores, `recover` finds the state in progress.
//! - `append` writes; `undo` takes back what is not durable yet.
//! - `replay` runs the log again: to `verify` it, to `rebuild` the index, and to `transfer` the
//!   records of another log.
//! - `rewrite` copies the store into a new file, which takes the place of the old one:
//!   `Store::rewrite(room, change, report)` asks `change` of every row whether it stays, goes or
//!   becomes another.

mod append;
mod contents;
mod figures;
mod handle;
mod head;
mod lookups;
mod open;
mod parts;
mod reader;
mod rebuild;
mod recover;
mod replay;
mod rewrite;
mod snapshots;
mod transfer;
mod undo;
mod verify;

pub use append::Append;
pub use handle::{Store, StoreSizes, TableSizes};
pub use reader::StoreReader;
pub use recover::Opened;
pub use replay::{Progress, Verified, VerifyStep};
pub use rewrite::Packed;
pub use transfer::Transfer;
