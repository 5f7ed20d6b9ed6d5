//! Running requests, and their replies.

use super::parse::{At, Op, Question, parse_request};
use crate::db::{Db, EditOp, EditReply, Snapshot};
use crate::error::{Error, Result};
use crate::json::{self, Json};
use crate::query::Selected;
use crate::session;
use serde::Serialize;
use serde::ser::SerializeMap;
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

/// What an operation yields.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// A value.
    Value(Json),
    /// JSON whose very bytes are fixed: an export or a thread.
    Exact(String),
}

impl Serialize for Body {
    fn serialize<S: serde::Serializer>(
        &self,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
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
    fn serialize<S: serde::Serializer>(
        &self,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
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

/// Answers one line of JSON with one line of JSON.
pub fn handle_line(db: &Db, line: &str) -> String {
    handle_bytes(db, line.as_bytes().to_vec())
}

/// Answers one line as it came.
pub fn handle_bytes(db: &Db, line: Vec<u8>) -> String {
    match request_of(&line) {
        Ok(request) => {
            // It is not held beside what was made of it.
            drop(line);
            line_of(&handle(db, request))
        }
        Err(error) => refuse_line(&line, error),
    }
}

/// The reply to a line that cannot be a request, of which only the beginning may be there.
pub fn refuse_line(line: &[u8], error: Error) -> String {
    let rid = json::field(line, "rid");
    line_of(&Reply { rid, result: Err(error), warnings: Vec::new() })
}

fn request_of(line: &[u8]) -> Result<Json> {
    let text = std::str::from_utf8(line).map_err(|error| {
        let message = format!("the line is not UTF-8 from its byte {} on", error.valid_up_to() + 1);
        Error::request(message)
    })?;
    json::parse_document(text.trim()).map_err(|error| {
        let error = Error::from(error);
        let message = format!("the line is not a JSON request: {}", error.message);
        Error { message, ..error }
    })
}

fn line_of(reply: &Reply) -> String {
    json::line(reply).unwrap_or_else(|error| {
        // Cannot happen: replies are made of values that JSON has.
        format!("{{\"error\":{{\"code\":\"E_REQUEST_INVALID\",\"message\":\"{error}\"}}}}")
    })
}

/// Answers one request.
pub fn handle(db: &Db, mut request: Json) -> Reply {
    let rid = match &mut request {
        Json::Map(map) => map.remove("rid"),
        _ => None,
    };
    let mut warnings = Vec::new();
    let result = parse_request(request).and_then(|op| run(db, op, &mut warnings));
    Reply { rid, result, warnings }
}

/// Answers one operation.
pub fn answer(db: &Db, op: Op) -> Reply {
    let mut warnings = Vec::new();
    let result = run(db, op, &mut warnings);
    Reply { rid: None, result, warnings }
}

fn run(db: &Db, op: Op, warnings: &mut Vec<String>) -> Result<Body> {
    let value = match op {
        Op::Export(at) => return Ok(Body::Exact(state(db, &at)?.export()?)),
        Op::Thread { at, request } => {
            let thread = session::thread(&state(db, &at)?, request)?;
            warnings.extend(thread.warnings);
            return Ok(Body::Exact(thread.text));
        }
        Op::Edit(op) => edit(db, op),
        Op::Batch(request) => {
            let results = db.batch(request)?;
            to_json(&Results { results })
        }
        Op::Policies => to_json(&db.policies()),
        Op::Undo => to_json(&db.undo()?),
        Op::Restore(request) => to_json(&db.restore(request)?),
        Op::Attempt { request, format } => {
            let list = request.action == crate::db::AttemptAction::List;
            let (mut attempts, said) = session::attempt(db, *request, format)?;
            warnings.extend(said);
            match attempts.pop() {
                Some(attempt) if !list => to_json(&attempt),
                last => {
                    attempts.extend(last);
                    to_json(&attempts)
                }
            }
        }
        Op::ImportSnapshot(snapshot) => {
            let reply = db.import_snapshot(&snapshot)?;
            warnings.extend_from_slice(&reply.warnings);
            to_json(&reply)
        }
        Op::ImportMessages { messages, created_at_ns } => {
            to_json(&db.import_messages(&messages, created_at_ns)?)
        }
        Op::Select(Question { q, dialect, options }) => match db.select(&q, dialect, &options)? {
            Selected::Ids { ids, warnings: said } => {
                warnings.extend(said);
                Ok(Json::List(ids.iter().map(|id| Json::from(&**id)).collect()))
            }
            Selected::Range(range) => to_json(&range),
        },
        Op::Nodes(Question { q, dialect, options }) => {
            let nodes = db.nodes(&q, dialect, &options)?;
            warnings.extend(nodes.warnings);
            Ok(Json::List(nodes.nodes.into_iter().map(Json::Map).collect()))
        }
        Op::Diff(request) => db.diff(&request),
        Op::Explain(Question { q, dialect, .. }) => to_json(&db.explain(&q, dialect)?),
        Op::Log(request) => to_json(&db.log_page(&request)?),
        Op::Stats => to_json(&db.stats()?),
        Op::Verify => to_json(&db.verify(|_| {})?),
    };
    value.map(Body::Value)
}

/// The state that an operation reads.
fn state(db: &Db, at: &At) -> Result<Snapshot> {
    match at {
        At::Working => Ok(db.working_state()),
        At::Time(time) => db.at(Some(time)),
        At::Attempt(id) => db.at_attempt(id),
    }
}

#[derive(Serialize)]
struct Results {
    results: Vec<EditReply>,
}

fn edit(db: &Db, op: EditOp) -> Result<Json> {
    match op {
        EditOp::Commit(request) => to_json(&db.commit(request)?),
        op => to_json(&db.edit(op)?),
    }
}

fn to_json<T: Serialize>(value: &T) -> Result<Json> {
    let value = serde_json::to_value(value).map_err(|error| Error::request(error.to_string()))?;
    Ok(Json::try_from(value)?)
}
