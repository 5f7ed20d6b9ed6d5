//! Lines of JSON from outside: read within a bound, and what can be known of one that is refused.

use super::{Json, parse_document};
use std::io::{BufRead, Read};

/// What came of reading a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// It is there, with its end; the last one of an input may have none.
    Whole,
    /// Its beginning is there, and more follows than may.
    TooLong,
    /// There is no more.
    End,
}

/// Appends the next line, its end included, or the beginning of one that has more than `most`
/// bytes before its end. It is not read further than that, so a line that never ends is found out
/// too; [`BufRead::skip_until`] passes over the rest.
pub fn read_line(
    input: &mut impl BufRead,
    line: &mut Vec<u8>,
    most: usize,
) -> std::io::Result<Line> {
    let read = input.take(most as u64 + 1).read_until(b'\n', line)?;
    Ok(match read {
        0 => Line::End,
        _ if read > most && line.last() != Some(&b'\n') => Line::TooLong,
        _ => Line::Whole,
    })
}

/// A field of an object, as far as it can be known: what stands behind it may be wrong or missing.
/// Nothing but the field itself is made a value.
pub fn field(text: &[u8], name: &str) -> Option<Json> {
    let mut found = None;
    each_value(text, name, &mut |value| {
        let value = std::str::from_utf8(value).ok();
        found = value.and_then(|value| parse_document(value).ok()).or(found.take());
    });
    found
}

/// The text of a field of an object, to the byte; of a name that is there twice, the last one.
pub fn raw_field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut found = None;
    each_value(text.as_bytes(), name, &mut |value| found = std::str::from_utf8(value).ok());
    found
}

/// Gives the text of every field of that name to `each`.
fn each_value<'a>(text: &'a [u8], name: &str, each: &mut dyn FnMut(&'a [u8])) {
    let mut scan = Scan { text, at: 0 };
    if !scan.next_is(b'{') {
        return;
    }
    loop {
        let Some(key) = scan.string() else { return };
        if !scan.next_is(b':') {
            return;
        }
        let Some(value) = scan.value() else { return };
        let wanted = key.strip_prefix(b"\"").and_then(|key| key.strip_suffix(b"\""));
        if wanted == Some(name.as_bytes()) {
            each(value);
        }
        if !scan.next_is(b',') {
            return;
        }
    }
}

/// Passes over values without making them.
struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    fn next_is(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    /// A string with its quotes, if it ends.
    fn string(&mut self) -> Option<&'a [u8]> {
        self.skip_space();
        let start = self.at;
        if !self.next_is(b'"') {
            return None;
        }
        let first = self.at;
        loop {
            let passed = (&mut &self.text[self.at..]).skip_until(b'"').ok()?;
            self.at += passed;
            let text = self.text[first..self.at].strip_suffix(b"\"").filter(|_| passed > 0)?;
            let escapes = text.iter().rev().take_while(|byte| **byte == b'\\').count();
            if escapes.is_multiple_of(2) {
                return self.text.get(start..self.at);
            }
        }
    }

    /// A value, if it ends; of nested ones only the brackets are looked at.
    fn value(&mut self) -> Option<&'a [u8]> {
        self.skip_space();
        let (start, mut open) = (self.at, 0usize);
        loop {
            match self.text.get(self.at)? {
                b'"' => {
                    self.string()?;
                }
                b'{' | b'[' => {
                    open += 1;
                    self.at += 1;
                    continue;
                }
                b'}' | b']' if open > 0 => {
                    open -= 1;
                    self.at += 1;
                }
                _ if open > 0 => {
                    self.at += 1;
                    continue;
                }
                b',' | b'}' => return None,
                _ => {
                    let ends = |byte: &u8| b",}] \t\r\n".contains(byte);
                    self.at += self.text[self.at..].iter().position(ends)?;
                }
            }
            if open == 0 {
                return self.text.get(start..self.at);
            }
        }
    }
}
