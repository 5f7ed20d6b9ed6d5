//! Reading: times (R5), exports (R9.2) and provider threads (R9.5).

use serde_json::{Value, json};

use super::canon::canonical;
use super::fail::{Codes, Fail, Res, UNSUPPORTED};
use super::fields;
use super::node::{Class, Node};
use super::tree::Tree;
use super::{Model, Snapshot};

/// A state that can be read: the working state or a snapshot.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) tree: &'a Tree,
    /// The cycle that it shows: for the working state the last commit's.
    pub(crate) cycle: i64,
    pub(crate) is_working: bool,
}

impl View<'_> {
    /// R5.1: the cycles that remain.
    pub(crate) fn ttl(&self, node: &Node) -> Option<i64> {
        let life = node.life?;
        let now = if self.is_working { self.cycle.max(life.base) } else { self.cycle };
        Some((life.expires_at - now).max(0))
    }

    fn node(&self, node: &Node) -> Value {
        let mut object = node.json(self.ttl(node));
        if node.class != Class::Block {
            let children = self.tree.children(&node.id);
            let children: Vec<Value> = children.into_iter().map(|node| self.node(node)).collect();
            object.insert("children".into(), json!(children));
        }
        Value::Object(object)
    }
}

impl Model {
    /// The working state.
    pub(super) fn working(&self) -> View<'_> {
        View { tree: &self.state.tree, cycle: self.state.last_cycle, is_working: true }
    }

    /// The state at a time: null, `@cN` or `@tN` (R5.2).
    pub(super) fn view(&self, at: Option<&Value>) -> Res<View<'_>> {
        let text = match at {
            None | Some(Value::Null) => return Ok(self.working()),
            Some(Value::String(text)) => text.trim(),
            Some(_) => return Err(Fail::one("E_REQUEST_INVALID")),
        };
        let number = |rest: &str| rest.parse::<i64>().map_err(|_| Fail::one("E_SELECTOR_INVALID"));
        let found = if let Some(rest) = text.strip_prefix("@c") {
            let cycle = number(rest)?;
            self.snapshots.iter().find(|snapshot| snapshot.cycle == cycle)
        } else if let Some(rest) = text.strip_prefix("@t") {
            let back = -number(rest)?;
            if self.v1 && back == 0 {
                return Ok(self.working());
            }
            let back = if self.v1 { back - 1 } else { back };
            let back = usize::try_from(back).ok();
            back.and_then(|back| self.snapshots.iter().rev().nth(back))
        } else {
            return Err(Fail::one("E_SELECTOR_INVALID"));
        };
        let found = found.ok_or(Fail::one("E_SNAPSHOT_NOT_FOUND"))?;
        Ok(Model::of_snapshot(found))
    }

    pub(super) fn of_snapshot(snapshot: &Snapshot) -> View<'_> {
        View { tree: &snapshot.tree, cycle: snapshot.cycle, is_working: false }
    }

    /// The canonical bytes of an export.
    pub(crate) fn export_bytes(&self, at: Option<&str>) -> Option<String> {
        let at = at.map(|at| json!(at));
        self.view(at.as_ref()).ok().map(|view| canonical(&self.export_view(view)))
    }

    fn export_view(&self, view: View<'_>) -> Value {
        let root = view.tree.get(&view.tree.region(Class::Root));
        let spec = if self.v1 { "PACT/1.0.0" } else { "PACT/0.1.0" };
        json!({"cycle": view.cycle, "root": view.node(root), "spec_version": spec})
    }

    pub(super) fn export(&self, request: &Value) -> Res<Value> {
        let mut codes = Codes::default();
        fields::only(request, &["at"], &mut codes);
        codes.finish()?;
        // Through its bytes, so that numbers have their canonical text.
        let bytes = canonical(&self.export_view(self.view(request.get("at"))?));
        Ok(serde_json::from_str(&bytes).unwrap())
    }

    /// The exact bytes of a provider thread.
    pub(crate) fn thread_bytes(&self, at: Option<&str>) -> Option<String> {
        let at = at.map(|at| json!(at));
        self.view(at.as_ref()).ok().map(|view| self.thread_view(view))
    }

    fn thread_view(&self, view: View<'_>) -> String {
        let mut messages = Vec::new();
        for id in view.tree.preorder() {
            let node = view.tree.get(&id);
            if node.class != Class::Block {
                continue;
            }
            let in_header = view.tree.region_of(&id) == Class::Sys;
            let usual = if in_header { "system" } else { "user" };
            let usual = (!self.v1).then(|| usual.to_string());
            let role = node.role.clone().or(usual).map(Value::String);
            let parts = [
                ("id", Some(json!(id))),
                ("role", role),
                ("kind", node.kind.clone().map(Value::String)),
                ("content", Some(node.content.clone().unwrap_or(json!("")))),
            ];
            let parts: Vec<String> = parts
                .into_iter()
                .filter_map(|(name, value)| Some(format!("\"{name}\":{}", canonical(&value?))))
                .collect();
            messages.push(format!("{{{}}}", parts.join(",")));
        }
        format!("[{}]", messages.join(","))
    }

    pub(super) fn thread(&self, request: &Value) -> Res<Value> {
        let mut codes = Codes::default();
        fields::only(request, &["at", "format"], &mut codes);
        match fields::given(request, "format").map(|value| value.as_str()) {
            None | Some(Some("thread")) => {}
            Some(Some("openai" | "anthropic")) => codes.add(UNSUPPORTED),
            Some(_) => codes.add("E_REQUEST_INVALID"),
        }
        codes.finish()?;
        let bytes = self.thread_view(self.view(request.get("at"))?);
        Ok(serde_json::from_str(&bytes).unwrap())
    }
}
