//! What the end of a text leaves open.
//!
//! [`unclosed`] reads a whole text with the lexer. [`Unclosed`] is for a text that comes piece by
//! piece and looks at each piece once; the two agree, because a quote or a bracket is never part of
//! another token, and tests hold them against each other.

use super::lexer::Lexer;
use super::token::{Fault, Lexeme, Token};
use crate::language::span::Span;

/// The brackets and the quote that the pieces so far leave open.
#[derive(Debug, Clone, Default)]
pub struct Unclosed {
    /// The ends of the open brackets.
    brackets: Vec<char>,
    quote: Option<char>,
    /// Whether the last character was a backslash that takes the next one with it.
    escaped: bool,
}

impl Unclosed {
    /// Reads the next piece.
    pub fn feed(&mut self, piece: &str) {
        for symbol in piece.chars() {
            match self.quote {
                Some(_) if self.escaped => self.escaped = false,
                Some(_) if symbol == '\\' => self.escaped = true,
                Some(quote) if symbol == quote => self.quote = None,
                Some(_) => {}
                None => self.bare(symbol),
            }
        }
    }

    fn bare(&mut self, symbol: char) {
        match symbol {
            '\'' | '"' => self.quote = Some(symbol),
            '(' => self.brackets.push(')'),
            '[' => self.brackets.push(']'),
            '{' => self.brackets.push('}'),
            // A bracket that fits nothing closes nothing.
            ')' | ']' | '}' => {
                self.brackets.pop_if(|open| *open == symbol);
            }
            _ => {}
        }
    }

    /// Whether a quote is open.
    pub fn in_quote(&self) -> bool {
        self.quote.is_some()
    }

    /// Whether a bracket or a quote is open.
    pub fn is_open(&self) -> bool {
        self.in_quote() || !self.brackets.is_empty()
    }
}

/// The opening brackets among these tokens that none of them closes, outermost first.
pub(crate) fn unclosed_brackets(lexemes: &[Lexeme<'_>]) -> Vec<Span> {
    let mut open = Vec::new();
    for lexeme in lexemes {
        match lexeme.token {
            Token::Open(_) => open.push(lexeme.span),
            Token::CloseRound | Token::CloseSquare | Token::CloseBrace => {
                open.pop();
            }
            _ => {}
        }
    }
    open
}

/// Where the innermost bracket or quote begins that the end of the text leaves open; none if
/// nothing is open. A line editor goes on reading while there is one.
pub fn unclosed(text: &str) -> Option<Span> {
    let lexemes: Vec<Lexeme<'_>> = Lexer::new(text).collect();
    match lexemes.last() {
        Some(Lexeme { token: Token::Fault(Fault::UnclosedQuote), span }) => Some(*span),
        _ => unclosed_brackets(&lexemes).pop(),
    }
}
