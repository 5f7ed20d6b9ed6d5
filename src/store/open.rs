//! Making a store and opening one. What is not a store, and what cannot be opened, is not touched.
//!
//! `cache` is how many bytes are kept in memory: half of them pages, half what was read from them.

use super::handle::Store;
use super::head::derived_is_current;
use super::reader::Base;
use crate::index::{create_derived, derived_row};
use crate::log::{FORMAT, LOG, META, identity_row};
use crate::model::Generation;
use crate::storage::{
    self, Readable, Side, StorageBackend, StoreError, Watch, exists_already, holds_something,
};
use std::path::{Path, PathBuf};

impl Store {
    /// Makes a store in a file that does not exist or is empty. A file that does not exist gets its
    /// name from [`Store::place`].
    pub fn create(path: &Path, generation: Generation, cache: u64) -> Result<Store, StoreError> {
        if path.exists() {
            return Store::create_in(path, generation, cache);
        }
        let (base, new) = storage::create_new_file(path, cache / 2)?;
        let store = Store::initialize(base, generation, Some(path.to_owned()), cache)?;
        Ok(store.with_new_file(new))
    }

    /// Makes a store in an empty file, which is empty again if that fails.
    fn create_in(path: &Path, generation: Generation, cache: u64) -> Result<Store, StoreError> {
        let (base, empty) = storage::create_in_file(path, cache / 2)?;
        let made = Store::initialize(base, generation, Some(path.to_owned()), cache);
        match &made {
            Ok(store) => store.watch(Watch::new(path, &empty)?),
            Err(StoreError::Io(_)) => drop(empty.set_len(0)),
            Err(_) => {}
        }
        made
    }

    /// Makes a store on empty storage of another sort.
    pub fn create_on(
        storage: impl StorageBackend,
        generation: Generation,
        cache: u64,
    ) -> Result<Store, StoreError> {
        Store::initialize(storage::create_on(storage, cache / 2)?, generation, None, cache)
    }

    /// Whether there is a file to open: one with something in it.
    pub fn is_there(path: &Path) -> bool {
        holds_something(path)
    }

    /// Opens the store in a file. If the file may not be written to, the store is only read.
    pub fn open(path: &Path, cache: u64) -> Result<Store, StoreError> {
        let (base, why) = storage::open_file(path, cache / 2)?;
        let store = Store::open_base(base, Some(path.to_owned()), cache)?;
        Ok(match why {
            Some(why) => store.only_read(why),
            None => store,
        })
    }

    /// Opens the store in a file to be only read, whether or not the file may be written to.
    pub fn open_to_read(path: &Path, cache: u64) -> Result<Store, StoreError> {
        let store = Store::open_base(
            storage::open_to_read(path, cache / 2)?,
            Some(path.to_owned()),
            cache,
        )?;
        Ok(store.only_read("it was opened so"))
    }

    /// Opens a store on storage of another sort.
    pub fn open_on(storage: impl StorageBackend, cache: u64) -> Result<Store, StoreError> {
        Store::open_base(storage::open_on(storage, cache / 2)?, None, cache)
    }

    fn open_base(base: Base, path: Option<PathBuf>, cache: u64) -> Result<Store, StoreError> {
        let generation = check_meta(&base, path.as_deref())?;
        let store = Store::attach(base, generation, path, cache)?;
        store.db().keep_repair()?;
        Ok(store)
    }

    fn initialize(
        base: Base,
        generation: Generation,
        path: Option<PathBuf>,
        cache: u64,
    ) -> Result<Store, StoreError> {
        let txn = base.begin_write(Side::Main)?;
        // Every table is made, so that readers find them all.
        txn.open_table(LOG)?;
        create_derived(&txn)?;
        {
            let mut meta = txn.open_table(META)?;
            if meta.get("format")?.is_some() {
                // Somebody was faster.
                return Err(exists_already(path.as_deref().unwrap_or(Path::new("the store"))));
            }
            meta.insert("format", FORMAT.to_le_bytes().as_slice())?;
            meta.insert("derived", derived_row().as_slice())?;
            meta.insert("generation", generation.name().as_bytes())?;
            meta.insert("identity", identity_row(FORMAT, generation).as_slice())?;
            meta.insert("id", new_id()?.as_slice())?;
        }
        base.commit(txn)?;
        let generation = check_meta(&base, path.as_deref())?;
        Store::attach(base, generation, path, cache)
    }
}

/// Sixteen random bytes, which no other store has.
fn new_id() -> Result<[u8; 16], StoreError> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(|error| StoreError::Io(error.to_string().into()))?;
    Ok(id)
}

fn check_meta(base: &Base, path: Option<&Path>) -> Result<Generation, StoreError> {
    let name = path.map_or("this".to_owned(), |path| path.display().to_string());
    let foreign = || StoreError::Format(format!("{name} is a redb file, but not a pactdb store"));
    let view = base.shown(Side::Main)?;
    if !view.has(Side::Main, META)? {
        return Err(foreign());
    }
    let meta = view.open_table(META)?;
    let number = |key: &str| -> Result<Option<u32>, StoreError> {
        let row = meta.get(key)?;
        Ok(row.and_then(|row| row.value().try_into().ok().map(u32::from_le_bytes)))
    };
    let format = number("format")?.ok_or_else(foreign)?;
    match format {
        format if format > FORMAT => {
            return Err(StoreError::Format(format!(
                "{name} has format {format}, this release of pactdb knows formats up to {FORMAT}: use a newer one"
            )));
        }
        _ => {}
    }
    let generation = meta
        .get("generation")?
        .and_then(|row| std::str::from_utf8(row.value()).ok().and_then(Generation::from_name))
        .ok_or_else(|| StoreError::corrupt(format!("{name} does not say its generation")))?;
    // Earlier releases wrote no such row; it comes with the tables that this one derives.
    let known = match meta.get("identity")? {
        Some(row) => row.value() == identity_row(format, generation).as_slice(),
        None => !derived_is_current(&view)?,
    };
    match known {
        true => Ok(generation),
        false => Err(StoreError::corrupt(format!("what {name} says of itself is damaged"))),
    }
}
