//! A document as records: the elements of a list, the lines of JSON Lines, or one object.
//!
//! One record at a time is held as text, and no more of it than a record may have. A line that is
//! not JSON is a bad record, and the next line is read all the same if bad ones may be left out; in
//! a list the brackets must fit.

use super::report::{ImportProgress, Judge};
use crate::budget;
use crate::code::Code;
use crate::error::{Error, Result};
use crate::json::{self, Json, Line};
use crate::limits::MAX_LINE_BYTES;
use std::io::{BufRead, ErrorKind, Read};

/// A record and the line that it begins in.
pub(super) struct Record {
    pub(super) line: u64,
    pub(super) value: Json,
}

/// Records between two reports of progress.
const REPORT_EVERY: usize = 256;

/// Bytes between two looks at the budget.
const CHECK_EVERY: u64 = 1 << 16;

/// Reads the records of a document; bad ones are judged as they come.
pub(super) fn read(
    input: impl BufRead,
    judge: &mut Judge,
    progress: &mut dyn FnMut(ImportProgress),
) -> Result<Vec<Record>> {
    let most = MAX_LINE_BYTES;
    let mut reader = Reader { input, line: 1, bytes: 0, most, progress, judge, found: Vec::new() };
    match reader.first()? {
        None => {}
        Some(b'[') => reader.list()?,
        Some(_) => reader.lines()?,
    }
    reader.report();
    Ok(reader.found)
}

struct Reader<'a, R> {
    input: R,
    line: u64,
    bytes: u64,
    /// How long a record may be.
    most: usize,
    progress: &'a mut dyn FnMut(ImportProgress),
    judge: &'a mut Judge,
    found: Vec<Record>,
}

