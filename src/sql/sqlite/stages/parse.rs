//! From a text to stages. What is SQL in them is not looked at: it keeps its place in the text.

use super::scan::{Piece, split, trimmed, words};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::language::{Dialect, nearest_word, parse_selector, parse_time};
use crate::sql::sqlite::catalogue::catalogue;
use crate::sql::text::first_stage;
use std::ops::Range;

/// The words that begin a stage.
const STAGES: [&str; 12] = [
    "where", "count", "sum", "min", "max", "avg", "sort", "take", "skip", "distinct", "show", "by",
];

/// What is counted over.
const FUNCTIONS: [&str; 5] = ["count", "sum", "min", "max", "avg"];

/// A place in the text.
pub(super) type At = Range<usize>;

/// What the first stage is given.
#[derive(Debug)]
pub(super) enum Source {
    /// The nodes that a selector finds.
    Nodes(At),
    /// What changed over a range.
    Changes(At),
    /// The nodes of each snapshot of a range.
    Each(At, At),
}

#[derive(Debug)]
pub(super) enum Stage {
    Where(At),
    Aggregate { values: Vec<Value>, by: Vec<Column> },
    Sort(Vec<At>),
    Take(u64),
    Skip(u64),
    Distinct,
    Show(Vec<Column>),
}

/// A value over many rows.
#[derive(Debug)]
pub(super) enum Value {
    /// `count`
    Count,
    /// `sum bytes`: the function, and what it is over.
    Of(&'static str, At),
    /// Any expression.
    Plain(Column),
}

/// An expression, and the name that it is given.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) value: At,
    pub(super) name: Option<At>,
}

/// The source and the stages of a text.
pub(super) fn parse(text: &str, dialect: Dialect) -> Result<(Source, Vec<Stage>)> {
    let first = first_stage(text).unwrap_or(text.len());
    let source = source(text, trimmed(text, 0..first), dialect)?;
    if first == text.len() {
        return Ok((source, Vec::new()));
    }
    let parts = split(text, first + 1..text.len(), Piece::Pipe);
    let stages = parts.into_iter().map(|part| stage(text, part));
    Ok((source, stages.collect::<Result<_>>()?))
}

fn source(text: &str, at: At, dialect: Dialect) -> Result<Source> {
    let part = &text[at.clone()];
    if part.is_empty() {
        return Err(error(text, at, "a selector must stand before the first `|`"));
    }
    if let Some(rest) =
        part.strip_prefix("each").filter(|rest| rest.starts_with(char::is_whitespace))
    {
        let rest = trimmed(text, at.end - rest.len()..at.end);
        let end = text[rest.clone()].find(char::is_whitespace).unwrap_or(rest.len());
        let (range, selector) = (rest.start..rest.start + end, rest.start + end..rest.end);
        let selector = trimmed(text, selector);
        let moved =
            |error, at: &At| moved(Error::from(error).in_text(&text[at.clone()]), text, at.start);
        parse_time(&text[range.clone()]).map_err(|error| moved(error, &range))?;
        parse_selector(&text[selector.clone()], dialect)
            .map_err(|error| moved(error, &selector))?;
        return Ok(Source::Each(range, selector));
    }
    let selector = parse_selector(part, dialect)
        .map_err(|error| moved(Error::from(error).in_text(part), text, at.start))?;
    Ok(match selector.time.is_some_and(|time| time.kind.is_range()) {
        true => Source::Changes(at),
        false => Source::Nodes(at),
    })
}

fn stage(text: &str, at: At) -> Result<Stage> {
    let Some(word) =
        words(text, at.clone()).into_iter().next().filter(|word| word.start == at.start)
    else {
        return Err(error(text, at, "a stage begins with a word").hinted());
    };
    let rest = trimmed(text, word.end..at.end);
    let name = text[word.clone()].to_ascii_lowercase();
    let called = text[word.end..].starts_with('(');
    let needs = |what: &str| match rest.is_empty() {
        true => Err(error(text, word.clone(), &format!("`{name}` needs {what}"))),
        false => Ok(rest.clone()),
    };
    match &*name {
        "where" if !called => Ok(Stage::Where(needs("a condition")?)),
        "sort" if !called => Ok(Stage::Sort(list(text, needs("something to sort by")?)?)),
        "show" if !called => columns(text, needs("something to show")?).map(Stage::Show),
        "take" => number(text, needs("a number")?).map(Stage::Take),
        "skip" => number(text, needs("a number")?).map(Stage::Skip),
        "distinct" if rest.is_empty() => Ok(Stage::Distinct),
        "distinct" => Err(error(text, rest, "nothing follows `distinct`")),
        _ => aggregate(text, at, &name),
    }
}

