//! How values become bytes: the only user of bincode.
//!
//! The options are fixed here for the life of the file format: little end first, integers of
//! variable length, and a bound on what a length prefix may claim.

use super::error::StoreError;
use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned};

/// No row is larger. The bound keeps a damaged length from asking for all memory.
const MAX_ROW_BYTES: usize = 1 << 31;

fn options() -> impl bincode::config::Config {
    bincode::config::standard()
        .with_little_endian()
        .with_variable_int_encoding()
        .with_limit::<MAX_ROW_BYTES>()
}

/// The bytes of a value.
pub(crate) fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, StoreError> {
    bincode::serde::encode_to_vec(value, options())
        .map_err(|error| StoreError::Io(format!("a value cannot be encoded: {error}").into()))
}

/// The value of bytes, all of which it must use.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T, StoreError> {
    match bincode::serde::decode_from_slice(bytes, options()) {
        Ok((value, used)) if used == bytes.len() => Ok(value),
        Ok(_) => Err(StoreError::corrupt(format!("{what} is followed by stray bytes"))),
        Err(error) => Err(StoreError::corrupt(format!("{what} cannot be decoded: {error}"))),
    }
}

/// The same for a value that borrows from the bytes.
pub(crate) fn decode_borrowed<'a, T: Deserialize<'a>>(
    bytes: &'a [u8],
    what: &dyn Fn() -> String,
) -> Result<T, StoreError> {
    match bincode::serde::borrow_decode_from_slice(bytes, options()) {
        Ok((value, used)) if used == bytes.len() => Ok(value),
        Ok(_) => Err(StoreError::corrupt(format!("{} is followed by stray bytes", what()))),
        Err(error) => Err(StoreError::corrupt(format!("{} cannot be decoded: {error}", what()))),
    }
}
