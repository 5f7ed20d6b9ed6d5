//! The `sketches` table: what most questions ask of turns, many turns in a row, so that a search
//! over all of history reads a few bytes of each.
//!
//! A row has the versions of the turns of 64 cycles. It is written when the indexes are, with all
//! that changed since, so it does not know the newest versions; [`LogReader`] knows which those
//! are. Only a few versions of a turn are kept, and none of a very large turn: what is not here is
//! read from the turn itself. A row never says anything about a turn that is not so.

use super::StoreError;
use super::codec::{Numbers, decode, encode, put_number, seal, unseal};
use super::index::Version;
use super::read::LogReader;
use super::rows::PartRow;
use super::stored::{Names, StoredNodes, load_nodes, store_nodes};
use super::tables::{BlockKey, PARTS, SKETCHES, block_key, block_key_bytes, part_key};
use crate::model::{Glance, OwnedSketch, Place, Sketch, Slot, Subtree};
use redb::{ReadableTable, WriteTransaction};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError};

/// How many versions of a turn have a sketch.
const VERSIONS: usize = 4;

/// The most nodes of a turn that has a sketch.
const NODES: usize = 256;

/// A version of a turn in a block.
#[derive(Debug, Clone, Copy)]
struct StoredTurn {
    slot: Slot,
    /// The cycle that this version holds from.
    from: u64,
    /// The number of its template, from 1; 0 if the turn has to be read.
    template: u32,
    /// Its first node, and the one behind its last, among those of the block.
    nodes: (u32, u32),
    /// The same for its contents.
    contents: (u32, u32),
}

fn block_name(key: BlockKey) -> String {
    format!("the sketches of the cycles from {}", key.0 * 64)
}

/// One version of a turn, on its way into a row.
struct Draft {
    from: u64,
    /// None if the turn has to be read.
    known: Option<Known>,
}

/// A block on its way into its row.
struct Drafts {
    whole: bool,
    turns: BTreeMap<Slot, Vec<Draft>>,
}

/// Adds new versions of turns to the rows of their blocks.
pub(super) fn flush_sketches(
    txn: &WriteTransaction,
    turns: &BTreeMap<(Slot, u64), Version>,
) -> Result<(), StoreError> {
    let mut blocks: BTreeMap<BlockKey, Vec<(Slot, Draft)>> = BTreeMap::new();
    {
        let parts = txn.open_table(PARTS)?;
        for ((slot, from), version) in turns {
            let turn = match version {
                Version::Held(turn) => Some(turn.clone()),
                Version::Gone => None,
                Version::Stored => {
                    let key = part_key(Place::Turn(*slot), *from);
                    let row = parts.get(key)?.ok_or_else(|| {
                        StoreError::corrupt(format!("a version of the turn {slot:?} is missing"))
                    })?;
                    PartRow::read(key, row.value())?.part(&mut Names::default())?
                }
            };
            let draft =
                Draft { from: *from, known: turn.map(|turn| known(&turn)).transpose()?.flatten() };
            blocks.entry(block_key(*slot)).or_default().push((*slot, draft));
        }
    }
    let mut table = txn.open_table(SKETCHES)?;
    for (key, new) in blocks {
        let mut drafts = match table.get(key)? {
            Some(row) => read_drafts(key, row.value())?,
            None => Drafts { whole: true, turns: BTreeMap::new() },
        };
        for (slot, draft) in new {
            let versions = drafts.turns.entry(slot).or_default();
            drafts.whole &= draft.known.is_some() && versions.len() < VERSIONS;
            versions.push(draft);
            let extra = versions.len().saturating_sub(VERSIONS);
            versions.drain(..extra);
        }
        let row = write_drafts(key, &drafts);
        table.insert(key, row.as_slice())?;
    }
    Ok(())
}

/// The template's bytes, the ids, and the contents.
type Known = (Vec<u8>, Vec<String>, Vec<(u64, u32)>);

