//! Going back: undo and restore (R4.8).

use serde_json::{Value, json};

use super::fail::{Codes, Fail, Res};
use super::fields;
use super::node::Life;
use super::{Effect, Gone, Made, Model};

impl Model {
    /// The state goes back whole; used ids stay used.
    pub(super) fn take_back(&mut self, request: &Value) -> Res<(Value, Effect)> {
        let mut codes = Codes::default();
        fields::only(request, &[], &mut codes);
        codes.finish()?;
        let step = self.undo.pop().ok_or(Fail::one("E_NODE_NOT_FOUND"))?;
        self.state = step.before;
        Ok((json!({ "op": step.op }), Effect::Nothing))
    }

    pub(super) fn restore(&mut self, request: &Value, made: Made<'_>) -> Res<(Value, Effect)> {
        let mut codes = Codes::default();
        fields::only(request, &["at", "discard"], &mut codes);
        let discard = match fields::given(request, "discard") {
            None => false,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                codes.add_all(&["E_REQUEST_INVALID", "E_ATTR_INVALID"]);
                false
            }
        };
        if self.is_dirty() && !discard {
            codes.add("E_CONFLICT");
        }
        let view = match fields::given(request, "at") {
            None => {
                codes.add("E_REQUEST_INVALID");
                None
            }
            at => codes.keep(self.view(at)),
        };
        if view.is_some_and(|view| view.is_working) {
            // Choice 13: only a snapshot can be restored.
            codes.add_all(&["E_SNAPSHOT_NOT_FOUND", "E_SELECTOR_INVALID", "E_REQUEST_INVALID"]);
        }
        codes.finish()?;
        let view = view.unwrap();
        let cycle = self.state.last_cycle + 1;
        let mut tree = view.tree.clone();
        for node in tree.nodes.values_mut() {
            let remaining = view.ttl(node);
            node.life = node.life.zip(remaining).map(|(life, remaining)| Life {
                given: life.given,
                base: cycle,
                expires_at: cycle.saturating_add(remaining),
            });
        }
        self.discard_edits();
        self.replace_tree(tree);
        self.take_snapshot(cycle);
        let materialized = self.fire_cadences(None, made);
        self.settle();
        let reply = json!({
            "cycle": cycle,
            "turn": null,
            "expired": [],
            "cascaded": [],
            "pruned": [],
            "materialized": materialized,
            "digest": null,
        });
        Ok((reply, Effect::Commit))
    }

    /// Back to what the last commit left; policies are settings and stay (choice 14).
    fn discard_edits(&mut self) {
        let policies = self.state.policies.clone();
        if self.is_dirty() {
            self.state = self.committed.clone();
            self.state.policies = policies;
        }
    }

    /// Another tree takes the place of the present one; what is not in it is gone, though by no edit.
    pub(super) fn replace_tree(&mut self, tree: super::Tree) {
        for node in tree.nodes.values() {
            self.leave_family(node);
        }
        let old = std::mem::replace(&mut self.state.tree, tree);
        for (id, node) in old.nodes {
            self.state.gone.insert(id, Gone { node, by_edit: false });
        }
        let tree = &self.state.tree;
        self.state.gone.retain(|id, _| !tree.has(id));
    }
}
