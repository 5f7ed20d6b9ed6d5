//! Requests about the store as a whole: histories in and out, figures, checks.

use crate::db::request;
use crate::json::Json;
use crate::language::Dialect;
use serde::{Deserialize, Deserializer};

request! {
    /// Takes back the newest uncommitted edit or batch.
    pub struct Undo {} optional {
        /// The last event that the caller knows of: with a newer one of somebody else's nothing
        /// happens.
        expected_event: Option<i64>,
    }

    /// Takes in a history that somebody else wrote: one of `snapshot`, `messages` and `document`.
    pub struct Import {} optional {
        /// A snapshot object (R9.2).
        snapshot: Option<Json>,
        /// Messages (R9.4).
        #[serde(deserialize_with = "messages")]
        messages: Option<Vec<Json>>,
        /// With messages: the time of the first node.
        created_at_ns: Option<i64>,
        /// The text of a document in one of the formats of docs/import.md.
        document: Option<String>,
        /// With a document: the name of its format; it is recognised if there is none.
        format: Option<String>,
        /// With a document: what it is called, for the log.
        name: Option<String>,
        /// With a document: leave bad records out instead of refusing it.
        skip_bad: bool,
        /// With a document: take a session that was taken before.
        again: bool,
    }

    /// The whole history as lines of docs/dump.md. Streams one part for each line.
    pub struct Dump {} optional {
        /// Only up to this snapshot or event; all of it, uncommitted edits too, if there is none.
        at: Option<String>,
        /// The dialect of the address; the store's own if there is none.
        dialect: Option<Dialect>,
    }

    /// Figures of the store.
    pub struct GetStats {} optional {
        /// Each table of the file too: its rows, what they take, and what its pages take.
        tables: bool,
    }

    /// Checks everything against the log. Reports progress.
    pub struct Verify {}

    /// Makes everything that is derived again from the log. Reports progress.
    pub struct Rebuild {}

    /// Looks through the whole log for what looks like a secret. Reports progress.
    pub struct Redact {
        /// Only true: what is in the store already is reported.
        scan: bool,
    } optional {
        /// The names of patterns; without any, and without `own`, all but `email`.
        patterns: Vec<String>,
        /// Regular expressions of one's own.
        own: Vec<String>,
    }

    /// Packs the file and gives free room back. Reports progress.
    pub struct Compact {}
}

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