/// `count, sum bytes by role`
fn aggregate(text: &str, at: At, name: &str) -> Result<Stage> {
    let by = words(text, at.clone())
        .into_iter()
        .find(|word| text[word.clone()].eq_ignore_ascii_case("by"));
    if by.is_none() && !FUNCTIONS.contains(&name) {
        let word = at.start..at.start + name.len();
        let near = nearest_word(name, STAGES);
        let mut error = error(text, word, &format!("`{name}` begins no stage")).hinted();
        if let Some(near) = near {
            error.details.hint = Some(format!("did you mean `{near}`?"));
        }
        return Err(error);
    }
    let (values, keys) = match by {
        Some(by) => (trimmed(text, at.start..by.start), Some(trimmed(text, by.end..at.end))),
        None => (at, None),
    };
    let values = list(text, values)?.into_iter().map(|value| aggregated(text, value));
    let by = keys.map_or(Ok(Vec::new()), |keys| columns(text, keys))?;
    Ok(Stage::Aggregate { values: values.collect::<Result<_>>()?, by })
}

/// Refuses a value such as `cuont` or `sun bytes`, in which a word stands for a function that it is not.
fn refuse_slip(text: &str, word: &At, rest: &str) -> Result<()> {
    let name = &text[word.clone()];
    let is_column = || catalogue().iter().any(|table| table.columns.iter().any(|it| it.0 == name));
    let as_function = rest.is_empty() || rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
    match nearest_word(name, FUNCTIONS).filter(|_| as_function && !is_column()) {
        None => Ok(()),
        Some(near) => {
            let message = format!("`{name}` is neither a column nor a function");
            let mut error = error(text, word.clone(), &message);
            error.details.hint = Some(format!("did you mean `{near}`?"));
            Err(error)
        }
    }
}

fn aggregated(text: &str, at: At) -> Result<Value> {
    let word = words(text, at.clone()).into_iter().next().filter(|word| word.start == at.start);
    let Some(word) = word else { return Ok(Value::Plain(column(text, at))) };
    let function = FUNCTIONS.into_iter().find(|name| text[word.clone()].eq_ignore_ascii_case(name));
    let rest = trimmed(text, word.end..at.end);
    if function.is_none() {
        refuse_slip(text, &word, &text[rest.clone()])?;
    }
    match function {
        Some("count") if rest.is_empty() => Ok(Value::Count),
        Some(name) if rest.is_empty() => Err(error(
            text,
            word,
            &format!("`{name}` needs what it is over, such as `{name} bytes`"),
        )),
        Some(name) if !text[word.end..].starts_with('(') => Ok(Value::Of(name, rest)),
        _ => Ok(Value::Plain(column(text, at))),
    }
}

fn list(text: &str, at: At) -> Result<Vec<At>> {
    let parts = split(text, at, Piece::Comma);
    match parts.iter().find(|part| part.is_empty()) {
        Some(empty) => Err(error(text, empty.clone(), "something is missing beside a comma")),
        None => Ok(parts),
    }
}

fn columns(text: &str, at: At) -> Result<Vec<Column>> {
    Ok(list(text, at)?.into_iter().map(|part| column(text, part)).collect())
}

/// `EXPR [as NAME]`
fn column(text: &str, at: At) -> Column {
    let found = words(text, at.clone());
    let word = found.iter().rev().find(|word| text[(*word).clone()].eq_ignore_ascii_case("as"));
    match word {
        Some(word) if word.start > at.start && word.end < at.end => Column {
            value: trimmed(text, at.start..word.start),
            name: Some(trimmed(text, word.end..at.end)),
        },
        _ => Column { value: at, name: None },
    }
}

fn number(text: &str, at: At) -> Result<u64> {
    text[at.clone()].parse().map_err(|_| error(text, at, "a number of rows is expected here"))
}

/// An error that points into the text.
pub(super) fn error(text: &str, at: At, message: &str) -> Error {
    let mut error = Error::new(Code::SqlInvalid, format!("at byte {}: {message}", at.start));
    let end = if at.is_empty() { (at.start + 1).min(text.len()) } else { at.end };
    error.details.span = Some((at.start.min(end), end));
    error.details.text = Some(text.to_owned());
    error
}

/// An error about a part of the text, as one about the text.
fn moved(mut error: Error, text: &str, by: usize) -> Error {
    if let Some((start, end)) = error.details.span {
        let prefix = format!("at byte {start}: ");
        let message = error.message.strip_prefix(&prefix).unwrap_or(&error.message);
        error.message = format!("at byte {}: {message}", start + by);
        error.details.span = Some((start + by, end + by));
    }
    error.details.text = Some(text.to_owned());
    error
}

trait Hinted {
    fn hinted(self) -> Error;
}

impl Hinted for Error {
    /// With the list of stages.
    fn hinted(mut self) -> Error {
        let hint = "stages are where, count, sum, min, max, avg (… by …), sort, take, skip, distinct, show";
        self.details.hint = Some(hint.to_owned());
        self
    }
}
