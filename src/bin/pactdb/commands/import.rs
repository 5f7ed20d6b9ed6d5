//! `import`: a history that somebody else wrote.

use crate::args::ImportArgs;
use crate::context::Context;
use crate::progress::Bar;
use crate::render;
use pactdb::session::{ImportRequest, import_read, read_import};
use pactdb::{Code, Error, Result};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

pub fn run(context: &Context, args: ImportArgs) -> Result<()> {
    let (input, name, size) = open(args.file.as_deref())?;
    let request = ImportRequest {
        format: args.format.map(Into::into),
        name,
        skip_bad: args.skip_bad,
        again: args.again,
    };
    let bar = Bar::new();
    let mut show = |progress| bar.show_import(progress, size);
    let incoming = read_import(input, &request, &mut show)?;
    let made = !context.store.exists();
    let db = context.open_or_create_as(incoming.generation())?;
    let report = import_read(&db, incoming, &request, &mut show);
    drop(bar);
    if report.is_err() && made {
        // A store that was only made for this holds nothing, and goes with it.
        drop(db);
        let _ = std::fs::remove_file(&context.store);
    }
    let report = report?;
    context.say_with(&report, &render::imported(context.look, &report), &report.reply.warnings)
}

/// A document, what it is called, and its size as far as it is known.
pub fn open(file: Option<&Path>) -> Result<(Box<dyn BufRead>, Option<String>, u64)> {
    let Some(path) = file.filter(|path| *path != Path::new("-")) else {
        return Ok((Box::new(BufReader::new(std::io::stdin())), None, 0));
    };
    let error = |error| Error::new(Code::StoreIo, format!("{}: {error}", path.display()));
    let file = File::open(path).map_err(error)?;
    let size = file.metadata().map_err(error)?.len();
    Ok((Box::new(BufReader::new(file)), Some(path.display().to_string()), size))
}
