//! A store as a program uses it. [`Db`] owns the state in progress and the file; everything below
//! it is either pure or storage.
//!
//! Writers take turns. Readers never wait for a writer's disk: they take the state as it was last
//! published, and every committed part of it stays readable for ever.

mod ask;
mod attempts;
mod bulk;
mod clock;
mod edit;
mod handle;
mod judge;
mod lives;
mod log;
mod moment;
mod ops;
mod options;
mod read;
mod resolve;
mod series;
mod settings;
mod timeline;
mod transfer;
mod unknown;
mod view;

pub use attempts::Sent;
pub use clock::Clock;
pub use handle::Db;
pub use log::{concerned_ids, log_entry};
pub use ops::{
    Add, AttemptAction, AttemptRequest, Batch, Commit, CommitReply, Diff, EditOp, EditReply,
    EndCadence, HeaderInfo, Headers, IdReply, IdsReply, ImportReply, ImportTurn, KeyReply, Log,
    LogEntry, Move, PolicyRequest, PromptBreaks, Remove, Restore, Select, Set, StackBy, Stats,
    ThreadFormat, TimelineRange, TimelineReply, TurnsRequest, UndoReply,
};
pub(crate) use ops::{KeptPrompt, in_words, is_default, read, request};
pub use options::Options;
pub use read::{Address, Snapshot};
pub use series::check_import;
pub use settings::Durability;
pub use transfer::{NewStore, Source};
#[cfg(feature = "sql")]
pub(crate) use view::View;
