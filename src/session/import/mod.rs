//! Histories that others wrote, as turns of a store (docs/import.md).
//!
//! A document is read record by record, its format recognised or named, and every record becomes
//! blocks before anything is written. A bad record is named by its line; then nothing of the
//! document is taken, unless bad records are to be left out. The same session is taken once.

mod anthropic;
mod claude_code;
mod codex;
mod detect;
mod flat;
mod format;
mod message;
mod openai_chat;
mod openai_responses;
mod pact;
mod records;
mod report;
mod turns;
mod value;

pub use format::Format;
pub use report::{BadRecord, ImportProgress, ImportReport};

use crate::budget;
use crate::change::{Origin, OriginKind};
use crate::code::Code;
use crate::db::{Db, TurnsRequest};
use crate::error::{Error, Result};
use crate::json::{Json, canonical_string};
use crate::model::Generation;
use crate::snapshot::spec_version;
use detect::detect;
use report::Judge;
use std::io::BufRead;
use turns::Builder;

/// How to import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportRequest {
    /// The format; it is recognised if there is none.
    pub format: Option<Format>,
    /// What the document is called, for the log.
    pub name: Option<String>,
    /// Leave bad records out instead of refusing the document.
    pub skip_bad: bool,
    /// Take a session that was taken before.
    pub again: bool,
}

impl ImportRequest {
    /// A format that is recognised, and nothing left out.
    pub fn new() -> ImportRequest {
        ImportRequest::default()
    }

    /// The format, instead of one that is recognised.
    #[must_use]
    pub fn format(mut self, format: Format) -> ImportRequest {
        self.format = Some(format);
        self
    }

    /// What the document is called, for the log.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> ImportRequest {
        self.name = Some(name.into());
        self
    }

    /// Leaves bad records out instead of refusing the document.
    #[must_use]
    pub fn skip_bad(mut self) -> ImportRequest {
        self.skip_bad = true;
        self
    }

    /// Takes a session that was taken before.
    #[must_use]
    pub fn again(mut self) -> ImportRequest {
        self.again = true;
        self
    }
}

/// Imports a document.
///
/// ```
/// use pactdb::session::{ImportRequest, import};
/// use pactdb::{Db, Generation};
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// let document = r#"[
///     {"role": "user", "content": "Where is the key?"},
///     {"role": "assistant", "content": "Under the mat."}
/// ]"#;
/// let report = import(&db, document.as_bytes(), &ImportRequest::new(), &mut |_| {})?;
/// assert_eq!((report.blocks, report.reply.cycle), (2, 1));
/// # Ok::<(), pactdb::Error>(())
/// ```
pub fn import(
    db: &Db,
    input: impl BufRead,
    request: &ImportRequest,
    progress: &mut dyn FnMut(ImportProgress),
) -> Result<ImportReport> {
    import_read(db, read_import(input, request, progress)?, request, progress)
}

/// A document that was read, and is not imported yet.
pub struct Incoming {
    list: Vec<records::Record>,
    format: Format,
    judge: Judge,
}

impl Incoming {
    /// The generation that a store takes which is made for it (R14.10): that of its first snapshot
    /// that names one.
    pub fn generation(&self) -> Generation {
        let snapshots = self.list.iter().filter(|_| self.format == Format::Pact);
        let mut named = snapshots.filter_map(|record| spec_version(&record.value).ok().flatten());
        named.next().unwrap_or_default()
    }
}

/// Reads a document and recognises its format.
pub fn read_import(
    input: impl BufRead,
    request: &ImportRequest,
    progress: &mut dyn FnMut(ImportProgress),
) -> Result<Incoming> {
    let mut judge = Judge { skip: request.skip_bad, named: Vec::new(), count: 0 };
    let list = records::read(input, &mut judge, progress)?;
    let format = match request.format {
        Some(format) => format,
        None => detect(list.iter().map(|record| &record.value))?,
    };
    Ok(Incoming { list, format, judge })
}

/// Imports a document that was read.
pub fn import_read(
    db: &Db,
    incoming: Incoming,
    request: &ImportRequest,
    progress: &mut dyn FnMut(ImportProgress),
) -> Result<ImportReport> {
    let Incoming { list, format, mut judge } = incoming;
    let records = list.len() as u64;
    if format == Format::Pact {
        return pact::import(db, list, judge, progress);
    }
    let digest = digest(list.iter().map(|record| &record.value));
    let mut builder = Builder::new(format);
    for (done, record) in list.into_iter().enumerate() {
        if done.is_multiple_of(1024) {
            budget::reached("records were understood", done as u64, Some(records))?;
        }
        let line = record.line;
        if let Err(message) = builder.take(record.value) {
            judge.bad(line, Error::new(Code::ImportInvalid, message))?;
        }
    }
    let more_bad = judge.more();
    let bad = judge.named;
    let (calls, results, blocks) = builder.counts();
    let (session, left_out) =
        (builder.about.session.clone(), std::mem::take(&mut builder.left_out));
    let origin = Origin {
        kind: OriginKind::Import,
        name: request.name.clone(),
        format: Some(format.name().to_owned()),
        session: session.clone(),
        digest,
        cycle: None,
    };
    let request =
        TurnsRequest { turns: builder.finish(), origin: Some(origin), again: request.again };
    let reply = db.import_turns(request, &mut |done, total| {
        progress(ImportProgress::Writing { done, total });
    })?;
    let format = format.name().to_owned();
    Ok(ImportReport {
        format,
        session,
        records,
        blocks,
        calls,
        results,
        left_out,
        bad,
        more_bad,
        reply,
    })
}

/// A digest of the records, by which the same ones are known again.
fn digest<'a>(records: impl Iterator<Item = &'a Json>) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("pactdb 1 imported records");
    for record in records {
        let text = canonical_string(record);
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().into()
}
