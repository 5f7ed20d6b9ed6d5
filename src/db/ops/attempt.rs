//! Provider calls as they are told (R10): one begins, one ends, which there are.

use super::build::{count_setters, setters};
use crate::change::AttemptStatus;
use crate::error::{Error, Result};
use crate::json::Json;
use crate::named::named;
use crate::snapshot::params_hash;
use serde::{Deserialize, Deserializer, Serialize};

named! {
    /// A form of a thread.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum ThreadFormat {
        /// One object for each block (R9.5).
        #[default]
        Thread = "thread",
        /// The `messages` of the OpenAI chat API.
        Openai = "openai",
        /// An object with the `messages` and the `system` of the Anthropic API.
        Anthropic = "anthropic",
    }
}

impl<'de> Deserialize<'de> for ThreadFormat {
    fn deserialize<D: Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<ThreadFormat, D::Error> {
        let name = String::deserialize(deserializer)?;
        ThreadFormat::from_name(&name).ok_or_else(|| {
            let known = ThreadFormat::ALL.map(ThreadFormat::name).join(", ");
            serde::de::Error::custom(format!("a thread's 'format' is one of {known}, not {name}"))
        })
    }
}

/// Records provider calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AttemptAction {
    /// One begins. What is not given is made: a name, the time.
    Start,
    /// One ends.
    Finish,
    /// Which there are.
    List,
}

impl<'de> Deserialize<'de> for AttemptAction {
    fn deserialize<D: Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<AttemptAction, D::Error> {
        Ok(match String::deserialize(deserializer)?.as_str() {
            "start" => AttemptAction::Start,
            "finish" => AttemptAction::Finish,
            "list" => AttemptAction::List,
            other => {
                let message = format!("an attempt can start, finish or list, not {other}");
                return Err(serde::de::Error::custom(message));
            }
        })
    }
}

/// A provider call to start, to finish or to look up (R10).
///
/// ```
/// use pactdb::{AttemptRequest, AttemptStatus, Db, Generation};
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// let started = db.attempt(AttemptRequest::start().attempt_id("call-1").model("large"))?;
/// assert_eq!(started[0].status, AttemptStatus::Running);
/// let finish = AttemptRequest::finish("call-1").status(AttemptStatus::Completed);
/// db.attempt(finish.token_in(120).token_out(48))?;
/// assert_eq!(db.attempt(AttemptRequest::list())?[0].token_out, Some(48));
/// # Ok::<(), pactdb::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AttemptRequest {
    /// What to do.
    pub action: AttemptAction,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt_id: Option<String>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "status")]
    pub status: Option<AttemptStatus>,
    /// When it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<i64>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<i64>,
    /// Whose model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Which model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// A hash of the parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params_hash: Option<String>,
    /// For a start, instead: the parameters, of which the hash is kept. Null is a value of them.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "params")]
    pub params: Option<Json>,
    /// For a start: the format of the thread whose hash is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ThreadFormat>,
    /// Tokens sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_in: Option<u64>,
    /// Tokens received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_out: Option<u64>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// For a list: only those of this cycle. Records call it `cycle_id`; both names find them.
    #[serde(
        default,
        rename = "cycle_id",
        alias = "cycle",
        skip_serializing_if = "Option::is_none"
    )]
    pub cycle: Option<u64>,
}

impl AttemptRequest {
    /// A request with nothing but what to do.
    pub fn new(action: AttemptAction) -> AttemptRequest {
        AttemptRequest {
            action,
            attempt_id: None,
            status: None,
            started_at: None,
            ended_at: None,
            provider: None,
            model: None,
            params_hash: None,
            params: None,
            format: None,
            token_in: None,
            token_out: None,
            error: None,
            cycle: None,
        }
    }

    /// A call that begins.
    pub fn start() -> AttemptRequest {
        AttemptRequest::new(AttemptAction::Start)
    }

    /// The end of a call.
    pub fn finish(attempt_id: impl Into<String>) -> AttemptRequest {
        AttemptRequest::new(AttemptAction::Finish).attempt_id(attempt_id)
    }

    /// Which calls there are.
    pub fn list() -> AttemptRequest {
        AttemptRequest::new(AttemptAction::List)
    }

    setters! {
        Some;
        /// Its name, instead of one that is made.
        attempt_id: String;
        /// How it ended.
        status: AttemptStatus;
        /// When it started, in nanoseconds since 1970.
        started_at: i64;
        /// When it ended, in nanoseconds since 1970.
        ended_at: i64;
        /// Whose model.
        provider: String;
        /// Which model.
        model: String;
        /// The parameters, of which the hash is kept.
        params: Json;
        /// The format of the thread whose hash is kept.
        format: ThreadFormat;
        /// What went wrong.
        error: String;
    }

    count_setters! {
        /// Tokens sent.
        token_in;
        /// Tokens received.
        token_out;
        /// For a list: only those of this cycle.
        cycle;
    }

    /// The same with the hash in the place of the parameters, if its fields go with the action.
    pub(crate) fn hashed(mut self) -> Result<AttemptRequest> {
        let start = self.action == AttemptAction::Start;
        let strange = match () {
            () if !start && self.params.is_some() => Some("params"),
            () if !start && self.format.is_some() => Some("format"),
            () if self.action != AttemptAction::List && self.cycle.is_some() => Some("cycle_id"),
            () => None,
        };
        if let Some(name) = strange {
            let message = format!("attempt does not know '{name}': leave it out");
            return Err(Error::request(message));
        }
        if let Some(params) = self.params.take() {
            if self.params_hash.is_some() {
                return Err(Error::request("'params' are hashed: leave 'params_hash' out"));
            }
            self.params_hash = Some(params_hash(&params));
        }
        Ok(self)
    }
}

fn status<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<AttemptStatus>, D::Error> {
    use serde::de::{Error, Unexpected};
    let name = Option::<String>::deserialize(deserializer)?;
    name.map(|name| name.parse()).transpose().map_err(|message: String| {
        D::Error::invalid_value(Unexpected::Other(&message), &"a status")
    })
}

fn params<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}
