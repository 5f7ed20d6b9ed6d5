//! Every golden case of the source texts, what we answer where they err, and each rule once, on
//! the snapshots of `fixtures/golden`. Both evaluators answer.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::memory::Memory;
use pactdb::internals::query::plan::{State, When};
use pactdb::internals::query::{
    Moment, Question, Timeline, find_whole, resolve, select, select_whole,
};
use pactdb::{Dialect, Generation, SelectOptions, Selected};
use std::fmt::Write;

#[test]
fn golden_cases() {
    let text = std::fs::read_to_string("fixtures/golden/cases.txt").unwrap();
    let mut memory = Memory::new(Generation::V0_1);
    let (mut wrong, mut count) = (String::new(), 0);
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with("# ") {
            continue;
        }
        if let Some(section) = line.strip_prefix("== ") {
            let (file, generation) = section.split_once(' ').unwrap();
            let file = std::fs::read_to_string(format!("fixtures/golden/{file}.json")).unwrap();
            memory = Memory::of(Generation::from_name(generation).unwrap(), &[&file]);
            continue;
        }
        let (dialect, rest) = line.split_once(' ').unwrap();
        let (selector, expected) = rest.rsplit_once("=>").unwrap();
        let dialect: Dialect = dialect.parse().unwrap();
        count += 1;
        for (way, got) in [
            ("planned", planned(&memory, selector.trim(), dialect)),
            ("whole", whole(&memory, selector.trim(), dialect)),
        ] {
            if got != expected.trim() {
                writeln!(wrong, "{}: {way}: {line}\n    got {got}", number + 1).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(count > 150, "only {count} cases were read");
}

fn planned(memory: &Memory, text: &str, dialect: Dialect) -> String {
    match select(memory, text, dialect, &SelectOptions::default()) {
        Ok(Selected::Ids { ids, .. }) => ids.join(" "),
        Ok(other) => format!("{other:?}"),
        Err(error) => format!("! {}", error.code),
    }
}

fn whole(memory: &Memory, text: &str, dialect: Dialect) -> String {
    let answer = || {
        let plan = resolve(&Question::read(text, dialect)?, memory, &SelectOptions::default())?;
        let state = match plan.when {
            When::One(state) => state,
            _ => State::Cycle(memory.last_cycle()),
        };
        let moment = Moment::of(memory, state)?;
        Ok::<_, pactdb::internals::query::QueryError>(find_whole(&plan.ask, &moment)?)
    };
    match answer() {
        Ok(hits) => hits.iter().map(|hit| &*hit.node.id).collect::<Vec<_>>().join(" "),
        Err(error) => format!("! {}", error.code),
    }
}

/// Every selector that is read at all is answered, the same in both ways, on every snapshot here.
#[test]
fn accepted_selectors_are_answered() {
    let text = std::fs::read_to_string("fixtures/selectors/accept.txt").unwrap();
    let of_selectors = text.split("== ").find(|part| part.starts_with("selector")).unwrap();
    let mut count = 0;
    for (file, generation) in [("spec-000", Generation::V0_1), ("rich", Generation::V1_0)] {
        let file = std::fs::read_to_string(format!("fixtures/golden/{file}.json")).unwrap();
        let mut memory = Memory::of(generation, &[&file]);
        memory.say("late", "user", "after the import");
        memory.commit();
        for line in of_selectors.lines().skip(1).filter(|line| !line.starts_with('#')) {
            let Some((_, text)) = line.split_once(' ') else { continue };
            let text = text.split(" => ").next().unwrap();
            for dialect in Dialect::ALL {
                let options = SelectOptions { include_content: true, ..SelectOptions::default() };
                let planned = select(&memory, text, dialect, &options);
                assert_eq!(planned, select_whole(&memory, text, dialect, &options), "{text}");
                count += usize::from(planned.is_ok());
            }
        }
    }
    assert!(count > 300, "only {count} were answered");
}
