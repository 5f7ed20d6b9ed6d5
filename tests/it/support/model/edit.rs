//! Setting and removing (R3). Adding is in `add`, moving in `moves`.

use serde_json::{Value, json};

use super::fail::{Codes, Res};
use super::fields;
use super::node::{Class, Life, Node};
use super::selector::{self, Place};
use super::{Effect, Gone, Model};

impl Model {
    pub(super) fn targets(&self, request: &Value, codes: &mut Codes) -> (Vec<String>, bool) {
        let Some(text) = request.get("target").and_then(Value::as_str) else {
            codes.add("E_REQUEST_INVALID");
            return (Vec::new(), true);
        };
        let Some(target) = codes.keep(selector::parse(text, self.v1, Place::Target)) else {
            return (Vec::new(), true);
        };
        let found = selector::resolve(&self.state.tree, &target);
        if found.is_empty() && !target.lenient {
            codes.add("E_NODE_NOT_FOUND");
        }
        (found, target.lenient)
    }

    pub(super) fn set(&mut self, request: &Value) -> Res<(Value, Effect)> {
        let mut codes = Codes::default();
        for name in request.as_object().unwrap().keys() {
            codes.add_all(set_field(name));
        }
        let (targets, _) = self.targets(request, &mut codes);
        for id in &targets {
            let mut node = self.state.tree.get(id).clone();
            if node.class.is_region() {
                codes.add("E_PLACEMENT");
            }
            if self.is_sealed(id) {
                codes.add("E_SEALED");
            }
            self.apply_set(&mut node, request, &mut codes);
            let revives = fields::header(request, "cad").is_some();
            if revives && node.key.as_ref().and_then(|key| self.state.ended.get(key)) == Some(id) {
                // Choice 9: a cad set anew starts an ended cadence again.
                self.state.ended.remove(node.key.as_ref().unwrap());
            }
            self.leave_family(&node);
            self.state.tree.insert(node);
        }
        if targets.is_empty() {
            // The fields are looked at even when nothing matches.
            let mut nobody = Node::new("", Class::Block, "cb");
            nobody.key = Some(String::new());
            self.apply_set(&mut nobody, request, &mut codes);
        }
        codes.finish()?;
        let effect = if targets.is_empty() { Effect::Nothing } else { Effect::Edit };
        Ok((json!({ "ids": targets }), effect))
    }

    /// Choice 7: the newest instance of a key that gets another key counts as removed from its old family.
    pub(super) fn leave_family(&mut self, after: &Node) {
        let newest: Vec<Node> = self
            .all_keys()
            .iter()
            .filter_map(|key| self.newest_instance(key))
            .map(|(node, _)| node.clone())
            .collect();
        for before in newest {
            if before.id == after.id && before.key != after.key {
                let ghost = format!("{}\u{0}{:?}", before.id, before.key);
                self.state.gone.insert(ghost, Gone { node: before, by_edit: true });
            }
        }
    }

    fn apply_set(&self, node: &mut Node, request: &Value, codes: &mut Codes) {
        let has = |name: &str| request.get(name).is_some();
        if has("content") {
            node.content = fields::given(request, "content").cloned();
        }
        if has("ttl") {
            let ttl = fields::integer(fields::given(request, "ttl"), 0, codes);
            node.life = ttl.map(|ttl| Life::new(ttl, self.state.last_cycle + 1));
        }
        if has("priority") {
            let priority = fields::integer(fields::given(request, "priority"), i64::MIN, codes);
            node.priority = priority.unwrap_or(0);
        }
        if has("key") {
            node.key = fields::text(request, "key", codes);
        }
        if has("tags") {
            node.tags = fields::texts(request, "tags", codes);
        }
        if has("pinned") {
            node.pinned = fields::flag(request, "pinned", codes);
        }
        if has("cad") {
            node.cad = fields::integer(fields::header(request, "cad"), 1, codes);
        }
        let touched = has("cad") || has("key");
        if touched && node.cad.is_some() && (node.class != Class::Block || node.key.is_none()) {
            codes.add("E_ATTR_INVALID");
        }
        if has("mime") {
            node.mime = fields::text(request, "mime", codes);
        }
        if has("encoding") {
            node.encoding = fields::text(request, "encoding", codes);
        }
        if node.class != Class::Block && (node.mime.is_some() || node.encoding.is_some()) {
            codes.add("E_ATTR_INVALID");
        }
        if has("refs") {
            node.refs = fields::texts(request, "refs", codes);
            if node.refs.iter().any(|to| !self.state.tree.has(to)) {
                codes.add("E_NODE_NOT_FOUND");
            }
        }
        for (name, value) in fields::attrs(request, codes) {
            match value {
                Value::Null => node.attrs.remove(&name),
                _ => node.attrs.insert(name, value),
            };
        }
    }

    pub(super) fn remove(&mut self, request: &Value) -> Res<(Value, Effect)> {
        let mut codes = Codes::default();
        fields::only(request, &["target", "force"], &mut codes);
        let force = match fields::given(request, "force") {
            None => false,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                codes.add_all(&["E_REQUEST_INVALID", "E_ATTR_INVALID"]);
                false
            }
        };
        let (targets, _) = self.targets(request, &mut codes);
        let tree = &self.state.tree;
        let mut roots = targets.clone();
        roots.retain(|id| !targets.iter().any(|top| top != id && tree.is_within(id, top)));
        for id in &targets {
            let class = tree.get(id).class;
            if class.is_region() || class == Class::Turn {
                codes.add("E_PLACEMENT");
            } else if self.is_sealed(id) && self.is_in_core(id) {
                codes.add("E_SEALED");
            }
        }
        // Choice 16: what goes in the same edit does not hold anything back.
        let goes = |id: &str| roots.iter().any(|root| tree.is_within(id, root));
        let held = |id: &str| goes(id) && tree.is_referenced(id, |from| !goes(&from.id));
        if !force && tree.nodes.keys().any(|id| held(id)) {
            codes.add("E_REFERENCED");
        }
        codes.finish()?;
        for root in &roots {
            self.bury(root, true);
        }
        let effect = if roots.is_empty() { Effect::Nothing } else { Effect::Edit };
        Ok((json!({ "ids": roots }), effect))
    }

    /// The core of its turn, something in it, or a block of an implied core (choice 17).
    fn is_in_core(&self, id: &str) -> bool {
        let tree = &self.state.tree;
        let Some(turn) = tree.turn_of(id) else { return false };
        let node = tree.get(id);
        match tree.core_of(&turn) {
            Some(core) => tree.is_within(id, &core),
            None => node.parent.as_ref() == Some(&turn) && node.offset == 0,
        }
    }
}

/// The codes for a field of `set`, none for one that may be set.
fn set_field(name: &str) -> &'static [&'static str] {
    match name {
        "op" | "rid" | "target" | "content" | "ttl" | "priority" | "key" | "tags" | "cad"
        | "pinned" | "refs" | "mime" | "encoding" | "attrs" => &[],
        "id" | "nodeType" | "cycle" | "created_at_ns" | "created_at_iso" | "creation_index"
        | "role" | "kind" | "removable" | "offset" | "parent" => &["E_ATTR_RESERVED"],
        "type" | "provenance" | "content_hash" | "children" | "container" => {
            &["E_ATTR_RESERVED", "E_REQUEST_INVALID"]
        }
        _ => &["E_REQUEST_INVALID"],
    }
}
