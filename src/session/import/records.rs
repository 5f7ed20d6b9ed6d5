//! A document as records: the elements of a list, the lines of JSON Lines, or one object.
//!
//! One record at a time is held as text. A line that is not JSON is a bad record, and the next line
//! is read all the same; in a list the brackets must fit.

use super::{BadRecord, ImportProgress};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::json::{self, Json};
use std::io::{BufRead, ErrorKind};

/// A record and the line that it begins in.
pub(super) struct Record {
    pub(super) line: u64,
    pub(super) value: Json,
}

/// What a document holds.
#[derive(Default)]
pub(super) struct Records {
    pub(super) list: Vec<Record>,
    pub(super) bad: Vec<BadRecord>,
}

/// Records between two reports of progress.
const REPORT_EVERY: usize = 256;

impl Records {
    pub(super) fn read(
        input: impl BufRead,
        progress: &mut dyn FnMut(ImportProgress),
    ) -> Result<Records> {
        let mut reader = Reader { input, line: 1, bytes: 0, progress, found: Records::default() };
        match reader.first()? {
            None => {}
            Some(b'[') => reader.list()?,
            Some(_) => reader.lines()?,
        }
        reader.report();
        Ok(reader.found)
    }
}

struct Reader<'a, R> {
    input: R,
    line: u64,
    bytes: u64,
    progress: &'a mut dyn FnMut(ImportProgress),
    found: Records,
}

impl<R: BufRead> Reader<'_, R> {
    fn report(&mut self) {
        let records = self.found.list.len() as u64;
        (self.progress)(ImportProgress::Reading { bytes: self.bytes, records });
    }

    fn peek(&mut self) -> Result<Option<u8>> {
        loop {
            match self.input.fill_buf() {
                Ok(buffer) => return Ok(buffer.first().copied()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(input_error(&error)),
            }
        }
    }

    fn advance(&mut self, byte: u8) {
        self.input.consume(1);
        self.bytes += 1;
        self.line += u64::from(byte == b'\n');
    }

    /// The first byte that is not white space, or a byte order mark, which stays unread.
    fn first(&mut self) -> Result<Option<u8>> {
        const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];
        while let Some(byte) = self.peek()? {
            let mark = self.bytes < 3 && byte == MARK[self.bytes as usize];
            if !mark && !byte.is_ascii_whitespace() {
                return Ok(Some(byte));
            }
            self.advance(byte);
        }
        Ok(None)
    }

    fn take(&mut self, line: u64, text: &[u8]) {
        let parsed = match std::str::from_utf8(text) {
            Ok(text) => json::parse(text).map_err(|error| format!("it is not JSON: {error}")),
            Err(_) => Err("it is not UTF-8".to_owned()),
        };
        match parsed {
            Ok(value) => self.found.list.push(Record { line, value }),
            Err(message) => self.found.bad.push(BadRecord { line, message }),
        }
        if self.found.list.len().is_multiple_of(REPORT_EVERY) {
            self.report();
        }
    }

    /// JSON Lines; or one object over several lines, if the first line is not whole.
    fn lines(&mut self) -> Result<()> {
        let (mut text, mut first) = (Vec::new(), true);
        loop {
            text.clear();
            let read = match self.input.read_until(b'\n', &mut text) {
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(input_error(&error)),
            };
            if read == 0 {
                return Ok(());
            }
            let line = self.line;
            self.bytes += read as u64;
            self.line += 1;
            if text.trim_ascii().is_empty() {
                continue;
            }
            if first && !is_whole(&text) {
                return self.rest(line, text);
            }
            first = false;
            self.take(line, &text);
        }
    }

    /// What begins with a line that is not whole: one object, or else lines after all.
    fn rest(&mut self, line: u64, mut text: Vec<u8>) -> Result<()> {
        let read = self.input.read_to_end(&mut text).map_err(|error| input_error(&error))?;
        self.bytes += read as u64;
        if is_whole(&text) {
            self.take(line, &text);
            return Ok(());
        }
        for (i, text) in text.split(|byte| *byte == b'\n').enumerate() {
            if !text.trim_ascii().is_empty() {
                self.take(line + i as u64, text);
            }
        }
        Ok(())
    }

    /// The elements of a list, each found by its brackets.
    fn list(&mut self) -> Result<()> {
        self.advance(b'[');
        let mut element = Element::default();
        while let Some(byte) = self.peek()? {
            let line = self.line;
            self.advance(byte);
            match element.next(byte, line) {
                Next::More => {}
                Next::Element => {
                    let (line, text) = element.take(line);
                    // An empty list has no element, and none may be missing between two commas.
                    if text.trim_ascii().is_empty() && byte == b']' && self.is_empty() {
                        return self.end();
                    }
                    self.take(line, &text);
                    if byte == b']' {
                        return self.end();
                    }
                }
                Next::Unbalanced => {
                    let message = format!("line {line}: this bracket closes nothing");
                    return Err(Error::new(Code::ImportInvalid, message));
                }
            }
        }
        Err(Error::new(Code::ImportInvalid, "the list is never closed: the document is cut off"))
    }

    fn is_empty(&self) -> bool {
        self.found.list.is_empty() && self.found.bad.is_empty()
    }

    /// Nothing may follow a list.
    fn end(&mut self) -> Result<()> {
        while let Some(byte) = self.peek()? {
            if !byte.is_ascii_whitespace() {
                let message = format!("line {}: something follows the end of the list", self.line);
                return Err(Error::new(Code::ImportInvalid, message));
            }
            self.advance(byte);
        }
        Ok(())
    }
}

/// An element of a list on its way.
#[derive(Default)]
struct Element {
    text: Vec<u8>,
    line: Option<u64>,
    depth: usize,
    in_string: bool,
    escaped: bool,
}

enum Next {
    More,
    Element,
    Unbalanced,
}

impl Element {
    fn next(&mut self, byte: u8, line: u64) -> Next {
        if self.in_string {
            self.text.push(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return Next::More;
        }
        match byte {
            b',' | b']' if self.depth == 0 => return Next::Element,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => match self.depth.checked_sub(1) {
                Some(depth) => self.depth = depth,
                None => return Next::Unbalanced,
            },
            b'"' => self.in_string = true,
            _ => {}
        }
        if self.line.is_none() && !byte.is_ascii_whitespace() {
            self.line = Some(line);
        }
        self.text.push(byte);
        Next::More
    }

    fn take(&mut self, line: u64) -> (u64, Vec<u8>) {
        (self.line.take().unwrap_or(line), std::mem::take(&mut self.text))
    }
}

fn is_whole(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| json::parse(text).is_ok())
}

fn input_error(error: &std::io::Error) -> Error {
    Error::new(Code::StoreIo, format!("the input: {error}"))
}
