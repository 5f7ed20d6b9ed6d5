//! The table of summaries, `sketches`: many turns in a row, so that a search over all of history
//! reads a few bytes of each turn.
//!
//! A row has the versions of the turns of 64 cycles. It is written when 64 more commits are
//! complete, with all that changed in these, so it does not know the newest versions: those are in the memtable.
//! Only a few versions of a turn are kept, and none of a very large turn: what is not here is read
//! from the turn itself. What a row says of a turn is exact.

use super::nodes::write_nodes;
use super::parts::{TurnVersion, version_before};
use super::schedule::Piece;
use super::summary::{Indexed, SummaryPage, Template, sames, template};
use super::summary_rows::{
    EditablePage, EditableVersion, StoredPage, VersionColumns, Wanted, decode_page, encode_page,
    read_template,
};
use super::tables::{PARTS, SUMMARIES};
use super::view::View;
use crate::model::{Slot, Subtree};
use crate::storage::{Readable, StoreError, Writer};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many versions of a turn have a summary.
const VERSIONS: usize = 4;

/// The most nodes of a turn that has a summary.
const NODES: usize = 256;

/// Adds new versions of turns to the rows of their pages, or of a piece of these.
pub(super) fn write_summaries(
    txn: &Writer,
    versions: &[TurnVersion],
    piece: Piece,
) -> Result<(), StoreError> {
    let parts = txn.open_table(PARTS)?;
    let mut table = txn.open_table(SUMMARIES)?;
    let mut last: Option<&TurnVersion> = None;
    let pages: Vec<_> = versions.chunk_by(|a, b| a.0.0.page() == b.0.0.page()).collect();
    for page in &pages[piece.range(pages.len())] {
        let key = page[0].0.0.page();
        let mut editable = match table.get(key)? {
            Some(row) => decode_page(key, row.value())?,
            None => EditablePage { whole: true, turns: BTreeMap::new() },
        };
        for version in *page {
            let ((slot, from), turn) = version;
            let kept = editable.turns.entry(*slot).or_default();
            let before = match last {
                Some(((other, _), before)) if other == slot => before.clone(),
                _ if kept.is_empty() => None,
                _ => version_before(&parts, *slot, *from)?,
            };
            let known = turn.as_deref().and_then(|turn| columns_of(turn, before.as_deref()));
            editable.whole &= known.is_some() && kept.len() < VERSIONS;
            kept.push(EditableVersion { from: *from, known });
            let extra = kept.len().saturating_sub(VERSIONS);
            kept.drain(..extra);
            last = Some(version);
        }
        let row = encode_page(key, &editable);
        table.insert(key, row.as_slice())?;
    }
    Ok(())
}

fn columns_of(turn: &Subtree, before: Option<&Subtree>) -> Option<VersionColumns> {
    if turn.len() > NODES {
        return None;
    }
    let nodes = || turn.entries().iter().map(|entry| &entry.node);
    let mut bytes = Vec::new();
    write_nodes(&template(turn), &mut bytes);
    Some(VersionColumns {
        template: bytes,
        ids: nodes().map(|node| node.id.to_string()).collect(),
        contents: nodes().filter_map(|node| node.content).collect(),
        lives: nodes().filter_map(|node| node.lifetime).collect(),
        sames: match before {
            Some(before) => sames(before, turn),
            None => vec![false; turn.len()],
        },
    })
}

/// Templates by their bytes: the same bytes give the same subtree, by whose address questions
/// remember what they decided.
pub(crate) struct TemplateCache(Cache<Box<[u8]>, Template, TemplateBytes>);

/// Weighs a template by about the bytes that it takes.
#[derive(Debug, Clone, Copy)]
struct TemplateBytes;

impl Weighter<Box<[u8]>, Template> for TemplateBytes {
    fn weight(&self, key: &Box<[u8]>, template: &Template) -> u64 {
        64 + key.len() as u64 + template.nodes.len() as u64 * 400
    }
}

impl TemplateCache {
    /// An empty cache of that size.
    pub(crate) fn new(bytes: u64) -> TemplateCache {
        TemplateCache(Cache::with_weighter(1024, bytes, TemplateBytes))
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        self.0.clear();
    }

    /// The templates of a page.
    fn of(&self, stored: &StoredPage<'_>) -> Result<Vec<Template>, StoreError> {
        let mut found = Vec::with_capacity(stored.templates.len());
        for bytes in &stored.templates {
            let template = match self.0.get(*bytes) {
                Some(known) => known,
                None => {
                    let template = read_template(bytes)?;
                    self.0.insert((*bytes).into(), template.clone());
                    template
                }
            };
            found.push(template);
        }
        Ok(found)
    }
}

/// Reads summaries of turns as they are in the snapshot of a cycle.
pub(crate) struct SummaryReader<'a> {
    pub(crate) view: &'a View,
    pub(crate) templates: &'a TemplateCache,
    /// The turns that have a version which the table does not know, as of that cycle.
    pub(crate) newer: &'a BTreeSet<Slot>,
    pub(crate) cycle: u64,
}

impl SummaryReader<'_> {
    /// Gives what is known of each of some turns to `each`, with its number in the list. Slots come
    /// in order. Where no template of a row matters, the row is not decoded further. Where contents
    /// are is known only if that is wanted.
    pub(crate) fn each(
        &self,
        slots: &[Slot],
        contents: bool,
        matters: &mut dyn FnMut(&Arc<Subtree>) -> bool,
        each: &mut dyn FnMut(usize, Indexed<'_>),
    ) -> Result<(), StoreError> {
        let mut newer = self.newer.iter().peekable();
        let mut is_newer = |slot: &Slot| {
            while newer.next_if(|other| *other < slot).is_some() {}
            newer.peek() == Some(&slot)
        };
        let table = self.view.summaries()?;
        let mut at = 0;
        while let Some(first) = slots.get(at) {
            let key = first.page();
            let count = slots[at..].iter().take_while(|slot| slot.page() == key).count();
            let wanted = (at..).zip(&slots[at..at + count]);
            at += count;
            let Some(row) = table.get(key)? else {
                wanted.for_each(|(i, _)| each(i, Indexed::No));
                continue;
            };
            let stored = StoredPage::read(key, row.value())?;
            let templates = self.templates.of(&stored)?;
            if stored.whole && !templates.iter().any(|template| matters(&template.nodes)) {
                for (i, slot) in wanted {
                    each(i, if is_newer(slot) { Indexed::No } else { Indexed::CannotMatch });
                }
                continue;
            }
            let page = stored.page(key, templates, Wanted { contents, changes: false })?;
            let mut next = 0;
            for (i, slot) in wanted {
                let known = page.next_at(&mut next, *slot, self.cycle);
                let known = known.filter(|_| !is_newer(slot));
                each(i, known.map_or(Indexed::No, Indexed::Summary));
            }
        }
        Ok(())
    }
}

/// The page that a turn is on, with ttls and with what stayed the same; none if there is none.
pub(crate) fn summary_page(
    view: &View,
    templates: &TemplateCache,
    slot: Slot,
) -> Result<Option<SummaryPage>, StoreError> {
    let key = slot.page();
    let Some(row) = view.summaries()?.get(key)? else { return Ok(None) };
    let stored = StoredPage::read(key, row.value())?;
    let templates = templates.of(&stored)?;
    stored.page(key, templates, Wanted { contents: false, changes: true }).map(Some)
}
