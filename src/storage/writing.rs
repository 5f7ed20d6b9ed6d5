//! A transaction that writes, call by call.
//!
//! Where redb panics in the middle of one, what it holds in memory cannot be trusted, and to take it
//! down can panic again, which ends the process. So all of it is left alone and never taken down;
//! the database below is marked, takes no more transactions, and gives up its lock when it closes.
//! The same goes for a page that is not the one that was written there (see `pages`).

use super::error::StoreError;
use super::guarded::{Panicked, Readable, caught, damaged};
use super::pages::{self, Pages, strictly};
use super::table::{Bytes, Side, Table as Definition};
use redb::WriteTransaction;
use redb::{CursorMut, Durability, Key, Table, TableDefinition, Value};
use std::borrow::Borrow;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a database panicked, or met with a page that does not fit, while it was written to.
#[derive(Debug, Clone)]
pub(crate) struct Broken {
    is_set: Arc<AtomicBool>,
    pages: Pages,
}

impl Broken {
    /// Nothing is broken yet.
    pub(super) fn new(pages: Pages) -> Broken {
        Broken { is_set: Arc::default(), pages }
    }

    pub(crate) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Acquire)
    }

    fn set(&self) {
        self.is_set.store(true, Ordering::Release);
    }

    /// Runs one call that writes. It is not given pages that do not fit.
    pub(crate) fn guard<T, E: Into<StoreError>>(
        &self,
        run: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, StoreError> {
        if self.is_set() {
            return Err(damaged());
        }
        match strictly(|| caught(run)) {
            Ok(Err(_)) if self.pages.are_damaged() => {
                self.set();
                Err(pages::damaged())
            }
            Ok(result) => result.map_err(Into::into),
            Err(Panicked) => {
                self.set();
                Err(damaged())
            }
        }
    }

    /// Takes something down, unless that is not safe.
    pub(crate) fn take_down<T>(&self, thing: T) {
        if self.is_set() {
            return std::mem::forget(thing);
        }
        // What fails here is found by whoever writes next.
        let _ = self.guard(|| {
            drop(thing);
            Ok::<(), StoreError>(())
        });
    }
}

/// A transaction that writes. Dropped without a commit, it has not happened.
pub(crate) struct Writer {
    txn: Option<WriteTransaction>,
    side: Side,
    broken: Broken,
}

impl Writer {
    pub(crate) fn new(txn: WriteTransaction, side: Side, broken: Broken) -> Writer {
        Writer { txn: Some(txn), side, broken }
    }

    /// Which derived tables it writes to.
    pub(crate) fn side(&self) -> Side {
        self.side
    }

    fn call<T, E: Into<StoreError>>(
        &self,
        run: impl FnOnce(&WriteTransaction) -> Result<T, E>,
    ) -> Result<T, StoreError> {
        let Some(txn) = &self.txn else { return Err(damaged()) };
        self.broken.guard(|| run(txn))
    }

    /// Need not be on disk when it ends.
    pub(crate) fn relax(&mut self) -> Result<(), StoreError> {
        let Some(txn) = &mut self.txn else { return Err(damaged()) };
        self.broken.guard(|| {
            let set = txn.set_durability(Durability::None);
            set.map_err(|error| StoreError::Io(error.to_string().into()))
        })
    }

    pub(crate) fn open_table<K: Key + 'static>(
        &self,
        definition: Definition<K>,
    ) -> Result<Writing<'_, K, Bytes>, StoreError> {
        self.open_named(TableDefinition::new(&definition.name_on(self.side)))
    }

    /// Opens a table by the name that it has in the file.
    pub(super) fn open_named<K: Key + 'static>(
        &self,
        named: TableDefinition<'_, K, Bytes>,
    ) -> Result<Writing<'_, K, Bytes>, StoreError> {
        let Some(txn) = &self.txn else { return Err(damaged()) };
        let table = self.broken.guard(|| txn.open_table(named))?;
        Ok(Writing { table: Some(table), broken: &self.broken })
    }

    /// Deletes the table of that name, if it is there.
    pub(crate) fn delete(&self, name: &str) -> Result<bool, StoreError> {
        self.call(|txn| txn.delete_table(untyped(name)))
    }

    /// Gives a table that name, which must be free.
    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        self.call(|txn| txn.rename_table(untyped(from), untyped(to)))
    }

    /// Leaves everything as it is, and marks the database.
    pub(super) fn abandon(self) {
        self.broken.set();
    }

    /// To be called by whoever may show it.
    pub(crate) fn commit(mut self) -> Result<(), StoreError> {
        let Some(txn) = self.txn.take() else { return Err(damaged()) };
        self.broken.guard(|| txn.commit())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if let Some(txn) = self.txn.take() {
            self.broken.take_down(txn);
        }
    }
}