impl<R: BufRead> Reader<'_, R> {
    fn report(&mut self) {
        let records = self.found.len() as u64;
        (self.progress)(ImportProgress::Reading { bytes: self.bytes, records });
    }

    fn peek(&mut self) -> Result<Option<u8>> {
        if self.bytes.is_multiple_of(CHECK_EVERY) {
            budget::check()?;
        }
        loop {
            match self.input.fill_buf() {
                Ok(buffer) => return Ok(buffer.first().copied()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(input_error(error)),
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

    fn take(&mut self, line: u64, text: &[u8]) -> Result<()> {
        match parse(text) {
            Ok(value) => self.found.push(Record { line, value }),
            Err(error) if is_stop(&error) => return Err(error),
            Err(error) => self.judge.bad(line, error)?,
        }
        if self.found.len().is_multiple_of(REPORT_EVERY) {
            self.report();
            budget::reached("records were read", self.found.len() as u64, None)?;
        }
        Ok(())
    }

    /// A record that is longer than one may be: it is not read to its end to find that out.
    fn too_long(&mut self, line: u64) -> Result<()> {
        let message = format!("it has more than {} bytes: split it", self.most);
        self.judge.bad(line, Error::new(Code::Limit, message))
    }

    /// Passes over the rest of a line, which may never end.
    fn skip_line(&mut self) -> Result<()> {
        loop {
            budget::check()?;
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(input_error(error)),
            };
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let passed = end.map_or(buffer.len(), |end| end + 1);
            self.input.consume(passed);
            self.bytes += passed as u64;
            if end.is_some() || passed == 0 {
                return Ok(());
            }
        }
    }

    /// Reads a line, whatever its length; false at the end.
    fn next_line(&mut self, text: &mut Vec<u8>) -> Result<bool> {
        loop {
            text.clear();
            let read = json::read_line(&mut self.input, text, self.most);
            let came = read.map_err(input_error)?;
            self.bytes += text.len() as u64;
            let line = self.line;
            self.line += u64::from(came != Line::End);
            match came {
                Line::End => return Ok(false),
                Line::TooLong => {
                    self.too_long(line)?;
                    self.skip_line()?;
                }
                Line::Whole if text.trim_ascii().is_empty() => {}
                Line::Whole => return Ok(true),
            }
        }
    }

    /// JSON Lines; or one object over several lines, if the first line is not whole.
    fn lines(&mut self) -> Result<()> {
        let mut text = Vec::new();
        if !self.next_line(&mut text)? {
            return Ok(());
        }
        let line = self.line - 1;
        match parse(&text) {
            Ok(value) => self.found.push(Record { line, value }),
            Err(error) if error.code == Code::Limit => self.judge.bad(line, error)?,
            Err(error) if is_stop(&error) => return Err(error),
            Err(_) => return self.rest(line, text),
        }
        self.more_lines(&mut text)
    }

    fn more_lines(&mut self, text: &mut Vec<u8>) -> Result<()> {
        while self.next_line(text)? {
            self.take(self.line - 1, text)?;
        }
        Ok(())
    }

    /// What begins with a line that is not whole: one object, or else lines after all.
    fn rest(&mut self, line: u64, mut text: Vec<u8>) -> Result<()> {
        let room = (self.most + 1).saturating_sub(text.len()) as u64;
        let first = text.len();
        let read = (&mut self.input).take(room).read_to_end(&mut text);
        read.map_err(input_error)?;
        if text.len() <= self.most {
            match parse(&text) {
                Ok(value) => {
                    self.bytes += (text.len() - first) as u64;
                    self.found.push(Record { line, value });
                    return Ok(());
                }
                Err(error) if error.code == Code::Limit => return self.judge.bad(line, error),
                Err(error) if is_stop(&error) => return Err(error),
                Err(_) => {}
            }
        }
        let read = std::io::Cursor::new(text);
        self.bytes -= first as u64;
        let mut reader = Reader {
            input: read.chain(&mut self.input),
            line,
            bytes: self.bytes,
            most: self.most,
            progress: &mut *self.progress,
            judge: &mut *self.judge,
            found: std::mem::take(&mut self.found),
        };
        reader.more_lines(&mut Vec::new())?;
        (self.found, self.bytes, self.line) = (reader.found, reader.bytes, reader.line);
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
                Next::More if element.text.len() <= self.most => {}
                Next::More => {
                    if !std::mem::replace(&mut element.judged, true) {
                        self.too_long(element.line.unwrap_or(line))?;
                    }
                    // One byte more than there may be says enough.
                    element.text.truncate(self.most + 1);
                }
                Next::Element => {
                    let (line, text) = element.take(line);
                    // An empty list has no element, and none may be missing between two commas.
                    if text.trim_ascii().is_empty() && byte == b']' && self.is_empty() {
                        return self.end();
                    }
                    // What was too long is judged already.
                    if text.len() <= self.most {
                        self.take(line, &text)?;
                    }
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
        self.found.is_empty() && self.judge.count == 0
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
    /// Whether it was found too long.
    judged: bool,
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
        self.judged = false;
        (self.line.take().unwrap_or(line), std::mem::take(&mut self.text))
    }
}

fn parse(text: &[u8]) -> Result<Json> {
    let invalid = |message: String| Error::new(Code::ImportInvalid, message);
    let text = std::str::from_utf8(text).map_err(|_| invalid("it is not UTF-8".into()))?;
    json::parse_document(text).map_err(|error| match Error::from(error) {
        error if error.code == Code::Limit || is_stop(&error) => error,
        error => invalid(format!("it is not JSON: {}", error.message)),
    })
}

/// Whether reading was given up, which says nothing about what was read.
fn is_stop(error: &Error) -> bool {
    matches!(error.code, Code::Cancelled | Code::Timeout)
}

fn input_error(error: std::io::Error) -> Error {
    Error::io("the input", error)
}

#[cfg(test)]
mod tests {
    use super::{Judge, Reader, Result};

    /// The values and the lines of bad records of a document whose records have at most 12 bytes.
    fn read(document: &str, skip: bool) -> Result<(Vec<String>, Vec<u64>)> {
        let mut judge = Judge { skip, named: Vec::new(), count: 0 };
        let mut reader = Reader {
            input: document.as_bytes(),
            line: 1,
            bytes: 0,
            most: 12,
            progress: &mut |_| {},
            judge: &mut judge,
            found: Vec::new(),
        };
        match reader.first()? {
            Some(b'[') => reader.list()?,
            _ => reader.lines()?,
        }
        let values = reader.found.iter().map(|record| record.value.text().into_owned()).collect();
        Ok((values, judge.named.iter().map(|bad| bad.line).collect()))
    }

    #[test]
    fn a_record_that_is_too_long_is_left_out_alone() {
        let long = "\"12345678901\"";
        let cases = [
            (format!("1\n{long}\n2\n"), vec!["1", "2"], vec![2]),
            (format!("{long}\n2\n\n3"), vec!["2", "3"], vec![1]),
            (format!("1\n2\n{long}"), vec!["1", "2"], vec![3]),
            (format!("[1,\n{long},2]"), vec!["1", "2"], vec![2]),
            (format!("[{long},{long}\n,[2]]"), vec!["[2]"], vec![1, 1]),
            (format!("[1,{{\n\"a\":[{long}],\n\"b\":2}},3]"), vec!["1", "3"], vec![1]),
            ("{\"a\":\n1}".to_owned(), vec!["{\"a\":1}"], vec![]),
            ("{\"a\":\n1\n,\"b\":2}".to_owned(), vec!["1"], vec![1, 3]),
        ];
        for (document, values, bad) in cases {
            let expected = (values.into_iter().map(str::to_owned).collect(), bad.clone());
            assert_eq!(read(&document, true), Ok(expected), "{document}");
            assert_eq!(read(&document, false).is_err(), !bad.is_empty(), "{document}");
        }
    }
}
