//! redb call by call. A damaged page can make it panic; to whoever called, that is corruption like
//! any other, and nothing of ours runs inside: a mistake of ours stays one.
//!
//! What a row holds is looked at once while its panics are caught; from then on it can be read
//! freely, because the page does not change.

use super::error::StoreError;
use redb::{AccessGuard, Key, Range, ReadOnlyTable, ReadableTable, ReadableTableMetadata, Value};
use std::borrow::Borrow;
use std::cell::Cell;
use std::cmp::Ordering;
use std::ops::RangeBounds;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// How many calls this thread is in whose panics are caught.
    static CAUGHT: Cell<u32> = const { Cell::new(0) };
}

/// Whether this thread is in a call of the storage below whose panics are caught and answered by an
/// error. For panic hooks: what such a panic says is of no interest to anybody.
pub fn panics_are_caught() -> bool {
    CAUGHT.get() > 0
}

/// A panic was caught.
#[derive(Debug)]
pub(crate) struct Panicked;

/// Runs one call of the storage below.
pub(crate) fn caught<T>(run: impl FnOnce() -> T) -> Result<T, Panicked> {
    CAUGHT.set(CAUGHT.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(run));
    CAUGHT.set(CAUGHT.get() - 1);
    result.map_err(|_| Panicked)
}

/// Runs one call of the storage below, to which a panic is an error.
pub(crate) fn guard<T, E: Into<StoreError>>(
    run: impl FnOnce() -> Result<T, E>,
) -> Result<T, StoreError> {
    match caught(run) {
        Ok(result) => result.map_err(Into::into),
        Err(Panicked) => Err(damaged()),
    }
}

pub(crate) fn damaged() -> StoreError {
    StoreError::corrupt("the file is damaged: its pages do not fit together")
}

/// A key or a value.
pub(crate) struct Row<'a, V: Value + 'static>(AccessGuard<'a, V>);

impl<'a, V: Value + 'static> Row<'a, V> {
    /// To be called inside of a guard.
    fn looked_at(row: AccessGuard<'a, V>) -> Row<'a, V> {
        let _ = row.value();
        Row(row)
    }

    pub(crate) fn value(&self) -> V::SelfType<'_> {
        self.0.value()
    }
}

/// Rows in order of their keys.
pub(crate) struct Rows<'a, K: Key + 'static, V: Value + 'static> {
    range: Range<'a, K, V>,
    /// Whether nothing more can be had of it.
    ended: bool,
}

/// A key and its value.
pub(crate) type Entry<'a, K, V> = (Row<'a, K>, Row<'a, V>);

/// A key and its value, as redb gives them.
type Found<'a, K, V> = (AccessGuard<'a, K>, AccessGuard<'a, V>);

impl<'a, K: Key + 'static, V: Value + 'static> Rows<'a, K, V> {
    fn step(
        &mut self,
        step: impl FnOnce(&mut Range<'a, K, V>) -> Option<redb::Result<Found<'a, K, V>>>,
    ) -> Option<Result<Entry<'a, K, V>, StoreError>> {
        if self.ended {
            return None;
        }
        let found = guard(|| match step(&mut self.range) {
            Some(Ok((key, value))) => Ok(Some((Row::looked_at(key), Row::looked_at(value)))),
            Some(Err(error)) => Err(StoreError::from(error)),
            None => Ok(None),
        });
        self.ended = found.is_err();
        found.transpose()
    }

    /// The value of a key that lies ahead, if it is there. Rows before it are passed over. The
    /// comparison, of a key that is found with the one that is sought, does nothing else: it runs
    /// inside of the guard, so that rows that are passed over cost next to nothing.
    pub(crate) fn value_at(
        &mut self,
        compare: impl Fn(K::SelfType<'_>) -> Ordering,
    ) -> Result<Option<Row<'a, V>>, StoreError> {
        if self.ended {
            return Ok(None);
        }
        let found = guard(|| {
            while let Some((key, value)) = self.range.next().transpose()? {
                match compare(key.value()) {
                    Ordering::Less => {}
                    Ordering::Equal => return Ok(Some(Row::looked_at(value))),
                    Ordering::Greater => break,
                }
            }
            Ok::<_, redb::StorageError>(None)
        });
        self.ended = found.is_err();
        found
    }
}

impl<'a, K: Key + 'static, V: Value + 'static> Iterator for Rows<'a, K, V> {
    type Item = Result<Entry<'a, K, V>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step(Iterator::next)
    }
}

impl<K: Key + 'static, V: Value + 'static> DoubleEndedIterator for Rows<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.step(DoubleEndedIterator::next_back)
    }
}

/// A table that can be read.
pub(crate) trait Readable<K: Key + 'static, V: Value + 'static> {
    /// The table below.
    type Table: ReadableTable<K, V> + ReadableTableMetadata;

    /// One look at it.
    fn look<'s, T>(
        &'s self,
        look: impl FnOnce(&'s Self::Table) -> redb::Result<T>,
    ) -> Result<T, StoreError>
    where
        Self::Table: 's;

    /// The value of a key.
    fn get<'k>(&self, key: impl Borrow<K::SelfType<'k>>) -> Result<Option<Row<'_, V>>, StoreError> {
        self.look(|table| Ok(table.get(key)?.map(Row::looked_at)))
    }

    /// The rows of a range.
    fn range<'k, B>(&self, range: impl RangeBounds<B> + 'k) -> Result<Rows<'_, K, V>, StoreError>
    where
        B: Borrow<K::SelfType<'k>> + 'k,
    {
        let range = self.look(|table| table.range(range))?;
        Ok(Rows { range, ended: false })
    }

    /// All rows.
    fn iter(&self) -> Result<Rows<'_, K, V>, StoreError> {
        let range = self.look(|table| table.iter())?;
        Ok(Rows { range, ended: false })
    }

    /// The last row.
    fn last(&self) -> Result<Option<Entry<'_, K, V>>, StoreError> {
        self.look(|table| {
            let last = table.last()?;
            Ok(last.map(|(key, value)| (Row::looked_at(key), Row::looked_at(value))))
        })
    }

    /// How many rows the table says that it has.
    fn len(&self) -> Result<u64, StoreError> {
        self.look(|table| table.len())
    }
}

/// A table of a state that was committed.
pub(crate) struct Reading<K: Key + 'static, V: Value + 'static>(pub(crate) ReadOnlyTable<K, V>);

impl<K: Key + 'static, V: Value + 'static> Readable<K, V> for Reading<K, V> {
    type Table = ReadOnlyTable<K, V>;

    fn look<'s, T>(
        &'s self,
        look: impl FnOnce(&'s ReadOnlyTable<K, V>) -> redb::Result<T>,
    ) -> Result<T, StoreError> {
        guard(|| look(&self.0))
    }
}
