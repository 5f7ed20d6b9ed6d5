//! What the language reads, what it refuses and where, and that its canonical text reads back.
//!
//! The cases are data in `fixtures/selectors`; `check_accept` and `check_reject` are the only
//! ways in.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fmt::Debug;

use pactdb::Dialect;
use pactdb::language::{
    Canonical, SyntaxError, format, normalized, parse_place, parse_selector, parse_target,
    parse_time,
};

/// One line of a fixture file.
struct Case<'a> {
    number: usize,
    kind: &'a str,
    dialect: Dialect,
    text: &'a str,
    answer: Option<&'a str>,
}

fn cases(file: &str) -> Vec<Case<'_>> {
    let mut kind = "selector";
    let mut cases = Vec::new();
    for (index, line) in file.lines().enumerate() {
        if let Some(section) = line.strip_prefix("== ") {
            kind = section;
            continue;
        }
        if line.is_empty() || line.starts_with("# ") {
            continue;
        }
        let (dialects, rest) = line.split_once(' ').expect("a dialect and a text");
        let (text, answer) = match rest.split_once(" => ") {
            Some((text, answer)) => (text, Some(answer)),
            None => (rest, None),
        };
        for dialect in Dialect::ALL {
            if dialects == "both" || dialects == dialect.name() {
                cases.push(Case { number: index + 1, kind, dialect, text, answer });
            }
        }
    }
    cases
}

/// Reads a text as its kind, and gives back the canonical text.
fn canonical(case: &Case<'_>, text: &str) -> Result<String, SyntaxError> {
    fn again<T: Canonical + PartialEq + Debug>(
        case: &Case<'_>,
        text: &str,
        parse: impl Fn(&str) -> Result<T, SyntaxError>,
    ) -> Result<String, SyntaxError> {
        let tree = parse(text)?;
        let out = format(&tree, case.dialect);
        let back = parse(&out).unwrap_or_else(|e| panic!("{text} -> {out}: {e}"));
        assert_eq!(tree, back, "{text} -> {out}");
        Ok(out)
    }
    let dialect = case.dialect;
    match case.kind {
        "selector" => again(case, text, |text| parse_selector(text, dialect)),
        "target" => again(case, text, |text| parse_target(text, dialect)),
        "place" => again(case, text, |text| parse_place(text, dialect)),
        "time" => again(case, text, parse_time),
        kind => panic!("no such kind: {kind}"),
    }
}

fn check_accept(case: &Case<'_>) -> Result<(), String> {
    let expected = case.answer.unwrap_or(case.text);
    match canonical(case, case.text) {
        Err(error) => Err(error.render(case.text)),
        Ok(text) if text != expected => {
            Err(format!("canonical is {text}\nexpected     {expected}"))
        }
        Ok(_) => Ok(()),
    }
}

fn check_reject(case: &Case<'_>) -> Result<(), String> {
    let (at, fragment) = case.answer.and_then(|a| a.split_once(": ")).expect("byte: fragment");
    match canonical(case, case.text) {
        Ok(text) => Err(format!("was read as {text}")),
        Err(error) => {
            let hint = error.hint.clone().unwrap_or_default();
            let said = format!("{} {} ({hint})", error.code, error.message);
            let right = error.span.start.to_string() == at && said.contains(fragment);
            let inside = error.span.end <= case.text.len();
            (right && inside).then_some(()).ok_or(format!(
                "{}\nat byte {}, expected byte {at} and: {fragment}",
                error.render(case.text),
                error.span.start
            ))
        }
    }
}

fn check_all(file: &str, check: impl Fn(&Case<'_>) -> Result<(), String>) {
    let wrong: Vec<String> = cases(file)
        .iter()
        .filter_map(|case| {
            let why = check(case).err()?;
            Some(format!("line {} ({}): {}\n{why}\n", case.number, case.dialect, case.text))
        })
        .collect();
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn accepted_selectors_have_their_canonical_form() {
    check_all(include_str!("../../fixtures/selectors/accept.txt"), check_accept);
}

#[test]
fn rejected_selectors_say_where_and_why() {
    check_all(include_str!("../../fixtures/selectors/reject.txt"), check_reject);
}

#[test]
fn a_normalized_selector_has_no_sugar_and_reads_back() {
    for (dialect, text, expected) in [
        (Dialect::V1_0, ".cb(a=1 b)", ".cb[a=1, b]"),
        (
            Dialect::V1_0,
            ".block:summary",
            ".block[nodeType in ['summary', 'block:summary', 'cb:summary']]",
        ),
        (Dialect::V1_0, "(d1, *:cb:x+b+a)", "(d1, *:cb[nodeType in ['x', 'cb:x', 'block:x']]+a+b)"),
        (Dialect::V1_0, ".custom:note", ".custom:note"),
        (Dialect::V0_1, ".cb:summary(a)", ".cb:summary[a]"),
        (Dialect::V0_1, ".a @limit=1 [b]", ".a {b} @limit=1"),
        (Dialect::V1_0, ".a, .b @limit=1 [b]", ".a, .b [b] @limit=1"),
        (Dialect::V0_1, ".a+c+b +z +y", ".a+b+c +y +z"),
    ] {
        let tree = normalized(&parse_selector(text, dialect).unwrap(), dialect);
        let out = format(&tree, dialect);
        assert_eq!(out, expected, "{text}");
        parse_selector(&out, dialect).unwrap();
    }
}

#[test]
fn a_tree_of_one_dialect_is_spelled_for_the_other() {
    for (from, text, expected) in [
        (Dialect::V0_1, ".a [b]:first .c", ".a *[b]:first .c"),
        (Dialect::V0_1, ".a [b]*", ".a *[b]"),
        (Dialect::V1_0, ".a [b]", ".a {b}"),
        (Dialect::V1_0, "(d1, 0) [b]", "(d1, 0) [b]"),
    ] {
        let tree = parse_selector(text, from).unwrap();
        let out = format(&tree, from.other());
        assert_eq!(out, expected, "{text}");
        parse_selector(&out, from.other()).unwrap();
    }
}
