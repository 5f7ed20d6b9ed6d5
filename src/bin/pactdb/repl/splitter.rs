//! From lines to statements: where one ends, and whether the last is finished.
//!
//! A statement ends with its line or with a `;` outside of quotes and brackets. It goes on in the next
//! line while a bracket or a quote is open, behind a `|` or a comma, and in SQL behind a word that cannot
//! be the last. A command is always one line. Each line is looked at once, however long a statement gets.

use super::meta;
use pactdb::language::Unclosed;
use std::collections::VecDeque;

/// One statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The line that it begins on, from 1.
    pub line: usize,
    /// Its text, without the line's end.
    pub text: String,
    /// The byte of what was fed at which it begins, if lines end in one byte.
    pub at: usize,
}

/// Words of SQL behind which something has to come.
const DANGLING: [&str; 22] = [
    "select", "with", "from", "where", "and", "or", "not", "by", "group", "order", "join", "on",
    "as", "in", "union", "having", "limit", "between", "like", "when", "then", "regexp",
];

/// Cuts lines into statements.
#[derive(Debug, Default)]
pub struct Splitter {
    done: VecDeque<Piece>,
    /// The statement that the last line has left open.
    text: String,
    line: usize,
    at: usize,
    /// How many bytes came before the line that is read.
    before: usize,
    open: Unclosed,
    /// Whether the text is SQL from here on, where a backslash is a letter like others.
    sql: bool,
    comment: Option<Comment>,
    last: char,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comment {
    ToLineEnd,
    ToMark,
}

impl Splitter {
    /// The statements of a whole text, and whether the last one is unfinished.
    pub fn of_text(text: &str) -> (Vec<Piece>, bool) {
        let mut splitter = Splitter::default();
        for (number, line) in text.split('\n').enumerate() {
            splitter.feed(line, number + 1);
        }
        let unfinished = splitter.pending() > 0;
        splitter.end();
        (splitter.done.into(), unfinished)
    }

    /// Where the statement begins that the end of a text is in.
    pub fn start_of_last(text: &str) -> usize {
        let (pieces, _) = Splitter::of_text(text);
        let last =
            pieces.last().filter(|last| !text[last.at + last.text.len()..].contains([';', '\n']));
        last.map_or(text.len(), |last| last.at)
    }

    /// The next line, without its end, and its number.
    pub fn feed(&mut self, line: &str, number: usize) {
        self.read(line, number);
        self.before += line.len() + 1;
    }

    fn read(&mut self, line: &str, number: usize) {
        let first = self.text.is_empty();
        if first && line.trim_start().starts_with("--") {
            return;
        }
        // An empty line gives a bracket up; in a quote it is part of the text.
        if !first && line.trim().is_empty() && !self.open.in_quote() {
            return self.finish();
        }
        for (at, symbol) in line.char_indices() {
            if self.text.is_empty() {
                if symbol.is_whitespace() {
                    continue;
                }
                (self.line, self.at) = (number, self.before + at);
            }
            self.take(symbol);
        }
        if self.comment == Some(Comment::ToLineEnd) {
            self.comment = None;
        }
        match self.is_unfinished() {
            true => {
                self.note_sql();
                self.open.feed("\n");
                self.text.push('\n');
            }
            false => self.finish(),
        }
    }

    /// The input is at its end: what there is, is a statement.
    pub fn end(&mut self) {
        self.finish();
    }

    /// The next statement that is complete.
    pub fn next(&mut self) -> Option<Piece> {
        self.done.pop_front()
    }

    /// How many bytes the statement has so far that is not complete.
    pub fn pending(&self) -> usize {
        self.text.len()
    }

    fn take(&mut self, symbol: char) {
        if symbol == ';' && !self.open.is_open() && self.comment.is_none() {
            self.finish();
            return;
        }
        if symbol.is_whitespace() {
            self.note_sql();
        }
        self.text.push(symbol);
        if self.sql && !self.open.in_quote() && self.in_comment() {
            return;
        }
        if symbol == '|' && !self.open.is_open() {
            self.sql = true;
        }
        if !(self.sql && symbol == '\\') {
            self.open.feed(symbol.encode_utf8(&mut [0; 4]));
        }
        if !symbol.is_whitespace() {
            self.last = symbol;
        }
    }

    /// A space or the end of a line comes: behind the first word of SQL the text is SQL.
    fn note_sql(&mut self) {
        self.sql |= matches!(self.word_alone().as_deref(), Some("select" | "with"));
    }

