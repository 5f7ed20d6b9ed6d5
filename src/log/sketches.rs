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
use super::rows::PartRow;
use super::tables::{BlockKey, PARTS, SKETCHES, block_key, block_key_bytes, part_key};
use crate::model::{
    Columns, Glance, Lifetime, Page, PageTurn, Place, Slot, Subtree, Template, sames, template,
};
use redb::{ReadableTable, WriteTransaction};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// How many versions of a turn have a sketch.
const VERSIONS: usize = 4;

/// The most nodes of a turn that has a sketch.
const NODES: usize = 256;

fn block_name(key: BlockKey) -> String {
    format!("the sketches of the cycles from {}", key.0 * 64)
}

fn misfit(key: BlockKey) -> StoreError {
    StoreError::corrupt(format!("{} do not fit together", block_name(key)))
}

/// One version of a turn, on its way into a row.
struct Draft {
    from: u64,
    /// None if the turn has to be read.
    known: Option<Known>,
}

/// What is known of a version.
struct Known {
    template: Vec<u8>,
    ids: Vec<String>,
    contents: Vec<(u64, u32)>,
    lives: Vec<Lifetime>,
    sames: Vec<bool>,
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
    let parts = txn.open_table(PARTS)?;
    let mut table = txn.open_table(SKETCHES)?;
    let mut last: Option<&NewVersion> = None;
    for block in versions.chunk_by(|a, b| block_key(a.0.0) == block_key(b.0.0)) {
        let key = block_key(block[0].0.0);
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

fn version_before(
    parts: &impl ReadableTable<super::tables::PartKey, &'static [u8]>,
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

fn read_drafts(key: BlockKey, row: &[u8]) -> Result<Drafts, StoreError> {
    let front = Front::read(key, row)?;
    let templates = front.templates.iter().map(|bytes| read_template(bytes));
    let templates = templates.collect::<Result<Vec<_>, _>>()?;
    let page = front.page(key, templates, Wanted { contents: true, changes: true })?;
    let mut drafts = Drafts { whole: front.whole, turns: BTreeMap::new() };
    for (turn, sketch) in page.turns() {
        let known = sketch.zip(turn.template).map(|(sketch, number)| {
            let indexes = 0..sketch.template.len();
            Known {
                template: front.templates[number as usize].to_vec(),
                ids: indexes.clone().filter_map(|i| sketch.id(i)).map(str::to_owned).collect(),
                contents: indexes
                    .clone()
                    .filter_map(|i| sketch.content(i))
                    .map(|c| (c.seq, c.part))
                    .collect(),
                lives: indexes.clone().filter_map(|i| sketch.life(i)).collect(),
                sames: indexes.map(|i| sketch.is_same(i)).collect(),
            }
        });
        drafts.turns.entry(turn.slot).or_default().push(Draft { from: turn.from, known });
    }
    Ok(drafts)
}

/// The row of a block: whether it is whole, its templates, the versions, the ids of all nodes and
/// how long they are, where the contents are, the finite ttls, and which nodes stayed the same. Of
/// a version there are its slot, the cycle that it holds from and its template, most of it as
/// differences. How many nodes, contents and ttls it has, the template says.
fn write_drafts(key: BlockKey, drafts: &Drafts) -> Vec<u8> {
    let mut numbers: HashMap<&[u8], u64> = HashMap::new();
    let (mut templates, mut ids, mut turns) = (Vec::new(), String::new(), Vec::new());
    let (mut lengths, mut places) = (Vec::new(), Vec::new());
    let (mut lives, mut same) = (Vec::new(), Vec::new());
    let mut last = 0u64;
    for (slot, versions) in &drafts.turns {
        for draft in versions {
            put_number(slot.cycle - key.0 * 64, &mut turns);
            put_number(u64::from(slot.rank), &mut turns);
            put_number(draft.from - slot.cycle.min(draft.from), &mut turns);
            let Some(known) = &draft.known else {
                put_number(0, &mut turns);
                continue;
            };
            let count = numbers.len() as u64;
            let number = *numbers.entry(&known.template).or_insert_with(|| {
                templates.push(known.template.as_slice());
                count + 1
            });
            put_number(number, &mut turns);
            for name in &known.ids {
                ids.push_str(name);
                put_number(name.len() as u64, &mut lengths);
            }
            for (seq, part) in &known.contents {
                put_signed(seq.wrapping_sub(last) as i64, &mut places);
                put_number(u64::from(*part), &mut places);
                last = *seq;
            }
            for Lifetime { given, since, expires_at } in &known.lives {
                put_number(*given, &mut lives);
                put_signed(since.wrapping_sub(slot.cycle) as i64, &mut lives);
                put_signed(expires_at.wrapping_sub(*since) as i64, &mut lives);
            }
            for eight in known.sames.chunks(8) {
                let bits = eight.iter().rev().fold(0u8, |bits, same| bits << 1 | u8::from(*same));
                same.push(bits);
            }
        }
    }
    let mut row = Vec::with_capacity(turns.len() + ids.len() + lengths.len() + places.len() + 1024);
    put_number(u64::from(drafts.whole), &mut row);
    put_number(templates.len() as u64, &mut row);
    let columns = [&turns[..], ids.as_bytes(), &lengths, &places, &lives, &same];
    for bytes in templates.into_iter().chain(columns) {
        put_number(bytes.len() as u64, &mut row);
        row.extend_from_slice(bytes);
    }
    seal("sketches", &block_key_bytes(key), row)
}

fn read_template(bytes: &[u8]) -> Result<Template, StoreError> {
    let what = || "a template of sketches".to_owned();
    Ok(Template::new(Arc::new(read_nodes(bytes, &mut Names::default(), &what)?)))
}

/// Which columns of a row are wanted beside the ids.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    contents: bool,
    /// The ttls, and which nodes stayed the same.
    changes: bool,
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
    lives: Numbers<'a>,
    sames: &'a [u8],
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
            lives: Numbers(rest.bytes()?),
            sames: rest.bytes()?,
        };
        rest.0.is_empty().then_some(front)
    }

