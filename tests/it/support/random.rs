//! Random stores over a small vocabulary, so that the random selectors often match.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::memory::Memory;
use pactdb::internals::change::{Add, Parent, Set};
use pactdb::json::parse;
use pactdb::{Generation, Json};
use proptest::prelude::*;

mod selectors;

pub use selectors::{
    any_filter, at_every_state, at_one_state, filtered_step, over_a_range, timeless,
};

/// One thing that happens to a store. Numbers choose among what is there.
#[derive(Debug, Clone)]
pub enum Happening {
    Say { look: u8, ttl: Option<u8> },
    Attach { at: u8, offset: i8, look: u8, ttl: Option<u8>, container: bool },
    Set { which: u8, what: u8 },
    Move { which: u8, to: u8, offset: i8 },
    Remove { which: u8 },
    Commit,
}

pub fn happenings(most: usize) -> impl Strategy<Value = Vec<Happening>> {
    let ttl = || prop_oneof![3 => Just(None), 1 => (0u8..4).prop_map(Some)];
    let one = prop_oneof![
        3 => (any::<u8>(), ttl()).prop_map(|(look, ttl)| Happening::Say { look, ttl }),
        3 => (any::<u8>(), -2i8..3, any::<u8>(), ttl(), any::<bool>()).prop_map(
            |(at, offset, look, ttl, container)| Happening::Attach { at, offset, look, ttl, container }
        ),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(which, what)| Happening::Set { which, what }),
        1 => (any::<u8>(), any::<u8>(), -2i8..3)
            .prop_map(|(which, to, offset)| Happening::Move { which, to, offset }),
        1 => any::<u8>().prop_map(|which| Happening::Remove { which }),
        3 => Just(Happening::Commit),
    ];
    prop::collection::vec(one, 0..most)
}

const LOOKS: [(&str, &str, &str, &str); 8] = [
    ("cb", "user", "", ""),
    ("cb", "assistant", "note", "K"),
    ("cb:note", "", "", "K"),
    ("summary", "tool", "summary", ""),
    ("block", "user", "", "L"),
    ("custom:note", "", "note", ""),
    ("log.entry", "tool", "", ""),
    ("cb:log.entry", "", "note", "K"),
];

/// Custom attributes of every JSON type.
const VALUES: [&str; 14] = [
    "1",
    "\"1\"",
    "1.0",
    "1.5",
    "\"x\"",
    "true",
    "false",
    "\"true\"",
    "[1,\"x\"]",
    "{\"b\":1,\"a\":null}",
    "12345678901234567890123",
    "-2",
    "1e300",
    "\"é\"",
];

/// The store that comes of it: an imported tree with implied cores, or an empty one, and then
/// what happens. Edits that are refused are left out.
pub fn store(generation: Generation, imported: bool, happenings: &[Happening]) -> Memory {
    let mut memory = Memory::new(generation);
    if imported {
        memory.import(&parse(IMPORTED).unwrap());
    }
    let mut ids: Vec<String> = ["ah", "sys", "t1", "t2", "c1", "i1"].map(String::from).to_vec();
    for (i, happening) in happenings.iter().enumerate() {
        let pick = |n: u8| ids[usize::from(n) % ids.len()].clone();
        match happening {
            Happening::Say { look, ttl } => {
                let add = looking(i, *look, *ttl, false);
                if memory.add(Add { parent: Parent::HeadCore, ..add }).is_ok() {
                    ids.push(format!("n{i}"));
                }
            }
            Happening::Attach { at, offset, look, ttl, container } => {
                let parent = Parent::Node(pick(*at).as_str().into());
                let add = looking(i, *look, *ttl, *container);
                let offset = Some(i64::from(*offset));
                if memory.add(Add { parent, offset, ..add }).is_ok() {
                    ids.push(format!("n{i}"));
                }
            }
            Happening::Set { which, what } => {
                let _ = memory.set(setting(vec![pick(*which).as_str().into()], *what));
            }
            Happening::Move { which, to, offset } => {
                let _ = memory.relocate(&pick(*which), &pick(*to), i64::from(*offset));
            }
            Happening::Remove { which } => {
                let _ = memory.remove(&pick(*which));
            }
            Happening::Commit => {
                let cycle = memory.commit();
                ids.push(format!(
                    "{}:{cycle}",
                    if generation == Generation::V0_1 { "mt" } else { "seg" }
                ));
            }
        }
    }
    memory
}

