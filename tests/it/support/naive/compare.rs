//! Attributes and their comparison (R6.5), in the order of the rules.

use super::Reader;
use super::number::{compare_numbers, is_number};
use super::types::node_type_equals;
use crate::support::model::canon::canonical;
use pactdb::Dialect;
use pactdb::language::ast::{Op, Test, TestKind, ValueKind};
use pactdb::limits::MAX_PATTERN_BYTES;
use regex::{Regex, RegexBuilder};
use serde_json::{Value, json};
use std::cmp::Ordering;

const NUMERIC: [&str; 11] = [
    "offset",
    "ttl",
    "priority",
    "cycle",
    "created_at_ns",
    "creation_index",
    "cad",
    "depth",
    "sdepth",
    "age",
    "born_turn",
];

const STRINGS: [&str; 11] = [
    "id",
    "nodeType",
    "type",
    "role",
    "kind",
    "key",
    "created_at_iso",
    "content_hash",
    "provenance",
    "mime",
    "encoding",
];

impl Reader<'_> {
    pub(crate) fn test_holds(&self, node: usize, test: &Test) -> bool {
        let name = test.name.text.as_str();
        if name == "kind" && self.dialect == Dialect::V0_1 {
            return self.kinds_hold(node, &test.kind);
        }
        let value = self.attribute(node, name);
        match &test.kind {
            TestKind::Present if name == "ephemeral" || name == "sticky" => {
                let (ttl, cad) = (self.attribute(node, "ttl"), self.attribute(node, "cad"));
                let cad_fits = if name == "sticky" { cad == json!(1) } else { cad.is_null() };
                !ttl.is_null() && cad_fits
            }
            TestKind::Present => !value.is_null(),
            // The opposites hold exactly where these do not.
            TestKind::Compare(Op::NotMatch, with) => {
                !self.compares(node, name, &value, Op::Match, &with.kind)
            }
            TestKind::NotIn(list) => {
                !list.iter().any(|with| self.compares(node, name, &value, Op::Eq, &with.kind))
            }
            TestKind::Compare(op, with) => self.compares(node, name, &value, *op, &with.kind),
            TestKind::In(list) => {
                list.iter().any(|with| self.compares(node, name, &value, Op::Eq, &with.kind))
            }
        }
    }

    /// R14.5: in 0.1 a filter on `kind` tests a set, and null is the empty one.
    fn kinds_hold(&self, node: usize, kind: &TestKind) -> bool {
        let it = &self.tree.nodes[node];
        let mut kinds: Vec<String> =
            it.get("kind").as_str().map(str::to_owned).into_iter().collect();
        for base in ["mt:", "seg:", "mc:", "cont:", "cb:", "block:"] {
            let node_type = it.object["nodeType"].as_str().unwrap();
            kinds.extend(node_type.strip_prefix(base).map(str::to_owned));
        }
        let some = |op: Op, with: &ValueKind| match with {
            ValueKind::Null => op == Op::Eq && kinds.is_empty(),
            _ if op == Op::Match => {
                kinds.iter().any(|kind| pattern(text_of(with)).unwrap().is_match(kind))
            }
            _ => kinds.iter().any(|kind| holds(op, Some(kind.as_str().cmp(text_of(with))))),
        };
        match kind {
            TestKind::Present => !kinds.is_empty(),
            TestKind::Compare(Op::Ne, with) => !some(Op::Eq, &with.kind),
            TestKind::Compare(Op::NotMatch, with) => !some(Op::Match, &with.kind),
            TestKind::NotIn(list) => !list.iter().any(|with| some(Op::Eq, &with.kind)),
            TestKind::Compare(op, with) => some(*op, &with.kind),
            TestKind::In(list) => list.iter().any(|with| some(Op::Eq, &with.kind)),
        }
    }

    /// The value of an attribute; what is unknown is null.
    pub(crate) fn attribute(&self, node: usize, name: &str) -> Value {
        let it = &self.tree.nodes[node];
        if it.implied {
            return match name {
                "type" => it.get("nodeType"),
                _ => it.get(name),
            };
        }
        match name {
            "tag" => it.get("tags"),
            "type" => {
                let node_type = it.object["nodeType"].as_str().unwrap();
                json!(node_type.rsplit(':').next())
            }
            "depth" => json!(it.depth),
            "sdepth" => json!(it.edges),
            "born_turn" => it.get("cycle"),
            "age" => json!(self.tree.now - it.object["cycle"].as_i64().unwrap()),
            _ if !it.object.contains_key(name) && may_be_short(name) => {
                it.get(&format!("data_{name}"))
            }
            _ => it.get(name),
        }
    }

    fn compares(&self, node: usize, name: &str, value: &Value, op: Op, with: &ValueKind) -> bool {
        if value.is_null() || *with == ValueKind::Null {
            let both = value.is_null() && *with == ValueKind::Null;
            return (op == Op::Eq && both) || (op == Op::Ne && !both);
        }
        let with_text = text_of(with);
        if op == Op::Match {
            let pattern = pattern(with_text).unwrap();
            return match value {
                Value::Array(tags) if name == "tag" => {
                    tags.iter().any(|tag| pattern.is_match(&shown(tag)))
                }
                _ => pattern.is_match(&shown(value)),
            };
        }
        if NUMERIC.contains(&name) {
            let number = !matches!(with, ValueKind::Word(_)) && is_number(with_text);
            return match number {
                true => holds(op, compare_numbers(&shown(value), with_text)),
                false => op == Op::Ne,
            };
        }
        if name == "nodeType" && matches!(op, Op::Eq | Op::Ne) {
            return node_type_equals(self, node, with_text) == (op == Op::Eq);
        }
        if STRINGS.contains(&name) {
            return holds(op, Some(value.as_str().unwrap().cmp(with_text)));
        }
        if name == "tag" {
            let tags = value.as_array().unwrap();
            let some =
                |op| tags.iter().any(|tag| holds(op, Some(shown(tag).as_str().cmp(with_text))));
            return if op == Op::Ne { !some(Op::Eq) } else { some(op) };
        }
        if value.is_boolean() {
            return holds(op, Some(shown(value).as_str().cmp(with_text)));
        }
        let plain = shown(value);
        let number = |text: &str| is_number(text);
        match op {
            Op::Eq | Op::Ne => {
                let equal = match (value, with) {
                    (Value::Number(_), ValueKind::Number(_)) => {
                        compare_numbers(&plain, with_text) == Some(Ordering::Equal)
                    }
                    (Value::Number(_), _) | (_, ValueKind::Number(_)) => false,
                    _ => plain == with_text,
                };
                equal == (op == Op::Eq)
            }
            _ if (value.is_number() || (value.is_string() && number(&plain)))
                && number(with_text) =>
            {
                holds(op, compare_numbers(&plain, with_text))
            }
            _ => holds(op, Some(plain.as_str().cmp(with_text))),
        }
    }
}

