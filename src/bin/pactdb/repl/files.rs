//! Dot commands that read or write files.

use super::script::Pieces;
use super::session::{Outcome, Session};
use crate::answer::Answer;
use crate::render::plural;
use pactdb::protocol::Op;
use pactdb::{Code, Error, Json, Result};
use std::io::BufReader;

/// Scripts that run scripts stop at this depth: one of them runs itself.
const MOST_NESTED: usize = 8;

/// `.export FILE [ADDRESS]`
pub fn export(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let (file, at) = match rest.rsplit_once(char::is_whitespace) {
        Some((file, at)) if at.starts_with('@') => (file.trim(), Some(at.to_owned())),
        _ => (rest, None),
    };
    let file = named(file, "export")?;
    let lens = session.lens.map(|cycle| format!("@c{cycle}"));
    let at = at.or(lens);
    let found = session.patiently(move |db| match &at {
        Some(at) => db.export(Some(at)),
        None => db.export(None),
    })?;
    let Some(text) = found else { return Ok(Outcome::Interrupted) };
    std::fs::write(&file, &text).map_err(|error| about(&file, &error))?;
    Ok(format!("wrote {} to {file}\n", plural(text.len() as u64, "byte")).into())
}

/// `.import FILE`
pub fn import(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let file = named(rest, "import")?;
    let text = std::fs::read_to_string(&file).map_err(|error| about(&file, &error))?;
    let op = match pactdb::json::parse(&text) {
        Ok(Json::List(messages)) => Op::ImportMessages { messages, created_at_ns: None },
        Ok(Json::Map(map)) if map.contains_key("root") => Op::ImportSnapshot(Json::Map(map)),
        Ok(Json::Map(map)) => {
            Op::ImportMessages { messages: vec![Json::Map(map)], created_at_ns: None }
        }
        Ok(other) => {
            let message =
                format!("{file} holds {}, and no snapshot or messages", other.type_name());
            return Err(Error::new(Code::ImportInvalid, message));
        }
        Err(_) => Op::ImportMessages { messages: lines(&file, &text)?, created_at_ns: None },
    };
    session.run(op)
}

/// JSON Lines.
fn lines(file: &str, text: &str) -> Result<Vec<Json>> {
    let mut messages = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        messages.push(pactdb::json::parse(line).map_err(|error| {
            let message = format!("{file}, line {}: {error}", index + 1);
            Error::new(Code::ImportInvalid, message)
        })?);
    }
    Ok(messages)
}

/// `.read FILE`
pub fn read(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let file = named(rest, "read")?;
    if session.depth >= MOST_NESTED {
        let message =
            format!("scripts run scripts at most {MOST_NESTED} deep: does one run itself?");
        return Err(Error::new(Code::Limit, message));
    }
    let input = std::fs::File::open(&file).map_err(|error| about(&file, &error))?;
    let mut pieces = Pieces { input: BufReader::new(input), line: 0 };
    session.depth += 1;
    let mut ran = || {
        let (mut text, mut count) = (String::new(), 0u64);
        while let Some(piece) = pieces.next()? {
            let outcome = session.execute(&piece.text).map_err(|error| {
                let message = format!("{file}, line {}: {}", piece.line, error.message);
                Error { message, ..error }
            })?;
            count += 1;
            match outcome {
                Outcome::Answer(answer) | Outcome::Whole(answer) => text.push_str(&answer.text),
                Outcome::Interrupted => return Ok(Outcome::Interrupted),
                Outcome::Leave => break,
            }
        }
        let source = Some(format!("{} from {file}", plural(count, "statement")));
        Ok(Outcome::Answer(Answer { text, warnings: Vec::new(), source }))
    };
    let outcome = ran();
    session.depth -= 1;
    outcome
}

fn named(file: &str, command: &str) -> Result<String> {
    match file.trim().trim_matches(['\'', '"']) {
        "" => Err(Error::request(format!("which file? `.{command} FILE`"))),
        file => Ok(file.to_owned()),
    }
}

fn about(file: &str, error: &std::io::Error) -> Error {
    Error::new(Code::StoreIo, format!("{file}: {error}"))
}
