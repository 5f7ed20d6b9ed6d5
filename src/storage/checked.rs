//! Rows that decide by being there: a key, and nothing or a number beside it.
//!
//! Each ends in the checksum of every row, over its table, its key and its bytes. A bad byte in a
//! key would hide the row from whoever looks for it, so where nothing is found the rows on both
//! sides of the gap are checked too: the row that should be there is one of them.

use super::checksum::{seal, unseal};
use super::error::StoreError;
use super::guarded::{Entry, Readable, Row};
use super::numbers::{Numbers, put_number};
use super::table::{Bytes, Table};
use super::writing::Writing;
use redb::Key;

/// Writes a key with nothing beside it.
pub(crate) fn insert_key<K: Key + 'static>(
    rows: &mut Writing<'_, K, Bytes>,
    table: Table<K>,
    key: K::SelfType<'_>,
) -> Result<(), StoreError> {
    insert_bytes(rows, table, key, Vec::new())
}

/// Writes a key with a number beside it.
pub(crate) fn insert_number<K: Key + 'static>(
    rows: &mut Writing<'_, K, Bytes>,
    table: Table<K>,
    key: K::SelfType<'_>,
    number: u64,
) -> Result<(), StoreError> {
    let mut bytes = Vec::new();
    put_number(number, &mut bytes);
    insert_bytes(rows, table, key, bytes)
}

/// Writes a key with some bytes beside it.
pub(crate) fn insert_bytes<K: Key + 'static>(
    rows: &mut Writing<'_, K, Bytes>,
    table: Table<K>,
    key: K::SelfType<'_>,
    bytes: Vec<u8>,
) -> Result<(), StoreError> {
    let row = seal(table.name(), K::as_bytes(&key).as_ref(), bytes);
    rows.insert(key, row.as_slice())
}

/// The bytes beside a key, once the checksum is right.
pub(crate) fn checked_bytes<'a, K: Key + 'static>(
    table: Table<K>,
    key: &Row<'_, K>,
    row: &'a Row<'_, Bytes>,
) -> Result<&'a [u8], StoreError> {
    let (name, key) = (table.name(), key.value());
    unseal(name, K::as_bytes(&key).as_ref(), row.value(), || format!("a row of '{name}'"))
}

/// The number beside a key, once the checksum is right.
pub(crate) fn checked_number<K: Key + 'static>(
    table: Table<K>,
    (key, row): &Entry<'_, K, Bytes>,
) -> Result<u64, StoreError> {
    let number = Numbers(checked_bytes(table, key, row)?).next();
    number.ok_or_else(|| StoreError::corrupt(format!("a row of '{}' has no number", table.name())))
}

/// The number beside one key; none if there is no such key.
pub(crate) fn get_number(
    rows: &impl Readable<&'static str, Bytes>,
    table: Table<&'static str>,
    key: &str,
) -> Result<Option<u64>, StoreError> {
    match rows.range(key..=key)?.next() {
        Some(entry) => checked_number(table, &entry?).map(Some),
        None => check_neighbours(rows, table, key).map(|()| None),
    }
}

/// Checks the rows on both sides of where nothing was found.
pub(crate) fn check_neighbours<'k, K: Key + 'static>(
    rows: &impl Readable<K, Bytes>,
    table: Table<K>,
    key: K::SelfType<'k>,
) -> Result<(), StoreError>
where
    K::SelfType<'k>: Copy,
{
    let before = rows.range::<K::SelfType<'k>>(..key)?.next_back();
    let after = rows.range::<K::SelfType<'k>>(key..)?.next();
    for entry in [before, after].into_iter().flatten() {
        let (key, row) = entry?;
        checked_bytes(table, &key, &row)?;
    }
    Ok(())
}
