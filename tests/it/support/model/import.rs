//! Importing a snapshot (R9.3, R2.4): read the whole document, then take its tree as it is.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::canon::content_hash;
use super::fail::{Codes, Fail, Res};
use super::fields;
use super::node::{Class, Life, Node};
use super::tree::Tree;
use super::{Effect, Made, Model};

/// The headers that are no custom attributes.
const HEADERS: [&str; 23] = [
    "id",
    "nodeType",
    "offset",
    "ttl",
    "priority",
    "cycle",
    "created_at_ns",
    "created_at_iso",
    "creation_index",
    "role",
    "kind",
    "key",
    "tags",
    "cad",
    "content",
    "content_hash",
    "provenance",
    "removable",
    "pinned",
    "refs",
    "mime",
    "encoding",
    "children",
];

const INVALID: &str = "E_IMPORT_INVALID";

impl Model {
    pub(super) fn import(&mut self, request: &Value, made: Made<'_>) -> Res<(Value, Effect)> {
        let mut codes = Codes::default();
        fields::only(request, &["snapshot", "messages", "created_at_ns"], &mut codes);
        let cycle = match (request.get("snapshot"), request.get("messages")) {
            (Some(document), None) => self.import_snapshot(document, &mut codes)?,
            (None, Some(messages)) => {
                let given_ns = fields::time(request, &mut codes);
                self.import_messages(messages, given_ns, &mut codes, made)?
            }
            _ => return Err(Fail::one("E_REQUEST_INVALID")),
        };
        Ok((json!({ "cycle": cycle }), Effect::Commit))
    }

    fn import_snapshot(&mut self, document: &Value, codes: &mut Codes) -> Res<i64> {
        if self.is_dirty() {
            codes.add("E_IMPORT_CONFLICT");
        }
        let next = self.state.last_cycle + 1;
        let cycle = match fields::given(document, "cycle").map(Value::as_i64) {
            None | Some(Some(0)) => next,
            Some(Some(cycle)) if cycle >= next => cycle,
            Some(Some(cycle)) => {
                codes.add_all(if cycle < 0 {
                    &["E_IMPORT_CONFLICT", INVALID]
                } else {
                    &["E_IMPORT_CONFLICT"]
                });
                next
            }
            Some(None) => {
                codes.add(INVALID);
                next
            }
        };
        let (v1, births) = (self.v1, self.births());
        let mut reader = Reader { cycle, position: 0, v1, births, nodes: HashMap::new() };
        let read = match document.get("root").and_then(Value::as_object) {
            Some(root) => reader.read(root, None),
            None => Err(Fail::one(INVALID)),
        };
        codes.keep(read);
        // R14.10.
        let known = |version: &Value| {
            let named = version.as_str().unwrap_or_default();
            named.starts_with("PACT/0.1") || named.starts_with("PACT/1.")
        };
        if document.get("spec_version").is_some_and(|version| !known(version)) {
            codes.add(INVALID);
        }
        codes.finish()?;
        let mut tree = Tree { nodes: reader.nodes };
        self.add_missing_regions(&mut tree);
        for node in tree.nodes.values() {
            self.used.insert(node.id.clone());
            self.state.last_ns = self.state.last_ns.max(node.created_at_ns);
        }
        self.replace_tree(tree);
        self.take_snapshot(cycle);
        self.settle();
        Ok(cycle)
    }

    /// Every node that a snapshot ever had, as the newest of them shows it.
    fn births(&self) -> HashMap<String, Node> {
        let mut births = HashMap::new();
        for snapshot in &self.snapshots {
            for node in snapshot.tree.nodes.values() {
                births.insert(node.id.clone(), node.clone());
            }
        }
        births
    }

    /// As a new store has them; the id is the region's word, or the next free variant of it.
    fn add_missing_regions(&self, tree: &mut Tree) {
        let root = tree.region(Class::Root);
        for fresh in Tree::new().nodes.into_values().filter(|node| node.class != Class::Root) {
            if tree.nodes.values().any(|node| node.class == fresh.class) {
                continue;
            }
            let mut node = fresh;
            let (word, mut number) = (node.id.clone(), 2);
            while tree.has(&node.id) || (node.id != word && self.used.contains(&node.id)) {
                node.id = format!("{word}-{number}");
                number += 1;
            }
            node.parent = Some(root.clone());
            tree.insert(node);
        }
    }
}

/// Reads the document node by node, parents first.
struct Reader {
    cycle: i64,
    /// Nodes met so far: the default of creation_index.
    position: i64,
    v1: bool,
    /// Every node of history as its newest snapshot has it.
    births: HashMap<String, Node>,
    nodes: HashMap<String, Node>,
}

impl Reader {
    fn read(&mut self, object: &Map<String, Value>, parent: Option<&Node>) -> Res<()> {
        let children = match object.get("children") {
            None | Some(Value::Null) => None,
            Some(Value::Array(children)) => Some(children),
            Some(_) => return Err(Fail::one(INVALID)),
        };
        let node = self.node(object, parent, children.is_some())?;
        let legal = match (node.class, parent.map(|parent| parent.class)) {
            (Class::Root, None) => true,
            (Class::Sys | Class::Seq | Class::Ah, Some(Class::Root)) => {
                !self.nodes.values().any(|other| other.class == node.class)
            }
            (Class::Turn, Some(Class::Seq)) => node.offset == 0,
            (Class::Block | Class::Container, Some(Class::Turn | Class::Ah)) => {
                let is_core = |node: &Node| node.class == Class::Container && node.offset == 0;
                let is_second = |other: &Node| other.parent == node.parent && is_core(other);
                !(is_core(&node) && self.nodes.values().any(is_second))
            }
            (Class::Block | Class::Container, Some(Class::Sys | Class::Container)) => true,
            _ => false,
        };
        let children = children.map(Vec::as_slice).unwrap_or_default();
        let is_leaf = node.class == Class::Block;
        if !legal || self.nodes.contains_key(&node.id) || (is_leaf && !children.is_empty()) {
            return Err(Fail::one(INVALID));
        }
        self.nodes.insert(node.id.clone(), node.clone());
        for child in children {
            self.read(child.as_object().ok_or(Fail::one(INVALID))?, Some(&node))?;
        }
        Ok(())
    }

