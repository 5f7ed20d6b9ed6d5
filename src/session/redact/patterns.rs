//! What a secret looks like: the patterns that are known by name, and those of a request.
//!
//! It knows texts and nothing of stores. All expressions take linear time, whatever the text.

use super::cards::cards;
use crate::error::{Error, Result};
use regex::{Regex, RegexBuilder};
use std::ops::Range;

/// The most patterns of one's own.
const MAX_OWN: usize = 64;

/// The most memory that a pattern of one's own may take once it is compiled, in bytes.
const MAX_COMPILED: usize = 1 << 20;

/// The patterns that have a name, and whether they are looked for without being asked for.
const KNOWN: [(&str, &str, bool); 10] = [
    ("api-key", r"\bsk-[A-Za-z0-9_-]{20,}", true),
    ("aws-key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b", true),
    ("github-token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})", true),
    ("google-key", r"\bAIza[0-9A-Za-z_-]{35}", true),
    ("slack-token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}", true),
    ("bearer", r"(?i)\bbearer\s+[a-z0-9._~+/-]{20,}=*", true),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*", true),
    ("private-key", r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY.*?(?:-----END [A-Z0-9 ]*|\z)", true),
    (CARD, "", true),
    ("email", r"\b[A-Za-z0-9._%+-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}\b", false),
];

/// Cards have a check digit, which no expression can see.
const CARD: &str = "card";

/// Patterns, ready to be looked for.
pub(super) struct Patterns(Vec<Pattern>);

struct Pattern {
    name: String,
    /// None for cards.
    regex: Option<Regex>,
}

impl Patterns {
    /// The patterns of these names, or all that need not be asked for; and those of one's own.
    pub(super) fn new(names: &[String], own: &[String]) -> Result<Patterns> {
        if own.len() > MAX_OWN {
            return Err(Error::request(format!(
                "there can be at most {MAX_OWN} patterns of one's own"
            )));
        }
        let mut patterns = Vec::new();
        for name in names {
            let known = KNOWN.iter().find(|(known, ..)| known == name);
            let (name, regex, _) = known.ok_or_else(|| {
                let known = KNOWN.map(|(name, ..)| name).join(", ");
                Error::request(format!("there is no pattern '{name}': there are {known}"))
            })?;
            patterns.push(Pattern::known(name, regex)?);
        }
        if names.is_empty() && own.is_empty() {
            for (name, regex, _) in KNOWN.iter().filter(|(_, _, by_itself)| *by_itself) {
                patterns.push(Pattern::known(name, regex)?);
            }
        }
        for (i, regex) in own.iter().enumerate() {
            patterns.push(Pattern::own(i + 1, regex)?);
        }
        Ok(Patterns(patterns))
    }

    /// Their names, in the order in which they are looked for.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|pattern| pattern.name.as_str())
    }

    /// How often each is in a text; those that are not are left out.
    pub(super) fn count<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, u64)> + 'a {
        let counted = |(i, pattern): (usize, &'a Pattern)| (i, pattern.spans(text).len() as u64);
        self.0.iter().enumerate().map(counted).filter(|(_, count)| *count > 0)
    }
}

impl Pattern {
    fn known(name: &str, regex: &str) -> Result<Pattern> {
        let regex = match name {
            CARD => None,
            _ => Some(compiled(regex).map_err(|error| Error::request(error.to_string()))?),
        };
        Ok(Pattern { name: name.to_owned(), regex })
    }

    fn own(number: usize, text: &str) -> Result<Pattern> {
        let wrong = |what: String| Error::request(format!("own pattern {number}: {what}"));
        let regex = compiled(text).map_err(|error| wrong(error.to_string()))?;
        if regex.is_match("") {
            return Err(wrong("it matches nothing at all, and so everywhere".into()));
        }
        Ok(Pattern { name: format!("own-{number}"), regex: Some(regex) })
    }

    fn spans(&self, text: &str) -> Vec<Range<usize>> {
        match &self.regex {
            Some(regex) => regex.find_iter(text).map(|found| found.range()).collect(),
            None => cards(text),
        }
    }
}

fn compiled(text: &str) -> std::result::Result<Regex, regex::Error> {
    RegexBuilder::new(text).size_limit(MAX_COMPILED).build()
}
