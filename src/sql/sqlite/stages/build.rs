//! From stages to one statement, and from a place in it back to what was typed.
//!
//! Stages are put into one `select` as long as its clauses come in the order in which SQL takes them;
//! where one comes too late, what there is becomes a table of the next.

use super::parse::{At, Column, Source, Stage, Value};
use crate::error::Error;

/// A statement, of which parts were typed.
#[derive(Debug)]
pub(in crate::sql::sqlite) struct Statement<'a> {
    typed: &'a str,
    /// The statement.
    pub(in crate::sql::sqlite) sql: String,
    /// Parts that were typed: where each stands in the statement, where in the text, and how long it is.
    parts: Vec<(usize, usize, usize)>,
}

impl Statement<'_> {
    fn own(&mut self, text: &str) {
        self.sql.push_str(text);
    }

    fn typed(&mut self, at: &At) {
        self.parts.push((self.sql.len(), at.start, at.len()));
        self.sql.push_str(&self.typed[at.clone()]);
    }

    /// A part as a text of SQL.
    fn quoted(&mut self, at: &At) {
        self.own("'");
        let mut from = at.start;
        for (quote, _) in self.typed[at.clone()].match_indices('\'') {
            self.typed(&(from..at.start + quote + 1));
            self.own("'");
            from = at.start + quote + 1;
        }
        self.typed(&(from..at.end));
        self.own("'");
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        for (number, item) in items.iter().enumerate() {
            if number > 0 {
                self.own(", ");
            }
            write(self, item);
        }
    }

    fn column(&mut self, column: &Column) {
        self.typed(&column.value);
        if let Some(name) = &column.name {
            self.own(" as ");
            self.typed(name);
        }
    }

    /// An error about the statement, as one about what was typed.
    pub(in crate::sql::sqlite) fn back(&self, mut error: Error) -> Error {
        if error.details.text.as_deref() != Some(&*self.sql) {
            return error;
        }
        let Some((start, end)) = error.details.span.take() else { return error };
        let message = error.message.strip_prefix(&format!("at byte {start}: "));
        let message = message.unwrap_or(&error.message).to_owned();
        let part = self.parts.iter().find(|(at, _, length)| (*at..at + length).contains(&start));
        error.details.text = None;
        error.message = message;
        if let Some((at, typed, length)) = part {
            let (from, to) = (typed + (start - at), typed + (end - at).min(*length));
            error.message = format!("at byte {from}: {}", error.message);
            error.details.span = Some((from, to.max(from)));
            error.details.text = Some(self.typed.to_owned());
        }
        error
    }
}

/// One `select`, clause by clause.
#[derive(Default)]
struct Clauses<'s> {
    wheres: Vec<&'s At>,
    shown: Option<&'s [Column]>,
    counted: Option<(&'s [Value], &'s [Column])>,
    sorted: Option<&'s [At]>,
    distinct: bool,
    take: Option<u64>,
    skip: Option<u64>,
}

impl<'s> Clauses<'s> {
    fn cuts(&self) -> bool {
        self.take.is_some() || self.skip.is_some()
    }

    /// Whether a stage fits behind those that are there.
    fn takes(&self, stage: &Stage) -> bool {
        let made = self.counted.is_some() || self.shown.is_some() || self.distinct;
        match stage {
            Stage::Where(_) | Stage::Aggregate { .. } | Stage::Show(_) if made => false,
            Stage::Show(_) => true,
            Stage::Take(_) => self.take.is_none(),
            _ => !self.cuts(),
        }
    }

    fn add(&mut self, stage: &'s Stage) {
        match stage {
            Stage::Where(condition) => self.wheres.push(condition),
            Stage::Aggregate { values, by } => {
                self.counted = Some((values, by));
                self.sorted = None;
            }
            Stage::Sort(by) => self.sorted = Some(by),
            Stage::Take(rows) => self.take = Some(*rows),
            Stage::Skip(rows) => self.skip = Some(*rows),
            Stage::Distinct => self.distinct = true,
            Stage::Show(columns) => self.shown = Some(columns),
        }
    }
}

