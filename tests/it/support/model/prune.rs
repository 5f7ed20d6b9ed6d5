//! Pruning (R4.4, R14.19): one turn or block after the other, the whole question asked anew each time.

use serde_json::Value;

use super::Model;
use super::canon::canonical;
use super::node::{Class, Node};
use super::policy::Policy;

impl Model {
    /// The removed turns and blocks, in order of removal.
    pub(super) fn prune(&mut self) -> Vec<String> {
        let mut pruned = Vec::new();
        for policy in self.state.policies.clone() {
            while let Some(id) = self.next_turn_to_drop(&policy) {
                self.bury(&id, false);
                pruned.push(id);
            }
            while self.exceeds(&policy) {
                let Some(id) = self.next_to_prune(&policy) else { break };
                self.bury(&id, false);
                pruned.push(id);
            }
        }
        pruned
    }

    /// The oldest turn that may go, if there are too many.
    fn next_turn_to_drop(&self, policy: &Policy) -> Option<String> {
        let tree = &self.state.tree;
        let limit = policy.max_turns?;
        if !matches!(policy.region, None | Some(Class::Seq)) {
            return None;
        }
        let mut turns = tree.preorder();
        turns.retain(|id| tree.nodes[id].class == Class::Turn);
        // The head is about to become one more.
        if (turns.len() as i64) < limit {
            return None;
        }
        turns.into_iter().find(|turn| {
            let inside = tree.subtree(turn);
            let recent = tree.depth(turn).is_some_and(|depth| depth < policy.protect);
            !recent
                && !inside.iter().any(|id| {
                    tree.nodes[id].pinned
                        || tree.is_referenced(id, |from| !inside.contains(&from.id))
                })
        })
    }

    /// All nodes below the regions that a policy is for.
    fn nodes_in_scope(&self, policy: &Policy) -> i64 {
        let tree = &self.state.tree;
        let ordinary = [Class::Turn, Class::Container, Class::Block];
        let below = tree.nodes.values().filter(|node| ordinary.contains(&node.class));
        below
            .filter(|node| policy.region.is_none_or(|region| tree.region_of(&node.id) == region))
            .count() as i64
    }

    fn in_scope(&self, policy: &Policy) -> Vec<&Node> {
        let tree = &self.state.tree;
        let in_region =
            |node: &Node| policy.region.is_none_or(|region| tree.region_of(&node.id) == region);
        tree.nodes.values().filter(|node| node.class == Class::Block && in_region(node)).collect()
    }

    fn exceeds(&self, policy: &Policy) -> bool {
        let blocks = self.in_scope(policy);
        let bytes: i64 = blocks.iter().map(|node| content_bytes(node)).sum();
        let tokens: i64 = blocks.iter().map(|node| (content_bytes(node) + 3) / 4).sum();
        let over = |limit: Option<i64>, amount: i64| limit.is_some_and(|limit| amount > limit);
        over(policy.max_blocks, blocks.len() as i64)
            || over(policy.max_bytes, bytes)
            || over(policy.max_tokens, tokens)
            || over(policy.max_nodes, self.nodes_in_scope(policy))
    }

    fn next_to_prune(&self, policy: &Policy) -> Option<String> {
        let tree = &self.state.tree;
        let recent = |node: &Node| {
            // The head is about to become the newest turn, so the turn at depth d is number d + 1.
            tree.depth(&node.id).is_some_and(|depth| depth >= 0 && depth < policy.protect)
        };
        let mut candidates = self.in_scope(policy);
        candidates.retain(|node| {
            let spared =
                tree.region_of(&node.id) == Class::Sys && policy.region != Some(Class::Sys);
            !node.pinned
                && !spared
                && !recent(node)
                && !tree.is_referenced(&node.id, |from| from.id != node.id)
        });
        candidates.sort_by(|a, b| {
            (a.priority, a.created_at_ns, a.id.as_bytes()).cmp(&(
                b.priority,
                b.created_at_ns,
                b.id.as_bytes(),
            ))
        });
        candidates.first().map(|node| node.id.clone())
    }
}

fn content_bytes(node: &Node) -> i64 {
    match &node.content {
        None => 0,
        Some(Value::String(text)) => text.len() as i64,
        Some(value) => canonical(value).len() as i64,
    }
}
