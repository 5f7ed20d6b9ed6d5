//! `:has(…)` and `:not(…)` over time and on large trees: a node comes and goes with what lies below it
//! though it stays the same itself, and no tree makes the question more than linear.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::memory::Memory;
use pactdb::internals::change::{Add, Parent};
use pactdb::internals::query::{explain, select, select_whole};
use pactdb::{Dialect, Generation, SelectOptions, Selected};
use serde_json::json;

fn answer(memory: &Memory, text: &str) -> Selected {
    let options = SelectOptions::default();
    let planned = select(memory, text, Dialect::V0_1, &options).unwrap();
    let whole = select_whole(memory, text, Dialect::V0_1, &options).unwrap();
    assert_eq!(planned, whole, "{text}");
    planned
}

fn ids(memory: &Memory, text: &str) -> Vec<String> {
    answer(memory, text).ids().iter().map(|id| id.to_string()).collect()
}

/// What each pair of neighbours has and the other has not, newest first.
fn came_and_went(memory: &Memory, text: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let Selected::Range(range) = answer(memory, text) else { panic!("{text} is no range") };
    let list = |ids: &serde_json::Value| serde_json::from_value(ids.clone()).unwrap();
    let diffs = json!(range.diffs);
    let diffs = diffs.as_array().unwrap().iter();
    diffs.map(|diff| (list(&diff["added_ids"]), list(&diff["removed_ids"]))).collect()
}

/// A container in `^sys` that never changes: what lies in it comes with cycle 2 and goes with cycle 4. A
/// turn gets a remark in cycle 3, and its first block expires.
fn store() -> Memory {
    let mut memory = Memory::new(Generation::V0_1);
    let below = |parent: &str, id: &str, node_type: &str| Add {
        parent: Parent::Node(parent.into()),
        id: Some(id.into()),
        node_type: Some(node_type.into()),
        ..Add::default()
    };
    memory.add(below("sys", "box", "mc")).unwrap();
    memory.add(below("box", "inner", "mc")).unwrap();
    let brief = Add { id: Some("brief".into()), ttl: Some(2), ..Add::default() };
    memory.add(brief).unwrap();
    memory.say("u1", "user", "hello");
    memory.commit();
    memory.add(below("inner", "note", "cb")).unwrap();
    memory.commit();
    let remark =
        Add { offset: Some(1), role: Some("tool".into()), ..below("mt:1", "remark", "cb") };
    memory.add(remark).unwrap();
    memory.commit();
    memory.remove("note").unwrap();
    memory.commit();
    memory
}

#[test]
fn a_node_comes_and_goes_with_what_lies_below_it() {
    let memory = store();
    let none = Vec::<String>::new;
    let some = |ids: &[&str]| ids.iter().map(|id| id.to_string()).collect::<Vec<_>>();
    let has = "@c1..@c4 ^sys .mc:has(.cb)";
    assert_eq!(
        came_and_went(&memory, has),
        [(none(), some(&["box", "inner"])), (none(), none()), (some(&["box", "inner"]), none())]
    );
    let not = "@c1..@c4 ^sys .mc:not(:has(.cb))";
    assert_eq!(
        came_and_went(&memory, not),
        [(some(&["box", "inner"]), none()), (none(), none()), (none(), some(&["box", "inner"]))]
    );
    // In turns, which a range compares by the turn index where it can.
    let tool = came_and_went(&memory, "@c1..@c4 .mt:has(> .cb[role='tool'])");
    assert_eq!(tool[1], (some(&["mt:1"]), none()));
    let brief = came_and_went(&memory, "@c1..@c4 .mt:has(#brief)");
    assert_eq!(brief[1], (none(), some(&["mt:1"])));
    // A lifetime that counts down below a node that has none.
    let due = came_and_went(&memory, "@c1..@c4 .mt:has([ttl<=1])");
    assert_eq!((&due[1], &due[2]), (&(none(), some(&["mt:1"])), &(some(&["mt:1"]), none())));
}

#[test]
fn the_root_comes_and_goes_with_what_lies_anywhere() {
    let memory = store();
    let top = came_and_went(&memory, "@c1..@c4 ^root:has(#note)");
    let root = vec!["root".to_owned()];
    assert_eq!(top, [(vec![], root.clone()), (vec![], vec![]), (root, vec![])]);
    assert_eq!(ids(&memory, "@* ^seq:has(.cb[role='tool']) > .mt:last"), ["mt:4", "mt:3"]);
}

#[test]
fn every_snapshot_is_asked_for_what_lies_below() {
    let memory = store();
    assert_eq!(ids(&memory, "@t0 .mc:has(#note)"), Vec::<String>::new());
    assert_eq!(ids(&memory, "@* .mc:has(#note)"), ["box", "inner"]);
    assert_eq!(ids(&memory, "@* #box:has(.cb)"), ["box"]);
    assert_eq!(ids(&memory, "@* #box:not(:has(.cb))"), ["box"]);
    assert_eq!(ids(&memory, "@* .mt:has([ttl=2])"), ["mt:1"]);
    assert_eq!(ids(&memory, "@* .mt:has(.cb:depth(1)):not(:has(.cb[role='tool']))"), ["mt:1"]);
    assert_eq!(ids(&memory, "@* .mt:has(.cb[age>2])"), ["mt:1"]);
    assert_eq!(ids(&memory, "@* .mt:has(.cb[age=1]):not(:depth(1))"), ["mt:1"]);
}

#[test]
fn what_is_read_of_each_further_snapshot_is_said() {
    let memory = store();
    for (text, again) in [
        ("@* .mt:has(.cb)", "of each further snapshot only what changed"),
        ("@* ^seq:has(.cb) .mt", "of each further snapshot only what changed"),
        ("@* .cb:last, .cb[content~'a']", "of each further snapshot only what changed"),
        ("@* .mt:has(.cb[age<2])", "of each further snapshot as much again"),
        ("@* .mc:first", "of each further snapshot as much again"),
    ] {
        let explained = explain(&memory, text, Dialect::V0_1).unwrap();
        assert_eq!(explained.reads.last().unwrap(), again, "{text}");
    }
}

/// Evaluated for each node on its own, the last of these would try every choice of twenty containers out
/// of fifty, which does not come to an end here.
#[test]
fn deep_and_wide_trees_are_looked_at_once() {
    let mut memory = Memory::new(Generation::V0_1);
    let below = |parent: &str, id: String, node_type: &str| Add {
        parent: Parent::Node(parent.into()),
        id: Some(id),
        node_type: Some(node_type.into()),
        ..Add::default()
    };
    let mut parent = "sys".to_owned();
    for level in 0..50 {
        let id = format!("c{level}");
        memory.add(below(&parent, id.clone(), "mc")).unwrap();
        for wide in 0..20 {
            memory.add(below(&id, format!("b{level}-{wide}"), "cb")).unwrap();
        }
        parent = id;
    }
    let nested = format!(".mc{}{}", ":has(.mc".repeat(20), ")".repeat(20));
    for (text, count) in [
        (".mc:has(.cb)", 50),
        (".mc:has(> .mc)", 49),
        (".mc:has(#b49-0)", 50),
        (".mc:not(:has(.mc .mc .mc))", 3),
        (".mc:has(:core :core .cb)", 50),
        (nested.as_str(), 30),
    ] {
        let found = select(&memory, text, Dialect::V0_1, &SelectOptions::default()).unwrap();
        assert_eq!(found.ids().len(), count, "{text}");
    }
}
