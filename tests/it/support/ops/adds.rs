//! Adds: every field now and then, and every kind of place.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::picks::{self, Pick, Which, pick, which};
use crate::support::model::Model;

#[derive(Clone, Debug)]
pub(crate) struct Add {
    id: Pick,
    collide: bool,
    to: To,
    shape: Pick,
    offset: Option<i64>,
    ttl: Option<i64>,
    priority: Option<i64>,
    /// Key, and a cadence for it.
    key: Option<(Pick, Option<i64>)>,
    refs: Vec<Which>,
    content: Option<Pick>,
    attrs: Vec<(Pick, Pick)>,
    pinned: bool,
    role: Option<Pick>,
    at: Option<i64>,
}

/// A place to put something.
#[derive(Clone, Debug)]
pub(crate) enum To {
    Head,
    Header,
    Turn(Pick),
    Container(Pick),
    /// The container that was made last.
    Youngest,
    Node(Which),
    /// Depth, offsets below it, and the insertion's kind and number.
    Position(i64, Vec<i64>, Option<(u8, u8)>),
}

pub(super) fn to() -> impl Strategy<Value = To> {
    let depth = prop_oneof![4 => Just(0i64), 2 => Just(-1i64), 2 => 1i64..4];
    let steps = prop_oneof![
        4 => Just(vec![]),
        4 => Just(vec![0]),
        1 => prop::collection::vec(-1i64..2, 1..3),
    ];
    let insertion = prop::option::weighted(0.9, (0u8..4, 1u8..4));
    prop_oneof![
        8 => Just(To::Head),
        4 => Just(To::Header),
        2 => pick().prop_map(To::Turn),
        8 => pick().prop_map(To::Container),
        1 => which().prop_map(To::Node),
        5 => (depth, steps, insertion).prop_map(|(d, steps, at)| To::Position(d, steps, at)),
    ]
}

pub(super) fn add() -> impl Strategy<Value = Add> {
    let key = (pick(), prop::option::of(1i64..4));
    let place = (pick(), prop::bool::weighted(0.04), to(), pick(), prop::option::of(-3i64..4));
    let life = (
        prop::option::weighted(0.5, 0i64..5),
        prop::option::of(-3i64..4),
        prop::option::weighted(0.35, key),
        prop::collection::vec(which(), 0..2),
    );
    let rest = (
        prop::option::weighted(0.7, pick()),
        prop::collection::vec((pick(), pick()), 0..3),
        prop::bool::weighted(0.15),
        prop::option::of(pick()),
        prop::option::weighted(0.3, 0i64..3000),
    );
    (place, life, rest).prop_map(|(place, life, rest)| {
        let (id, collide, to, shape, offset) = place;
        let (ttl, priority, key, refs) = life;
        let (content, attrs, pinned, role, at) = rest;
        Add {
            id,
            collide,
            to,
            shape,
            offset,
            ttl,
            priority,
            key,
            refs,
            content,
            attrs,
            pinned,
            role,
            at,
        }
    })
}

/// A container that goes when it is emptied.
pub(super) fn box_to_empty() -> impl Strategy<Value = Add> {
    (add(), any::<bool>()).prop_map(|(add, in_header)| Add {
        collide: false,
        to: if in_header { To::Header } else { To::Youngest },
        shape: Pick(16 + 11),
        offset: None,
        ..add
    })
}

/// A block in that container that does not stay long.
pub(super) fn brief() -> impl Strategy<Value = Add> {
    (add(), 0i64..3).prop_map(|(add, ttl)| Add {
        collide: false,
        to: To::Youngest,
        shape: Pick(0),
        ttl: Some(ttl),
        ..add
    })
}

