//! Adding (R3, R1.2): what the new node is, where it goes, and who gives way.

use serde_json::{Value, json};

use super::fail::{Codes, Fail, Res};
use super::fields;
use super::node::{Class, Life, Node};
use super::selector::{self, Place, Selector, Step};
use super::{Effect, Made, Model, insert};

const ADD_FIELDS: [&str; 21] = [
    "to",
    "type",
    "container",
    "id",
    "role",
    "kind",
    "key",
    "tags",
    "ttl",
    "cad",
    "offset",
    "priority",
    "content",
    "refs",
    "pinned",
    "removable",
    "provenance",
    "mime",
    "encoding",
    "attrs",
    "created_at_ns",
];

impl Model {
    pub(super) fn add(&mut self, request: &Value, made: Made<'_>) -> Res<(Value, Effect)> {
        let mut codes = Codes::default();
        fields::only(request, &ADD_FIELDS, &mut codes);
        let given_ns = fields::time(request, &mut codes);
        let form = codes.finish();
        let had_core = self.has_head_core();
        let mut node = self.draft(request, &mut codes);
        let to = match fields::given(request, "to") {
            None => codes.keep(selector::parse("^ah", self.v1, Place::AddTo)),
            Some(Value::String(text)) => codes.keep(selector::parse(text, self.v1, Place::AddTo)),
            Some(_) => {
                codes.add("E_REQUEST_INVALID");
                None
            }
        };
        if let Some(to) = &to {
            let before = (self.state.clone(), self.used.clone());
            self.name_core(to, given_ns);
            if to.lenient && selector::resolve(&self.state.tree, to).is_empty() {
                // R14.8: nothing happens, and nothing but the form of the request is judged.
                (self.state, self.used) = before;
                form?;
                return Ok((json!({ "id": null }), Effect::Nothing));
            }
            let parent = codes.keep(self.one_parent(to));
            let insertion = to.position().and_then(|position| position.insertion);
            if insertion.is_some() && fields::given(request, "offset").is_some() {
                codes.add("E_ATTR_INVALID");
            }
            if let (Some(parent), Some(insertion)) = (&parent, insertion) {
                node.offset = self.make_room(parent, insertion, &mut codes);
            }
            if let Some(parent) = parent {
                node.parent = self.landing(&parent, &node, given_ns, &mut codes);
            }
        }
        codes.finish()?;
        if node.id.is_empty() {
            let prefix = self.word(node.class);
            node.id = self.fresh(prefix, made);
        }
        let id = node.id.clone();
        self.create(node, given_ns);
        self.gather_if_new(had_core);
        Ok((json!({ "id": id }), Effect::Edit))
    }

    /// The node that an add describes, without a place; an empty id means "choose one".
    fn draft(&self, request: &Value, codes: &mut Codes) -> Node {
        let (class, node_type) = self.new_type(request, codes);
        let mut node = Node::new("", class, &node_type);
        match fields::given(request, "id") {
            None => {}
            Some(Value::String(id)) if !id.is_empty() => {
                if fields::is_numbered_shape(id) {
                    codes.add("E_ATTR_RESERVED");
                }
                if self.used.contains(id) {
                    codes.add("E_NODE_EXISTS");
                }
                node.id = id.clone();
            }
            Some(_) => codes.add_all(&["E_ATTR_INVALID", "E_REQUEST_INVALID"]),
        }
        node.role = fields::text(request, "role", codes);
        node.kind = fields::text(request, "kind", codes);
        node.key = fields::text(request, "key", codes);
        node.tags = fields::texts(request, "tags", codes);
        node.provenance = fields::text(request, "provenance", codes).map(Value::String);
        node.mime = fields::text(request, "mime", codes);
        node.encoding = fields::text(request, "encoding", codes);
        if class != Class::Block && (node.mime.is_some() || node.encoding.is_some()) {
            codes.add("E_ATTR_INVALID");
        }
        let ttl = fields::integer(fields::given(request, "ttl"), 0, codes);
        node.life = ttl.map(|ttl| Life::new(ttl, self.state.last_cycle + 1));
        node.cad = fields::integer(fields::header(request, "cad"), 1, codes);
        node.offset =
            fields::integer(fields::given(request, "offset"), i64::MIN, codes).unwrap_or(0);
        node.priority =
            fields::integer(fields::given(request, "priority"), i64::MIN, codes).unwrap_or(0);
        node.content = fields::given(request, "content").cloned();
        node.refs = fields::texts(request, "refs", codes);
        node.pinned = fields::flag(request, "pinned", codes);
        node.removable = fields::flag(request, "removable", codes);
        node.attrs = fields::attrs(request, codes);
        node.attrs.retain(|_, value| !value.is_null());
        if node.refs.iter().any(|to| !self.state.tree.has(to)) {
            codes.add("E_NODE_NOT_FOUND");
        }
        let wants_cad = fields::header(request, "cad").is_some();
        if wants_cad && (class != Class::Block || fields::header(request, "key").is_none()) {
            codes.add("E_ATTR_INVALID");
        }
        if node.removable && class == Class::Block {
            codes.add("E_ATTR_INVALID");
        }
        node
    }

