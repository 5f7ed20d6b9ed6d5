//! The stored form of an event. Variants are only ever appended, and their fields never change:
//! what came later is in `extras`.

use super::stored_edit::{StoredAddition, StoredAttempt, StoredChange, StoredPolicy};
use super::stored_node::{StoredNode, StoredNodes, load_nodes, store_nodes};
use crate::change::{Addition, Commit, Event, Import, Origin, OriginKind, Relocation, Restore};
use crate::model::{Generation, Id, Node};
use crate::storage::StoreError;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An event on disk. Variants are only ever appended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum StoredEvent {
    Created {
        generation: String,
    },
    Added(Box<StoredAddition>),
    Changed {
        ids: Vec<String>,
        change: Box<StoredChange>,
    },
    Moved {
        steps: Vec<(String, String, i64, Option<StoredNode>)>,
    },
    Removed {
        ids: Vec<String>,
    },
    PolicySet {
        policies: Vec<StoredPolicy>,
    },
    CadenceEnded {
        key: String,
    },
    Attempt(Box<StoredAttempt>),
    Undone {
        group: u64,
    },
    Committed {
        cycle: u64,
        turn: String,
        core: Option<String>,
        created_at_ns: i64,
        materialized: Vec<StoredAddition>,
        digest: [u8; 32],
    },
    Imported {
        cycle: u64,
        root: Box<StoredNode>,
        seq: Box<StoredNode>,
        sys: StoredNodes,
        ah: StoredNodes,
        turns: Vec<StoredNodes>,
        digest: [u8; 32],
    },
    Restored {
        at: u64,
        cycle: u64,
        materialized: Vec<StoredAddition>,
        digest: [u8; 32],
    },
    Origin {
        kind: u8,
        name: Option<String>,
        format: Option<String>,
        session: Option<String>,
        digest: [u8; 32],
        cycle: Option<u64>,
    },
}

impl From<&Event> for StoredEvent {
    fn from(event: &Event) -> StoredEvent {
        let texts = |ids: &[Id]| ids.iter().map(|id| id.to_string()).collect();
        let additions = |list: &[Addition]| list.iter().map(StoredAddition::from).collect();
        match event {
            Event::Created { generation } => {
                StoredEvent::Created { generation: generation.name().to_owned() }
            }
            Event::Added(addition) => StoredEvent::Added(Box::new(addition.into())),
            Event::Changed { ids, change } => {
                StoredEvent::Changed { ids: texts(ids), change: Box::new(change.into()) }
            }
            Event::Moved { steps } => StoredEvent::Moved {
                steps: steps
                    .iter()
                    .map(|step| {
                        let core = step.core.as_ref().map(|core| StoredNode::from(&**core));
                        (step.id.to_string(), step.parent.to_string(), step.offset, core)
                    })
                    .collect(),
            },
            Event::Removed { ids } => StoredEvent::Removed { ids: texts(ids) },
            Event::PolicySet { policies } => {
                StoredEvent::PolicySet { policies: StoredPolicy::list_of(policies) }
            }
            Event::CadenceEnded { key } => StoredEvent::CadenceEnded { key: key.to_string() },
            Event::Attempt(attempt) => StoredEvent::Attempt(Box::new(attempt.into())),
            Event::Undone { group } => StoredEvent::Undone { group: *group },
            Event::Committed(commit) => StoredEvent::Committed {
                cycle: commit.cycle,
                turn: commit.turn.to_string(),
                core: commit.core.as_ref().map(|core| core.to_string()),
                created_at_ns: commit.created_at_ns,
                materialized: additions(&commit.materialized),
                digest: commit.digest,
            },
            Event::Imported(import) => StoredEvent::Imported {
                cycle: import.cycle,
                root: Box::new(StoredNode::from(&*import.regions[0])),
                seq: Box::new(StoredNode::from(&*import.regions[2])),
                sys: store_nodes(&import.sys),
                ah: store_nodes(&import.ah),
                turns: import.turns.iter().map(|turn| store_nodes(turn)).collect(),
                digest: import.digest,
            },
            Event::Restored(restore) => StoredEvent::Restored {
                at: restore.at,
                cycle: restore.cycle,
                materialized: additions(&restore.materialized),
                digest: restore.digest,
            },
            Event::Origin(origin) => StoredEvent::Origin {
                kind: match origin.kind {
                    OriginKind::Import => 0,
                    OriginKind::Fork => 1,
                },
                name: origin.name.clone(),
                format: origin.format.clone(),
                session: origin.session.clone(),
                digest: origin.digest,
                cycle: origin.cycle,
            },
        }
    }
}

