//! Between redb and its storage: each page that redb reads is compared with what the page above it
//! says about it.
//!
//! redb trusts what it reads. If pages were exchanged, or its lists of free pages are damaged, its
//! commit can panic, and panic again while it cleans up, which ends the process. So whoever writes is
//! told of a page that does not fit by an error, before redb acts on it. Whoever reads is given the
//! page as it is: redb takes every error of its storage for the end of it, and a bad byte in one
//! content should cost that content. What matters to whoever writes is remembered, because redb keeps
//! the page; from then on nothing is written.
//!
//! A false alarm would be worse than anything that is found here. What is checked is only what one
//! commit wrote whose pages were all on disk before it counted, and of that only what nobody has
//! written to since. Whatever is not known for certain passes.
//!
//! Nothing here knows what a store keeps. A page of which something is known takes about 40 bytes, as
//! much as 1 % of what was read, and each page of the file one bit.

use super::approval::OnApproval;
use super::error::StoreError;
use super::locks::pass_locks_on;
use super::page_format::{HEADER, Named, PAGE, Tree, is_sound_leaf, named_by, sum_of};
use redb::StorageBackend;
use std::cell::Cell;
use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

mod known;
#[cfg(all(test, unix))]
mod tests;

use known::State;

thread_local! {
    /// How many calls this thread is in to which a page that does not fit is an error.
    static STRICT: Cell<u32> = const { Cell::new(0) };
}

/// Runs one call that writes. It must not panic.
pub(super) fn strictly<T>(run: impl FnOnce() -> T) -> T {
    STRICT.set(STRICT.get() + 1);
    let result = run();
    STRICT.set(STRICT.get() - 1);
    result
}

/// Storage whose pages are checked. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Pages(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    storage: OnApproval,
    /// The worst that was found.
    damage: AtomicU8,
    state: Mutex<State>,
}

/// What was found so far: nothing, pages of the store's tables, pages of redb's own.
const NONE: u8 = 0;
const OURS: u8 = 1;
const REDBS: u8 = 2;

/// Pages that are larger than this many times the smallest are not looked for, but checked when redb
/// reads them.
const LOOKED_FOR: u8 = 10;

/// What was found where a page was named.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// Nothing was named there, or it does not matter here: rows have checks of their own.
    Passes,
    /// The page, and what it names in turn.
    Fits(Vec<Named>),
    Damage,
}

impl Pages {
    pub(super) fn new(storage: OnApproval) -> Pages {
        let (damage, state) = (AtomicU8::new(NONE), Mutex::default());
        Pages(Arc::new(Inner { storage, damage, state }))
    }

    /// Forgets everything, for a database that is opened on what is there.
    pub(super) fn forget(&self) {
        *self.state() = State::default();
        self.0.damage.store(NONE, Ordering::Release);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn are_damaged(&self) -> bool {
        self.0.damage.load(Ordering::Acquire) != NONE
    }

    /// Whether a commit of redb's own, as at closing, would go by damaged pages.
    pub(super) fn redbs_are_damaged(&self) -> bool {
        self.0.damage.load(Ordering::Acquire) == REDBS
    }

    /// Refuses to go on if whoever writes could meet with a page that does not fit. The first time the
    /// lists of tables and all of redb's own pages are looked through, of which there are few: a
    /// commit goes by them after it has begun to write.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let looked_through = std::mem::replace(&mut self.state().looked_through, true);
        if !looked_through {
            self.look_through(|tree| tree.lists_tables || tree.is_redbs);
        }
        match self.are_damaged() {
            true => Err(damaged()),
            false => Ok(()),
        }
    }

    /// The same after a look at every page: for work that writes again and again. If it came upon
    /// damage between two writes, the file could not be closed any more.
    pub(super) fn check_all(&self) -> Result<(), StoreError> {
        self.look_through(|_| true);
        self.check()
    }

    fn look_through(&self, matters: impl Fn(Tree) -> bool) {
        let mut next = self.state().places(&matters);
        let mut seen = HashSet::new();
        while let Some((at, order)) = next.pop() {
            if order > LOOKED_FOR || !seen.insert(at) {
                continue;
            }
            let mut page = vec![0; (PAGE << order) as usize];
            // What cannot be read is an error when redb reads it.
            if self.0.storage.read(at, &mut page).is_ok()
                && let Found::Fits(named) = self.look_at(at, &page)
            {
                let named = named.iter().filter(|page| matters(page.tree));
                next.extend(named.map(|page| (page.at, page.order)));
            }
        }
    }

    /// Compares what was read with what was named, and remembers what it names and what is wrong.
    fn look_at(&self, at: u64, page: &[u8]) -> Found {
        let expected = {
            let mut state = self.state();
            let expected = state.expected(at, page.len() as u64);
            #[cfg(test)]
            {
                state.counts.0 += 1;
                state.counts.1 += u64::from(expected.is_some());
            }
            if at == 0 && page.len() >= HEADER && !state.is_written(0, PAGE) {
                state.begin(page);
            }
            expected
        };
        let Some((layout, tree, sum)) = expected else { return Found::Passes };
        // Rows have checks of their own: it is enough that redb can find them.
        if !tree.lists_tables && !tree.is_redbs && is_sound_leaf(page, tree) {
            return Found::Passes;
        }
        if sum_of(page, tree).is_some_and(|found| found as u64 == sum) {
            let named = named_by(page, tree, layout);
            if !named.is_empty() {
                self.state().learn(&named);
            }
            return Found::Fits(named);
        }
        self.0.damage.fetch_max(if tree.is_redbs { REDBS } else { OURS }, Ordering::AcqRel);
        Found::Damage
    }
}

pub(super) fn damaged() -> StoreError {
    StoreError::corrupt(
        "the file is damaged: it has pages that are not those that were written there. Nothing more \
         is written to it; `verify` says what is wrong, `dump` and `fork` save what can be read",
    )
}

impl StorageBackend for Pages {
    fn len(&self) -> io::Result<u64> {
        self.0.storage.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.storage.read(offset, out)?;
        match self.look_at(offset, out) {
            Found::Damage if STRICT.get() > 0 => {
                Err(io::Error::new(io::ErrorKind::InvalidData, damaged().to_string()))
            }
            _ => Ok(()),
        }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.state().cut_off(len);
        self.0.storage.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.storage.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        // Before it is written: who reads the new bytes must not compare them with the old ones.
        self.state().write(offset, data.len() as u64);
        self.0.storage.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.0.storage.close()
    }

    pass_locks_on!(self => self.0.storage);
}
