//! Imports: a snapshot document (R9.3), turns, and among them a flat log of messages (R9.4).

use super::bulk::Series;
use super::edit::End;
use super::handle::Db;
use super::ops::{Add, Batch, Commit, EditOp, ImportReply, ImportTurn, TurnsRequest};
use crate::budget;
use crate::cause::Cause;
use crate::change::decide::{check_attr, check_header};
use crate::change::{Context, Event, Origin, Working, close_import, plan_import};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::index::CycleKind;
use crate::json::Json;
use crate::limits::{MAX_BATCH_OPS, MAX_NAME_BYTES, MAX_NUMBER, MAX_SUBTREE_NODES, MAX_TIME_NS};
use crate::log::NewEvent;
use crate::model::{Class, Generation};
use crate::snapshot::{check_content, check_size, content_bytes, hex, read_document};
use crate::store::Append;
use std::io;
use std::sync::Arc;

impl Db {
    /// Imports a snapshot. Its tree becomes the newest snapshot and the working state.
    ///
    /// ```
    /// use pactdb::{Add, Commit, Db, Generation, json};
    /// # fn main() -> pactdb::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::user("Where is the key?").id("question"))?;
    /// db.commit(Commit::new())?;
    /// let document = json::parse(&db.export(Some("@t0"))?).unwrap();
    ///
    /// let other = Db::create(folder.path().join("b.pactdb"), Generation::V0_1)?;
    /// assert_eq!(other.import_snapshot(&document)?.cycle, 1);
    /// assert!(other.snapshot(1)?.node("question")?.is_some());
    /// # Ok(())
    /// # }
    /// ```
    pub fn import_snapshot(&self, document: &Json) -> Result<ImportReply> {
        let _writer = self.write_lock()?;
        self.check_room(size_of_document(document))?;
        let (reply, next) = self.take_snapshot(&self.working(), document, true)?;
        self.publish(next);
        Ok(reply)
    }

    /// Imports a series of snapshots: all of them, or none. `progress` is told how many are done,
    /// and of how many.
    ///
    /// ```
    /// use pactdb::{Commit, Db, Generation, Json, json};
    /// # fn main() -> pactdb::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.commit(Commit::new())?;
    /// db.commit(Commit::new())?;
    /// let export = |cycle: u64| Ok(json::parse(&db.snapshot(cycle)?.export()?).unwrap());
    /// let documents = [1, 2].into_iter().map(export).collect::<pactdb::Result<Vec<Json>>>()?;
    ///
    /// let other = Db::create(folder.path().join("b.pactdb"), Generation::V0_1)?;
    /// assert_eq!(other.import_snapshots(&documents, &mut |_, _| {})?.commits, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn import_snapshots(
        &self,
        documents: &[Json],
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<ImportReply> {
        self.all_or_nothing(|| {
            // Contents that come again are not written again, so the largest one stands for all.
            self.check_room(documents.iter().map(size_of_document).max().unwrap_or(0))?;
            let count = documents.len() as u64;
            let mut working = (*self.working()).clone();
            let mut all = ImportReply { cycle: working.state.last_cycle, ..Default::default() };
            for (i, document) in documents.iter().enumerate() {
                let (reply, next) = self.take_snapshot(&working, document, false)?;
                let mut warnings = all.warnings;
                warnings.extend(reply.warnings);
                warnings.dedup();
                all = ImportReply { commits: i as u64 + 1, warnings, ..reply };
                working = next;
                progress(all.commits, count);
                if all.commits < count {
                    budget::reached("snapshots were imported", all.commits, Some(count))?;
                }
            }
            self.inner.store.sync()?;
            self.publish(working);
            Ok(all)
        })
    }

