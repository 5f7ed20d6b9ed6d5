//! The commit sequence (R4): expire, cascade, prune, cascade, seal, snapshot, cadence.

use std::collections::HashSet;
use std::rc::Rc;

use serde_json::{Value, json};

use super::fail::{Codes, Res};
use super::fields;
use super::node::{Class, Node};
use super::tree::Tree;
use super::{Effect, Made, Model, Snapshot};

impl Model {
    pub(super) fn commit(&mut self, request: &Value, made: Made<'_>) -> Res<(Value, Effect)> {
        let mut codes = Codes::default();
        fields::only(request, &["created_at_ns", "expected_cycle", "dry_run"], &mut codes);
        let given_ns = fields::time(request, &mut codes);
        let dry_run = match fields::given(request, "dry_run") {
            None => false,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                codes.add_all(&["E_REQUEST_INVALID", "E_ATTR_INVALID"]);
                false
            }
        };
        self.expect_cycle(request, &mut codes)?;
        codes.finish()?;
        if dry_run {
            // A copy lives through it and is forgotten.
            return Ok((self.clone().close_cycle(given_ns, made), Effect::Nothing));
        }
        Ok((self.close_cycle(given_ns, made), Effect::Commit))
    }

    /// One whole commit; the reply of the operation. The digest is the engine's own affair.
    pub(super) fn close_cycle(&mut self, given_ns: Option<i64>, made: Made<'_>) -> Value {
        let before = self.state.tree.clone();
        let cycle = self.state.last_cycle + 1;
        let expired = self.expire(cycle);
        let mut cascaded = self.cascade(&before);
        let pruned = self.prune();
        cascaded.extend(self.cascade(&before));
        let order = before.preorder();
        let place = |id: &String| order.iter().position(|other| other == id);
        cascaded.sort_by_key(place);
        let turn = self.seal(cycle, given_ns);
        self.take_snapshot(cycle);
        let materialized = self.fire_cadences(given_ns, made);
        self.settle();
        json!({
            "cycle": cycle,
            "turn": turn,
            "expired": expired,
            "cascaded": cascaded,
            "pruned": pruned,
            "materialized": materialized,
            "digest": null,
        })
    }

    /// R4.1 and R4.2: start with everything that is due, give back what a survivor holds, until nothing changes.
    fn expire(&mut self, cycle: i64) -> Vec<String> {
        let tree = &self.state.tree;
        let mut due: HashSet<String> = tree
            .nodes
            .values()
            .filter(|node| node.life.is_some_and(|life| life.expires_at <= cycle))
            .map(|node| node.id.clone())
            .collect();
        loop {
            let goes = |id: &str| tree.path(id).iter().any(|step| due.contains(step));
            let held: Vec<String> = due
                .iter()
                .filter(|id| {
                    let below = tree.subtree(id);
                    below.iter().any(|id| tree.is_referenced(id, |from| !goes(&from.id)))
                })
                .cloned()
                .collect();
            if held.is_empty() {
                break;
            }
            held.iter().for_each(|id| {
                due.remove(id);
            });
        }
        let mut roots = tree.preorder();
        roots
            .retain(|id| due.contains(id) && !tree.path(id)[1..].iter().any(|up| due.contains(up)));
        for id in &roots {
            self.bury(id, false);
        }
        roots
    }

    /// R4.3: assume that every container which could go goes, and take back those that something holds.
    fn cascade(&mut self, before: &Tree) -> Vec<String> {
        let tree = &self.state.tree;
        let mut empty: HashSet<String> = tree
            .nodes
            .values()
            .filter(|node| node.class == Class::Container && node.removable)
            .filter(|node| !before.children(&node.id).is_empty())
            .map(|node| node.id.clone())
            .collect();
        loop {
            let stays = |id: &String| {
                tree.children(id).iter().any(|child| !empty.contains(&child.id))
                    || tree.is_referenced(id, |from| !empty.contains(&from.id))
            };
            let held: Vec<String> = empty.iter().filter(|id| stays(id)).cloned().collect();
            if held.is_empty() {
                break;
            }
            held.iter().for_each(|id| {
                empty.remove(id);
            });
        }
        let mut removed = tree.preorder();
        removed.retain(|id| empty.contains(id));
        for id in removed.iter().rev() {
            self.bury(id, false);
        }
        removed
    }

    /// R4.5: the head's children become a turn's, with a core if there is none.
    fn seal(&mut self, cycle: i64, given_ns: Option<i64>) -> String {
        let head = self.state.tree.region(Class::Ah);
        let core = self.state.tree.core_of(&head);
        let word = self.word(Class::Turn);
        let turn_id = self.numbered(word, cycle);
        let mut turn = Node::new(&turn_id, Class::Turn, word);
        turn.parent = Some(self.state.tree.region(Class::Seq));
        self.create(turn, given_ns);
        for node in self.state.tree.nodes.values_mut() {
            if node.parent.as_ref() == Some(&head) {
                node.parent = Some(turn_id.clone());
            }
        }
        if core.is_none() {
            let word = self.word(Class::Container);
            let core_id = self.numbered(word, cycle);
            let mut core = Node::new(&core_id, Class::Container, word);
            core.parent = Some(turn_id.clone());
            self.create(core, given_ns);
            self.gather(&core_id);
        }
        turn_id
    }

    /// `mt:42`, or `mt:42-2` and so on if that was ever used (R2.6).
    pub(super) fn numbered(&self, word: &str, cycle: i64) -> String {
        let plain = format!("{word}:{cycle}");
        if !self.used.contains(&plain) {
            return plain;
        }
        let mut number = 2;
        while self.used.contains(&format!("{plain}-{number}")) {
            number += 1;
        }
        format!("{plain}-{number}")
    }

    /// The tree as it is becomes the snapshot of the cycle; the next cycle begins.
    pub(super) fn take_snapshot(&mut self, cycle: i64) {
        let tree = self.state.tree.clone();
        self.snapshots.push(Rc::new(Snapshot { cycle, tree }));
        self.state.last_cycle = cycle;
        self.state.next_index = 0;
        self.state.cadence_made = false;
    }

    /// From here on there is nothing to undo.
    pub(super) fn settle(&mut self) {
        self.undo.clear();
        self.committed = self.state.clone();
    }
}
