//! The tables of one state, written row by row in key order into a new file, which then takes the place
//! of the old one. It does not know what rows mean: whoever copies may change them or leave them out.
//!
//! Until the new file is whole and on disk nobody can find it; it is locked from its beginning, so the
//! store has a lock at every moment.

use super::base::Base;
use super::error::StoreError;
use super::file::NewFile;
use super::guarded::{Readable, guard};
use super::opening::{file_storage, open_error};
use super::table::{Side, Table};
use super::view::ReadView;
use super::writing::Writer;
use crate::budget;
use redb::Key;
use std::path::Path;

/// What becomes of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It stays as it is.
    Stays,
    /// It is left out.
    Goes,
    /// It has other bytes; its check is the caller's business.
    Becomes(Vec<u8>),
}

/// A row as it is stored.
#[derive(Debug, Clone, Copy)]
pub struct OfRow<'a> {
    /// The table.
    pub table: &'static str,
    /// The bytes of its key.
    pub key: &'a [u8],
    /// The row, with its check.
    pub row: &'a [u8],
}

/// Says what becomes of each row.
pub type ChangeRow<'a> = &'a mut dyn FnMut(OfRow<'_>) -> Result<Fate, StoreError>;

/// How many rows are copied between two looks at whether to go on.
const STRIDE: u64 = 256;

/// A copy that is being made: rows out of one state into one transaction.
pub(crate) struct Copying<'a, T> {
    pub(crate) from: &'a ReadView<T>,
    pub(crate) to: &'a Writer,
    pub(crate) change: ChangeRow<'a>,
    /// Told how many rows are done.
    pub(crate) report: &'a mut dyn FnMut(u64),
    pub(crate) done: u64,
}

impl<T: Default> Copying<'_, T> {
    /// Copies one table.
    pub(crate) fn table<K: Key + 'static>(&mut self, table: Table<K>) -> Result<(), StoreError> {
        let old = self.from.open_table(table)?;
        let mut new = self.to.open_table(table)?;
        let mut rows = new.append()?;
        for entry in old.iter()? {
            let (key, row) = entry?;
            let bytes = K::as_bytes(&key.value()).as_ref().to_vec();
            let of = OfRow { table: table.name(), key: &bytes, row: row.value() };
            match (self.change)(of)? {
                Fate::Stays => rows.insert(key.value(), row.value())?,
                Fate::Becomes(other) => rows.insert(key.value(), other.as_slice())?,
                Fate::Goes => {}
            }
            self.done += 1;
            if self.done.is_multiple_of(STRIDE) {
                budget::reached("rows were copied", self.done, None)?;
                (self.report)(self.done);
            }
        }
        rows.close()
    }
}

/// A database in a file that is to take the place of another.
pub(crate) struct Successor<T> {
    pub(crate) base: Base<T>,
    file: NewFile,
}

impl<T: Default> Successor<T> {
    /// An empty one; none if the file of `old` cannot be replaced, or no file can be made beside it.
    pub(crate) fn of(old: &Base<T>, cache: u64) -> Result<Option<Successor<T>>, StoreError> {
        let Some(file) = old.successor() else { return Ok(None) };
        let path = Path::new("the copy");
        let storage = file_storage(path, file.file()?)?;
        let made =
            Base::create(storage, cache).map_err(|error| open_error(Some((path, None)), error));
        let base = guard(|| made)?;
        Ok(Some(Successor { base, file }))
    }

    /// Writes into it, in one transaction that is on disk when this returns.
    pub(crate) fn write(
        &mut self,
        write: impl FnOnce(&Writer) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let txn = self.base.begin_write(Side::Main)?;
        write(&txn)?;
        self.base.commit(txn)?;
        // Cuts off the room that was taken ahead.
        self.base.compact()
    }

    /// Takes the place of `old`. If this fails, `old` is as it was. What it returns makes sure that the
    /// name stays: before that succeeds nothing may be acknowledged.
    pub(crate) fn take_over(
        self,
        old: &mut Base<T>,
    ) -> Result<impl FnOnce() -> Result<(), StoreError> + use<T>, StoreError> {
        let Successor { base, file } = self;
        old.replace_by(base, &file)?;
        Ok(move || file.sync_name())
    }
}
