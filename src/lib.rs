//! An embedded, event-sourced store for the memory of LLM agents.
//!
//! One file holds the whole life of one agent's context: every edit, every committed turn, every
//! past state. The context is a tree with rules: `^sys` holds the standing instructions, `^seq` the
//! sealed turns, `^ah` the turn in progress. Nodes have an offset, a time to live in cycles and a
//! priority. A commit ends a cycle: what is due expires, policies prune, the head is sealed into
//! history, and the result is an immutable snapshot that stays readable for ever.
//!
//! ```
//! use pactdb::{Add, Commit, Db, Generation};
//!
//! # fn main() -> pactdb::Result<()> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("memory.pactdb");
//! let db = Db::create(&path, Generation::V0_1)?;
//!
//! // Two blocks in the turn in progress; the second one lives for two cycles.
//! db.add(Add::user("Where is the key?"))?;
//! db.add(Add::tool("Under the mat.").id("note").ttl(2))?;
//! let first = db.commit(Commit::new())?;
//! assert_eq!((first.cycle, first.turn.as_deref()), (1, Some("mt:1")));
//!
//! // Two cycles later the note has gone from the working state, and is still there at cycle 1.
//! db.commit(Commit::new())?;
//! let third = db.commit(Commit::new())?;
//! assert_eq!(third.expired, ["note"]);
//! assert!(db.working_state().node("note")?.is_none());
//! assert!(db.snapshot(1)?.node("note")?.is_some());
//!
//! // Questions go to any state: the newest snapshot, one of the past, all of them.
//! assert_eq!(db.select("@t0 .cb[role='tool']")?.ids().len(), 0);
//! assert_eq!(db.select("@c1 .cb[role='tool']")?.ids().len(), 1);
//! assert_eq!(db.select("@* .cb[role='tool']")?.ids().len(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! # Where to go next
//!
//! - [`Db`] has one method for each thing that can be done with a store; [`Options`] say how one is
//!   opened, and a [`Snapshot`] is one state of it.
//! - Edits are built of [`Add`], [`Set`], [`Move`], [`Remove`] and [`Commit`], and a [`Batch`] of
//!   them happens together. Questions are a text, or a [`Select`]; [`answer`] has the parts of what
//!   comes back.
//! - [`session`] brings histories in and out: imports, threads for providers, replays, dumps, forks.
//! - [`sql`] answers questions in SQL over all of it.
//! - [`protocol`] speaks all of it as JSON, and has the one interface of programs that cannot know
//!   where the store is.
//! - [`language`] reads selectors and statements without a store, for editors and consoles.
//! - A [`Budget`] ends a question that takes too long. An [`Error`] has a [`Code`] for programs.
//! - The folder `examples` has an agent's loop, a journey in time, an import and two threads.
//!
//! # Reading the source
//!
//! From the bottom up: `limits`, `named`, `cause`, `code` and `json` know nothing of the rest. `model` has the nouns,
//! `language` turns text into syntax and back, `lifecycle` is the commit sequence, `snapshot` has
//! the bytes and digests of states. `change` judges edits and applies events; it is pure. `storage`
//! is a file of tables; `log` keeps the events in it, `index` what is derived from them, and `store`
//! both in one transaction. `query` answers selectors. `db` owns the state, `session` brings
//! histories in and out, `sql` lets SQLite count over it, and `protocol` is the JSON face of it all. Nothing imports upwards, and a
//! test holds that line.

#[cfg(feature = "attach")]
pub mod attach;
mod budget;
mod cause;
mod change;
mod code;
mod db;
mod error;
mod index;
pub mod json;
pub mod language;
mod lifecycle;
pub mod limits;
mod log;
mod model;
mod named;
pub mod protocol;
mod query;
#[cfg(feature = "remote")]
pub mod remote;
#[cfg(feature = "serve")]
pub mod serve;
pub mod session;
mod snapshot;
pub mod sql;
mod storage;
mod store;

pub use budget::{Budget, Cancel};
pub use change::{Attempt, AttemptStatus, History};
pub use code::Code;
pub use db::{
    Add, Address, AttemptAction, AttemptRequest, Batch, Clock, Commit, CommitReply, Db, Diff,
    Durability, EditOp, EditReply, IdReply, IdsReply, ImportReply, Log, LogEntry, Move, Options,
    PromptBreaks, Remove, Restore, Select, Set, Snapshot, StackBy, Stats, TimelineRange,
    TimelineReply, UndoReply,
};
pub use error::{Error, ErrorDetails, Result};
pub use json::{Json, Map};
pub use language::Dialect;
pub use lifecycle::{Policy, Region};
pub use model::Generation;
pub use query::{
    DiffReply, Explanation, RangeDiffLatestResult, RichDiffReply, SelectOptions, Selected,
    SelectedNodes,
};
pub use storage::panics_are_caught;
pub use store::{Packed, Progress, StoreSizes, TableSizes, Verified, VerifyStep};

/// The parts of what questions answer: of ranges, differences and explanations.
pub mod answer {
    pub use crate::query::{
        Changed, ChangedFields, ContentDiff, ContentMode, ContentSummary, Delta, DiffBlock, Field,
        Finds, FromTo, Hunk, Limits, Material, Moved, ParentChanged, ParentDiff, Ran, RangeError,
        RangeStats, RichChanged, SnapshotRef, Tally, TokenOp,
    };
}

/// What the crate's own tests look into. It is no part of the API, and changes without notice.
#[doc(hidden)]
pub mod internals {
    pub mod budget {
        pub use crate::budget::{Reason, Stopped, check, reached};
    }
    pub mod change {
        pub use crate::change::{
            Add, Addition, ChangeError, Closed, Context, Edit, Insert, Move, Parent, Remove, Set,
            State, Working, apply, close_commit, close_import, decide, plan_commit, plan_import,
        };
    }
    pub mod db {
        pub use crate::db::{ImportTurn, Sent, TurnsRequest};
    }
    pub mod index {
        pub use crate::index::{Indexed, Lookup, SummaryPage, Trigrams, name_hashes};
    }
    pub mod model {
        pub use crate::model::{
            AttrKind, ChangedPart, Class, ContentRef, DERIVED, FlagField, HEADERS, Header, Held,
            Id, Instance, ListField, Node, PARENT_TRACKED, Place, ReadError, SetBy, Skeleton, Slot,
            Subtree, TABLE, TextField, Tree, TurnSource, header, header_of, is_fixed, iso_from_ns,
            settable, violations,
        };
    }
    pub mod query {
        pub use crate::query::{
            EventState, Moment, QueryError, Question, Timeline, diff, explain, find_whole, nodes,
            plan, resolve, resolve_parent, resolve_place, resolve_target, rich_diff, select,
            select_paged, select_whole,
        };
    }
    pub mod snapshot {
        pub use crate::snapshot::{Contents, content_hash, export, hex, read_document};
    }
    pub mod storage {
        pub use crate::storage::{FileStorage, StorageBackend};
    }
}

/// The program of the README is compiled with the others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
