//! Fuzzing of the parser and of the evaluator: texts that are generated, damaged or arbitrary.
//!
//! In the suite each runs a fixed number of cases from a fixed seed. `PACTDB_FUZZ_SECONDS=180` runs
//! each for that long from a fresh seed, and a failure names the text.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::against::{Outcome, naive_store, same_answer, same_diff};
use crate::support::memory::Memory;
use crate::support::naive::Store;
use crate::support::random::{
    at_every_state, at_one_state, happenings, over_a_range, store, timeless,
};
use pactdb::internals::query::{diff, explain, nodes, select, select_paged, select_whole};
use pactdb::language::{
    advise, format, normalized, parse_place, parse_selector, parse_target, parse_time, tokens,
};
use pactdb::{Dialect, Generation, SelectOptions, Selected};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::time::{Duration, Instant};

/// Texts are drawn on a large stack, because nested strategies need one, and looked at on a small
/// one, because the engine must not.
fn on_a_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work);
        thread.unwrap().join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

const LARGE: usize = 32 << 20;
const SMALL: usize = 1 << 20;

/// Runs cases until enough have been seen or the time that was asked for is over; returns how many.
fn run(name: &str, count: usize, case: impl FnMut(String) + Send) -> usize {
    on_a_stack(LARGE, || run_here(name, count, case))
}

fn run_here(name: &str, count: usize, mut case: impl FnMut(String) + Send) -> usize {
    let texts = texts();
    let seconds = std::env::var("PACTDB_FUZZ_SECONDS").ok().map(|text| text.parse().unwrap());
    let mut seed = [7; 32];
    if seconds.is_some() {
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
        seed[..16].copy_from_slice(&now.as_nanos().to_le_bytes());
    }
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let start = Instant::now();
    let mut done = 0;
    loop {
        let over = match seconds {
            Some(seconds) => start.elapsed() >= Duration::from_secs(seconds),
            None => done >= count,
        };
        if over {
            break;
        }
        let text = draw(&mut runner, &texts);
        on_a_stack(SMALL, || case(text));
        done += 1;
    }
    // Kept beside the build for whoever ran it by hand.
    if seconds.is_some() {
        let note = format!("{name}: {done} cases in {:?}\n", start.elapsed());
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(folder.join(format!("fuzz-{name}.txt")), note).unwrap();
    }
    done
}

/// The selectors of the fixtures: what damage starts from.
fn corpus() -> Vec<String> {
    let accepted = include_str!("../../fixtures/selectors/accept.txt").lines();
    let accepted = accepted.filter(|line| !line.starts_with('#')).filter_map(|line| {
        let text = line.split_once(' ')?.1;
        text.split(" => ").next()
    });
    let rejected = include_str!("../../fixtures/selectors/reject.txt").lines();
    let rejected = rejected.filter_map(|line| line.split_once(' ').map(|(_, text)| text));
    let golden = include_str!("../../fixtures/golden/cases.txt").lines();
    let golden = golden.filter_map(|line| {
        line.split_once(' ')?.1.rsplit_once("=>").map(|(selector, _)| selector.trim())
    });
    accepted.chain(rejected).chain(golden).map(str::to_owned).collect()
}

fn generated() -> BoxedStrategy<String> {
    prop_oneof![timeless(), at_one_state(), at_every_state(), over_a_range()].boxed()
}

/// Pieces of the language, to be put where they do not belong.
const PIECES: [&str; 46] = [
    " ",
    ",",
    ">",
    "??",
    "?",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    "..",
    ":",
    "#",
    "+",
    "-",
    "*",
    "@",
    "^",
    "=",
    "!=",
    "~",
    "'",
    "\"",
    "\\",
    "d1",
    ":depth(",
    ":nth(1)",
    ":first",
    ":pre",
    ".cb",
    "+audit",
    "@t0 ",
    "@e7 ",
    "@* ",
    "@limit=1",
    " in ['K']",
    "null",
    "[key='K']",
    "\u{e9}",
    ".log.entry",
    "d1..3",
    ", .cb",
    " @*",
    "[kind='note']",
];

/// A text with some stretches cut, doubled, swapped for pieces or spliced with another text.
fn damaged(text: &str, other: &str, edits: &[(usize, usize, u8)]) -> String {
    let mut text: Vec<char> = text.chars().collect();
    let other: Vec<char> = other.chars().collect();
    for (at, much, how) in edits {
        let start = at % (text.len() + 1);
        let end = (start + much % 8).min(text.len());
        match how % 4 {
            0 => drop(text.drain(start..end)),
            1 => {
                let twice: Vec<char> = text[start..end].to_vec();
                drop(text.splice(start..start, twice));
            }
            2 => drop(text.splice(start..end, PIECES[much % PIECES.len()].chars())),
            _ => {
                let from = (much % (other.len() + 1)).min(other.len());
                drop(text.splice(start..end, other[from..].iter().copied().take(12)));
            }
        }
    }
    text.into_iter().collect()
}

fn edits() -> impl Strategy<Value = Vec<(usize, usize, u8)>> {
    prop::collection::vec((0usize..200, 0usize..200, any::<u8>()), 1..4)
}

