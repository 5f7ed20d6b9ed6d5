//! The shape of what a range yields (R8.1–R8.6). The key names are those of the protocol.

use crate::code::Code;
use crate::json::Json;
use crate::language::ast::Mode;
use crate::model::{Id, Name};
use crate::query::options::ContentMode;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smallvec::SmallVec;
use std::borrow::Cow;

/// What changed over a range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RangeDiffLatestResult {
    /// The text as given.
    pub query: String,
    /// The snapshots, newest first.
    pub snapshots: Vec<SnapshotRef>,
    /// One block for each pair of neighbours, or a single one.
    pub diffs: Vec<DiffBlock>,
    /// How they are paired.
    pub mode: Mode,
    /// There if something was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// What the asker should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What went wrong without spoiling the rest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<RangeError>,
}

impl RangeDiffLatestResult {
    /// Whether anything changed.
    pub fn has_changes(&self) -> bool {
        let is_empty = |diff: &DiffBlock| {
            diff.added_ids.is_empty() && diff.removed_ids.is_empty() && diff.changed.is_empty()
        };
        !self.diffs.iter().all(is_empty)
    }
}

/// A snapshot of a range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SnapshotRef {
    /// `t` or `c`.
    pub kind: Cow<'static, str>,
    /// The number in its address.
    pub value: i64,
    /// The address.
    pub label: Name,
    /// The cycle.
    pub cycle: u64,
}

/// What changed from one snapshot to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DiffBlock {
    /// The newer one.
    pub from: SnapshotRef,
    /// The older one.
    pub to: SnapshotRef,
    /// In the newer one only, in its canonical order.
    pub added_ids: Vec<Id>,
    /// In the older one only, by id.
    pub removed_ids: Vec<Id>,
    /// In both, but not the same; in the canonical order of the newer one.
    pub changed: Vec<Changed>,
    /// How many of each there are, those included that were cut.
    pub stats: RangeStats,
}

/// A node that changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Changed {
    /// Its id.
    pub id: Id,
    /// What differs.
    pub fields: SmallVec<[Field; 1]>,
    /// The values of these.
    pub delta: Delta,
    /// How the content differs, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_diff: Option<Box<ContentDiff>>,
}

/// The name of a field: a header's, or that of a custom attribute.
pub type Field = Cow<'static, str>;

/// Fields and their two values, in the order of the fields. Mostly there is one, and it is the ttl.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Delta(pub SmallVec<[(Field, FromTo); 1]>);

impl Serialize for Delta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, values)| (name, values)))
    }
}

impl<'de> Deserialize<'de> for Delta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Delta, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Delta;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Delta, A::Error> {
                let mut delta = Delta::default();
                while let Some((name, values)) = entries.next_entry::<String, FromTo>()? {
                    delta.0.push((Field::Owned(name), values));
                }
                Ok(delta)
            }
        }

        deserializer.deserialize_map(Fields)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Delta {
    fn schema_name() -> Cow<'static, str> {
        "Delta".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        std::collections::BTreeMap::<String, FromTo>::json_schema(generator)
    }
}

/// A value in the newer and in the older snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FromTo {
    /// In the newer one.
    pub from: Json,
    /// In the older one.
    pub to: Json,
}

/// Counts of a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RangeStats {
    /// Nodes in the newer one only.
    pub added: u64,
    /// Nodes in the older one only.
    pub removed: u64,
    /// Nodes that differ.
    pub changed: u64,
}

/// The caps that were given, and that one of them cut something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// The most snapshots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_snapshots: Option<u64>,
    /// The most changes of a block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_changes_per_snapshot: Option<u64>,
    /// Always true.
    pub truncated: bool,
}

/// Something that went wrong without spoiling the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RangeError {
    /// The code.
    pub code: Code,
    /// A sentence.
    pub message: String,
    /// Always false.
    pub fatal: bool,
}

/// How a content differs, from the older to the newer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ContentDiff {
    /// The form that was used.
    pub mode: ContentMode,
    /// The media type of the newer one, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// Sizes.
    pub summary: Summary,
    /// A unified diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// RFC 6902.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Json>,
    /// Words kept, deleted and inserted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hunks: Option<Vec<Hunk>>,
    /// What the words are, with hunks: `word`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<Cow<'static, str>>,
}

/// Sizes of two contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Bytes of the newer one.
    pub bytes_newer: u64,
    /// Bytes of the older one.
    pub bytes_older: u64,
    /// Whether the contents are the same.
    pub identical: bool,
    /// Whether they are too long to be compared.
    pub truncated: bool,
}

/// A stretch of words around a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Hunk {
    /// What to keep, delete and insert, in order.
    pub ops: Vec<TokenOp>,
}

/// One operation on words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenOp {
    /// `keep`, `del` or `ins`.
    pub op: Cow<'static, str>,
    /// The words, white space included.
    pub text: String,
}
