//! What a caller may ask for beside the text (R8.5, R6.11). The JSON names are those of the
//! protocol; a name that is not among them is refused.

use crate::language::ast::{Mode, Order};
use serde::{Deserialize, Serialize};

/// The options of a query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SelectOptions {
    /// Say how contents differ, where they do.
    pub include_content: bool,
    /// In which form.
    pub content_mode: ContentMode,
    /// Lines around each change of a unified diff, or words around each change of tokens; 3 if
    /// none is given.
    pub context_lines: Option<u32>,
    /// Fields to put beside each change of content.
    pub materialize: Vec<Material>,
    /// The most snapshots of a range; the newest are kept.
    pub max_snapshots: Option<u64>,
    /// The most changes of each block of a range.
    pub max_changes_per_snapshot: Option<u64>,
    /// Like `@limit`; the smaller one wins.
    pub limit: Option<u64>,
    /// Like `@skip`, which it replaces.
    pub skip: Option<u64>,
    /// Like `@order`, which it replaces.
    pub order: Option<Order>,
    /// Like `@mode`, which it replaces.
    pub mode: Option<Mode>,
    /// A person typed the question: `age`, `born_turn`, `depth` and `sdepth` may be asked of the
    /// working state too, and every name that nothing has is said, also if something was found.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub typed: bool,
}

impl SelectOptions {
    /// The lines around a change.
    pub fn context(&self) -> usize {
        self.context_lines.map_or(3, |lines| lines as usize)
    }
}

/// How a difference of contents is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ContentMode {
    /// A unified diff of lines.
    #[default]
    Unified,
    /// RFC 6902.
    Jsonpatch,
    /// Words kept, deleted and inserted.
    Tokens,
}

/// A field that goes with a change of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each variant is the field that its name spells")]
pub enum Material {
    Content,
    Mime,
    Encoding,
    ContentHash,
}
