//! `diff`: two states compared by a selector (R8.7), in the exact shape of the protocol, and a
//! richer report beside it. Both run from the older state to the newer, whichever way they are
//! asked for.

use super::eval::Hit;
use super::options::SelectOptions;
use super::plan::{State, When};
use super::query_error::QueryError;
use super::range::{Comparer, Delta, Difference, Field, FromTo};
use super::resolve::{resolve_time, resolve_timeless};
use super::timeline::Timeline;
use crate::json::Json;
use crate::language::Dialect;
use crate::language::{parse_selector, parse_time};
use crate::model::Id;
use crate::snapshot::hex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What differs between two states.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DiffReply {
    /// In the newer one only, in its canonical order.
    pub added: Vec<Id>,
    /// In the older one only, by id.
    pub removed: Vec<Id>,
    /// In both, but not the same; in the canonical order of the newer one.
    pub changed: Vec<ChangedFields>,
}

/// A node that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ChangedFields {
    /// Its id.
    pub id: Id,
    /// What differs.
    pub fields: Vec<Field>,
}

/// The same with values, moves, and what parents gained and lost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RichDiffReply {
    /// In the newer one only, in its canonical order.
    pub added: Vec<Id>,
    /// In the older one only, by id.
    pub removed: Vec<Id>,
    /// In both, but not the same.
    pub changed: Vec<RichChanged>,
    /// What each parent gained and lost among the nodes compared, by the parent's id.
    pub parents: Vec<ParentDiff>,
    /// Nodes that went and nodes that came with the same content: taken as moved.
    pub moved: Vec<Moved>,
}

/// A node that differs, with values; `from` is the older one here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RichChanged {
    /// Its id.
    pub id: Id,
    /// What differs.
    pub fields: Vec<Field>,
    /// The older and the newer value of each.
    pub delta: Delta,
    /// If it has another parent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_changed: Option<ParentChanged>,
    /// If it has another offset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset_changed: Option<FromTo>,
}

/// The two parents of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs, reason = "the names say it")]
#[non_exhaustive]
pub struct ParentChanged {
    pub previous_parent_id: Option<Id>,
    pub new_parent_id: Option<Id>,
}

/// What a parent gained and lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ParentDiff {
    /// The parent.
    pub id: Id,
    /// Children that it has now and had not, in canonical order.
    pub children_added: Vec<Id>,
    /// Children that it had and has not now, by id.
    pub children_removed: Vec<Id>,
}

/// A node that seems to have come back under another id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Moved {
    /// The id that went.
    pub from: Id,
    /// The id that came.
    pub to: Id,
    /// The hash that they share.
    pub content_hash: String,
}

/// Compares two states. `None` is the working state.
pub fn diff(
    timeline: &dyn Timeline,
    a: Option<&str>,
    b: Option<&str>,
    text: &str,
    dialect: Dialect,
) -> Result<DiffReply, QueryError> {
    let found = compared(timeline, [a, b], text, dialect)?;
    let changed = |(id, fields): (Id, Vec<Difference>)| ChangedFields {
        id,
        fields: fields.into_iter().map(|(name, ..)| name).collect(),
    };
    Ok(DiffReply {
        added: ids(&found.added),
        removed: ids(&found.removed),
        changed: found
            .changed
            .into_iter()
            .map(|(hit, _, fields)| changed((hit.node.id.clone(), fields)))
            .collect(),
    })
}

/// Compares two states in more detail.
pub fn rich_diff(
    timeline: &dyn Timeline,
    a: Option<&str>,
    b: Option<&str>,
    text: &str,
    dialect: Dialect,
) -> Result<RichDiffReply, QueryError> {
    let found = compared(timeline, [a, b], text, dialect)?;
    let mut parents = Parents::default();
    for hit in &found.added {
        parents.added(hit);
    }
    for hit in &found.removed {
        parents.removed(hit);
    }
    let mut changed = Vec::with_capacity(found.changed.len());
    for (newer, older, fields) in &found.changed {
        if newer.parent != older.parent {
            parents.added(newer);
            parents.removed(older);
        }
        changed.push(rich_changed(newer, older, fields));
    }
    Ok(RichDiffReply {
        moved: moves(&found.removed, &found.added),
        added: ids(&found.added),
        removed: ids(&found.removed),
        changed,
        parents: parents.finish(),
    })
}

