//! What is expected next, in grey behind the cursor.

use super::meta;
use pactdb::language::words::{Keyword, NestingPseudo, PseudoName};
use pactdb::language::{Bracket, Fault, Lexeme, Token, statement_tokens};

/// What could come next; `taken` can be accepted with the right arrow, the rest is a reminder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// What is shown.
    pub text: String,
    /// Whether it may become part of the line.
    pub taken: bool,
}

/// What is expected behind a line.
pub fn expected(line: &str) -> Option<Expected> {
    if line.trim().is_empty() {
        return None;
    }
    let ends_in_space = line.ends_with(char::is_whitespace);
    if let Some((command, arguments)) = meta::of_line(line) {
        let text = format!("{}{}", if ends_in_space { "" } else { " " }, command.usage);
        return reminder(text).filter(|_| arguments.is_empty() && !command.usage.is_empty());
    }
    let lexemes = statement_tokens(line);
    let closers = closers(&lexemes, line);
    if !closers.is_empty() {
        return Some(Expected { text: closers, taken: true });
    }
    let words: Vec<Token<'_>> =
        lexemes.iter().map(|lexeme| lexeme.token).filter(|token| *token != Token::Space).collect();
    let space = if ends_in_space { "" } else { " " };
    match words[..] {
        [Token::Keyword(keyword)] => reminder(format!("{space}{}", usage(keyword)?)),
        [Token::Keyword(Keyword::Set), _] if ends_in_space => reminder("{…} 'text'".to_owned()),
        [Token::Keyword(Keyword::Move), .., last] if ends_in_space && !is(last, Keyword::To) => {
            let placed = words.iter().any(|word| is(*word, Keyword::To));
            reminder("to PLACE".to_owned()).filter(|_| !placed)
        }
        [.., Token::Keyword(Keyword::To)] => reminder(format!("{space}PLACE")),
        [.., Token::Keyword(Keyword::Json)] => reminder(format!("{space}'VALUE'")),
        [.., Token::Pseudo(PseudoName::Nth)] => reminder("(N)".to_owned()),
        [.., Token::Pseudo(PseudoName::Depth)] => reminder("(1-3)".to_owned()),
        [.., Token::Type(name)] if ends_in_nesting(name) => reminder("(SELECTOR)".to_owned()),
        [last] if is_time(last) => reminder(format!("{space}SELECTOR")),
        _ => None,
    }
}

fn reminder(text: String) -> Option<Expected> {
    Some(Expected { text, taken: false })
}

fn is(token: Token<'_>, keyword: Keyword) -> bool {
    token == Token::Keyword(keyword)
}

/// Whether a type ends in what is a pseudo before `(`, and may still become one.
fn ends_in_nesting(name: &str) -> bool {
    name.rsplit_once(':').is_some_and(|(_, last)| NestingPseudo::from_name(last).is_some())
}

fn is_time(token: Token<'_>) -> bool {
    token.class() == pactdb::language::TokenClass::Time && token != Token::RangeMark
}

/// What the end of the line leaves open, innermost first.
fn closers(lexemes: &[Lexeme<'_>], line: &str) -> String {
    let mut open: Vec<Bracket> = Vec::new();
    let mut out = String::new();
    for Lexeme { token, span } in lexemes {
        match token {
            Token::Open(bracket) => open.push(*bracket),
            Token::CloseRound | Token::CloseSquare | Token::CloseBrace => {
                open.pop();
            }
            Token::Fault(Fault::UnclosedQuote) => {
                let quote = span.of(line).trim_start_matches('#').chars().next();
                out.extend(quote);
            }
            _ => {}
        }
    }
    // Right behind an opening bracket or an operator something has to come first.
    let ready = !matches!(
        lexemes.iter().rev().find(|lexeme| lexeme.token != Token::Space).map(|last| last.token),
        Some(Token::Open(_) | Token::Op(_) | Token::Comma)
    );
    if out.is_empty() && !ready {
        return String::new();
    }
    out.extend(open.iter().rev().map(|bracket| match bracket.close() {
        Token::CloseSquare => ']',
        Token::CloseBrace => '}',
        _ => ')',
    }));
    out
}

/// The shape of a statement behind its keyword.
pub fn usage(keyword: Keyword) -> Option<&'static str> {
    Some(match keyword {
        Keyword::Add => "[PLACE] [.TYPE] [{role='user', …}] 'text'",
        Keyword::Set => "TARGET {ttl=2, …} ['text']",
        Keyword::Move => "TARGET to PLACE [{offset=1}]",
        Keyword::Remove => "TARGET [force]",
        Keyword::Commit => "[{expected_cycle=3, dry_run}]",
        Keyword::Restore => "@c4 [discard]",
        Keyword::Diff => "[rich] [@t0 [@t-5]] [SELECTOR]",
        Keyword::Policy => "[{max_tokens=4000, …} | none]",
        Keyword::Cadence => "end KEY",
        _ => return None,
    })
}
