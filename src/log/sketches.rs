//! The `sketches` table: what most questions ask of turns, many turns in a row, so that a search
//! over all of history reads a few bytes of each.
//!
//! A row has the versions of the turns of 64 cycles. It is written when the indexes are, with all
//! that changed since, so it does not know the newest versions; [`LogReader`] knows which those
//! are. Only a few versions of a turn are kept, and none of a very large turn: what is not here is
//! read from the turn itself. A row never says anything about a turn that is not so.

use super::StoreError;
use super::clues::NewVersion;
use super::guarded::Readable;
use super::nodes::{Names, write_nodes};
use super::read::LogReader;
use super::rows::PartRow;
use super::sketch_rows::{
    Draft, Drafts, Front, Known, Wanted, read_drafts, read_template, write_drafts,
};
use super::tables::{PARTS, PartKey, SKETCHES, part_key};
use super::writing::Writer;
use crate::model::{Glance, Page, Place, Slot, Subtree, Template, sames, template};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many versions of a turn have a sketch.
const VERSIONS: usize = 4;

/// The most nodes of a turn that has a sketch.
const NODES: usize = 256;

/// Adds new versions of turns to the rows of their blocks.
pub(super) fn flush_sketches(txn: &Writer, versions: &[NewVersion]) -> Result<(), StoreError> {
    let parts = txn.open_table(PARTS)?;
    let mut table = txn.open_table(SKETCHES)?;
    let mut last: Option<&NewVersion> = None;
    for block in versions.chunk_by(|a, b| a.0.0.page() == b.0.0.page()) {
        let key = block[0].0.0.page();
        let mut drafts = match table.get(key)? {
            Some(row) => read_drafts(key, row.value())?,
            None => Drafts { whole: true, turns: BTreeMap::new() },
        };
        for version in block {
            let ((slot, from), turn) = version;
            let kept = drafts.turns.entry(*slot).or_default();
            let before = match last {
                Some(((other, _), before)) if other == slot => before.clone(),
                _ if kept.is_empty() => None,
                _ => version_before(&parts, *slot, *from)?,
            };
            let known = turn.as_deref().and_then(|turn| known(turn, before.as_deref()));
            drafts.whole &= known.is_some() && kept.len() < VERSIONS;
            kept.push(Draft { from: *from, known });
            let extra = kept.len().saturating_sub(VERSIONS);
            kept.drain(..extra);
            last = Some(version);
        }
        let row = write_drafts(key, &drafts);
        table.insert(key, row.as_slice())?;
    }
    Ok(())
}

pub(super) fn version_before(
    parts: &impl Readable<PartKey, &'static [u8]>,
    slot: Slot,
    from: u64,
) -> Result<Option<Arc<Subtree>>, StoreError> {
    let place = Place::Turn(slot);
    let mut before = parts.range(part_key(place, 0)..part_key(place, from))?;
    let Some(row) = before.next_back() else { return Ok(None) };
    let (key, row) = row?;
    PartRow::read(key.value(), row.value())?.part(&mut Names::default())
}

fn known(turn: &Subtree, before: Option<&Subtree>) -> Option<Known> {
    if turn.len() > NODES {
        return None;
    }
    let nodes = || turn.entries().iter().map(|entry| &entry.node);
    let mut bytes = Vec::new();
    write_nodes(&template(turn), &mut bytes);
    Some(Known {
        template: bytes,
        ids: nodes().map(|node| node.id.to_string()).collect(),
        contents: nodes().filter_map(|node| node.content).map(|c| (c.seq, c.part)).collect(),
        lives: nodes().filter_map(|node| node.lifetime).collect(),
        sames: match before {
            Some(before) => sames(before, turn),
            None => vec![false; turn.len()],
        },
    })
}

impl LogReader {
    /// Gives what is known of each of some turns to `each`, as they are in the snapshot of a cycle,
    /// with its number in the list. Slots come in order. Where no template of a row matters, the
    /// row is not looked at further. Where contents are is known only if that is wanted.
    pub fn sketches(
        &self,
        cycle: u64,
        slots: &[Slot],
        contents: bool,
        matters: &mut dyn FnMut(&Arc<Subtree>) -> bool,
        each: &mut dyn FnMut(usize, Glance<'_>),
    ) -> Result<(), StoreError> {
        // What is newer than the rows; the tail first, so that what it loses meanwhile is in them.
        let newer = self.newer_turns(cycle);
        let mut newer = newer.iter().peekable();
        let mut is_newer = |slot: &Slot| {
            while newer.next_if(|other| *other < slot).is_some() {}
            newer.peek() == Some(&slot)
        };
        self.with(|txn| {
            let table = txn.sketches()?;
            let mut at = 0;
            while let Some(first) = slots.get(at) {
                let key = first.page();
                let count = slots[at..].iter().take_while(|slot| slot.page() == key).count();
                let wanted = (at..).zip(&slots[at..at + count]);
                at += count;
                let Some(row) = table.get(key)? else {
                    wanted.for_each(|(i, _)| each(i, Glance::Unknown));
                    continue;
                };
                let front = Front::read(key, row.value())?;
                let templates = self.templates(&front)?;
                if front.whole && !templates.iter().any(|template| matters(&template.nodes)) {
                    for (i, slot) in wanted {
                        each(i, if is_newer(slot) { Glance::Unknown } else { Glance::Lacking });
                    }
                    continue;
                }
                let page = front.page(key, templates, Wanted { contents, changes: false })?;
                let mut next = 0;
                for (i, slot) in wanted {
                    let known = page.next_at(&mut next, *slot, cycle).filter(|_| !is_newer(slot));
                    each(i, known.map_or(Glance::Unknown, Glance::Known));
                }
            }
            Ok(())
        })
    }

    /// The page that a turn is on, with ttls and with what stayed the same; none if there is none.
    pub fn page(&self, slot: Slot) -> Result<Option<Arc<Page>>, StoreError> {
        self.with(|txn| {
            let key = slot.page();
            let Some(row) = txn.sketches()?.get(key)? else { return Ok(None) };
            let front = Front::read(key, row.value())?;
            let templates = self.templates(&front)?;
            let page = front.page(key, templates, Wanted { contents: false, changes: true })?;
            Ok(Some(Arc::new(page)))
        })
    }

    /// The templates of a block; the same bytes give the same subtree.
    fn templates(&self, front: &Front<'_>) -> Result<Vec<Template>, StoreError> {
        let mut found = Vec::with_capacity(front.templates.len());
        for bytes in &front.templates {
            let template = match self.templates.get(*bytes) {
                Some(known) => known,
                None => {
                    let template = read_template(bytes)?;
                    self.templates.insert((*bytes).into(), template.clone());
                    template
                }
            };
            found.push(template);
        }
        Ok(found)
    }
}
