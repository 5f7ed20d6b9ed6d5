//! Random stores and random selectors over a small vocabulary, so that selectors often match.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::memory::Memory;
use pactdb::change::{Add, Parent, Set};
use pactdb::json::{Json, parse};
use pactdb::model::{Class, Generation};
use proptest::prelude::*;
use proptest::sample::select;

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

const LOOKS: [(&str, &str, &str, &str); 6] = [
    ("cb", "user", "", ""),
    ("cb", "assistant", "note", "K"),
    ("cb:note", "", "", "K"),
    ("summary", "tool", "summary", ""),
    ("block", "user", "", "L"),
    ("custom:note", "", "note", ""),
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
                let id = pick(*which);
                let block = memory.tree().get(&id).unwrap();
                let what = match block.is_some_and(|node| node.class == Class::Block) {
                    true => *what,
                    // A container has no content.
                    false => what - what % 6,
                };
                let _ = memory.set(setting(vec![id.as_str().into()], what));
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
    add
}

fn setting(targets: Vec<pactdb::model::Id>, what: u8) -> Set {
    let mut set = Set { targets, ..Set::default() };
    match what % 6 {
        0 => set.ttl = Some(Some(i64::from(what % 4))),
        1 => set.priority = Some(i64::from(what % 3)),
        2 => set.content = Some(Some(Json::from(format!("text {}", what % 5)))),
        3 => set.key = Some(Some(if what.is_multiple_of(2) { "K" } else { "L" }.into())),
        4 => set.tags = Some(vec!["audit".into()]),
        _ => set.ttl = Some(None),
    }
    set
}

const IMPORTED: &str = r#"{"cycle": 2, "root": {"id": "root", "children": [
  {"id": "sys", "nodeType": "^sys", "key": "L", "children": [
    {"id": "s1", "nodeType": "cb", "role": "system", "key": "K"}]},
  {"id": "seq", "nodeType": "^seq", "tags": ["audit"], "children": [
    {"id": "t1", "nodeType": "mt", "children": [
      {"id": "i0", "nodeType": "cb", "offset": -1, "ttl": 3},
      {"id": "i1", "nodeType": "cb", "role": "user", "ttl": 2, "content": "text 1"},
      {"id": "i2", "nodeType": "cb:note", "role": "assistant", "key": "K"},
      {"id": "g1", "nodeType": "summary", "offset": 2, "children": [{"id": "i3", "nodeType": "cb", "offset": 1}]}]},
    {"id": "t2", "nodeType": "mt", "children": [
      {"id": "c1", "nodeType": "mc", "children": [
        {"id": "i4", "nodeType": "cb", "role": "user"},
        {"id": "i5", "nodeType": "cb", "kind": "note"}]}]}]},
  {"id": "ah", "nodeType": "^ah", "children": [
    {"id": "i6", "nodeType": "cb", "role": "user", "key": "K"},
    {"id": "i7", "nodeType": "cb", "offset": 1}]}]}}"#;

fn piece(list: &'static [&'static str]) -> impl Strategy<Value = String> {
    select(list).prop_map(str::to_owned)
}

fn types() -> impl Strategy<Value = String> {
    piece(&[
        ".cb",
        ".cb",
        ".mc",
        ".mt",
        ".seg",
        ".block",
        ".note",
        ".summary",
        ".cb:note",
        ".mc:box",
        ".sys",
        ".custom:note",
        ".mt:note",
        "*",
        "*",
    ])
}

fn filters() -> impl Strategy<Value = String> {
    piece(&[
        "[role='user']",
        "[role!='user']",
        "{role in ['user','assistant']}",
        "[key='K']",
        "[key='L']",
        "[key]",
        "[ttl<=1]",
        "[ttl]",
        "[ttl=null]",
        "[offset=0]",
        "[offset>0]",
        "[priority>=1]",
        "+audit",
        "[tag!='audit']",
        "[data_n=1]",
        "[data_n<2]",
        "[kind='note']",
        "[nodeType='cb']",
        "[nodeType!='cb']",
        "[nodeType='cb:note']",
        "[nodeType='cb'][kind='note']",
        "[ephemeral]",
        "[content~'[12]']",
        "[id in ['n1','n3','t1','root']]",
        "{id='n2'}",
        "[cycle<=3]",
        "[type='cb']",
        "[creation_index=0]",
    ])
}

fn pseudos() -> impl Strategy<Value = String> {
    piece(&[
        ":pre",
        ":core",
        ":post",
        ":first",
        ":last",
        ":nth(2)",
        ":depth(0)",
        ":depth(1-2)",
        ":depth(<1)",
        ":depth(>=2)",
        ":depth(-1,1)",
    ])
}

