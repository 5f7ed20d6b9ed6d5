//! Contents: their rows in the log, and reading them.
//!
//! A content is stored once, beside the record of the event that brought it. A text is stored as it
//! is, anything else as canonical JSON, and both compressed where that pays. The digest, over the
//! plain bytes, is in the record.

use super::tables::{LOG, LogKey, log_key, log_key_bytes};
use crate::json::{self, Json, canonical_string};
use crate::model::ContentRef;
use crate::snapshot::Body;
use crate::storage::{Bytes, Readable, StoreError, Writer, repack, seal, unseal};

/// How many events are passed over one by one; a content that is further away is sought anew.
const SEEK_FROM: u64 = 8;

/// A content from the log.
pub(crate) fn get_content(
    log: &impl Readable<LogKey, Bytes>,
    (seq, item): LogKey,
) -> Result<Json, StoreError> {
    let row = log.get((seq, item))?.ok_or_else(|| missing_content(seq, item))?;
    content_from_row(seq, item, row.value())
}

/// Lends contents one after the other, in the order of the list, which should be that of the log:
/// it is walked along, and sought in anew where the next content is far.
pub(crate) fn each_content(
    log: &impl Readable<LogKey, Bytes>,
    list: &[ContentRef],
    each: &mut dyn FnMut(usize, Body<'_>),
) -> Result<(), StoreError> {
    let Some(first) = list.first() else { return Ok(()) };
    let mut rows = log.range((first.seq, first.item)..)?;
    let mut at = (first.seq, first.item);
    for (i, content) in list.iter().enumerate() {
        let key = (content.seq, content.item);
        if key.0 > at.0.saturating_add(SEEK_FROM) || key < at {
            rows = log.range(key..)?;
        }
        let row = rows.value_at(|found| found.cmp(&key))?;
        let row = row.ok_or_else(|| missing_content(key.0, key.1))?;
        at = (key.0, key.1 + 1);
        lend_from_row(key, row.value(), |body| each(i, body))?;
    }
    Ok(())
}

/// Lends one content.
pub(crate) fn lend_content(
    log: &impl Readable<LogKey, Bytes>,
    (seq, item): LogKey,
    lend: impl FnOnce(Body<'_>),
) -> Result<(), StoreError> {
    let row = log.get((seq, item))?.ok_or_else(|| missing_content(seq, item))?;
    lend_from_row((seq, item), row.value(), lend)
}

fn lend_from_row(
    (seq, item): LogKey,
    row: &[u8],
    lend: impl FnOnce(Body<'_>),
) -> Result<(), StoreError> {
    let what = || format!("content {item} of event {seq}");
    let bytes = unseal(LOG.name(), &log_key_bytes(seq, item), row, what)?;
    match plain_text(bytes) {
        Some(text) => lend(Body::Text(text)),
        None => lend(Body::of(&read_content(seq, item, bytes)?)),
    }
    Ok(())
}

/// The content of a row.
pub(super) fn content_from_row(seq: u64, item: u32, row: &[u8]) -> Result<Json, StoreError> {
    let what = || format!("content {item} of event {seq}");
    read_content(seq, item, unseal(LOG.name(), &log_key_bytes(seq, item), row, what)?)
}

/// The row of a content.
pub(super) fn content_row(
    (seq, item): LogKey,
    content: &Json,
    compressor: &mut zstd::bulk::Compressor<'_>,
) -> Vec<u8> {
    seal(LOG.name(), &log_key_bytes(seq, item), write_content(content, compressor))
}

/// Writes the log anew in key order, and compresses contents that get smaller by it.
pub(crate) fn repack_log(
    txn: &Writer,
    compressor: &mut zstd::bulk::Compressor<'_>,
) -> Result<(), StoreError> {
    repack(txn, LOG, &mut |(seq, item), row| pack_row(&log_key_bytes(seq, item), row, compressor))
}

/// What a row of the log becomes by compression, if that makes it smaller. The key is in bytes.
pub(crate) fn pack_row(
    key: &[u8],
    row: &[u8],
    compressor: &mut zstd::bulk::Compressor<'_>,
) -> Result<Option<Vec<u8>>, StoreError> {
    let (seq, item) = log_key(key)?;
    if item == 0 {
        return Ok(None);
    }
    let plain = unseal(LOG.name(), key, row, || format!("content {item} of event {seq}"))?;
    Ok(pack_content(plain, compressor).map(|packed| seal(LOG.name(), key, packed)))
}

fn missing_content(seq: u64, item: u32) -> StoreError {
    StoreError::corrupt(format!("content {item} of event {seq} is missing"))
}

const TEXT: u8 = 0;
const JSON: u8 = 1;
const COMPRESSED: u8 = 2;

/// Contents from this size on are compressed by a compaction, if they get smaller by it.
const COMPRESS_FROM: usize = 200;

/// Contents from this size on are compressed when they are written: there it saves more than it
/// costs. Smaller ones would make a commit wait for the compressor instead of the disk.
const COMPRESS_AT_ONCE: usize = 16 << 10;

/// The plain bytes of a content: a text as it is, anything else as canonical JSON.
fn content_plain(content: &Json) -> (u8, std::borrow::Cow<'_, [u8]>) {
    match content {
        Json::Str(text) => (TEXT, text.as_bytes().into()),
        other => (JSON, canonical_string(other).into_bytes().into()),
    }
}

/// The digest of a content.
pub(crate) fn content_digest(content: &Json) -> [u8; 32] {
    let (tag, plain) = content_plain(content);
    let mut hasher = blake3::Hasher::new_derive_key("pactdb 1 content");
    hasher.update(&[tag]);
    hasher.update(&plain);
    hasher.finalize().into()
}

/// The bytes of a content's row, before its check.
fn write_content(content: &Json, compressor: &mut zstd::bulk::Compressor<'_>) -> Vec<u8> {
    let (tag, plain) = content_plain(content);
    if plain.len() >= COMPRESS_AT_ONCE
        && let Some(row) = pack(tag, &plain, compressor)
    {
        return row;
    }
    let mut row = vec![tag];
    row.extend_from_slice(&plain);
    row
}

/// The same content's row in fewer bytes, if there is one.
fn pack_content(row: &[u8], compressor: &mut zstd::bulk::Compressor<'_>) -> Option<Vec<u8>> {
    let (tag, plain) = row.split_first()?;
    if tag & COMPRESSED != 0 || plain.len() < COMPRESS_FROM {
        return None;
    }
    pack(*tag, plain, compressor)
}

fn pack(tag: u8, plain: &[u8], compressor: &mut zstd::bulk::Compressor<'_>) -> Option<Vec<u8>> {
    let size = u32::try_from(plain.len()).ok()?;
    let packed = compressor.compress(plain).ok()?;
    if packed.len() + 4 >= plain.len() {
        return None;
    }
    let mut row = vec![tag | COMPRESSED];
    row.extend_from_slice(&size.to_le_bytes());
    row.extend_from_slice(&packed);
    Some(row)
}

/// The text of a content's row, if it is a text and not compressed.
fn plain_text(row: &[u8]) -> Option<&str> {
    match row.split_first() {
        Some((&TEXT, text)) => std::str::from_utf8(text).ok(),
        _ => None,
    }
}

/// Reads a content from the bytes of its row.
fn read_content(seq: u64, item: u32, row: &[u8]) -> Result<Json, StoreError> {
    let corrupt =
        |what: String| StoreError::corrupt(format!("content {item} of event {seq}: {what}"));
    let Some((tag, rest)) = row.split_first() else { return Err(corrupt("it is empty".into())) };
    let plain = if tag & COMPRESSED != 0 {
        let Some((size, packed)) = rest.split_first_chunk::<4>() else {
            return Err(corrupt("it is too short".into()));
        };
        let size = u32::from_le_bytes(*size) as usize;
        zstd::bulk::decompress(packed, size).map_err(|error| corrupt(error.to_string()))?
    } else {
        rest.to_vec()
    };
    let text = String::from_utf8(plain).map_err(|error| corrupt(error.to_string()))?;
    match tag & !COMPRESSED {
        TEXT => Ok(Json::Str(text)),
        JSON => json::parse(&text).map_err(|error| corrupt(error.to_string())),
        other => Err(corrupt(format!("unknown encoding {other}"))),
    }
}
