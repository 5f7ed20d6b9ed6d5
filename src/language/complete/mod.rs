//! Completion: what could be typed at a place in a selector or a statement.
//!
//! [`complete`] takes a text, the place of the cursor and a [`CompletionContext`], and answers with
//! candidates and the span that they replace. The lexer says which bracket the cursor is in and what
//! stands before it (`surroundings`); `steps` and `filters` then offer what fits there. The words of a
//! store come through a [`Vocabulary`], so that nothing here knows a store.

mod candidates;
mod filters;
mod steps;
mod surroundings;
mod vocabulary;

pub use candidates::{Completion, step_starts, time_addresses};
pub use surroundings::CompletionContext;
pub use vocabulary::{Vocabulary, Words};

use super::lexing::{Bracket, Fault, Lexeme, Token, statement_tokens};
use surroundings::Surroundings;

/// What could be typed at the cursor, a place in the text in bytes; what follows it does not matter.
pub fn complete(text: &str, cursor: usize, context: &CompletionContext<'_>) -> Completion {
    let text = text.get(..cursor).unwrap_or(text);
    let lexemes: Vec<Lexeme<'_>> = statement_tokens(text);
    let mut open: Vec<(Bracket, usize)> = Vec::new();
    for (index, lexeme) in lexemes.iter().enumerate() {
        match lexeme.token {
            Token::Open(bracket) => open.push((bracket, index)),
            Token::CloseRound | Token::CloseSquare | Token::CloseBrace => {
                open.pop();
            }
            _ => {}
        }
    }
    let nested = open.iter().any(|(bracket, _)| matches!(bracket, Bracket::Has | Bracket::Not));
    let around = Surroundings { text, lexemes: &lexemes, nested, context };
    if let Some(last) = lexemes.last()
        && last.token == Token::Fault(Fault::UnclosedQuote)
    {
        return around.in_quotes(last);
    }
    match open.last() {
        None | Some((Bracket::Chain | Bracket::Has | Bracket::Not, _)) => around.in_steps(),
        Some((Bracket::Square | Bracket::Brace | Bracket::Group, at)) => around.in_filter(*at),
        Some((Bracket::Array, at)) => around.value_of(around.name_before(*at)),
        Some((Bracket::Position, _)) => around.in_position(),
        Some((Bracket::Args | Bracket::Set, _)) => Completion::none(text.len()),
    }
}
