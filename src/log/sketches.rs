//! The `sketches` table: what most questions ask of turns, many turns in a row, so that a search
//! over all of history reads a few bytes of each.
//!
//! A row has the versions of the turns of 64 cycles. It is written when the indexes are, with all
//! that changed since, so it does not know the newest versions; [`LogReader`] knows which those
//! are. Only a few versions of a turn are kept, and none of a very large turn: what is not here is
//! read from the turn itself. A row never says anything about a turn that is not so.

use super::StoreError;
use super::clues::NewVersion;
use super::codec::{Numbers, put_number, put_signed, seal, unseal};
use super::nodes::{Names, read_nodes, write_nodes};
use super::read::LogReader;
use super::tables::{BlockKey, SKETCHES, block_key, block_key_bytes};
use crate::model::{Glance, OwnedSketch, Sketch, Slot, Subtree};
use redb::{ReadableTable, WriteTransaction};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

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
    /// Its first node among those of the block.
    node: u32,
    /// Its first content among those of the block.
    content: u32,
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
    versions: &[NewVersion],
) -> Result<(), StoreError> {
    let mut blocks: BTreeMap<BlockKey, Vec<(Slot, Draft)>> = BTreeMap::new();
    for ((slot, from), turn) in versions {
        let known = turn.as_deref().and_then(known);
        blocks.entry(block_key(*slot)).or_default().push((*slot, Draft { from: *from, known }));
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

fn known(turn: &Subtree) -> Option<Known> {
    if turn.len() > NODES {
        return None;
    }
    let owned = OwnedSketch::of(turn);
    let mut template = Vec::new();
    write_nodes(owned.sketch().template, &mut template);
    let ids = turn.entries().iter().map(|entry| entry.node.id.to_string()).collect();
    let contents = turn.entries().iter().filter_map(|entry| entry.node.content);
    Some((template, ids, contents.map(|content| (content.seq, content.part)).collect()))
}

fn read_drafts(key: BlockKey, row: &[u8]) -> Result<Drafts, StoreError> {
    let front = Front::read(key, row)?;
    let templates: Vec<Template> =
        front.templates.iter().map(|bytes| Template::read(bytes)).collect::<Result<_, _>>()?;
    let block = Block::read(key, front, &templates, true)?;
    let mut drafts = Drafts { whole: block.front.whole, turns: BTreeMap::new() };
    for turn in &block.turns {
        let number = (turn.template as usize).wrapping_sub(1);
        let known = match (templates.get(number), block.front.templates.get(number)) {
            (Some(template), Some(bytes)) => {
                let (bounds, contents) = block.columns(turn, template);
                let ids = bounds
                    .windows(2)
                    .map(|pair| block.front.ids[pair[0] as usize..pair[1] as usize].to_owned())
                    .collect();
                Some((bytes.to_vec(), ids, contents.to_vec()))
            }
            _ => None,
        };
        drafts.turns.entry(turn.slot).or_default().push(Draft { from: turn.from, known });
    }
    Ok(drafts)
}

/// The row of a block: whether it is whole, its templates, the versions, the ids of all nodes and
/// how long they are, and where the contents are. Of a version there are its slot, the cycle that
/// it holds from and its template, most of it as differences. How many nodes and contents it has,
/// the template says.
fn write_drafts(key: BlockKey, drafts: &Drafts) -> Vec<u8> {
    let mut numbers: HashMap<&[u8], u64> = HashMap::new();
    let (mut templates, mut ids, mut turns) = (Vec::new(), String::new(), Vec::new());
    let (mut lengths, mut places) = (Vec::new(), Vec::new());
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
            for name in names {
                ids.push_str(name);
                put_number(name.len() as u64, &mut lengths);
            }
            for (seq, part) in contents {
                put_signed(seq.wrapping_sub(last) as i64, &mut places);
                put_number(u64::from(*part), &mut places);
                last = *seq;
            }
        }
    }
    let mut row = Vec::with_capacity(turns.len() + ids.len() + lengths.len() + places.len() + 1024);
    put_number(u64::from(drafts.whole), &mut row);
    put_number(templates.len() as u64, &mut row);
    let columns = [&turns[..], ids.as_bytes(), &lengths, &places];
    for bytes in templates.iter().map(|template| template.as_slice()).chain(columns) {
        put_number(bytes.len() as u64, &mut row);
        row.extend_from_slice(bytes);
    }
    seal("sketches", &block_key_bytes(key), row)
}

/// A template, and how many of its nodes have a content.
#[derive(Debug, Clone)]
pub(super) struct Template {
    nodes: Arc<Subtree>,
    contents: u32,
}

impl Template {
    fn read(bytes: &[u8]) -> Result<Template, StoreError> {
        let what = || "a template of sketches".to_owned();
        let nodes = Arc::new(read_nodes(bytes, &mut Names::default(), &what)?);
        let contents = nodes.entries().iter().filter(|entry| entry.node.content.is_some()).count();
        Ok(Template { nodes, contents: contents as u32 })
    }
}

