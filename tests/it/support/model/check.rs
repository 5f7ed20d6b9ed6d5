//! The invariants that hold in every state (R1, R2, R7), each looked at from outside.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::Model;
use super::canon::canonical;
use super::node::{Class, Node};

impl Model {
    /// Every invariant that the model's present state violates; empty when all is well.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut found = self.complaints.clone();
        self.check_shape(&mut found);
        for node in self.state.tree.nodes.values() {
            self.check_node(node, &mut found);
        }
        self.check_order(&mut found);
        self.check_history(&mut found);
        found
    }

    fn check_shape(&self, found: &mut Vec<String>) {
        let tree = &self.state.tree;
        let root = tree.region(Class::Root);
        let regions: Vec<Class> = tree.children(&root).iter().map(|node| node.class).collect();
        if regions != [Class::Sys, Class::Seq, Class::Ah] {
            found.push(format!("the root's children are {regions:?}"));
        }
        let reached: HashSet<String> = tree.preorder().into_iter().collect();
        if reached.len() != tree.nodes.len() {
            found.push("a node is not reachable from the root".into());
        }
    }

    fn check_node(&self, node: &Node, found: &mut Vec<String>) {
        let tree = &self.state.tree;
        let parent = node.parent.as_ref().map(|parent| tree.get(parent).class);
        let legal = match node.class {
            Class::Root => parent.is_none(),
            Class::Sys | Class::Seq | Class::Ah => parent == Some(Class::Root),
            Class::Turn => parent == Some(Class::Seq) && node.offset == 0,
            Class::Container | Class::Block => {
                matches!(parent, Some(Class::Sys | Class::Ah | Class::Turn | Class::Container))
            }
        };
        let cores = tree.children(&node.id).into_iter();
        let cores = cores.filter(|child| child.class == Class::Container && child.offset == 0);
        let has_core = matches!(node.class, Class::Turn | Class::Ah);
        let rules = [
            (legal, "lies in the wrong place"),
            (!has_core || cores.count() <= 1, "has two cores"),
            (node.class != Class::Block || tree.children(&node.id).is_empty(), "has children"),
            (self.used.contains(&node.id), "has an id that counts as unused"),
            (!self.state.gone.contains_key(&node.id), "is alive and gone"),
            (node.cad.is_none() || node.class == Class::Block, "has a cad and is no block"),
            (!node.removable || node.class == Class::Container, "is removable and no container"),
            (node.cad.is_none_or(|cad| cad >= 1), "has a cad below 1"),
            (node.life.is_none_or(|life| life.given >= 0), "has a ttl below 0"),
            (!node.class.is_region() || node.life.is_none(), "is a region with a ttl"),
            (!node.class.is_region() || node.offset == 0, "is a region with an offset"),
            (node.created_at_ns <= self.state.last_ns, "is younger than the last time used"),
        ];
        for (holds, text) in rules {
            if !holds {
                found.push(format!("{:?} {text}", node.id));
            }
        }
        let fixed = Class::of_type(&node.node_type);
        if fixed.is_some_and(|class| class != node.class) {
            found.push(format!("{:?} has type {:?}", node.id, node.node_type));
        }
    }

    /// Siblings stand in strict order in the export, and times within a cycle follow the index.
    fn check_order(&self, found: &mut Vec<String>) {
        let tree = &self.state.tree;
        for node in tree.nodes.values() {
            let children = tree.children(&node.id);
            for pair in children.windows(2) {
                let regions = pair[0].class.is_region();
                let key = |node: &Node| (node.offset, node.created_at_ns, node.creation_index);
                if !regions && key(pair[0]) > key(pair[1]) {
                    found.push(format!("{:?} and {:?} are out of order", pair[0].id, pair[1].id));
                }
            }
        }
    }

    fn check_history(&self, found: &mut Vec<String>) {
        let cycles = self.cycles();
        if cycles.windows(2).any(|pair| pair[0] >= pair[1]) {
            found.push(format!("snapshot cycles do not grow: {cycles:?}"));
        }
        if cycles.last().is_some_and(|last| *last != self.state.last_cycle) {
            found.push("the last cycle is not the newest snapshot's".into());
        }
        let newest = self.snapshots.last().map(|newest| format!("@c{}", newest.cycle));
        if let Some(newest) = newest.filter(|_| !self.is_dirty())
            && self.export_bytes(None) != self.export_bytes(Some(&newest))
        {
            found.push("nothing was edited, yet the working state is not the snapshot".into());
        }
    }

    /// R9.2: an export, imported into an empty store and exported again, gives the same bytes.
    pub(crate) fn survives_round_trip(&self, at: Option<&str>) -> bool {
        let Some(bytes) = self.export_bytes(at) else { return false };
        let document: Value = serde_json::from_str(&bytes).unwrap();
        let mut other = Model::new(if self.v1 { "1.0" } else { "0.1" });
        let reply = other.handle(&json!({"op": "import", "snapshot": document}));
        let cycle = &document["cycle"];
        let mut expected = document.clone();
        if *cycle == json!(0) {
            expected["cycle"] = json!(1);
        }
        reply.get("ok").is_some() && other.export_bytes(None) == Some(canonical(&expected))
    }
}
