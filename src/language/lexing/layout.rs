//! Which white space means something: tokens as found to tokens as the grammar wants them.
//!
//! White space is an operator between steps and nothing anywhere else (R6.2). Here it is dropped
//! or turned into a [`Gap`] that says what it leads to, so that the grammar never has to look two
//! tokens ahead. The only stage of syntax that needs the dialect, and the one that enforces the
//! bounds on length and nesting. Invariant: the stream that comes out holds no [`Token::Space`].

use super::keywords::statement_tokens;
use super::lexer::Lexer;
use super::token::{Bracket, Gap, Lexeme, Token};
use crate::language::dialect::Dialect;
use crate::language::span::Span;
use crate::language::syntax_error::SyntaxError;
use crate::language::words::Keyword;
use crate::limits::{MAX_NESTING, MAX_SELECTOR_BYTES, MAX_STATEMENT_BYTES};

/// What a text is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// A selector, a target or a time.
    Query,
    /// The place of a new node, where a signed last element of a position is an insertion.
    Place,
    /// A statement: places in it read like places, and the rest like queries.
    Statement,
}

/// The tokens of `text` with only the white space that means something.
pub(crate) fn layout(
    text: &str,
    dialect: Dialect,
    reading: Reading,
) -> Result<Vec<Lexeme<'_>>, SyntaxError> {
    let found = match reading {
        Reading::Statement => bounded_statement(text)?,
        Reading::Query | Reading::Place => bounded_selector(text)?,
    };
    let mut in_place = reading == Reading::Place;
    let mut laid: Vec<Lexeme<'_>> = Vec::with_capacity(found.len());
    let mut open: Vec<Bracket> = Vec::new();
    for (index, lexeme) in found.iter().enumerate() {
        let next = found.get(index + 1).map(|next| next.token);
        if let (Some(open @ Bracket::Position), Some(Token::Comma)) =
            (open.last_mut(), laid.last().map(|last| last.token))
            && lexeme.token.begins_chain()
        {
            // An element that is a chain: from here on white space joins steps (R14.16).
            *open = Bracket::Chain;
        }
        let token = match lexeme.token {
            Token::Keyword(keyword) => {
                in_place = matches!(keyword, Keyword::Add | Keyword::To);
                lexeme.token
            }
            Token::Space => {
                let joins = open.last().is_none_or(|bracket| bracket.holds_steps());
                let last = laid.last().map(|last| last.token);
                let content = reading == Reading::Statement && matches!(next, Some(Token::Text(_)));
                match gap(last, next, dialect).filter(|_| joins && !content) {
                    Some(gap) => Token::Gap(gap),
                    None => continue,
                }
            }
            Token::Number(number)
                if in_place
                    && open.last() == Some(&Bracket::Position)
                    && laid.last().is_some_and(|last| last.token == Token::Comma)
                    && number.starts_with(['+', '-'])
                    && closes(&found[index + 1..]) =>
            {
                Token::InsertAt(number)
            }
            // Behind steps `@*` is a control that nobody knows (R14.7).
            Token::TimeAll
                if laid.last().is_some_and(|last| last.token == Token::Gap(Gap::Control)) =>
            {
                Token::Control("*")
            }
            token => token,
        };
        match token {
            Token::Open(bracket) => {
                if open.len() == MAX_NESTING {
                    let message = format!("brackets are nested at most {MAX_NESTING} deep");
                    return Err(SyntaxError::invalid(lexeme.span, message));
                }
                open.push(bracket);
            }
            Token::CloseRound | Token::CloseSquare | Token::CloseBrace => {
                open.pop();
            }
            _ => {}
        }
        laid.push(Lexeme { token, span: lexeme.span });
    }
    Ok(laid)
}

/// The tokens of a selector that is not too long.
fn bounded_selector(text: &str) -> Result<Vec<Lexeme<'_>>, SyntaxError> {
    if text.len() > MAX_SELECTOR_BYTES {
        let message = format!(
            "the text has {} bytes; a selector has at most {MAX_SELECTOR_BYTES}",
            text.len()
        );
        return Err(SyntaxError::invalid(Span::new(0, 0), message));
    }
    Ok(Lexer::new(text).collect())
}

/// The tokens of a statement that is not too long; quoted text, its content, counts apart.
fn bounded_statement(text: &str) -> Result<Vec<Lexeme<'_>>, SyntaxError> {
    if text.len() > MAX_STATEMENT_BYTES {
        let message = format!(
            "the text has {} bytes; a statement has at most {MAX_STATEMENT_BYTES}",
            text.len()
        );
        return Err(SyntaxError::invalid(Span::new(0, 0), message));
    }
    let mut bare = 0;
    for Lexeme { token, span } in Lexer::new(text) {
        bare += if matches!(token, Token::Text(_)) { 2 } else { span.end - span.start };
        if bare > MAX_SELECTOR_BYTES {
            let message =
                format!("a statement has at most {MAX_SELECTOR_BYTES} bytes outside quotes");
            return Err(SyntaxError::invalid(Span::new(0, 0), message));
        }
    }
    Ok(statement_tokens(text))
}

/// What white space between these two tokens means, if anything.
fn gap(last: Option<Token<'_>>, next: Option<Token<'_>>, dialect: Dialect) -> Option<Gap> {
    let (last, next) = (last?, next?);
    let opens = matches!(last, Token::Open(bracket) if bracket.holds_steps());
    let padding = opens
        || matches!(last, Token::Comma | Token::Fallback | Token::Child)
        || matches!(
            next,
            Token::Comma | Token::Fallback | Token::Child | Token::Optional | Token::CloseRound
        )
        || matches!(last, Token::Keyword(keyword) if keyword != Keyword::Now)
        || matches!(next, Token::Keyword(keyword) if keyword != Keyword::Now);
    if padding {
        return None;
    }
    Some(match next {
        _ if last.ends_time() || last == Token::Keyword(Keyword::Now) => Gap::Time,
        Token::Open(Bracket::Square) if dialect.bracket_descends() => Gap::Bracket,
        Token::Open(Bracket::Square | Bracket::Brace) | Token::Tag(_) => Gap::Filter,
        Token::Control(_) | Token::TimeAll => Gap::Control,
        _ => Gap::Step,
    })
}

/// Whether a closing parenthesis comes next, white space aside. There are never two spaces.
fn closes(rest: &[Lexeme<'_>]) -> bool {
    rest.iter().map(|lexeme| lexeme.token).find(|token| *token != Token::Space)
        == Some(Token::CloseRound)
}
