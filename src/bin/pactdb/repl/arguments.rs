//! The arguments of a dot command, read by the definition that the command line has for it: flags,
//! values and errors are the same in both.
//!
//! A line is cut into words where white space stands outside of quotes and brackets, so that a selector
//! needs no quotes of its own. Where a command takes a selector, all words that are no flags are it, and
//! stay as they were typed.

use clap::{Arg, Args};
use pactdb::{Error, Result};
use std::ops::Range;

/// What the words of a line are that are no flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Each is an argument.
    Words,
    /// Together they are one selector.
    Selector,
}

/// The definition of a command's arguments.
pub fn definition<A: Args>() -> clap::Command {
    let command = clap::Command::new("").no_binary_name(true);
    A::augment_args(command.disable_help_flag(true).disable_version_flag(true))
}

/// The arguments of a line.
pub fn parse<A: Args>(rest: &str, shape: Shape) -> Result<A> {
    let mut command = definition::<A>();
    let arguments = arguments(&command, rest, shape);
    let matches = command.try_get_matches_from_mut(arguments);
    let parsed = matches.and_then(|matches| A::from_arg_matches(&matches));
    parsed.map_err(|error| refused(&error, &command))
}

/// The flags of a definition that completion and help name.
pub fn flags(command: &clap::Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|argument| argument.get_long().is_some())
}

/// Flags with their values first, then everything else, whatever it begins with.
fn arguments(command: &clap::Command, rest: &str, shape: Shape) -> Vec<String> {
    let (mut flags, mut others) = (Vec::new(), Vec::new());
    let mut words = words(rest).into_iter();
    while let Some(word) = words.next() {
        let text = &rest[word.clone()];
        match flag(command, text) {
            None => others.push(word),
            Some(values) => {
                flags.push(text.to_owned());
                flags.extend(words.by_ref().take(values).map(|value| plain(&rest[value])));
            }
        }
    }
    flags.push("--".to_owned());
    match (shape, &others[..]) {
        (_, []) => {}
        (Shape::Selector, [only]) => flags.push(unquoted(&rest[only.clone()])),
        (Shape::Selector, [first, .., last]) => {
            let whole = &rest[first.start..last.end];
            let together = others
                .windows(2)
                .all(|pair| rest[pair[0].end..pair[1].start].chars().all(char::is_whitespace));
            let pieces = || others.iter().map(|word| &rest[word.clone()]).collect::<Vec<_>>();
            flags.push(if together { whole.to_owned() } else { pieces().join(" ") });
        }
        (Shape::Words, _) => flags.extend(others.iter().map(|word| plain(&rest[word.clone()]))),
    }
    flags
}

/// How many values follow a word that is a flag; none if it is no flag. One that is not known is left
/// to the definition, which says so.
fn flag(command: &clap::Command, word: &str) -> Option<usize> {
    let name = word.strip_prefix("--").filter(|name| !name.is_empty());
    let known = match name {
        Some(name) => {
            let own = name.split('=').next();
            flags(command).find(|argument| argument.get_long() == own)
        }
        None => {
            let letter = word.strip_prefix('-').filter(|letter| letter.chars().count() == 1)?;
            let short = letter.chars().next();
            Some(command.get_arguments().find(|argument| argument.get_short() == short)?)
        }
    };
    let takes = known.filter(|argument| argument.get_action().takes_values());
    let takes = takes.filter(|_| !word.contains('='));
    let most = |argument: &Arg| argument.get_num_args().map_or(1, |range| range.max_values());
    Some(takes.map_or(0, most))
}

