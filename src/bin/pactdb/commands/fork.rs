//! `fork`, `dump` and `load`: whole histories from store to store.

use super::import::open;
use super::replay::cycle_at;
use crate::answer::state_at;
use crate::args::{DumpArgs, ForkArgs, LoadArgs};
use crate::context::{Context, name_of, private};
use crate::progress::Bar;
use crate::render::{plural, visible};
use pactdb::session::{Until, dump, fork, load};
use pactdb::{Address, Code, Db, Error, Options, Result};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

pub fn run(context: &Context, args: &ForkArgs) -> Result<()> {
    let db = context.existing()?;
    let until = match &args.at {
        Some(at) => until(context, &db, at)?,
        None => Until::Cycle(db.last_cycle()),
    };
    let bar = Bar::new();
    let forked = fork(&db, until, &args.new, Options::new(), &mut |done, all| {
        bar.set("forking", done, all);
    })?;
    drop(bar);
    said(context, &forked, &args.new, "forked into")
}

/// Where the history of a fork ends.
fn until(context: &Context, db: &Db, at: &str) -> Result<Until> {
    match state_at(db, Some(at), context.dialect).map(|state| state.address()) {
        Ok(Some(address @ Address::Event(_))) => Ok(address.into()),
        _ => cycle_at(context, db, at).map(Until::Cycle),
    }
}

pub fn dump_store(context: &Context, args: &DumpArgs) -> Result<()> {
    let db = context.existing()?;
    let bar = Bar::new();
    let mut progress = |done, all| bar.set("dumping", done, all);
    let Some(path) = args.file.as_deref().filter(|path| *path != Path::new("-")) else {
        let mut out = BufWriter::new(Reader { out: std::io::stdout().lock(), left: false });
        let dumped = dump(&db, &mut out, &mut progress);
        let left = out.get_ref().left;
        return if left { Ok(()) } else { dumped.map(drop) };
    };
    let error = |error| Error::new(Code::StoreIo, format!("{}: {error}", path.display()));
    let file = private().write(true).create_new(true).open(path).map_err(error)?;
    let mut out = BufWriter::new(file);
    let report = dump(&db, &mut out, &mut progress);
    let report = report.and_then(|report| {
        let file = out.into_inner().map_err(|failed| error(failed.into_error()))?;
        file.sync_all().map_err(error)?;
        Ok(report)
    });
    if report.is_err() {
        // Half a dump is none.
        let _ = std::fs::remove_file(path);
    }
    let report = report?;
    let name = name_of(path);
    let text = format!("dumped {} to {}\n", plural(report.events, "event"), visible(&name));
    context.say(&report, &text)
}

/// Somebody who reads standard output, and may leave at any time.
struct Reader<W> {
    out: W,
    left: bool,
}

impl<W: Write> Write for Reader<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.out
            .write(bytes)
            .inspect_err(|error| self.left |= error.kind() == ErrorKind::BrokenPipe)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush().inspect_err(|error| self.left |= error.kind() == ErrorKind::BrokenPipe)
    }
}

pub fn load_store(context: &Context, args: &LoadArgs) -> Result<()> {
    let (input, _, _) = open(args.file.as_deref())?;
    let bar = Bar::new();
    let db = load(input, &args.new, Options::new(), &mut |done, all| {
        bar.set("loading", done, all);
    })?;
    drop(bar);
    said(context, &db, &args.new, "loaded into")
}

/// What a new store holds.
pub fn said(context: &Context, db: &Db, path: &Path, what: &str) -> Result<()> {
    let (name, events, cycle) = (name_of(path), db.events(), db.last_cycle());
    let value = serde_json::json!({"store": name, "events": events, "cycle": cycle});
    let events = plural(events, "event");
    let text = format!("{what} {}: {events}, newest cycle {cycle}\n", visible(&name));
    context.say(&value, &text)
}
