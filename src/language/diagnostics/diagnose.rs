//! Failures of the lexer and the parser to the one error, in people's words.
//!
//! The only place where they are converted. It looks at the tokens around the failure and at
//! nothing that was parsed; advice on what to write instead comes from [`super::hint`].

use super::expect::{either, phrases};
use super::hint::{Scene, hint};
use super::nearest::nearest;
use super::subject::Subject;
use crate::language::lexing::unclosed_brackets;
use crate::language::lexing::{Bracket, Fault, Lexeme, Token};
use crate::language::span::Span;
use crate::language::syntax_error::SyntaxError;
use crate::language::words::{Keyword, NestingPseudo, PseudoName, Root};

/// Most phrases that a message lists; beyond that it says only what it found.
const MOST_PHRASES: usize = 5;

/// A text that was being read, and its tokens.
pub(crate) struct Failure<'a, 'b> {
    pub(crate) text: &'a str,
    pub(crate) tokens: &'b [Lexeme<'a>],
    pub(crate) subject: Subject,
}

impl<'a> Failure<'a, '_> {
    /// The bracket around the token at `index`, if it is open there and never closed.
    fn unclosed_around(&self, index: usize) -> Option<SyntaxError> {
        let around = *unclosed_brackets(&self.tokens[..index]).last()?;
        unclosed_brackets(self.tokens).contains(&around).then(|| {
            let bracket = around.of(self.text);
            SyntaxError::invalid(around, format!("this `{bracket}` is never closed"))
        })
    }

    fn index_of(&self, start: usize) -> usize {
        self.tokens.partition_point(|lexeme| lexeme.span.start < start)
    }
}

/// The error for a token that does not fit, or for the end of the text.
pub(crate) fn diagnose(
    failure: &Failure<'_, '_>,
    start: Option<usize>,
    expected: &[String],
) -> SyntaxError {
    let mut index = start.map_or(failure.tokens.len(), |start| failure.index_of(start));
    let is_gap =
        |at: usize| matches!(failure.tokens.get(at), Some(Lexeme { token: Token::Gap(_), .. }));
    index += usize::from(is_gap(index));
    let gap = index > 0 && is_gap(index - 1);
    let before_at = index.checked_sub(1 + usize::from(gap));
    let found = failure.tokens.get(index);
    let before = before_at.map(|at| failure.tokens[at]);
    if let Some(error) = empty_brackets(failure, before, found) {
        return error;
    }
    if let Some(error) = failure.unclosed_around(index) {
        return error;
    }
    if let Some(&Lexeme { token: Token::Fault(fault), span }) = found {
        return diagnose_fault(failure, fault, span);
    }
    let expected_phrases = phrases(expected);
    let list = match expected_phrases.len() {
        0 => String::new(),
        1..=MOST_PHRASES => format!("expected {}", either(&expected_phrases)),
        _ => String::new(),
    };
    let (span, message) = match found {
        None if failure.tokens.is_empty() => {
            (Span::new(0, 0), format!("{} is empty", failure.subject.name()))
        }
        None => {
            let end = failure.tokens.last().map_or(0, |last| last.span.end);
            (Span::new(end, end), with(format!("{} ends too early", failure.subject.name()), list))
        }
        Some(found) => {
            let text = excerpt(found.span.of(failure.text));
            (found.span, with(format!("`{text}` cannot stand here"), list))
        }
    };
    let around = around(&failure.tokens[..index]);
    let scene = Scene {
        subject: failure.subject,
        before: before.map(|before| before.token),
        earlier: before_at.and_then(|at| at.checked_sub(1)).map(|at| failure.tokens[at].token),
        gap,
        found: found.map(|found| found.token),
        inside: around.map(|(bracket, _)| bracket),
        in_last_chain: around.is_some_and(|(_, chain)| chain),
        step_may_follow: expected.iter().any(|name| name == "GapStep" || name == "RootName"),
    };
    SyntaxError {
        expected: expected_phrases,
        hint: hint(&scene),
        ..SyntaxError::invalid(span, message)
    }
}

/// The error for a line that begins with a word of no statement: what it is a slip for, or what it
/// is in a selector.
pub(crate) fn unknown_statement(word: &str, span: Span, read: SyntaxError) -> SyntaxError {
    const MEANT: [(&str, Keyword); 8] = [
        ("insert", Keyword::Add),
        ("append", Keyword::Add),
        ("update", Keyword::Set),
        ("mv", Keyword::Move),
        ("delete", Keyword::Remove),
        ("del", Keyword::Remove),
        ("revert", Keyword::Undo),
        ("compare", Keyword::Diff),
    ];
    let names = Keyword::LEADING.map(Keyword::name);
    let other = MEANT.iter().find(|(other, _)| *other == word).map(|(_, meant)| meant.name());
    let Some(near) = other.or_else(|| nearest(word, names.into_iter().chain(["remove"]))) else {
        return read;
    };
    SyntaxError {
        expected: names.map(|name| format!("`{name}`")).into(),
        hint: Some(format!("did you mean `{near}`?")),
        ..SyntaxError::invalid(span, format!("`{}` begins no statement", excerpt(word)))
    }
}

