//! What goes around a request: who asked, how long it may take, whether parts are wanted.

use super::operation::Request;
use crate::budget::Budget;
use crate::db::in_words;
use crate::error::{Error, Result};
use crate::json::{Json, from_json};
use serde::{Deserialize, Deserializer, Serialize};
use std::time::Duration;

/// A request and what goes with it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Envelope {
    /// Any value; the reply has the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rid: Option<Json>,
    /// How many milliseconds the answer may take; 0 and nothing mean that there is no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Whether progress and parts are wanted before the reply.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stream: bool,
    /// What is asked.
    #[serde(flatten)]
    pub request: Request,
}

impl Envelope {
    /// A request alone.
    pub fn new(request: impl Into<Request>) -> Envelope {
        Envelope { rid: None, timeout_ms: None, stream: false, request: request.into() }
    }

    /// What the answer may take.
    pub(super) fn budget(&self) -> Budget {
        Budget::new().timeout(Duration::from_millis(self.timeout_ms.unwrap_or(0)))
    }

    /// The envelope of a JSON object.
    pub fn from_json(mut value: Json) -> Result<Envelope> {
        let mut take = |name: &str| match &mut value {
            Json::Map(map) => map.remove(name),
            _ => None,
        };
        let rid = take("rid");
        let (timeout, stream) = (take("timeout_ms"), take("stream"));
        let wrong = |name: &str, error: crate::json::DecodeError| {
            Error::in_request("a request", error.in_field(name))
        };
        let timeout_ms = timeout.map(from_json).transpose().map_err(|e| wrong("timeout_ms", e))?;
        let stream = stream.map(from_json).transpose().map_err(|e| wrong("stream", e))?;
        Ok(Envelope {
            rid,
            timeout_ms: timeout_ms.flatten(),
            stream: stream.flatten().unwrap_or(false),
            request: Request::from_json(value)?,
        })
    }
}

impl<T: Into<Request>> From<T> for Envelope {
    fn from(request: T) -> Envelope {
        Envelope::new(request)
    }
}

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Envelope, D::Error> {
        Envelope::from_json(Json::deserialize(deserializer)?).map_err(in_words)
    }
}
