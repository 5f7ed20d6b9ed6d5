//! Which words of a line are words of a statement.
//!
//! The lexer knows no statements: outside brackets a bare word is a mistake in every selector, so
//! one at the start of a line is free to mean something. Here such words become keywords. A line
//! that begins with anything else is a selector and is left as it is.

use super::lexer::Lexer;
use super::token::{Lexeme, Token};
use crate::language::words::{Keyword, Op};

/// The tokens of a line, white space and faults included, with the words of statements marked.
pub fn statement_tokens(text: &str) -> Vec<Lexeme<'_>> {
    let mut lexemes: Vec<Lexeme<'_>> = Lexer::new(text).collect();
    let Some((first, leading)) = leading(&lexemes) else { return lexemes };
    let (mut depth, mut last) = (0usize, Token::Keyword(leading));
    lexemes[first].token = last;
    for lexeme in &mut lexemes[first + 1..] {
        match lexeme.token {
            Token::Space => continue,
            Token::Open(_) => depth += 1,
            Token::CloseRound | Token::CloseSquare | Token::CloseBrace => {
                depth = depth.saturating_sub(1);
            }
            // Behind `=` a word is the value of a control.
            token if depth == 0 && last != Token::Op(Op::Eq) => {
                lexeme.token = inner(leading, token).map_or(token, Token::Keyword);
            }
            _ => {}
        }
        last = lexeme.token;
    }
    lexemes
}

/// The first token that is not white space, if it is the word of a statement.
fn leading(lexemes: &[Lexeme<'_>]) -> Option<(usize, Keyword)> {
    let first = lexemes.iter().position(|lexeme| lexeme.token != Token::Space)?;
    match lexemes[first].token {
        Token::Word(word) => Some((first, Keyword::leading(word)?)),
        _ => None,
    }
}

fn inner(leading: Keyword, token: Token<'_>) -> Option<Keyword> {
    let word = match token {
        Token::Word(word) => word,
        Token::End => Keyword::End.name(),
        _ => return None,
    };
    leading.inner().iter().copied().find(|keyword| keyword.name() == word)
}
