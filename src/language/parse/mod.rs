//! Text to syntax tree, or the one error.
//!
//! Here the generated parser is driven; nothing else uses it. Its actions call `construct`, which
//! makes the nodes of the tree and refuses what a production cannot say; `bounds` holds the finished
//! tree against the limits. Every failure, of the lexer, the grammar, a constructor or a bound,
//! leaves here as a [`SyntaxError`].

mod bounds;
mod construct;

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, clippy::unwrap_used, clippy::expect_used, missing_docs)]
    #[allow(unreachable_pub, unused_qualifications, unused)]
    grammar,
    "/selector.rs"
);

use crate::language::ast::{Place, PlaceKind, Selector, Statement, Target, Time};
use crate::language::diagnostics::{Failure, Subject, diagnose, diagnose_fault, unknown_statement};
use crate::language::dialect::Dialect;
use crate::language::lexing::{Lexeme, Lexer, Reading, Token, layout};
use crate::language::syntax_error::SyntaxError;
use crate::language::words::Keyword;
use grammar::{
    PlaceTextParser, SelectorTextParser, StatementTextParser, TargetTextParser, TimeTextParser,
};
use lalrpop_util::ParseError;

/// Reads a selector.
pub fn parse_selector(text: &str, dialect: Dialect) -> Result<Selector, SyntaxError> {
    let tokens = layout(text, dialect, Reading::Query)?;
    let failure = Failure { text, tokens: &tokens, subject: Subject::Selector };
    let selector = finish(&failure, SelectorTextParser::new().parse(stream(&failure)))?;
    bounds::check(&selector)?;
    Ok(selector)
}

/// Reads a statement: a selector, or a line that begins with a word such as `add`. A word that begins no statement is
/// explained as a slip for one that does, or else as the mistake that it is in a selector.
pub fn parse_statement(text: &str, dialect: Dialect) -> Result<Statement, SyntaxError> {
    let first = Lexer::new(text).find(|lexeme| lexeme.token != Token::Space);
    match first.map(|lexeme| (lexeme.token, lexeme.span)) {
        Some((Token::Word(word), _)) if Keyword::leading(word).is_some() => {}
        Some((Token::Word(word), span)) => {
            let explained = parse_selector(text, dialect).map(Statement::Select);
            return explained.map_err(|error| unknown_statement(word, span, error));
        }
        _ => return parse_selector(text, dialect).map(Statement::Select),
    }
    let tokens = layout(text, dialect, Reading::Statement)?;
    let failure = Failure { text, tokens: &tokens, subject: Subject::Statement };
    let statement = finish(&failure, StatementTextParser::new().parse(stream(&failure)))?;
    check_bounds(&statement)?;
    Ok(statement)
}

fn check_bounds(statement: &Statement) -> Result<(), SyntaxError> {
    match statement {
        Statement::Select(selector) => bounds::check(selector),
        Statement::Add(add) => add.place.as_ref().map_or(Ok(()), check_place),
        Statement::Set(set) => bounds::check(&set.target.selector),
        Statement::Move(request) => {
            bounds::check(&request.target.selector).and_then(|()| check_place(&request.to))
        }
        Statement::Remove(remove) => bounds::check(&remove.target.selector),
        Statement::Diff(diff) => diff.selector.as_ref().map_or(Ok(()), bounds::check),
        _ => Ok(()),
    }
}

/// Reads the target of an edit: a selector without a time, which may end in `?`.
pub fn parse_target(text: &str, dialect: Dialect) -> Result<Target, SyntaxError> {
    let tokens = layout(text, dialect, Reading::Query)?;
    let failure = Failure { text, tokens: &tokens, subject: Subject::Target };
    let target = finish(&failure, TargetTextParser::new().parse(stream(&failure)))?;
    bounds::check(&target.selector)?;
    Ok(target)
}

/// Reads the place of a new node: a selector without a time, or a position that ends in an
/// insertion. A signed last element of a position is always an insertion here.
pub fn parse_place(text: &str, dialect: Dialect) -> Result<Place, SyntaxError> {
    let tokens = layout(text, dialect, Reading::Place)?;
    let failure = Failure { text, tokens: &tokens, subject: Subject::Place };
    let place = finish(&failure, PlaceTextParser::new().parse(stream(&failure)))?;
    check_place(&place)?;
    Ok(place)
}

fn check_place(place: &Place) -> Result<(), SyntaxError> {
    match &place.kind {
        PlaceKind::Under(selector) => bounds::check(selector),
        PlaceKind::Insert(_, position, _) => bounds::check_position(position),
    }
}

/// Reads a time address or range on its own; it reads the same in both dialects.
pub fn parse_time(text: &str) -> Result<Time, SyntaxError> {
    let tokens = layout(text, Dialect::default(), Reading::Query)?;
    let failure = Failure { text, tokens: &tokens, subject: Subject::Time };
    finish(&failure, TimeTextParser::new().parse(stream(&failure)))
}

type Fed<'a> = Result<(usize, Token<'a>, usize), SyntaxError>;

/// The tokens as the generated parser wants them; a fault becomes an error when it is reached.
fn stream<'a, 'b>(failure: &'b Failure<'a, 'b>) -> impl Iterator<Item = Fed<'a>> + use<'a, 'b> {
    failure.tokens.iter().map(|&Lexeme { token, span }| match token {
        Token::Fault(fault) => Err(diagnose_fault(failure, fault, span)),
        token => Ok((span.start, token, span.end)),
    })
}

fn finish<T>(
    failure: &Failure<'_, '_>,
    parsed: Result<T, ParseError<usize, Token<'_>, SyntaxError>>,
) -> Result<T, SyntaxError> {
    parsed.map_err(|error| match error {
        ParseError::User { error } => error,
        ParseError::UnrecognizedToken { token: (start, ..), expected } => {
            diagnose(failure, Some(start), &expected)
        }
        ParseError::ExtraToken { token: (start, ..) } => diagnose(failure, Some(start), &[]),
        ParseError::UnrecognizedEof { expected, .. } => diagnose(failure, None, &expected),
        ParseError::InvalidToken { .. } => diagnose(failure, None, &[]),
    })
}
