//! Edits: request → decide → event → apply (R3).
//!
//! [`decide`](mod@decide) judges a request against the state and writes down what is to happen as
//! an [`Event`]; a refused request leaves no trace. [`apply`] is the single place where the state
//! changes, for live edits, recovery, replay and import alike. Both are pure: time, sequence
//! numbers and contents come in as arguments.

mod apply;
mod cadence;
mod close;
pub mod decide;
mod error;
mod event;
mod ids;
mod instances;
mod part_change;
mod request;
mod restore;
mod state;
mod thread_change;

pub use apply::{apply, materialize};
pub use close::{Closed, Expiry, IndexDelta, close_commit, plan_commit};
pub use error::ChangeError;
pub use event::{
    Addition, Attempt, AttemptStatus, Change, Commit, Event, Import, Origin, OriginKind,
    Relocation, Restore,
};
pub use part_change::PartChange;
pub use request::{Add, Context, Edit, Insert, Move, Parent, Remove, Set};
pub use restore::{close_import, close_restore, plan_import};
pub use state::{History, Newest, Pending, State, Working};
pub use thread_change::ThreadChange;
