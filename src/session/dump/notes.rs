//! Events that say nothing about the tree: provider calls, and where something came from.

use super::fields::{Fields, count, invalid};
use super::form::{number, object, read_as, written};
use crate::change::{Attempt, Origin, OriginKind};
use crate::error::Result;
use crate::json::Json;
use crate::snapshot::hex;

pub(super) fn write_attempt(attempt: &Attempt) -> Json {
    let mut fields = vec![
        ("attempt_id", Json::from(attempt.attempt_id.as_str())),
        ("cycle_id", number(attempt.cycle_id)),
        ("status", written(&attempt.status)),
        ("started_at", Json::Int(attempt.started_at)),
    ];
    fields.extend(attempt.ended_at.map(|time| ("ended_at", Json::Int(time))));
    let names = [
        ("provider", &attempt.provider),
        ("model", &attempt.model),
        ("params_hash", &attempt.params_hash),
        ("error", &attempt.error),
        ("thread_format", &attempt.thread_format),
    ];
    for (name, value) in names {
        fields.extend(value.as_ref().map(|value| (name, Json::from(value.as_str()))));
    }
    for (name, count) in [("token_in", attempt.token_in), ("token_out", attempt.token_out)] {
        fields.extend(count.map(|count| (name, written(&count))));
    }
    fields.extend(attempt.at_event.map(|seq| ("at_event", number(seq))));
    fields.extend(attempt.thread_sha256.map(|hash| ("thread_sha256", Json::Str(hex(&hash)))));
    object(fields)
}

/// A count that somebody else made, of any size.
fn read_big(fields: &mut Fields, name: &str) -> Result<Option<u64>> {
    match fields.take(name) {
        Some(Json::BigInt(digits)) => {
            digits.parse().map(Some).map_err(|_| invalid(format!("'{name}' is too large")))
        }
        Some(value) => count(name, value).map(Some),
        None => Ok(None),
    }
}

pub(super) fn read_attempt(mut fields: Fields) -> Result<Attempt> {
    let word = fields.text("status")?;
    let attempt = Attempt {
        attempt_id: fields.text("attempt_id")?,
        cycle_id: fields.count("cycle_id")?,
        status: read_as(Json::from(word.as_str()))
            .map_err(|_| invalid(format!("there is no status '{word}'")))?,
        started_at: fields.int("started_at")?,
        ended_at: fields.optional_int("ended_at")?,
        provider: fields.optional_text("provider")?,
        model: fields.optional_text("model")?,
        params_hash: fields.optional_text("params_hash")?,
        token_in: read_big(&mut fields, "token_in")?,
        token_out: read_big(&mut fields, "token_out")?,
        error: fields.optional_text("error")?,
        at_event: fields.optional_count("at_event")?,
        thread_format: fields.optional_text("thread_format")?,
        thread_sha256: fields.optional_hash("thread_sha256")?,
    };
    fields.finish()?;
    Ok(attempt)
}

pub(super) fn write_origin(origin: &Origin) -> Json {
    let kind = match origin.kind {
        OriginKind::Import => "import",
        OriginKind::Fork => "fork",
    };
    let mut fields = vec![("kind", Json::from(kind)), ("digest", Json::Str(hex(&origin.digest)))];
    let names = [("name", &origin.name), ("format", &origin.format), ("session", &origin.session)];
    for (name, value) in names {
        fields.extend(value.as_ref().map(|value| (name, Json::from(value.as_str()))));
    }
    fields.extend(origin.cycle.map(|cycle| ("cycle", number(cycle))));
    object(fields)
}

pub(super) fn read_origin(data: &mut Fields) -> Result<Origin> {
    let kind = match data.text("kind")?.as_str() {
        "import" => OriginKind::Import,
        "fork" => OriginKind::Fork,
        other => return Err(invalid(format!("there is no origin '{other}'"))),
    };
    Ok(Origin {
        kind,
        name: data.optional_text("name")?,
        format: data.optional_text("format")?,
        session: data.optional_text("session")?,
        digest: data.hash("digest")?,
        cycle: data.optional_count("cycle")?,
    })
}
