//! The log on disk: events with their contents, and everything derived from them.
//!
//! Primary data are the records and contents of the `log` table. All other tables are derived,
//! carry the version of the code that made them, and can be rebuilt from the log to the same
//! bytes. `codec` is the only user of bincode and `store` the only user of redb, beside the
//! storage backends in `backend`, `approval` and `pages`.

mod approval;
mod backend;
mod base;
mod checked;
mod clues;
mod codec;
mod contents;
mod error;
mod extras;
mod file;
mod guarded;
mod history;
mod index;
mod nodes;
mod open;
mod page_format;
mod pages;
mod prunes;
mod read;
mod record;
mod rows;
mod shown;
mod sketch_rows;
mod sketches;
mod store;
mod stored;
mod tables;
mod transfer;
mod undo;
mod verify;
mod write;
mod writing;

pub use backend::FileStorage;
pub use error::StoreError;
pub use guarded::panics_are_caught;
pub use open::Opened;
pub use read::{Entry, LogReader};
pub use record::{ChainHash, Record, chain_start};
pub use rows::{CycleInfo, CycleKind};
pub use store::{Store, StoreSizes};
pub use transfer::Transfer;
pub use undo::Mark;
pub use verify::{Progress, Rebuilt, Verified, VerifyStep};
pub use write::{Append, NewEvent};

/// What storage of another sort than a file has to do.
pub use redb::StorageBackend;
