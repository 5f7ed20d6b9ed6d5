//! Drives the generated parser: text to syntax tree, or the one error.
//!
//! The only user of the generated code. Every failure, of the lexer, the grammar, a constructor
//! or a bound, leaves here as a [`SelectorError`].

use lalrpop_util::ParseError;

use super::ast::{Place, Selector, Target, Time};
use super::bounds;
use super::diagnose::{Failure, Subject, diagnose, diagnose_fault};
use super::dialect::Dialect;
use super::error::SelectorError;
use super::grammar::{PlaceTextParser, SelectorTextParser, TargetTextParser, TimeTextParser};
use super::layout::{Reading, layout};
use super::token::{Lexeme, Token};

/// Reads a whole selector.
pub(super) fn selector(text: &str, dialect: Dialect) -> Result<Selector, SelectorError> {
    let tokens = layout(text, dialect, Reading::Query)?;
    let failure = Failure { text, tokens: &tokens, subject: Subject::Selector };
    let selector = finish(&failure, SelectorTextParser::new().parse(stream(&failure)))?;
    bounds::check(&selector)?;
    Ok(selector)
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
    match &place {
        Place::Under(selector) => bounds::check(selector)?,
        Place::Insert(_, position, _) => bounds::check_position(position)?,
    }
    Ok(place)
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
