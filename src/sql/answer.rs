//! What a question in SQL is, and what it is answered with: plain data, whatever is compiled in.

use crate::json::Json;
use serde::{Deserialize, Serialize};

/// The answer to a question in SQL.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SqlReply {
    /// The columns.
    pub columns: Vec<SqlColumn>,
    /// The rows, each a list with a value for each column: null, a number or a text. Bytes that are
    /// no text are written in hex.
    pub rows: Vec<Vec<Json>>,
    /// Whether there are more rows.
    pub truncated: bool,
}

/// A column of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SqlColumn {
    /// Its name, as the question gives it.
    pub name: String,
    /// The declared type, if it is the column of a table and no expression.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// A table that questions can read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SqlTable {
    /// How it is called: `lives`, `pact(SELECTOR)`.
    pub call: String,
    /// Its name.
    pub name: String,
    /// What its rows are.
    pub about: String,
    /// Its columns: name, type, and what it is.
    pub columns: Vec<(String, String, String)>,
}
