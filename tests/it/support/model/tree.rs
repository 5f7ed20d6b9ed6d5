//! The tree: a bag of nodes that know their parent. Everything else is searched for when it is asked.

use std::collections::HashMap;

use super::node::{Class, Node};

#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: HashMap<String, Node>,
}

impl Tree {
    /// The root and its three regions, as a new store has them (R1.1).
    pub(crate) fn new() -> Tree {
        let mut tree = Tree { nodes: HashMap::new() };
        for (index, (id, class)) in
            [("root", Class::Root), ("sys", Class::Sys), ("seq", Class::Seq), ("ah", Class::Ah)]
                .into_iter()
                .enumerate()
        {
            let mut node = Node::new(id, class, &format!("^{id}"));
            node.parent = (index > 0).then(|| "root".to_string());
            node.creation_index = index as i64;
            tree.insert(node);
        }
        tree
    }

    pub(crate) fn insert(&mut self, node: Node) {
        self.nodes.insert(node.id.clone(), node);
    }

    pub(crate) fn get(&self, id: &str) -> &Node {
        &self.nodes[id]
    }

    pub(crate) fn get_mut(&mut self, id: &str) -> &mut Node {
        self.nodes.get_mut(id).unwrap()
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        self.nodes.contains_key(id)
    }

    /// The id of the one node of a region's class.
    pub(crate) fn region(&self, class: Class) -> String {
        self.nodes.values().find(|node| node.class == class).unwrap().id.clone()
    }

    /// Children in canonical order (R7.1).
    pub(crate) fn children(&self, id: &str) -> Vec<&Node> {
        let mut found: Vec<&Node> =
            self.nodes.values().filter(|node| node.parent.as_deref() == Some(id)).collect();
        let rank = |node: &Node| match node.class {
            Class::Sys => 0,
            Class::Seq => 1,
            Class::Ah => 2,
            _ => 3,
        };
        found.sort_by(|a, b| {
            (rank(a), a.offset, a.created_at_ns, a.creation_index, a.id.as_bytes()).cmp(&(
                rank(b),
                b.offset,
                b.created_at_ns,
                b.creation_index,
                b.id.as_bytes(),
            ))
        });
        found
    }

    /// A node and all below it, in canonical order.
    pub(crate) fn subtree(&self, id: &str) -> Vec<String> {
        let mut out = vec![id.to_string()];
        for child in self.children(id) {
            out.extend(self.subtree(&child.id));
        }
        out
    }

    /// The whole tree in canonical order.
    pub(crate) fn preorder(&self) -> Vec<String> {
        self.subtree(&self.region(Class::Root))
    }

    /// Is `id` the node `top` or below it?
    pub(crate) fn is_within(&self, id: &str, top: &str) -> bool {
        self.path(id).iter().any(|step| step == top)
    }

    /// The node, its parent, and so on up to the root.
    pub(crate) fn path(&self, id: &str) -> Vec<String> {
        let mut path = vec![id.to_string()];
        while let Some(parent) = &self.get(&path[path.len() - 1]).parent {
            path.push(parent.clone());
        }
        path
    }

    /// The region that a node lies in (or is); the root for the root itself.
    pub(crate) fn region_of(&self, id: &str) -> Class {
        let path = self.path(id);
        match path.len() {
            1 => Class::Root,
            n => self.get(&path[n - 2]).class,
        }
    }

    /// The turn that a node lies in or is.
    pub(crate) fn turn_of(&self, id: &str) -> Option<String> {
        self.path(id).into_iter().find(|step| self.get(step).class == Class::Turn)
    }

    /// Turns from the oldest to the newest.
    pub(crate) fn turns(&self) -> Vec<String> {
        self.children(&self.region(Class::Seq)).into_iter().map(|node| node.id.clone()).collect()
    }

    /// The container at offset 0 of a turn or of the active head.
    pub(crate) fn core_of(&self, id: &str) -> Option<String> {
        self.children(id)
            .into_iter()
            .find(|node| node.class == Class::Container && node.offset == 0)
            .map(|node| node.id.clone())
    }

    /// R6.6: -1 in the header, 0 in the head, 1 and more in turns counted from the newest.
    pub(crate) fn depth(&self, id: &str) -> Option<i64> {
        if let Some(turn) = self.turn_of(id) {
            let turns = self.turns();
            let at = turns.iter().position(|other| *other == turn).unwrap();
            return Some((turns.len() - at) as i64);
        }
        match self.region_of(id) {
            Class::Sys => Some(-1),
            Class::Ah => Some(0),
            _ => None,
        }
    }

    /// The header, the head or the turn of that depth.
    pub(crate) fn at_depth(&self, depth: i64) -> Option<String> {
        match depth {
            -1 => Some(self.region(Class::Sys)),
            0 => Some(self.region(Class::Ah)),
            _ => self.turns().into_iter().find(|turn| self.depth(turn) == Some(depth)),
        }
    }

    /// Does a node that `counts` refer to `id`?
    pub(crate) fn is_referenced(&self, id: &str, counts: impl Fn(&Node) -> bool) -> bool {
        self.nodes.values().any(|node| counts(node) && node.refs.iter().any(|to| to == id))
    }
}
