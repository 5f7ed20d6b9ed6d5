//! Requests and replies as lines of JSON: one line in, one line out, and lines before it if the
//! request says that it streams.

use super::client::Client;
use super::dispatch::handle;
use super::envelope::Envelope;
use super::reply::{Body, Notice, Reply};
use crate::db::Db;
use crate::error::{Error, Result};
use crate::json::{self, Json};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

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

/// Lets a client answer one line as it came. If it asks for that, lines of progress and of parts go
/// to `before` first; an error of it ends the operation.
pub fn handle_streaming(
    client: &dyn Client,
    line: Vec<u8>,
    before: &mut dyn FnMut(&str) -> Result<()>,
) -> String {
    let mut request = match request_of(&line) {
        Ok(request) => request,
        Err(error) => return refuse_line(&line, error),
    };
    drop(line);
    let rid = match &mut request {
        Json::Map(map) => map.get("rid").cloned(),
        _ => None,
    };
    let reply = match Envelope::from_json(request) {
        Ok(envelope) => client.call(envelope, &mut |notice| {
            before(&line_of(&Told { rid: rid.as_ref(), notice: &notice }))
        }),
        Err(error) => Reply::refused(rid, error),
    };
    line_of(&reply)
}

/// A notice as it is sent.
struct Told<'a> {
    rid: Option<&'a Json>,
    notice: &'a Notice,
}

impl Serialize for Told<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(rid) = self.rid {
            map.serialize_entry("rid", rid)?;
        }
        match self.notice {
            Notice::Progress(progress) => map.serialize_entry("progress", progress)?,
            Notice::Part(part) => map.serialize_entry("part", part)?,
        }
        map.end()
    }
}

/// The reply to a line that cannot be a request, of which only the beginning may be there.
pub fn refuse_line(line: &[u8], error: Error) -> String {
    let rid = json::field(line, "rid");
    line_of(&Reply::refused(rid, error))
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

fn line_of<T: Serialize>(value: &T) -> String {
    json::line(value).unwrap_or_else(|error| {
        // Cannot happen: replies are made of values that JSON has.
        format!("{{\"error\":{{\"code\":\"E_REQUEST_INVALID\",\"message\":\"{error}\"}}}}")
    })
}

impl Reply {
    /// The reply of a line. With `exact`, the bytes of what it yields are kept as they are.
    pub fn from_line(line: &str, exact: bool) -> Result<Reply> {
        let unreadable = |error: &dyn std::fmt::Display| {
            Error::request(format!("the line is not a reply: {error}"))
        };
        let value = json::parse(line).map_err(|error| unreadable(&error))?;
        let mut reply: Reply = json::from_json(value).map_err(|error| unreadable(&error))?;
        if let (Ok(body), true) = (&mut reply.result, exact)
            && let Some(text) = json::raw_field(line, "ok")
        {
            *body = Body::Exact(text.to_owned());
        }
        Ok(reply)
    }
}
