//! A store's history from afar: sizes, and what happened, in buckets of snapshots.
//!
//! All of it is put together from the figures that commits leave behind; no snapshot is read, unless
//! tokens are wanted.

use super::handle::Db;
use super::ops::{StackBy, TimelineRange, TimelineReply};
use crate::budget;
use crate::change::History;
use crate::code::Code;
use crate::error::{Error, Result};
use crate::index::{Break, Figures};
use crate::json::Json;
use crate::limits::MAX_TIMELINE_BUCKETS;
use crate::model::{Class, Place, Speaker, Subtree};
use std::ops::Range;

/// How many buckets there are if nobody says so.
const BUCKETS: u64 = 500;

/// How many bytes of contents are tokenized for one answer.
const TOKEN_BYTES: u64 = 4 << 20;

/// How many bytes of contents a snapshot may have for its tokens to be counted. No model reads so
/// many, and going through them takes time also when each is known.
const TOKEN_SNAPSHOT: u64 = 16 << 20;

/// How many commits are gone back over to count tokens.
const TOKEN_COMMITS: u64 = 4096;

impl Db {
    /// How large the context was, and what happened, over a stretch of history.
    ///
    /// ```
    /// use pactdb::{Add, Commit, Db, Generation, TimelineRange};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::user("Where is the key?"))?;
    /// db.commit(Commit::new())?;
    /// db.add(Add::tool("Under the mat.").ttl(1))?;
    /// db.commit(Commit::new())?;
    /// db.commit(Commit::new())?;
    /// let timeline = db.timeline(&TimelineRange::default())?;
    /// assert_eq!(timeline.stack[..2], ["system", "user"]);
    /// assert_eq!(timeline.bytes[1], [17, 17, 17]);
    /// assert_eq!(timeline.expired, [0, 0, 1]);
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn timeline(&self, range: &TimelineRange) -> Result<TimelineReply> {
        let most = range.buckets.unwrap_or(BUCKETS);
        if !(1..=MAX_TIMELINE_BUCKETS).contains(&most) {
            let message = format!("'buckets' is between 1 and {MAX_TIMELINE_BUCKETS}, not {most}");
            return Err(Error::new(Code::RequestInvalid, message));
        }
        let _derived = self.reading();
        let history = self.history();
        let (width, stretches) = buckets(&history, range, most);
        let reader = self.inner.store.reader();
        let figures = reader.figures(&history, &stretches)?;
        let mut reply = columns(range.by, &figures);
        let first = stretches.first().and_then(|first| history.nth(first.start));
        reply.from = first.unwrap_or_default();
        reply.to = figures.last().map_or(0, |last| last.cycle);
        reply.width = width;
        reply.snapshots = stretches.iter().map(|stretch| stretch.end - stretch.start).sum();
        reply.failed = self.failed(&reply)?;
        if range.tokens {
            reply.tokens = Tokens { db: self, left: TOKEN_BYTES }.of(&history, &reply)?;
            reply.estimated_tokens = figures.iter().map(|one| one.tokens).collect();
        }
        Ok(reply)
    }

    /// The provider calls of each bucket that failed.
    fn failed(&self, reply: &TimelineReply) -> Result<Vec<u64>> {
        let failed = self.inner.store.reader().failed_attempts(reply.from, reply.to)?;
        let (mut left, mut counts) = (failed.as_slice(), Vec::with_capacity(reply.cycle.len()));
        for last in &reply.cycle {
            let here = left.partition_point(|cycle| cycle <= last);
            counts.push(here as u64);
            left = &left[here..];
        }
        Ok(counted(counts))
    }
}

/// The width of the buckets, and the snapshots of each, counted from 0. Buckets begin at multiples of
/// their width, so that those of another range are the same ones.
fn buckets(history: &History, range: &TimelineRange, most: u64) -> (u64, Vec<Range<u64>>) {
    let from = history.before(range.from.unwrap_or(0));
    let to = range.to.map_or(history.len(), |to| history.before(to.saturating_add(1)));
    if from >= to {
        return (1, Vec::new());
    }
    let mut width = 1u64;
    while (to - 1) / width - from / width >= most {
        width *= 2;
    }
    let bucket = |number: u64| (number * width).max(from)..((number + 1) * width).min(to);
    (width, (from / width..=(to - 1) / width).map(bucket).collect())
}

