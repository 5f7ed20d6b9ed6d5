//! Reading events from the log table. Every record is checked against the hash of the one before
//! it.

use super::append::LogEnd;
use super::contents::content_from_row;
use super::record::{ChainHash, Record, chain_start, hash_of, read_record};
use super::tables::LogKey;
use crate::json::Json;
use crate::storage::{Bytes, Readable, StoreError};

/// An event as it stands in the log, with the contents that it brought.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The event.
    pub record: Record,
    /// Its contents, as items 1, 2, …
    pub contents: Vec<Json>,
}

/// An event.
pub(crate) fn get_record(
    log: &impl Readable<LogKey, Bytes>,
    seq: u64,
) -> Result<Option<Record>, StoreError> {
    let Some(row) = log.get((seq, 0))? else { return Ok(None) };
    let previous = match seq {
        0 | 1 => chain_start(),
        _ => match log.get((seq - 1, 0))? {
            Some(row) => hash_of(seq - 1, row.value())?,
            None => return Err(missing_event(seq - 1)),
        },
    };
    read_record(seq, row.value(), Some(&previous)).map(Some)
}

/// Events from a sequence number on: at most `count` of them.
pub(crate) fn get_records(
    log: &impl Readable<LogKey, Bytes>,
    from: u64,
    count: usize,
) -> Result<Vec<Record>, StoreError> {
    let from = from.max(1);
    let mut hash = match from {
        1 => chain_start(),
        _ => match log.get((from - 1, 0))? {
            Some(row) => hash_of(from - 1, row.value())?,
            None => return Ok(Vec::new()),
        },
    };
    let mut records: Vec<Record> = Vec::new();
    for row in log.range((from, 0)..)? {
        let (key, row) = row?;
        let (seq, item) = key.value();
        let next = from + records.len() as u64;
        if item > 0 && seq + 1 == next {
            continue;
        }
        if records.len() == count {
            break;
        }
        if item > 0 || seq != next {
            return Err(missing_event(next));
        }
        let record = read_record(seq, row.value(), Some(&hash))?;
        hash = record.hash;
        records.push(record);
    }
    Ok(records)
}

/// The same with their contents.
pub(crate) fn get_entries(
    log: &impl Readable<LogKey, Bytes>,
    from: u64,
    count: usize,
) -> Result<Vec<Entry>, StoreError> {
    let mut entries = Vec::new();
    for record in get_records(log, from, count)? {
        let items = (record.seq, 1)..(record.seq + 1, 0);
        let contents: Result<Vec<Json>, StoreError> = log
            .range(items)?
            .map(|row| {
                let (key, row) = row?;
                let (seq, item) = key.value();
                content_from_row(seq, item, row.value())
            })
            .collect();
        let contents = contents?;
        if record.contents.len() != contents.len() {
            let message = format!("contents of event {} are missing", record.seq);
            return Err(StoreError::corrupt(message));
        }
        entries.push(Entry { record, contents });
    }
    Ok(entries)
}

/// The next records after one whose number and hash are known: at most `count` of them, none at the
/// end of the log. Unlike [`get_records`] it does not read the record before.
pub(crate) fn next_records(
    log: &impl Readable<LogKey, Bytes>,
    after: u64,
    mut hash: ChainHash,
    count: usize,
) -> Result<Vec<Record>, StoreError> {
    let mut batch = Vec::new();
    for entry in log.range((after + 1, 0)..)? {
        let (key, row) = entry?;
        let (found, item) = key.value();
        if item != 0 {
            continue;
        }
        if found != after + 1 + batch.len() as u64 {
            return Err(missing_event(after + 1 + batch.len() as u64));
        }
        let record = read_record(found, row.value(), Some(&hash))?;
        hash = record.hash;
        batch.push(record);
        if batch.len() == count {
            break;
        }
    }
    Ok(batch)
}

/// Where the log ends.
pub(crate) fn find_end(log: &impl Readable<LogKey, Bytes>) -> Result<LogEnd, StoreError> {
    let Some(last) = log.last()?.map(|(key, _)| key.value()) else {
        return Ok(LogEnd { next_seq: 1, hash: chain_start() });
    };
    let (seq, _) = last;
    let row = log.get((seq, 0))?.ok_or_else(|| missing_event(seq))?;
    Ok(LogEnd { next_seq: seq + 1, hash: hash_of(seq, row.value())? })
}

/// The error for an event that should be there.
pub(crate) fn missing_event(seq: u64) -> StoreError {
    StoreError::corrupt(format!("event {seq} is missing from the log"))
}
