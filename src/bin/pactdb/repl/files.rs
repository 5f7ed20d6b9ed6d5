//! Dot commands that read or write files.

use super::script::Pieces;
use super::session::{Outcome, Session};
use crate::answer::Answer;
use crate::context::private;
use crate::progress::Bar;
use crate::render::{self, plural, visible};
use pactdb::session::{Format, ImportRequest};
use pactdb::{Address, Code, Error, Options, Result, session};
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

/// Scripts that run scripts stop at this depth: one of them runs itself.
const MOST_NESTED: usize = 8;

/// `.export FILE [ADDRESS]`
pub fn export(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let (file, at) = with_address(rest);
    let file = named(file, "export")?;
    let lens = session.lens.map(|lens| lens.to_string());
    let at = at.map(str::to_owned).or(lens);
    let dialect = Some(session.dialect);
    let found = session
        .patiently(move |db| crate::answer::state_at(db, at.as_deref(), dialect)?.export())?;
    let Some(text) = found else { return Ok(Outcome::Interrupted) };
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
    let input = std::fs::File::open(&file).map_err(|error| about(&file, &error))?;
    let size = input.metadata().map_or(0, |metadata| metadata.len());
    let request = ImportRequest { name: Some(file), format, ..ImportRequest::default() };
    let bar = Bar::new();
    let report = session::import(&session.db, BufReader::new(input), &request, &mut |progress| {
        bar.show_import(progress, size)
    });
    drop(bar);
    session.version += 1;
    let report = report.map_err(|mut error| {
        // The library speaks of the flag of the command line.
        if error.details.hint.as_ref().is_some_and(|hint| hint.contains("--format")) {
            error.details.hint = Some("`.import FILE FORMAT` says which it is".to_owned());
        }
        error
    })?;
    let look = session.look();
    let warnings = report.reply.warnings.iter().map(|warning| render::warning(look, warning));
    Ok((warnings.collect::<String>() + &render::imported(look, &report)).into())
}

/// `.fork FILE [ADDRESS]`
pub fn fork(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let (file, at) = with_address(rest);
    let file = named(file, "fork")?;
    let until = match at {
        Some(at) => {
            let state = crate::answer::state_at(&session.db, Some(at), Some(session.dialect))?;
            state.address().unwrap_or(Address::Cycle(state.cycle()))
        }
        None => session.lens.unwrap_or(Address::Cycle(session.db.last_cycle())),
    };
    let bar = Bar::new();
    let mut progress = |done, all| bar.set("forking", done, all);
    let made = session::fork(&session.db, until, Path::new(&file), Options::new(), &mut progress)?;
    let events = plural(made.events(), "event");
    let (file, cycle) = (visible(&file), made.last_cycle());
    Ok(format!("forked into {file}: {events}, newest cycle {cycle}\n").into())
}

/// `.dump FILE`
pub fn dump(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let file = named(rest, "dump")?;
    let made = private().write(true).create_new(true).open(&file);
    let mut out = BufWriter::new(made.map_err(|error| about(&file, &error))?);
    let bar = Bar::new();
    let report = session::dump(&session.db, &mut out, &mut |done, all| {
        bar.set("dumping", done, all);
    });
    let report = report.and_then(|report| {
        let out = out.into_inner().map_err(|failed| about(&file, failed.error()))?;
        out.sync_all().map_err(|error| about(&file, &error))?;
        Ok(report)
    });
    if report.is_err() {
        // Half a dump is none.
        let _ = std::fs::remove_file(&file);
    }
    let events = plural(report?.events, "event");
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