    /// Whether the text ends in a comment, or in the mark that begins or ends one.
    fn in_comment(&mut self) -> bool {
        let ends = |mark: &str| self.text.ends_with(mark);
        match self.comment {
            Some(Comment::ToMark) if ends("*/") => self.comment = None,
            Some(_) => {}
            None if ends("--") => self.comment = Some(Comment::ToLineEnd),
            None if ends("/*") => self.comment = Some(Comment::ToMark),
            None => return false,
        }
        true
    }

    /// The text, if it is a single word.
    fn word_alone(&self) -> Option<String> {
        let short = self.text.len() <= 6 && !self.text.contains(char::is_whitespace);
        short.then(|| self.text.to_ascii_lowercase())
    }

    fn is_unfinished(&self) -> bool {
        if self.text.is_empty() || meta::of_line(&self.text).is_some() {
            return false;
        }
        let alone = matches!(self.word_alone().as_deref(), Some("select" | "with"));
        let is_sql = self.sql && pactdb::sql::is_sql(&self.text);
        let word = || self.text.trim_end().rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
        self.open.is_open()
            || self.comment.is_some()
            || matches!(self.last, '|' | ',')
            || alone
            || (self.sql && word().eq_ignore_ascii_case("by"))
            || (is_sql && DANGLING.iter().any(|known| word().eq_ignore_ascii_case(known)))
    }

    /// The text is a statement, and the next one begins.
    fn finish(&mut self) {
        let text = std::mem::take(&mut self.text);
        let text = text.trim_end();
        if !text.is_empty() {
            let piece = Piece { line: self.line, text: text.to_owned(), at: self.at };
            self.done.push_back(piece);
        }
        let done = std::mem::take(&mut self.done);
        *self = Splitter { done, before: self.before, ..Splitter::default() };
    }
}

fn is_word(symbol: char) -> bool {
    symbol.is_alphanumeric() || symbol == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> (Vec<String>, bool) {
        let (pieces, unfinished) = Splitter::of_text(text);
        for piece in &pieces {
            assert!(text[piece.at..].starts_with(&piece.text), "{text:?}: {piece:?}");
        }
        (pieces.into_iter().map(|piece| piece.text).collect(), unfinished)
    }

    #[test]
    fn statements_end_with_their_line_or_a_semicolon() {
        for (text, pieces) in [
            ("commit", &["commit"][..]),
            ("add 'a;b' ; commit", &["add 'a;b'", "commit"]),
            ("add 'it\\'s;' ; undo", &["add 'it\\'s;'", "undo"]),
            (";; .log ;", &[".log"]),
            ("select 'it''s;\\'; select 2", &["select 'it''s;\\'", "select 2"]),
            ("select 1 -- it's; so\n.log", &["select 1 -- it's; so", ".log"]),
            ("select /* a;' */ 1; .log", &["select /* a;' */ 1", ".log"]),
            ("-- a comment; all of it\nundo", &["undo"]),
            (".cb | where x = '\\'; .log", &[".cb | where x = '\\'", ".log"]),
            (".read it's.pact\nundo", &[".read it's.pact", "undo"]),
            ("add [\n\ncommit", &["add [", "commit"]),
            ("add 'a\n\nb'", &["add 'a\n\nb'"]),
        ] {
            assert_eq!(texts(text), (pieces.iter().map(|it| (*it).to_owned()).collect(), false));
        }
    }

    #[test]
    fn what_cannot_be_the_end_goes_on() {
        for text in [
            "add 'x",
            "select\nrole,\ncount(*) from",
            ".cb[role in [",
            "@t0 .cb |",
            "@t0 .cb | count by ",
            ".mt:first,",
            "select",
            "SELECT role,",
            "select role from",
            "select count(",
            "select 1 /* and",
            "undo; add {",
        ] {
            assert!(texts(text).1, "{text}");
            assert!(!texts(&format!("{text}\n")).1 || text.contains('\''), "{text}");
        }
        for text in ["", ".tree [", "selected", "select from_here", ".cb[x=',']", "commit  "] {
            assert!(!texts(text).1, "{text}");
        }
    }

    #[test]
    fn the_last_statement_begins_behind_the_others() {
        for (text, last) in
            [("undo", "undo"), ("undo; .lo", ".lo"), ("undo; ", ""), ("a\n b", "b"), ("x ;", "")]
        {
            assert_eq!(&text[Splitter::start_of_last(text)..], last, "{text:?}");
        }
    }
}