/// The error for text that is no token.
pub(crate) fn diagnose_fault(
    failure: &Failure<'_, '_>,
    fault: Fault<'_>,
    span: Span,
) -> SyntaxError {
    let index = failure.index_of(span.start);
    let text = excerpt(span.of(failure.text));
    match fault {
        Fault::UnclosedQuote => {
            let quote = span.start + usize::from(span.of(failure.text).starts_with('#'));
            SyntaxError::invalid(Span::new(quote, quote + 1), "this quote is never closed")
        }
        Fault::Unmatched => match unclosed_brackets(&failure.tokens[..index]).last() {
            None => SyntaxError::invalid(span, format!("`{text}` closes nothing")),
            Some(open) => SyntaxError::invalid(
                span,
                format!(
                    "`{text}` does not close the `{}` at byte {}",
                    open.of(failure.text),
                    open.start
                ),
            ),
        },
        Fault::UnknownRoot(name) => {
            guess(span, format!("`{text}` is no root"), "^", name, Root::ALL.map(Root::name))
        }
        Fault::UnknownPseudo(name) => {
            let names = PseudoName::ALL.map(PseudoName::name);
            let error = guess(span, format!("`{text}` is no pseudo"), ":", name, names);
            let star = index.checked_sub(1).map(|before| failure.tokens[before].token);
            match error.hint {
                None if NestingPseudo::from_name(name).is_some() => {
                    error.with_hint(format!("`:{name}` holds a selector: `:{name}(.cb)`"))
                }
                None if star == Some(Token::Star) => error.with_hint(format!(
                    "write `.{name}` for a type; `*:{name}` belongs inside a position"
                )),
                _ => error,
            }
        }
        Fault::BadTime(_) => SyntaxError::invalid(span, format!("`{text}` is no time address"))
            .with_hint("write `@t0`, `@t-3`, `@c42`, `@e7`, `@*` or a range such as `@t-3..@t0`"),
        _ => match (failure.unclosed_around(index), fault) {
            (Some(error), _) => error,
            (None, Fault::BadNumber(_)) => {
                SyntaxError::invalid(span, format!("`{text}` is no number"))
                    .with_hint(format!("quote it if it is text: '{text}'"))
            }
            (None, Fault::MissingName(what)) => {
                SyntaxError::invalid(span, format!("expected {what} after `{text}`"))
            }
            (None, _) => unexpected(span, &text, innermost(&failure.tokens[..index])),
        },
    }
}

fn unexpected(span: Span, text: &str, inside: Option<Bracket>) -> SyntaxError {
    let error = SyntaxError::invalid(span, format!("`{text}` means nothing here"));
    match inside {
        Some(Bracket::Group) if matches!(text, "." | "#" | "^" | "*") => error.with_hint(
            "parentheses behind a name hold filters; only `:has(…)` and `:not(…)` hold selectors",
        ),
        Some(Bracket::Square | Bracket::Brace | Bracket::Array | Bracket::Group) => error
            .with_hint("quote a name or value that is not letters, digits, `_`, `-` and `:`"),
        _ if text.starts_with(char::is_alphabetic) => error.with_hint(
            "names are ASCII letters, digits, `_` and `-`; quote any other: `#'…'`, `[nodeType='…']`",
        ),
        _ => error,
    }
}

fn guess<const N: usize>(
    span: Span,
    message: String,
    sigil: &str,
    name: &str,
    names: [&'static str; N],
) -> SyntaxError {
    SyntaxError {
        expected: names.iter().map(|name| format!("`{sigil}{name}`")).collect(),
        hint: nearest(name, names).map(|near| format!("did you mean `{sigil}{near}`?")),
        ..SyntaxError::invalid(span, message)
    }
}

/// `()`, `[]`, `{}`: the error covers both brackets.
fn empty_brackets(
    failure: &Failure<'_, '_>,
    before: Option<Lexeme<'_>>,
    found: Option<&Lexeme<'_>>,
) -> Option<SyntaxError> {
    let (before, found) = (before?, found?);
    let Token::Open(bracket) = before.token else { return None };
    if found.token != bracket.close() {
        return None;
    }
    let span = Span::new(before.span.start, found.span.end);
    let brackets = format!("{}{}", before.span.of(failure.text), found.span.of(failure.text));
    let wanted = match bracket {
        Bracket::Square | Bracket::Brace | Bracket::Group => "a test such as `role='user'`",
        Bracket::Array => "a value",
        Bracket::Set | Bracket::Args => "a number",
        Bracket::Has => "a selector such as `.cb`",
        Bracket::Not => "a step such as `.cb`",
        Bracket::Position | Bracket::Chain => "a position or a chain",
    };
    let message = format!("`{brackets}` is empty: expected {wanted} inside");
    Some(SyntaxError { expected: vec![wanted.to_owned()], ..SyntaxError::invalid(span, message) })
}

fn innermost(tokens: &[Lexeme<'_>]) -> Option<Bracket> {
    around(tokens).map(|(bracket, _)| bracket)
}

/// The innermost bracket that is open, and whether it is a position whose last element, a chain, has
/// begun.
fn around(tokens: &[Lexeme<'_>]) -> Option<(Bracket, bool)> {
    let mut open: Vec<(Bracket, bool)> = Vec::new();
    let mut last = None;
    for lexeme in tokens {
        if let (Some((Bracket::Position, chain)), Some(Token::Comma)) = (open.last_mut(), last) {
            *chain |= lexeme.token.begins_chain();
        }
        last = Some(lexeme.token);
        match lexeme.token {
            Token::Open(bracket) => open.push((bracket, false)),
            Token::CloseRound | Token::CloseSquare | Token::CloseBrace => {
                open.pop();
            }
            _ => {}
        }
    }
    open.pop()
}

fn with(message: String, list: String) -> String {
    if list.is_empty() { message } else { format!("{message}: {list}") }
}

/// A piece of text short enough for a message of one line.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
