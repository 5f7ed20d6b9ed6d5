//! Snapshots as bytes: exports, imports, content hashes and digests.
//!
//! Nothing here changes a tree or knows where one is stored.

mod digest;
mod export;
mod hash;
mod headers;
mod import;
mod thread;

pub use digest::{SnapshotParts, TurnsHash, snapshot_digest, subtree_hash};
pub use export::{Body, Contents, export, node_object};
pub use hash::{content_bytes, content_hash, hex, text_hash, unhex};
pub use headers::check_content;
pub use import::{Document, DocumentNode, Given, ImportError, read_document};
pub use thread::thread;