/// The statement of a source and its stages.
pub(super) fn build<'a>(text: &'a str, parsed: &(Source, Vec<Stage>)) -> Statement<'a> {
    let (source, stages) = parsed;
    let mut levels = vec![Clauses::default()];
    for stage in stages {
        if levels.last().is_some_and(|last| !last.takes(stage)) {
            levels.push(Clauses::default());
        }
        if let Some(last) = levels.last_mut() {
            last.add(stage);
        }
    }
    let mut statement = Statement { typed: text, sql: String::new(), parts: Vec::new() };
    write(&mut statement, source, &levels, true);
    statement
}

fn write(out: &mut Statement<'_>, source: &Source, levels: &[Clauses<'_>], outermost: bool) {
    let Some((last, inner)) = levels.split_last() else { return };
    out.own("select ");
    if last.distinct {
        out.own("distinct ");
    }
    match (last.counted, last.shown) {
        (Some((values, by)), _) => {
            out.list(by, |out, column| out.column(column));
            if !by.is_empty() && !values.is_empty() {
                out.own(", ");
            }
            out.list(values, value);
        }
        (None, Some(columns)) => out.list(columns, |out, column| out.column(column)),
        (None, None) if inner.is_empty() && outermost => out.own(usual(source)),
        (None, None) => out.own("*"),
    }
    out.own(" from ");
    match inner.is_empty() {
        true => from(out, source),
        false => {
            out.own("(");
            write(out, source, inner, false);
            out.own(")");
        }
    }
    for (number, condition) in last.wheres.iter().enumerate() {
        out.own(if number == 0 { " where (" } else { " and (" });
        out.typed(condition);
        out.own(")");
    }
    ends(out, last);
}

/// What stands behind the conditions.
fn ends(out: &mut Statement<'_>, last: &Clauses<'_>) {
    let by = last.counted.map_or(&[][..], |(_, by)| by);
    if !by.is_empty() {
        out.own(" group by ");
        out.list(by, |out, column| out.typed(&column.value));
    }
    if let Some(sorted) = last.sorted {
        out.own(" order by ");
        out.list(sorted, |out, at| out.typed(at));
    } else if !by.is_empty() {
        let numbers: Vec<String> = (1..=by.len()).map(|number| number.to_string()).collect();
        out.own(&format!(" order by {}", numbers.join(", ")));
    }
    match (last.take, last.skip) {
        (None, None) => {}
        (take, skip) => {
            let take = take.map_or(-1, |rows| i64::try_from(rows).unwrap_or(i64::MAX));
            out.own(&format!(" limit {take}"));
            if let Some(skip) = skip {
                out.own(&format!(" offset {}", i64::try_from(skip).unwrap_or(i64::MAX)));
            }
        }
    }
}

/// The columns that are shown if nobody says which.
fn usual(source: &Source) -> &'static str {
    match source {
        Source::Nodes(_) => "id, turn, role, kind, bytes, content",
        Source::Each(..) => "at, id, role, kind, bytes, content",
        Source::Changes(_) => "cycle, change, id, field, older, newer",
    }
}

fn from(out: &mut Statement<'_>, source: &Source) {
    match source {
        Source::Nodes(selector) => call(out, "pact", &[selector]),
        Source::Changes(selector) => call(out, "changes", &[selector]),
        Source::Each(range, selector) => call(out, "each", &[range, selector]),
    }
}

fn call(out: &mut Statement<'_>, name: &str, args: &[&At]) {
    out.own(&format!("{name}("));
    out.list(args, |out, at| out.quoted(at));
    out.own(")");
}

/// A value over many rows, with its name.
fn value(out: &mut Statement<'_>, value: &Value) {
    match value {
        Value::Count => out.own("count(*) as count"),
        Value::Plain(column) => out.column(column),
        Value::Of(function, over) => {
            let text = &out.typed[over.clone()];
            let plain = text.chars().all(|c| c.is_alphanumeric() || c == '_');
            let name = if plain { format!("{function}_{text}") } else { (*function).to_owned() };
            out.own(&format!("{function}("));
            out.typed(over);
            out.own(&format!(") as \"{name}\""));
        }
    }
}
