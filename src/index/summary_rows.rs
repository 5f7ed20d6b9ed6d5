//! The rows of the table `sketches`: a page of summaries, column by column, so that a search
//! decodes only the columns that it asks for.

use super::nodes::{Interner, read_nodes};
use super::summary::{Columns, SummaryPage, SummaryVersion, Template};
use super::tables::{PageKey, SUMMARIES, page_key_bytes};
use crate::model::{ContentRef, Lifetime, Slot};
use crate::storage::{Numbers, StoreError, put_number, put_signed, seal, unseal};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

fn page_name(key: PageKey) -> String {
    format!("the sketches of the cycles from {}", key.0 * 64)
}

fn misfit(key: PageKey) -> StoreError {
    StoreError::corrupt(format!("{} do not fit together", page_name(key)))
}

/// One version of a turn, decoded to be written again.
pub(super) struct EditableVersion {
    pub(super) from: u64,
    /// None if the turn has to be read.
    pub(super) known: Option<VersionColumns>,
}

/// What the columns of a page have of one version.
pub(super) struct VersionColumns {
    pub(super) template: Vec<u8>,
    pub(super) ids: Vec<String>,
    pub(super) contents: Vec<ContentRef>,
    pub(super) lives: Vec<Lifetime>,
    pub(super) sames: Vec<bool>,
}

/// A page, decoded to be added to and written again.
pub(super) struct EditablePage {
    pub(super) whole: bool,
    pub(super) turns: BTreeMap<Slot, Vec<EditableVersion>>,
}

pub(super) fn decode_page(key: PageKey, row: &[u8]) -> Result<EditablePage, StoreError> {
    let stored = StoredPage::read(key, row)?;
    let templates = stored.templates.iter().map(|bytes| read_template(bytes));
    let templates = templates.collect::<Result<Vec<_>, _>>()?;
    let page = stored.page(key, templates, Wanted { contents: true, changes: true })?;
    let mut editable = EditablePage { whole: stored.whole, turns: BTreeMap::new() };
    for (turn, summary) in page.turns() {
        let known = summary.zip(turn.template).map(|(summary, number)| {
            let indexes = 0..summary.template.len();
            VersionColumns {
                template: stored.templates[number as usize].to_vec(),
                ids: indexes.clone().filter_map(|i| summary.id(i)).map(str::to_owned).collect(),
                contents: indexes.clone().filter_map(|i| summary.content(i)).collect(),
                lives: indexes.clone().filter_map(|i| summary.life(i)).collect(),
                sames: indexes.map(|i| summary.is_same(i)).collect(),
            }
        });
        editable
            .turns
            .entry(turn.slot)
            .or_default()
            .push(EditableVersion { from: turn.from, known });
    }
    Ok(editable)
}

