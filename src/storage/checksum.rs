//! The checksum that every row ends in: over its table, its key and its bytes. So a bad byte, and a
//! row under a wrong key, is found when the row is read.

use super::error::StoreError;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How many bytes of a row are its checksum.
const CHECK_BYTES: usize = 8;

/// Appends the checksum to the bytes of a row.
pub(crate) fn seal(table: &str, key: &[u8], mut bytes: Vec<u8>) -> Vec<u8> {
    let check = check(table, key, &bytes);
    bytes.extend_from_slice(&check);
    bytes
}

/// The bytes of a row without its checksum, which must be right.
pub(crate) fn unseal<'a>(
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

/// The checksum: XXH3 finds damage and is many times faster than a cryptographic hash; against
/// forgers there are the chain and the digests.
fn check(table: &str, key: &[u8], bytes: &[u8]) -> [u8; CHECK_BYTES] {
    let seed = xxh3_64_with_seed(key, xxh3_64_with_seed(table.as_bytes(), 0));
    xxh3_64_with_seed(bytes, seed).to_le_bytes()
}
