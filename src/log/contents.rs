//! Reading contents: one that is wanted, or many along the log.

use super::StoreError;
use super::codec::unseal;
use super::guarded::Readable;
use super::read::LogReader;
use super::record::{plain_text, read_content};
use super::tables::log_key_bytes;
use crate::json::Json;
use crate::model::{ContentRef, ReadError};
use crate::snapshot::{Body, Contents};
use std::sync::Arc;

/// How many contents are read at once.
const SCAN: usize = 1024;

/// How many events are passed over rather than leapt over.
const LEAP: u64 = 8;

impl LogReader {
    /// Contents in the order of the log, without keeping them: by walking along the log, and by
    /// leaping where the next one is far.
    fn scan_contents(
        &self,
        list: &[ContentRef],
        each: &mut dyn FnMut(usize, Body<'_>),
    ) -> Result<(), StoreError> {
        self.with(|txn| {
            let table = txn.log()?;
            let Some(first) = list.first() else { return Ok(()) };
            let mut rows = table.range((first.seq, first.part)..)?;
            let mut at = (first.seq, first.part);
            for (i, content) in list.iter().enumerate() {
                let key = (content.seq, content.part);
                if key.0 > at.0.saturating_add(LEAP) || key < at {
                    rows = table.range(key..)?;
                }
                let row = match rows.next_from(|found| found < key).transpose()? {
                    Some((found, row)) if found.value() == key => row,
                    _ => return Err(missing_content(key.0, key.1)),
                };
                at = (key.0, key.1 + 1);
                lend_content(key, row.value(), |body| each(i, body))?;
            }
            Ok(())
        })
    }

    fn read_content(&self, content: &ContentRef) -> Result<Arc<Json>, StoreError> {
        let ContentRef { seq, part, .. } = *content;
        if let Some(content) = self.contents.get(&(seq, part)) {
            return Ok(content);
        }
        let value = self.with(|txn| {
            let table = txn.log()?;
            let row = table.get((seq, part))?.ok_or_else(|| missing_content(seq, part))?;
            content_from_row(seq, part, row.value())
        })?;
        let value = Arc::new(value);
        self.contents.insert((seq, part), value.clone());
        Ok(value)
    }
}

/// Lends a content from its row.
pub(super) fn lend_content(
    (seq, part): (u64, u32),
    row: &[u8],
    lend: impl FnOnce(Body<'_>),
) -> Result<(), StoreError> {
    let what = || format!("content {part} of event {seq}");
    let bytes = unseal("log", &log_key_bytes(seq, part), row, what)?;
    match plain_text(bytes) {
        Some(text) => lend(Body::Text(text)),
        None => lend(Body::of(&read_content(seq, part, bytes)?)),
    }
    Ok(())
}

pub(super) fn content_from_row(seq: u64, part: u32, row: &[u8]) -> Result<Json, StoreError> {
    let what = || format!("content {part} of event {seq}");
    read_content(seq, part, unseal("log", &log_key_bytes(seq, part), row, what)?)
}

pub(super) fn missing_content(seq: u64, part: u32) -> StoreError {
    StoreError::corrupt(format!("content {part} of event {seq} is missing"))
}

impl Contents for LogReader {
    fn content(&self, content: &ContentRef) -> Result<Arc<Json>, ReadError> {
        Ok(self.read_content(content)?)
    }

    fn each(
        &self,
        list: &[ContentRef],
        each: &mut dyn FnMut(usize, Body<'_>),
    ) -> Result<(), ReadError> {
        for (i, chunk) in list.chunks(SCAN).enumerate() {
            self.scan_contents(chunk, &mut |k, body| each(i * SCAN + k, body))?;
        }
        Ok(())
    }
}
