//! Definitions of tables: a name, a type of key, and bytes as values.
//!
//! A table is primary or derived. Derived tables can be made again from the primary ones; that is
//! done in shadow tables beside them, which take their names when they are complete.

use redb::Key;
use std::borrow::Cow;
use std::marker::PhantomData;

/// The values of every table.
pub(crate) type Bytes = &'static [u8];

/// The definition of a table.
pub(crate) struct Table<K: Key + 'static> {
    name: &'static str,
    derived: bool,
    key: PhantomData<fn() -> K>,
}

impl<K: Key + 'static> Clone for Table<K> {
    fn clone(&self) -> Table<K> {
        *self
    }
}

impl<K: Key + 'static> Copy for Table<K> {}

impl<K: Key + 'static> Table<K> {
    /// A table of primary data.
    pub(crate) const fn primary(name: &'static str) -> Table<K> {
        Table { name, derived: false, key: PhantomData }
    }

    /// A table that can be made again from the primary data.
    pub(crate) const fn derived(name: &'static str) -> Table<K> {
        Table { name, derived: true, key: PhantomData }
    }

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        self.name
    }

    /// Its name on one side; primary tables have one side.
    pub(super) fn name_on(self, side: Side) -> Cow<'static, str> {
        if self.derived { side.name_of(self.name) } else { self.name.into() }
    }
}

/// Which derived tables are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Those that are read.
    Main,
    /// The shadow tables, which are made anew beside them.
    Beside,
}

impl Side {
    /// The name of a derived table on this side.
    pub(crate) fn name_of(self, table: &'static str) -> Cow<'static, str> {
        match self {
            Side::Main => table.into(),
            Side::Beside => format!("{table}.beside").into(),
        }
    }
}
