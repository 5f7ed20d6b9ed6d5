//! The life of a node: made, edited, moved, sealed, gone, and perhaps back.

use super::changes::{FieldChange, What, parent};
use super::replay::{Replay, ReplayRequest};
use crate::budget;
use crate::code::Code;
use crate::db::{Db, concerned_ids};
use crate::error::{Error, Result};
use crate::model::{Id, Place, Tree};
use std::collections::BTreeSet;

/// Something that happened to a node.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Moment {
    /// What happened.
    pub what: What,
    /// The event.
    pub seq: u64,
    /// The cycle that the event belongs to.
    pub cycle: u64,
    /// When the event was written, in nanoseconds since 1970.
    pub time_ns: i64,
    /// The same in words.
    pub time: String,
    /// The node that it happened with: the turn that it was sealed into, or the container that
    /// went and took it along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// What changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldChange>,
}

/// What happened to a node, in order. The log is searched for its name; only the cycles that name
/// it, and those in which something near it changed, are walked through.
///
/// ```
/// use pactdb::session::life;
/// use pactdb::{Add, Commit, Db, Generation};
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// db.add(Add::tool("It rains.").id("weather").ttl(1))?;
/// db.commit(Commit::new())?;
/// db.commit(Commit::new())?;
/// let moments = life(&db, "weather")?;
/// assert!(moments.len() >= 2, "it was made, and it expired");
/// # Ok::<(), pactdb::Error>(())
/// ```
pub fn life(db: &Db, id: &str) -> Result<Vec<Moment>> {
    let mut cycles = cycles_that_name(db, id)?;
    cycles.extend(db.cycles_of(id)?);
    cycles.insert(db.last_cycle() + 1);
    let mut moments = Vec::new();
    for cycle in cycles {
        live(db, id, cycle, &mut moments)?;
    }
    if moments.is_empty() {
        let message = format!("no event of this store is about a node {id}");
        return Err(Error::new(Code::NodeNotFound, message));
    }
    Ok(moments)
}

/// The cycles whose events name a node.
fn cycles_that_name(db: &Db, id: &str) -> Result<BTreeSet<u64>> {
    const PAGE: usize = 256;
    let (mut next, mut cycles) = (1, BTreeSet::new());
    loop {
        let records = db.records(next, PAGE)?;
        if records.is_empty() {
            return Ok(cycles);
        }
        for record in &records {
            if concerned_ids(&record.event).iter().any(|named| &**named == id) {
                cycles.insert(db.cycle_of_event(record.seq)?);
            }
        }
        next += records.len() as u64;
        budget::reached("events were searched", next - 1, Some(db.events()))?;
    }
}

/// What happened to a node during one cycle.
fn live(db: &Db, id: &str, cycle: u64, moments: &mut Vec<Moment>) -> Result<()> {
    let committed = cycle <= db.last_cycle();
    let request = ReplayRequest {
        from: Some(cycle),
        to: committed.then_some(cycle),
        ..ReplayRequest::default()
    };
    let mut replay = Replay::new(db, &request)?;
    loop {
        let before = replay.tree().clone();
        let Some(step) = replay.next().transpose()? else { return Ok(()) };
        let mut note = |what, with: Option<Id>, fields| {
            moments.push(Moment {
                what,
                seq: step.entry.seq,
                cycle: step.entry.cycle,
                time_ns: step.entry.time_ns,
                time: step.entry.time.clone(),
                with: with.map(|id| id.to_string()),
                fields,
            });
        };
        let own = step.changes.iter().find(|change| change.id == id);
        if let Some(change) = own {
            note(change.what, None, change.fields.clone());
        }
        let (old, new) = (before.find(id)?, replay.tree().find(id)?);
        match (old, new) {
            (Some(_), None) if own.is_none() => {
                // It went with something above it.
                let gone = ancestors(&before, id)?;
                let found = step.changes.iter().find(|change| gone.contains(change.id.as_str()));
                let what = found.map_or(What::Removed, |change| change.what);
                note(what, found.map(|change| Id::from(change.id.as_str())), Vec::new());
            }
            (None, Some(_)) if own.is_none() => note(What::Added, None, Vec::new()),
            (Some(old), Some(new)) if old.place == Place::Ah && own.is_none() => {
                if let Place::Turn(_) = new.place {
                    let turn = replay.tree().subtree(new.place)?.top().id.clone();
                    note(What::Sealed, Some(turn), Vec::new());
                }
            }
            _ => {}
        }
    }
}

fn ancestors(tree: &Tree, id: &str) -> Result<BTreeSet<Id>> {
    let mut found = BTreeSet::new();
    let mut next: Option<Id> = Some(id.into());
    while let Some(id) = next.take() {
        if let Some(position) = tree.find(&id)?
            && let Some(above) = parent(tree, position)?
            && found.insert(above.clone())
        {
            next = Some(above);
        }
    }
    Ok(found)
}
