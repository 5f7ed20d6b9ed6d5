//! Queries: from a syntax tree to an answer.
//!
//! The way of a question is `ast -> resolve -> plan -> eval -> ids | nodes | range`:
//!
//! - `resolve` gives names, types and times their meaning in a dialect and a store.
//! - [`plan`] is the result: what is asked, in cycles and tests, without any syntax.
//! - `eval` answers a plan on one state; `history` on every snapshot (`@*`), `following` what `??` and positional
//!   pseudos come to there; `cursor` gives either page by page; `range` compares snapshots, and `diff` any two states.
//! - `turn_pages` keeps pages of the turn index for whoever goes back through history.
//! - `cost` warns of questions that cost more than what they read once.
//! - `select` and `explain` lead through all stages; `states` says which states a text is about;
//!   `edit_targets` finds the nodes and places that an edit names.
//!
//! A *part* of a tree is `^sys`, one turn or `^ah` with all that is below it: the unit that is
//! stored, loaded and shared between snapshots.
//!
//! A store implements [`Timeline`]; queries never see the log or a file. Asking changes
//! nothing, and the same question gets the same bytes. Each planned answer has a plain twin that
//! reads everything ([`select_whole`], [`find_whole`]); they are the same.
//!
//! In this folder and in its subfolders a file may use the files beside it as long as no two need
//! each other, also over others. A `mod.rs` uses the files of its folder and is used by none of them:
//! what they share stands in a file of its own.

mod cost;
mod count;
mod cursor;
mod diff;
mod edit_targets;
mod eval;
mod explain;
mod following;
mod history;
mod options;
pub mod plan;
mod query_error;
mod range;
mod resolve;
mod select;
mod states;
mod timeline;
mod turn_pages;

pub use count::{Counted, count_all};
pub use diff::{
    ChangedFields, DiffReply, Moved, ParentChanged, ParentDiff, RichChanged, RichDiffReply, diff,
    rich_diff,
};
pub use edit_targets::{resolve_parent, resolve_place, resolve_target};
pub use eval::find_whole;
pub use explain::{Explanation, Finds, Ran, explain, explain_typed};
pub use options::{ContentMode, Material, SelectOptions};
pub use query_error::QueryError;
pub use range::{
    Changed, ContentDiff, ContentSummary, Delta, DiffBlock, Field, FromTo, Hunk, Limits,
    RangeDiffLatestResult, RangeError, RangeStats, SnapshotRef, TokenOp,
};
pub use resolve::{Question, resolve};
#[cfg(feature = "sql")]
pub(crate) use select::changes_between;
pub use select::{
    Selected, SelectedNodes, answer_by_block, nodes, nodes_of, select, select_paged, select_whole,
};
pub use states::{ReadStates, states_read};
pub use timeline::{EventState, Moment, Read, Tally, Timeline};
#[cfg(feature = "sql")]
pub(crate) use {
    cursor::{Cursor, NodePage},
    eval::{Hit, ResultItem, SummaryHit},
};
