//! Asking the index about turns, in memory and in the tables: which turns can match, and what they
//! look like.

use super::reader::StoreReader;
use crate::index::{
    Indexed, Lookup, SummaryPage, SummaryReader, summary_page, with_names, with_texts,
};
use crate::model::{Slot, Subtree};
use crate::storage::StoreError;
use std::collections::BTreeSet;
use std::sync::Arc;

impl StoreReader {
    /// The turns of which there is a version, as of a cycle, that the tables of the index do not
    /// know.
    pub fn newer_turns(&self, cycle: u64) -> Arc<BTreeSet<Slot>> {
        self.memtable().newer_turns(cycle)
    }

    /// Turns that a lookup finds, in order: every other turn of the snapshot of a cycle has nothing
    /// of the sort. None if there are more than `most`.
    pub fn turns_with(
        &self,
        cycle: u64,
        lookup: &Lookup,
        most: usize,
    ) -> Result<Option<Vec<Slot>>, StoreError> {
        // A name that many turns have is not counted each time. Its turns never become fewer.
        let only = match lookup {
            Lookup::Names(hashes) | Lookup::Attributes(hashes) if hashes.len() == 1 => {
                hashes.first()
            }
            _ => None,
        };
        if only.and_then(|hash| self.common.get(hash)).is_some_and(|count| count >= most) {
            return Ok(None);
        }
        // What the tables do not know may match.
        let mut found: Vec<Slot> = self.newer_turns(cycle).iter().copied().collect();
        let within = self.with(|view| match lookup {
            Lookup::Names(hashes) | Lookup::Attributes(hashes) => {
                with_names(view, hashes, most, &mut found)
            }
            Lookup::Texts(texts) => with_texts(view, texts, most, &mut found),
        })?;
        if let (false, Some(hash)) = (within, only) {
            self.common.insert(*hash, most);
        }
        found.sort_unstable();
        found.dedup();
        Ok(within.then_some(found))
    }

    /// Gives what is known of each of some turns to `each`, as they are in the snapshot of a cycle,
    /// with its number in the list. Slots come in order. Where no template of a row matters, the
    /// row is not looked at further. Where contents are is known only if that is wanted.
    pub fn summaries(
        &self,
        cycle: u64,
        slots: &[Slot],
        contents: bool,
        matters: &mut dyn FnMut(&Arc<Subtree>) -> bool,
        each: &mut dyn FnMut(usize, Indexed<'_>),
    ) -> Result<(), StoreError> {
        let newer = self.newer_turns(cycle);
        self.with(|view| {
            let reader = SummaryReader { view, templates: &self.templates, newer: &newer, cycle };
            reader.each(slots, contents, matters, each)
        })
    }

    /// The page that a turn is on, with ttls and with what stayed the same; none if there is none.
    pub fn summary_page(&self, slot: Slot) -> Result<Option<Arc<SummaryPage>>, StoreError> {
        let page = self.with(|view| summary_page(view, &self.templates, slot))?;
        Ok(page.map(Arc::new))
    }
}
