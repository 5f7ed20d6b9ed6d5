//! Tables as the engine gives them to SQLite: a shape, and rows that are made one by one when they
//! are asked for. Nothing here knows SQLite; `vtab` puts these behind its interface.
//!
//! A table may return more rows than the conditions allow, and never fewer: SQLite looks again.

use crate::error::Result;
use std::borrow::Cow;
use std::collections::VecDeque;

/// What a table looks like.
#[derive(Debug)]
pub(super) struct Shape {
    /// Its name.
    pub(super) name: &'static str,
    /// The names of its arguments, if it is called like a function.
    pub(super) args: &'static [&'static str],
    /// Its columns.
    pub(super) columns: Vec<Column>,
    /// What its rows are.
    pub(super) about: &'static str,
}

impl Shape {
    /// As SQL declares it; the arguments are columns that `*` does not show.
    pub(super) fn declaration(&self) -> String {
        let columns =
            self.columns.iter().map(|column| format!("\"{}\" {}", column.name, column.kind.word()));
        let args = self.args.iter().map(|arg| format!("\"{arg}\" TEXT HIDDEN"));
        let all: Vec<String> = columns.chain(args).collect();
        format!("CREATE TABLE {}({})", self.name, all.join(", "))
    }

    /// Of the columns that SQLite looks at, a bit for each, those that are no arguments: these it looks
    /// at always.
    pub(super) fn shown(&self, used: u64) -> u64 {
        match self.columns.len() {
            columns @ ..63 => used & ((1 << columns) - 1),
            _ => used,
        }
    }

    /// How it is called: `each(RANGE, SELECTOR)`.
    pub(super) fn call(&self) -> String {
        match self.args {
            [] => self.name.to_owned(),
            args => format!("{}({})", self.name, args.join(", ").to_uppercase()),
        }
    }
}

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// Its name.
    pub(super) name: &'static str,
    /// The type of its values.
    pub(super) kind: Kind,
    /// Which conditions on it the engine uses.
    pub(super) takes: Takes,
    /// What it is, in a few words.
    pub(super) about: &'static str,
}

impl Column {
    /// A column that conditions are not taken on.
    pub(super) const fn new(name: &'static str, kind: Kind, about: &'static str) -> Column {
        Column { name, kind, takes: Takes::Nothing, about }
    }

    /// The same column, with these conditions taken on it.
    pub(super) const fn taking(self, takes: Takes) -> Column {
        Column { takes, ..self }
    }
}

/// The declared type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Real,
    Text,
    /// Values of several types.
    Any,
}

impl Kind {
    /// As SQL declares it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Integer => "INTEGER",
            Kind::Real => "REAL",
            Kind::Text => "TEXT",
            Kind::Any => "ANY",
        }
    }
}

/// Which conditions on a column the engine uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    /// `= text`
    Equal,
    /// `=`, `<`, `<=`, `>`, `>=` with a number.
    Range,
}

/// How a condition compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Equal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Op {
    /// As SQL writes it.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Op::Equal => "=",
            Op::Less => "<",
            Op::LessEqual => "<=",
            Op::Greater => ">",
            Op::GreaterEqual => ">=",
        }
    }

    /// Read back.
    pub(super) fn of(sign: &str) -> Option<Op> {
        use Op::{Equal, Greater, GreaterEqual, Less, LessEqual};
        [Equal, LessEqual, Less, GreaterEqual, Greater].into_iter().find(|op| op.sign() == sign)
    }
}

impl Takes {
    /// Whether such a condition is used.
    pub(super) fn accepts(self, op: Op) -> bool {
        match self {
            Takes::Nothing => false,
            Takes::Equal => op == Op::Equal,
            Takes::Range => true,
        }
    }
}

/// A value in a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Int(i64),
    Real(f64),
    Text(Cow<'a, str>),
}

impl<'a> Value<'a> {
    /// A number, as far as SQLite's reach.
    pub(super) fn int(number: impl TryInto<i64>) -> Value<'a> {
        Value::Int(number.try_into().unwrap_or(i64::MAX))
    }

    /// A number, or null.
    pub(super) fn maybe_int(number: Option<impl TryInto<i64>>) -> Value<'a> {
        number.map_or(Value::Null, Value::int)
    }

    /// A text that is lent.
    pub(super) fn text(text: &'a str) -> Value<'a> {
        Value::Text(Cow::Borrowed(text))
    }

    /// A text that is lent, or null.
    pub(super) fn maybe_text(text: Option<&'a str>) -> Value<'a> {
        text.map_or(Value::Null, Value::text)
    }

    /// A text of its own.
    pub(super) fn owned(text: String) -> Value<'a> {
        Value::Text(Cow::Owned(text))
    }
}

