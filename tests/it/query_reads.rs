//! A query reads what it needs: parts of the tree are counted on a store of 300 turns. Reading a
//! snapshot at all takes two, `^sys` and `^ah`.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::memory::Memory;
use pactdb::internals::change::{Add, Parent};
use pactdb::internals::query::{explain, select};
use pactdb::{Dialect, Generation, SelectOptions, Selected};

fn store() -> Memory {
    let mut memory = Memory::new(Generation::V0_1);
    for i in 0..300 {
        memory.say(&format!("u{i}"), "user", "a question");
        let mut add = Add {
            parent: Parent::HeadCore,
            id: Some(format!("a{i}")),
            role: Some("assistant".into()),
            ttl: (i % 50 == 0).then_some(3),
            ..Add::default()
        };
        if i == 100 || i == 200 {
            add.key = Some("K".into());
            add.kind = Some("summary".into());
            add.ttl = None;
            add.tags = vec!["audit".into()];
        }
        memory.add(add).unwrap();
        memory.commit();
    }
    memory
}

#[test]
fn reads_are_bounded() {
    let memory = store();
    let mut wrong = Vec::new();
    for (text, results, most) in [
        ("#u7", 1, 3),
        ("#u7 ?? .cb", 1, 3),
        ("{id in ['u1','u2','u3']}", 3, 6),
        (".mt:depth(1-3) .cb[role='user']", 3, 3),
        ("@c150 .mt:depth(1-3) .cb[role='user']", 3, 5),
        ("(d2, mc, cb:first)", 1, 1),
        ("@t0 .cb[depth=5]", 2, 3),
        ("^ah .cb", 0, 0),
        ("[key='K']", 2, 2),
        ("[key='K'] @limit=1", 1, 1),
        (".cb:summary", 2, 2),
        (".mt .cb+audit", 2, 2),
        (".cb[role='nobody']", 0, 0),
        ("[ttl<=2]", 0, 3),
        (".mt:has(.cb+audit)", 2, 2),
        (".mt:has(.mc > .cb[key='K'])", 2, 2),
        (".mt:has(#u7, #u9)", 2, 4),
        (":has(#u7)", 4, 8),
        ("^seq:has(#u7)", 1, 3),
        ("^seq:has(.cb[role='nobody'])", 0, 0),
        (".mt:not(:has(.cb))", 0, 0),
        (".cb[role!=['user', 'assistant']]", 0, 0),
        (".mt:has(.cb) @limit=2", 2, 2),
        (".mt @limit=2", 2, 2),
        (".mt .cb @order=recent @limit=2", 2, 1),
        ("@* #u7", 1, 4),
        ("@* #nobody", 0, 4),
        // Going back, each turn is looked at once, in the index.
        ("@* .cb:last", 300, 300 * 3),
        ("@* .cb:first", 1, 300 * 3),
        ("@* .mt:last .cb", 600, 300 * 4),
        ("@* .cb[role='nobody']:last", 0, 300 * 3),
        ("@* ^seq:has(.cb+audit)", 1, 300 * 3),
        ("@* .cb:first, .cb[role='nobody']", 1, 300 * 3),
        // Each snapshot: its two regions, what changed since the one before, on both sides, and
        // turns with a finite ttl.
        ("@t-99..@t0 .cb[role='user']", 99, 99 * 8),
        ("@t-99..@t0 .cb[role='user'] @mode=latest", 1, 220),
        ("@t-9..@t0 .mt:depth(1-2) .cb", 9, 9 * 8),
    ] {
        let ask = || select(&memory, text, Dialect::V0_1, &SelectOptions::default()).unwrap();
        let (answer, reads) = memory.reads_of(ask);
        let count = match answer {
            Selected::Ids { ids, .. } => ids.len(),
            Selected::Range(range) => range.diffs.len(),
        };
        if count != results || reads > most {
            wrong.push(format!("{text}: {count} results, {reads} reads of at most {most}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// A question that asks each snapshot in full says so before it is asked, if that is a great deal.
#[test]
fn what_costs_cycles_times_turns_says_so() {
    let mut memory = Memory::new(Generation::V0_1);
    for i in 0..4600 {
        memory.say(&format!("u{i}"), "user", "a");
        memory.commit();
    }
    let told = |text: &str| {
        let advice = explain(&memory, text, Dialect::V0_1).unwrap().advice;
        advice.into_iter().find(|line| line.contains("asked in full"))
    };
    let in_full = "each of 4600 snapshots is asked in full: about 10 million parts are looked at";
    for text in ["@* .cb[age<5]", "@* .cb[age>5]:last, .cb[role='user']", "@history .cb[depth>2]"] {
        assert_eq!(told(text).as_deref(), Some(in_full), "{text}");
    }
    for text in [
        "@* .cb:last",
        "@* .cb[content!~'a']:first, .cb[role='tool']",
        "@* ^seq:has(.cb[role='tool'])",
        "@* .cb[role='tool'] ?? .cb",
        "@* .cb[age<5] @limit=5",
        "@* .cb[age>5]",
        "@history .cb[role='user']",
        "@* #u7",
    ] {
        assert_eq!(told(text), None, "{text}");
    }
}
