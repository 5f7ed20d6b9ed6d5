//! Operations on whole histories: imports, replays, dumps, and threads compared.

use super::call::Call;
use super::replies::{Dumped, Imported, Replayed, WatchedUntil};
use super::requests::{Compare, Dump, Import, Redact, Replay, Watch};
use super::states;
use crate::code::Code;
use crate::db::Snapshot;
use crate::error::{Error, Result};
use crate::json::{canonical_string, to_json};
use crate::limits::MAX_LINE_BYTES;
use crate::session::{
    self, Comparison, Format, ImportProgress, ImportRequest, ReplayRequest, Scanned, Step,
    ThreadRequest, WatchRequest,
};

/// Takes a history in.
pub(super) fn import(request: Import, call: &mut Call<'_>) -> Result<Imported> {
    let Import { snapshot, messages, created_at_ns, document, format, name, skip_bad, again } =
        request;
    let strange = match () {
        () if messages.is_none() && created_at_ns.is_some() => Some("created_at_ns"),
        () if document.is_none() && format.is_some() => Some("format"),
        () if document.is_none() && name.is_some() => Some("name"),
        () if document.is_none() && skip_bad => Some("skip_bad"),
        () if document.is_none() && again => Some("again"),
        () => None,
    };
    let reply = match (snapshot, messages, document) {
        (Some(_), None, None) | (None, Some(_), None) | (None, None, Some(_))
            if strange.is_some() =>
        {
            let name = strange.unwrap_or_default();
            return Err(Error::request(format!("import does not know '{name}': leave it out")));
        }
        (Some(snapshot), None, None) => call.db.import_snapshot(&snapshot)?,
        (None, Some(messages), None) => call.db.import_messages(&messages, created_at_ns)?,
        (None, None, Some(document)) => {
            let format = format.as_deref().map(named).transpose()?;
            let request = ImportRequest { format, name, skip_bad, again };
            return import_document(&document, &request, call);
        }
        _ => return Err(Error::request("import needs one of 'snapshot' and 'messages'")),
    };
    call.warnings.extend_from_slice(&reply.warnings);
    Ok(Imported::Plain(reply))
}

fn named(name: &str) -> Result<Format> {
    Format::from_name(name).ok_or_else(|| {
        let known = Format::ALL.map(Format::name).join(", ");
        Error::request(format!("a document's 'format' is one of {known}, not {name}"))
    })
}

fn import_document(
    document: &str,
    request: &ImportRequest,
    call: &mut Call<'_>,
) -> Result<Imported> {
    let (db, size, mut gone) = (call.db, document.len() as u64, Ok(()));
    let report = session::import(db, document.as_bytes(), request, &mut |progress| {
        if gone.is_ok() {
            gone = match progress {
                ImportProgress::Reading { bytes, .. } => call.progress("reading", bytes, size),
                ImportProgress::Writing { done, total } => call.progress("writing", done, total),
            };
        }
    })?;
    gone?;
    call.warnings.extend_from_slice(&report.reply.warnings);
    Ok(Imported::Document(Box::new(report)))
}

/// Looks for what looks like a secret.
pub(super) fn redact(request: &Redact, call: &mut Call<'_>) -> Result<Scanned> {
    let Redact { scan, patterns, own } = request;
    if !scan {
        return Err(Error::request("redact reports what is in the store: say 'scan': true"));
    }
    let db = call.db;
    session::scan(db, patterns, own, &mut |done, total| call.progress("scanning", done, total))
}

/// How much of two threads is the same.
pub(super) fn compare(request: &Compare, call: &mut Call<'_>) -> Result<Comparison> {
    let Compare { a, b, format, strict, drop_unpaired, dialect } = request;
    let state = |at: &Option<String>| states::state_at(call.db, at.as_deref(), *dialect);
    let mut both = [state(a)?, state(b)?];
    both.sort_by_key(Snapshot::age);
    let [older, newer] = &both;
    let (format, strict) = (format.unwrap_or_default(), *strict);
    let request = ThreadRequest { format, strict, drop_unpaired: *drop_unpaired };
    session::compare(call.db, older, newer, request)
}

