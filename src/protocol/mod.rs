//! The operation protocol: one set of operations, as plain data, for every front.
//!
//! A [`Request`] is one of the operations; [`Operation`] says what each answers. An [`Envelope`]
//! carries it, a [`Reply`] carries what came of it, and both are JSON objects on a line.
//! [`answer`] is the one dispatcher. Fronts hold a [`Client`] and cannot tell where the store is.
//!
//! No operation names a file. Functions such as [`fork`] write files of the client's own, out of
//! what a store sends.

mod call;
mod cancels;
mod client;
mod complete;
mod dispatch;
mod envelope;
mod exact;
mod files;
mod lines;
#[cfg(test)]
mod made_up_headers;
mod operation;
#[cfg(any(feature = "attach", feature = "remote"))]
mod relay;
mod replies;
mod reply;
mod requests;
mod run_session;
#[cfg(feature = "schema")]
mod schema;
mod statement;
mod states;
mod vocabulary;

pub use crate::db::{EndCadence, HeaderInfo, Headers, KeyReply, PolicyRequest};
pub use crate::sql::{SqlColumn, SqlReply};
pub use cancels::Cancels;
pub use client::{Answered, Client, ClientExt, LocalClient};
pub use dispatch::{answer, handle};
pub use envelope::Envelope;
pub use exact::Exact;
pub use files::{Copied, dump_to, fork, load, replay_into};
pub use lines::{handle_bytes, handle_line, handle_streaming, refuse_line};
pub use operation::{Operation, Request};
#[cfg(feature = "attach")]
pub(crate) use relay::with_text;
#[cfg(any(feature = "attach", feature = "remote"))]
pub(crate) use relay::{notice_of, text_beside};
pub use replies::{
    Attempts, BatchReply, Compacted, Completed, Difference, Dumped, Formatted, Imported, Replayed,
    Selection, StateKind, StateReply, StoreState, WatchedUntil,
};
pub use reply::{Body, Notice, Progress, Reply, Sink};
pub use requests::{
    CheckSent, Compact, Compare, Complete, Details, Dump, Explain, Export, Fmt, GetStats, Import,
    Life, Nodes, Rebuild, Redact, Replay, Sql, State, Thread, Timeline, Tree, Undo, Verify, Watch,
};
#[cfg(feature = "schema")]
pub use schema::schema;
pub use statement::{add_fields, set_fields, statement_request};
pub use vocabulary::{statement_fields, words_of};
