//! Rows of an answer in SQL: a table for people, CSV and JSON lines for programs.

use super::look::{Look, Tone};
use super::text::{cut, longest_word, padding, visible, visible_lines, width_of};
use super::units::plural;
use super::widths::{Need, WORD, share};
use pactdb::language::nearest_word;
use pactdb::protocol::SqlReply;
use pactdb::{Error, Json, Map, Result, json, sql};

/// What lies between two columns.
const GAP: &str = "  ";

/// The longest bar.
const BAR: usize = 12;

/// A table: numbers lean to the right. Where there is no terminal, nothing is cut; where there is one that
/// is too narrow for all columns, each row stands by itself.
pub fn rows(look: Look, reply: &SqlReply) -> String {
    let names = reply.columns.iter().map(|column| visible(&column.name).into_owned());
    let mut lines: Vec<Vec<String>> = vec![names.collect()];
    lines.extend(reply.rows.iter().map(|row| row.iter().map(cell).collect()));
    let is_number = |value: &Json| matches!(value, Json::Null | Json::Int(_) | Json::Float(_));
    let right: Vec<bool> = (0..reply.columns.len())
        .map(|i| reply.rows.iter().filter_map(|row| row.get(i)).all(is_number))
        .collect();
    let bars = if look.height.is_some() { bars(reply) } else { Vec::new() };
    let room = if bars.is_empty() { 0 } else { BAR + GAP.len() };
    let most = if look.height.is_some() { look.width.saturating_sub(room) } else { usize::MAX };
    let needs = needs(&lines, right.len());
    let gaps = GAP.len() * needs.len().saturating_sub(1);
    let least = needs.iter().map(|need| need.least).sum::<usize>() + gaps;
    if least > most && needs.len() > 2 {
        return upright(look, &lines[0], &lines[1..]);
    }
    let widths = share(&needs, most.saturating_sub(gaps));
    let mut out = String::new();
    for (number, line) in lines.iter().enumerate() {
        let mut text = String::new();
        for (i, cell) in line.iter().enumerate() {
            let shown = cut(cell, widths[i]);
            let space = padding(&shown, widths[i]);
            let shown = if number == 0 { look.paint(Tone::Dim, &shown) } else { shown };
            if i > 0 {
                text.push_str(GAP);
            }
            match (right[i], i + 1 == line.len()) {
                (true, _) => text.extend([space.as_str(), &shown]),
                (false, true) => text.push_str(&shown),
                (false, false) => text.extend([shown.as_str(), &space]),
            }
        }
        if let Some(bar) = number.checked_sub(1).and_then(|row| bars.get(row)) {
            text.push_str(&format!("{GAP}{}", look.paint(Tone::Dim, bar)));
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

/// A bar for each row, by the last column: none unless it has several numbers, of which none is
/// negative, beside something that they are counted by.
fn bars(reply: &SqlReply) -> Vec<String> {
    let last = |row: &Vec<Json>| match row.last() {
        Some(Json::Int(number)) if *number >= 0 => Some(*number as f64),
        Some(Json::Float(number)) if *number >= 0.0 => Some(*number),
        _ => None,
    };
    let numbers: Option<Vec<f64>> = reply.rows.iter().map(last).collect();
    let numbers = numbers.filter(|numbers| numbers.len() > 1 && reply.columns.len() > 1);
    let numbers = numbers.unwrap_or_default();
    let most = numbers.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return Vec::new();
    }
    let eighths = |number: f64| (number / most * (BAR * 8) as f64).round() as usize;
    let bar = |eighths: usize| {
        let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
        format!("{}{part}", "█".repeat(eighths / 8))
    };
    numbers.into_iter().map(|number| bar(eighths(number))).collect()
}

fn cell(value: &Json) -> String {
    visible(&plain(value)).into_owned()
}

/// A value as a program reads it; null is nothing.
fn plain(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::Str(text) => text.clone(),
        other => json::canonical_string(other),
    }
}

/// What each column needs.
fn needs(lines: &[Vec<String>], count: usize) -> Vec<Need> {
    let mut needs = vec![Need { least: 0, most: 0 }; count];
    for line in lines {
        for (need, cell) in needs.iter_mut().zip(line) {
            need.least = need.least.max(longest_word(cell).min(WORD));
            need.most = need.most.max(width_of(cell));
        }
    }
    needs
}

/// Each row by itself, a value a line, where a table would be wider than the screen. What is null has no
/// line.
fn upright(look: Look, names: &[String], rows: &[Vec<String>]) -> String {
    let widest = names.iter().map(|name| width_of(name)).max().unwrap_or(0);
    let mut out = String::new();
    for (number, row) in rows.iter().enumerate() {
        let head = format!("row {}", number + 1);
        out.push_str(&format!("{}\n", look.paint(Tone::Strong, &head)));
        for (name, cell) in names.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
            let (space, name) = (padding(name, widest), look.paint(Tone::Dim, name));
            let room = look.width.saturating_sub(widest + 2 * GAP.len());
            out.push_str(&format!("{GAP}{name}{space}{GAP}{}\n", cut(cell, room)));
        }
    }
    out
}