fn known(turn: &Subtree) -> Result<Option<Known>, StoreError> {
    if turn.len() > NODES {
        return Ok(None);
    }
    let owned = OwnedSketch::of(turn);
    let template = owned.sketch().template;
    let nodes: StoredNodes<&str> =
        store_nodes(template.entries().iter().map(|entry| (&entry.node, entry.parent)));
    let ids = turn.entries().iter().map(|entry| entry.node.id.to_string()).collect();
    let contents = turn.entries().iter().filter_map(|entry| entry.node.content);
    let contents = contents.map(|content| (content.seq, content.part)).collect();
    Ok(Some((encode(&nodes)?, ids, contents)))
}

fn read_drafts(key: BlockKey, row: &[u8]) -> Result<Drafts, StoreError> {
    let block = Block::read(key, Front::read(key, row)?)?;
    let mut drafts = Drafts { whole: block.front.whole, turns: BTreeMap::new() };
    for turn in &block.turns {
        let known = match block.front.templates.get((turn.template as usize).wrapping_sub(1)) {
            None => None,
            Some(template) => {
                let (bounds, contents) = block.columns(turn);
                let ids = bounds
                    .windows(2)
                    .map(|pair| block.front.ids[pair[0] as usize..pair[1] as usize].to_owned())
                    .collect();
                Some((template.to_vec(), ids, contents.to_vec()))
            }
        };
        drafts.turns.entry(turn.slot).or_default().push(Draft { from: turn.from, known });
    }
    Ok(drafts)
}

/// The row of a block: whether it is whole, its templates, the ids of all nodes, and for each version its slot, the
/// cycle that it holds from, its template, how long its ids are, and where its contents are, most
/// of it as differences.
fn write_drafts(key: BlockKey, drafts: &Drafts) -> Vec<u8> {
    let mut numbers: HashMap<&[u8], u64> = HashMap::new();
    let (mut templates, mut ids, mut turns) = (Vec::new(), String::new(), Vec::new());
    let mut last = 0u64;
    for (slot, versions) in &drafts.turns {
        for draft in versions {
            put_number(slot.cycle - key.0 * 64, &mut turns);
            put_number(u64::from(slot.rank), &mut turns);
            put_number(draft.from - slot.cycle.min(draft.from), &mut turns);
            let Some((template, names, contents)) = &draft.known else {
                put_number(0, &mut turns);
                continue;
            };
            let count = numbers.len() as u64;
            let number = *numbers.entry(template).or_insert_with(|| {
                templates.push(template);
                count + 1
            });
            put_number(number, &mut turns);
            put_number(names.len() as u64, &mut turns);
            for name in names {
                ids.push_str(name);
                put_number(name.len() as u64, &mut turns);
            }
            put_number(contents.len() as u64, &mut turns);
            for (seq, part) in contents {
                let step = seq.wrapping_sub(last) as i64;
                put_number((step << 1 ^ step >> 63) as u64, &mut turns);
                put_number(u64::from(*part), &mut turns);
                last = *seq;
            }
        }
    }
    let mut row = Vec::with_capacity(turns.len() + ids.len() + 1024);
    put_number(u64::from(drafts.whole), &mut row);
    put_number(templates.len() as u64, &mut row);
    for template in templates {
        put_number(template.len() as u64, &mut row);
        row.extend_from_slice(template);
    }
    put_number(ids.len() as u64, &mut row);
    row.extend_from_slice(ids.as_bytes());
    row.extend_from_slice(&turns);
    seal("sketches", &block_key_bytes(key), row)
}

/// The beginning of a block.
struct Front<'a> {
    /// Whether every version of every turn of the block is in it.
    whole: bool,
    /// Templates, each as the nodes of a part are stored.
    templates: Vec<&'a [u8]>,
    /// The ids of all nodes.
    ids: &'a str,
    rest: Numbers<'a>,
}

