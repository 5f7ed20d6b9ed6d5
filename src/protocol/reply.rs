//! What comes back: the reply, and what may be told on the way to it.

use crate::error::{Error, Result};
use crate::json::{self, Json};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A reply to one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The request's `rid`, if it had one.
    pub rid: Option<Json>,
    /// What came of it.
    pub result: Result<Body>,
    /// What else there is to say.
    pub warnings: Vec<String>,
}

impl Reply {
    /// The reply to a request that failed.
    pub fn refused(rid: Option<Json>, error: Error) -> Reply {
        Reply { rid, result: Err(error), warnings: Vec::new() }
    }
}

/// What an operation yields.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// A value.
    Value(Json),
    /// JSON whose very bytes are fixed: an export or a thread.
    Exact(String),
}

impl Body {
    /// The value.
    pub fn into_json(self) -> Result<Json> {
        match self {
            Body::Value(value) => Ok(value),
            Body::Exact(text) => Ok(json::parse(&text)?),
        }
    }

    /// The text: the fixed one, or the canonical one of a value.
    pub fn into_text(self) -> Result<String> {
        match self {
            Body::Value(value) => Ok(json::canonical_string(&value)),
            Body::Exact(text) => Ok(text),
        }
    }
}

/// How far a long operation has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Progress {
    /// What is being done.
    pub step: String,
    /// How much of it is done.
    pub done: u64,
    /// How much there is.
    pub total: u64,
}

/// What is told before the reply, if the request says that it streams.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Notice {
    /// How far it has come.
    Progress(Progress),
    /// A part of the answer.
    Part(Json),
}

/// Takes what is told before the reply. An error ends the operation.
pub type Sink<'a> = &'a mut dyn FnMut(Notice) -> Result<()>;

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Body::Value(value) => value.serialize(serializer),
            Body::Exact(text) => {
                let raw: &RawValue =
                    serde_json::from_str(text).map_err(serde::ser::Error::custom)?;
                raw.serialize(serializer)
            }
        }
    }
}

impl Serialize for Reply {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(rid) = &self.rid {
            map.serialize_entry("rid", rid)?;
        }
        match &self.result {
            Ok(value) => map.serialize_entry("ok", value)?,
            Err(error) => map.serialize_entry("error", error)?,
        }
        if !self.warnings.is_empty() {
            map.serialize_entry("warnings", &self.warnings)?;
        }
        map.end()
    }
}

/// A reply as JSON has it.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Reply"))]
#[allow(missing_docs, reason = "the fields of `Reply`")]
pub(super) struct Wire {
    #[serde(default, deserialize_with = "there")]
    rid: Option<Json>,
    #[serde(default, deserialize_with = "there")]
    ok: Option<Json>,
    #[serde(default)]
    error: Option<Error>,
    #[serde(default)]
    warnings: Vec<String>,
}

/// A value that may be null and is there.
fn there<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

impl<'de> Deserialize<'de> for Reply {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Reply, D::Error> {
        let Wire { rid, ok, error, warnings } = Wire::deserialize(deserializer)?;
        let result = match (ok, error) {
            (Some(value), None) => Ok(Body::Value(value)),
            (None, Some(error)) => Err(error),
            _ => return Err(serde::de::Error::custom("a reply has one of 'ok' and 'error'")),
        };
        Ok(Reply { rid, result, warnings })
    }
}
