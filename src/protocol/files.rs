//! What clients do with files of their own: a dump written to one, a store made out of a dump.
//!
//! The store that is asked never sees these files; it sends the lines of its history.

use super::client::{Client, ClientExt};
use super::replies::Dumped;
use super::reply::{Notice, Progress};
use super::requests::Dump;
use crate::change::{Origin, OriginKind};
use crate::db::{Db, Options};
use crate::error::{Error, Result};
use crate::json::canonical_string;
use crate::model::unhex;
use crate::session::{self, Loader};
use std::io::{BufRead, Write};
use std::path::Path;

/// What a new store holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// How many events.
    pub events: u64,
    /// The last cycle that is closed in it.
    pub cycle: u64,
}

/// Writes the dump of a store's history as lines of text.
pub fn dump_to(
    client: &dyn Client,
    dump: Dump,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(Progress),
) -> Result<Dumped> {
    let failed = |error: std::io::Error| Error::io("the output", error);
    let dumped = client.ask_streaming(dump, &mut |notice| {
        match notice {
            Notice::Part(line) => writeln!(out, "{}", canonical_string(&line)).map_err(failed)?,
            Notice::Progress(told) => progress(told),
        }
        Ok(())
    })?;
    out.flush().map_err(failed)?;
    Ok(dumped.reply)
}

/// Makes a store in a new file whose history is that of a client's store, up to an address, and
/// notes in it where it came from; `name` is what the other store is called.
pub fn fork(
    client: &dyn Client,
    dump: Dump,
    name: Option<String>,
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<Copied> {
    let (db, dumped) = copy(client, dump, path, progress)?;
    let digest = unhex(&dumped.hash)
        .ok_or_else(|| Error::request("the hash of the dump is not 64 hexadecimal digits"))?;
    db.record_origin(Origin {
        kind: OriginKind::Fork,
        name,
        format: None,
        session: None,
        digest,
        cycle: Some(dumped.cycle),
    })?;
    Ok(Copied { events: db.events(), cycle: db.last_cycle() })
}

/// Makes a store in a new file with the events of a client's store up to an address, and nothing
/// else.
pub fn replay_into(
    client: &dyn Client,
    dump: Dump,
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<Copied> {
    let (db, _) = copy(client, dump, path, progress)?;
    Ok(Copied { events: db.events(), cycle: db.last_cycle() })
}

/// Makes a store in a new file out of the text of a dump.
pub fn load(
    input: impl BufRead,
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<Copied> {
    let db = session::load(input, path, Options::new(), &mut |done, total| {
        progress(Progress { step: "loading".to_owned(), done, total });
    })?;
    Ok(Copied { events: db.events(), cycle: db.last_cycle() })
}

fn copy(
    client: &dyn Client,
    dump: Dump,
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Db, Dumped)> {
    let mut loader: Option<Loader> = None;
    let dumped = client.ask_streaming(dump, &mut |notice| {
        match (notice, &mut loader) {
            (Notice::Progress(told), _) => progress(told),
            (Notice::Part(line), Some(loader)) => loader.take(&canonical_string(&line))?,
            (Notice::Part(line), None) => {
                loader = Some(Loader::create(&canonical_string(&line), path)?);
            }
        }
        Ok(())
    })?;
    let loader = loader.ok_or_else(|| Error::request("the dump came without a line"))?;
    Ok((loader.finish(Options::new())?, dumped.reply))
}
