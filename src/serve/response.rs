//! Answers over HTTP whose body is a reply of the protocol.

use super::status::status_of;
use crate::error::Error;
use crate::json;
use crate::protocol::Reply;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;

/// One JSON value.
pub(super) const JSON: &str = "application/json";

/// One JSON value a line.
pub(super) const LINES: &str = "application/x-ndjson";

/// Server-sent events.
pub(super) const EVENTS: &str = "text/event-stream";

/// An answer. What a store says is for whoever asked, and is kept by nobody on the way.
pub(super) fn response(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    match status {
        StatusCode::UNAUTHORIZED => {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        _ => {}
    }
    response
}

/// A line of JSON.
pub(super) fn line(status: StatusCode, kind: &'static str, mut line: String) -> Response {
    line.push('\n');
    response(status, kind, line)
}

/// The answer to what is refused.
pub(super) fn refuse(error: Error) -> Response {
    refuse_as(status_of(error.code), error)
}

/// The same with a status of its own.
pub(super) fn refuse_as(status: StatusCode, error: Error) -> Response {
    line(status, JSON, error_line(error))
}

/// The reply that is an error.
pub(super) fn error_line(error: Error) -> String {
    text_of(&Reply::refused(None, error))
}

/// A value as a line.
pub(super) fn text_of<T: Serialize>(value: &T) -> String {
    // Cannot fail: all that is sent is made of values that JSON has.
    json::line(value).unwrap_or_default()
}
