//! The body of a request: read within its bounds of size and time.

use super::shared::Shared;
use crate::code::Code;
use crate::error::{Error, Result};
use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, header};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A body that was read. It counts as held until this is dropped.
pub(super) struct Held {
    shared: Arc<Shared>,
    bytes: Vec<u8>,
    counted: usize,
}

impl Held {
    /// One that the server wrote itself, and that does not count.
    pub(super) fn own(shared: &Arc<Shared>, bytes: Vec<u8>) -> Held {
        Held { shared: shared.clone(), bytes, counted: 0 }
    }

    /// Its bytes; the count ends.
    pub(super) fn take(mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    fn add(&mut self, bytes: &Bytes) -> Result<()> {
        let most = self.shared.settings.limits.body_bytes;
        if self.bytes.len() + bytes.len() > most {
            return Err(too_large(most));
        }
        self.counted += bytes.len();
        let all = self.shared.body_bytes.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len();
        if all > most.saturating_mul(4) {
            let message = "too many large requests come at once: try again later";
            return Err(Error::new(Code::Busy, message));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.shared.body_bytes.fetch_sub(self.counted, Ordering::Relaxed);
    }
}

/// Reads the body of a request.
pub(super) async fn read(shared: &Arc<Shared>, headers: &HeaderMap, body: Body) -> Result<Held> {
    let limits = &shared.settings.limits;
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    // What is too large by its own word is not read at all.
    if length.and_then(|length| length.parse::<u64>().ok()) > Some(limits.body_bytes as u64) {
        return Err(too_large(limits.body_bytes));
    }
    let read = tokio::time::timeout(limits.body_time, frames(shared, body));
    read.await.unwrap_or_else(|_| {
        let message = format!("the body did not come within {:?}", limits.body_time);
        Err(Error::new(Code::Timeout, message))
    })
}

async fn frames(shared: &Arc<Shared>, mut body: Body) -> Result<Held> {
    let mut held = Held::own(shared, Vec::new());
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame.map_err(|_| Error::request("the body of the request was cut off"))?;
        if let Some(bytes) = frame.data_ref() {
            held.add(bytes)?;
        }
    }
    Ok(held)
}

fn too_large(most: usize) -> Error {
    Error::new(Code::Limit, format!("the body of a request has at most {most} bytes: split it"))
}