/// A condition that the engine was given.
#[derive(Debug, Clone)]
pub(super) struct Condition {
    pub(super) column: usize,
    pub(super) op: Op,
    pub(super) value: Value<'static>,
}

/// What is asked of a table.
#[derive(Debug, Clone, Default)]
pub(super) struct Ask {
    /// The arguments, one for each that the shape has.
    pub(super) args: Vec<String>,
    /// The columns that are looked at, a bit for each; the last bit is for all from the 64th on.
    pub(super) used: u64,
    /// Conditions that every row that matters satisfies.
    pub(super) conditions: Vec<Condition>,
    /// How many rows are enough, if that is known.
    pub(super) enough: Option<u64>,
}

impl Ask {
    /// The numbers that a column can have.
    pub(super) fn range(&self, column: usize) -> (i64, i64) {
        let (mut least, mut most) = (i64::MIN, i64::MAX);
        for condition in self.conditions.iter().filter(|condition| condition.column == column) {
            // What is no number is left to SQLite, which has rules for it.
            let (low, high) = match condition.value {
                Value::Int(number) => (number, number),
                Value::Real(number) => (number.floor() as i64, number.ceil() as i64),
                _ => continue,
            };
            match condition.op {
                Op::Equal => (least, most) = (least.max(low), most.min(high)),
                Op::Less | Op::LessEqual => most = most.min(high),
                Op::Greater | Op::GreaterEqual => least = least.max(low),
            }
        }
        (least, most)
    }

    /// The same of numbers that are never negative; none if there are none.
    pub(super) fn counts(&self, column: usize) -> Option<(u64, u64)> {
        let (least, most) = self.range(column);
        let most = u64::try_from(most).ok()?;
        let least = u64::try_from(least.max(0)).ok()?;
        (least <= most).then_some((least, most))
    }

    /// The text that a column must be.
    pub(super) fn text(&self, column: usize) -> Option<Cow<'_, str>> {
        let conditions = self.conditions.iter().filter(|condition| condition.column == column);
        conditions.into_iter().find_map(|condition| match &condition.value {
            Value::Text(text) => Some(Cow::Borrowed(&**text)),
            // A number that is compared with a text becomes one.
            Value::Int(number) => Some(Cow::Owned(number.to_string())),
            _ => None,
        })
    }
}

/// A table.
pub(super) trait Table: Send + Sync {
    /// What it looks like.
    fn shape(&self) -> &'static Shape;

    /// Its rows, at least those that satisfy all conditions.
    fn rows(&self, ask: Ask) -> Result<Box<dyn Rows>>;
}

/// Rows, made one by one.
pub(super) trait Rows {
    /// Goes to the next row, at first to the first; whether there is one.
    fn next(&mut self) -> Result<bool>;

    /// A column of the row. What is not asked for is not made.
    fn column(&mut self, column: usize) -> Result<Value<'_>>;
}

/// Rows that come in pages, an empty one of which is the end.
pub(super) struct Pages<T, F, G> {
    fetch: F,
    get: G,
    page: VecDeque<T>,
    row: Option<T>,
}

impl<T, F, G> Pages<T, F, G>
where
    F: FnMut() -> Result<Vec<T>>,
    G: Fn(&T, usize) -> Result<Value<'_>>,
{
    /// From what fetches a page, and what finds a column of a row.
    pub(super) fn new(fetch: F, get: G) -> Pages<T, F, G> {
        Pages { fetch, get, page: VecDeque::new(), row: None }
    }
}

impl<T, F, G> Rows for Pages<T, F, G>
where
    F: FnMut() -> Result<Vec<T>>,
    G: Fn(&T, usize) -> Result<Value<'_>>,
{
    fn next(&mut self) -> Result<bool> {
        if self.page.is_empty() {
            self.page = (self.fetch)()?.into();
        }
        self.row = self.page.pop_front();
        Ok(self.row.is_some())
    }

    fn column(&mut self, column: usize) -> Result<Value<'_>> {
        self.row.as_ref().map_or(Ok(Value::Null), |row| (self.get)(row, column))
    }
}

/// A fetch that gives one page.
pub(super) fn once<T>(mut list: Vec<T>) -> impl FnMut() -> Result<Vec<T>> {
    move || Ok(std::mem::take(&mut list))
}
