//! The spelling of single tokens: names, numbers, quotes, ids, time addresses.
//!
//! Functions over a cursor; none knows what came before its token. Invariant: a function that
//! returns a token has moved the cursor by at least one character.

use super::token::{Fault, Token};
use crate::language::words::{
    NestingPseudo, PseudoName, is_canonical_type, is_name_char, is_name_start,
};

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Cursor { text, at: 0 }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    pub(crate) fn eat(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.at += prefix.len();
        }
        found
    }

    pub(crate) fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.take(len)
    }

    /// Whether `c` is the next character that is not white space.
    pub(crate) fn next_is(&self, c: char) -> bool {
        self.rest().trim_start().starts_with(c)
    }

    fn take(&mut self, len: usize) -> &'a str {
        let taken = &self.rest()[..len];
        self.at += len;
        taken
    }
}

/// Letters, digits, `_` and `-`; empty if there are none.
pub(crate) fn name<'a>(cursor: &mut Cursor<'a>) -> &'a str {
    cursor.take_while(is_name_char)
}

/// A name inside a filter, which may hold colons.
pub(crate) fn filter_word<'a>(cursor: &mut Cursor<'a>) -> &'a str {
    cursor.take_while(|c| is_name_char(c) || c == ':')
}

/// `name` or `name:name`, up to the first part that is a pseudo. Names that are joined by dots are
/// one, unless one of two neighbours is a canonical word (R14.6).
pub(crate) fn type_name<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let rest = cursor.rest();
    if !rest.starts_with(is_name_start) {
        return None;
    }
    let mut len = name_len(rest);
    let mut joins = !is_canonical_type(&rest[..len]);
    loop {
        let more = &rest[len..];
        let part = more.get(1..).map_or("", |part| &part[..name_len(part)]);
        let goes_on = match more.chars().next() {
            Some(':') => !begins_with_pseudo(&more[1..]),
            Some('.') => joins && !is_canonical_type(part),
            _ => false,
        };
        if !goes_on || part.is_empty() {
            break;
        }
        len += 1 + part.len();
        joins = true;
    }
    Some(cursor.take(len))
}

/// Whether text after a colon begins with a pseudo.
fn begins_with_pseudo(text: &str) -> bool {
    PseudoName::from_name(&text[..name_len(text)]).is_some() || nesting(text).is_some()
}

/// The pseudo that text after a colon begins with, and that is one only before `(`.
pub(crate) fn nesting(text: &str) -> Option<NestingPseudo> {
    let (name, rest) = text.split_at(name_len(text));
    NestingPseudo::from_name(name).filter(|_| rest.starts_with('('))
}

/// Whether a name ends in a colon and the name of a pseudo that is one only before `(`.
pub(crate) fn ends_in_nesting(name: &str) -> bool {
    name.rsplit_once(':').is_some_and(|(_, last)| NestingPseudo::from_name(last).is_some())
}

/// The `:type` that makes `*` inside a position reach all the way down.
pub(crate) fn deep_type<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let mut ahead = *cursor;
    if !ahead.eat(":") || begins_with_pseudo(ahead.rest()) {
        return None;
    }
    let name = type_name(&mut ahead)?;
    *cursor = ahead;
    Some(name)
}

/// Whether a `+` here begins a tag: a number that is all of its element is an offset or an
/// insertion.
pub(crate) fn begins_tag(text: &str) -> bool {
    let Some(len) = number_len(text) else { return true };
    !matches!(text[len..].trim_start().chars().next(), None | Some(',' | ')'))
}

/// A bare word among steps: a depth, `depth`, `end`, or the name of a type.
pub(crate) fn word<'a>(cursor: &mut Cursor<'a>) -> Token<'a> {
    if let Some(number) = depth_number(cursor.rest()) {
        cursor.take(1);
        return Token::Depth(cursor.take(number.len()));
    }
    match type_name(cursor) {
        Some("depth") => Token::DepthWord,
        Some("end") => Token::End,
        Some(name) => Token::Word(name),
        None => {
            cursor.bump();
            Token::Fault(Fault::MissingName("a name"))
        }
    }
}

/// Whether text after `(` begins a position.
pub(crate) fn begins_with_depth(text: &str) -> bool {
    let text = text.trim_start();
    depth_number(text).is_some()
        || text.strip_prefix("depth").is_some_and(|rest| rest.trim_start().starts_with('('))
}

/// The number of `dN`, if the text begins with one.
fn depth_number(text: &str) -> Option<&str> {
    let number = text.strip_prefix('d')?;
    let len = number_len(number)?;
    let ends = !number[len..].starts_with(is_name_char);
    ends.then(|| &number[..len])
}

/// Whether the text begins with a number, sign included.
pub(crate) fn is_number(text: &str) -> bool {
    number_len(text).is_some()
}

fn number_len(text: &str) -> Option<usize> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let len = digits_len(digits);
    (len > 0).then(|| text.len() - digits.len() + len)
}

fn digits_len(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())
}

fn name_len(text: &str) -> usize {
    text.find(|c| !is_name_char(c)).unwrap_or(text.len())
}

/// A number; with `value`, one that may have a fraction and must not run on into a word.
/// A depth or an offset ends before a `-` or `.`, which may be the mark of a range.
pub(crate) fn number<'a>(cursor: &mut Cursor<'a>, value: bool) -> Token<'a> {
    let rest = cursor.rest();
    let mut len = number_len(rest).unwrap_or(1);
    let runs_on = |c: char| match value {
        true => is_name_char(c) || c == ':' || c == '.',
        false => is_name_char(c) && c != '-',
    };
    if value && let Some(fraction) = rest[len..].strip_prefix('.') {
        let digits = digits_len(fraction);
        len += if digits > 0 { 1 + digits } else { 0 };
    }
    let more = rest[len..].find(|c| !runs_on(c)).unwrap_or(rest.len() - len);
    let text = cursor.take(len + more);
    if more > 0 { Token::Fault(Fault::BadNumber(text)) } else { Token::Number(text) }
}

