//! The tables that are not derived, and their keys.

use crate::model::Generation;
use crate::storage::{StoreError, Table, seal};

/// The version of the file as a whole. A newer one is refused.
pub(crate) const FORMAT: u32 = 1;

/// What the store is: `format`, `generation`, `identity`, which has both and a checksum, and `id`. The
/// index keeps two rows of its own here, `derived` and `checkpoint`.
pub(crate) const META: Table<&'static str> = Table::primary("meta");

/// Records and contents.
pub(crate) const LOG: Table<LogKey> = Table::primary("log");

/// A sequence number and an item of that event: item 0 is its record, items 1, 2, … are its
/// contents.
pub(crate) type LogKey = (u64, u32);

/// The bytes of a log key, for its checksum.
pub(crate) fn log_key_bytes(seq: u64, item: u32) -> [u8; 12] {
    let mut bytes = [0; 12];
    bytes[..8].copy_from_slice(&seq.to_le_bytes());
    bytes[8..].copy_from_slice(&item.to_le_bytes());
    bytes
}

/// The log key that has these bytes: those of its checksum are those of the file.
pub(super) fn log_key(bytes: &[u8]) -> Result<LogKey, StoreError> {
    let wrong = |_| StoreError::corrupt("a key of the log has another length than all others");
    let bytes: [u8; 12] = bytes.try_into().map_err(wrong)?;
    let (seq, item) = (u64::from_le_bytes(bytes[..8].try_into().map_err(wrong)?), &bytes[8..]);
    Ok((seq, u32::from_le_bytes(item.try_into().map_err(wrong)?)))
}

/// The row of `meta` that says what the store is, with a checksum.
pub(crate) fn identity_row(format: u32, generation: Generation) -> Vec<u8> {
    let mut bytes = format.to_le_bytes().to_vec();
    bytes.extend_from_slice(generation.name().as_bytes());
    seal(META.name(), b"identity", bytes)
}