/// The columns that follow from the figures alone.
fn columns(by: StackBy, figures: &[Figures]) -> TimelineReply {
    let column = |value: &dyn Fn(&Figures) -> u64| figures.iter().map(value).collect::<Vec<u64>>();
    let count = |value: &dyn Fn(&Figures) -> u64| counted(column(value));
    let worst = |value: &dyn Fn(&Break) -> u64| {
        let breaks = figures.iter().any(|one| one.worst.is_some());
        let values = figures.iter().map(|one| one.worst.as_ref().map_or(0, value));
        if breaks { values.collect() } else { Vec::new() }
    };
    let (stack, bytes) = match by {
        StackBy::Role => (
            Speaker::ALL.map(|speaker| speaker.name().to_owned()).to_vec(),
            Speaker::ALL.map(|speaker| column(&|one| one.roles[speaker as usize])).to_vec(),
        ),
        StackBy::Region => (
            ["^sys", "^seq", "^ah"].map(str::to_owned).to_vec(),
            (0..3).map(|region| column(&|one| one.by_region()[region])).collect(),
        ),
    };
    TimelineReply {
        cycle: column(&|one| one.cycle),
        time_ms: figures.iter().map(|one| one.time.div_euclid(1_000_000)).collect(),
        stack,
        bytes,
        blocks: column(&|one| one.blocks),
        greatest: column(&|one| one.greatest),
        greatest_at: column(&|one| one.greatest_at),
        came: count(&|one| one.counts.came),
        removed: count(&|one| one.counts.removed),
        expired: count(&|one| one.counts.expired),
        cascaded: count(&|one| one.counts.cascaded),
        pruned: count(&|one| one.counts.pruned),
        restored: count(&|one| one.counts.restored),
        imported: count(&|one| one.counts.imported),
        breaks: count(&|one| one.counts.breaks),
        break_at: worst(&|worst| worst.cycle),
        kept_blocks: worst(&|worst| worst.kept.blocks),
        kept_bytes: worst(&|worst| worst.kept.bytes),
        kept_of: worst(&|worst| worst.before.bytes),
        ..TimelineReply::default()
    }
}

/// A column of counts, empty if all are 0.
fn counted(counts: Vec<u64>) -> Vec<u64> {
    if counts.iter().all(|count| *count == 0) { Vec::new() } else { counts }
}

/// Counts tokens, within bounds. What was counted is remembered, so asking again goes on.
struct Tokens<'a> {
    db: &'a Db,
    /// How many more bytes may be tokenized.
    left: u64,
}

impl Tokens<'_> {
    /// The tokens of the last snapshot of each bucket. They are counted in the newest one, and from
    /// there back commit by commit by what each changed.
    fn of(&mut self, history: &History, reply: &TimelineReply) -> Result<Vec<Option<u64>>> {
        let mut found = vec![None; reply.cycle.len()];
        let Some(last) = reply.cycle.last().copied() else { return Ok(found) };
        if reply.bytes.iter().filter_map(|layer| layer.last()).sum::<u64>() > TOKEN_SNAPSHOT {
            return Ok(found);
        }
        let Some(mut tokens) = self.of_snapshot(last)? else { return Ok(found) };
        let (mut at, mut cycle) = (found.len() - 1, last);
        for done in 0..TOKEN_COMMITS {
            budget::reached("snapshots were counted", done, None)?;
            if reply.cycle[at] == cycle {
                found[at] = Some(tokens);
                let Some(next) = at.checked_sub(1) else { break };
                at = next;
            }
            let steps = history.steps_back_to(cycle).unwrap_or_default();
            let Some(before) = history.back(steps + 1) else { break };
            let Some((came, went)) = self.of_commit(cycle, before)? else { break };
            (tokens, cycle) = ((tokens + went).saturating_sub(came), before);
        }
        Ok(found)
    }

    fn of_snapshot(&mut self, cycle: u64) -> Result<Option<u64>> {
        let tree = self.db.tree_at(cycle)?;
        let mut sum = 0;
        for place in tree.places() {
            budget::check()?;
            let Some(tokens) = self.of_part(&*tree.subtree(place)?)? else { return Ok(None) };
            sum += tokens;
        }
        Ok(Some(sum))
    }

    /// The tokens of the parts that a commit changed: after it, and before.
    fn of_commit(&mut self, cycle: u64, before: u64) -> Result<Option<(u64, u64)>> {
        let reader = self.db.inner.store.reader().clone();
        let (mut came, mut went) = (0, 0);
        for part in reader.changed_parts(cycle)? {
            let sides = [(part.after, cycle, &mut came), (part.before, before, &mut went)];
            for (there, cycle, sum) in sides {
                if !there {
                    continue;
                }
                let Some(tokens) = self.of_place(part.place, cycle)? else { return Ok(None) };
                *sum += tokens;
            }
        }
        Ok(Some((came, went)))
    }

    fn of_place(&mut self, place: Place, cycle: u64) -> Result<Option<u64>> {
        let part = self.db.tree_at(cycle)?.subtree(place)?;
        self.of_part(&part)
    }

    /// The tokens of a part: of each block `data_tokens`, or what the tokenizer counts.
    fn of_part(&mut self, part: &Subtree) -> Result<Option<u64>> {
        let reader = self.db.inner.store.reader();
        let mut sum = 0;
        for entry in part.entries().iter().filter(|entry| entry.node.class == Class::Block) {
            let given = match entry.node.attrs.get("data_tokens") {
                Some(Json::Int(given)) => Some(u64::try_from(*given).unwrap_or_default()),
                _ => None,
            };
            let tokens = match (given, &entry.node.content) {
                (Some(given), _) => Some(given),
                (None, None) => Some(0),
                (None, Some(content)) => match reader.known_tokens(content) {
                    Some(known) => Some(known),
                    None if content.bytes > self.left => None,
                    None => {
                        self.left -= content.bytes;
                        reader.count_tokens(content)?
                    }
                },
            };
            let Some(tokens) = tokens else { return Ok(None) };
            sum += tokens;
        }
        Ok(Some(sum))
    }
}