/// Generated texts, damaged ones, and arbitrary bytes.
fn texts() -> BoxedStrategy<String> {
    let corpus = proptest::sample::select(corpus());
    let any_text = || prop_oneof![generated(), corpus.clone()];
    prop_oneof![
        2 => any_text(),
        5 => (any_text(), any_text(), edits())
            .prop_map(|(text, other, edits)| damaged(&text, &other, &edits)),
        1 => prop::collection::vec(any::<u8>(), 0..40)
            .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        1 => prop::collection::vec(proptest::sample::select(&PIECES[..]), 0..12)
            .prop_map(|pieces| pieces.concat()),
    ]
    .boxed()
}

fn draw<T: std::fmt::Debug>(runner: &mut TestRunner, strategy: &BoxedStrategy<T>) -> T {
    strategy.new_tree(runner).unwrap().current()
}

/// The parser answers any text, points into it, and reads its own canonical form back.
#[test]
fn parser() {
    let mut read = 0;
    let done = run("parser", 12000, |text| {
        let covered: usize = tokens(&text).map(|lexeme| lexeme.span.end - lexeme.span.start).sum();
        assert_eq!(covered, text.len(), "tokens cover {text:?}");
        for dialect in Dialect::ALL {
            read += usize::from(parses_well(&text, dialect));
            let _ = parse_target(&text, dialect);
            let _ = parse_place(&text, dialect);
        }
        let _ = parse_time(&text);
    });
    assert!(read > done / 2, "only {read} of {done} texts were read");
}

fn parses_well(text: &str, dialect: Dialect) -> bool {
    match parse_selector(text, dialect) {
        Ok(tree) => {
            advise(&tree, dialect);
            let canonical = format(&tree, dialect);
            let again = parse_selector(&canonical, dialect);
            assert_eq!(again.as_ref(), Ok(&tree), "{text:?} -> {canonical:?} in {dialect}");
            // Without sugar the brackets of a filter may change, but not the text any more.
            let plain = format(&normalized(&tree, dialect), dialect);
            let again = parse_selector(&plain, dialect).map(|tree| format(&tree, dialect));
            assert_eq!(again, Ok(plain), "{text:?} in {dialect}");
            true
        }
        Err(error) => {
            let span = error.span;
            assert!(span.start <= span.end && span.end <= text.len(), "{text:?}: {error:?}");
            assert!(
                text.is_char_boundary(span.start) && text.is_char_boundary(span.end),
                "{text:?}"
            );
            assert!(!error.message.is_empty(), "{text:?}");
            error.render(text);
            false
        }
    }
}

/// Whatever is read is answered: without a panic, planned as plain, and as the naive evaluator says.
#[test]
fn evaluator() {
    let stores = lively_stores();
    let (mut full, mut turn) = (0, 0);
    let done = run("evaluator", 5000, |text| {
        turn += 1;
        let (memory, naive) = &stores[turn % stores.len()];
        for dialect in Dialect::ALL {
            if parse_selector(&text, dialect).is_ok() {
                full += usize::from(answers_well(memory, naive, &text, dialect));
            }
        }
    });
    assert!(full > done / 10, "only {full} of {done} texts found something");
}

fn answers_well(memory: &Memory, naive: &Store, text: &str, dialect: Dialect) -> bool {
    let options = SelectOptions { include_content: true, ..SelectOptions::default() };
    let planned = select(memory, text, dialect, &options);
    assert_eq!(planned, select_whole(memory, text, dialect, &options), "{text:?} in {dialect}");
    if let Ok(Selected::Ids { ids, .. }) = &planned {
        let paged = select_paged(memory, text, dialect, &options, 1 + text.len() % 7).unwrap();
        assert_eq!(paged.as_ref(), Some(ids), "{text:?} in {dialect}");
    }
    let described = nodes(memory, text, dialect, &options);
    assert!(described.is_ok() <= planned.is_ok(), "{text:?} in {dialect}");
    assert_eq!(explain(memory, text, dialect).is_ok(), planned.is_ok(), "{text:?} in {dialect}");
    let _ = diff(memory, Some("@t-1"), Some("@e9"), text, dialect);
    let outcome = same_answer(memory, naive, text, dialect, &SelectOptions::default());
    let outcome = outcome.unwrap_or_else(|difference| panic!("{difference}"));
    for times in [[Some("@t-1"), None], [Some("@t-1"), Some("@e9")]] {
        same_diff(memory, naive, times, text, dialect)
            .unwrap_or_else(|difference| panic!("{difference}"));
    }
    outcome == Outcome::Full
}

/// Stores that much happened to, the same in every run.
fn lively_stores() -> Vec<(Memory, Store)> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[1; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let events = happenings(60).boxed();
    let mut stores = Vec::new();
    for (i, generation) in [Generation::V0_1, Generation::V1_0].repeat(4).into_iter().enumerate() {
        let mut happened = draw(&mut runner, &events);
        happened.extend(draw(&mut runner, &events));
        let memory = store(generation, i % 4 < 3, &happened);
        let naive = naive_store(&memory);
        stores.push((memory, naive));
    }
    stores
}
