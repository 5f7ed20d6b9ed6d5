//! An embedded, event-sourced store for the memory of LLM agents.
//!
//! One file holds the whole life of one agent's context: every edit, every committed turn, every
//! past state. The context is a tree with rules: `^sys` holds the standing instructions, `^seq` the
//! sealed turns, `^ah` the turn in progress. Nodes have an offset, a time to live in cycles and a
//! priority. A commit ends a cycle: what is due expires, policies prune, the head is sealed into
//! history, and the result is an immutable snapshot that stays readable for ever.
//!
//! ```
//! use pactdb::{AddRequest, CommitRequest, Db, Generation, Json};
//!
//! # fn main() -> pactdb::Result<()> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("memory.pactdb");
//! let db = Db::create(&path, Generation::V0_1)?;
//!
//! // Two blocks in the turn in progress; the second one lives for two cycles.
//! db.add(AddRequest {
//!     role: Some("user".into()),
//!     content: Some(Json::from("Where is the key?")),
//!     ..AddRequest::default()
//! })?;
//! let added = db.add(AddRequest {
//!     role: Some("tool".into()),
//!     content: Some(Json::from("Under the mat.")),
//!     ttl: Some(2),
//!     ..AddRequest::default()
//! })?;
//! // There is none only where `to` may be missing: it ends in `?`.
//! let note = added.id.unwrap_or_default();
//! let first = db.commit(CommitRequest::default())?;
//! assert_eq!((first.cycle, first.turn.as_deref()), (1, Some("mt:1")));
//!
//! // Two cycles later the note has gone from the working state, and is still there at cycle 1.
//! db.commit(CommitRequest::default())?;
//! let third = db.commit(CommitRequest::default())?;
//! assert_eq!(third.expired, [note.clone()]);
//! assert!(db.working_state().node(&note)?.is_none());
//! assert!(db.snapshot(1)?.node(&note)?.is_some());
//! # Ok(())
//! # }
//! ```
//!
//! [`Db`] has one method for each operation of the protocol; [`protocol`] speaks the same as JSON.
//! Errors carry a [`Code`].
//!
//! # Reading the source
//!
//! From the bottom up: `limits`, `code` and `json` know nothing of the rest. `model` has the nouns,
//! `language` turns text into syntax and back, `lifecycle` is the commit sequence, `snapshot` has
//! the bytes and digests of states. `change` judges edits and applies events; it is pure. `storage`
//! is a file of tables; `log` keeps the events in it, `index` what is derived from them, and `store`
//! both in one transaction. `query` answers selectors. `db` owns the state, `session` brings
//! histories in and out, and `protocol` is the JSON face of it all. Nothing imports upwards, and a
//! test holds that line.

pub mod budget;
pub mod change;
pub mod code;
pub mod db;
pub mod error;
pub mod index;
pub mod json;
pub mod language;
pub mod lifecycle;
pub mod limits;
pub mod log;
pub mod model;
pub mod protocol;
pub mod query;
pub mod session;
pub mod snapshot;
pub mod storage;
pub mod store;

pub use budget::{Budget, Cancel};
pub use change::{Attempt, AttemptStatus, History};
pub use code::Code;
pub use db::{
    AddRequest, Address, AttemptAction, AttemptRequest, BatchRequest, Clock, CommitReply,
    CommitRequest, Db, DiffRequest, Durability, EditOp, EditReply, MoveRequest, Options,
    RemoveRequest, RestoreRequest, SetRequest, Snapshot,
};
pub use error::{Error, Result};
pub use json::{Json, Map};
pub use lifecycle::{Policy, Region};
pub use model::Generation;
pub use store::{Progress, Verified};
