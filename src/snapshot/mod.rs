//! Snapshots as bytes: exports, imports, content hashes and digests.
//!
//! Nothing here changes a tree or knows where one is stored.

mod digest;
mod document;
mod export;
mod hash;
mod headers;
mod import;
mod size;
mod thread;
mod tokens;

pub use crate::model::{hex, unhex};
pub use digest::{SnapshotParts, TurnsHash, snapshot_digest, subtree_hash};
pub use document::{Document, DocumentNode, Given, ImportError};
pub use export::{Body, Contents, export, node_object};
pub use hash::{content_bytes, content_hash, params_hash, text_hash};
pub use headers::check_content;
pub use import::{read_document, spec_version};
pub use size::{check_attr_size, check_node_size, check_size};
pub use thread::thread;
pub use tokens::content_tokens;
#[cfg(feature = "sql")]
pub use tokens::text_tokens;
