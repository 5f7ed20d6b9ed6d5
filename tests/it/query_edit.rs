//! Selectors in edits: targets, and the places that new nodes go to (R3.5, R13).

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::memory::Memory;
use pactdb::internals::change::{Add, Insert, Parent};
use pactdb::internals::query::{Moment, Timeline, resolve_parent, resolve_place, resolve_target};
use pactdb::language::{parse_place, parse_target};
use pactdb::{Dialect, Generation};

fn moment(memory: &Memory) -> Moment<'_> {
    let tree = memory.tree().clone();
    Moment::working(tree, memory.last_cycle(), memory.generation(), memory.contents())
}

fn target(memory: &Memory, text: &str) -> String {
    let target = parse_target(text, Dialect::V0_1).unwrap();
    match resolve_target(&target, Dialect::V0_1, &moment(memory)) {
        Ok(ids) => ids.join(" "),
        Err(error) => format!("! {}", error.code),
    }
}

fn place(memory: &Memory, text: &str) -> String {
    let read = match parse_place(text, Dialect::V0_1) {
        Ok(read) => read,
        Err(error) => return format!("! {}", error.code),
    };
    match resolve_place(&read, Dialect::V0_1, &moment(memory)) {
        Ok(Some((Parent::HeadCore, insert))) => format!("the head's core{}", show(insert)),
        Ok(Some((Parent::Node(id), insert))) => format!("{id}{}", show(insert)),
        Ok(None) => "nowhere".to_owned(),
        Err(error) => format!("! {}", error.code),
    }
}

fn parent(memory: &Memory, text: &str) -> String {
    let read = parse_place(text, Dialect::V0_1).unwrap();
    match resolve_parent(&read, Dialect::V0_1, &moment(memory)) {
        Ok(Some(id)) => id.to_string(),
        Ok(None) => "nowhere".to_owned(),
        Err(error) => format!("! {}", error.code),
    }
}

fn show(insert: Option<Insert>) -> String {
    insert.map_or(String::new(), |insert| format!(" {insert:?}"))
}

fn check(cases: &[(&str, &str)], answer: impl Fn(&str) -> String) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(text, expected)| {
            let got = answer(text);
            (got != *expected).then(|| format!("{text}: expected {expected}, got {got}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn rich() -> Memory {
    let file = std::fs::read_to_string("fixtures/golden/rich.json").unwrap();
    Memory::of(Generation::V0_1, &[&file])
}

#[test]
fn targets() {
    let memory = rich();
    let cases = [
        (".mt .cb[role='user']", "u1 u2"),
        ("[key='K'] @limit=2", "h2 k3"),
        ("#zzz", "! E_NODE_NOT_FOUND"),
        ("#zzz?", ""),
        ("#zzz ?? #u1?", "u1"),
        ("^ah > .mc", "! E_NODE_NOT_FOUND"),
        (".cb[age=0]", "! E_SELECTOR_INVALID"),
    ];
    check(&cases, |text| target(&memory, text));
}

#[test]
fn places_in_an_imported_head_without_a_core() {
    let memory = rich();
    let cases = [
        ("^ah", "ah"),
        ("#c1", "c1"),
        ("(d0, seg, mc[offset=0], end)", "the head's core End"),
        ("(d0, mc, )", "the head's core Start"),
        ("(d0, 0)", "the head's core"),
        ("^ah > .mc", "the head's core"),
        ("^ah .mc[offset=0]", "the head's core"),
        ("(d0, end)", "ah End"),
        ("(d0, +1)", "ah After(1)"),
        ("(d0, -2)", "ah Before(2)"),
        ("(d0, -1, +1)", "pre After(1)"),
        ("(d2, mc, end)", "! E_INVALID_PARENT"),
        ("(d3, mc, end)", "! E_AMBIGUOUS"),
        ("(d3, mc:first, end)", "c1 End"),
        ("#zzz", "! E_INVALID_PARENT"),
        (".mc", "! E_AMBIGUOUS"),
        ("[key='K'] @limit=1", "h2"),
        (".mc @skip=4", "the head's core"),
        ("(d0, mc[age=1], end)", "! E_SELECTOR_INVALID"),
        ("@t0 ^ah", "! E_SELECTOR_INVALID"),
        ("^ah?", "ah"),
        ("#zzz?", "nowhere"),
        ("#zzz ?? #c1?", "c1"),
        (".mc?", "! E_AMBIGUOUS"),
        ("(d2, mc, end)?", "nowhere"),
        ("(d0, mc, end)?", "the head's core End"),
        ("(d3, mc, end)?", "! E_AMBIGUOUS"),
        ("#zzz??", "! E_SELECTOR_INVALID"),
        ("?", "! E_SELECTOR_INVALID"),
    ];
    check(&cases, |text| place(&memory, text));
    let cases = [
        ("^ah", "ah"),
        ("^ah > .mc", "! E_INVALID_PARENT"),
        (".mt", "! E_AMBIGUOUS"),
        ("(d0, end)", "! E_SELECTOR_INVALID"),
        ("(d0, -1)", "! E_SELECTOR_INVALID"),
        ("(d0, -1)?", "! E_SELECTOR_INVALID"),
        ("#zzz?", "nowhere"),
        (".mt?", "! E_AMBIGUOUS"),
    ];
    check(&cases, |text| parent(&memory, text));
}

#[test]
fn places_in_an_empty_head_and_one_with_a_core() {
    let mut memory = Memory::new(Generation::V0_1);
    assert_eq!(place(&memory, "(d0, mc, end)"), "the head's core End");
    assert_eq!(place(&memory, ".mc"), "the head's core");
    memory.say("u1", "user", "hello");
    assert_eq!(place(&memory, "(d0, mc, end)"), "mc:1 End");
    assert_eq!(target(&memory, ".mc > .cb"), "u1");
    memory
        .add(Add {
            parent: Parent::Node("ah".into()),
            offset: Some(2),
            container: Some(true),
            ..Add::default()
        })
        .unwrap();
    assert_eq!(place(&memory, "^ah > .mc"), "! E_AMBIGUOUS");
    assert_eq!(place(&memory, "^ah > .mc:core"), "mc:1");
}