    /// R1.2 for a created node.
    fn new_type(&self, request: &Value, codes: &mut Codes) -> (Class, String) {
        let container = match fields::given(request, "container") {
            None => None,
            Some(Value::Bool(flag)) => Some(*flag),
            Some(_) => {
                codes.add_all(&["E_ATTR_INVALID", "E_REQUEST_INVALID"]);
                None
            }
        };
        let open = if container == Some(true) { Class::Container } else { Class::Block };
        let node_type = match fields::given(request, "type") {
            None => return (open, self.word(open).to_string()),
            Some(Value::String(text)) if !text.is_empty() => text.clone(),
            Some(_) => {
                codes.add_all(&["E_ATTR_INVALID", "E_REQUEST_INVALID"]);
                return (open, self.word(open).to_string());
            }
        };
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let parts: Vec<&str> = node_type.split([':', '.']).collect();
        if parts.iter().any(|part| part.is_empty() || !part.chars().all(letter)) {
            codes.add("E_ATTR_INVALID");
        }
        let class = match Class::of_type(&node_type) {
            None => open,
            Some(class @ (Class::Block | Class::Container)) => {
                if container.is_some_and(|flag| flag != (class == Class::Container)) {
                    codes.add("E_ATTR_INVALID");
                }
                class
            }
            Some(_) => {
                codes.add("E_PLACEMENT");
                open
            }
        };
        (class, node_type)
    }

    /// A position that goes through the core of the head makes it (R13).
    fn name_core(&mut self, to: &Selector, given_ns: Option<i64>) {
        let Some(position) = to.position().filter(|position| position.depth == 0) else { return };
        let first = position.steps.iter().find(|step| **step != Step::Itself);
        if matches!(first, Some(Step::Core | Step::Offset(0))) {
            self.head_core(given_ns);
        }
    }

    /// The one node that `to` names.
    pub(super) fn one_parent(&self, to: &Selector) -> Res<String> {
        let mut found = selector::resolve(&self.state.tree, to);
        match found.len() {
            0 => Err(Fail::one("E_INVALID_PARENT")),
            1 => Ok(found.remove(0)),
            _ => Err(Fail::one("E_AMBIGUOUS")),
        }
    }

    /// Shifts the children that are in the way of an insertion and gives the offset that is free then.
    fn make_room(
        &mut self,
        parent: &str,
        insertion: selector::Insertion,
        codes: &mut Codes,
    ) -> i64 {
        let class = self.state.tree.get(parent).class;
        let mut kids: Vec<(Option<String>, i64)> = Vec::new();
        for node in self.state.tree.children(parent) {
            kids.push((Some(node.id.clone()), node.offset));
        }
        if class == Class::Ah && self.state.tree.core_of(parent).is_none() {
            // Choice 20: the head counts as having a core, and what lies at 0 as being in it.
            kids.retain(|(_, offset)| *offset != 0);
            let at = kids.iter().filter(|(_, offset)| *offset < 0).count();
            kids.insert(at, (None, 0));
        }
        let offsets: Vec<i64> = kids.iter().map(|(_, offset)| *offset).collect();
        let owns_zero = matches!(class, Class::Ah | Class::Turn);
        let spot = match insert::spot(&offsets, insertion, owns_zero) {
            Ok(spot) => spot,
            Err(fail) => {
                let between_sealed =
                    class == Class::Turn && !fail.codes.contains(&"E_NODE_NOT_FOUND");
                codes.add_all(if between_sealed { &["E_SEALED"] } else { &fail.codes });
                return 1;
            }
        };
        for (index, offset) in spot.shifts {
            let id = kids[index].0.clone().unwrap();
            if self.is_sealed(&id) {
                codes.add("E_SEALED");
            }
            self.state.tree.get_mut(&id).offset = offset;
        }
        spot.offset
    }
}