impl<'a> Front<'a> {
    fn read(key: BlockKey, row: &'a [u8]) -> Result<Front<'a>, StoreError> {
        let what = || block_name(key);
        let bytes = unseal("sketches", &block_key_bytes(key), row, what)?;
        Front::parse(bytes).ok_or_else(|| misfit(key))
    }

    fn parse(bytes: &'a [u8]) -> Option<Front<'a>> {
        let mut rest = Numbers(bytes);
        let whole = rest.next()? == 1;
        let mut templates = Vec::new();
        for _ in 0..rest.next()? {
            templates.push(rest.bytes()?);
        }
        let ids = std::str::from_utf8(rest.bytes()?).ok()?;
        Some(Front { whole, templates, ids, rest })
    }
}

fn misfit(key: BlockKey) -> StoreError {
    StoreError::corrupt(format!("{} do not fit together", block_name(key)))
}

/// A block, ready to be asked.
struct Block<'a> {
    front: Front<'a>,
    /// Where each id begins, and where the last one ends.
    bounds: Vec<u32>,
    contents: Vec<(u64, u32)>,
    /// By slot, then by cycle.
    turns: Vec<StoredTurn>,
}

impl<'a> Block<'a> {
    fn read(key: BlockKey, front: Front<'a>) -> Result<Block<'a>, StoreError> {
        Block::parse(key, front).ok_or_else(|| misfit(key))
    }

    fn parse(key: BlockKey, front: Front<'a>) -> Option<Block<'a>> {
        let (ids, mut numbers) = (front.ids, front.rest);
        let mut block = Block {
            front,
            bounds: Vec::with_capacity(ids.len() / 4),
            contents: Vec::with_capacity(64 * 4),
            turns: Vec::with_capacity(64 * 2),
        };
        let (mut end, mut seq) = (0u32, 0u64);
        block.bounds.push(end);
        while !numbers.0.is_empty() {
            let cycle = (key.0 * 64).checked_add(numbers.next()?)?;
            let slot = Slot { cycle, rank: u32::try_from(numbers.next()?).ok()? };
            let from = cycle.checked_add(numbers.next()?)?;
            let template = u32::try_from(numbers.next()?).ok()?;
            let (node, content) = (block.bounds.len() as u32 - 1, block.contents.len() as u32);
            if template > 0 {
                for _ in 0..numbers.next()? {
                    end = end.checked_add(u32::try_from(numbers.next()?).ok()?)?;
                    ids.is_char_boundary(end as usize).then_some(())?;
                    block.bounds.push(end);
                }
                for _ in 0..numbers.next()? {
                    let step = numbers.next()?;
                    seq = seq.wrapping_add((step >> 1) ^ (step & 1).wrapping_neg());
                    block.contents.push((seq, u32::try_from(numbers.next()?).ok()?));
                }
            }
            let nodes = (node, block.bounds.len() as u32 - 1);
            let contents = (content, block.contents.len() as u32);
            block.turns.push(StoredTurn { slot, from, template, nodes, contents });
        }
        (end as usize == ids.len()).then_some(block)
    }

    /// Whether each turn has as many nodes as its template.
    fn check(&self, templates: &[Arc<Subtree>]) -> Result<(), StoreError> {
        let fits = |turn: &StoredTurn| match (turn.template as usize).checked_sub(1) {
            Some(number) => {
                let count = (turn.nodes.1 - turn.nodes.0) as usize;
                templates.get(number).is_some_and(|template| template.len() == count)
            }
            None => true,
        };
        match self.turns.iter().all(fits) {
            true => Ok(()),
            false => Err(StoreError::corrupt("a sketch does not fit its template")),
        }
    }

    /// Where the ids of a turn lie, and its contents.
    fn columns(&self, turn: &StoredTurn) -> (&[u32], &[(u64, u32)]) {
        let (nodes, contents) = (turn.nodes, turn.contents);
        (
            &self.bounds[nodes.0 as usize..=nodes.1 as usize],
            &self.contents[contents.0 as usize..contents.1 as usize],
        )
    }
}

/// The version of a turn that holds at a cycle; `turns` begin where the last one was found.
fn find<'t>(turns: &mut &'t [StoredTurn], slot: Slot, cycle: u64) -> Option<&'t StoredTurn> {
    let mut found = None;
    while let Some((turn, rest)) = turns.split_first()
        && turn.slot <= slot
    {
        if turn.slot == slot && turn.from <= cycle {
            found = Some(turn);
        }
        *turns = rest;
    }
    found.filter(|turn| turn.template != 0)
}

impl LogReader {
    /// Gives what is known of each of some turns to `each`, as they are in the snapshot of a cycle,
    /// with its number in the list. Slots come in order. Where no template of a row matters, the
    /// row is not looked at further.
    pub fn sketches(
        &self,
        cycle: u64,
        slots: &[Slot],
        matters: &mut dyn FnMut(&Arc<Subtree>) -> bool,
        each: &mut dyn FnMut(usize, Glance<'_>),
    ) -> Result<(), StoreError> {
        // What is newer than the rows; the tail first, so that what it loses meanwhile is in them.
        let newer: std::collections::BTreeSet<Slot> = {
            let tail = self.tail.read().unwrap_or_else(PoisonError::into_inner);
            let changed = tail.turns.keys().filter(|(_, from)| *from <= cycle);
            changed.map(|(slot, _)| *slot).collect()
        };
        self.with(|txn| {
            let table = txn.open_table(SKETCHES)?;
            let mut at = 0;
            while let Some(first) = slots.get(at) {
                let key = block_key(*first);
                let count = slots[at..].iter().take_while(|slot| block_key(**slot) == key).count();
                let row = table.get(key)?;
                match row {
                    Some(row) => {
                        let front = Front::read(key, row.value())?;
                        let templates = self.templates(&front)?;
                        let slots = &slots[at..at + count];
                        if front.whole && !templates.iter().any(&mut *matters) {
                            for (i, slot) in slots.iter().enumerate() {
                                each(
                                    at + i,
                                    match newer.contains(slot) {
                                        true => Glance::Unknown,
                                        false => Glance::Lacking,
                                    },
                                );
                            }
                        } else {
                            let block = Block::read(key, front)?;
                            block.check(&templates)?;
                            let mut turns = &block.turns[..];
                            for (i, slot) in slots.iter().enumerate() {
                                let known = find(&mut turns, *slot, cycle);
                                let known = known.filter(|_| !newer.contains(slot));
                                each(
                                    at + i,
                                    match known {
                                        None => Glance::Unknown,
                                        Some(turn) => {
                                            let (bounds, contents) = block.columns(turn);
                                            let template = &templates[turn.template as usize - 1];
                                            let ids = block.front.ids;
                                            Glance::Known(Sketch::new(
                                                template, ids, bounds, contents,
                                            ))
                                        }
                                    },
                                );
                            }
                        }
                    }
                    None => (at..at + count).for_each(|i| each(i, Glance::Unknown)),
                }
                at += count;
            }
            Ok(())
        })
    }

    /// The templates of a block; the same bytes give the same subtree.
    fn templates(&self, front: &Front<'_>) -> Result<Vec<Arc<Subtree>>, StoreError> {
        let mut found = Vec::with_capacity(front.templates.len());
        for bytes in &front.templates {
            if let Some(template) = self.templates.get(*bytes) {
                found.push(template);
                continue;
            }
            let nodes: StoredNodes = decode(bytes, "a template of sketches")?;
            let nodes = load_nodes(nodes, &mut Names::default())?;
            let template = Subtree::from_preorder(nodes)
                .ok_or_else(|| StoreError::corrupt("a template of sketches is no tree"))?;
            let template = Arc::new(template);
            self.templates.insert((*bytes).into(), template.clone());
            found.push(template);
        }
        Ok(found)
    }
}
