//! Requests about the store as a whole: histories in and out, figures, checks.

use crate::json::Json;
use crate::language::Dialect;
use serde::{Deserialize, Deserializer, Serialize};

/// Takes back the newest uncommitted edit or batch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Undo {}

/// Takes in a history that somebody else wrote: one of `snapshot`, `messages` and `document`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Import {
    /// A snapshot object (R9.2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Json>,
    /// Messages (R9.4).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "messages")]
    pub messages: Option<Vec<Json>>,
    /// With messages: the time of the first node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at_ns: Option<i64>,
    /// The text of a document in one of the formats of docs/import.md.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// With a document: the name of its format; it is recognised if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// With a document: what it is called, for the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// With a document: leave bad records out instead of refusing it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skip_bad: bool,
    /// With a document: take a session that was taken before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

/// The whole history as lines of docs/dump.md. Streams one part for each line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Dump {
    /// Only up to this snapshot or event; all of it, uncommitted edits too, if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The dialect of the address; the store's own if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Dialect>,
}

/// Figures of the store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetStats {}

/// Checks everything against the log. Reports progress.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Verify {}

/// Makes everything that is derived again from the log. Reports progress.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rebuild {}

/// Packs the file and gives free room back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Compact {}

fn messages<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<Json>>, D::Error> {
    match Json::deserialize(deserializer)? {
        Json::Null => Ok(None),
        Json::List(list) => Ok(Some(list)),
        other => {
            let message = format!("'messages' must be a list, not {}", other.type_name());
            Err(serde::de::Error::custom(message))
        }
    }
}
