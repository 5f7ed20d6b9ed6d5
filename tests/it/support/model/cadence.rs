//! Cadence (R4.7): what repeats, and how that ends.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::fail::{Codes, Res};
use super::fields;
use super::node::{Class, Life, Node};
use super::{Effect, Made, Model};

impl Model {
    pub(super) fn end_cadence(&mut self, request: &Value) -> Res<(Value, Effect)> {
        let mut codes = Codes::default();
        fields::only(request, &["end"], &mut codes);
        let Some(key) = request.get("end").and_then(Value::as_str) else {
            codes.add_all(&["E_REQUEST_INVALID", "E_ATTR_INVALID"]);
            return Err(codes.finish().unwrap_err());
        };
        codes.finish()?;
        if let Some((newest, _)) = self.newest_instance(key) {
            let id = newest.id.clone();
            self.state.ended.insert(key.to_string(), id);
        }
        Ok((json!({ "key": key }), Effect::Edit))
    }

    /// The newest node ever made with this key, and whether an edit removed it.
    pub(super) fn newest_instance(&self, key: &str) -> Option<(&Node, bool)> {
        let alive = self.state.tree.nodes.values().map(|node| (node, false));
        let gone = self.state.gone.values().map(|gone| (&gone.node, gone.by_edit));
        let instances = alive.chain(gone).filter(|(node, _)| node.key.as_deref() == Some(key));
        let age =
            |node: &Node| (node.cycle, node.created_at_ns, node.creation_index, node.id.clone());
        // Of two records of one node the living one counts.
        instances.max_by_key(|(node, removed)| (age(node), !removed))
    }

    /// Every key that a node has or had.
    pub(super) fn all_keys(&self) -> BTreeSet<String> {
        let alive = self.state.tree.nodes.values();
        let gone = self.state.gone.values().map(|gone| &gone.node);
        alive.chain(gone).filter_map(|node| node.key.clone()).collect()
    }

    /// New instances for the cycle that has just begun; their ids in order of making.
    pub(super) fn fire_cadences(&mut self, given_ns: Option<i64>, made: Made<'_>) -> Vec<String> {
        let keys = self.all_keys();
        let mut ids = Vec::new();
        for key in keys {
            let Some((newest, false)) = self.newest_instance(&key) else { continue };
            if self.state.ended.get(&key) == Some(&newest.id) {
                continue;
            }
            let coming = self.state.last_cycle + 1;
            let due = newest.cad.is_some_and(|cad| (coming - newest.cycle).rem_euclid(cad) == 0);
            if due {
                let newest = newest.clone();
                ids.push(self.repeat(newest, given_ns, made));
                self.state.cadence_made = true;
            }
        }
        ids
    }

    fn repeat(&mut self, original: Node, given_ns: Option<i64>, made: Made<'_>) -> String {
        let parent = match original.offset {
            0 => self.head_core(given_ns),
            _ => self.state.tree.region(Class::Ah),
        };
        let id = self.fresh(self.word(Class::Block), made);
        let coming = self.state.last_cycle + 1;
        let mut node = original;
        node.id = id.clone();
        node.parent = Some(parent);
        node.life = node.life.map(|life| Life::new(life.given, coming));
        node.refs.retain(|to| self.state.tree.has(to));
        node.provenance = None;
        node.created_at_iso = None;
        self.create(node, given_ns);
        id
    }
}
