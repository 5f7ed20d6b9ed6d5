//! Two ways to each answer: the planned evaluation, which reads what it needs, against the plain
//! one, which reads everything; and page by page. At one state, over every snapshot, over ranges, in both dialects.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::random::{
    Happening, at_every_state, at_one_state, happenings, over_a_range, store, timeless,
};
use pactdb::internals::model::violations;
use pactdb::internals::query::{Timeline, diff, select, select_paged, select_whole};
use pactdb::{Dialect, Generation, SelectOptions, Selected};
use proptest::prelude::*;
use proptest::sample::select as one_of;

fn generations() -> impl Strategy<Value = Generation> {
    one_of(vec![Generation::V0_1, Generation::V1_0])
}

fn check(
    generation: Generation,
    imported: bool,
    events: &[Happening],
    sketches: u8,
    selectors: &[String],
    page: usize,
) -> Result<(), TestCaseError> {
    let mut memory = store(generation, imported, events);
    // In a store the newest turns have no sketch, and some others.
    memory.sketched = match sketches {
        0 => |_| false,
        1 => |_| true,
        _ => |slot| slot.cycle % 3 != 2,
    };
    let options = SelectOptions { include_content: true, ..SelectOptions::default() };
    for text in selectors {
        for dialect in Dialect::ALL {
            let planned = select(&memory, text, dialect, &options);
            let whole = select_whole(&memory, text, dialect, &options);
            prop_assert_eq!(&planned, &whole, "{} in {}", text, dialect);
            let Ok(Selected::Ids { ids, .. }) = planned else { continue };
            let paged = select_paged(&memory, text, dialect, &options, page).unwrap();
            prop_assert_eq!(paged, Some(ids), "{} in {}, {} a page", text, dialect, page);
        }
    }
    Ok(())
}

fn some(one: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(one, 6)
}

/// `@* A ?? B`, of chains that find something in some snapshots.
fn alternatives() -> impl Strategy<Value = String> {
    let chain = || {
        one_of(vec![
            "*[ttl<=1]",
            "*[ttl=2]",
            ".cb[ephemeral]",
            ".cb[role='tool']",
            ".cb[role='user']",
            "^ah .cb",
            "^sys .cb",
            "^seq",
            ".mt:depth(2) .cb",
            ".mt:depth(4-5) .cb",
            ".cb[depth>=3]",
            ".mt:has(.cb[role='user'])",
            ".cb[content~'a']",
            ".cb[key='plan']",
            "[age>2]",
            ".cb",
            "*",
        ])
    };
    let group = || prop::collection::vec(chain(), 1..4).prop_map(|chains| chains.join(" ?? "));
    let control = one_of(vec!["", " @limit=2", " @order=recent", " @order=id @skip=1"]);
    (group(), prop::option::weighted(0.4, group()), control).prop_map(|(a, b, control)| {
        format!("@* {a}{}{control}", b.map(|b| format!(", {b}")).unwrap_or_default())
    })
}