impl Add {
    pub(super) fn request(&self, model: &Model) -> Value {
        let id = match self.collide {
            true => picks::pool(self.id.0),
            false => picks::unused(model, self.id.0),
        };
        let mut request = json!({"op": "add", "id": id});
        let is_container = self.shape(&mut request);
        // Some places may be missing.
        let mark = if self.shape.0.is_multiple_of(5) { "?" } else { "" };
        if !matches!(self.to, To::Head) {
            request["to"] = json!(self.to.text(model) + mark);
        }
        let inserts = matches!(self.to, To::Position(_, _, Some(_)));
        // A second core is refused, so most containers in the head stand beside it.
        let usual = (is_container && matches!(self.to, To::Head) && !self.id.0.is_multiple_of(4))
            .then_some(1);
        super::put(&mut request, "offset", self.offset.or(usual).filter(|_| !inserts));
        super::put(&mut request, "ttl", self.ttl);
        super::put(&mut request, "priority", self.priority);
        if let Some((key, cad)) = self.key {
            request["key"] = json!(key.of(&picks::KEYS));
            super::put(&mut request, "cad", cad.filter(|_| !is_container));
        }
        let refs: Vec<String> = self.refs.iter().map(|which| which.id(model)).collect();
        super::put(&mut request, "refs", Some(refs).filter(|refs| !refs.is_empty()));
        super::put(&mut request, "content", self.content.map(|content| content.json()));
        super::put(&mut request, "pinned", self.pinned.then_some(true));
        super::put(&mut request, "role", self.role.map(|role| *role.of(&["user", "tool", ""])));
        let mime =
            self.content.filter(|pick| pick.0 % 5 == 0 && (!is_container || pick.0 % 4 == 0));
        super::put(&mut request, "mime", mime.map(|_| "text/markdown"));
        super::put(&mut request, "encoding", mime.filter(|pick| pick.0 % 2 == 0).map(|_| "base64"));
        super::put(&mut request, "created_at_ns", self.at);
        for (name, value) in &self.attrs {
            request["attrs"][*name.of(&picks::ATTRS)] = value.some_json();
        }
        request
    }

    /// Type and container; says which it is.
    fn shape(&self, request: &mut Value) -> bool {
        let removable = !(self.shape.0 / 16).is_multiple_of(4);
        let (node_type, container) = match self.shape.0 % 16 {
            0..=6 => (None, None),
            7 => (Some("cb"), Some(false)),
            8 => (Some("cb:summary"), None),
            9 => (Some("note"), None),
            10 => (Some("block"), None),
            11 | 12 => (None, Some(true)),
            13 => (Some("mc"), None),
            14 => (Some("cont:plan"), Some(true)),
            _ => (Some("custom:group"), Some(true)),
        };
        super::put(request, "type", node_type);
        super::put(request, "container", container);
        let is_container = container == Some(true) || node_type == Some("mc");
        super::put(request, "removable", (is_container && removable).then_some(true));
        is_container
    }
}

impl To {
    /// The selector or position for `to`.
    pub(super) fn text(&self, model: &Model) -> String {
        match self {
            To::Head => "^ah".to_string(),
            To::Header => "^sys".to_string(),
            To::Turn(pick) => chosen(model, pick, model.turn_ids()),
            To::Container(pick) => chosen(model, pick, model.open_containers()),
            To::Youngest => chosen(model, &Pick(0), model.youngest_container()),
            To::Node(which) => which.selector(model),
            To::Position(depth, steps, insertion) => {
                let mut parts = vec![format!("d{depth}")];
                parts.extend(steps.iter().map(i64::to_string));
                match insertion {
                    None => {
                        // A signed last element would be an insertion.
                        parts.retain(|part| !part.starts_with('-'));
                    }
                    Some((0, _)) => parts.push(String::new()),
                    Some((1, _)) => parts.push("end".to_string()),
                    Some((2, number)) => parts.push(format!("+{number}")),
                    Some((_, number)) => parts.push(format!("-{number}")),
                }
                format!("({})", parts.join(if depth % 2 == 0 { "," } else { ", " }))
            }
        }
    }
}

fn chosen(model: &Model, pick: &Pick, mut ids: Vec<String>) -> String {
    ids.retain(|id| !id.contains(":z"));
    match ids.is_empty() {
        true => "^sys".to_string(),
        false => picks::by_id(model, pick.of::<String>(&ids)),
    }
}
