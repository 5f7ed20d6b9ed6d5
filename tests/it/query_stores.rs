//! Queries of a store in a file, with its indexes and its sketches of turns, against the naive
//! evaluator: after a long life, at any cycle, over every snapshot and over ranges; and what was
//! read for them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::against::same_as;
use crate::support::disk::Disk;
use crate::support::life::{CLOCK, live, must, requests};
use crate::support::naive::Store;
use crate::support::random::{at_every_state, at_one_state, over_a_range};
use pactdb::{Db, Dialect, Durability, Options, Select, SelectOptions, Selected};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::OnceLock;

/// A store whose indexes were written several times, opened again in between.
fn old_store() -> &'static (Db, Store) {
    static STORE: OnceLock<(Db, Store)> = OnceLock::new();
    STORE.get_or_init(|| {
        let disk = Disk::default();
        let options = || Options::new().clock(CLOCK).durability(Durability::AtCommit);
        let mut db = options().create_on(disk.clone()).unwrap();
        let mut events = vec![(1, db.export(None).unwrap())];
        for (i, request) in requests(130).iter().enumerate() {
            live(&db, request);
            // The random selectors name the first events only.
            if i < 40 {
                events.push((db.events(), db.export(None).unwrap()));
            }
            if i % 97 == 96 {
                drop(db);
                db = options().open_on(disk.clone()).unwrap();
            }
        }
        must(&db, &json!({"op": "add", "role": "user", "content": "not committed"}));
        let document =
            |at: Option<&str>| -> Value { serde_json::from_str(&db.export(at).unwrap()).unwrap() };
        let cycles = db.history();
        let snapshots: Vec<Value> =
            cycles.iter().map(|cycle| document(Some(&format!("@c{cycle}")))).collect();
        let mut naive = Store::new(&snapshots, &document(None), "mc");
        for (seq, export) in events {
            naive.after_event(seq, &serde_json::from_str(&export).unwrap(), "mc");
        }
        (db, naive)
    })
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let (db, naive) = old_store();
    for dialect in Dialect::ALL {
        let options = SelectOptions::default();
        let answer = db
            .select(Select::new(text).dialect(dialect).options(options.clone()))
            .map_err(|error| error.code);
        same_as(answer, naive, text, dialect, &options).map_err(TestCaseError::fail)?;
    }
    Ok(())
}