    /// Writes a snapshot, and gives the state after it.
    fn take_snapshot(
        &self,
        working: &Working,
        document: &Json,
        durable: bool,
    ) -> Result<(ImportReply, Working)> {
        let (seq, now) = (self.inner.store.next_seq(), self.inner.settings.now());
        let state = &working.state;
        // What cannot be read is taken for used; the import fails on it soon after.
        let used = |id: &str| state.was_used(id).unwrap_or(true);
        let document = read_document(document, state.generation, state.cycle(), &used)?;
        let warnings = other_generation(state.generation, document.generation);
        let reader = self.inner.store.reader();
        let context = Context { seq, now };
        let (mut import, contents) = plan_import(state, document, &**reader, context)?;
        let closed = close_import(state, &import)?;
        import.digest = closed.digest;
        let end = End::new(closed, Vec::new())?;
        let reply = ImportReply {
            cycle: import.cycle,
            commits: 1,
            nodes: end.before.totals.of(None).nodes + 2,
            digest: hex(&import.digest),
            warnings,
        };
        let events = [NewEvent { event: Arc::new(Event::Imported(import)), contents }];
        let closed = Some((&end.closed, &end.before, CycleKind::Import));
        let next = Working::fresh(end.next()?);
        self.inner.store.append(&Append { events: &events, time: now, closed, durable })?;
        Ok((reply, next))
    }

    /// Judges a snapshot that is to be imported after a cycle, and changes nothing. Returns the
    /// cycle that it would make.
    #[doc(hidden)]
    pub fn check_snapshot_document(&self, document: &Json, last: u64) -> Result<u64> {
        let working = self.working();
        let state = &working.state;
        if state.edited {
            let message = "there are uncommitted edits: commit or undo them before the import";
            return Err(Error::new(Code::ImportConflict, message));
        }
        let used = |id: &str| state.was_used(id).unwrap_or(true);
        let document = read_document(document, state.generation, last + 1, &used)?;
        if document.cycle <= last {
            let message = format!(
                "the snapshot is of cycle {}, and cycle {last} comes before it: give a later one, \
                 or none",
                document.cycle
            );
            return Err(Error::new(Code::ImportConflict, message));
        }
        Ok(document.cycle)
    }