impl StoredEvent {
    pub(super) fn into_event(self) -> Result<Event, StoreError> {
        let ids = |ids: Vec<String>| ids.into_iter().map(Id::from).collect();
        let additions = |list: Vec<StoredAddition>| {
            list.into_iter().map(StoredAddition::into_addition).collect::<Result<Vec<_>, _>>()
        };
        Ok(match self {
            StoredEvent::Created { generation } => Event::Created {
                generation: Generation::from_name(&generation).ok_or_else(|| {
                    StoreError::corrupt(format!("an unknown generation {generation}"))
                })?,
            },
            StoredEvent::Added(addition) => Event::Added(addition.into_addition()?),
            StoredEvent::Changed { ids: list, change } => {
                Event::Changed { ids: ids(list), change: change.into_change()? }
            }
            StoredEvent::Moved { steps } => Event::Moved {
                steps: steps
                    .into_iter()
                    .map(|(id, parent, offset, core)| {
                        let core = core.map(StoredNode::into_node).transpose()?.map(Arc::new);
                        Ok(Relocation { id: id.into(), parent: parent.into(), offset, core })
                    })
                    .collect::<Result<_, StoreError>>()?,
            },
            StoredEvent::Removed { ids: list } => Event::Removed { ids: ids(list) },
            StoredEvent::PolicySet { policies } => {
                Event::PolicySet { policies: StoredPolicy::policies(policies)? }
            }
            StoredEvent::CadenceEnded { key } => Event::CadenceEnded { key: key.into() },
            StoredEvent::Attempt(attempt) => Event::Attempt(attempt.into_attempt()?),
            StoredEvent::Undone { group } => Event::Undone { group },
            StoredEvent::Committed { cycle, turn, core, created_at_ns, materialized, digest } => {
                Event::Committed(Commit {
                    cycle,
                    turn: turn.into(),
                    core: core.map(Id::from),
                    created_at_ns,
                    materialized: additions(materialized)?,
                    digest,
                })
            }
            StoredEvent::Imported { cycle, root, seq, sys, ah, turns, digest } => {
                let regions = [*root, *seq];
                Event::Imported(load_import(cycle, regions, sys, ah, turns, digest)?)
            }
            StoredEvent::Restored { at, cycle, materialized, digest } => Event::Restored(Restore {
                at,
                cycle,
                materialized: additions(materialized)?,
                digest,
            }),
            StoredEvent::Origin { kind, name, format, session, digest, cycle } => {
                let kind = load_origin_kind(kind)?;
                Event::Origin(Origin { kind, name, format, session, digest, cycle })
            }
        })
    }
}

fn load_import(
    cycle: u64,
    [root, seq]: [StoredNode; 2],
    sys: StoredNodes,
    ah: StoredNodes,
    turns: Vec<StoredNodes>,
    digest: [u8; 32],
) -> Result<Import, StoreError> {
    let (sys, ah) = (load_nodes(sys)?, load_nodes(ah)?);
    let top = |nodes: &[(Arc<Node>, u32)]| {
        let first = nodes.first().map(|(node, _)| node.clone());
        first.ok_or_else(|| StoreError::corrupt("an import without one of its regions"))
    };
    let regions = [Arc::new(root.into_node()?), top(&sys)?, Arc::new(seq.into_node()?), top(&ah)?];
    let turns = turns.into_iter().map(load_nodes).collect::<Result<_, _>>()?;
    Ok(Import { cycle, regions, sys, ah, turns, digest })
}

fn load_origin_kind(kind: u8) -> Result<OriginKind, StoreError> {
    match kind {
        0 => Ok(OriginKind::Import),
        1 => Ok(OriginKind::Fork),
        other => Err(StoreError::corrupt(format!("an origin of an unknown kind {other}"))),
    }
}
