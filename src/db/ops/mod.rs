//! Requests and replies of the operations, as plain data.
//!
//! What comes from outside is read through [`crate::json::from_json`] and told apart as the
//! protocol does: a field that is not there, null, false and an empty list. Nothing here knows a
//! store.

mod absent;
mod ask;
mod attempt;
mod batch;
mod build;
mod edit;
mod headers;
mod reply;
mod request;
mod timeline;
mod turns;

pub use ask::{Diff, Log, Restore, Select};
pub use attempt::{AttemptAction, AttemptRequest, ThreadFormat};
pub use batch::{Batch, EditOp, EndCadence, PolicyRequest};
pub(crate) use batch::{in_words, read};
pub use edit::{Add, Commit, Move, Remove, Set};
pub use headers::{HeaderInfo, Headers};
pub use reply::{
    CommitReply, EditReply, IdReply, IdsReply, ImportReply, KeyReply, LogEntry, Stats, UndoReply,
};
pub(crate) use request::{is_default, request};
pub(crate) use timeline::KeptPrompt;
pub use timeline::{PromptBreaks, StackBy, TimelineRange, TimelineReply};
pub use turns::{ImportTurn, TurnsRequest};
