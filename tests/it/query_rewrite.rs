//! Selectors in canonical form, in their own dialect and in the other one: they find the same nodes,
//! and are not changed by being rewritten again.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::random::{
    Happening, at_every_state, at_one_state, happenings, over_a_range, store,
};
use pactdb::internals::query::{Timeline, select};
use pactdb::language::{parse_selector, rewrite};
use pactdb::{Dialect, Generation, SelectOptions, Selected};
use proptest::prelude::*;
use proptest::sample::select as one_of;

const OLD: Dialect = Dialect::V0_1;
const NEW: Dialect = Dialect::V1_0;

#[test]
fn a_selector_has_one_form_in_each_dialect() {
    for (text, from, to, expected) in [
        (".block( a=1  b )", OLD, OLD, ".cb[a=1, b]"),
        (".cb", NEW, NEW, "@t0 .block"),
        ("@history .cb", OLD, OLD, "@t0..@t-* .cb"),
        (".a+c{tag='b'}[x]+a", OLD, OLD, ".a+b+c[x]+a"),
        (".a[tag='t'].b", OLD, OLD, ".a+t.b"),
        (".a [tag='t']", OLD, OLD, ".a *+t"),
        (".a [tag='t', x]", NEW, NEW, "@t0 .a [x] +t"),
        (".a @limit=1 {tag=t}", OLD, OLD, ".a +t @limit=1"),
        (".block:x", NEW, NEW, "@t0 .block[nodeType in ['x', 'block:x', 'cb:x']]"),
        ("(d1, seg, cont[offset=0], *:cb)", NEW, NEW, "@t0 (d1, seg, 0, *:block)"),
        ("(d1, cont[offset=0])", NEW, NEW, "@t0 (d1, cont[offset=0])"),
        ("(d1, c@0, c@-1)", NEW, NEW, "@t0 (d1, 0, -1)"),
        ("(d1, *@+)", OLD, OLD, "(d1, *[offset>0])"),
        ("^ah *@- .cb[content='c@1 *@+']", OLD, OLD, "^ah *[offset<0] .cb[content='c@1 *@+']"),
        // Times, and what `#` is.
        ("@t0 .cb", OLD, NEW, "@t-1 .block"),
        (".cb", OLD, NEW, "@t0 .block"),
        ("@t-1 .block", NEW, OLD, "@t0 .cb"),
        ("@t0 .seg", NEW, OLD, ".mt"),
        ("@t-3..@t0 .cb", OLD, NEW, "@t-4..@t-1 .block"),
        ("@history .cb", OLD, NEW, "@t-1..@t-* .block"),
        ("@c3 .cb @mode=latest", NEW, OLD, "@c3 .cb @mode=latest"),
        (".cb @first @mode=latest", NEW, OLD, ".cb @first"),
        (".mt #x > *", OLD, NEW, "@t0 .seg *[id='x'] > *"),
        ("#theme:last", NEW, OLD, "[key='theme']:last"),
        (".a [b]:first", OLD, NEW, "@t0 .a *[b]:first"),
        (".a [b]", NEW, OLD, ".a {b}"),
        // Kinds and types.
        (
            ".cb:x > .mc",
            OLD,
            NEW,
            "@t0 .block[kind='x'] > .cont, .block[nodeType in ['cb:x', 'block:x']] > .cont",
        ),
        (
            ".cb[kind='x', key='k']",
            OLD,
            NEW,
            "@t0 .block[kind='x', key='k'], .block[nodeType in ['cb:x', 'block:x'], key='k'] \
             @order=recent",
        ),
        (
            ".cb[kind!='x']",
            OLD,
            NEW,
            "@t0 .block[kind!='x', nodeType!='cb:x', nodeType!='block:x']",
        ),
        ("[nodeType='cb.x']", NEW, OLD, "[nodeType='cb.x']"),
        (".block:x", NEW, OLD, ".cb[nodeType~'^(x|block:x|cb:x)$']"),
    ] {
        let made = rewrite(text, from, to).unwrap();
        assert_eq!(made.text, expected, "{text} from {from} to {to}");
        assert_eq!(rewrite(&made.text, to, to).unwrap().text, expected, "{text} again");
    }
}

