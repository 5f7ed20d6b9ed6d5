//! Questions about the present state that tests and the generator ask; no rules here.

use super::node::Class;
use super::{Effect, Model};

impl Model {
    /// The ids of all living nodes, in canonical order.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.state.tree.preorder()
    }

    /// Was the id ever used?
    pub(crate) fn is_used(&self, id: &str) -> bool {
        self.used.contains(id)
    }

    /// The cycles that have a snapshot, oldest first.
    pub(crate) fn cycles(&self) -> Vec<i64> {
        self.snapshots.iter().map(|snapshot| snapshot.cycle).collect()
    }

    /// The last committed cycle, 0 if there is none.
    pub(crate) fn last_cycle(&self) -> i64 {
        self.state.last_cycle
    }

    /// Edits since the last commit that are not undone; instances of a cadence count (R5.2).
    pub(crate) fn is_dirty(&self) -> bool {
        self.state.cadence_made || self.undo.iter().any(|step| step.effect == Effect::Edit)
    }

    pub(crate) fn is_v1(&self) -> bool {
        self.v1
    }

    pub(crate) fn has_policies(&self) -> bool {
        !self.state.policies.is_empty()
    }

    /// How many ids were ever used.
    pub(crate) fn used_count(&self) -> usize {
        self.used.len()
    }

    /// May an edit change the node?
    pub(crate) fn is_open(&self, id: &str) -> bool {
        !self.state.tree.get(id).class.is_region() && !self.is_sealed(id)
    }

    pub(crate) fn turn_ids(&self) -> Vec<String> {
        self.state.tree.turns()
    }

    /// The containers that take new children.
    pub(crate) fn open_containers(&self) -> Vec<String> {
        let mut ids = self.ids_of("container");
        ids.retain(|id| self.is_open(id));
        ids
    }

    /// The one of these that was made last, if there is any.
    pub(crate) fn youngest_container(&self) -> Vec<String> {
        let made = |id: &String| self.state.tree.get(id).created_at_ns;
        self.open_containers().into_iter().max_by_key(made).into_iter().collect()
    }

    /// The living nodes of class `turn`, `container` or `block`, in canonical order.
    pub(crate) fn ids_of(&self, class: &str) -> Vec<String> {
        let class = match class {
            "turn" => Class::Turn,
            "container" => Class::Container,
            _ => Class::Block,
        };
        let mut ids = self.ids();
        ids.retain(|id| self.state.tree.get(id).class == class);
        ids
    }
}
