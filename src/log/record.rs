//! Records of the log: events in a versioned envelope, chained by hashes.
//!
//! A record's row is its body followed by its hash: BLAKE3 over the hash before it, its sequence
//! number and the body. Any change to the past shows in every hash after it. The record has the
//! digests of the contents that the event brought; the contents are rows of their own.

use super::extras::Extras;
use super::stored_event::StoredEvent;
use crate::change::Event;
use crate::storage::{StoreError, decode, encode};
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
pub(crate) fn hash_of(seq: u64, row: &[u8]) -> Result<ChainHash, StoreError> {
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