fn looking(i: usize, look: u8, ttl: Option<u8>, container: bool) -> Add {
    let (node_type, role, kind, key) = LOOKS[usize::from(look) % LOOKS.len()];
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let mut add = Add {
        id: Some(format!("n{i}")),
        node_type: Some(node_type.into()),
        role: text(role),
        kind: text(kind),
        ttl: ttl.map(i64::from),
        ..Add::default()
    };
    if container {
        add.node_type = Some(if look.is_multiple_of(2) { "mc:box" } else { "summary" }.into());
        add.container = Some(true);
        add.removable = look.is_multiple_of(3);
        return add;
    }
    add.key = text(key);
    add.content = Some(Json::from(format!("text {}", look % 5)));
    add.tags = if look.is_multiple_of(4) { vec!["audit".into()] } else { vec![] };
    if look.is_multiple_of(5) {
        add.attrs.insert("data_n".into(), Json::Int(i64::from(look % 3)));
    }
    if look.is_multiple_of(3) {
        let any = VALUES[usize::from(look / 3) % VALUES.len()];
        add.attrs.insert("data_any".into(), parse(any).unwrap());
    }
    add.pinned = look % 11 == 3;
    if add.key.is_some() && look % 7 == 2 {
        add.cad = Some(1 + i64::from(look % 2));
    }
    add
}

fn setting(targets: Vec<pactdb::internals::model::Id>, what: u8) -> Set {
    let mut set = Set { targets, ..Set::default() };
    match what % 8 {
        0 => set.ttl = Some(Some(i64::from(what % 4))),
        1 => set.priority = Some(i64::from(what % 3)),
        2 => set.content = Some(Some(Json::from(format!("text {}", what % 5)))),
        3 => set.key = Some(Some(if what.is_multiple_of(2) { "K" } else { "L" }.into())),
        4 => set.tags = Some(vec!["audit".into()]),
        5 => set.mime = Some((!what.is_multiple_of(3)).then(|| format!("text/{}", what % 3))),
        // Sets none against an empty text: the hash is the same.
        6 => set.content = Some((!what.is_multiple_of(3)).then(|| Json::from(""))),
        _ => set.ttl = Some(None),
    }
    set
}

const IMPORTED: &str = r#"{"cycle": 2, "root": {"id": "root", "children": [
  {"id": "sys", "nodeType": "^sys", "key": "L", "children": [
    {"id": "s1", "nodeType": "cb", "role": "system", "key": "K", "tags": ["1", "b"], "provenance": "made up", "mime": "text/plain", "encoding": "base64", "x": null, "data_x": 1},
    {"id": "s2", "nodeType": "block:note", "offset": 3, "priority": 7, "data_any": "10", "content": {"b": [1.50, "é"], "a": true}},
    {"id": "s3", "nodeType": "cb", "offset": -4, "data_any": false, "data_n": "2", "content": 5, "refs": ["s1"], "cad": 2, "ttl": 9}]},
  {"id": "seq", "nodeType": "^seq", "tags": ["audit"], "children": [
    {"id": "t1", "nodeType": "mt", "children": [
      {"id": "i0", "nodeType": "cb", "offset": -1, "ttl": 3},
      {"id": "i1", "nodeType": "cb", "role": "user", "ttl": 2, "content": "text 1"},
      {"id": "i2", "nodeType": "cb:note", "role": "assistant", "key": "K"},
      {"id": "g1", "nodeType": "summary", "offset": 2, "children": [{"id": "i3", "nodeType": "cb", "offset": 1, "n": 2, "data_n": 1, "data_x": "x"}]}]},
    {"id": "t2", "nodeType": "mt:note", "children": [
      {"id": "c1", "nodeType": "mc", "children": [
        {"id": "i4", "nodeType": "cb", "role": "user"},
        {"id": "i5", "nodeType": "cb", "kind": "note"}]}]}]},
  {"id": "ah", "nodeType": "^ah", "children": [
    {"id": "i6", "nodeType": "cb", "role": "user", "key": "K"},
    {"id": "i7", "nodeType": "cb", "offset": 1}]}]}}"#;
