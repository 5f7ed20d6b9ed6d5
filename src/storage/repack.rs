//! Writing a table anew, so that its rows fill its pages.

use super::error::StoreError;
use super::guarded::Readable;
use super::table::{Bytes, Table};
use super::writing::Writer;
use redb::{Key, TableDefinition, Value};

/// What becomes of a row: other bytes, or the same.
type Repacked<'a, K> = &'a mut dyn for<'k> FnMut(
    <K as Value>::SelfType<'k>,
    &[u8],
) -> Result<Option<Vec<u8>>, StoreError>;

/// Writes a table anew in key order, which fills its pages. A table that only grew at its end has
/// pages that are half empty, where the next row did not fit.
pub(crate) fn repack<K: Key + 'static>(
    txn: &Writer,
    table: Table<K>,
    change: Repacked<'_, K>,
) -> Result<(), StoreError> {
    let packed_name = format!("{}.packed", table.name());
    {
        let old = txn.open_table(table)?;
        let mut new = txn.open_named(TableDefinition::<K, Bytes>::new(&packed_name))?;
        let mut rows = new.append()?;
        for entry in old.iter()? {
            let (key, value) = entry?;
            let changed = change(key.value(), value.value())?;
            let row = changed.as_deref().unwrap_or(value.value());
            rows.insert(key.value(), row)?;
        }
        rows.close()?;
    }
    txn.delete(table.name())?;
    txn.rename(&packed_name, table.name())
}
