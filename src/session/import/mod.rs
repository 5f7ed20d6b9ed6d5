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
mod openai_chat;
mod openai_responses;
mod pact;
mod records;
mod turns;
mod value;

use crate::budget;
use crate::change::{Origin, OriginKind};
use crate::code::Code;
use crate::db::{Db, ImportReply, TurnsRequest};
use crate::error::{Error, Result};
use crate::json::{Json, canonical_string};
use crate::limits::MAX_BAD_NAMED;
use crate::model::Generation;
use crate::snapshot::spec_version;
use detect::detect;
use std::collections::BTreeMap;
use std::io::BufRead;
use turns::Builder;

/// A format that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Snapshot exports, one or a series.
    Pact,
    /// Messages with a role (or tag) and a content.
    Flat,
    /// Messages of the OpenAI chat API.
    OpenaiChat,
    /// Items of the OpenAI Responses API.
    OpenaiResponses,
    /// Messages of the Anthropic API.
    Anthropic,
    /// A session file of Claude Code.
    ClaudeCode,
    /// A session file of Codex.
    Codex,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 7] = [
        Format::Pact,
        Format::Flat,
        Format::OpenaiChat,
        Format::OpenaiResponses,
        Format::Anthropic,
        Format::ClaudeCode,
        Format::Codex,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Pact => "pact",
            Format::Flat => "flat",
            Format::OpenaiChat => "openai-chat",
            Format::OpenaiResponses => "openai-responses",
            Format::Anthropic => "anthropic",
            Format::ClaudeCode => "claude-code",
            Format::Codex => "codex",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }
}

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

/// How far an import has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportProgress {
    /// Bytes and records that were read.
    Reading {
        /// Bytes.
        bytes: u64,
        /// Records.
        records: u64,
    },
    /// Turns that were written, of how many.
    Writing {
        /// Turns that are done.
        done: u64,
        /// All of them.
        total: u64,
    },
}

/// A record that was left out because it is bad.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BadRecord {
    /// The line that it begins in.
    pub line: u64,
    /// What is wrong with it.
    pub message: String,
}

/// What an import made of a document.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportReport {
    /// The format.
    pub format: String,
    /// The name that the session gives itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Records in the document.
    pub records: u64,
    /// Blocks that were made.
    pub blocks: u64,
    /// Tool calls among them.
    pub calls: u64,
    /// Tool results among them.
    pub results: u64,
    /// Records that are no part of the conversation, by their type.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, u64>,
    /// The first bad records that were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bad: Vec<BadRecord>,
    /// How many more were.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_bad: u64,
    /// What it made: the newest cycle, how many cycles, how many nodes, the digest.
    #[serde(flatten)]
    pub reply: ImportReply,
}

/// Imports a document.
///
/// ```
/// use pactdb::session::{ImportRequest, import};
/// use pactdb::{Db, Generation};
/// # fn main() -> pactdb::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// let document = r#"[
///     {"role": "user", "content": "Where is the key?"},
///     {"role": "assistant", "content": "Under the mat."}
/// ]"#;
/// let report = import(&db, document.as_bytes(), &ImportRequest::default(), &mut |_| {})?;
/// assert_eq!((report.blocks, report.reply.cycle), (2, 1));
/// # Ok(())
/// # }
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
    let (session, left_out) = (builder.session.clone(), std::mem::take(&mut builder.left_out));
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

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What becomes of bad records.
struct Judge {
    skip: bool,
    /// The first of them.
    named: Vec<BadRecord>,
    /// All of them.
    count: u64,
}

impl Judge {
    fn bad(&mut self, line: u64, error: Error) -> Result<()> {
        if !self.skip {
            let mut error = Error { message: format!("line {line}: {}", error.message), ..error };
            error.details.hint =
                Some("nothing was imported; --skip-bad leaves bad records out".into());
            return Err(error);
        }
        self.count += 1;
        if self.named.len() < MAX_BAD_NAMED {
            self.named.push(BadRecord { line, message: error.message });
        }
        Ok(())
    }

    /// How many are not named.
    fn more(&self) -> u64 {
        self.count - self.named.len() as u64
    }
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
