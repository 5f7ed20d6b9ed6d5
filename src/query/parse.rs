//! Drives the generated parser: text to syntax tree, or the one error.
//!
//! The only user of the generated code. Every failure, of the lexer, the grammar, a constructor
//! or a bound, leaves here as a [`SelectorError`].

use lalrpop_util::ParseError;

use super::ast::{Place, PlaceKind, Selector, Statement, Target, Time};
use super::bounds;
use super::diagnose::{Failure, Subject, diagnose, diagnose_fault, unknown_statement};
use super::dialect::Dialect;
use super::error::SelectorError;
use super::grammar::{
    PlaceTextParser, SelectorTextParser, StatementTextParser, TargetTextParser, TimeTextParser,
};
use super::layout::{Reading, layout};
use super::lexer::Lexer;
use super::token::{Lexeme, Token};
use super::words::Keyword;

/// Reads a whole selector.
pub(super) fn selector(text: &str, dialect: Dialect) -> Result<Selector, SelectorError> {
    let tokens = layout(text, dialect, Reading::Query)?;
    let failure = Failure { text, tokens: &tokens, subject: Subject::Selector };
    let selector = finish(&failure, SelectorTextParser::new().parse(stream(&failure)))?;
    bounds::check(&selector)?;
    Ok(selector)
}

/// Reads a statement. What begins with no word is a selector; a word that begins no statement is
/// explained as a slip for one that does, or else as the mistake that it is in a selector.
pub(super) fn statement(text: &str, dialect: Dialect) -> Result<Statement, SelectorError> {
    let first = Lexer::new(text).find(|lexeme| lexeme.token != Token::Space);
    match first.map(|lexeme| (lexeme.token, lexeme.span)) {
        Some((Token::Word(word), _)) if Keyword::leading(word).is_some() => {}
        Some((Token::Word(word), span)) => {
            let explained = selector(text, dialect).map(Statement::Select);
            return explained.map_err(|error| unknown_statement(word, span, error));
        }
        _ => return selector(text, dialect).map(Statement::Select),
    }
    let tokens = layout(text, dialect, Reading::Statement)?;
    let failure = Failure { text, tokens: &tokens, subject: Subject::Statement };
    let statement = finish(&failure, StatementTextParser::new().parse(stream(&failure)))?;
    check_bounds(&statement)?;
    Ok(statement)
}

fn check_bounds(statement: &Statement) -> Result<(), SelectorError> {
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

/// Reads the target of an edit.
pub(super) fn target(text: &str, dialect: Dialect) -> Result<Target, SelectorError> {
    let tokens = layout(text, dialect, Reading::Query)?;
    let failure = Failure { text, tokens: &tokens, subject: Subject::Target };
    let target = finish(&failure, TargetTextParser::new().parse(stream(&failure)))?;
    bounds::check(&target.selector)?;
    Ok(target)
}

/// Reads the place of a new node.
pub(super) fn place(text: &str, dialect: Dialect) -> Result<Place, SelectorError> {
    let tokens = layout(text, dialect, Reading::Place)?;
    let failure = Failure { text, tokens: &tokens, subject: Subject::Place };
    let place = finish(&failure, PlaceTextParser::new().parse(stream(&failure)))?;
    check_place(&place)?;
    Ok(place)
}

fn check_place(place: &Place) -> Result<(), SelectorError> {
    match &place.kind {
        PlaceKind::Under(selector) => bounds::check(selector),
        PlaceKind::Insert(_, position, _) => bounds::check_position(position),
    }
}

/// Reads a time address or range on its own; it reads the same in both dialects.
pub(super) fn time(text: &str) -> Result<Time, SelectorError> {
    let tokens = layout(text, Dialect::default(), Reading::Query)?;
    let failure = Failure { text, tokens: &tokens, subject: Subject::Time };
    finish(&failure, TimeTextParser::new().parse(stream(&failure)))
}

type Fed<'a> = Result<(usize, Token<'a>, usize), SelectorError>;

/// The tokens as the generated parser wants them; a fault becomes an error when it is reached.
fn stream<'a, 'b>(failure: &'b Failure<'a, 'b>) -> impl Iterator<Item = Fed<'a>> + use<'a, 'b> {
    failure.tokens.iter().map(|&Lexeme { token, span }| match token {
        Token::Fault(fault) => Err(diagnose_fault(failure, fault, span)),
        token => Ok((span.start, token, span.end)),
    })
}

fn finish<T>(
    failure: &Failure<'_, '_>,
    parsed: Result<T, ParseError<usize, Token<'_>, SelectorError>>,
) -> Result<T, SelectorError> {
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
