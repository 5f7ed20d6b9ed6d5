//! The whole store as canonical JSON Lines, and back (docs/dump.md).
//!
//! The first line says what follows; then comes one line for each event, with everything that the
//! event holds and the contents that it brought. The form is its own: it does not change when the
//! file's does, so a dump is the way across formats.

mod event;
mod fields;
mod form;
mod notes;

use super::fork::{Until, last_event, pages};
use crate::budget;
use crate::code::Code;
use crate::db::{Db, NewStore, Options};
use crate::error::{Error, Result};
use crate::json::{Json, canonical_string};
use crate::log::{Entry, Record};
use crate::model::Generation;
use crate::snapshot::hex;
use crate::storage::StorageBackend;
use fields::{Fields, invalid};
use form::{number, object};
use std::io::{BufRead, Write};
use std::path::Path;

/// The version of the form. A reader knows all versions up to its own.
const VERSION: u64 = 1;

/// Events that are read at a time.
const PAGE: usize = 256;

/// What a dump holds.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DumpReport {
    /// Events.
    pub events: u64,
    /// The hash of the last one, in hex.
    pub hash: String,
}

/// Writes the whole log. `progress` is told how many events are done, and of how many.
///
/// ```
/// use pactdb::session::{dump, load};
/// use pactdb::{Add, Commit, Db, Generation, Options};
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// db.add(Add::user("Where is the key?"))?;
/// db.commit(Commit::new())?;
/// let mut lines = Vec::new();
/// dump(&db, &mut lines, &mut |_, _| {})?;
/// // The same history in another file.
/// # let path = folder.path().join("b.pactdb");
/// let copy = load(&*lines, &path, Options::new(), &mut |_, _| {})?;
/// assert_eq!(copy.export(Some("@c1"))?, db.export(Some("@c1"))?);
/// # Ok::<(), pactdb::Error>(())
/// ```
pub fn dump(
    db: &Db,
    out: &mut impl Write,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<DumpReport> {
    let events = db.events();
    let report = dump_lines(db, Until::End, &mut |seq, line| {
        write_line(out, &line)?;
        if seq.is_multiple_of(PAGE as u64) || seq == events {
            progress(seq, events);
        }
        Ok(())
    })?;
    out.flush().map_err(output_error)?;
    Ok(report)
}

/// Gives the lines of a dump to `each`, each with the number of its event; the first line has 0.
pub fn dump_lines(
    db: &Db,
    until: Until,
    each: &mut dyn FnMut(u64, Json) -> Result<()>,
) -> Result<DumpReport> {
    let events = last_event(db, until)?;
    let hash = hex(&db.chain_hash(events)?);
    let header = object([
        ("events", number(events)),
        ("hash", Json::from(hash.as_str())),
        ("pactdb_dump", number(VERSION)),
        ("spec", Json::from(db.generation().name())),
    ]);
    each(0, header)?;
    pages(db, events, "events were written", &mut |_, entries| {
        entries.into_iter().try_for_each(|entry| each(entry.record.seq, line_of(entry)))
    })?;
    Ok(DumpReport { events, hash })
}

fn write_line(out: &mut impl Write, line: &Json) -> Result<()> {
    let mut text = canonical_string(line);
    text.push('\n');
    out.write_all(text.as_bytes()).map_err(output_error)
}

fn output_error(error: std::io::Error) -> Error {
    Error::io("the output", error)
}

fn line_of(entry: Entry) -> Json {
    let Entry { record, contents } = entry;
    let mut line = vec![
        ("seq", number(record.seq)),
        ("group", number(record.group)),
        ("time_ns", Json::Int(record.time)),
        ("event", Json::from(record.event.kind())),
        ("data", event::write(&record.event)),
        ("hash", Json::Str(hex(&record.hash))),
    ];
    if !contents.is_empty() {
        line.push(("contents", Json::List(contents)));
    }
    object(line)
}

/// Makes a store in a new file out of a dump. Every event is checked against the chain, every
/// cycle against its digest. Of a failed load nothing remains. For an example see [`dump`].
pub fn load(
    input: impl BufRead,
    path: impl AsRef<Path>,
    options: Options,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Db> {
    fill(input, options, progress, |generation| NewStore::create(path, generation))
}

/// Like [`load`], on storage of another sort than a file.
#[doc(hidden)]
pub fn load_on(
    input: impl BufRead,
    storage: impl StorageBackend,
    options: Options,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Db> {
    fill(input, options, progress, |generation| NewStore::create_on(storage, generation))
}

struct Header {
    generation: Generation,
    events: u64,
    hash: [u8; 32],
}

fn fill(
    mut input: impl BufRead,
    options: Options,
    progress: &mut dyn FnMut(u64, u64),
    make: impl FnOnce(Generation) -> Result<NewStore>,
) -> Result<Db> {
    let mut text = String::new();
    if !read_line(&mut input, &mut text, 1)? {
        return Err(invalid("the dump is empty"));
    }
    let mut loader = Loader::begin(&text, make)?;
    while read_line(&mut input, &mut text, loader.line + 1)? {
        loader.take(&text)?;
        if loader.events().is_multiple_of(PAGE as u64) {
            progress(loader.events(), loader.total());
            budget::reached("events were loaded", loader.events(), Some(loader.total()))?;
        }
    }
    let total = loader.total();
    let loaded = loader.whole()?;
    progress(total, total);
    loaded.finish(options)
}

/// A store that is being made out of the lines of a dump, as they come.
pub struct Loader {
    header: Header,
    store: NewStore,
    line: u64,
    last: Option<(u64, [u8; 32])>,
}

impl Loader {
    /// Begins with the first line, for a store in a new file.
    pub fn create(first: &str, path: impl AsRef<Path>) -> Result<Loader> {
        Loader::begin(first, |generation| NewStore::create(path, generation))
    }

    fn begin(first: &str, make: impl FnOnce(Generation) -> Result<NewStore>) -> Result<Loader> {
        let header = header(first).map_err(|error| in_line(1, error))?;
        let store = make(header.generation)?;
        Ok(Loader { header, store, line: 1, last: None })
    }

    /// Takes the next line, the event of which is checked against the chain.
    pub fn take(&mut self, text: &str) -> Result<()> {
        self.line += 1;
        let entry = entry(text).map_err(|error| in_line(self.line, error))?;
        self.last = Some((entry.record.seq, entry.record.hash));
        self.store.take(entry).map_err(|error| in_line(self.line, error))
    }

    /// How many events there are already.
    pub fn events(&self) -> u64 {
        self.last.map_or(0, |(seq, _)| seq)
    }

    /// How many events there will be.
    pub fn total(&self) -> u64 {
        self.header.events
    }

    /// The store, if every line came.
    pub fn finish(self, options: Options) -> Result<Db> {
        self.whole()?.finish(options)
    }

    fn whole(self) -> Result<NewStore> {
        if self.last != Some((self.header.events, self.header.hash)) {
            let message = format!(
                "the dump ends after event {}, its first line promises {}: it is not whole",
                self.events(),
                self.header.events
            );
            return Err(invalid(message));
        }
        Ok(self.store)
    }
}

/// Reads the next line that is not blank; false at the end.
fn read_line(input: &mut impl BufRead, text: &mut String, line: u64) -> Result<bool> {
    text.clear();
    let read = input.read_line(text).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData => in_line(line, invalid("it is not UTF-8")),
        _ => Error::io("the input", error),
    })?;
    if read > 0 && text.trim().is_empty() {
        return Err(in_line(line, invalid("it is blank")));
    }
    Ok(read > 0)
}

fn header(text: &str) -> Result<Header> {
    let mut fields = Fields::parse(text)?;
    let version = match fields.take("pactdb_dump") {
        Some(Json::Int(version)) if version >= 1 => version as u64,
        _ => return Err(invalid("this is no dump: its first line has no 'pactdb_dump'")),
    };
    if version > VERSION {
        let message = format!(
            "the dump has version {version}, this release of pactdb knows versions up to \
             {VERSION}: use a newer one"
        );
        return Err(Error::new(Code::StoreFormat, message));
    }
    let spec = fields.text("spec")?;
    let generation = Generation::from_name(&spec)
        .ok_or_else(|| invalid(format!("'spec' is \"0.1\" or \"1.0\", not \"{spec}\"")))?;
    let header = Header { generation, events: fields.count("events")?, hash: fields.hash("hash")? };
    fields.finish()?;
    Ok(header)
}

fn entry(text: &str) -> Result<Entry> {
    let mut fields = Fields::parse(text)?;
    let kind = fields.text("event")?;
    let data = fields.object("data")?;
    let contents = fields.list("contents")?.unwrap_or_default();
    let record = Record {
        seq: fields.count("seq")?,
        group: fields.count("group")?,
        time: fields.int("time_ns")?,
        event: event::read(&kind, data)?,
        contents: Vec::new(),
        hash: fields.hash("hash")?,
    };
    fields.finish()?;
    Ok(Entry { record, contents })
}

fn in_line(line: u64, error: Error) -> Error {
    Error { message: format!("line {line}: {}", error.message), ..error }
}
