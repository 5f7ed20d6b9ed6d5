//! The table of figures: 64 snapshots in a row, and coarser levels above.
//!
//! Snapshots are counted from 0, oldest first. A row of level 0 has the figures of each of 64
//! snapshots; a row of a level above has those of 64 rows of the level below, each put together. So
//! any stretch of snapshots is put together from a few rows. A checkpoint comes with every 64th
//! snapshot, writes one whole row of level 0 and adds to the last row of level 1; a row above that is
//! written when the one below it is full. The figures of the newest snapshots are in the memtable.

use super::figures::{Break, Counts, Figures};
use super::tables::{FIGURES, FigureKey};
use super::view::View;
use crate::budget;
use crate::limits::CHECKPOINT_EVERY;
use crate::model::ThreadSize;
use crate::storage::{
    Bytes, Numbers, Readable, StoreError, Writer, checked_bytes, insert_bytes, put_number,
    put_signed,
};

/// How many figures are in a full row.
const ROW: u64 = CHECKPOINT_EVERY;

/// Writes the figures of the snapshots since the last checkpoint; `snapshots` is how many there
/// are in all.
pub(super) fn write_figures(
    txn: &Writer,
    newest: Vec<Figures>,
    snapshots: u64,
) -> Result<(), StoreError> {
    let mut table = txn.open_table(FIGURES)?;
    let (mut row, mut key) = (newest, (0u8, (snapshots / ROW).saturating_sub(1)));
    loop {
        insert_bytes(&mut table, FIGURES, key, write_row(&row))?;
        let Some(whole) = Figures::all(&row).filter(|_| row.len() as u64 == ROW) else {
            return Ok(());
        };
        let above = (key.0 + 1, key.1 / ROW);
        row = match key.1 % ROW {
            0 => Vec::new(),
            _ => read_row(&table, above)?,
        };
        row.push(whole);
        key = above;
    }
}

fn write_row(figures: &[Figures]) -> Vec<u8> {
    let (mut bytes, mut before) = (Vec::new(), Figures::default());
    for one in figures {
        write_one(one, &before, &mut bytes);
        before = *one;
    }
    bytes
}

/// What is a level is written as the difference to the one before it.
fn write_one(one: &Figures, before: &Figures, bytes: &mut Vec<u8>) {
    put_number(one.cycle.wrapping_sub(before.cycle), bytes);
    put_signed(one.time.wrapping_sub(before.time), bytes);
    for (value, before) in levels(one).into_iter().zip(levels(before)) {
        put_signed(value.wrapping_sub(before) as i64, bytes);
    }
    put_number(one.greatest.wrapping_sub(one.bytes()), bytes);
    put_number(one.cycle.wrapping_sub(one.greatest_at), bytes);
    one.counts.to_list().into_iter().for_each(|count| put_number(count, bytes));
    if let Some(Break { cycle, before, kept }) = one.worst {
        put_number(one.cycle.wrapping_sub(cycle), bytes);
        for size in [before, kept] {
            put_number(size.blocks, bytes);
            put_number(size.bytes, bytes);
        }
    }
}

/// How large the last snapshot is.
fn levels(figures: &Figures) -> [u64; 9] {
    let Figures { roles: [a, b, c, d, e], regions: [sys, ah], blocks, tokens, .. } = *figures;
    [a, b, c, d, e, sys, ah, blocks, tokens]
}

fn read_row(
    table: &impl Readable<FigureKey, Bytes>,
    key: FigureKey,
) -> Result<Vec<Figures>, StoreError> {
    let what = || format!("the figures {}/{}", key.0, key.1);
    let row = table.range(key..=key)?.next().transpose()?;
    let (found, row) = row.ok_or_else(|| StoreError::corrupt(format!("{} are missing", what())))?;
    let mut rest = Numbers(checked_bytes(FIGURES, &found, &row)?);
    let (mut figures, mut before) = (Vec::with_capacity(ROW as usize), Figures::default());
    while !rest.0.is_empty() {
        before = read_one(&mut rest, &before)
            .ok_or_else(|| StoreError::corrupt(format!("{} cannot be decoded", what())))?;
        figures.push(before);
    }
    Ok(figures)
}