/// Where the words of a text are.
pub fn words(text: &str) -> Vec<Range<usize>> {
    let (mut words, mut start) = (Vec::new(), None);
    let (mut quote, mut depth, mut escaped) = (None, 0usize, false);
    for (at, symbol) in text.char_indices() {
        if symbol.is_whitespace() && quote.is_none() && depth == 0 && !escaped {
            words.extend(start.take().map(|start| start..at));
            continue;
        }
        start.get_or_insert(at);
        let was_escaped = std::mem::replace(&mut escaped, false);
        match (quote, symbol) {
            _ if was_escaped => {}
            (_, '\\') => escaped = true,
            (Some(open), _) if open == symbol => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(symbol),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    words.extend(start.map(|start| start..text.len()));
    words
}

/// A word as an argument: quotes around the whole of it are not part of it, nor is a backslash before
/// white space, which the completion of file names writes.
fn plain(word: &str) -> String {
    match unquoted(word) {
        whole if whole == word => word.replace("\\ ", " "),
        inner => inner,
    }
}

/// A text without quotes that stand around the whole of it.
fn unquoted(word: &str) -> String {
    let Some(quote) = word.chars().next().filter(|first| matches!(first, '\'' | '"')) else {
        return word.to_owned();
    };
    let (mut inner, mut symbols) = (String::new(), word[1..].chars());
    while let Some(symbol) = symbols.next() {
        match symbol {
            // What stands behind the quote makes it no quote around everything.
            _ if symbol == quote => {
                return if symbols.next().is_none() { inner } else { word.to_owned() };
            }
            '\\' => match symbols.next() {
                Some(next) if next == quote || next == '\\' => inner.push(next),
                next => {
                    inner.push('\\');
                    inner.extend(next);
                }
            },
            _ => inner.push(symbol),
        }
    }
    word.to_owned()
}

/// What is wrong with the arguments, in the words of the command line.
fn refused(error: &clap::Error, command: &clap::Command) -> Error {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let first = paragraphs.next().unwrap_or_default().trim_start_matches("error: ");
    let lines: Vec<&str> = first.lines().map(str::trim).collect();
    let mut error = Error::request(lines.join(" "));
    let tip = paragraphs.find_map(|part| part.trim().strip_prefix("tip: ")).map(str::to_owned);
    let known: Vec<String> =
        flags(command).filter_map(|flag| Some(format!("--{}", flag.get_long()?))).collect();
    let known = (!known.is_empty()).then(|| format!("its flags are {}", known.join(", ")));
    error.details.hint = tip.filter(|tip| !tip.contains("to pass")).or(known);
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{LogArgs, ThreadArgs, TreeArgs};

    fn cut<A: Args>(rest: &str, shape: Shape) -> Vec<String> {
        arguments(&definition::<A>(), rest, shape)
    }

    #[test]
    fn a_line_is_cut_into_flags_and_the_rest() {
        for (rest, cut_into) in [
            (".cb[role = 'a b'] .mt", &["--", ".cb[role = 'a b'] .mt"][..]),
            ("@c12  --turns 3", &["--turns", "3", "--", "@c12"]),
            ("--turns=3 @c12 ^ah", &["--turns=3", "--", "@c12 ^ah"]),
            ("^seq --all .cb", &["--all", "--", "^seq .cb"]),
            ("'.cb[role=\"x\"]'", &["--", ".cb[role=\"x\"]"]),
            ("--at @'2026-03-02 18:00'", &["--at", "@'2026-03-02 18:00'", "--"]),
            ("--at '2026-03-02 18:00'", &["--at", "2026-03-02 18:00", "--"]),
            ("", &["--"]),
        ] {
            assert_eq!(cut::<TreeArgs>(rest, Shape::Selector), cut_into, "{rest}");
        }
        for (rest, cut_into) in [
            ("it's.pact", &["--", "it's.pact"][..]),
            ("my\\ file 'other file'", &["--", "my file", "other file"]),
            ("-5 --limit 2", &["--limit", "2", "--", "-5"]),
            ("--nonsense x", &["--nonsense", "--", "x"]),
        ] {
            assert_eq!(cut::<LogArgs>(rest, Shape::Words), cut_into, "{rest}");
        }
        let compare = ["--compare", "@c1", "@c2", "--", "openai"];
        assert_eq!(cut::<ThreadArgs>("--compare @c1 @c2 openai", Shape::Words), compare);
    }
}
