//! Dot commands that read or write files.

use super::script::Pieces;
use super::session::{Outcome, Session};
use crate::answer::{Answer, answer};
use crate::context::private;
use crate::histories::{dump_to_file, fork_to, read_document};
use crate::render::{self, plural, visible};
use crate::states;
use pactdb::protocol::{ClientExt, Export};
use pactdb::session::{Format, ImportRequest};
use pactdb::{Code, Error, Result};
use std::io::{BufReader, Write};
use std::path::Path;

/// Scripts that run scripts stop at this depth: one of them runs itself.
const MOST_NESTED: usize = 8;

/// `.export FILE [ADDRESS]`
pub fn export(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let (file, at) = with_address(rest);
    let file = named(file, "export")?;
    let lens = session.lens.map(|lens| lens.to_string());
    let at = at.map(str::to_owned).or(lens);
    let state = states::one_at(session.client(), at.as_deref(), Some(session.dialect))?;
    let at = states::address(&state).map(|at| at.to_string());
    let text = session.client().ask(Export { at, ..Export::default() })?.0;
    let made = private().write(true).create(true).truncate(true).open(&file);
    let written = made.and_then(|mut out| out.write_all(text.as_bytes()));
    written.map_err(|error| about(&file, &error))?;
    let bytes = plural(text.len() as u64, "byte");
    Ok(format!("wrote {bytes} to {}\n", visible(&file)).into())
}

/// `.import FILE [FORMAT]`
pub fn import(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let split = rest.rsplit_once(char::is_whitespace);
    let (file, format) = match split.and_then(|(file, word)| Some((file, Format::from_name(word)?)))
    {
        Some((file, format)) => (file, Some(format)),
        None => (rest, None),
    };
    let file = named(file, "import")?;
    session.refuse_through_lens()?;
    let request = ImportRequest { format, ..ImportRequest::default() };
    let (import, _) = read_document(Some(Path::new(&file)), request).map_err(in_words)?;
    let look = session.look();
    let Answer { text, warnings, .. } =
        answer(look, session.client(), import.into()).map_err(in_words)?;
    let warnings = warnings.iter().map(|warning| render::warning(look, warning));
    Ok((warnings.collect::<String>() + &text).into())
}

/// An error of an import. The library speaks of the flag of the command line.
fn in_words(mut error: Error) -> Error {
    if error.details.hint.as_ref().is_some_and(|hint| hint.contains("--format")) {
        error.details.hint = Some("`.import FILE FORMAT` says which it is".to_owned());
    }
    error
}

/// `.fork FILE [ADDRESS]`
pub fn fork(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let (file, at) = with_address(rest);
    let file = named(file, "fork")?;
    let at = at.map(str::to_owned).or(session.lens.map(|lens| lens.to_string()));
    let dialect = Some(session.dialect);
    let made = fork_to(session.context, session.client(), at, dialect, Path::new(&file))?;
    let events = plural(made.events, "event");
    let (file, cycle) = (visible(&file), made.cycle);
    Ok(format!("forked into {file}: {events}, newest cycle {cycle}\n").into())
}

/// `.dump FILE`
pub fn dump(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let file = named(rest, "dump")?;
    let dumped = dump_to_file(session.client(), Path::new(&file))?;
    let events = plural(dumped.events, "event");
    Ok(format!("dumped {events} to {}\n", visible(&file)).into())
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
            let outcome = session.execute(&piece.text).map_err(|mut error| {
                error.message = format!("{file}, line {}: {}", piece.line, error.message);
                error
            })?;
            count += 1;
            match outcome {
                Outcome::Answer(answer) | Outcome::Whole(answer) => text.push_str(&answer.text),
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

/// A file, and the address behind it.
fn with_address(rest: &str) -> (&str, Option<&str>) {
    match rest.rsplit_once(char::is_whitespace) {
        Some((file, at)) if at.starts_with('@') => (file.trim(), Some(at)),
        _ => (rest, None),
    }
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