    fn page(
        &self,
        key: BlockKey,
        templates: Vec<Template>,
        wanted: Wanted,
    ) -> Result<Page, StoreError> {
        self.parse_page(key, templates, wanted).ok_or_else(|| misfit(key))
    }

    fn parse_page(&self, key: BlockKey, templates: Vec<Template>, wanted: Wanted) -> Option<Page> {
        let mut turns = Vec::with_capacity(128);
        let mut numbers = self.turns;
        while !numbers.0.is_empty() {
            let [cycle, rank, after, template] = numbers.four()?;
            let cycle = (key.0 * 64).checked_add(cycle)?;
            let slot = Slot { cycle, rank: u32::try_from(rank).ok()? };
            let template = u32::try_from(template).ok()?.checked_sub(1);
            turns.push(PageTurn::new(slot, cycle.checked_add(after)?, template));
        }
        let mut columns = Columns {
            bounds: self.bounds()?,
            ids: self.ids.to_owned(),
            templates,
            ..Columns::default()
        };
        if wanted.contents {
            columns.contents = self.contents()?;
        }
        if wanted.changes {
            let sizes = |turn: &PageTurn| {
                let template = columns.templates.get(turn.template? as usize)?;
                Some((turn.slot, template.nodes.len(), template.lives))
            };
            let mut lives = self.lives;
            let mut bytes = self.sames;
            for (slot, nodes, count) in turns.iter().filter_map(sizes) {
                for _ in 0..count {
                    let given = lives.next()?;
                    let since = slot.cycle.wrapping_add_signed(lives.signed()?);
                    let expires_at = since.wrapping_add_signed(lives.signed()?);
                    columns.lives.push(Lifetime { given, since, expires_at });
                }
                let (own, rest) = bytes.split_at_checked(nodes.div_ceil(8))?;
                columns.sames.extend((0..nodes).map(|i| own[i / 8] >> (i % 8) & 1 == 1));
                bytes = rest;
            }
        }
        Page::new(turns, columns)
    }

    /// Where ids begin and end.
    fn bounds(&self) -> Option<Vec<u32>> {
        let mut lengths = self.lengths;
        let mut bounds = Vec::with_capacity(lengths.0.len() + 1);
        let mut end = 0u32;
        bounds.push(end);
        // Ids are short: each length is a byte.
        if lengths.0.is_ascii() {
            bounds.extend(lengths.0.iter().map(|length| {
                end = end.wrapping_add(u32::from(*length));
                end
            }));
            return Some(bounds);
        }
        while !lengths.0.is_empty() {
            end = end.checked_add(u32::try_from(lengths.next()?).ok()?)?;
            bounds.push(end);
        }
        Some(bounds)
    }

    /// Where contents are.
    fn contents(&self) -> Option<Vec<(u64, u32)>> {
        let mut numbers = self.places;
        let mut found = Vec::with_capacity(numbers.0.len() / 2);
        let mut seq = 0u64;
        while !numbers.0.is_empty() {
            seq = seq.wrapping_add_signed(numbers.signed()?);
            found.push((seq, u32::try_from(numbers.next()?).ok()?));
        }
        Some(found)
    }
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
            let key = block_key(slot);
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