/// The rows as CSV, with the names of the columns first (RFC 4180, but for the ends of lines). What a
/// terminal would obey is written out.
pub fn csv(reply: &SqlReply) -> String {
    let names: Vec<&str> = reply.columns.iter().map(|column| column.name.as_str()).collect();
    csv_lines(&names, &reply.rows)
}

/// Objects as CSV: a column for each name that one of them has, in the order in which they come.
pub fn csv_of_objects(objects: &[Json]) -> String {
    let objects: Vec<&Map> = objects
        .iter()
        .filter_map(|object| match object {
            Json::Map(fields) => Some(fields),
            _ => None,
        })
        .collect();
    let mut names: Vec<&str> = Vec::new();
    for name in objects.iter().flat_map(|object| object.keys()) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let value = |object: &&'_ Map, name: &str| object.get(name).cloned().unwrap_or(Json::Null);
    let rows: Vec<Vec<Json>> = objects
        .iter()
        .map(|object| names.iter().map(|name| value(object, name)).collect())
        .collect();
    csv_lines(&names, &rows)
}

/// Rows as CSV, with the names of the columns first.
pub(super) fn csv_lines(names: &[&str], rows: &[Vec<Json>]) -> String {
    let names = names.iter().map(|name| Json::from(*name)).collect();
    let mut out = String::new();
    for row in std::iter::once(&names).chain(rows) {
        let fields: Vec<String> =
            row.iter().map(|value| field(&visible_lines(&plain(value)))).collect();
        out.push_str(&fields.join(","));
        out.push('\n');
    }
    out
}

fn field(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// The rows as JSON lines, an object each.
pub fn json_lines(reply: &SqlReply) -> Result<String> {
    let mut out = String::new();
    for row in &reply.rows {
        let names = reply.columns.iter().map(|column| column.name.clone());
        let object: Map = names.zip(row.iter().cloned()).collect();
        let line = json::line(&object).map_err(|error| Error::request(error.to_string()))?;
        out.push_str(&line);
        out.push('\n');
    }
    Ok(out)
}

/// What is said of an answer that is not whole.
pub fn truncated(reply: &SqlReply) -> Vec<String> {
    let rows = plural(reply.rows.len() as u64, "row");
    let message =
        || format!("these are the first {rows}: --limit, or `limit` in the question, decides");
    reply.truncated.then(message).into_iter().collect()
}

/// The tables, or the columns of those that are named.
pub fn tables(look: Look, name: Option<&str>) -> Result<String> {
    let mut out = String::new();
    let all = sql::catalogue();
    if let Some(name) = name.filter(|name| all.iter().all(|table| table.name != *name)) {
        let mut error = Error::request(format!("there is no table `{name}`"));
        let near = nearest_word(name, all.iter().map(|table| table.name.as_str()));
        error.details.hint = near.map(|near| format!("did you mean `{near}`?"));
        return Err(error);
    }
    for table in all.iter().filter(|table| name.is_none_or(|name| name == table.name)) {
        let call = look.paint(Tone::Strong, &table.call);
        out.push_str(&format!("{call}  {}\n", table.about));
        for (name, kind, about) in &table.columns {
            let about = look.paint(Tone::Dim, about);
            out.push_str(&format!("  {name:<16}{kind:<9}{about}\n"));
        }
    }
    Ok(out)
}

/// The tables, a line each.
pub fn table_names(look: Look) -> String {
    let all = sql::catalogue();
    let width = all.iter().map(|table| table.call.len()).max().unwrap_or(0) + 2;
    let line = |table: &sql::SqlTable| {
        let space = " ".repeat(width.saturating_sub(table.call.len()));
        let whole = look.wrap(&format!("{}{space}{}", table.call, table.about), &" ".repeat(width));
        let about = whole.strip_prefix(&table.call).unwrap_or_default();
        format!("{}{about}\n", look.paint(Tone::Strong, &table.call))
    };
    all.iter().map(line).collect()
}
