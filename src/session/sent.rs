//! What a provider was sent: the thread of the state in which a call was started, and the hash that
//! was kept of it.

use super::provider::{Thread, ThreadFormat, thread};
use crate::change::Attempt;
use crate::code::Code;
use crate::db::{AttemptAction, AttemptRequest, Db, Sent};
use crate::error::{Error, Result};
use crate::snapshot::{hex, text_hash};
use serde::{Deserialize, Serialize};

/// A thread that is still, byte for byte, what an attempt was started with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SameThread {
    /// The attempt.
    pub attempt_id: String,
    /// The event after which it was started.
    pub at_event: u64,
    /// The format of the thread.
    pub format: String,
    /// SHA-256 over its bytes, in lower-case hex.
    pub thread_sha256: String,
}

/// Starts, finishes or lists provider calls, like [`Db::attempt`]. Of a call that starts in a
/// format, the hash of the thread is kept, and the warnings of that thread are returned.
pub fn attempt(db: &Db, request: AttemptRequest) -> Result<(Vec<Attempt>, Vec<String>)> {
    let (Some(format), AttemptAction::Start) = (request.format, request.action) else {
        return Ok((db.attempt(request)?, Vec::new()));
    };
    let mut warnings = Vec::new();
    let started = db.start_attempt(request, |state| {
        let Thread { text, warnings: said } = thread(state, format)?;
        warnings = said;
        Ok(Sent { format: format.name().to_owned(), sha256: text_hash(&text) })
    })?;
    Ok((vec![started], warnings))
}

/// Compares the thread of the state in which an attempt was started with the hash that was kept of
/// it.
pub fn check_sent(db: &Db, attempt_id: &str) -> Result<SameThread> {
    let attempt = db.attempt_named(attempt_id)?;
    let (Some(name), Some(kept)) = (&attempt.thread_format, attempt.thread_sha256) else {
        let message = format!("no thread was kept of the attempt {attempt_id}");
        let mut error = Error::new(Code::NodeNotFound, message);
        error.details.hint = Some("`attempt start --format openai` keeps its hash".to_owned());
        return Err(error);
    };
    let Some(format) = ThreadFormat::from_name(name) else {
        let message =
            format!("the attempt {attempt_id} was sent in {name}, a format of a later release");
        return Err(Error::new(Code::StoreFormat, message));
    };
    let state = db.at_attempt(attempt_id)?;
    let found = text_hash(&thread(&state, format)?.text);
    if found != kept {
        let message = format!(
            "the thread of the attempt {attempt_id} in {name} is not what was kept: its SHA-256 is {}, not {}",
            hex(&found),
            hex(&kept)
        );
        let mut error = Error::new(Code::Conflict, message);
        error.details.hint = Some(
            "another release may say some blocks in another way; `verify` checks the log"
                .to_owned(),
        );
        return Err(error);
    }
    Ok(SameThread {
        attempt_id: attempt.attempt_id,
        at_event: attempt.at_event.unwrap_or_default(),
        format: name.clone(),
        thread_sha256: hex(&kept),
    })
}
