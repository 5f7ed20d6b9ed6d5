//! Unions of groups: what is written twice is asked once, what is found twice is held once, and a
//! limit is enough for all of them together. Parts that are read are counted.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::memory::Memory;
use pactdb::internals::change::{Add, Parent};
use pactdb::internals::query::{explain, select, select_whole};
use pactdb::{Dialect, Generation, SelectOptions, Selected};

/// Turns of four blocks, of which nothing is known before they are read.
fn store(turns: usize) -> Memory {
    let mut memory = Memory::new(Generation::V0_1);
    memory.sketched = |_| false;
    for turn in 0..turns {
        for (i, role) in ["user", "assistant", "tool", "user"].into_iter().enumerate() {
            let add = Add {
                parent: Parent::HeadCore,
                id: Some(format!("b{turn}-{i}")),
                role: Some(role.into()),
                key: (i == 1).then(|| "K".into()),
                priority: (turn % 7) as i64 * 10 + i as i64,
                ttl: (turn % 10 == 3 && i == 2).then_some(4),
                ..Add::default()
            };
            memory.add(add).unwrap();
        }
        memory.commit();
    }
    memory
}

fn ids(memory: &Memory, text: &str) -> Vec<String> {
    match select(memory, text, Dialect::V0_1, &SelectOptions::default()).unwrap() {
        Selected::Ids { ids, .. } => ids.iter().map(|id| id.to_string()).collect(),
        Selected::Range(_) => panic!("{text} is no range"),
    }
}

#[test]
fn equal_groups_are_asked_once() {
    let memory = store(60);
    for (one, many) in [
        (".cb", vec![".cb"; 1000].join(", ")),
        (".mt .cb[role='user'] ?? .mc", vec![".mt   .cb[role='user']?? .mc"; 300].join(",")),
    ] {
        let ran = |text: &str| explain(&memory, text, Dialect::V0_1).unwrap().ran;
        let (one_ran, many_ran) = (ran(one), ran(&many));
        assert_eq!(many_ran.len(), one_ran.len(), "{one}");
        assert_eq!(many_ran[0].tally, one_ran[0].tally, "{one}");
        assert_eq!(ids(&memory, one), ids(&memory, &many), "{one}");
        let (_, reads_of_one) = memory.reads_of(|| ids(&memory, one));
        let (_, reads_of_many) = memory.reads_of(|| ids(&memory, &many));
        assert_eq!(reads_of_one, reads_of_many, "{one}");
    }
}

#[test]
fn what_is_written_as_several_groups_keeps_the_order_of_several() {
    let memory = store(60);
    let once = ids(&memory, "[key='K']");
    let twice = ids(&memory, "[key='K'], [key='K']");
    assert_eq!((once.len(), once[0].as_str()), (60, "b59-1"), "by recency");
    assert_eq!((twice.len(), twice[0].as_str()), (60, "b0-1"), "in canonical order");
    // A late filter makes the last group another one.
    assert_eq!(ids(&memory, ".mt .cb, .mt .cb @limit=500 [role='tool']").len(), 234);
    assert_eq!(ids(&memory, ".cb[role='tool'], .mt .cb @limit=500 [role='tool']").len(), 54);
}

#[test]
fn a_limit_is_enough_for_all_groups() {
    let memory = store(60);
    let many: Vec<String> = (0..40).map(|i| format!(".cb[priority>={i}]")).collect();
    let many = many.join(", ");
    for (text, most) in [
        (".cb, .mt .cb[role='user'] @limit=1", 4),
        (".cb, .mt .cb[role='user'] @order=recent @limit=1", 4),
        (".cb[role='none'] ?? .cb, .mc @limit=3", 70),
        (&format!("{many} @limit=1"), 40 * 6),
        (&format!("{many} @limit=2 @skip=1"), 40 * 6),
        // The newest snapshot has it, and the others are not looked at.
        ("@* .cb @limit=1", 6),
        ("@* .cb, .mc @limit=5 @skip=2", 10),
        ("@* .mt:depth(1) .cb @limit=9", 12),
    ] {
        let (found, reads) = memory.reads_of(|| ids(&memory, text));
        assert!(!found.is_empty(), "{text}");
        assert!(reads <= most, "{text}: {reads} reads of at most {most}");
    }
}

#[test]
fn unions_within_limits_are_what_reading_everything_gives() {
    let mut memory = store(11);
    memory.say("late", "user", "not committed");
    let groups = [
        ".cb[priority>=30]",
        ".mt:depth(2-5) .cb",
        ".cb[role='tool']:first",
        ".mt .cb:nth(2)",
        "^root",
        "#b7-2",
        ".cb[role='none'] ?? .mt",
        "[ttl]",
        "[key='K'] ?? .cb",
        "((d1,*),(d2..d9,*),(d1,*))",
    ];
    let controls = ["", "@limit=1", "@limit=3 @skip=2", "@limit=0"];
    for sketched in [|_| true, |slot: pactdb::internals::model::Slot| slot.cycle % 3 != 2] {
        memory.sketched = sketched;
        for (i, one) in groups.iter().enumerate() {
            let (other, third) = (groups[(i + 1) % 10], groups[(i * 3 + 4) % 10]);
            for control in controls {
                for (time, order) in [
                    ("", ""),
                    ("@t0 ", "@order=id"),
                    ("@c9 ", "@order=recent"),
                    ("@c7 ", "@order=path"),
                    ("@* ", ""),
                ] {
                    let text = format!("{time}{one}, {other}, {third}, {one} {control} {order}");
                    let options = SelectOptions::default();
                    let planned = select(&memory, &text, Dialect::V0_1, &options);
                    let whole = select_whole(&memory, &text, Dialect::V0_1, &options);
                    assert_eq!(planned, whole, "{text}");
                }
            }
        }
    }
}
