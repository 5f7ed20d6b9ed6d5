//! `import`: a history that somebody else wrote.

use crate::args::ImportArgs;
use crate::context::Context;
use crate::progress::Bar;
use crate::signals::Input;
use pactdb::protocol::Import;
use pactdb::session::{Format, ImportRequest, read_import};
use pactdb::{Code, Error, Generation, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

pub fn run(context: &Context, args: ImportArgs) -> Result<()> {
    let request = ImportRequest {
        format: args.format.map(Format::from),
        skip_bad: args.skip_bad,
        again: args.again,
        ..ImportRequest::default()
    };
    let (import, generation) = context.budget().run(|| read(args.file.as_deref(), request))?;
    let made = !context.store.exists();
    let client = context.open_or_create_as(generation)?;
    let said = context.ask(&*client, import);
    if said.is_err() && made {
        // A store that was only made for this holds nothing, and goes with it.
        drop(client);
        let _ = std::fs::remove_file(&context.store);
    }
    context.print_said(said?)
}

/// Reads a document to send it: what is wrong with it is found before there is a store for it. Also
/// the generation that a store takes which is made for it.
pub fn read(file: Option<&Path>, request: ImportRequest) -> Result<(Import, Generation)> {
    let (input, name, size) = open(file)?;
    let bar = Bar::new();
    let mut copied = Copied { input, bytes: Vec::new() };
    let incoming = read_import(BufReader::new(&mut copied), &request, &mut |progress| {
        bar.show_import(progress, size);
    })?;
    let import = Import {
        document: Some(text_of(copied.bytes)),
        format: request.format.map(|format| format.name().to_owned()),
        name,
        skip_bad: request.skip_bad,
        again: request.again,
        ..Import::default()
    };
    Ok((import, incoming.generation()))
}

/// An input of which everything that is read is kept.
struct Copied<R> {
    input: R,
    bytes: Vec<u8>,
}

impl<R: Read> Read for Copied<R> {
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
pub fn open(file: Option<&Path>) -> Result<(Box<dyn BufRead>, Option<String>, u64)> {
    let Some(path) = file.filter(|path| *path != Path::new("-")) else {
        return Ok((Box::new(BufReader::new(Input)), None, 0));
    };
    let error = |error| Error::new(Code::StoreIo, format!("{}: {error}", path.display()));
    let file = File::open(path).map_err(error)?;
    let size = file.metadata().map_err(error)?.len();
    Ok((Box::new(BufReader::new(file)), Some(path.display().to_string()), size))
}
