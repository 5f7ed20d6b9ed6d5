//! The file of a store, as tables of bytes: the only folder that uses redb, and bincode in one
//! file.
//!
//! It knows keys, rows and transactions. It must not know what the rows mean: no event, no tree, no
//! name of a table.
//!
//! From the bottom up:
//! - `file` makes, finds and watches the file; `backend` writes it ahead with zeros; `read_only` is
//!   for files that may not be written to; `approval` holds back all writes until there is a reason
//!   to write.
//! - `guarded` and `writing` wrap redb call by call, so that a panic caused by a damaged page
//!   becomes an error; `view` is a read transaction; `base` is the database that both are begun on.
//! - `pages` compares each page that redb reads with what the page above it says, so that nothing is
//!   written on a damaged file; `page_format` is what it knows of redb's own layout.
//! - `copy` writes the tables of one state into a new file, which `replace` puts in the place of the
//!   old one.
//! - `opening` turns a path, or storage of another sort, into a database.
//! - `table` defines tables; `codec` and `numbers` turn values into bytes; `checksum` ends every
//!   row with a check of it; `checked` reads and writes rows that consist of a key and little more.

mod approval;
mod backend;
mod base;
mod checked;
mod checksum;
mod codec;
mod copy;
mod error;
mod file;
mod guarded;
mod locks;
mod numbers;
mod opening;
mod page_format;
mod pages;
mod read_only;
mod repack;
mod replace;
mod table;
mod view;
mod writing;

pub use backend::FileStorage;
pub use error::StoreError;
pub use guarded::panics_are_caught;

/// What storage of another sort than a file has to do.
pub use redb::StorageBackend;

pub(crate) use base::{Base, LongView, SharedBase};
pub(crate) use checked::{
    check_neighbours, checked_bytes, checked_number, get_number, insert_bytes, insert_key,
    insert_number,
};
pub(crate) use checksum::{seal, unseal};
pub(crate) use codec::{decode, decode_borrowed, encode};
pub(crate) use copy::{ChangeRow, Copying, Fate, OfRow, Successor};
pub(crate) use file::{NewFile, Watch, exists_already, file_bytes, holds_something, room};
pub(crate) use guarded::{Readable, Reading};
pub(crate) use numbers::{Numbers, put_number, put_signed};
pub(crate) use opening::{
    create_in_file, create_new_file, create_on, open_file, open_on, open_to_read,
};
pub(crate) use redb::Key;
pub(crate) use redb::backends::InMemoryBackend;
pub(crate) use repack::repack;
pub(crate) use table::{Bytes, Side, Table};
pub(crate) use view::{OpenedTable, ReadView, once};
pub(crate) use writing::Writer;
