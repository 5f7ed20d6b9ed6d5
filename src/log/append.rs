//! Appending events to the log, with the contents that they bring.

use super::contents::{content_digest, content_row};
use super::record::{ChainHash, write_record};
use super::tables::LOG;
use crate::change::Event;
use crate::json::Json;
use crate::storage::{StoreError, Writer};
use std::sync::Arc;

/// An event to be written, with the contents that it brings.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// What happened.
    pub event: Arc<Event>,
    /// Its contents, as items 1, 2, …
    pub contents: Vec<Json>,
}

/// What a record has that is written again as it was: its batch, its time and its hash.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp {
    pub(crate) group: u64,
    pub(crate) time: i64,
    pub(crate) hash: ChainHash,
}

/// Where the log ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogEnd {
    /// The sequence number of the next event.
    pub(crate) next_seq: u64,
    /// The hash of the last record.
    pub(crate) hash: ChainHash,
}

/// Writes events behind the last one, and says where the log ends then. Events that have a stamp
/// must get the hash in it.
pub(crate) fn append_events(
    txn: &Writer,
    end: LogEnd,
    events: &[NewEvent],
    time: i64,
    stamps: &[Stamp],
    compressor: &mut zstd::bulk::Compressor<'_>,
) -> Result<LogEnd, StoreError> {
    let (first, mut hash) = (end.next_seq, end.hash);
    let mut table = txn.open_table(LOG)?;
    let mut rows = table.append()?;
    for (i, new) in events.iter().enumerate() {
        let seq = first + i as u64;
        let stamp = stamps.get(i);
        let (group, time) = stamp.map_or((first, time), |stamp| (stamp.group, stamp.time));
        let digests = new.contents.iter().map(content_digest).collect();
        let (row, next) = write_record(seq, group, time, &new.event, digests, &hash)?;
        if stamp.is_some_and(|stamp| stamp.hash != next) {
            return Err(StoreError::corrupt(format!("event {seq} does not match its hash")));
        }
        rows.insert((seq, 0), row.as_slice())?;
        hash = next;
        for (k, content) in new.contents.iter().enumerate() {
            let key = (seq, k as u32 + 1);
            rows.insert(key, content_row(key, content, compressor).as_slice())?;
        }
    }
    rows.close()?;
    Ok(LogEnd { next_seq: first + events.len() as u64, hash })
}
