//! The only user of bincode: how values become bytes, and how bytes prove to be what was written.
//!
//! The codec's options are fixed here for the life of the format: little end first, integers of
//! variable length, and a bound on what a length prefix may claim. Every row ends in a check over
//! its table, its key and its bytes, so a bad byte, and a row under a wrong key, is found when it
//! is read.

use super::StoreError;
use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned};
use xxhash_rust::xxh3::xxh3_64_with_seed;

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

/// The same for a value that borrows from the bytes.
pub(super) fn decode_borrowed<'a, T: Deserialize<'a>>(
    bytes: &'a [u8],
    what: &dyn Fn() -> String,
) -> Result<T, StoreError> {
    match bincode::serde::borrow_decode_from_slice(bytes, options()) {
        Ok((value, used)) if used == bytes.len() => Ok(value),
        Ok(_) => Err(StoreError::corrupt(format!("{} is followed by stray bytes", what()))),
        Err(error) => Err(StoreError::corrupt(format!("{} cannot be decoded: {error}", what()))),
    }
}

/// Appends a number, seven bits in a byte, the lowest first.
pub(super) fn put_number(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a number with a sign, which becomes the lowest bit.
pub(super) fn put_signed(number: i64, bytes: &mut Vec<u8>) {
    put_number((number << 1 ^ number >> 63) as u64, bytes);
}

/// Reads what [`put_number`] wrote, from the front of bytes: for rows of many small numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers<'a>(pub(super) &'a [u8]);

impl<'a> Numbers<'a> {
    /// The next number; none if there is none, or no end to it.
    pub(super) fn next(&mut self) -> Option<u64> {
        let (byte, rest) = self.0.split_first()?;
        // Most are this short.
        if byte & 0x80 == 0 {
            self.0 = rest;
            return Some(u64::from(*byte));
        }
        self.long()
    }

    fn long(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0u64, 0);
        loop {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
            shift += 7;
        }
    }

    /// The next four numbers.
    pub(super) fn four(&mut self) -> Option<[u64; 4]> {
        if let Some((four, rest)) = self.0.split_first_chunk::<4>()
            && four.is_ascii()
        {
            self.0 = rest;
            return Some(four.map(u64::from));
        }
        Some([self.next()?, self.next()?, self.next()?, self.next()?])
    }

    /// The next number with a sign, which is its lowest bit.
    pub(super) fn signed(&mut self) -> Option<i64> {
        let number = self.next()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// A text with its length before it.
    pub(super) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// A stretch of bytes with its length before it.
    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.next()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
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

/// XXH3 finds damage and is many times faster than a cryptographic hash; against forgers there
/// are the chain and the digests.
fn check(table: &str, key: &[u8], bytes: &[u8]) -> [u8; CHECK_BYTES] {
    let seed = xxh3_64_with_seed(key, xxh3_64_with_seed(table.as_bytes(), 0));
    xxh3_64_with_seed(bytes, seed).to_le_bytes()
}
