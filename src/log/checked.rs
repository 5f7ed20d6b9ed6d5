//! Rows that decide by being there: a key, and nothing or a number beside it.
//!
//! Each ends in the check of every row, over its table, its key and its bytes. A bad byte in a key
//! would hide the row from whoever looks for it, so where nothing is found the rows on both sides of
//! the gap are looked at too: the row that should be there is one of them.

use super::StoreError;
use super::codec::{Numbers, put_number, seal, unseal};
use super::guarded::{Entry, Readable, Row};
use super::writing::Writing;
use redb::Key;

/// A table of such rows, or any in which every row has its check.
pub(super) type Rows = &'static [u8];

/// The row of a key that is only there.
pub(super) fn mark<K: Key + 'static>(
    table: &mut Writing<'_, K, Rows>,
    name: &str,
    key: K::SelfType<'_>,
) -> Result<(), StoreError> {
    let row = seal(name, K::as_bytes(&key).as_ref(), Vec::new());
    table.insert(key, row.as_slice())
}

/// The row of a key that has a number.
pub(super) fn put<K: Key + 'static>(
    table: &mut Writing<'_, K, Rows>,
    name: &str,
    key: K::SelfType<'_>,
    number: u64,
) -> Result<(), StoreError> {
    let mut bytes = Vec::new();
    put_number(number, &mut bytes);
    let row = seal(name, K::as_bytes(&key).as_ref(), bytes);
    table.insert(key, row.as_slice())
}

/// What stands beside a key, once its check is right.
pub(super) fn look<'a, K: Key + 'static>(
    name: &str,
    key: &Row<'_, K>,
    row: &'a Row<'_, Rows>,
) -> Result<&'a [u8], StoreError> {
    let key = key.value();
    unseal(name, K::as_bytes(&key).as_ref(), row.value(), || format!("a row of '{name}'"))
}

/// The number beside a key.
pub(super) fn number<K: Key + 'static>(
    name: &str,
    (key, row): &Entry<'_, K, Rows>,
) -> Result<u64, StoreError> {
    let number = Numbers(look(name, key, row)?).next();
    number.ok_or_else(|| StoreError::corrupt(format!("a row of '{name}' has no number")))
}

/// The number beside one key.
pub(super) fn get_number(
    table: &impl Readable<&'static str, Rows>,
    name: &str,
    key: &str,
) -> Result<Option<u64>, StoreError> {
    match table.range(key..=key)?.next() {
        Some(entry) => number(name, &entry?).map(Some),
        None => absent(table, name, key).map(|()| None),
    }
}

/// Looks at the rows on both sides of where nothing was found.
pub(super) fn absent<'k, K: Key + 'static>(
    table: &impl Readable<K, Rows>,
    name: &str,
    key: K::SelfType<'k>,
) -> Result<(), StoreError>
where
    K::SelfType<'k>: Copy,
{
    let before = table.range::<K::SelfType<'k>>(..key)?.next_back();
    let after = table.range::<K::SelfType<'k>>(key..)?.next();
    for entry in [before, after].into_iter().flatten() {
        let (key, row) = entry?;
        look(name, &key, &row)?;
    }
    Ok(())
}
