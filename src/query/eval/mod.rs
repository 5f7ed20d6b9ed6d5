//! Evaluation: what a plan finds in one state, in the order of R7.
//!
//! There are two ways to the same answer. [`find_whole`] loads every part of the tree (`^sys`, each
//! turn, `^ah`) and takes the chains over it; it is what a selector means. [`find`] avoids work:
//!
//! - `walk` takes a chain over parts that were loaded. Both ways use it.
//! - `scope` says which parts can matter for a chain, and asks the indexes of the store for them.
//! - `from_index` answers from the turn index, without loading turns, as far as that goes;
//!   `index_hits` has what it found.
//! - `chain_scan` joins these for one chain, `merge` goes over the parts with several chains, and
//!   `search` gives what they find page by page.
//! - `tops` answers what is asked of all that lies below `^root` and `^seq`, and `settle` decides positional pseudos that count over several parts.
//! - `tracker` and `trackers` follow both from one snapshot to the one before.
//! - `local` is for questions that can be asked of changed parts alone (`by_part` of one part), `edit_places` for the places
//!   of edits, `inspect` for `explain`.
//!
//! Nothing here knows syntax but for its small words (orders, operators, zones).

mod by_part;
mod chain_scan;
mod edit_places;
mod find;
mod from_index;
mod index_hits;
mod inspect;
mod local;
mod merge;
mod results;
mod scope;
mod search;
mod settle;
mod tops;
mod tracker;
mod trackers;
mod walk;

pub(super) use by_part::ByPart;
pub(super) use edit_places::{Named, find_places};
pub(super) use find::find_ids;
pub use find::{find, find_whole};
pub(super) use from_index::TemplateQuery;
pub(super) use inspect::{can_be_followed, parts_looked_at, reads, trace};
pub(super) use local::{Finder, find_in, is_local};
pub use results::Hit;
pub(crate) use results::ResultItem;
#[cfg(feature = "sql")]
pub(crate) use results::SummaryHit;
pub(super) use results::{Arranged, FoundId, Wants, arrange, effective_order, place_of};
pub(super) use search::{Search, node_of};
pub(super) use settle::{counts_nothing, picked_by, settled_by};
pub(super) use tracker::Picked;
pub(super) use trackers::{Aids, Outcome, Trackers};
