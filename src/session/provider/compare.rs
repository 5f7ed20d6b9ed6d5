//! How much of two threads is the same from the start, and what ends it. That decides whether a
//! provider's prompt cache still holds.

use super::notes::Notes;
use super::piece::Piece;
use super::thread::{ThreadRequest, join, pieces};
use crate::db::ThreadFormat;
use crate::db::{Db, Snapshot};
use crate::error::Result;
use crate::model::Id;
use crate::named::named;
use crate::session::changes::parent;
use std::collections::BTreeSet;

named! {
    /// Why two threads part.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum EndReason {
        /// They do not: they are the same bytes.
        Same = "same",
        /// The newer one goes on where the older one ends.
        Appended = "appended",
        /// A block's time to live was over.
        Expired = "expired",
        /// A policy took a block away.
        Pruned = "pruned",
        /// A container became empty and went.
        Cascaded = "cascaded",
        /// An edit took a block away.
        Removed = "removed",
        /// A block says something else.
        Edited = "edited",
        /// A new block lies before one that was there.
        Inserted = "inserted",
        /// A block lies elsewhere.
        Moved = "moved",
    }
}

impl EndReason {
    /// The word for it.
    pub fn word(self) -> &'static str {
        self.name()
    }
}

/// What two threads have in common.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Comparison {
    /// The bytes of the older thread, and of the newer one.
    pub bytes: [u64; 2],
    /// Leading bytes that are the same.
    pub common_bytes: u64,
    /// Leading blocks that are the same.
    pub common_blocks: u64,
    /// The first block that differs; none if the threads are the same.
    pub node: Option<String>,
    /// Why.
    pub reason: EndReason,
    /// The cycle in which it happened, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<u64>,
}

/// Compares the threads of two states, the older one first.
pub fn compare(
    db: &Db,
    older: &Snapshot,
    newer: &Snapshot,
    request: impl Into<ThreadRequest>,
) -> Result<Comparison> {
    let request = request.into();
    let mut said = Vec::with_capacity(2);
    for state in [older, newer] {
        let mut notes = Notes::default();
        said.push(pieces(state, request, &mut notes)?);
        notes.finish(request.strict)?;
    }
    let (new, old) = (said.pop().unwrap_or_default(), said.pop().unwrap_or_default());
    let texts = match request.format {
        ThreadFormat::Thread => [older.thread()?, newer.thread()?],
        format => [join(format, &old), join(format, &new)],
    };
    let common = texts[0].bytes().zip(texts[1].bytes()).take_while(|(a, b)| a == b).count();
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    // A block may be in several pieces: a call whose result is not there stands for it too.
    let blocks = |pieces: &[Piece]| {
        pieces.iter().flat_map(|piece| &piece.ids).collect::<BTreeSet<&Id>>().len()
    };
    let end = ending(db, older, newer, old.get(same), &new, same)?;
    Ok(Comparison {
        bytes: [texts[0].len() as u64, texts[1].len() as u64],
        common_bytes: common as u64,
        common_blocks: blocks(&old[..same]) as u64,
        node: end.node.map(|id| id.to_string()),
        reason: end.reason,
        cycle: end.cycle,
    })
}

struct End {
    node: Option<Id>,
    reason: EndReason,
    cycle: Option<u64>,
}

fn ending(
    db: &Db,
    older: &Snapshot,
    newer: &Snapshot,
    old: Option<&Piece>,
    all: &[Piece],
    at: usize,
) -> Result<End> {
    let new = all.get(at);
    let end = |node: &Id, reason| End { node: Some(node.clone()), reason, cycle: None };
    let first = |piece: Option<&Piece>| piece.and_then(|piece| piece.ids.first().cloned());
    let Some(old) = old else {
        return Ok(match first(new) {
            Some(node) => end(&node, EndReason::Appended),
            None => End { node: None, reason: EndReason::Same, cycle: None },
        });
    };
    let none = Vec::new();
    let now = new.map_or(&none, |piece| &piece.ids);
    // Inside of a message that differs, the first block that is not the same one is at fault.
    let differing = old.ids.iter().zip(now).find(|(a, b)| a != b);
    let (was, is) = match differing {
        Some((was, is)) => (Some(was), Some(is)),
        None => (old.ids.get(now.len()), now.get(old.ids.len())),
    };
    let Some(was) = was else {
        return match is {
            // The message has one block more.
            Some(is) => Ok(end(is, EndReason::Inserted)),
            None => edited(older, newer, &old.ids),
        };
    };
    if newer.tree().find(was)?.is_none() {
        return gone(db, older, newer, was);
    }
    let Some(is) = is.cloned().or_else(|| first(all.get(at + 1))) else {
        return Ok(end(was, EndReason::Moved));
    };
    match older.tree().find(&is)?.is_none() {
        true => Ok(end(&is, EndReason::Inserted)),
        false => Ok(end(&is, EndReason::Moved)),
    }
}

/// The block of a message that says something else.
fn edited(older: &Snapshot, newer: &Snapshot, ids: &[Id]) -> Result<End> {
    let mut node = ids.first().cloned();
    for id in ids {
        let (was, is) = (older.tree().get(id)?, newer.tree().get(id)?);
        let content = |node: &Option<std::sync::Arc<crate::model::Node>>| {
            node.as_ref().map(|node| (node.content_hash, node.attrs.clone()))
        };
        if content(&was) != content(&is) {
            node = Some(id.clone());
            break;
        }
    }
    Ok(End { node, reason: EndReason::Edited, cycle: None })
}

/// Why a block has gone, and in which cycle.
fn gone(db: &Db, older: &Snapshot, newer: &Snapshot, id: &Id) -> Result<End> {
    let mut lost: BTreeSet<Id> = BTreeSet::from([id.clone()]);
    let mut above = Some(id.clone());
    while let Some(id) = above.take() {
        if let Some(position) = older.tree().find(&id)?
            && let Some(parent) = parent(older.tree(), position)?
            && lost.insert(parent.clone())
        {
            above = Some(parent);
        }
    }
    let end = |reason, cycle| End { node: Some(id.clone()), reason, cycle };
    for cycle in db.history().iter().filter(|c| *c > older.cycle() && *c <= newer.cycle()) {
        let removed = db.cycle_info(cycle)?.removed;
        let lists = [
            (EndReason::Expired, removed.expired),
            (EndReason::Pruned, removed.pruned),
            (EndReason::Cascaded, removed.cascaded),
        ];
        for (reason, ids) in lists {
            if ids.iter().any(|id| lost.contains(id)) {
                return Ok(end(reason, Some(cycle)));
            }
        }
        if db.snapshot(cycle)?.tree().find(id)?.is_none() {
            return Ok(end(EndReason::Removed, Some(cycle)));
        }
    }
    Ok(end(EndReason::Removed, None))
}
