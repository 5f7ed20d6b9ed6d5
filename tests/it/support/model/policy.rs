//! Policies: what `policy` accepts and shows.

use serde_json::{Value, json};

use super::fail::{Codes, Res};
use super::fields;
use super::node::Class;
use super::{Effect, Model};

#[derive(Clone, Debug)]
pub(crate) struct Policy {
    pub(crate) region: Option<Class>,
    pub(crate) max_blocks: Option<i64>,
    pub(crate) max_bytes: Option<i64>,
    pub(crate) max_tokens: Option<i64>,
    pub(crate) max_turns: Option<i64>,
    pub(crate) max_nodes: Option<i64>,
    pub(crate) protect: i64,
    /// As it was given, nulls left out.
    shown: Value,
}

impl Model {
    pub(super) fn policy(&mut self, request: &Value) -> Res<(Value, Effect)> {
        let mut codes = Codes::default();
        fields::only(request, &["set"], &mut codes);
        let effect = match fields::given(request, "set") {
            None => Effect::Nothing,
            Some(Value::Array(items)) => {
                self.state.policies = items.iter().map(|item| read(item, &mut codes)).collect();
                Effect::Policy
            }
            Some(_) => {
                codes.add_all(&["E_REQUEST_INVALID", "E_ATTR_INVALID"]);
                Effect::Nothing
            }
        };
        codes.finish()?;
        let shown: Vec<&Value> = self.state.policies.iter().map(|policy| &policy.shown).collect();
        Ok((json!(shown), effect))
    }
}

fn read(item: &Value, codes: &mut Codes) -> Policy {
    let names = [
        "region",
        "max_blocks",
        "max_bytes",
        "max_tokens",
        "max_turns",
        "max_nodes",
        "protect_recent_turns",
    ];
    let mut wrong = !item.is_object();
    let mut shown = item.clone();
    if let Some(map) = shown.as_object_mut() {
        map.retain(|_, value| !value.is_null());
        wrong |= map.keys().any(|name| !names.contains(&name.as_str()));
    }
    let region = match fields::given(item, "region").map(|value| value.as_str()) {
        None => None,
        Some(Some("^sys")) => Some(Class::Sys),
        Some(Some("^seq")) => Some(Class::Seq),
        Some(Some("^ah")) => Some(Class::Ah),
        Some(_) => {
            wrong = true;
            None
        }
    };
    let mut amount = |name: &str| {
        let value = fields::given(item, name)?;
        let number = value.as_i64().filter(|number| *number >= 0);
        wrong |= number.is_none();
        number
    };
    let policy = Policy {
        region,
        max_blocks: amount("max_blocks"),
        max_bytes: amount("max_bytes"),
        max_tokens: amount("max_tokens"),
        max_turns: amount("max_turns"),
        max_nodes: amount("max_nodes"),
        protect: amount("protect_recent_turns").unwrap_or(0),
        shown,
    };
    if wrong {
        codes.add_all(&["E_REQUEST_INVALID", "E_ATTR_INVALID"]);
    }
    policy
}
