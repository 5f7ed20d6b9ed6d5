//! The text around what a content search matched.
//!
//! A text is cut, and what matched is marked, between characters as people see them. Nothing here is
//! made visible: cells do that.

use super::text::{tail, width_of};
use pactdb::language::ast::{AttrFilter, Op, TestKind, ValueKind, Visit, visit_selector};
use pactdb::language::parse_selector;
use pactdb::{Dialect, Json};
use regex::{Regex, RegexBuilder};
use unicode_segmentation::GraphemeCursor;

/// How much of a text is looked at before and after what matched, in bytes.
const BEFORE: usize = 400;
const AFTER: usize = 2_000;

/// The most memory that a pattern may take, as for the engine.
const PATTERN_BYTES: usize = pactdb::limits::MAX_PATTERN_BYTES;

/// What a selector searches contents for.
#[derive(Debug, Default)]
pub struct Sought(Vec<Regex>);

/// A piece of a text, in one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matched {
    /// What stands before it.
    pub before: String,
    /// What matched.
    pub hit: String,
    /// What stands behind it.
    pub after: String,
}

impl Sought {
    /// What a selector searches contents for; nothing if it is none.
    pub fn by(q: &str, dialect: Dialect) -> Sought {
        let mut sought = Sought::default();
        if let Ok(selector) = parse_selector(q, dialect) {
            visit_selector(&selector, &mut sought);
        }
        sought
    }

    /// Whether nothing is searched for.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first place of a content that matches. So many columns are there to show it in.
    pub fn in_content(&self, content: &Json, columns: usize) -> Option<Matched> {
        let text = content.text();
        let found = self.0.iter().filter_map(|pattern| pattern.find(&text));
        let found = found.filter(|found| !found.is_empty()).min_by_key(regex::Match::start)?;
        let (start, end) = (floor(&text, found.start()), ceil(&text, found.end()));
        let from = floor(&text, start.saturating_sub(BEFORE));
        let to = ceil(&text, (end + AFTER).min(text.len()));
        // A long match is cut like any other text.
        let hit = one_line(&text[start..end.min(ceil(&text, (start + AFTER).min(text.len())))]);
        let mut before = one_line(text[from..start].trim_start());
        if from > 0 || width_of(&format!("{before}{hit}")) > columns {
            before = end_of(&before, columns / 2);
        }
        Some(Matched { before, hit, after: one_line(text[end..to].trim_end()) })
    }
}

impl Visit for Sought {
    fn attrs(&mut self, filter: &AttrFilter) {
        for test in filter.tests.iter().filter(|test| test.name.text == "content") {
            if let TestKind::Compare(Op::Match, value) = &test.kind
                && let ValueKind::Text(text) | ValueKind::Word(text) | ValueKind::Number(text) =
                    &value.kind
            {
                let built = RegexBuilder::new(text).size_limit(PATTERN_BYTES).build();
                self.0.extend(built.ok());
            }
        }
    }
}

/// The end of a text in so many columns, from the beginning of a word if one begins early in it.
fn end_of(text: &str, columns: usize) -> String {
    let kept = &text[tail(text, columns)..];
    let word = kept.find(' ').map(|space| space + 1).filter(|word| *word <= kept.len() / 2);
    format!("…{}", &kept[word.unwrap_or(0)..])
}

/// White space as one space each, also at the ends.
fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for symbol in text.chars() {
        match symbol.is_whitespace() {
            true if out.ends_with(' ') => {}
            true => out.push(' '),
            false => out.push(symbol),
        }
    }
    out
}

/// The greatest place at or before `at` between two characters as people see them.
fn floor(text: &str, at: usize) -> usize {
    let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(true) => at,
        _ => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
    }
}

/// The smallest place at or behind `at` between two characters as people see them.
fn ceil(text: &str, at: usize) -> usize {
    let at = (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(true) => at,
        _ => cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::Sought;
    use pactdb::{Dialect, Json};

    fn check(pattern: &str, content: &str, expected: Option<(&str, &str, &str)>) {
        let sought = Sought::by(&format!("@t0 .cb[content~'{pattern}']"), Dialect::V0_1);
        let found = sought.in_content(&Json::from(content), 40);
        let found = found.as_ref().map(|m| (m.before.as_str(), m.hit.as_str(), m.after.as_str()));
        assert_eq!(found, expected, "{pattern} in {content}");
    }

    #[test]
    fn the_text_around_a_match_is_cut_between_characters() {
        check("fish", "a fish\n  and chips ", Some(("a ", "fish", " and chips")));
        check("bird", "a fish", None);
        check("x*", "a fish", None);
        let long = format!("{} fish", "word ".repeat(60));
        check("fish", &long, Some(("…word word word ", "fish", "")));
        // A family of four is one character, and so is a letter with its accent.
        check("👩", "so 👨‍👩‍👧‍👦!", Some(("so ", "👨‍👩‍👧‍👦", "!")));
        check("e", "cafe\u{301}.", Some(("caf", "e\u{301}", ".")));
        let wide = format!("{}魚", "長".repeat(300));
        check("魚", &wide, Some((&format!("…{}", "長".repeat(10)), "魚", "")));
    }
}