fn compared(
    timeline: &dyn Timeline,
    ends: [Option<&str>; 2],
    text: &str,
    dialect: Dialect,
) -> Result<super::range::Comparison, QueryError> {
    let selector = parse_selector(text, dialect)?;
    let ask = resolve_timeless(&selector, dialect, &SelectOptions::default())?;
    let [a, b] = ends.map(|end| state_of(timeline, end, dialect));
    let (a, b) = (a?, b?);
    let (newer, older) = (a.max(b), a.min(b));
    let comparer = Comparer::new(timeline, &ask);
    let moments = (comparer.moment(newer)?, comparer.moment(older)?);
    Ok(comparer.compare((&moments.0, newer), (&moments.1, older))?)
}

/// The state that an address names.
pub fn state_of(
    timeline: &dyn Timeline,
    address: Option<&str>,
    dialect: Dialect,
) -> Result<State, QueryError> {
    let Some(address) = address else { return Ok(State::Working) };
    let time = parse_time(address)?;
    match resolve_time(Some(&time), dialect, timeline, None, &mut Vec::new())? {
        When::One(state) => Ok(state),
        When::Every | When::Range { .. } => {
            Err(QueryError::invalid(time.at.0, "one snapshot is meant here, not several"))
        }
    }
}

fn ids(hits: &[Hit]) -> Vec<Id> {
    hits.iter().map(|hit| hit.node.id.clone()).collect()
}

fn rich_changed(newer: &Hit, older: &Hit, fields: &[Difference]) -> RichChanged {
    let values = |(name, new, old): &Difference| {
        (name.clone(), FromTo { from: old.clone(), to: new.clone() })
    };
    RichChanged {
        id: newer.node.id.clone(),
        fields: fields.iter().map(|(name, ..)| name.clone()).collect(),
        delta: Delta(fields.iter().map(values).collect()),
        parent_changed: (newer.parent != older.parent).then(|| ParentChanged {
            previous_parent_id: older.parent.clone(),
            new_parent_id: newer.parent.clone(),
        }),
        offset_changed: (newer.node.offset != older.node.offset).then(|| FromTo {
            from: Json::Int(older.node.offset),
            to: Json::Int(newer.node.offset),
        }),
    }
}

/// Pairs what went, by id, with what came, in order, by equal hashes of content.
fn moves(removed: &[Hit], added: &[Hit]) -> Vec<Moved> {
    let mut came: BTreeMap<[u8; 32], Vec<&Hit>> = BTreeMap::new();
    for hit in added.iter().rev() {
        if let Some(hash) = hit.node.shown_hash() {
            came.entry(hash).or_default().push(hit);
        }
    }
    let pair = |gone: &Hit| {
        let hash = gone.node.shown_hash()?;
        let back = came.get_mut(&hash)?.pop()?;
        let (from, to) = (gone.node.id.clone(), back.node.id.clone());
        Some(Moved { from, to, content_hash: hex(&hash) })
    };
    removed.iter().filter_map(pair).collect()
}

/// What parents gained and lost, while it is collected.
#[derive(Default)]
struct Parents(BTreeMap<Id, Children>);

#[derive(Default)]
struct Children {
    /// With their ranks.
    added: Vec<((u64, u32), Id)>,
    removed: Vec<Id>,
}

impl Parents {
    fn added(&mut self, hit: &Hit) {
        if let Some(parent) = &hit.parent {
            let children = self.0.entry(parent.clone()).or_default();
            children.added.push((hit.rank, hit.node.id.clone()));
        }
    }

    fn removed(&mut self, hit: &Hit) {
        if let Some(parent) = &hit.parent {
            self.0.entry(parent.clone()).or_default().removed.push(hit.node.id.clone());
        }
    }

    fn finish(self) -> Vec<ParentDiff> {
        let finish = |(id, mut children): (Id, Children)| {
            children.added.sort_unstable();
            children.removed.sort_unstable();
            let children_added = children.added.into_iter().map(|(_, id)| id).collect();
            ParentDiff { id, children_added, children_removed: children.removed }
        };
        self.0.into_iter().map(finish).collect()
    }
}
