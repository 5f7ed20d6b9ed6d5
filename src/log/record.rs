//! Records of the log: events in a versioned envelope, chained by hashes, and contents.
//!
//! A record's row is its body followed by its hash: BLAKE3 over the hash before it, its sequence
//! number and the body. Any change to the past shows in every hash after it. A content's row is
//! compressed where that pays; its digest, over the plain bytes, is in the record.

use super::StoreError;
use super::codec::{decode, encode};
use super::extras::Extras;
use super::stored::StoredEvent;
use crate::change::Event;
use crate::json::{self, Json, canonical_string};
use serde::{Deserialize, Serialize};

/// The versions of the envelope: the first, and the same followed by extras. An event is written
/// in the lowest one that can say it, and readers know all versions up to theirs.
const PLAIN: u8 = 1;
const WITH_EXTRAS: u8 = 2;

/// A hash of the chain.
pub type ChainHash = [u8; 32];

/// The hash before the first record.
pub fn chain_start() -> ChainHash {
    blake3::Hasher::new_derive_key("pactdb 1 start of the chain").finalize().into()
}

/// An event as it stands in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its sequence number, from 1.
    pub seq: u64,
    /// The first sequence number of its batch; its own if it stands alone.
    pub group: u64,
    /// The wall clock when it was written, in nanoseconds since 1970.
    pub time: i64,
    /// What happened.
    pub event: Event,
    /// The digests of its contents.
    pub contents: Vec<[u8; 32]>,
    /// Its hash.
    pub hash: ChainHash,
}

#[derive(Serialize, Deserialize)]
struct Envelope {
    version: u8,
    /// How many records back the batch began.
    back: u64,
    time: i64,
    contents: Vec<[u8; 32]>,
    event: StoredEvent,
}

/// The row of a record, and its hash.
pub(super) fn write_record(
    seq: u64,
    group: u64,
    time: i64,
    event: &Event,
    contents: Vec<[u8; 32]>,
    previous: &ChainHash,
) -> Result<(Vec<u8>, ChainHash), StoreError> {
    let extras = Extras::of(event);
    let envelope = Envelope {
        version: if extras.is_some() { WITH_EXTRAS } else { PLAIN },
        back: seq - group,
        time,
        contents,
        event: StoredEvent::from(event),
    };
    let mut row = encode(&envelope)?;
    if let Some(extras) = extras {
        row.extend_from_slice(&encode(&extras)?);
    }
    let hash = chain(previous, seq, &row);
    row.extend_from_slice(&hash);
    Ok((row, hash))
}

/// Reads a record. With the hash before it, its own is checked.
pub(super) fn read_record(
    seq: u64,
    row: &[u8],
    previous: Option<&ChainHash>,
) -> Result<Record, StoreError> {
    let (body, hash) = split(seq, row)?;
    if previous.is_some_and(|previous| chain(previous, seq, body) != hash) {
        return Err(StoreError::corrupt(format!("event {seq} does not match its hash")));
    }
    let what = format!("event {seq}");
    let (envelope, extras): (Envelope, Option<Extras>) = match body.first() {
        Some(&PLAIN) => (decode(body, &what)?, None),
        Some(&WITH_EXTRAS) => {
            decode(body, &what).map(|(envelope, extras)| (envelope, Some(extras)))?
        }
        Some(version) if *version > WITH_EXTRAS => {
            let message = format!("event {seq} was written by a newer release of pactdb");
            return Err(StoreError::Format(message));
        }
        _ => return Err(StoreError::corrupt(format!("event {seq} has no version"))),
    };
    let mut event = envelope.event.into_event()?;
    if let Some(extras) = extras {
        extras.join(&mut event)?;
    }
    let group = seq
        .checked_sub(envelope.back)
        .ok_or_else(|| StoreError::corrupt(format!("event {seq} belongs to no batch")))?;
    Ok(Record { seq, group, time: envelope.time, event, contents: envelope.contents, hash })
}

/// The hash of a record's row.
pub(super) fn hash_of(seq: u64, row: &[u8]) -> Result<ChainHash, StoreError> {
    Ok(split(seq, row)?.1)
}

fn split(seq: u64, row: &[u8]) -> Result<(&[u8], ChainHash), StoreError> {
    row.split_last_chunk::<32>()
        .map(|(body, hash)| (body, *hash))
        .ok_or_else(|| StoreError::corrupt(format!("event {seq} is too short")))
}

fn chain(previous: &ChainHash, seq: u64, body: &[u8]) -> ChainHash {
    let mut hasher = blake3::Hasher::new_derive_key("pactdb 1 record");
    hasher.update(previous);
    hasher.update(&seq.to_le_bytes());
    hasher.update(body);
    hasher.finalize().into()
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
pub(super) fn content_plain(content: &Json) -> (u8, std::borrow::Cow<'_, [u8]>) {
    match content {
        Json::Str(text) => (TEXT, text.as_bytes().into()),
        other => (JSON, canonical_string(other).into_bytes().into()),
    }
}

/// The digest of a content.
pub(super) fn content_digest(content: &Json) -> [u8; 32] {
    let (tag, plain) = content_plain(content);
    let mut hasher = blake3::Hasher::new_derive_key("pactdb 1 content");
    hasher.update(&[tag]);
    hasher.update(&plain);
    hasher.finalize().into()
}

/// The bytes of a content's row, before its check.
pub(super) fn write_content(
    content: &Json,
    compressor: &mut zstd::bulk::Compressor<'_>,
) -> Vec<u8> {
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
pub(super) fn pack_content(
    row: &[u8],
    compressor: &mut zstd::bulk::Compressor<'_>,
) -> Option<Vec<u8>> {
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
pub(super) fn plain_text(row: &[u8]) -> Option<&str> {
    match row.split_first() {
        Some((&TEXT, text)) => std::str::from_utf8(text).ok(),
        _ => None,
    }
}

/// Reads a content from the bytes of its row.
pub(super) fn read_content(seq: u64, part: u32, row: &[u8]) -> Result<Json, StoreError> {
    let corrupt =
        |what: String| StoreError::corrupt(format!("content {part} of event {seq}: {what}"));
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
