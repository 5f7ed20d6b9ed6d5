//! The table of trigrams, `grams`: in which turns a text may stand.
//!
//! A row has up to 64 turns and a Bloom filter of the trigrams (runs of three bytes) in their
//! contents. When 64 commits are complete, rows are added for the turns that came or changed
//! in them; none is changed. Newer versions are in the memtable, and count as having every text.

use super::bloom::{Bloom, may_have};
use super::lookup::Trigrams;
use super::names::push;
use super::parts::TurnVersion;
use super::schedule::Piece;
use super::tables::{TRIGRAMS, trigram_key_bytes};
use super::view::View;
use crate::log::{LogKey, lend_content};
use crate::model::{Slot, Spine, Subtree};
use crate::snapshot::Body;
use crate::storage::{Bytes, Readable, StoreError, Writer, decode_borrowed, encode, seal, unseal};
use std::collections::{BTreeMap, BTreeSet};

/// How many turns share a row.
const TURNS: usize = 64;

/// Adds rows for new versions of turns, which were committed up to a cycle, or a piece of these rows. Contents are read from
/// `log`.
pub(super) fn write_trigrams(
    txn: &Writer,
    cycle: u64,
    versions: &[TurnVersion],
    piece: Piece,
    log: &impl Readable<LogKey, Bytes>,
) -> Result<(), StoreError> {
    let mut turns: BTreeMap<Slot, Vec<&Subtree>> = BTreeMap::new();
    for ((slot, _), turn) in versions {
        if let Some(turn) = turn {
            turns.entry(*slot).or_default().push(turn);
        }
    }
    let mut table = txn.open_table(TRIGRAMS)?;
    let turns: Vec<(Slot, Vec<&Subtree>)> = turns.into_iter().collect();
    let range = piece.range(turns.len().div_ceil(TURNS));
    let rows = turns.chunks(TURNS).enumerate();
    for (number, chunk) in rows.skip(range.start).take(range.len()) {
        let (mut slots, mut contents) = (Spine::default(), BTreeSet::new());
        for (slot, versions) in chunk {
            push(&mut slots, *slot);
            let nodes = versions.iter().flat_map(|turn| turn.entries());
            contents.extend(nodes.filter_map(|entry| entry.node.content).map(|c| (c.seq, c.item)));
        }
        let mut filter = Bloom::new();
        for key in contents {
            match add_content(log, key, &mut filter) {
                // What cannot be read may hold anything. Whoever wants it, or verifies, is told.
                Err(StoreError::Corrupt(_)) => filter.fill(),
                added => added?,
            }
        }
        let key = (cycle, number as u32);
        let row = encode(&(slots, filter.folded()))?;
        let row = seal(TRIGRAMS.name(), &trigram_key_bytes(key), row);
        table.insert(key, row.as_slice())?;
    }
    Ok(())
}

fn add_content(
    log: &impl Readable<LogKey, Bytes>,
    key: LogKey,
    filter: &mut Bloom,
) -> Result<(), StoreError> {
    lend_content(log, key, |body| match body {
        Body::Text(text) => filter.add(text),
        Body::Json(value) => filter.add(&value.text()),
    })
}

/// Adds the turns in whose contents one of some texts may stand; false if there are too many.
pub(crate) fn with_texts(
    view: &View,
    texts: &[Trigrams],
    most: usize,
    found: &mut Vec<Slot>,
) -> Result<bool, StoreError> {
    for entry in view.trigrams()?.iter()? {
        let (key, row) = entry?;
        let key = key.value();
        let what = || format!("the texts of the turns as of cycle {}", key.0);
        let bytes = unseal(TRIGRAMS.name(), &trigram_key_bytes(key), row.value(), what)?;
        let (slots, set): (Spine, &[u8]) = decode_borrowed(bytes, &what)?;
        if texts.iter().any(|text| may_have(set, text)) {
            if found.len() as u64 + slots.len() > most as u64 {
                return Ok(false);
            }
            found.extend(slots.iter());
        }
    }
    Ok(true)
}
