//! The stored forms of nodes and events. Variants are only ever appended, and fields never change:
//! what came later is in `extras`.

use super::StoreError;
use crate::change::{
    Addition, Attempt, AttemptStatus, Change, Commit, Event, Import, Origin, OriginKind,
    Relocation, Restore,
};
use crate::json::{self, Json, canonical_string};
use crate::lifecycle::{Policy, Region};
use crate::model::{Class, ContentRef, Generation, Id, Lifetime, Name, Node};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A node on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredNode {
    id: String,
    node_type: String,
    class: u8,
    offset: i64,
    lifetime: Option<(u64, u64, u64)>,
    priority: i64,
    cycle: u64,
    created_at_ns: i64,
    created_at_iso: Option<String>,
    creation_index: u64,
    role: Option<String>,
    kind: Option<String>,
    key: Option<String>,
    tags: Vec<String>,
    cad: Option<u64>,
    content: Option<(u64, u32, u64)>,
    content_hash: Option<[u8; 32]>,
    provenance: Option<String>,
    removable: bool,
    pinned: bool,
    refs: Vec<String>,
    attrs: Vec<(String, String)>,
}

/// What stands for each class on disk is its place here.
pub(super) const CLASSES: [Class; 7] =
    [Class::Root, Class::Sys, Class::Seq, Class::Ah, Class::Turn, Class::Container, Class::Block];

impl From<&Node> for StoredNode {
    fn from(node: &Node) -> StoredNode {
        let text = |name: &Option<Name>| name.as_deref().map(str::to_owned);
        let list = |names: &[Name]| names.iter().map(|name| name.to_string()).collect();
        StoredNode {
            id: node.id.to_string(),
            node_type: node.node_type.to_string(),
            // The position cannot be missing: the list has every class.
            class: CLASSES.iter().position(|class| *class == node.class).unwrap_or(0) as u8,
            offset: node.offset,
            lifetime: node.lifetime.map(|life| (life.given, life.since, life.expires_at)),
            priority: node.priority,
            cycle: node.cycle,
            created_at_ns: node.created_at_ns,
            created_at_iso: text(&node.created_at_iso),
            creation_index: node.creation_index,
            role: text(&node.role),
            kind: text(&node.kind),
            key: text(&node.key),
            tags: list(&node.tags),
            cad: node.cad,
            content: node.content.map(|content| (content.seq, content.part, content.bytes)),
            content_hash: node.content_hash,
            provenance: text(&node.provenance),
            removable: node.removable,
            pinned: node.pinned,
            refs: list(&node.refs),
            attrs: node
                .attrs
                .iter()
                .map(|(name, value)| (name.to_string(), canonical_string(value)))
                .collect(),
        }
    }
}

impl StoredNode {
    pub(super) fn into_node(self) -> Result<Node, StoreError> {
        let class = CLASSES.get(usize::from(self.class)).copied().ok_or_else(|| {
            StoreError::corrupt(format!("node {} has an unknown class {}", self.id, self.class))
        })?;
        let list = |names: Vec<String>| names.into_iter().map(Name::from).collect();
        Ok(Node {
            class,
            id: self.id.into(),
            node_type: self.node_type.into(),
            offset: self.offset,
            lifetime: self.lifetime.map(|(given, since, expires_at)| Lifetime {
                given,
                since,
                expires_at,
            }),
            priority: self.priority,
            cycle: self.cycle,
            created_at_ns: self.created_at_ns,
            created_at_iso: self.created_at_iso.map(Name::from),
            creation_index: self.creation_index,
            role: self.role.map(Name::from),
            kind: self.kind.map(Name::from),
            key: self.key.map(Name::from),
            tags: list(self.tags),
            cad: self.cad,
            content: self.content.map(|(seq, part, bytes)| ContentRef { seq, part, bytes }),
            content_hash: self.content_hash,
            provenance: self.provenance.map(Name::from),
            removable: self.removable,
            pinned: self.pinned,
            refs: list(self.refs),
            // These came later, see `extras`.
            mime: None,
            encoding: None,
            attrs: self
                .attrs
                .into_iter()
                .map(|(name, value)| Ok((name.into(), stored_json(&value)?)))
                .collect::<Result<_, StoreError>>()?,
        })
    }
}

pub(super) fn stored_json(text: &str) -> Result<Json, StoreError> {
    json::parse(text).map_err(|error| StoreError::corrupt(format!("a stored value: {error}")))
}

