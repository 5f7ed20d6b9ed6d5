//! Reading a snapshot document (R9.3, R2.4): every rule that needs nothing but the document.
//!
//! What the store has to say about it (its cycle, uncommitted edits) is judged by `change`. The
//! first fault is reported with its JSON path, and nothing has happened then.

use super::document::{Document, DocumentNode, Given, ImportError};
use super::hash::node_hash;
use super::headers::{Fields, check_class_rules, check_content, fault, show, too_large};
use super::size::check_node_size;
use crate::json::Json;
use crate::limits::{MAX_NUMBER, MAX_SUBTREE_NODES, MAX_TREE_DEPTH};
use crate::model::{Class, Generation, Name, Node, hex};
use std::collections::HashSet;

/// Reads a document. `next` is the cycle it gets if it names none; `used` tells whether an id was
/// used before, for ids that have to be made up.
pub fn read_document(
    document: &Json,
    generation: Generation,
    next: u64,
    used: &dyn Fn(&str) -> bool,
) -> Result<Document, ImportError> {
    let Json::Map(top) = document else {
        return Err(fault("$", format!("a snapshot is an object, not {}", document.type_name())));
    };
    let cycle = match top.get("cycle") {
        None | Some(Json::Null) | Some(Json::Int(0)) => next,
        Some(Json::Int(cycle)) if (1..=MAX_NUMBER).contains(cycle) => *cycle as u64,
        Some(other) => {
            return Err(fault(
                "$.cycle",
                format!("the cycle must be an integer from 0 to {MAX_NUMBER}, not {}", show(other)),
            ));
        }
    };
    let named = spec_version(document)?;
    let Some(root) = top.get("root") else {
        return Err(fault("$", "the snapshot has no \"root\" object".into()));
    };
    let reader = Reader { generation, cycle, next_index: 0, ids: HashSet::new(), used };
    Ok(Document { generation: named, ..reader.document(root)? })
}

/// The generation that a document names (R14.10).
pub fn spec_version(document: &Json) -> Result<Option<Generation>, ImportError> {
    let Json::Map(top) = document else { return Ok(None) };
    let Some(version) = top.get("spec_version") else { return Ok(None) };
    let named = version.as_str().and_then(Generation::of_spec_version);
    named.map(Some).ok_or_else(|| {
        let known = "\"PACT/0.1…\", \"PACT/1.…\", or not there";
        fault("$.spec_version", format!("it must be {known}, not {}", show(version)))
    })
}

struct Reader<'u> {
    generation: Generation,
    cycle: u64,
    next_index: u64,
    ids: HashSet<Name>,
    used: &'u dyn Fn(&str) -> bool,
}