#[test]
fn what_the_other_dialect_cannot_say_is_pointed_at() {
    for (text, from, at, why) in [
        ("@t-3..@t0 .block", NEW, "@t-3..@t0", "does not reach the working state"),
        (".block[age<2]", NEW, "age", "no address for the working state"),
        (".block[kind='x']", NEW, "kind='x'", "the header `kind` alone"),
        (".cb[kind~'x']", OLD, "kind~'x'", "no form of this test"),
        (".cb[kind=null]", OLD, "kind=null", "no form of this test"),
        (".cb:x:first", OLD, ".cb:x:first", "a pseudo counts over all of them"),
        (".cb:x ?? .cb", OLD, ".cb:x ?? .cb", "`??`"),
        (".cb:a .cb:b .cb:c .cb:d .cb:e", OLD, ".cb:a .cb:b .cb:c .cb:d .cb:e", "more than 16"),
        ("@t+1 .cb", OLD, "@t+1", "after the newest snapshot"),
        ("[nodeType!='cb:x']", NEW, "nodeType!='cb:x'", "reads `BASE:NAME` as a kind too"),
        (".cb[", OLD, "[", "never closed"),
    ] {
        let refused = rewrite(text, from, from.other()).unwrap_err();
        assert_eq!(refused.error.span.of(&refused.text), at, "{text}: {}", refused.error.message);
        assert!(refused.error.message.contains(why), "{text}: {}", refused.error.message);
    }
}

/// What an answer says of nodes, however its states are called.
fn said(answer: &Selected) -> Vec<(u64, String)> {
    let change = |cycle: u64, what: &str, id: &str| (cycle, format!("{what} {id}"));
    match answer {
        Selected::Ids { ids, .. } => ids.iter().map(|id| change(0, "is", id)).collect(),
        Selected::Range(range) => {
            let mut all = Vec::new();
            for block in &range.diffs {
                let cycle = block.from.cycle;
                all.extend(block.added_ids.iter().map(|id| change(cycle, "added", id)));
                all.extend(block.removed_ids.iter().map(|id| change(cycle, "removed", id)));
                all.extend(block.changed.iter().map(|it| change(cycle, "changed", &it.id)));
            }
            all
        }
    }
}

fn check(
    generation: Generation,
    imported: bool,
    events: &[Happening],
    selectors: &[String],
) -> Result<(), TestCaseError> {
    let memory = store(generation, imported, events);
    let options = SelectOptions::default();
    for text in selectors {
        for (from, to) in [(OLD, OLD), (NEW, NEW), (OLD, NEW), (NEW, OLD)] {
            let readable = parse_selector(text, from).is_ok();
            let Ok(made) = rewrite(text, from, to) else {
                prop_assert!(!readable || from != to, "{} in {}", text, from);
                continue;
            };
            let again = rewrite(&made.text, to, to).map(|again| again.text);
            prop_assert_eq!(again.as_ref(), Ok(&made.text), "{} in {} again", text, to);
            // Without a snapshot, `@t-*` of 1.0 is the working state.
            if from != to && memory.history().is_empty() {
                continue;
            }
            // A time that is added makes some questions answerable, and none unanswerable.
            let Ok(before) = select(&memory, text, from, &options) else { continue };
            match select(&memory, &made.text, to, &options) {
                Ok(after) => {
                    prop_assert_eq!(said(&before), said(&after), "{} is {}", text, made.text);
                }
                Err(error) => {
                    prop_assert!(false, "{} in {} is {}: {}", text, from, made.text, error);
                }
            }
        }
    }
    Ok(())
}

fn selectors() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(prop_oneof![at_one_state(), at_every_state(), over_a_range()], 8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn rewritten_selectors_find_the_same(
        generation in one_of(vec![Generation::V0_1, Generation::V1_0]), imported: bool,
        events in happenings(25), selectors in selectors(),
    ) {
        check(generation, imported, &events, &selectors)?;
    }
}