/// Walks through the log.
pub(super) fn replay(request: Replay, call: &mut Call<'_>) -> Result<Replayed> {
    let Replay { from, to, q, after, limit, by_cycle, dialect } = request;
    let cycle = |time: Option<String>| -> Result<Option<u64>> {
        time.map(|time| states::cycle_at(call.db, &time, dialect)).transpose()
    };
    let (mut from, to) = (cycle(from)?, cycle(to)?);
    // What is not wanted need not be walked through, but for the cycle in which it ends.
    match after {
        Some(after) if after < call.db.events() => {
            from = from.max(Some(call.db.cycle_of_event(after + 1)?));
        }
        Some(_) => return Ok(Replayed::Steps(Vec::new())),
        None => {}
    }
    let walk = ReplayRequest { from, to, select: q, dialect };
    let walk = session::Replay::new(call.db, &walk)?;
    let last = walk.last_event();
    let (mut steps, mut left) = (Vec::new(), limit.unwrap_or(u64::MAX));
    for step in walk {
        let step = step?;
        if after.is_some_and(|after| step.entry.seq <= after) {
            continue;
        }
        if left == 0 {
            break;
        }
        left -= 1;
        call.progress("replaying", step.entry.seq, last)?;
        match call.stream {
            true => call.part(to_json(&step)?)?,
            false => steps.push(step),
        }
    }
    Ok(match by_cycle {
        true => Replayed::Cycles(by_cycles(steps)),
        false => Replayed::Steps(steps),
    })
}

/// Follows the log.
pub(super) fn watch(request: Watch, call: &mut Call<'_>) -> Result<WatchedUntil> {
    let Watch { q, from, after, limit, dialect } = request;
    if !call.stream {
        return Err(Error::request("a watch tells as it goes: ask for it with \"stream\":true"));
    }
    let after = match (from, after) {
        (None, after) => after,
        (Some(from), None) => {
            let first = states::cycle_at(call.db, &from, dialect)?;
            let before = call.db.history().iter().rev().find(|cycle| *cycle < first);
            Some(call.db.seq_of_cycle(before.unwrap_or(0))?)
        }
        (Some(_), Some(_)) => {
            return Err(Error::request("'from' and 'after' both say where to begin: give one"));
        }
    };
    let request = WatchRequest { after, select: q, dialect };
    let mut watch = session::Watch::new(call.db, &request)?;
    let mut until = WatchedUntil { told: 0, after: after.unwrap_or(call.db.events()) };
    while limit.is_none_or(|limit| until.told < limit) {
        let watched = watch.wait()?;
        until = WatchedUntil { told: until.told + 1, after: watched.step.entry.seq };
        call.part(to_json(&watched)?)?;
    }
    Ok(until)
}

/// The steps of each cycle.
fn by_cycles(steps: Vec<Step>) -> Vec<Vec<Step>> {
    let mut cycles: Vec<Vec<Step>> = Vec::new();
    for step in steps {
        match cycles.last_mut() {
            Some(cycle) if cycle.first().is_some_and(|f| f.entry.cycle == step.entry.cycle) => {
                cycle.push(step);
            }
            _ => cycles.push(vec![step]),
        }
    }
    cycles
}

/// The lines of a dump: one part each, or all of them in the reply if they are not too many.
pub(super) fn dump(request: &Dump, call: &mut Call<'_>) -> Result<Dumped> {
    let until = states::until(call.db, request.at.as_deref(), request.dialect)?;
    let (mut lines, mut size) = (Vec::new(), 0);
    let (db, total) = (call.db, session::last_event(call.db, until)?);
    let report = session::dump_lines(db, until, &mut |seq, line| {
        if seq > 0 && seq.is_multiple_of(256) {
            call.progress("dumping", seq, total)?;
        }
        if call.stream {
            return call.part(line);
        }
        size += canonical_string(&line).len();
        if size > MAX_LINE_BYTES {
            let message = format!(
                "the dump has more than {MAX_LINE_BYTES} bytes, too many for one reply: ask for \
                 it with \"stream\":true"
            );
            return Err(Error::new(Code::Limit, message));
        }
        lines.push(line);
        Ok(())
    })?;
    let cycle = session::last_closed(db, until)?;
    Ok(Dumped { events: report.events, hash: report.hash, cycle, lines })
}
