//! The stored forms of what edits consist of: policies, additions, changes and provider calls.
//! Fields never change: those that came later are in `extras`.

use super::stored_node::{StoredNode, stored_json};
use crate::change::{Addition, Attempt, AttemptStatus, Change};
use crate::json::canonical_string;
use crate::lifecycle::{Policy, Region};
use crate::model::{ContentRef, Lifetime, Name, TextField};
use crate::storage::StoreError;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A policy on disk. Limits that came later follow it in an entry of their own, whose region is
/// [`MORE_LIMITS`], so a policy without them is written as it always was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredPolicy {
    region: u8,
    max_blocks: Option<u64>,
    max_bytes: Option<u64>,
    max_tokens: Option<u64>,
    protect_recent_turns: Option<u64>,
}

/// The region of an entry that has further limits of the policy before it: `max_turns` and
/// `max_nodes`, in the places of blocks and bytes.
const MORE_LIMITS: u8 = 4;

impl StoredPolicy {
    /// The entries of a list of policies.
    pub(crate) fn list_of(policies: &[Policy]) -> Vec<StoredPolicy> {
        policies
            .iter()
            .flat_map(|policy| [Some(policy.into()), more_limits(policy)])
            .flatten()
            .collect()
    }

    /// The policies of a list of entries.
    pub(crate) fn policies(
        entries: impl IntoIterator<Item = StoredPolicy>,
    ) -> Result<Vec<Policy>, StoreError> {
        let mut policies: Vec<Policy> = Vec::new();
        let mut complete = true;
        for entry in entries {
            if entry.region != MORE_LIMITS {
                policies.push(entry.into_policy()?);
                complete = false;
                continue;
            }
            let is_empty = entry.max_blocks.is_none() && entry.max_bytes.is_none();
            let has_other = entry.max_tokens.is_some() || entry.protect_recent_turns.is_some();
            let policy = policies.last_mut().filter(|_| !complete && !is_empty && !has_other);
            let policy =
                policy.ok_or_else(|| StoreError::corrupt("limits that belong to no policy"))?;
            policy.max_turns = entry.max_blocks;
            policy.max_nodes = entry.max_bytes;
            complete = true;
        }
        Ok(policies)
    }
}

fn more_limits(policy: &Policy) -> Option<StoredPolicy> {
    let more = StoredPolicy {
        region: MORE_LIMITS,
        max_blocks: policy.max_turns,
        max_bytes: policy.max_nodes,
        max_tokens: None,
        protect_recent_turns: None,
    };
    (policy.max_turns.is_some() || policy.max_nodes.is_some()).then_some(more)
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
    fn into_policy(self) -> Result<Policy, StoreError> {
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
            max_turns: None,
            max_nodes: None,
            protect_recent_turns: self.protect_recent_turns,
        })
    }
}

/// A node that was added, on disk.
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
    pub(super) fn into_addition(self) -> Result<Addition, StoreError> {
        Ok(Addition {
            parent: self.parent.into(),
            node: Arc::new(self.node.into_node()?),
            core: self.core.map(StoredNode::into_node).transpose()?.map(Arc::new),
            shifts: self.shifts.into_iter().map(|(id, to)| (id.into(), to)).collect(),
        })
    }
}

/// What a change sets, on disk.
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
            content: change.content.map(|content| content.map(|c| (c.seq, c.item, c.bytes))),
            lifetime: change
                .lifetime
                .map(|life| life.map(|life| (life.given, life.since, life.expires_at))),
            priority: change.priority,
            key: change.texts.get(&TextField::Key).map(|key| key.as_deref().map(str::to_owned)),
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
    pub(super) fn into_change(self) -> Result<Change, StoreError> {
        let list = |names: Vec<String>| names.into_iter().map(Name::from).collect();
        Ok(Change {
            content: self
                .content
                .map(|content| content.map(|(seq, item, bytes)| ContentRef { seq, item, bytes })),
            lifetime: self.lifetime.map(|life| {
                life.map(|(given, since, expires_at)| Lifetime { given, since, expires_at })
            }),
            priority: self.priority,
            // Texts that came later are in `extras`.
            texts: self.key.map(|key| (TextField::Key, key.map(Name::from))).into_iter().collect(),
            tags: self.tags.map(list),
            cad: self.cad,
            pinned: self.pinned,
            refs: self.refs.map(list),
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