/// Quoted text; a backslash takes the next character with it.
pub(crate) fn quoted<'a>(cursor: &mut Cursor<'a>) -> Token<'a> {
    match quoted_len(cursor.rest()) {
        Some(len) => Token::Text(cursor.take(len)),
        None => {
            cursor.take(cursor.rest().len());
            Token::Fault(Fault::UnclosedQuote)
        }
    }
}

fn quoted_len(text: &str) -> Option<usize> {
    let mut chars = text.char_indices();
    let (_, quote) = chars.next()?;
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            c if c == quote => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

/// `#x` without the pseudos at its end, or `#'any text'`.
pub(crate) fn id<'a>(cursor: &mut Cursor<'a>) -> Token<'a> {
    cursor.bump();
    match cursor.peek() {
        Some('\'' | '"') => match quoted(cursor) {
            Token::Text(text) => Token::QuotedId(text),
            fault => fault,
        },
        Some(c) if c.is_ascii_alphanumeric() => {
            let rest = cursor.rest();
            let len = rest.find(|c| !is_name_char(c) && c != ':').unwrap_or(rest.len());
            let mut id = &rest[..len];
            if rest[len..].starts_with('(')
                && ends_in_nesting(id)
                && let Some((front, _)) = id.rsplit_once(':')
            {
                id = front;
            }
            Token::Id(cursor.take(without_pseudos(id).len()))
        }
        _ => Token::Fault(Fault::MissingName("an id")),
    }
}

/// An unquoted id without the pseudo names at its end.
pub(crate) fn without_pseudos(mut id: &str) -> &str {
    while let Some((front, last)) = id.rsplit_once(':') {
        if front.is_empty() || PseudoName::from_name(last).is_none() {
            break;
        }
        id = front;
    }
    id
}

/// `+tag`
pub(crate) fn tag<'a>(cursor: &mut Cursor<'a>) -> Token<'a> {
    cursor.bump();
    match name(cursor) {
        "" => Token::Fault(Fault::MissingName("a tag")),
        tag => Token::Tag(tag),
    }
}

/// What begins with `@`: a time address or a control.
pub(crate) fn at<'a>(cursor: &mut Cursor<'a>) -> Token<'a> {
    cursor.bump();
    if cursor.eat("*") {
        return Token::TimeAll;
    }
    if let Some(len) = clock_len(cursor.rest()) {
        return Token::TimeClock(cursor.take(len));
    }
    let rest = cursor.rest();
    let kind = rest.chars().next();
    let number = match kind {
        Some('t') => number_len(&rest[1..]),
        Some('c' | 'e') => Some(digits_len(&rest[1..])).filter(|len| *len > 0),
        _ => None,
    };
    let sign = |c| is_name_char(c) || c == '+';
    if let Some(len) = number.filter(|len| !rest[1 + len..].starts_with(is_name_char)) {
        cursor.take(1);
        let digits = cursor.take(len);
        return match kind {
            Some('t') => Token::TimeRelative(digits),
            Some('c') => Token::TimeCycle(digits),
            _ => Token::TimeEvent(digits),
        };
    }
    if rest.starts_with("t-*") {
        cursor.take(3);
        return Token::TimeOldest;
    }
    let looks_like_time = match kind {
        Some('t' | 'c') => !rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'),
        Some('e') => rest[1..].starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '-'),
        _ => false,
    };
    if looks_like_time {
        return Token::Fault(Fault::BadTime(cursor.take_while(sign)));
    }
    match name(cursor) {
        "" => Token::Fault(Fault::MissingName("a time or a control")),
        "history" => Token::TimeHistory,
        control => Token::Control(control),
    }
}

/// The length of a clock time: a date, a distance, a word or anything in quotes.
fn clock_len(rest: &str) -> Option<usize> {
    match rest.chars().next()? {
        quote @ ('\'' | '"') => rest[1..].find(quote).map(|len| len + 2),
        '0'..='9' => {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-:+.".contains(c)));
            let len = end.unwrap_or(rest.len());
            Some(rest[..len].find("..").unwrap_or(len))
        }
        '-' => {
            let amount = digits_len(&rest[1..]);
            let units = rest[1..].find(|c: char| !c.is_ascii_alphanumeric());
            Some(1 + units.unwrap_or(rest.len() - 1)).filter(|len| amount > 0 && *len > 1 + amount)
        }
        _ => {
            let word = &rest[..name_len(rest)];
            let is_time = ["now", "today", "yesterday"].contains(&word);
            (is_time && !rest[word.len()..].starts_with('=')).then_some(word.len())
        }
    }
}

/// The second end of a range without its `@t` or `@c`.
pub(crate) fn bare_end<'a>(cursor: &mut Cursor<'a>) -> Option<Token<'a>> {
    if cursor.eat("-*") {
        return Some(Token::BareOldest);
    }
    if cursor.eat("*") {
        return Some(Token::TimeAll);
    }
    let len = number_len(cursor.rest())?;
    let ends = !cursor.rest()[len..].starts_with(is_name_char);
    ends.then(|| Token::BareEnd(cursor.take(len)))
}
