//! Rows of any table as bytes, and the table `meta`.

use super::bytes::{Cursor, checked};
use redb::{
    Database, Key, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition,
    TableHandle,
};
use std::collections::BTreeMap;

/// The bytes of all keys and values of a table, in the order of its keys.
pub(super) fn rows<K: Key + 'static>(db: &Database, table: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let txn = db.begin_read().unwrap();
    let table = txn.open_table(TableDefinition::<K, &[u8]>::new(table)).unwrap();
    let rows = table.iter().unwrap().map(|entry| {
        let (key, row) = entry.unwrap();
        (K::as_bytes(&key.value()).as_ref().to_vec(), row.value().to_vec())
    });
    rows.collect()
}

/// Rows by a key that is a text, without their checks. `K` is what the file says that it is.
pub(super) fn texts<K: Key + 'static>(db: &Database, table: &str) -> BTreeMap<String, Vec<u8>> {
    let rows = rows::<K>(db, table).into_iter().map(|(key, row)| {
        let bytes = checked(table, &key, &row).to_vec();
        (String::from_utf8(key).unwrap(), bytes)
    });
    rows.collect()
}

/// All tables by name, and how many rows they have.
pub(super) fn counts(db: &Database) -> BTreeMap<String, u64> {
    let txn = db.begin_read().unwrap();
    assert_eq!(txn.list_multimap_tables().unwrap().count(), 0);
    let tables = txn.list_tables().unwrap().map(|table| {
        let name = table.name().to_owned();
        (name, txn.open_untyped_table(table).unwrap().len().unwrap())
    });
    tables.collect()
}

/// What a store says of itself.
pub(super) struct Meta {
    pub(super) generation: String,
    pub(super) derived: u32,
    /// The cycle up to which the indexes were written, and the sum over its turns.
    pub(super) checkpoint: Option<(u64, Vec<u8>)>,
}

pub(super) fn meta(db: &Database) -> Meta {
    let all = rows::<&str>(db, "meta");
    let mut rows: BTreeMap<&[u8], &[u8]> = all.iter().map(|(k, v)| (&k[..], &v[..])).collect();
    let mut take = |key: &'static [u8]| rows.remove(key);
    assert_eq!(take(b"format"), Some(&[1, 0, 0, 0][..]));
    let generation = take(b"generation").unwrap();
    let identity = checked("meta", b"identity", take(b"identity").unwrap());
    assert_eq!(identity, [&[1, 0, 0, 0], generation].concat());
    // Stores of earlier releases have none.
    assert!(take(b"id").is_none_or(|id| id.len() == 16));
    let derived = checked("meta", b"derived", take(b"derived").unwrap());
    let checkpoint = take(b"checkpoint").map(|row| {
        let mut bytes = Cursor::new(checked("meta", b"checkpoint", row), "the checkpoint");
        let (cycle, size) = (bytes.marked(), bytes.marked() as usize);
        let lanes = bytes.take(size).to_vec();
        bytes.end();
        (cycle, lanes)
    });
    assert!(rows.is_empty(), "no explanation for {rows:?}");
    Meta {
        generation: String::from_utf8(generation.to_vec()).unwrap(),
        derived: u32::from_le_bytes(derived.try_into().unwrap()),
        checkpoint,
    }
}
