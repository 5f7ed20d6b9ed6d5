//! Candidates and the text that they replace.

use super::vocabulary::Words;
use crate::language::dialect::Dialect;
use crate::language::span::Span;
use crate::language::words::{Base, Root};

/// Most ids or values that are offered at once.
pub(super) const MOST_VALUES: usize = 50;

/// What could be typed, and which part of the text it replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The bytes that a candidate replaces; they end at the cursor.
    pub span: Span,
    /// What could stand there, in the order in which it is offered.
    pub candidates: Vec<String>,
}

impl Completion {
    /// Nothing, at a place in the text.
    pub fn none(at: usize) -> Completion {
        Completion { span: Span::new(at, at), candidates: Vec::new() }
    }

    /// Those of some candidates that begin with what is typed from `start` to the end of the text,
    /// each once.
    pub fn matching(
        text: &str,
        start: usize,
        candidates: impl IntoIterator<Item = String>,
    ) -> Completion {
        let typed = &text[start..];
        let mut kept: Vec<String> = Vec::new();
        for candidate in candidates {
            if candidate.starts_with(typed) && !kept.contains(&candidate) {
                kept.push(candidate);
            }
        }
        Completion::from_start(text, start, kept)
    }

    /// Candidates for the end of a text.
    pub(super) fn from_start(
        text: &str,
        start: usize,
        candidates: impl IntoIterator<Item = String>,
    ) -> Completion {
        let span = Span::new(start, text.len());
        Completion { span, candidates: candidates.into_iter().collect() }
    }

    /// The same in a longer text, in which this one begins at a byte.
    #[must_use]
    pub fn moved_by(self, bytes: usize) -> Completion {
        let span = Span::new(self.span.start + bytes, self.span.end + bytes);
        Completion { span, ..self }
    }
}

/// Ways to begin a step.
pub fn step_starts(dialect: Dialect) -> Vec<String> {
    let roots = Root::ALL.map(|root| format!("^{}", root.name()));
    let types = Base::ALL.map(|base| format!(".{}", base_word(base, dialect)));
    roots.into_iter().skip(1).chain(types).collect()
}

/// Addresses of single states.
pub fn time_addresses(words: &Words) -> Vec<String> {
    let fixed = ["@t0", "@t-1", "@t-2"].map(str::to_owned);
    let cycles = words.cycles.iter().map(|cycle| format!("@c{cycle}"));
    fixed.into_iter().chain(cycles).chain([format!("@e{}", words.event)]).collect()
}

/// The word that a dialect has for a base type.
pub(super) fn base_word(base: Base, dialect: Dialect) -> &'static str {
    let [old, new] = base.names();
    if dialect == Dialect::V0_1 { old } else { new }
}

/// The end of a text that is made of these characters.
pub(super) fn trailing(text: &str, keep: impl Fn(char) -> bool) -> &str {
    let start = text.char_indices().rev().take_while(|(_, c)| keep(*c)).last();
    start.map_or("", |(start, _)| &text[start..])
}

/// What is typed since the last white space.
pub(super) fn last_word(text: &str) -> &str {
    text.rsplit(char::is_whitespace).next().unwrap_or("")
}
