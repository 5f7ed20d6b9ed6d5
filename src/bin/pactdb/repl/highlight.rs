//! Colours for a line while it is typed, and the partner of the bracket at the cursor.

use super::meta;
use super::splitter::Splitter;
use anstyle::{AnsiColor, Style};
use pactdb::json::is_unseen;
use pactdb::language::{Lexeme, Token, TokenClass, statement_tokens};
use pactdb::sql::{first_stage, is_sql};
use std::borrow::Cow;

/// What was typed in colours. With a cursor, the bracket there and its partner stand out.
pub fn paint(text: &str, cursor: Option<usize>) -> String {
    let (mut out, mut done) = (String::with_capacity(text.len() * 2), 0);
    for piece in Splitter::of_text(text).0 {
        push(&mut out, Style::new(), &text[done..piece.at]);
        let inside = cursor.and_then(|cursor| cursor.checked_sub(piece.at));
        out.push_str(&statement(&piece.text, inside));
        done = piece.at + piece.text.len();
    }
    push(&mut out, Style::new(), &text[done..]);
    out
}

/// A statement in colours.
fn statement(line: &str, cursor: Option<usize>) -> String {
    let mut out = String::with_capacity(line.len() * 2);
    let mut rest = 0;
    if is_sql(line) {
        push(&mut out, Style::new(), line);
        return out;
    }
    // Stages are SQL in small.
    if let Some(stage) = first_stage(line) {
        let selector = cursor.filter(|cursor| *cursor < stage);
        out = statement(&line[..stage], selector);
        push(&mut out, Style::new(), &line[stage..]);
        return out;
    }
    if let Some((_, arguments)) = meta::of_line(line) {
        let end = line.len() - line.trim_start().len() + command_len(line);
        push(&mut out, style(TokenClass::Keyword), &line[..end]);
        if arguments.is_empty() {
            push(&mut out, Style::new(), &line[end..]);
            return out;
        }
        rest = end;
    }
    let lexemes = statement_tokens(&line[rest..]);
    let pair = cursor.and_then(|cursor| partners(&lexemes, cursor.checked_sub(rest)?));
    for Lexeme { token, span } in &lexemes {
        let mut look = style(token.class());
        if pair.is_some_and(|(a, b)| span.start == a || span.start == b) {
            look = look.bold().underline();
        }
        push(&mut out, look, span.of(&line[rest..]));
    }
    out
}

fn command_len(line: &str) -> usize {
    let line = line.trim_start();
    line.find(char::is_whitespace).unwrap_or(line.len())
}

/// The bracket under the cursor, or just before it, and its partner.
fn partners(lexemes: &[Lexeme<'_>], cursor: usize) -> Option<(usize, usize)> {
    let (mut open, mut pairs) = (Vec::new(), Vec::new());
    for Lexeme { token, span } in lexemes {
        match token {
            Token::Open(_) => open.push(span.start),
            Token::CloseRound | Token::CloseSquare | Token::CloseBrace => {
                pairs.push((open.pop()?, span.start));
            }
            _ => {}
        }
    }
    let touches = |at: usize| at == cursor || at + 1 == cursor;
    let here = |at: usize| at == cursor;
    pairs
        .iter()
        .find(|(a, b)| here(*a) || here(*b))
        .or_else(|| pairs.iter().find(|(a, b)| touches(*a) || touches(*b)))
        .copied()
}

fn push(out: &mut String, style: Style, text: &str) {
    // A style must not reach over a line's end, where the editor writes its own codes.
    for (index, line) in without_unseen(text).split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        match line.is_empty() || style == Style::new() {
            true => out.push_str(line),
            false => out.push_str(&format!("{style}{line}{style:#}")),
        }
    }
}

/// A line without what a terminal would obey. The editor gives such characters no column, so
/// nothing can stand in their place.
pub fn without_unseen(line: &str) -> Cow<'_, str> {
    let unseen = |symbol: char| is_unseen(symbol) && !matches!(symbol, '\n' | '\t');
    match line.contains(unseen) {
        true => Cow::Owned(line.replace(unseen, "")),
        false => Cow::Borrowed(line),
    }
}

fn style(class: TokenClass) -> Style {
    let colour = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
    match class {
        TokenClass::Space | TokenClass::Bracket | TokenClass::Word => Style::new(),
        TokenClass::Keyword => Style::new().bold(),
        TokenClass::Time | TokenClass::Control => colour(AnsiColor::Yellow),
        TokenClass::Root => colour(AnsiColor::Blue).bold(),
        TokenClass::Type | TokenClass::Depth => colour(AnsiColor::Blue),
        TokenClass::Id => colour(AnsiColor::Cyan),
        TokenClass::Tag | TokenClass::Pseudo => colour(AnsiColor::Magenta),
        TokenClass::Attribute => colour(AnsiColor::Cyan),
        TokenClass::Text | TokenClass::Number => colour(AnsiColor::Green),
        TokenClass::Operator => Style::new().dimmed(),
        TokenClass::Fault => colour(AnsiColor::Red),
    }
}