impl Reader<'_> {
    fn document(mut self, root: &Json) -> Result<Document, ImportError> {
        let (root_node, children) = self.node(root, "$.root", Expect::Root)?;
        let (mut sys, mut seq, mut ah, mut turns) = (None, None, None, Vec::new());
        for (i, child) in children.iter().enumerate() {
            let path = format!("$.root.children[{i}]");
            let (node, below) = self.node(child, &path, Expect::Region)?;
            let taken = match node.node.class {
                Class::Sys => sys.is_some(),
                Class::Seq => seq.is_some(),
                _ => ah.is_some(),
            };
            if taken {
                return Err(fault(
                    &path,
                    format!("{} is there twice: merge the two", node.node.node_type),
                ));
            }
            match node.node.class {
                Class::Seq => {
                    for (k, turn) in below.iter().enumerate() {
                        let path = format!("{path}.children[{k}]");
                        let (node, below) = self.node(turn, &path, Expect::Turn)?;
                        turns.push(self.part(node, below, &path)?);
                    }
                    seq = Some(node);
                }
                Class::Sys => sys = Some(self.part(node, below, &path)?),
                _ => ah = Some(self.part(node, below, &path)?),
            }
        }
        let root = match root_node {
            node if node.node.id.is_empty() => {
                let id = self.free_id("root");
                DocumentNode { node: Node { id, ..node.node }, ..node }
            }
            node => node,
        };
        let sys = sys.unwrap_or_else(|| vec![self.missing(Class::Sys, "sys")]);
        let seq = seq.unwrap_or_else(|| self.missing(Class::Seq, "seq"));
        let ah = ah.unwrap_or_else(|| vec![self.missing(Class::Ah, "ah")]);
        Ok(Document { generation: None, cycle: self.cycle, root, seq, sys, ah, turns })
    }

    /// A region that the document does not have.
    fn missing(&mut self, class: Class, word: &str) -> DocumentNode {
        let id = self.free_id(word);
        DocumentNode { node: Node::region(class, id), content: None, parent: 0, given: Given::ALL }
    }

    fn free_id(&mut self, word: &str) -> Name {
        let mut id: Name = word.into();
        let mut number = 2;
        // The word itself is the region that history has under it, continued.
        while self.ids.contains(&id) || (number > 2 && (self.used)(&id)) {
            id = format!("{word}-{number}").into();
            number += 1;
        }
        self.ids.insert(id.clone());
        id
    }

    /// A region or turn and everything below it, in pre-order.
    fn part(
        &mut self,
        top: DocumentNode,
        children: Vec<&Json>,
        path: &str,
    ) -> Result<Vec<DocumentNode>, ImportError> {
        let has_core = top.node.class != Class::Sys;
        let mut nodes = vec![top];
        self.below(&mut nodes, 0, children, path, 1)?;
        if has_core {
            let cores = nodes.iter().skip(1).filter(|n| n.parent == 0 && n.node.is_core_shaped());
            if let Some(second) = cores.skip(1).map(|n| &n.node.id).next() {
                let message =
                    format!("{second} is a second container at offset 0: give it another");
                return Err(fault(path, message));
            }
        }
        if nodes.len() > MAX_SUBTREE_NODES {
            return Err(fault(
                path,
                format!("a turn or region has at most {MAX_SUBTREE_NODES} nodes"),
            ));
        }
        Ok(nodes)
    }

    fn below(
        &mut self,
        nodes: &mut Vec<DocumentNode>,
        parent: u32,
        children: Vec<&Json>,
        path: &str,
        depth: usize,
    ) -> Result<(), ImportError> {
        if depth > MAX_TREE_DEPTH && !children.is_empty() {
            return Err(fault(path, format!("nodes lie at most {MAX_TREE_DEPTH} levels deep")));
        }
        for (i, child) in children.into_iter().enumerate() {
            let path = format!("{path}.children[{i}]");
            let (mut node, below) = self.node(child, &path, Expect::Inner)?;
            node.parent = parent;
            let index = nodes.len() as u32;
            nodes.push(node);
            self.below(nodes, index, below, &path, depth + 1)?;
        }
        Ok(())
    }

    /// One object: its headers, and the objects of its children.
    fn node<'a>(
        &mut self,
        value: &'a Json,
        path: &str,
        expect: Expect,
    ) -> Result<(DocumentNode, Vec<&'a Json>), ImportError> {
        let Json::Map(object) = value else {
            return Err(fault(path, format!("a node is an object, not {}", value.type_name())));
        };
        let fields = Fields { object, path };
        let children = match object.get("children") {
            None | Some(Json::Null) => None,
            Some(Json::List(items)) => Some(items.iter().collect::<Vec<_>>()),
            Some(other) => {
                return Err(fields.fault("children", "a list", other));
            }
        };
        let node_type = fields.text("nodeType")?;
        let class = self.class(node_type, children.is_some(), path, expect)?;
        let index = self.next_index;
        self.next_index += 1;
        let mut node = fields.headers(self.cycle, index)?;
        node.class = class;
        node.node_type = node_type.unwrap_or(self.generation.word(class)).into();
        self.register(&mut node, &fields, path, expect)?;
        check_class_rules(&node, &fields)?;
        check_node_size(&node).map_err(|what| too_large(path, what))?;
        let content = match object.get("content") {
            None | Some(Json::Null) => None,
            Some(value) => {
                check_content(value).map_err(|what| fault(&format!("{path}.content"), what))?;
                Some(value.clone())
            }
        };
        if class == Class::Block || content.is_some() {
            node.content_hash = Some(node_hash(&node, content.as_ref()));
        }
        if let Some(given) = fields.text("content_hash")?
            && node.content_hash.map(|hash| hex(&hash)).as_deref() != Some(given)
        {
            let path = format!("{path}.content_hash");
            return Err(fault(
                &path,
                "the hash does not match the content: correct or leave it out".into(),
            ));
        }
        let children = children.unwrap_or_default();
        if class == Class::Block && !children.is_empty() {
            return Err(fault(path, "a block has no children: make it a container".into()));
        }
        Ok((DocumentNode { node, content, parent: 0, given: fields.given() }, children))
    }

    fn class(
        &self,
        node_type: Option<&str>,
        has_children: bool,
        path: &str,
        expect: Expect,
    ) -> Result<Class, ImportError> {
        let derived = match node_type {
            Some(node_type) => Class::of_type(node_type),
            None if expect == Expect::Root => Some(Class::Root),
            None => None,
        };
        let class = derived.unwrap_or(if has_children { Class::Container } else { Class::Block });
        let fits = match expect {
            Expect::Root => class == Class::Root,
            Expect::Region => matches!(class, Class::Sys | Class::Seq | Class::Ah),
            Expect::Turn => class == Class::Turn,
            Expect::Inner => matches!(class, Class::Container | Class::Block),
        };
        if fits {
            return Ok(class);
        }
        let shown = node_type.unwrap_or("a node without nodeType");
        Err(fault(path, format!("{shown} cannot stand here: expected {}", expect.words())))
    }

    fn register(
        &mut self,
        node: &mut Node,
        fields: &Fields<'_>,
        path: &str,
        expect: Expect,
    ) -> Result<(), ImportError> {
        match fields.text("id")? {
            Some("") => return Err(fault(&format!("{path}.id"), "an id cannot be empty".into())),
            Some(id) => node.id = id.into(),
            // Given a free id once the whole document is known.
            None if expect == Expect::Root => return Ok(()),
            None => return Err(fault(path, "the node needs an \"id\"".into())),
        }
        if !self.ids.insert(node.id.clone()) {
            return Err(fault(
                &format!("{path}.id"),
                format!("the id {} is there twice: rename one", node.id),
            ));
        }
        Ok(())
    }
}

/// Which nodes may stand at a place of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Root,
    Region,
    Turn,
    Inner,
}

impl Expect {
    fn words(self) -> &'static str {
        match self {
            Expect::Root => "^root",
            Expect::Region => "one of ^sys, ^seq, ^ah",
            Expect::Turn => "a turn (mt or seg)",
            Expect::Inner => "a container or a block",
        }
    }
}