/// The row of a page: whether it is whole, its templates, the versions, the ids of all nodes and
/// how long they are, where the contents are and how large, the finite ttls, and which nodes stayed the same. Of
/// a version there are its slot, the cycle that it holds from and its template, most of it as
/// differences. How many nodes, contents and ttls it has, the template says.
pub(super) fn encode_page(key: PageKey, page: &EditablePage) -> Vec<u8> {
    let mut numbers: HashMap<&[u8], u64> = HashMap::new();
    let (mut templates, mut ids, mut turns) = (Vec::new(), String::new(), Vec::new());
    let (mut lengths, mut places) = (Vec::new(), Vec::new());
    let (mut lives, mut same) = (Vec::new(), Vec::new());
    let mut last = 0u64;
    for (slot, versions) in &page.turns {
        for version in versions {
            put_number(slot.cycle - key.0 * 64, &mut turns);
            put_number(u64::from(slot.rank), &mut turns);
            put_number(version.from - slot.cycle.min(version.from), &mut turns);
            let Some(known) = &version.known else {
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
            for ContentRef { seq, item, bytes } in &known.contents {
                put_signed(seq.wrapping_sub(last) as i64, &mut places);
                put_number(u64::from(*item), &mut places);
                put_number(*bytes, &mut places);
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
    put_number(u64::from(page.whole), &mut row);
    put_number(templates.len() as u64, &mut row);
    let columns = [&turns[..], ids.as_bytes(), &lengths, &places, &lives, &same];
    for bytes in templates.into_iter().chain(columns) {
        put_number(bytes.len() as u64, &mut row);
        row.extend_from_slice(bytes);
    }
    seal(SUMMARIES.name(), &page_key_bytes(key), row)
}

pub(super) fn read_template(bytes: &[u8]) -> Result<Template, StoreError> {
    let what = || "a template of sketches".to_owned();
    Ok(Template::new(Arc::new(read_nodes(bytes, &mut Interner::default(), &what)?)))
}

/// Which columns of a row are wanted beside the ids.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) contents: bool,
    /// The ttls, and which nodes stayed the same.
    pub(super) changes: bool,
}

/// A row, split into its columns, which are not decoded yet.
pub(super) struct StoredPage<'a> {
    /// Whether every version of every turn of the page is in it.
    pub(super) whole: bool,
    /// The bytes of templates.
    pub(super) templates: Vec<&'a [u8]>,
    turns: Numbers<'a>,
    /// The ids of all nodes.
    ids: &'a str,
    lengths: Numbers<'a>,
    places: Numbers<'a>,
    lives: Numbers<'a>,
    sames: &'a [u8],
}

impl<'a> StoredPage<'a> {
    pub(super) fn read(key: PageKey, row: &'a [u8]) -> Result<StoredPage<'a>, StoreError> {
        let what = || page_name(key);
        let bytes = unseal(SUMMARIES.name(), &page_key_bytes(key), row, what)?;
        StoredPage::parse(bytes).ok_or_else(|| misfit(key))
    }

    fn parse(bytes: &'a [u8]) -> Option<StoredPage<'a>> {
        let mut rest = Numbers(bytes);
        let whole = rest.next()? == 1;
        let mut templates = Vec::new();
        for _ in 0..rest.next()? {
            templates.push(rest.bytes()?);
        }
        let stored = StoredPage {
            whole,
            templates,
            turns: Numbers(rest.bytes()?),
            ids: rest.text()?,
            lengths: Numbers(rest.bytes()?),
            places: Numbers(rest.bytes()?),
            lives: Numbers(rest.bytes()?),
            sames: rest.bytes()?,
        };
        rest.0.is_empty().then_some(stored)
    }

    pub(super) fn page(
        &self,
        key: PageKey,
        templates: Vec<Template>,
        wanted: Wanted,
    ) -> Result<SummaryPage, StoreError> {
        self.parse_page(key, templates, wanted).ok_or_else(|| misfit(key))
    }

    fn parse_page(
        &self,
        key: PageKey,
        templates: Vec<Template>,
        wanted: Wanted,
    ) -> Option<SummaryPage> {
        let mut turns = Vec::with_capacity(128);
        let mut numbers = self.turns;
        while !numbers.0.is_empty() {
            let [cycle, rank, after, template] = numbers.four()?;
            let cycle = (key.0 * 64).checked_add(cycle)?;
            let slot = Slot { cycle, rank: u32::try_from(rank).ok()? };
            let template = u32::try_from(template).ok()?.checked_sub(1);
            turns.push(SummaryVersion::new(slot, cycle.checked_add(after)?, template));
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
            let sizes = |turn: &SummaryVersion| {
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
        SummaryPage::new(turns, columns)
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

    /// Where contents are, and how large.
    fn contents(&self) -> Option<Vec<ContentRef>> {
        let mut numbers = self.places;
        let mut found = Vec::with_capacity(numbers.0.len() / 3);
        let mut seq = 0u64;
        while !numbers.0.is_empty() {
            seq = seq.wrapping_add_signed(numbers.signed()?);
            let item = u32::try_from(numbers.next()?).ok()?;
            found.push(ContentRef { seq, item, bytes: numbers.next()? });
        }
        Some(found)
    }
}
