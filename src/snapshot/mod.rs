//! Snapshots as bytes: exports, imports, content hashes and digests.
//!
//! Nothing here changes a tree or knows where one is stored.

mod digest;
mod export;
mod hash;
mod import;
mod thread;

pub use digest::{SnapshotParts, TurnsHash, snapshot_digest, subtree_hash};
pub use export::{Body, Contents, export, node_object};
pub use hash::{content_bytes, content_hash, hex, unhex};
pub use import::{Document, DocumentNode, ImportError, check_content, read_document};
pub use thread::thread;
