//! Ranges: what changed in the answer of a selector from snapshot to snapshot (R8.1–R8.6).
//!
//! `compute` goes through the pairs of snapshots. `comparer` compares two states, by the parts that
//! changed between them where the question allows it, else by asking both in full; `backward`
//! compares committed neighbours one after the other and reads each version of a part once. What is
//! found is a `difference`; `fields` says which headers differ, `content` how contents do, and
//! `writer` makes of it the blocks of a `result`, which has the shape of the protocol.

mod backward;
mod comparer;
mod compute;
mod content;
mod difference;
mod fields;
mod result;
mod writer;

pub(super) use comparer::Comparer;
pub(super) use compute::{Stops, range, range_by_block};
pub(super) use difference::Comparison;
pub(super) use fields::Difference;
pub use result::{
    Changed, ContentDiff, Delta, DiffBlock, Field, FromTo, Hunk, Limits, RangeDiffLatestResult,
    RangeError, RangeStats, SnapshotRef, Summary as ContentSummary, TokenOp,
};