fn compound() -> impl Strategy<Value = String> {
    let ids = piece(&["#n1", "#n4", "#t1", "#c1", "#i1", "#K", "#'mt:3'", "#root"]);
    let head = prop_oneof![
        5 => types(),
        1 => ids,
        1 => piece(&["^root", "^sys", "^seq", "^ah"]),
        2 => filters(),
        1 => pseudos(),
    ];
    let rest = prop::collection::vec(prop_oneof![2 => filters(), 1 => pseudos()], 0..2);
    (head, rest).prop_map(|(head, rest)| format!("{head}{}", rest.concat()))
}

fn step() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => compound(),
        1 => piece(&[":pre", ":core", ":post"]),
        1 => piece(&["d0", "d1", "d1..d3", "depth(-1,2)", "depth(>1)"]),
    ]
}

/// A step that does not begin with a filter, for behind white space.
fn later_step() -> impl Strategy<Value = String> {
    step().prop_map(|step| match step.starts_with(['{', '[', '+']) {
        true => format!("*{step}"),
        false => step,
    })
}

fn position() -> impl Strategy<Value = String> {
    let hop = prop_oneof![
        2 => piece(&["0", "-1", "1", "2"]),
        3 => piece(&["cb", "mc", "*", "mc[offset=0]", "cb[role='user']", "*:first", "cb:last", "summary"]),
        2 => piece(&["*:cb", "*:mc", "*:cb[role='user']:first", "*:note"]),
    ];
    let depth = piece(&["d0", "d1", "d-1", "d1..d3", "depth(>=1)", "depth(0,2)"]);
    (depth, any::<bool>(), prop::collection::vec(hop, 0..3)).prop_map(|(depth, turn, hops)| {
        let turn = if turn { ", seg" } else { "" };
        let hops: String = hops.iter().map(|hop| format!(", {hop}")).collect();
        format!("({depth}{turn}{hops})")
    })
}

fn chain() -> impl Strategy<Value = String> {
    let links = || {
        let link = (piece(&[" ", " > "]), later_step());
        prop::collection::vec(link.prop_map(|(join, step)| join + &step), 0..3)
    };
    let detached = || {
        prop::option::weighted(
            0.2,
            piece(&[" {role='user'}", " +audit", " {key='K'}", " {offset=0}"]),
        )
    };
    let flat = (step(), links()).prop_map(|(step, links)| step + &links.concat());
    let nested = (step(), links(), detached())
        .prop_filter("a depth in front makes a position", |(step, ..)| !step.starts_with('d'))
        .prop_map(|(step, links, detached)| {
            format!("( {step}{}{} )", links.concat(), detached.unwrap_or_default())
        });
    let pair = (position(), position()).prop_map(|(a, b)| format!("({a}, {b})"));
    let nested = prop_oneof![2 => nested, 2 => position(), 1 => pair];
    let nested = (nested, links()).prop_map(|(head, links)| head + &links.concat());
    (prop_oneof![4 => flat, 1 => nested], detached())
        .prop_map(|(chain, detached)| chain + &detached.unwrap_or_default())
}

/// A selector without a time.
pub fn timeless() -> impl Strategy<Value = String> {
    let group = (chain(), prop::option::weighted(0.15, chain())).prop_map(|(a, b)| match b {
        Some(b) => format!("{a} ?? {b}"),
        None => a,
    });
    let groups = (group, prop::option::weighted(0.15, chain())).prop_map(|(a, b)| match b {
        Some(b) => format!("{a}, {b}"),
        None => a,
    });
    let controls = prop_oneof![
        5 => Just(String::new()),
        1 => piece(&[" @limit=1", " @limit=2", " @skip=1 @limit=2", " @first", " @order=recent", " @order=id @limit=2", " @order=recent @limit=3"]),
    ];
    (groups, controls).prop_map(|(groups, controls)| groups + &controls)
}

/// A selector at one state.
pub fn at_one_state() -> impl Strategy<Value = String> {
    let derived =
        piece(&["", "", " {age<2}", " {depth>=1}", " {sdepth=3}", " {born_turn=1}", " {depth!=2}"]);
    let timed =
        (piece(&["@t0 ", "@t-1 ", "@c3 "]), chain(), derived).prop_map(|(time, chain, derived)| {
            // Also as a filter of the step in front, where an implied core may pass it.
            match chain.contains(".mc > ") {
                true => {
                    format!("{time}{}{derived}", chain.replacen(".mc > ", ".mc[depth!=2] > ", 1))
                }
                false => time + &chain + &derived,
            }
        });
    prop_oneof![3 => timeless(), 2 => timed]
}

/// A selector over every snapshot.
pub fn at_every_state() -> impl Strategy<Value = String> {
    timeless().prop_map(|selector| format!("@* {selector}"))
}

/// A selector over a range.
pub fn over_a_range() -> impl Strategy<Value = String> {
    let time = piece(&["@history ", "@t-3..@t0 ", "@c2..@c5 ", "@t-1..@t-4 ", "@c3..@c3 "]);
    let mode = piece(&["", "", "", " @mode=latest"]);
    (time, timeless(), mode).prop_map(|(time, selector, mode)| time + &selector + &mode)
}
