//! Sessions in and out: imports of foreign histories, threads for providers, replay, forks, and
//! dumps of a whole store.
//!
//! Everything here goes through [`Db`](crate::db::Db): there is one way to change a tree, and this
//! is not it. Readers and writers of bytes are arguments; nothing is printed, and progress is
//! reported through callbacks.

mod changes;
mod dump;
mod fork;
mod import;
mod life;
mod provider;
mod redact;
mod replay;
mod sent;
mod watch;

pub use crate::change::{Origin, OriginKind};
pub use crate::db::Source;
pub use changes::{FieldChange, NodeChange, What};
pub use dump::{DumpReport, Loader, dump, dump_lines, load, load_on};
pub use fork::{Until, copy, copy_on, fork, fork_on, last_closed, last_event};
pub use import::{
    BadRecord, Format, ImportProgress, ImportReport, ImportRequest, Incoming, import, import_read,
    read_import,
};
pub use life::{Moment, life};
pub(crate) use provider::prompt_breaks;
pub use provider::{Comparison, EndReason, Thread, ThreadFormat, ThreadRequest, compare, thread};
pub use redact::{Scanned, Suspect, scan};
pub use replay::{Replay, ReplayRequest, Step};
pub use sent::{SameThread, attempt, check_sent};
pub use watch::{Watch, WatchRequest, Watched};