    fn node(
        &mut self,
        object: &Map<String, Value>,
        parent: Option<&Node>,
        has_children: bool,
    ) -> Res<Node> {
        let fields = Fields(object);
        let given_type = fields.text("nodeType")?;
        let open = if has_children { Class::Container } else { Class::Block };
        let class = match &given_type {
            Some(given) => Class::of_type(given).unwrap_or(open),
            None if parent.is_none() => Class::Root,
            None => open,
        };
        let word = match (class, self.v1) {
            (Class::Root, _) => "^root",
            (Class::Container, false) => "mc",
            (Class::Container, true) => "cont",
            (_, false) => "cb",
            (_, true) => "block",
        };
        let id = match fields.text("id")? {
            Some(id) if !id.is_empty() => id,
            None if parent.is_none() => "root".to_string(),
            _ => return Err(Fail::one(INVALID)),
        };
        let mut node = Node::new(&id, class, &given_type.unwrap_or(word.to_string()));
        node.parent = parent.map(|parent| parent.id.clone());
        node.offset = fields.integer("offset", i64::MIN, 0)?;
        node.priority = fields.integer("priority", i64::MIN, 0)?;
        // R14.2: what history has keeps its birth.
        let born = self.births.get(&id);
        let usual = |known: fn(&Node) -> i64, default: i64| born.map_or(default, known);
        node.cycle = fields.integer("cycle", 0, usual(|it| it.cycle, self.cycle))?;
        node.created_at_ns = fields.integer("created_at_ns", 0, usual(|it| it.created_at_ns, 0))?;
        let index = usual(|it| it.creation_index, self.position);
        node.creation_index = fields.integer("creation_index", 0, index)?;
        let old_iso = born.and_then(|it| it.created_at_iso.clone());
        let old_iso = old_iso.filter(|_| fields.present("created_at_ns").is_none());
        self.position += 1;
        if fields.present("ttl").is_some() {
            node.life = Some(Life::new(fields.integer("ttl", 0, 0)?, self.cycle));
        }
        node.created_at_iso = fields.text("created_at_iso")?.or(old_iso);
        node.role = fields.header_text("role")?;
        node.kind = fields.header_text("kind")?;
        node.key = fields.header_text("key")?;
        node.tags = fields.texts("tags")?;
        node.refs = fields.texts("refs")?;
        node.content = fields.present("content").cloned();
        node.provenance = fields.header_text("provenance")?.map(Value::String);
        node.mime = fields.header_text("mime")?;
        node.encoding = fields.header_text("encoding")?;
        node.removable = fields.flag("removable")?;
        node.pinned = fields.flag("pinned")?;
        if fields.header("cad").is_some() {
            node.cad = Some(fields.integer("cad", 1, 1)?);
        }
        for (name, value) in object {
            if !HEADERS.contains(&name.as_str()) {
                node.attrs.insert(name.clone(), value.clone());
            }
        }
        let is_block = class == Class::Block;
        let hash = fields.header_text("content_hash")?;
        let wrong_hash = hash.is_some_and(|hash| !is_block || hash != content_hash(&node));
        let moved_region =
            class.is_region() && (node.offset != 0 || node.priority != 0 || node.life.is_some());
        let of_blocks = node.cad.is_some() || node.mime.is_some() || node.encoding.is_some();
        let misplaced = (node.removable && class != Class::Container) || (of_blocks && !is_block);
        match wrong_hash || moved_region || misplaced {
            true => Err(Fail::one(INVALID)),
            false => Ok(node),
        }
    }
}

/// The fields of one object, with the types that they must have.
struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    fn present(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn header(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !fields::is_absent(value))
    }

    fn text_of(value: Option<&Value>) -> Res<Option<String>> {
        match value {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(Fail::one(INVALID)),
        }
    }

    fn text(&self, name: &str) -> Res<Option<String>> {
        Fields::text_of(self.present(name))
    }

    fn header_text(&self, name: &str) -> Res<Option<String>> {
        Fields::text_of(self.header(name))
    }

    fn texts(&self, name: &str) -> Res<Vec<String>> {
        match self.header(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                items.iter().map(|item| item.as_str().map(str::to_string)).collect::<Option<_>>()
            }
            .ok_or(Fail::one(INVALID)),
            Some(_) => Err(Fail::one(INVALID)),
        }
    }

    fn flag(&self, name: &str) -> Res<bool> {
        match self.header(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(Fail::one(INVALID)),
        }
    }

    /// An integer of at least `least`; `usual` if the field is missing.
    fn integer(&self, name: &str, least: i64, usual: i64) -> Res<i64> {
        match self.0.get(name) {
            None => Ok(usual),
            Some(value) => {
                let number = value.as_i64().filter(|number| *number >= least);
                number.ok_or(Fail::one(INVALID))
            }
        }
    }
}