#[test]
fn an_old_store_answers_like_the_naive_evaluator() {
    let (db, _) = old_store();
    let last = db.last_cycle();
    let times = [1, 5, 40, 63, 64, 65, 100, last - 70, last - 1, last].map(|c| format!("@c{c} "));
    for time in times.iter().map(String::as_str).chain(["", "@t0 ", "@t-3..@t0 "]) {
        for selector in [
            ".cb[role='user']",
            ".cb",
            ".mt",
            "*",
            "[key='k1']",
            "{key='k0'} @limit=1",
            ".mt .cb+answer",
            ".mt:depth(2-) .cb[role='user']",
            ".mt:depth(5-60) .mc > .cb",
            ".cb[content~'sky']",
            ".mt .cb[role='user'][content~'blue. why']",
            ".cb[content='note again'], .mc[offset=2]",
            ".cb[data_turn>50]",
            ".cb[ttl<=3]",
            ".cb[ttl<1]",
            ".cb[ttl=0]",
            ".cb[ttl='2'][ttl>1]",
            ".cb[content~'(?i)^SKY']",
            ".cb[content~'note|blue'], .cb[content~'again$']",
            ".mt .cb[content='note again']",
            ".cb:first",
            ".mt .cb:last",
            ".mt .cb[content~'question']:first",
            ".cb[role='nobody'] ?? .cb[role='assistant'] @skip=2 @limit=3",
            "^seq .cb[role!='user'] @order=id",
            ".mt :post .cb",
        ] {
            check(&format!("{time}{selector}")).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn one_state(text in at_one_state()) {
        check(&text)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_state(text in at_every_state()) {
        check(&text)?;
    }

    #[test]
    fn ranges(text in over_a_range()) {
        check(&text)?;
    }
}

/// Texts of several alphabets, some of them inside JSON, some long.
fn text_of(turn: usize) -> Value {
    let words = ["zebra", "naïve", "東京都", "emoji 🦓", "a\"quote", "tab\there", "x", "", "ööö"];
    let word = words[turn % words.len()];
    match turn % 5 {
        0 => json!(format!("{word} of {turn}")),
        1 => json!({"said": word, "turn": turn, "deep": [[word], null, true]}),
        2 => json!(format!("{}{word}{turn}", "filler words ".repeat(turn % 90))),
        3 => json!(turn),
        _ => json!([word, format!("{turn}")]),
    }
}

/// A content is found by every piece of its text, with the tables that name the turns and without.
#[test]
fn a_text_is_found_wherever_it_stands() {
    let disk = Disk::default();
    let db = Options::new().clock(CLOCK).durability(Durability::AtCommit).create_on(disk).unwrap();
    let mut texts = Vec::new();
    for turn in 0..150 {
        let content = text_of(turn);
        let add = json!({"op": "add", "role": "user", "content": content});
        let id = must(&db, &add)["id"].as_str().unwrap().to_owned();
        must(&db, &json!({"op": "commit"}));
        let parsed = pactdb::json::parse(&content.to_string()).unwrap();
        texts.push((id, parsed.text().into_owned()));
    }
    let mut asked = 0;
    for turn in 0..150 {
        let text = &texts[turn].1;
        let letters: Vec<(usize, char)> = text.char_indices().collect();
        for (from, length) in [(0, 3), (0, 12), (letters.len() / 2, 4), (letters.len() / 3, 9)] {
            let piece: String = letters.iter().skip(from).take(length).map(|(_, c)| *c).collect();
            let pattern = regex::escape(&piece).replace('\\', "\\\\").replace('\'', "\\'");
            let q = format!(".cb[content~'{pattern}']");
            let Selected::Ids { ids, .. } = db.select(&q).unwrap_or_else(|e| panic!("{q}: {e}"))
            else {
                panic!("no ids");
            };
            let found: Vec<String> = ids.iter().map(|id| id.to_string()).collect();
            let expected: Vec<String> = texts
                .iter()
                .filter(|(_, text)| text.contains(&piece))
                .map(|(id, _)| id.clone())
                .collect();
            assert_eq!(found, expected, "{q}");
            asked += 1;
        }
    }
    assert_eq!(asked, 600);
}

/// A lookup by kind leads to turns whose nodes have it as their kind and to those where a type says it
/// (R14.5), and reads no others.
#[test]
fn a_kind_is_looked_up_among_kinds_and_types() {
    let disk = Disk::default();
    let db = Options::new().clock(CLOCK).durability(Durability::AtCommit).create_on(disk).unwrap();
    let mut rare = Vec::new();
    for turn in 0..217 {
        let mut add = json!({"op": "add", "role": "user", "content": format!("number {turn}")});
        match turn {
            30 => add["kind"] = json!("rare"),
            70 => add["type"] = json!("cb:rare"),
            110 => add["type"] = json!("cb:rare.bird"),
            150 => (add["type"], add["kind"]) = (json!("x:rare"), json!("common")),
            _ => {}
        }
        let made = must(&db, &json!({"op": "batch", "ops": [add, {"op": "commit"}]}));
        if [30, 70].contains(&turn) {
            rare.push(made["results"][0]["id"].as_str().unwrap().to_owned());
        }
    }
    let found = |q: &str, dialect| {
        let Selected::Ids { ids, .. } =
            db.select(Select::new(q).dialect(dialect)).unwrap_or_else(|e| panic!("{q}: {e}"))
        else {
            panic!("no ids");
        };
        ids.iter().map(|id| id.to_string()).collect::<Vec<_>>()
    };
    for q in [
        "[kind='rare']",
        ".cb[kind='rare']",
        ".cb:rare",
        "[nodeType='cb:rare']",
        "[nodeType='cb'][kind='rare']",
        "@t0 [kind in ['rare', 'none such']]",
        "@* .cb[kind='rare'] @order=path",
    ] {
        let mut ids = found(q, None);
        ids.sort();
        rare.sort();
        assert_eq!(ids, rare, "{q}");
        let read = db.explain(q, None).unwrap().ran[0].tally.parts_read;
        // The two, the one whose type only ends like it, the newest 25, `^sys` and `^ah`.
        assert!(read <= 30, "{q} read {read} parts");
    }
    assert_eq!(found(".cb[kind='rare']", Some(Dialect::V1_0)).len(), 1);
    assert_eq!(found(".cb[kind='rare.bird']", None).len(), 1);
    assert_eq!(found(".rare.bird", None).len(), 1);
}

/// A search reads the turns in which something is, and those that are too new to be known.
#[test]
fn turns_that_cannot_matter_are_not_read() {
    let disk = Disk::default();
    let db = Options::new().clock(CLOCK).durability(Durability::AtCommit).create_on(disk).unwrap();
    for turn in 0..217 {
        let mut add = json!({"op": "add", "role": "user", "content": format!("number {turn}")});
        if turn == 70 {
            add["key"] = json!("plan");
        }
        must(&db, &json!({"op": "batch", "ops": [add, {"op": "commit"}]}));
    }
    let ran = |text: &str| {
        let ran = db.explain(text, None).unwrap().ran[0];
        (ran.results, ran.tally.parts_read, ran.tally.turns_skipped)
    };
    // 192 of the 217 commits are in the indexes; `^sys` and `^ah` are parts too.
    assert_eq!(ran("[key='plan'] @order=path"), (1, 27, 191));
    assert_eq!(ran(".cb[role='user']"), (217, 27, 0));
    assert_eq!(ran(".cb[content~'number 17']"), (11, 27, 181));
    assert_eq!(ran(".cb[content~'umber 1[79]7']"), (2, 27, 191));
    assert_eq!(ran(".cb[role='nobody']"), (0, 27, 192));
    let Selected::Ids { ids, .. } = db.select("[key='plan']").unwrap() else {
        panic!("no ids");
    };
    assert_eq!(ids.len(), 1);
}