    /// Imports a flat log of messages (R9.4): one turn for each user message and what follows it.
    ///
    /// ```
    /// use pactdb::{Db, Generation, json};
    /// # fn main() -> pactdb::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// let messages = [
    ///     json::parse(r#"{"role": "user", "content": "Where is the key?"}"#).unwrap(),
    ///     json::parse(r#"{"role": "assistant", "content": "Under the mat."}"#).unwrap(),
    /// ];
    /// assert_eq!(db.import_messages(&messages, None)?.cycle, 1);
    /// assert_eq!(db.select("@c1 ^seq .cb")?.ids().len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn import_messages(
        &self,
        messages: &[Json],
        created_at_ns: Option<i64>,
    ) -> Result<ImportReply> {
        let turns = turns_of(messages, created_at_ns)?;
        self.import_turns(TurnsRequest { turns, ..TurnsRequest::default() }, &mut |_, _| {})
    }

    /// Imports turns, each closed by a commit of its own: the one way in for everything that is
    /// not a snapshot. All of it happens or nothing, and it is durable when this returns: it is
    /// checked whole before the first commit, so a bad node leaves no trace of the good ones
    /// before it. `progress` is told how many turns are done, and of how many.
    #[doc(hidden)]
    pub fn import_turns(
        &self,
        request: TurnsRequest,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<ImportReply> {
        self.all_or_nothing(|| self.take_turns(request, progress))
    }

    fn take_turns(
        &self,
        request: TurnsRequest,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<ImportReply> {
        if self.working().state.edited {
            let message = "there are uncommitted edits: commit or undo them before the import";
            return Err(Error::new(Code::ImportConflict, message));
        }
        for (i, turn) in request.turns.iter().enumerate() {
            check_turn(turn).map_err(|error| in_turn(i, error))?;
        }
        self.check_bounds(&request.turns)?;
        self.check_room(request.turns.iter().map(size_of_turn).sum())?;
        if let Some(origin) = request.origin.as_ref().filter(|_| !request.again) {
            self.check_new(origin)?;
        }
        self.write_turns(request.turns, request.origin, progress)
    }

    fn write_turns(
        &self,
        turns: Vec<ImportTurn>,
        mut origin: Option<Origin>,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<ImportReply> {
        let (count, mut reply) = (turns.len(), ImportReply::default());
        let mut series = Series::new(self);
        for turn in turns {
            let ImportTurn { adds, created_at_ns } = turn;
            let mut ops: Vec<EditOp> = adds.into_iter().map(|a| EditOp::Add(Box::new(a))).collect();
            ops.push(EditOp::Commit(Commit { created_at_ns, ..Commit::default() }));
            let batch = Batch { ops, expected_cycle: None };
            let commit = series.batch(batch, origin.take())?;
            (reply.cycle, reply.digest) = (commit.cycle, commit.digest);
            reply.commits += 1;
            progress(reply.commits, count as u64);
            budget::reached("turns were imported", reply.commits, Some(count as u64))?;
        }
        series.finish()?;
        reply.nodes = self.working().state.totals.of(None).nodes + 2;
        Ok(reply)
    }

    /// Refuses what the disk has no room for: a full disk is of no use to anybody.
    fn check_room(&self, needed: u64) -> Result<()> {
        let needed = needed.saturating_add(SPARE);
        match self.room() {
            Some(room) if room < needed => {
                let mb = |bytes: u64| bytes.div_ceil(1_000_000);
                let message = format!(
                    "the import needs about {} MB, and the disk has {} MB left: make room first",
                    mb(needed),
                    room / 1_000_000
                );
                let full = io::Error::from(io::ErrorKind::StorageFull);
                Err(Error::new(Code::StoreIo, message).caused_by(Cause::new(full)))
            }
            _ => Ok(()),
        }
    }

    /// Refuses what was imported before.
    fn check_new(&self, origin: &Origin) -> Result<()> {
        let Some(known) = self.known_source(origin)? else { return Ok(()) };
        let what = match (&origin.session, known.origin.session == origin.session) {
            (Some(session), true) => format!("the session {session}"),
            _ => "the same".to_owned(),
        };
        let name = known.origin.name.map(|name| format!(" from {name}")).unwrap_or_default();
        let message = format!(
            "{what} was imported before{name}: see cycle {} and what follows it (event {})",
            known.cycle, known.seq
        );
        let mut error = Error::new(Code::ImportConflict, message);
        error.details.cycle = Some(known.cycle);
        error.details.hint = Some("to import it once more, say so: --again".into());
        Err(error)
    }

    /// Refuses what would go beyond a bound in the middle.
    fn check_bounds(&self, turns: &[ImportTurn]) -> Result<()> {
        let working = self.working();
        let tree = &working.state.tree;
        let system = turns.iter().flat_map(|turn| &turn.adds).filter(|add| is_system(add)).count();
        let longest = turns.iter().map(|turn| turn.adds.len()).max().unwrap_or(0);
        let fits = longest < MAX_BATCH_OPS
            && tree.ah()?.len() + longest < MAX_SUBTREE_NODES
            && tree.sys()?.len() + system < MAX_SUBTREE_NODES
            && working.state.last_cycle.saturating_add(turns.len() as u64) <= MAX_NUMBER as u64;
        if fits {
            return Ok(());
        }
        let message = "the import has too many messages in one turn, or in all: split it";
        Err(Error::new(Code::Limit, message))
    }
}

/// What is said where a document is of another generation than the store, which keeps its own.
fn other_generation(own: Generation, named: Option<Generation>) -> Vec<String> {
    let other = named.filter(|named| *named != own);
    let words = |other: Generation| {
        format!("the document is of PACT {}, the store stays one of {}", other.name(), own.name())
    };
    other.map(words).into_iter().collect()
}

/// What an import leaves of a disk, at least.
const SPARE: u64 = 8 << 20;

/// About how many bytes a turn takes: its contents, what finds them again, and the rows of its nodes.
fn size_of_turn(turn: &ImportTurn) -> u64 {
    let contents = turn.adds.iter().filter_map(|add| add.content.as_ref());
    let bytes: u64 = contents.map(content_bytes).sum();
    bytes + bytes / 4 + 1024 * (1 + turn.adds.len() as u64)
}

/// About how many bytes a snapshot takes: its event has every node.
fn size_of_document(value: &Json) -> u64 {
    match value {
        Json::Str(text) => text.len() as u64 + 2,
        Json::List(items) => items.iter().map(size_of_document).sum(),
        Json::Map(map) => map.values().map(|value| 8 + size_of_document(value)).sum(),
        _ => 4,
    }
}

fn is_system(add: &Add) -> bool {
    add.to.as_deref() == Some("^sys")
}

/// Says which turn is at fault.
fn in_turn(i: usize, error: Error) -> Error {
    Error { message: format!("turn {}: {}", i + 1, error.message), ..error }
}

fn check_turn(turn: &ImportTurn) -> Result<()> {
    check_time(turn.created_at_ns)?;
    turn.adds.iter().try_for_each(check_import)
}

/// Refuses a node that an import of turns could not bring into every store, whatever is in it. So
/// whoever reads a document can name the record at fault before anything happens.
pub fn check_import(add: &Add) -> Result<()> {
    let place = add.to.as_deref().unwrap_or("^ah");
    if !matches!(place, "^ah" | "^sys") || add.id.is_some() || !add.refs.is_empty() {
        let message = "an imported node goes to ^sys or ^ah and has no id and no refs of its own";
        return Err(Error::request(message));
    }
    if add.container == Some(true) || add.node_type.is_some() || add.cad.is_some() {
        return Err(Error::request("an imported node is a plain block, without a cadence"));
    }
    if add.ttl.is_some() || add.offset.is_some() || add.removable {
        return Err(Error::request("an imported node stays where it is put, for ever"));
    }
    let names = [&add.role, &add.kind, &add.key, &add.provenance, &add.mime, &add.encoding];
    if names.into_iter().flatten().chain(&add.tags).any(|name| name.len() > MAX_NAME_BYTES) {
        let message = format!("a role, kind, key, mime or tag has at most {MAX_NAME_BYTES} bytes");
        return Err(Error::new(Code::Limit, message));
    }
    add.attrs.iter().try_for_each(|(name, value)| check_attr(name, value))?;
    for (name, value) in &add.headers.0 {
        check_header(name, value, [Class::Block])?;
    }
    let texts = names.into_iter().flatten().chain(&add.tags).map(String::as_str);
    let attrs = add.attrs.iter().chain(&add.headers.0);
    let attrs: Vec<_> = attrs.map(|(name, value)| (name.as_str(), value)).collect();
    check_size(texts, [add.tags.len(), 0], attrs.into_iter())
        .map_err(|what| Error::new(Code::Limit, what))?;
    if let Some(content) = &add.content {
        check_content(content).map_err(|what| Error::new(Code::ImportInvalid, what))?;
    }
    check_time(add.created_at_ns)
}

fn check_time(time: Option<i64>) -> Result<()> {
    match time {
        Some(time) if time > MAX_TIME_NS => {
            let message = format!("a time is at most {MAX_TIME_NS} ns after 1970, {time} is later");
            Err(Error::new(Code::Limit, message))
        }
        _ => Ok(()),
    }
}

/// Says which message is at fault.
fn in_message(i: usize, error: Error) -> Error {
    let mut error = Error { message: format!("message {}: {}", i + 1, error.message), ..error };
    error.details.path = Some(format!("$[{i}]"));
    error
}

/// The messages as turns.
fn turns_of(messages: &[Json], created_at_ns: Option<i64>) -> Result<Vec<ImportTurn>> {
    let new_turn = || ImportTurn { adds: Vec::new(), created_at_ns };
    let mut turns = vec![new_turn()];
    let mut in_turn = 0;
    for (i, message) in messages.iter().enumerate() {
        let request =
            message_request(message, created_at_ns).map_err(|error| in_message(i, error))?;
        if request.role.as_deref() == Some("user") && in_turn > 0 {
            turns.push(new_turn());
            in_turn = 0;
        }
        in_turn += usize::from(!is_system(&request));
        if let Some(turn) = turns.last_mut() {
            turn.adds.push(request);
        }
    }
    Ok(turns)
}

fn message_request(message: &Json, created_at_ns: Option<i64>) -> Result<Add> {
    let invalid = |what: String| Error::new(Code::ImportInvalid, what);
    let Json::Map(fields) = message else {
        return Err(invalid(format!("a message is an object, not {}", message.type_name())));
    };
    let role = match fields.get("role").or(fields.get("tag")) {
        Some(Json::Str(role)) => role.clone(),
        Some(other) => {
            return Err(invalid(format!("its role is a string, not {}", other.type_name())));
        }
        None => return Err(invalid("it needs a \"role\"".into())),
    };
    if role.len() > MAX_NAME_BYTES {
        return Err(invalid(format!("its role has more than {MAX_NAME_BYTES} bytes")));
    }
    let content = fields.get("content").filter(|content| !content.is_null()).cloned();
    if let Some(content) = &content {
        check_content(content).map_err(invalid)?;
    }
    let to = if role == "system" { "^sys" } else { "^ah" };
    Ok(Add { to: Some(to.to_owned()), role: Some(role), content, created_at_ns, ..Add::default() })
}
