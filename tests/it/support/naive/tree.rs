//! A state as a flat list of nodes, in canonical order, implied cores among them (R1.5).

use serde_json::{Map, Value, json};
use std::cmp::Ordering;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Root,
    Sys,
    Seq,
    Ah,
    Turn,
    Container,
    Block,
}

pub(crate) struct Node {
    /// The object without its children.
    pub(crate) object: Map<String, Value>,
    pub(crate) class: Class,
    /// The parent in the document; the turn or `^ah` of an implied core.
    pub(crate) parent: Option<usize>,
    /// An implied core.
    pub(crate) implied: bool,
    /// R6.6.
    pub(crate) depth: Option<i64>,
    /// Edges from the root.
    pub(crate) edges: i64,
}

pub(crate) struct Tree {
    /// In canonical order.
    pub(crate) nodes: Vec<Node>,
    /// The cycle that ages are counted to.
    pub(crate) now: i64,
    /// The children of each node, and everything below it, in canonical order.
    lists: Vec<(Vec<usize>, Vec<usize>)>,
}

impl Node {
    pub(crate) fn get(&self, name: &str) -> Value {
        self.object.get(name).cloned().unwrap_or(Value::Null)
    }

    pub(crate) fn id(&self) -> &str {
        self.object["id"].as_str().unwrap()
    }

    pub(crate) fn offset(&self) -> i64 {
        self.object["offset"].as_i64().unwrap()
    }
}

impl Tree {
    pub(crate) fn new(document: &Value, now: i64, word: &str) -> Tree {
        let mut tree = Tree { nodes: Vec::new(), now, lists: Vec::new() };
        tree.place(&document["root"], None, None, word);
        let children: Vec<Vec<usize>> =
            tree.all().into_iter().map(|node| tree.find_children(node)).collect();
        for node in tree.all() {
            tree.lists.push((children[node].clone(), find_below(&children, node)));
        }
        tree
    }

    fn place(&mut self, value: &Value, parent: Option<usize>, depth: Option<i64>, word: &str) {
        let mut object = value.as_object().unwrap().clone();
        let children = object.remove("children");
        let class = class_of(object["nodeType"].as_str().unwrap(), children.is_some());
        let depth = match class {
            Class::Sys => Some(-1),
            Class::Ah => Some(0),
            _ => depth,
        };
        let edges = parent.map_or(0, |parent| self.nodes[parent].edges + 1);
        let me = self.nodes.len();
        self.nodes.push(Node { object, class, parent, implied: false, depth, edges });
        let mut children: Vec<Value> =
            children.map_or(vec![], |list| list.as_array().unwrap().clone());
        children.sort_by(siblings);
        let at_zero = |child: &&Value| child["offset"] == json!(0);
        let is_core = |child: &&Value| child.get("children").is_some();
        let lacks_core = matches!(class, Class::Turn | Class::Ah)
            && !children.iter().filter(at_zero).any(|child| is_core(&child));
        let mut implied = children.iter().position(|child| at_zero(&child)).filter(|_| lacks_core);
        let count = children.len() as i64;
        for (i, child) in children.iter().enumerate() {
            if implied == Some(i) {
                implied = None;
                let object = json!({"nodeType": word, "offset": 0}).as_object().unwrap().clone();
                let (class, parent) = (Class::Container, Some(me));
                self.nodes.push(Node { object, class, parent, implied: true, depth, edges: 0 });
            }
            // Turns are numbered from the newest.
            let depth = if class == Class::Seq { Some(count - i as i64) } else { depth };
            self.place(child, Some(me), depth, word);
        }
    }

    pub(crate) fn all(&self) -> Vec<usize> {
        (0..self.nodes.len()).collect()
    }

    pub(crate) fn children(&self, of: usize) -> &[usize] {
        &self.lists[of].0
    }

    pub(crate) fn below(&self, of: usize) -> &[usize] {
        &self.lists[of].1
    }

    /// The blocks of an implied core stay children of the turn as well.
    fn find_children(&self, of: usize) -> Vec<usize> {
        let is_child = |i: usize| match self.nodes[of].implied {
            true => {
                let node = &self.nodes[i];
                !node.implied && node.parent == self.nodes[of].parent && node.offset() == 0
            }
            false => self.nodes[i].parent == Some(of),
        };
        self.all().into_iter().filter(|i| is_child(*i)).collect()
    }

    pub(crate) fn parent_id(&self, of: usize) -> Value {
        self.nodes[of].parent.map_or(Value::Null, |parent| self.nodes[parent].get("id"))
    }
}

fn find_below(children: &[Vec<usize>], of: usize) -> Vec<usize> {
    let mut found = children[of].clone();
    for child in &children[of] {
        found.extend(find_below(children, *child));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// R1.2. An export gives children to containers always and to blocks never.
fn class_of(node_type: &str, has_children: bool) -> Class {
    match node_type {
        "^root" => return Class::Root,
        "^sys" => return Class::Sys,
        "^seq" => return Class::Seq,
        "^ah" => return Class::Ah,
        _ => {}
    }
    match node_type.split(':').next() {
        Some("mt" | "seg") => Class::Turn,
        Some("mc" | "cont") => Class::Container,
        Some("cb" | "block") => Class::Block,
        _ if has_children => Class::Container,
        _ => Class::Block,
    }
}

/// R7.1.
fn siblings(a: &Value, b: &Value) -> Ordering {
    let region = |value: &Value| match value["nodeType"].as_str().unwrap() {
        "^sys" => 1,
        "^seq" => 2,
        "^ah" => 3,
        _ => 0,
    };
    let number = |value: &Value, name: &str| value[name].as_i64().unwrap();
    region(a)
        .cmp(&region(b))
        .then(number(a, "offset").cmp(&number(b, "offset")))
        .then(number(a, "created_at_ns").cmp(&number(b, "created_at_ns")))
        .then(number(a, "creation_index").cmp(&number(b, "creation_index")))
        .then(a["id"].as_str().unwrap().cmp(b["id"].as_str().unwrap()))
}
