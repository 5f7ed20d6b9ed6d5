//! The only user of bincode: how values become bytes, and how bytes prove to be what was written.
//!
//! The codec's options are fixed here for the life of the format: little end first, integers of
//! variable length, and a bound on what a length prefix may claim. Every row ends in a check over
//! its table, its key and its bytes, so a bad byte, and a row under a wrong key, is found when it
//! is read.

use super::StoreError;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// No row is larger. The bound keeps a damaged length from asking for all memory.
const MAX_ROW_BYTES: usize = 1 << 31;

/// How many bytes of the check are kept.
const CHECK_BYTES: usize = 8;

fn options() -> impl bincode::config::Config {
    bincode::config::standard()
        .with_little_endian()
        .with_variable_int_encoding()
        .with_limit::<MAX_ROW_BYTES>()
}

/// The bytes of a value.
pub(super) fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, StoreError> {
    bincode::serde::encode_to_vec(value, options())
        .map_err(|error| StoreError::Io(format!("a value cannot be encoded: {error}")))
}

/// The value of bytes, all of which it must use.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T, StoreError> {
    match bincode::serde::decode_from_slice(bytes, options()) {
        Ok((value, used)) if used == bytes.len() => Ok(value),
        Ok(_) => Err(StoreError::corrupt(format!("{what} is followed by stray bytes"))),
        Err(error) => Err(StoreError::corrupt(format!("{what} cannot be decoded: {error}"))),
    }
}

/// Appends the check to the bytes of a row.
pub(super) fn seal(table: &str, key: &[u8], mut bytes: Vec<u8>) -> Vec<u8> {
    let check = check(table, key, &bytes);
    bytes.extend_from_slice(&check);
    bytes
}

/// The bytes of a row without the check, which must be right.
pub(super) fn unseal<'a>(
    table: &str,
    key: &[u8],
    row: &'a [u8],
    what: impl Fn() -> String,
) -> Result<&'a [u8], StoreError> {
    let Some(at) = row.len().checked_sub(CHECK_BYTES) else {
        return Err(StoreError::corrupt(format!("{} is too short", what())));
    };
    let (bytes, found) = row.split_at(at);
    if check(table, key, bytes) != found {
        return Err(StoreError::corrupt(format!("{} does not match its check", what())));
    }
    Ok(bytes)
}

fn check(table: &str, key: &[u8], bytes: &[u8]) -> [u8; CHECK_BYTES] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(table.len() as u64).to_le_bytes());
    hasher.update(table.as_bytes());
    hasher.update(&(key.len() as u64).to_le_bytes());
    hasher.update(key);
    hasher.update(bytes);
    let mut check = [0; CHECK_BYTES];
    check.copy_from_slice(&hasher.finalize().as_bytes()[..CHECK_BYTES]);
    check
}