/// R14.11: whether a name is neither a header nor derived, and does not say whose it is.
fn may_be_short(name: &str) -> bool {
    let header = NUMERIC.contains(&name)
        || STRINGS.contains(&name)
        || ["tag", "tags", "content", "removable", "pinned", "refs", "parent", "children"]
            .contains(&name);
    !header && !name.starts_with("data_") && !name.starts_with("content_") && !name.contains(':')
}

/// A regular expression, bounded in size as the engine says it is.
pub(crate) fn pattern(text: &str) -> Option<Regex> {
    RegexBuilder::new(text).size_limit(MAX_PATTERN_BYTES).build().ok()
}

/// The text of a value as it was written.
pub(crate) fn text_of(value: &ValueKind) -> &str {
    match value {
        ValueKind::Text(text) | ValueKind::Word(text) | ValueKind::Number(text) => text,
        ValueKind::Null => "null",
    }
}

/// The text of a value: a string is its own, anything else its canonical JSON.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => canonical(other),
    }
}

fn holds(op: Op, order: Option<Ordering>) -> bool {
    let Some(order) = order else { return op == Op::Ne };
    match op {
        Op::Eq => order == Ordering::Equal,
        Op::Ne => order != Ordering::Equal,
        Op::Lt => order == Ordering::Less,
        Op::Le => order != Ordering::Greater,
        Op::Gt => order == Ordering::Greater,
        Op::Ge => order != Ordering::Less,
        Op::Match | Op::NotMatch => false,
    }
}