/// `@*` with positional pseudos and `:has(…)` over the whole tree, beside and behind other things.
fn counted() -> impl Strategy<Value = String> {
    let test = || {
        one_of(vec![
            ".cb",
            ".cb[role='tool']",
            ".cb[role='user']",
            ".cb[content~'a']",
            ".cb[content!~'a']",
            ".cb[ephemeral]",
            ".cb[ttl<=2]",
            ".cb[depth<=2]",
            ".cb[depth>=3]",
            ".mt",
            ".mc",
            ".mt:has(.cb[role='user'])",
            "[key='plan']",
            "*",
            "^seq",
            ".mt:depth(2-3)",
        ])
    };
    let pick = || one_of(vec![":first", ":last", ":nth(2)", ":nth(3)", ":nth(9)", ":last:first"]);
    let top = || one_of(vec!["", "", "", "^seq ", "^root ", "^seq > ", "^ah ", ".mt "]);
    let picked = (top(), test(), pick()).prop_map(|(top, test, pick)| format!("{top}{test}{pick}"));
    let has = (one_of(vec!["^seq", "^root", "*"]), test(), one_of(vec!["", " .cb", " > .mt"]))
        .prop_map(|(top, test, more)| format!("{top}:has({test}){more}"));
    let behind = (picked.clone(), test()).prop_map(|(picked, test)| format!("{picked} {test}"));
    let plain = test().prop_map(str::to_owned);
    let chain = prop_oneof![4 => picked, 2 => has, 2 => behind, 1 => plain];
    let group = prop::collection::vec(chain, 1..3).prop_map(|chains| chains.join(" ?? "));
    let control = one_of(vec!["", "", " @limit=2", " @order=recent", " @order=id @skip=1"]);
    (prop::collection::vec(group, 1..3), control)
        .prop_map(|(groups, control)| format!("@* {}{control}", groups.join(", ")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn one_state(
        generation in generations(), imported: bool, sketches in 0..3u8,
        events in happenings(30), selectors in some(at_one_state()), page in 1..9usize,
    ) {
        check(generation, imported, &events, sketches, &selectors, page)?;
    }

    #[test]
    fn every_state(
        generation in generations(), imported: bool, sketches in 0..3u8,
        events in happenings(30), selectors in some(at_every_state()), page in 1..9usize,
    ) {
        check(generation, imported, &events, sketches, &selectors, page)?;
    }

    /// Alternatives that come and go, so that now one counts and now the other.
    #[test]
    fn alternatives_of_every_state(
        generation in generations(), imported: bool, sketches in 0..3u8,
        events in happenings(40), selectors in some(alternatives()), page in 1..9usize,
    ) {
        check(generation, imported, &events, sketches, &selectors, page)?;
    }

    /// What is picked over several parts changes with what comes and goes.
    #[test]
    fn counted_over_every_state(
        generation in generations(), imported: bool, sketches in 0..3u8,
        events in happenings(40), selectors in some(counted()), page in 1..9usize,
    ) {
        check(generation, imported, &events, sketches, &selectors, page)?;
    }

    #[test]
    fn ranges(
        generation in generations(), imported: bool, sketches in 0..3u8,
        events in happenings(40), selectors in some(over_a_range()),
    ) {
        check(generation, imported, &events, sketches, &selectors, 1)?;
    }

    /// A diff of two states is the block of the range between them, read the other way.
    #[test]
    fn a_diff_is_a_block_of_a_range(imported: bool, events in happenings(40), selector in timeless()) {
        let memory = store(Generation::V0_1, imported, &events);
        let cycles: Vec<u64> = memory.history().iter().collect();
        if let [oldest, .., newest] = cycles[..] {
            let range = format!("@c{oldest}..@c{newest} {selector} @mode=latest");
            let range = select_whole(&memory, &range, Dialect::V0_1, &SelectOptions::default());
            let range = serde_json::to_value(match range {
                Ok(Selected::Range(range)) => range,
                // Some of the random patterns are no regular expressions.
                Err(error) => {
                    prop_assert_eq!(error.code.as_str(), "E_SELECTOR_INVALID");
                    return Ok(());
                }
                other => panic!("{other:?}"),
            }).unwrap();
            let (a, b) = (format!("@c{oldest}"), format!("@c{newest}"));
            for (a, b) in [(&a, &b), (&b, &a)] {
                let diff = diff(&memory, Some(a), Some(b), &selector, Dialect::V0_1).unwrap();
                let diff = serde_json::to_value(diff).unwrap();
                let block = &range["diffs"][0];
                prop_assert_eq!(&diff["added"], &block["added_ids"]);
                prop_assert_eq!(&diff["removed"], &block["removed_ids"]);
                let changed: Vec<_> = block["changed"].as_array().unwrap().iter()
                    .map(|node| serde_json::json!({"id": node["id"], "fields": node["fields"]}))
                    .collect();
                prop_assert_eq!(&diff["changed"], &serde_json::Value::from(changed));
            }
        }
    }

    /// What the rules call the same is the same.
    #[test]
    fn aliases(imported: bool, events in happenings(40)) {
        let memory = store(Generation::V0_1, imported, &events);
        for (a, b) in [
            ("^ah", "depth(0)"), ("^sys", "d-1"), ("^sys > *", "depth(-1) > *"),
            ("^seq .mt:depth(1)", ".mt:depth(1)"), (".cb(role='user' ttl<=2)", ".cb[role='user'][ttl<=2]"),
            (".cb:note", "[nodeType='cb:note']"), (".cb:note", "[nodeType='cb'][kind='note']"),
            (".cb:note", ".block:note"), (".mt", ".seg"), ("[nodeType='mc']", ".cont"),
            ("(d1, 0)", "d1 > [offset=0]"), ("(d1, seg, *:cb)", "d1 .cb"), ("{key='K'}", "[key='K']"),
            ("( .mt .mc ) > .cb", ".mt .mc > .cb"), ("^ah :pre > .cb", "^ah .cb:pre, ^ah > .cb:pre"),
            (".cb +audit", ".cb+audit"), ("@history .cb", "@t0:@t-* .cb"), ("@t-2..0 .cb", "@t-2:@t0 .cb"),
        ] {
            let answer = |text| {
                let answer = select(&memory, text, Dialect::V0_1, &SelectOptions::default());
                answer.map(|answer| match answer {
                    Selected::Ids { ids, .. } => format!("{ids:?}"),
                    Selected::Range(range) => format!("{:?}", range.diffs),
                }).map_err(|error| error.code)
            };
            prop_assert_eq!(answer(a), answer(b), "{} and {}", a, b);
        }
    }

    /// The stores that the tests run on are sound, or the tests prove nothing.
    #[test]
    fn random_stores_are_sound(imported: bool, events in happenings(40)) {
        let memory = store(Generation::V0_1, imported, &events);
        prop_assert_eq!(violations(memory.tree()).unwrap(), Vec::<String>::new());
        for cycle in memory.history().iter() {
            prop_assert_eq!(violations(&memory.at(cycle).unwrap()).unwrap(), Vec::<String>::new());
        }
    }
}
