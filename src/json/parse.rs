//! From text to a [`Json`].
//!
//! The parser is written out here because no digit may be lost and no key may mean anything:
//! `serde_json` keeps long numbers only by giving one key of an object a meaning of its own. It
//! counts the nesting as it goes, so that no input, however deep, can exhaust the stack.

use super::{Json, Map};
use crate::budget::{self, Stopped};
use crate::limits::{MAX_JSON_NESTING, MAX_JSON_VALUES};

/// Why a text is not a JSON value that pactdb keeps.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// Not JSON; a lone surrogate escape is refused here too.
    #[error("{0}")]
    Syntax(String),
    /// A number whose value is not a finite double.
    #[error("the number {0} is too large for a double: write it as a string")]
    NotFinite(String),
    /// Lists and objects nest too deeply.
    #[error("lists and objects nest deeper than {MAX_JSON_NESTING} levels: make the value flatter")]
    TooDeep,
    /// There are too many values.
    #[error("a document has at most {MAX_JSON_VALUES} values, and this one has more: split it")]
    TooMany,
    /// Whoever asked is not interested any more, or the time was over.
    #[error("{0}")]
    Stopped(#[from] Stopped),
}

/// Values between two looks at the budget.
const CHECK_EVERY: usize = 4096;

/// Parses one JSON value that comes from outside: it has at most
/// [`MAX_JSON_VALUES`](crate::limits::MAX_JSON_VALUES) values.
pub fn parse_document(text: &str) -> Result<Json, JsonError> {
    parse_within(text, MAX_JSON_VALUES)
}

/// Parses one JSON value. Of a key that is there twice, the last one counts.
pub fn parse(text: &str) -> Result<Json, JsonError> {
    parse_within(text, usize::MAX)
}

fn parse_within(text: &str, values: usize) -> Result<Json, JsonError> {
    let mut parser = Parser { text, at: 0, depth: 0, values };
    let value = parser.value()?;
    parser.skip_space();
    match parser.peek() {
        None => Ok(value),
        Some(_) => Err(parser.expected("the end, because the value is complete")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// How many more values there may be.
    values: usize,
}

impl Parser<'_> {
    fn value(&mut self) -> Result<Json, JsonError> {
        self.skip_space();
        self.values = self.values.checked_sub(1).ok_or(JsonError::TooMany)?;
        if self.values.is_multiple_of(CHECK_EVERY) {
            budget::check()?;
        }
        match self.peek() {
            Some(b'{') => self.nested(Parser::map),
            Some(b'[') => self.nested(Parser::list),
            Some(b'"') => Ok(Json::Str(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'n') => self.word("null", Json::Null),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            _ => Err(self.expected("a value")),
        }
    }

    /// A list or an object, whose first bracket is next.
    fn nested(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Json, JsonError>,
    ) -> Result<Json, JsonError> {
        self.depth += 1;
        if self.depth > MAX_JSON_NESTING {
            return Err(JsonError::TooDeep);
        }
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn list(&mut self) -> Result<Json, JsonError> {
        let mut items = Vec::new();
        if self.next_is(b']') {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value()?);
            if self.next_is(b']') {
                return Ok(Json::List(items));
            }
            if !self.next_is(b',') {
                return Err(self.expected("',' or ']'"));
            }
        }
    }

    fn map(&mut self) -> Result<Json, JsonError> {
        let mut entries = Vec::new();
        if self.next_is(b'}') {
            return Ok(Json::Map(Map::new()));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.expected("a key in double quotes"));
            }
            let key = self.string()?;
            if !self.next_is(b':') {
                return Err(self.expected("':' after the key"));
            }
            let value = self.value()?;
            entries.push((key, value));
            if self.next_is(b'}') {
                return Ok(Json::Map(Map::collected(entries)));
            }
            if !self.next_is(b',') {
                return Err(self.expected("',' or '}'"));
            }
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, JsonError> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.expected("a value"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        number_from_text(&self.text[start..self.at])
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.expected("a digit")) } else { Ok(()) }
    }

    /// A string, whose first quote is next.
    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let start = self.at;
            while self.peek().is_some_and(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
                self.at += 1;
            }
            out.push_str(&self.text[start..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(self.expected("an escape such as \\n, not a control byte")),
                None => return Err(self.expected("'\"' at the end of the string")),
            }
        }
    }

    /// An escape, whose backslash is next.
    fn escape(&mut self) -> Result<char, JsonError> {
        self.at += 1;
        let plain = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.expected("one of \" \\ / b f n r t u after the backslash")),
        };
        self.at += 1;
        Ok(plain)
    }

    /// `uXXXX`, and the second half of a pair.
    fn unicode_escape(&mut self) -> Result<char, JsonError> {
        let start = self.at;
        let first = self.unit()?;
        let mut units = vec![first];
        if (0xD800..0xDC00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            self.at += 1;
            units.push(self.unit()?);
        }
        match char::decode_utf16(units).next() {
            Some(Ok(symbol)) => Ok(symbol),
            _ => {
                self.at = start;
                Err(self.expected("a pair of surrogate escapes, which \\uD800 to \\uDFFF need"))
            }
        }
    }

    /// `uXXXX`
    fn unit(&mut self) -> Result<u16, JsonError> {
        let digits = self.text.as_bytes().get(self.at + 1..self.at + 5);
        let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let unit = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u16::from_str_radix(digits, 16).ok())
            .ok_or_else(|| self.expected("four hexadecimal digits after \\u"))?;
        self.at += 5;
        Ok(unit)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Whether this byte comes next, after white space; it is taken then.
    fn next_is(&mut self, byte: u8) -> bool {
        self.skip_space();
        self.eat(byte)
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn expected(&self, what: &str) -> JsonError {
        let before = &self.text.as_bytes()[..self.at];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|byte| **byte != b'\n').count();
        JsonError::Syntax(format!("expected {what} (line {line}, byte {column})"))
    }
}

/// Normalises a JSON number: an integer if it is written as one, else a double.
fn number_from_text(text: &str) -> Result<Json, JsonError> {
    if text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        return match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Json::Float(number)),
            _ => Err(JsonError::NotFinite(text.to_owned())),
        };
    }
    match text.parse::<i64>() {
        Ok(number) => Ok(Json::Int(number)),
        // JSON allows no leading zeros or plus sign, so the text is canonical already.
        Err(_) => Ok(Json::BigInt(text.into())),
    }
}