/// A row, taken apart.
struct Front<'a> {
    /// Whether every version of every turn of the block is in it.
    whole: bool,
    /// The bytes of templates.
    templates: Vec<&'a [u8]>,
    turns: Numbers<'a>,
    /// The ids of all nodes.
    ids: &'a str,
    lengths: Numbers<'a>,
    places: Numbers<'a>,
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
        let front = Front {
            whole,
            templates,
            turns: Numbers(rest.bytes()?),
            ids: rest.text()?,
            lengths: Numbers(rest.bytes()?),
            places: Numbers(rest.bytes()?),
        };
        rest.0.is_empty().then_some(front)
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
    /// Where contents are, if that is wanted.
    contents: Vec<(u64, u32)>,
    /// By slot, then by cycle.
    turns: Vec<StoredTurn>,
}

impl<'a> Block<'a> {
    /// Reads a block; where its contents are only if that is wanted.
    fn read(
        key: BlockKey,
        front: Front<'a>,
        templates: &[Template],
        contents: bool,
    ) -> Result<Block<'a>, StoreError> {
        Block::parse(key, front, templates, contents).ok_or_else(|| misfit(key))
    }

    fn parse(
        key: BlockKey,
        front: Front<'a>,
        templates: &[Template],
        contents: bool,
    ) -> Option<Block<'a>> {
        let (mut turns, mut node, mut content) = (Vec::with_capacity(128), 0u32, 0u32);
        let mut numbers = front.turns;
        while !numbers.0.is_empty() {
            let cycle = (key.0 * 64).checked_add(numbers.next()?)?;
            let slot = Slot { cycle, rank: u32::try_from(numbers.next()?).ok()? };
            let from = cycle.checked_add(numbers.next()?)?;
            let template = u32::try_from(numbers.next()?).ok()?;
            turns.push(StoredTurn { slot, from, template, node, content });
            if let Some(number) = template.checked_sub(1) {
                let template = templates.get(number as usize)?;
                node = node.checked_add(template.nodes.len() as u32)?;
                content = content.checked_add(template.contents)?;
            }
        }
        let bounds = bounds(front.ids, front.lengths, node)?;
        let contents = match contents {
            true => places(front.places, content)?,
            false => Vec::new(),
        };
        Some(Block { front, bounds, contents, turns })
    }

    /// Where the ids of a turn lie, and its contents.
    fn columns(&self, turn: &StoredTurn, template: &Template) -> (&[u32], &[(u64, u32)]) {
        let (node, content) = (turn.node as usize, turn.content as usize);
        let contents = self.contents.get(content..content + template.contents as usize);
        (&self.bounds[node..=node + template.nodes.len()], contents.unwrap_or_default())
    }
}

/// Where ids begin and end that stand one behind the other.
fn bounds(ids: &str, mut lengths: Numbers<'_>, count: u32) -> Option<Vec<u32>> {
    let mut bounds = Vec::with_capacity(ids.len() / 2 + 1);
    let mut end = 0u32;
    bounds.push(end);
    while !lengths.0.is_empty() {
        end = end.checked_add(u32::try_from(lengths.next()?).ok()?)?;
        bounds.push(end);
    }
    let whole = end as usize == ids.len() && bounds.len() == count as usize + 1;
    let fits = ids.is_ascii() || bounds.iter().all(|end| ids.is_char_boundary(*end as usize));
    (whole && fits).then_some(bounds)
}

/// Where contents are.
fn places(mut numbers: Numbers<'_>, count: u32) -> Option<Vec<(u64, u32)>> {
    let mut found = Vec::with_capacity(64 * 4);
    let mut seq = 0u64;
    while !numbers.0.is_empty() {
        seq = seq.wrapping_add_signed(numbers.signed()?);
        found.push((seq, u32::try_from(numbers.next()?).ok()?));
    }
    (found.len() == count as usize).then_some(found)
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
                let key = block_key(*first);
                let count = slots[at..].iter().take_while(|slot| block_key(**slot) == key).count();
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
                let block = Block::read(key, front, &templates, contents)?;
                let mut turns = &block.turns[..];
                for (i, slot) in wanted {
                    let known = find(&mut turns, *slot, cycle).filter(|_| !is_newer(slot));
                    let Some(turn) = known else {
                        each(i, Glance::Unknown);
                        continue;
                    };
                    let template = &templates[turn.template as usize - 1];
                    let (bounds, contents) = block.columns(turn, template);
                    let sketch = Sketch::new(&template.nodes, block.front.ids, bounds, contents);
                    each(i, Glance::Known(sketch));
                }
            }
            Ok(())
        })
    }

    /// The templates of a block; the same bytes give the same subtree.
    fn templates(&self, front: &Front<'_>) -> Result<Vec<Template>, StoreError> {
        let mut found = Vec::with_capacity(front.templates.len());
        for bytes in &front.templates {
            let template = match self.templates.get(*bytes) {
                Some(known) => known,
                None => {
                    let template = Template::read(bytes)?;
                    self.templates.insert((*bytes).into(), template.clone());
                    template
                }
            };
            found.push(template);
        }
        Ok(found)
    }
}
