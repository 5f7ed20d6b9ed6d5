//! Whole histories in and out of files of the program's own: forks, dumps, documents, replays.
//!
//! Commands and the REPL share them. Whoever answers never sees these files.

use crate::context::{name_of, private};
use crate::progress::Bar;
use crate::signals::Input;
use pactdb::json::{DecodeError, from_json};
use pactdb::protocol::{
    Client, ClientExt, Copied, Dump, Dumped, Import, Notice, Replay, State, dump_to, fork,
};
use pactdb::session::{ImportRequest, Step, read_import};
use pactdb::{Code, Dialect, Error, Generation, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read};
use std::path::Path;

/// Makes another store with the history up to an address; the newest snapshot if there is none.
pub fn fork_to(
    store: &Path,
    client: &dyn Client,
    at: Option<String>,
    dialect: Option<Dialect>,
    new: &Path,
) -> Result<Copied> {
    let at = match at {
        Some(at) => at,
        None => match client.ask(State::default())?.store.cycle {
            0 => {
                let message = "there is no snapshot yet to end with: commit first";
                return Err(Error::new(Code::SnapshotNotFound, message));
            }
            newest => format!("@c{newest}"),
        },
    };
    let bar = Bar::new();
    let (dump, name) = (Dump { at: Some(at), dialect }, Some(name_of(store)));
    fork(client, dump, name, new, &mut |told| bar.set("forking", told.done, told.total))
}

/// Writes a dump to a file that must not exist.
pub fn dump_to_file(client: &dyn Client, path: &Path) -> Result<Dumped> {
    let error = |error| Error::new(Code::StoreIo, format!("{}: {error}", path.display()));
    let file = private().write(true).create_new(true).open(path).map_err(error)?;
    let mut out = BufWriter::new(file);
    let bar = Bar::new();
    let dumped = dump_to(client, Dump::default(), &mut out, &mut |told| bar.tell(&told));
    let dumped = dumped.and_then(|dumped| {
        let file = out.into_inner().map_err(|failed| error(failed.into_error()))?;
        file.sync_all().map_err(error)?;
        Ok(dumped)
    });
    if dumped.is_err() {
        // Half a dump is none.
        let _ = std::fs::remove_file(path);
    }
    dumped
}

/// The events of a replay, taken as they come, with a bar.
pub fn steps(client: &dyn Client, request: Replay) -> Result<Vec<Step>> {
    let (bar, mut steps) = (Bar::new(), Vec::new());
    client.ask_streaming(request, &mut |notice| {
        match notice {
            Notice::Progress(progress) => bar.tell(&progress),
            Notice::Part(step) => steps.push(from_json(step).map_err(unreadable)?),
        }
        Ok(())
    })?;
    Ok(steps)
}

fn unreadable(error: DecodeError) -> Error {
    Error::request(format!("a part of the answer to replay cannot be read: {error}"))
}

/// Reads a document to send it: what is wrong with it is found before there is a store for it. Also
/// the generation that a store takes which is made for it.
pub fn read_document(file: Option<&Path>, request: ImportRequest) -> Result<(Import, Generation)> {
    let (input, name, size) = open_document(file)?;
    let bar = Bar::new();
    let mut kept = Kept { input, bytes: Vec::new() };
    let incoming = read_import(BufReader::new(&mut kept), &request, &mut |progress| {
        bar.show_import(progress, size);
    })?;
    let import = Import {
        document: Some(text_of(kept.bytes)),
        format: request.format.map(|format| format.name().to_owned()),
        name,
        skip_bad: request.skip_bad,
        again: request.again,
        ..Import::default()
    };
    Ok((import, incoming.generation()))
}

/// An input of which everything that is read is kept.
struct Kept<R> {
    input: R,
    bytes: Vec<u8>,
}

impl<R: Read> Read for Kept<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.bytes.extend_from_slice(&buffer[..count]);
        Ok(count)
    }
}

/// A document as text. A record that is none stays a bad one: no JSON has this character.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let mut text = String::new();
        for chunk in error.as_bytes().utf8_chunks() {
            text.push_str(chunk.valid());
            if !chunk.invalid().is_empty() {
                text.push('\u{1}');
            }
        }
        text
    })
}

/// A document, what it is called, and its size as far as it is known.
pub fn open_document(file: Option<&Path>) -> Result<(Box<dyn BufRead>, Option<String>, u64)> {
    let Some(path) = file.filter(|path| *path != Path::new("-")) else {
        return Ok((Box::new(BufReader::new(Input)), None, 0));
    };
    let error = |error| Error::new(Code::StoreIo, format!("{}: {error}", path.display()));
    let file = File::open(path).map_err(error)?;
    let size = file.metadata().map_err(error)?.len();
    Ok((Box::new(BufReader::new(file)), Some(path.display().to_string()), size))
}