fn read_one(rest: &mut Numbers<'_>, before: &Figures) -> Option<Figures> {
    let cycle = before.cycle.wrapping_add(rest.next()?);
    let time = before.time.wrapping_add(rest.signed()?);
    let mut values = levels(before);
    for value in &mut values {
        *value = value.wrapping_add(rest.signed()? as u64);
    }
    let [a, b, c, d, e, sys, ah, blocks, tokens] = values;
    let mut figures = Figures {
        cycle,
        time,
        roles: [a, b, c, d, e],
        regions: [sys, ah],
        blocks,
        tokens,
        ..Figures::default()
    };
    let total = figures.roles.iter().fold(0u64, |sum, role| sum.wrapping_add(*role));
    figures.greatest = total.wrapping_add(rest.next()?);
    figures.greatest_at = cycle.wrapping_sub(rest.next()?);
    let mut counts = [0; 8];
    for count in &mut counts {
        *count = rest.next()?;
    }
    figures.counts = Counts::from_list(counts);
    if figures.counts.breaks > 0 {
        let cycle = cycle.wrapping_sub(rest.next()?);
        let mut size = || Some(ThreadSize { blocks: rest.next()?, bytes: rest.next()? });
        figures.worst = Some(Break { cycle, before: size()?, kept: size()? });
    }
    Some(figures)
}

/// Puts the figures of stretches of snapshots together, which are best asked for in order.
pub(crate) struct FigureReader<'a> {
    pub(crate) view: &'a View,
    /// The figures that are not in the table, of the snapshots from `stored` on.
    pub(crate) newest: &'a [Figures],
    /// How many snapshots are asked of the table.
    pub(crate) stored: u64,
    /// The last row of each level that was read.
    pub(crate) rows: Vec<Option<(u64, Vec<Figures>)>>,
}

impl FigureReader<'_> {
    /// The figures of the snapshots `from..to`, of which there is at least one.
    pub(crate) fn stretch(&mut self, from: u64, to: u64) -> Result<Figures, StoreError> {
        let (mut at, mut sum) = (from, None::<Figures>);
        while at < to {
            budget::check()?;
            // The coarsest level that fits.
            let (mut level, mut size) = (0u8, 1u64);
            while let Some(larger) = size.checked_mul(ROW)
                && at.is_multiple_of(larger)
                && larger <= to.min(self.stored).saturating_sub(at)
            {
                (level, size) = (level + 1, larger);
            }
            let next = self.one(level, at / size, at)?;
            sum = Some(sum.map_or(next, |sum| sum.then(&next)));
            at += size;
        }
        sum.ok_or_else(|| StoreError::corrupt("there are no figures of no snapshots"))
    }

    fn one(&mut self, level: u8, index: u64, at: u64) -> Result<Figures, StoreError> {
        let missing = || StoreError::corrupt(format!("the figures of snapshot {at} are missing"));
        if at >= self.stored {
            let newest = usize::try_from(at - self.stored).ok();
            return newest.and_then(|at| self.newest.get(at)).copied().ok_or_else(missing);
        }
        let (number, item) = (index / ROW, (index % ROW) as usize);
        let place = usize::from(level);
        if self.rows.len() <= place {
            self.rows.resize(place + 1, None);
        }
        let known = self.rows[place].as_ref().is_some_and(|(known, _)| *known == number);
        if !known {
            let row = read_row(&self.view.open_table(FIGURES)?, (level, number))?;
            self.rows[place] = Some((number, row));
        }
        let row = self.rows[place].as_ref().map(|(_, row)| row.as_slice()).unwrap_or_default();
        row.get(item).copied().ok_or_else(missing)
    }
}
