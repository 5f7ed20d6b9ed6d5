//! Moving (R3.4), and where a node lands that is put under a parent: the core and its making (R1.4).

use serde_json::{Value, json};

use super::fail::{Codes, Res};
use super::fields;
use super::node::{Class, Node};
use super::selector::{self, Place};
use super::{Effect, Model};

impl Model {
    pub(super) fn relocate(&mut self, request: &Value) -> Res<(Value, Effect)> {
        let mut codes = Codes::default();
        fields::only(request, &["target", "to", "offset", "created_at_ns"], &mut codes);
        let given_ns = fields::time(request, &mut codes);
        let offset = fields::integer(fields::given(request, "offset"), i64::MIN, &mut codes);
        let (targets, lenient) = self.targets(request, &mut codes);
        let to = match fields::given(request, "to") {
            Some(Value::String(text)) => codes.keep(selector::parse(text, self.v1, Place::MoveTo)),
            _ => {
                codes.add("E_REQUEST_INVALID");
                None
            }
        };
        if targets.is_empty() && lenient {
            codes.finish()?;
            return Ok((json!({"ids": []}), Effect::Nothing));
        }
        if let Some(to) = &to
            && to.lenient
            && selector::resolve(&self.state.tree, to).is_empty()
        {
            codes.finish()?;
            return Ok((json!({"ids": []}), Effect::Nothing));
        }
        let parent = to.and_then(|to| codes.keep(self.one_parent(&to)));
        for id in &targets {
            let class = self.state.tree.get(id).class;
            if class.is_region() || class == Class::Turn {
                codes.add("E_PLACEMENT");
            }
            if self.is_sealed(id) {
                codes.add("E_SEALED");
            }
            if parent.as_ref().is_some_and(|parent| self.state.tree.is_within(parent, id)) {
                codes.add("E_CYCLE_DETECTED");
            }
        }
        let Some(parent) = parent else { return Err(codes.finish().unwrap_err()) };
        for id in &targets {
            self.move_one(id, &parent, offset, given_ns, &mut codes);
        }
        codes.finish()?;
        Ok((json!({ "ids": targets }), Effect::Edit))
    }

    fn move_one(
        &mut self,
        id: &str,
        parent: &str,
        offset: Option<i64>,
        given_ns: Option<i64>,
        codes: &mut Codes,
    ) {
        let mut node = self.state.tree.get(id).clone();
        node.offset = offset.unwrap_or(node.offset);
        if self.region_of(id) != self.region_of(parent) {
            // R14.4: what the newest snapshot has stays in its region.
            let newest = self.snapshots.last();
            let committed = |id: &String| newest.is_some_and(|newest| newest.tree.has(id));
            if self.state.tree.subtree(id).iter().any(committed) {
                codes.add("E_PLACEMENT");
            }
        }
        let had_core = self.has_head_core();
        let landing = self.landing(parent, &node, given_ns, codes);
        if codes.is_clean() {
            let moved = self.state.tree.get_mut(id);
            moved.offset = node.offset;
            moved.parent = landing;
            self.gather_if_new(had_core);
        }
    }

    /// The region that a node is in, or is.
    fn region_of(&self, id: &str) -> Option<Class> {
        let mut next = Some(id.to_string());
        while let Some(id) = next {
            let node = self.state.tree.get(&id);
            if node.class.is_region() {
                return Some(node.class);
            }
            next = node.parent.clone();
        }
        None
    }

    /// The parent that a node really gets: the named one, or the core of the head at offset 0.
    pub(super) fn landing(
        &mut self,
        parent: &str,
        node: &Node,
        given_ns: Option<i64>,
        codes: &mut Codes,
    ) -> Option<String> {
        let core = self.state.tree.core_of(parent).filter(|core| *core != node.id);
        let at_zero = node.offset == 0;
        match self.state.tree.get(parent).class {
            Class::Root | Class::Seq => codes.add("E_PLACEMENT"),
            Class::Block => codes.add("E_PARENT_NOT_CONTAINER"),
            Class::Turn if at_zero => {
                codes.add("E_SEALED");
                if node.class == Class::Container && core.is_some() {
                    codes.add("E_PLACEMENT");
                }
            }
            Class::Ah if at_zero && node.class == Class::Container && core.is_some() => {
                codes.add("E_PLACEMENT");
            }
            Class::Container if self.is_sealed(parent) => codes.add("E_SEALED"),
            Class::Ah if at_zero && node.class == Class::Block && codes.is_clean() => {
                return Some(self.head_core(given_ns));
            }
            _ => {}
        }
        Some(parent.to_string())
    }

    /// The core of the active head, made now if there is none.
    pub(super) fn head_core(&mut self, given_ns: Option<i64>) -> String {
        let head = self.state.tree.region(Class::Ah);
        if let Some(core) = self.state.tree.core_of(&head) {
            return core;
        }
        let word = self.word(Class::Container);
        let id = self.numbered(word, self.state.last_cycle + 1);
        let mut core = Node::new(&id, Class::Container, word);
        core.parent = Some(head);
        self.create(core, given_ns);
        self.gather(&id);
        id
    }

    pub(super) fn has_head_core(&self) -> bool {
        self.state.tree.core_of(&self.state.tree.region(Class::Ah)).is_some()
    }

    /// If the head had no core and now has one, the blocks of its implied core go into it. Blocks beside a core that
    /// was there already (an import can bring that) stay where they are.
    pub(super) fn gather_if_new(&mut self, had_core: bool) {
        let head = self.state.tree.region(Class::Ah);
        if let (false, Some(core)) = (had_core, self.state.tree.core_of(&head)) {
            self.gather(&core);
        }
    }

    /// Moves the offset-0 blocks beside a core into it.
    pub(super) fn gather(&mut self, core: &str) {
        let parent = self.state.tree.get(core).parent.clone();
        for node in self.state.tree.nodes.values_mut() {
            if node.parent == parent && node.class == Class::Block && node.offset == 0 {
                node.parent = Some(core.to_string());
            }
        }
    }
}
