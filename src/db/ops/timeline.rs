//! What a store's history looks like from afar: the request and the reply of `timeline`.

use super::ThreadFormat;
use serde::{Deserialize, Serialize};

/// What the bytes of a context are told apart by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum StackBy {
    /// By who speaks.
    #[default]
    Role,
    /// By region.
    Region,
}

/// Which stretch of history is looked at, and how closely.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimelineRange {
    /// No snapshot before this cycle; it need not have one.
    pub from: Option<u64>,
    /// No snapshot after this cycle.
    pub to: Option<u64>,
    /// The most buckets; 500 if there is none.
    pub buckets: Option<u64>,
    /// What the bytes are told apart by.
    pub by: StackBy,
    /// Whether tokens are wanted too.
    pub tokens: bool,
}

/// Sizes and happenings of a stretch of history, bucket by bucket, oldest first. The lists have one
/// item for each bucket; a list of counts that are all 0 is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TimelineReply {
    /// The first cycle; 0 if there is no snapshot.
    pub from: u64,
    /// The last cycle.
    pub to: u64,
    /// How many snapshots there are from the first to the last.
    pub snapshots: u64,
    /// How many snapshots are in a bucket: a power of two. The first and the last may have fewer.
    pub width: u64,
    /// The last cycle of each bucket.
    pub cycle: Vec<u64>,
    /// When its snapshot was written, in milliseconds since 1970.
    pub time_ms: Vec<i64>,
    /// What `bytes` has a list for.
    pub stack: Vec<String>,
    /// The bytes of contents in the last snapshot of each bucket.
    pub bytes: Vec<Vec<u64>>,
    /// Its blocks.
    pub blocks: Vec<u64>,
    /// The most bytes of contents that a snapshot of the bucket has.
    pub greatest: Vec<u64>,
    /// The first cycle that has so many.
    pub greatest_at: Vec<u64>,
    /// Blocks that a snapshot has and the one before it has not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub came: Vec<u64>,
    /// Blocks that went by an edit, an import or a restore.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<u64>,
    /// Topmost nodes that expired.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expired: Vec<u64>,
    /// Containers that became empty and went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cascaded: Vec<u64>,
    /// Blocks that policies removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pruned: Vec<u64>,
    /// Snapshots that a restore made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restored: Vec<u64>,
    /// Snapshots that were imported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imported: Vec<u64>,
    /// Snapshots whose thread does not begin with the whole thread before: a prompt cache misses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<u64>,
    /// The cycle of the worst of them, of which the smallest share is left; 0 where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub break_at: Vec<u64>,
    /// The leading blocks that are left of the thread before in the worst one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept_blocks: Vec<u64>,
    /// The bytes of their contents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept_bytes: Vec<u64>,
    /// The bytes of contents in the whole thread before the worst one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept_of: Vec<u64>,
    /// Provider calls of these cycles that ended in an error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<u64>,
    /// If they were wanted: the tokens of the last snapshot of each bucket, null where they were not
    /// counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<Option<u64>>,
    /// If they were wanted: the estimate of policies, a quarter of the bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub estimated_tokens: Vec<u64>,
    /// If a provider's format was chosen: where prompts in it break.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<PromptBreaks>,
}

/// Where prompts in a provider's format break, bucket by bucket.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PromptBreaks {
    /// The format.
    pub format: ThreadFormat,
    /// Snapshots whose prompt does not begin with the whole prompt before; null where not all of a
    /// bucket were looked at.
    pub breaks: Vec<Option<u64>>,
    /// The cycle of the worst of them, of which the smallest share is left; 0 where there is none.
    pub break_at: Vec<u64>,
    /// The leading bytes that are left of the prompt before in the worst one.
    pub kept_bytes: Vec<u64>,
    /// The bytes of the whole prompt before the worst one.
    pub kept_of: Vec<u64>,
}

/// How much of the prompt before a snapshot is left in its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct KeptPrompt {
    /// Whether a piece of it is not left as it was.
    pub(crate) broken: bool,
    /// The leading bytes that are left.
    pub(crate) bytes: u64,
    /// The bytes of the prompt before.
    pub(crate) of: u64,
}
