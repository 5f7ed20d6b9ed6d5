//! Choices by number: nodes that exist, names from small pools, times, JSON values.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::model::Model;

/// Keys are few, so that instances of one key meet.
pub(super) const KEYS: [&str; 4] = ["k1", "k2", "k3", "clef \u{e9}"];

/// Legal names of custom attributes.
pub(super) const ATTRS: [&str; 4] = ["data_a", "content_b", "x:y", "data_\u{e9}"];

/// A number that becomes a choice when there is something to choose from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pick(pub(crate) u16);

pub(super) fn pick() -> impl Strategy<Value = Pick> {
    any::<u16>().prop_map(Pick)
}

impl Pick {
    pub(super) fn of<'a, T>(&self, items: &'a [T]) -> &'a T {
        &items[self.0 as usize % items.len()]
    }

    /// Any living node.
    pub(super) fn any_id(&self, model: &Model) -> String {
        self.of(&known(model)).clone()
    }

    /// A value that is hard on number, string and order handling.
    pub(super) fn json(&self) -> Value {
        let text = self.of(&[
            "\"text\"",
            "\"\"",
            "\"caf\u{e9} \u{1f600} \\u0007\\u007f \\\"q\\\" \\\\\"",
            "1",
            "1.0",
            "1e16",
            "1E-7",
            "-0.0",
            "0.1",
            "1791770295115023.25",
            "123456789012345678901234567890",
            "1234567890.12345678901234567890",
            "true",
            "false",
            "{\"b\":[1,{\"z\":null,\"a\":2.50}],\"a\":{},\"\u{e9}\":\"x\",\"Z\":[]}",
            "[]",
            "\"a longer text, with some forty bytes in it\"",
            "null",
        ]);
        serde_json::from_str(text).unwrap()
    }

    /// The same without null.
    pub(super) fn some_json(&self) -> Value {
        Some(self.json()).filter(|value| !value.is_null()).unwrap_or(json!("not null"))
    }
}

/// The living ids that both sides know: not the ones that a look ahead made up.
fn known(model: &Model) -> Vec<String> {
    let mut ids = model.ids();
    ids.retain(|id| !id.contains(":z"));
    ids
}

/// Which node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Which {
    /// One that an edit may change.
    Open(Pick),
    Any(Pick),
    /// An id of the pool, alive or not.
    Pool(Pick),
}

pub(super) fn which() -> impl Strategy<Value = Which> {
    prop_oneof![
        7 => pick().prop_map(Which::Open),
        2 => pick().prop_map(Which::Any),
        1 => pick().prop_map(Which::Pool),
    ]
}

impl Which {
    pub(super) fn id(&self, model: &Model) -> String {
        match self {
            Which::Open(pick) => {
                let mut ids = known(model);
                ids.retain(|id| model.is_open(id));
                if ids.is_empty() { pick.any_id(model) } else { pick.of(&ids).clone() }
            }
            Which::Any(pick) => pick.any_id(model),
            Which::Pool(pick) => pool(pick.0),
        }
    }

    pub(super) fn selector(&self, model: &Model) -> String {
        by_id(model, &self.id(model))
    }
}

pub(super) fn list(model: &Model, which: &[Which], lenient: bool) -> String {
    let items: Vec<String> = which.iter().map(|which| which.selector(model)).collect();
    items.join(", ") + if lenient { "?" } else { "" }
}

/// A selector for an id: bare where that is possible.
pub(super) fn by_id(model: &Model, id: &str) -> String {
    let escaped = id.replace('\\', "\\\\").replace('\'', "\\'");
    let bare = id.chars().all(|c| c.is_ascii_alphanumeric());
    match (model.is_v1(), bare, id.len() % 2) {
        (false, true, _) => format!("#{id}"),
        (false, false, 0) => format!("#'{escaped}'"),
        (_, _, 0) => format!("{{id='{escaped}'}}"),
        _ => format!("[id='{escaped}']"),
    }
}

/// Names for added nodes; a few are awkward.
pub(super) fn pool(number: u16) -> String {
    match number % 200 {
        7 => "it's".to_string(),
        13 => "na\u{ef}ve \u{1f600}".to_string(),
        23 => "cb:x-1_y".to_string(),
        31 => "a\\b, (c)".to_string(),
        n => format!("n{n}"),
    }
}

/// The first name of the pool, from a number on, that was never used.
pub(super) fn unused(model: &Model, from: u16) -> String {
    let names = (0..200).map(|step| pool((from % 200) + step));
    let mut names = names.filter(|name| !model.is_used(name));
    names.next().unwrap_or_else(|| format!("more{}", model.used_count()))
}

/// A moment: the working state, a snapshot that exists, or one that does not.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Time {
    Working,
    Cycle(Pick),
    Back(u8),
    Nowhere,
}

pub(super) fn time() -> impl Strategy<Value = Time> {
    prop_oneof![
        3 => Just(Time::Working),
        5 => pick().prop_map(Time::Cycle),
        3 => (0u8..4).prop_map(Time::Back),
        1 => Just(Time::Nowhere),
    ]
}

impl Time {
    pub(super) fn address(&self, model: &Model) -> Value {
        match self {
            Time::Working => Value::Null,
            Time::Cycle(pick) if !model.cycles().is_empty() => {
                json!(format!("@c{}", pick.of(&model.cycles())))
            }
            Time::Back(0) => json!("@t0"),
            Time::Back(back) => json!(format!("@t-{back}")),
            Time::Cycle(_) | Time::Nowhere => json!("@c9999"),
        }
    }

    /// The same, with the working state replaced by the newest snapshot.
    pub(super) fn snapshot(&self, model: &Model) -> Value {
        let newest = model.cycles().last().map_or(9999, |cycle| *cycle);
        match self {
            Time::Working => json!(format!("@c{newest}")),
            Time::Back(0) if model.is_v1() => json!(format!("@c{newest}")),
            _ => self.address(model),
        }
    }
}