/// A table by its name alone.
fn untyped(name: &str) -> TableDefinition<'_, (), ()> {
    TableDefinition::new(name)
}

/// A table that is written to.
pub(crate) struct Writing<'t, K: Key + 'static, V: Value + 'static> {
    /// There is one until this is dropped.
    table: Option<Table<'t, K, V>>,
    broken: &'t Broken,
}

impl<K: Key + 'static, V: Value + 'static> Writing<'_, K, V> {
    fn call<T, E: Into<StoreError>>(
        &mut self,
        run: impl FnOnce(&mut Table<'_, K, V>) -> Result<T, E>,
    ) -> Result<T, StoreError> {
        let Some(table) = &mut self.table else { return Err(damaged()) };
        self.broken.guard(|| run(table))
    }

    pub(crate) fn insert<'k, 'v>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
        value: impl Borrow<V::SelfType<'v>>,
    ) -> Result<(), StoreError> {
        self.call(|table| table.insert(key, value).map(drop))
    }

    pub(crate) fn remove<'k>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
    ) -> Result<(), StoreError> {
        self.call(|table| table.remove(key).map(drop))
    }

    /// Adds rows behind the last one.
    pub(crate) fn append(&mut self) -> Result<Appending<'_, K, V>, StoreError> {
        let Some(table) = &mut self.table else { return Err(damaged()) };
        let end = Bound::<K::SelfType<'_>>::Unbounded;
        let cursor = self.broken.guard(|| table.upper_bound_mut(end))?;
        Ok(Appending { cursor: Some(cursor), broken: self.broken })
    }
}

impl<'t, K: Key + 'static, V: Value + 'static> Readable<K, V> for Writing<'t, K, V> {
    type Table = Table<'t, K, V>;

    fn look<'s, T>(
        &'s self,
        look: impl FnOnce(&'s Table<'t, K, V>) -> redb::Result<T>,
    ) -> Result<T, StoreError> {
        let Some(table) = &self.table else { return Err(damaged()) };
        self.broken.guard(|| look(table))
    }
}

impl<K: Key + 'static, V: Value + 'static> Drop for Writing<'_, K, V> {
    fn drop(&mut self) {
        if let Some(table) = self.table.take() {
            self.broken.take_down(table);
        }
    }
}

/// Rows that are added at the end of a table.
pub(crate) struct Appending<'a, K: Key + 'static, V: Value + 'static> {
    /// There is one until this is dropped.
    cursor: Option<CursorMut<'a, K, V>>,
    broken: &'a Broken,
}

impl<K: Key + 'static, V: Value + 'static> Appending<'_, K, V> {
    pub(crate) fn insert<'k, 'v>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
        value: impl Borrow<V::SelfType<'v>>,
    ) -> Result<(), StoreError> {
        let Some(cursor) = &mut self.cursor else { return Err(damaged()) };
        self.broken.guard(|| cursor.insert_before(key, value))
    }

    /// Ends. Without it the rows are not there.
    pub(crate) fn close(mut self) -> Result<(), StoreError> {
        let Some(cursor) = self.cursor.take() else { return Err(damaged()) };
        self.broken.guard(|| cursor.close())
    }
}

impl<K: Key + 'static, V: Value + 'static> Drop for Appending<'_, K, V> {
    fn drop(&mut self) {
        if let Some(cursor) = self.cursor.take() {
            self.broken.take_down(cursor);
        }
    }
}