/// Nodes in pre-order with parent indexes.
type StoredNodes = Vec<(StoredNode, u32)>;

fn store_nodes(nodes: &[(Arc<Node>, u32)]) -> StoredNodes {
    nodes.iter().map(|(node, parent)| (StoredNode::from(&**node), *parent)).collect()
}

fn load_nodes(nodes: StoredNodes) -> Result<Vec<(Arc<Node>, u32)>, StoreError> {
    nodes.into_iter().map(|(node, parent)| Ok((Arc::new(node.into_node()?), parent))).collect()
}

/// A policy on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredPolicy {
    region: u8,
    max_blocks: Option<u64>,
    max_bytes: Option<u64>,
    max_tokens: Option<u64>,
    protect_recent_turns: Option<u64>,
}

impl From<&Policy> for StoredPolicy {
    fn from(policy: &Policy) -> StoredPolicy {
        StoredPolicy {
            region: match policy.region {
                None => 0,
                Some(Region::Sys) => 1,
                Some(Region::Seq) => 2,
                Some(Region::Ah) => 3,
            },
            max_blocks: policy.max_blocks,
            max_bytes: policy.max_bytes,
            max_tokens: policy.max_tokens,
            protect_recent_turns: policy.protect_recent_turns,
        }
    }
}

impl StoredPolicy {
    pub(super) fn into_policy(self) -> Result<Policy, StoreError> {
        let region = match self.region {
            0 => None,
            1 => Some(Region::Sys),
            2 => Some(Region::Seq),
            3 => Some(Region::Ah),
            other => {
                return Err(StoreError::corrupt(format!("a policy for an unknown region {other}")));
            }
        };
        Ok(Policy {
            region,
            max_blocks: self.max_blocks,
            max_bytes: self.max_bytes,
            max_tokens: self.max_tokens,
            protect_recent_turns: self.protect_recent_turns,
        })
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredAddition {
    parent: String,
    node: StoredNode,
    core: Option<StoredNode>,
    shifts: Vec<(String, i64)>,
}

impl From<&Addition> for StoredAddition {
    fn from(addition: &Addition) -> StoredAddition {
        StoredAddition {
            parent: addition.parent.to_string(),
            node: StoredNode::from(&*addition.node),
            core: addition.core.as_ref().map(|core| StoredNode::from(&**core)),
            shifts: addition.shifts.iter().map(|(id, to)| (id.to_string(), *to)).collect(),
        }
    }
}

impl StoredAddition {
    fn into_addition(self) -> Result<Addition, StoreError> {
        Ok(Addition {
            parent: self.parent.into(),
            node: Arc::new(self.node.into_node()?),
            core: self.core.map(StoredNode::into_node).transpose()?.map(Arc::new),
            shifts: self.shifts.into_iter().map(|(id, to)| (id.into(), to)).collect(),
        })
    }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct StoredChange {
    content: Option<Option<(u64, u32, u64)>>,
    lifetime: Option<Option<(u64, u64, u64)>>,
    priority: Option<i64>,
    key: Option<Option<String>>,
    tags: Option<Vec<String>>,
    cad: Option<Option<u64>>,
    pinned: Option<bool>,
    refs: Option<Vec<String>>,
    attrs: Vec<(String, Option<String>)>,
    hashes: Vec<Option<[u8; 32]>>,
}

impl From<&Change> for StoredChange {
    fn from(change: &Change) -> StoredChange {
        let list = |names: &Vec<Name>| names.iter().map(|name| name.to_string()).collect();
        StoredChange {
            content: change.content.map(|content| content.map(|c| (c.seq, c.part, c.bytes))),
            lifetime: change
                .lifetime
                .map(|life| life.map(|life| (life.given, life.since, life.expires_at))),
            priority: change.priority,
            key: change.key.as_ref().map(|key| key.as_ref().map(|key| key.to_string())),
            tags: change.tags.as_ref().map(list),
            cad: change.cad,
            pinned: change.pinned,
            refs: change.refs.as_ref().map(list),
            attrs: change
                .attrs
                .iter()
                .map(|(name, value)| (name.to_string(), value.as_ref().map(canonical_string)))
                .collect(),
            hashes: change.hashes.clone(),
        }
    }
}

impl StoredChange {
    fn into_change(self) -> Result<Change, StoreError> {
        let list = |names: Vec<String>| names.into_iter().map(Name::from).collect();
        Ok(Change {
            content: self
                .content
                .map(|content| content.map(|(seq, part, bytes)| ContentRef { seq, part, bytes })),
            lifetime: self.lifetime.map(|life| {
                life.map(|(given, since, expires_at)| Lifetime { given, since, expires_at })
            }),
            priority: self.priority,
            key: self.key.map(|key| key.map(Name::from)),
            tags: self.tags.map(list),
            cad: self.cad,
            pinned: self.pinned,
            refs: self.refs.map(list),
            mime: None,
            encoding: None,
            attrs: self
                .attrs
                .into_iter()
                .map(|(name, value)| {
                    Ok((name.into(), value.map(|value| stored_json(&value)).transpose()?))
                })
                .collect::<Result<_, StoreError>>()?,
            hashes: self.hashes,
        })
    }
}

/// A provider call on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredAttempt {
    attempt_id: String,
    cycle_id: u64,
    status: u8,
    started_at: i64,
    ended_at: Option<i64>,
    provider: Option<String>,
    model: Option<String>,
    params_hash: Option<String>,
    token_in: Option<u64>,
    token_out: Option<u64>,
    error: Option<String>,
}

const STATUSES: [AttemptStatus; 4] = [
    AttemptStatus::Running,
    AttemptStatus::Completed,
    AttemptStatus::Canceled,
    AttemptStatus::Error,
];

impl From<&Attempt> for StoredAttempt {
    fn from(attempt: &Attempt) -> StoredAttempt {
        StoredAttempt {
            attempt_id: attempt.attempt_id.clone(),
            cycle_id: attempt.cycle_id,
            status: STATUSES.iter().position(|s| *s == attempt.status).unwrap_or(0) as u8,
            started_at: attempt.started_at,
            ended_at: attempt.ended_at,
            provider: attempt.provider.clone(),
            model: attempt.model.clone(),
            params_hash: attempt.params_hash.clone(),
            token_in: attempt.token_in,
            token_out: attempt.token_out,
            error: attempt.error.clone(),
        }
    }
}

impl StoredAttempt {
    pub(super) fn into_attempt(self) -> Result<Attempt, StoreError> {
        let status = STATUSES.get(usize::from(self.status)).copied();
        Ok(Attempt {
            status: status.ok_or_else(|| StoreError::corrupt("an attempt of unknown status"))?,
            attempt_id: self.attempt_id,
            cycle_id: self.cycle_id,
            started_at: self.started_at,
            ended_at: self.ended_at,
            provider: self.provider,
            model: self.model,
            params_hash: self.params_hash,
            token_in: self.token_in,
            token_out: self.token_out,
            error: self.error,
            at_event: None,
            thread_format: None,
            thread_sha256: None,
        })
    }
}

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
                StoredEvent::PolicySet { policies: policies.iter().map(Into::into).collect() }
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
            StoredEvent::PolicySet { policies } => Event::PolicySet {
                policies: policies
                    .into_iter()
                    .map(StoredPolicy::into_policy)
                    .collect::<Result<_, _>>()?,
            },
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
                let (sys, ah) = (load_nodes(sys)?, load_nodes(ah)?);
                let top = |nodes: &[(Arc<Node>, u32)]| {
                    nodes
                        .first()
                        .map(|(node, _)| node.clone())
                        .ok_or_else(|| StoreError::corrupt("an import without one of its regions"))
                };
                let regions = [
                    Arc::new(root.into_node()?),
                    top(&sys)?,
                    Arc::new(seq.into_node()?),
                    top(&ah)?,
                ];
                let turns = turns.into_iter().map(load_nodes);
                let turns = turns.collect::<Result<_, _>>()?;
                Event::Imported(Import { cycle, regions, sys, ah, turns, digest })
            }
            StoredEvent::Restored { at, cycle, materialized, digest } => Event::Restored(Restore {
                at,
                cycle,
                materialized: additions(materialized)?,
                digest,
            }),
            StoredEvent::Origin { kind, name, format, session, digest, cycle } => {
                let kind = match kind {
                    0 => OriginKind::Import,
                    1 => OriginKind::Fork,
                    other => {
                        let message = format!("an origin of an unknown kind {other}");
                        return Err(StoreError::corrupt(message));
                    }
                };
                Event::Origin(Origin { kind, name, format, session, digest, cycle })
            }
        })
    }
}
