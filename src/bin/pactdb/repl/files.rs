//! Dot commands that read or write files.

use super::arguments::{Shape, parse};
use super::script::Pieces;
use super::session::{Outcome, Session};
use super::sink::text_file;
use crate::answer::{Answer, answer};
use crate::args::{DumpArgs, ExportArgs, ForkArgs, ImportArgs};
use crate::commands::thread::{export_request, is_several, is_working};
use crate::context::name_of;
use crate::histories::{dump_to_file, fork_to, read_document};
use crate::render::{self, plural, visible};
use clap::Args;
use pactdb::json::canonical_string;
use pactdb::protocol::{Client, ClientExt, Copied, Export, Notice};
use pactdb::session::{Format, ImportRequest};
use pactdb::{Code, Error, Result};
use std::io::{BufReader, Write};
use std::path::Path;

/// Scripts that run scripts stop at this depth: one of them runs itself.
const MOST_NESTED: usize = 8;

/// `.export`
#[derive(Args)]
pub struct ExportFileArgs {
    /// The file to write
    pub file: String,
    #[command(flatten)]
    pub state: ExportArgs,
}

/// `.export FILE [TIME]`
pub fn export(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let args: ExportFileArgs = parse(rest, Shape::Words)?;
    let (file, whole) = (args.file, args.state.attempt.is_none() && !args.state.all);
    let now = args.state.time.as_deref().or(args.state.at.as_deref()).is_some_and(is_working);
    let mut request = export_request(args.state, Some(session.dialect));
    if request.at.is_none() && whole && !now {
        request.at = session.lens.map(|lens| lens.to_string());
    }
    let text = match request.all || is_several(session.client(), &request) {
        true => one_a_line(session.client(), request)?,
        false => session.client().ask(request)?.0,
    };
    let written = text_file(&file)?.write_all(text.as_bytes());
    written.map_err(|error| about(&file, &error))?;
    let bytes = plural(text.len() as u64, "byte");
    Ok(Outcome::Note(format!("wrote {bytes} to {}\n", visible(&file))))
}

/// Snapshots, one a line.
fn one_a_line(client: &dyn Client, request: Export) -> Result<String> {
    let mut text = String::new();
    client.ask_streaming(request, &mut |notice| {
        if let Notice::Part(snapshot) = notice {
            text.push_str(&format!("{}\n", canonical_string(&snapshot)));
        }
        Ok(())
    })?;
    Ok(text)
}

/// `.import FILE [FORMAT]`
pub fn import(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let args: ImportArgs = parse(rest, Shape::Words)?;
    let Some(file) = args.file.as_deref() else {
        return Err(Error::request("which file? `.import FILE`"));
    };
    session.refuse_through_lens()?;
    let request = ImportRequest {
        format: args.kind.or(args.format).map(Format::from),
        skip_bad: args.skip_bad,
        again: args.again,
        ..ImportRequest::default()
    };
    let (import, _) = read_document(Some(file), request).map_err(in_words)?;
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

/// `.fork FILE [TIME]`
pub fn fork(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let args: ForkArgs = parse(rest, Shape::Words)?;
    let at = args.at.or(args.time).or(session.lens.map(|lens| lens.to_string()));
    let made = fork_to(&session.path, session.client(), at, Some(session.dialect), &args.new)?;
    Ok(Outcome::Note(copied("forked into", &args.new, &made)))
}

/// What a new store holds.
pub fn copied(what: &str, new: &Path, made: &Copied) -> String {
    let (name, events, cycle) = (name_of(new), plural(made.events, "event"), made.cycle);
    format!("{what} {}: {events}, newest cycle {cycle}\n", visible(&name))
}

/// `.dump FILE`
pub fn dump(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let args: DumpArgs = parse(rest, Shape::Words)?;
    let Some(file) = args.file.as_deref() else {
        return Err(Error::request("which file? `.dump FILE`"));
    };
    let dumped = dump_to_file(session.client(), file)?;
    let events = plural(dumped.events, "event");
    Ok(Outcome::Note(format!("dumped {events} to {}\n", visible(&name_of(file)))))
}

/// `.read`
#[derive(Args)]
pub struct ReadArgs {
    /// The file with the statements
    pub file: String,
}

/// `.read FILE`
pub fn read(session: &mut Session<'_>, rest: &str) -> Result<Outcome> {
    let ReadArgs { file } = parse(rest, Shape::Words)?;
    if session.depth >= MOST_NESTED {
        let message =
            format!("scripts run scripts at most {MOST_NESTED} deep: does one run itself?");
        return Err(Error::new(Code::Limit, message));
    }
    let input = std::fs::File::open(&file).map_err(|error| about(&file, &error))?;
    let mut pieces = Pieces::of(BufReader::new(input));
    session.depth += 1;
    let mut ran = || {
        let (mut text, mut count) = (String::new(), 0u64);
        while let Some(piece) = pieces.next()? {
            let outcome = session.execute(&piece.text).map_err(|mut error| {
                error.message = format!("{file}, line {}: {}", piece.line, error.message);
                error
            })?;
            count += 1;
            match outcome.into_answer() {
                Some(answer) => text.push_str(&answer.text),
                None => break,
            }
        }
        let source = Some(format!("{} from {file}", plural(count, "statement")));
        Ok(Outcome::Answer(Answer { text, warnings: Vec::new(), source }))
    };
    let outcome = ran();
    session.depth -= 1;
    outcome
}

fn about(file: &str, error: &std::io::Error) -> Error {
    Error::new(Code::StoreIo, format!("{file}: {error}"))
}
