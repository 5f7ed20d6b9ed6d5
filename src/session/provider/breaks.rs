//! Where the prompt of a provider breaks over a stretch of history: for each snapshot, how much of the
//! prompt before it still stands at its beginning.
//!
//! No table knows this, so prompts are made of the newest snapshots first, within bounds. What was found
//! is remembered with the store, and asking again goes on from there.

use super::notes::Notes;
use super::piece::Piece;
use super::thread::{ThreadRequest, join, pieces};
use crate::budget;
use crate::code::Code;
use crate::db::{Db, KeptPrompt, PromptBreaks, ThreadFormat, TimelineReply};
use crate::error::Result;

/// How many bytes of contents prompts are made of for one answer.
const MOST_BYTES: u64 = 8 << 20;

/// What a block costs beside its content.
const BLOCK: u64 = 64;

/// How many snapshots are gone back over.
const MOST_SNAPSHOTS: u64 = 4096;

/// Where prompts in a format break, for the buckets of a timeline; none of the thread itself, whose
/// breaks are in the timeline.
pub fn prompt_breaks(
    db: &Db,
    timeline: &TimelineReply,
    format: ThreadFormat,
) -> Result<Option<PromptBreaks>> {
    if format == ThreadFormat::Thread {
        return Ok(None);
    }
    let count = timeline.cycle.len();
    let mut found = PromptBreaks {
        format,
        breaks: vec![None; count],
        break_at: vec![0; count],
        kept_bytes: vec![0; count],
        kept_of: vec![0; count],
    };
    let history = db.history();
    let mut walk = Walk { db, format, left: MOST_BYTES, newer: None };
    let newest = history.before(timeline.to.saturating_add(1));
    let mut next = newest;
    for bucket in (0..count).rev() {
        let from = match bucket.checked_sub(1) {
            Some(older) => timeline.cycle[older],
            None => timeline.from.saturating_sub(1),
        };
        let cost = timeline.greatest[bucket] + BLOCK * timeline.blocks[bucket];
        let (mut breaks, mut worst) = (Some(0u64), None);
        while let Some(cycle) = next.checked_sub(1).and_then(|number| history.nth(number)) {
            if cycle <= from {
                break;
            }
            if newest - next >= MOST_SNAPSHOTS {
                return Ok(Some(found));
            }
            budget::reached("prompts were compared", newest - next, None)?;
            next -= 1;
            let before = next.checked_sub(1).and_then(|number| history.nth(number));
            match walk.kept(cycle, before, cost)? {
                None => breaks = None,
                Some(kept) if kept.broken => {
                    breaks = breaks.map(|breaks| breaks + 1);
                    worst = Some(worse(worst, (cycle, kept)));
                }
                Some(_) => {}
            }
        }
        found.breaks[bucket] = breaks;
        if let (Some(_), Some((cycle, kept))) = (breaks, worst) {
            found.break_at[bucket] = cycle;
            found.kept_bytes[bucket] = kept.bytes;
            found.kept_of[bucket] = kept.of;
        }
    }
    Ok(Some(found))
}

/// The one of which the smaller share is left; the older one of two that are the same.
fn worse(newer: Option<(u64, KeptPrompt)>, older: (u64, KeptPrompt)) -> (u64, KeptPrompt) {
    let share = |kept: KeptPrompt| (u128::from(kept.bytes), u128::from(kept.of.max(1)));
    match newer {
        Some(newer) => {
            let ((kept, of), (other, other_of)) = (share(newer.1), share(older.1));
            if kept * other_of < other * of { newer } else { older }
        }
        None => older,
    }
}

/// A prompt: its pieces, and its bytes.
struct Prompt {
    cycle: u64,
    pieces: Vec<Piece>,
    text: String,
}

/// Goes back from snapshot to snapshot.
struct Walk<'a> {
    db: &'a Db,
    format: ThreadFormat,
    /// How much more prompts may cost.
    left: u64,
    /// The prompt that was made last.
    newer: Option<Prompt>,
}

impl Walk<'_> {
    /// How much of the prompt before a snapshot is left in its own; none if that would cost too much.
    fn kept(&mut self, cycle: u64, before: Option<u64>, cost: u64) -> Result<Option<KeptPrompt>> {
        let Some(before) = before else { return Ok(Some(KeptPrompt::default())) };
        let known = self.db.kept_prompts();
        if let Some(kept) = known.get(&(self.format, cycle)) {
            return Ok(Some(kept));
        }
        let newer = match self.newer.take() {
            Some(prompt) if prompt.cycle == cycle => prompt,
            _ => match self.prompt(cycle, cost)? {
                Some(prompt) => prompt,
                None => return Ok(None),
            },
        };
        let Some(older) = self.prompt(before, cost)? else { return Ok(None) };
        let same = older.pieces.iter().zip(&newer.pieces).take_while(|(a, b)| a == b).count();
        let common = older.text.bytes().zip(newer.text.bytes()).take_while(|(a, b)| a == b);
        let kept = KeptPrompt {
            broken: same < older.pieces.len(),
            bytes: common.count() as u64,
            of: older.text.len() as u64,
        };
        known.insert((self.format, cycle), kept);
        self.newer = Some(older);
        Ok(Some(kept))
    }

    /// The prompt of a snapshot; none if that would cost too much, or if it is not kept any more.
    fn prompt(&mut self, cycle: u64, cost: u64) -> Result<Option<Prompt>> {
        let Some(left) = self.left.checked_sub(cost) else { return Ok(None) };
        self.left = left;
        let state = match self.db.snapshot(cycle) {
            Err(error) if error.code == Code::Pruned => return Ok(None),
            state => state?,
        };
        let request = ThreadRequest::from(self.format);
        let pieces = pieces(&state, request, &mut Notes::default())?;
        let text = join(self.format, &pieces);
        Ok(Some(Prompt { cycle, pieces, text }))
    }
}
