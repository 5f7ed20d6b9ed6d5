//! What an import tells: how far it has come, which records are bad, and what it made.

use crate::db::ImportReply;
use crate::error::{Error, Result};
use crate::limits::MAX_BAD_NAMED;
use std::collections::BTreeMap;

/// How far an import has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportProgress {
    /// Bytes and records that were read.
    Reading {
        /// Bytes.
        bytes: u64,
        /// Records.
        records: u64,
    },
    /// Turns that were written, of how many.
    Writing {
        /// Turns that are done.
        done: u64,
        /// All of them.
        total: u64,
    },
}

/// A record that was left out because it is bad.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BadRecord {
    /// The line that it begins in.
    pub line: u64,
    /// What is wrong with it.
    pub message: String,
}

/// What an import made of a document.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ImportReport {
    /// The format.
    pub format: String,
    /// The name that the session gives itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Records in the document.
    pub records: u64,
    /// Blocks that were made.
    pub blocks: u64,
    /// Tool calls among them.
    pub calls: u64,
    /// Tool results among them.
    pub results: u64,
    /// Records that are no part of the conversation, by their type.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, u64>,
    /// The first bad records that were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bad: Vec<BadRecord>,
    /// How many more were.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_bad: u64,
    /// What it made: the newest cycle, how many cycles, how many nodes, the digest.
    #[serde(flatten)]
    pub reply: ImportReply,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What becomes of bad records.
pub(super) struct Judge {
    pub(super) skip: bool,
    /// The first of them.
    pub(super) named: Vec<BadRecord>,
    /// All of them.
    pub(super) count: u64,
}

impl Judge {
    pub(super) fn bad(&mut self, line: u64, error: Error) -> Result<()> {
        if !self.skip {
            let mut error = Error { message: format!("line {line}: {}", error.message), ..error };
            error.details.hint =
                Some("nothing was imported; --skip-bad leaves bad records out".into());
            return Err(error);
        }
        self.count += 1;
        if self.named.len() < MAX_BAD_NAMED {
            self.named.push(BadRecord { line, message: error.message });
        }
        Ok(())
    }

    /// How many are not named.
    pub(super) fn more(&self) -> u64 {
        self.count - self.named.len() as u64
    }
}
