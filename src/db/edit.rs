//! Everything that changes a store: decide, write, then publish.
//!
//! Nothing is published before it is written, and nothing is written before all of it was judged.

use super::handle::{Db, check_cycle, check_event};
use super::judge::judge;
use super::ops::{
    Add, Batch, Commit, CommitReply, EditOp, EditReply, EndCadence, IdReply, IdsReply, KeyReply,
    Move, PolicyRequest, Remove, Restore, Set, UndoReply,
};
use super::resolve;
use crate::change::decide::Decided;
use crate::change::{
    self, Closed, Context, Event, Origin, Pending, State, Working, apply, close_commit,
    close_restore, plan_commit,
};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::index::CycleKind;
use crate::json::Json;
use crate::lifecycle::Policy;
use crate::limits::MAX_BATCH_OPS;
use crate::log::NewEvent;
use crate::model::{ContentRef, Id, ReadError};
use crate::snapshot::{Contents, hex};
use crate::store::{Append, StoreReader};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

impl Db {
    /// Adds a node.
    ///
    /// ```
    /// use pactdb::{Add, Db, Generation};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// let reply = db.add(Add::user("Where is the key?").ttl(2))?;
    /// assert_eq!(reply.id.as_deref(), Some("cb:1"));
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn add(&self, request: Add) -> Result<IdReply> {
        match self.edit(EditOp::Add(Box::new(request)))? {
            EditReply::Id(reply) => Ok(reply),
            other => Err(unexpected(&other)),
        }
    }

    /// Sets headers of nodes. For an example see [`Set`].
    pub fn set(&self, request: Set) -> Result<IdsReply> {
        self.edit_ids(EditOp::Set(Box::new(request)))
    }

    /// Moves nodes. For an example see [`Move`].
    pub fn move_nodes(&self, request: Move) -> Result<IdsReply> {
        self.edit_ids(EditOp::Move(request))
    }

    /// Removes nodes, with what is below them. For an example see [`Remove`].
    pub fn remove(&self, request: Remove) -> Result<IdsReply> {
        self.edit_ids(EditOp::Remove(request))
    }

    /// The pruning policies in force.
    ///
    /// ```
    /// use pactdb::{Db, Generation, Policy};
    /// # fn main() -> pactdb::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// assert!(db.policies().is_empty());
    /// db.set_policies(vec![Policy { max_blocks: Some(100), ..Policy::default() }])?;
    /// assert_eq!(db.policies()[0].max_blocks, Some(100));
    /// # Ok(())
    /// # }
    /// ```
    pub fn policies(&self) -> Vec<Policy> {
        self.working().state.policies.clone()
    }

    /// Sets the pruning policies; an empty list means none. For an example see [`Policy`].
    pub fn set_policies(&self, policies: Vec<Policy>) -> Result<Vec<Policy>> {
        self.edit(EditOp::Policy(PolicyRequest { set: Some(policies.clone()) }))?;
        Ok(policies)
    }

    /// Ends a cadence.
    ///
    /// ```
    /// use pactdb::{Add, Commit, Db, Generation};
    /// # fn main() -> pactdb::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::system("Stay polite.").key("tone").cad(1))?;
    /// assert_eq!(db.commit(Commit::new())?.materialized.len(), 1);
    /// db.end_cadence("tone")?;
    /// assert!(db.commit(Commit::new())?.materialized.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn end_cadence(&self, key: impl Into<String>) -> Result<KeyReply> {
        let key = key.into();
        self.edit(EditOp::Cadence(EndCadence { end: key.clone() }))?;
        Ok(KeyReply { key })
    }

    /// Closes the cycle in progress, or says what that would do and changes nothing. For an example
    /// see [`Commit`].
    pub fn commit(&self, request: Commit) -> Result<CommitReply> {
        if request.dry_run {
            return self.rehearse(request);
        }
        let batch = Batch { ops: vec![EditOp::Commit(request)], expected_cycle: None };
        match self.batch(batch)?.pop() {
            Some(EditReply::Commit(reply)) => Ok(*reply),
            other => Err(Error::request(format!("a commit was answered by {other:?}"))),
        }
    }

    /// What a commit would do now; nothing of it is written or published.
    fn rehearse(&self, request: Commit) -> Result<CommitReply> {
        // A commit in between would change the indexes that this one is judged by.
        let _writer = self.turn()?;
        check_event(request.expected_event, self.inner.store.next_seq() - 1)?;
        let (end, commit) = close(&self.working().state, request, self.inner.settings.now())?;
        Ok(end.reply(Some(&commit.turn)))
    }

    fn edit_ids(&self, op: EditOp) -> Result<IdsReply> {
        match self.edit(op)? {
            EditReply::Ids(reply) => Ok(reply),
            other => Err(unexpected(&other)),
        }
    }

    /// One edit on its own; a commit is not one.
    ///
    /// ```
    /// use pactdb::{Add, Db, EditOp, EditReply, Generation};
    /// # fn main() -> pactdb::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// let reply = db.edit(EditOp::Add(Box::new(Add::user("Where is the key?").id("question"))))?;
    /// assert!(matches!(reply, EditReply::Id(reply) if reply.id.as_deref() == Some("question")));
    /// # Ok(())
    /// # }
    /// ```
    pub fn edit(&self, op: EditOp) -> Result<EditReply> {
        self.edit_once(op).map_err(|error| self.with_unknown_names(error))
    }

    fn edit_once(&self, op: EditOp) -> Result<EditReply> {
        let _writer = self.write_lock()?;
        let (seq, now) = (self.inner.store.next_seq(), self.inner.settings.now());
        // The published state is let go before it is changed: then that happens in place.
        let (policies, nothing) = (policies_of(&op), reply_to_nothing(&op));
        let decided = {
            let working = self.working();
            let contents = BatchContents::new(self.inner.store.reader());
            judge(&working.state, op, &contents, Context { seq, now })?
        };
        let Some(decided) = decided else { return Ok(nothing) };
        let reply = reply_to(&decided, policies);
        self.write_event(decided.event, decided.contents, now)?;
        Ok(reply)
    }

    /// Writes an event that stands alone, and makes the state that it leads to the current one.
    pub(super) fn write_event(&self, event: Event, contents: Vec<Json>, now: i64) -> Result<()> {
        let (seq, event) = (self.inner.store.next_seq(), Arc::new(event));
        let events = [NewEvent { event: event.clone(), contents }];
        let durable = self.inner.settings.edits_are_durable();
        self.inner.store.append(&Append { events: &events, time: now, closed: None, durable })?;
        self.publish_event(seq, event)
    }

    fn publish_event(&self, seq: u64, event: Arc<Event>) -> Result<()> {
        let mut published = self.inner.working.write().unwrap_or_else(PoisonError::into_inner);
        let working = Arc::make_mut(&mut published);
        if let Err(error) = apply(working, &event) {
            // The log has the event, the state has not, and must not be built upon.
            self.inner.store.stop();
            return Err(error.into());
        }
        working.pending.push(Pending { seq, group: seq, event, undone: false });
        drop(published);
        self.tell_of_events();
        Ok(())
    }

    /// Edits that happen together or not at all, with or without a commit at the end. For an example
    /// see [`Batch`].
    pub fn batch(&self, request: Batch) -> Result<Vec<EditReply>> {
        let _writer = self.write_lock()?;
        let mut working = (*self.working()).clone();
        let (first, now) = (self.inner.store.next_seq(), self.inner.settings.now());
        let contents = BatchContents::new(self.inner.store.reader());
        let mut batch = RunningBatch::new(contents, first, now);
        batch.run(&mut working, request, None)?;
        if batch.events.is_empty() {
            return Ok(batch.replies);
        }
        let closed = batch.closed.as_ref().map(|end| (&end.closed, &end.before, CycleKind::Commit));
        let durable = closed.is_some() || self.inner.settings.edits_are_durable();
        // Everything that can fail comes before the write.
        if let Some(end) = &batch.closed {
            working = Working::fresh(end.next()?);
        }
        let append = Append { events: &batch.events, time: now, closed, durable };
        self.inner.store.append(&append)?;
        self.publish(working);
        Ok(batch.replies)
    }

    /// Takes the newest uncommitted edit or batch back, by an event of its own.
    ///
    /// ```
    /// use pactdb::{Add, Db, Generation};
    /// # fn main() -> pactdb::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::user("Where is teh key?").id("question"))?;
    /// assert_eq!(db.undo()?.undone, ["add"]);
    /// assert!(db.working_state().node("question")?.is_none());
    /// assert!(db.undo().is_err(), "there is nothing left to take back");
    /// # Ok(())
    /// # }
    /// ```
    pub fn undo(&self) -> Result<UndoReply> {
        self.undo_expecting(None)
    }

    /// The same, unless there is a newer event than the caller knows of.
    ///
    /// ```
    /// use pactdb::{Add, Code, Db, Generation};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::user("Where is teh key?"))?;
    /// let known = db.stats()?.events as i64;
    /// // Somebody else is faster.
    /// db.add(Add::user("And the lamp?"))?;
    /// assert_eq!(db.undo_expecting(Some(known)).unwrap_err().code, Code::Conflict);
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn undo_expecting(&self, event: Option<i64>) -> Result<UndoReply> {
        let _writer = self.write_lock()?;
        let (seq, now) = (self.inner.store.next_seq(), self.inner.settings.now());
        check_event(event, seq - 1)?;
        let mut working = (*self.working()).clone();
        let Some(group) = working.newest_undoable() else {
            let message =
                "there is no uncommitted edit to take back; restore goes back to a snapshot";
            return Err(Error::new(Code::NodeNotFound, message));
        };
        let undone = working
            .pending
            .iter()
            .filter(|pending| pending.group == group && pending.event.is_undoable())
            .map(|pending| pending.event.kind().to_owned())
            .collect();
        let event = Arc::new(Event::Undone { group });
        apply(&mut working, &event)?;
        let events = [NewEvent { event: event.clone(), contents: Vec::new() }];
        let durable = self.inner.settings.edits_are_durable();
        self.inner.store.append(&Append { events: &events, time: now, closed: None, durable })?;
        working.pending.push(Pending { seq, group: seq, event, undone: false });
        self.publish(working);
        Ok(UndoReply { undone, seq: group })
    }

    /// Makes a past snapshot the newest one; history is kept. For an example see [`Restore`].
    pub fn restore(&self, request: Restore) -> Result<CommitReply> {
        let _writer = self.write_lock()?;
        let working = self.working();
        let at = resolve::snapshot_cycle(self, &working.state, &request.at)?;
        if working.state.edited && !request.discard {
            let message = "there are uncommitted edits: commit or undo them, or discard them";
            return Err(Error::new(Code::Conflict, message));
        }
        let now = self.inner.settings.now();
        let cycle = working.state.cycle();
        let mut restore = change::Restore { at, cycle, materialized: Vec::new(), digest: [0; 32] };
        let closed = close_restore(&working, &restore)?;
        restore.digest = closed.digest;
        restore.materialized = closed.due_instances(None, now)?;
        let end = End::new(closed, restore.materialized.clone())?;
        let reply = end.reply(None);
        let event = Arc::new(Event::Restored(restore));
        let events = [NewEvent { event, contents: Vec::new() }];
        let closed = Some((&end.closed, &end.before, CycleKind::Restore(at)));
        let next = Working::fresh(end.next()?);
        self.inner.store.append(&Append { events: &events, time: now, closed, durable: true })?;
        self.publish(next);
        Ok(reply)
    }
}

/// A batch on its way.
pub(super) struct RunningBatch<'a> {
    contents: BatchContents<'a>,
    pub(super) events: Vec<NewEvent>,
    pub(super) replies: Vec<EditReply>,
    pub(super) closed: Option<End>,
    first: u64,
    pub(super) now: i64,
}

impl<'a> RunningBatch<'a> {
    /// A batch whose first event will have that sequence number.
    pub(super) fn new(contents: BatchContents<'a>, first: u64, now: i64) -> RunningBatch<'a> {
        RunningBatch { contents, events: Vec::new(), replies: Vec::new(), closed: None, first, now }
    }

    /// The contents that it knows, for the batch after it.
    pub(super) fn take_contents(&mut self) -> BatchContents<'a> {
        let nothing = BatchContents::new(self.contents.reader);
        std::mem::replace(&mut self.contents, nothing)
    }

    /// Judges everything, in order.
    pub(super) fn run(
        &mut self,
        working: &mut Working,
        request: Batch,
        origin: Option<Origin>,
    ) -> Result<()> {
        if request.ops.len() > MAX_BATCH_OPS {
            let message = format!("a batch has at most {MAX_BATCH_OPS} operations: split it");
            return Err(Error::new(Code::Limit, message));
        }
        check_cycle(request.expected_cycle, working.state.last_cycle)?;
        if let Some(origin) = origin {
            self.note(working, Event::Origin(origin))?;
        }
        let count = request.ops.len();
        for (i, op) in request.ops.into_iter().enumerate() {
            self.step(working, op, i + 1 == count).map_err(|error| match count {
                1 => error,
                _ => error.in_operation(i + 1),
            })?;
        }
        Ok(())
    }

    /// An event that nobody asked for in words.
    fn note(&mut self, working: &mut Working, event: Event) -> Result<()> {
        let (seq, event) = (self.first + self.events.len() as u64, Arc::new(event));
        apply(working, &event)?;
        let pending = Pending { seq, group: self.first, event: event.clone(), undone: false };
        working.pending.push(pending);
        self.events.push(NewEvent { event, contents: Vec::new() });
        Ok(())
    }

    fn step(&mut self, working: &mut Working, op: EditOp, last: bool) -> Result<()> {
        let seq = self.first + self.events.len() as u64;
        if let EditOp::Commit(request) = op {
            if !last {
                return Err(Error::request("a commit can only be the last operation of a batch"));
            }
            if request.dry_run {
                let message = "a dry run stands alone: a batch happens or does not";
                return Err(Error::request(message));
            }
            return self.commit(working, request);
        }
        let (policies, nothing) = (policies_of(&op), reply_to_nothing(&op));
        let context = Context { seq, now: self.now };
        let Some(decided) = judge(&working.state, op, &self.contents, context)? else {
            self.replies.push(nothing);
            return Ok(());
        };
        self.replies.push(reply_to(&decided, policies));
        let event = Arc::new(decided.event);
        apply(working, &event)?;
        let pending = Pending { seq, group: self.first, event: event.clone(), undone: false };
        working.pending.push(pending);
        self.contents.add(seq, &decided.contents);
        self.events.push(NewEvent { event, contents: decided.contents });
        Ok(())
    }

    fn commit(&mut self, working: &Working, request: Commit) -> Result<()> {
        check_event(request.expected_event, self.first - 1)?;
        let (end, commit) = close(&working.state, request, self.now)?;
        self.replies.push(EditReply::Commit(Box::new(end.reply(Some(&commit.turn)))));
        let event = Arc::new(Event::Committed(commit));
        self.events.push(NewEvent { event, contents: Vec::new() });
        self.closed = Some(end);
        Ok(())
    }
}

/// Closes the cycle in progress, on a copy of the state.
fn close(state: &State, request: Commit, now: i64) -> Result<(End, change::Commit)> {
    check_cycle(request.expected_cycle, state.last_cycle)?;
    let mut commit = plan_commit(state, request.created_at_ns, now)?;
    let closed = close_commit(state, &commit)?;
    commit.core = commit.core.filter(|_| closed.core_made);
    commit.digest = closed.digest;
    commit.materialized = closed.due_instances(request.created_at_ns, now)?;
    let end = End::new(closed, commit.materialized.clone())?;
    Ok((end, commit))
}

/// A closed cycle and what follows it.
pub(super) struct End {
    pub(super) closed: Closed,
    /// The state before cadences: this is what is written with the commit.
    pub(super) before: State,
    materialized: Vec<change::Addition>,
}

impl End {
    pub(super) fn new(closed: Closed, materialized: Vec<change::Addition>) -> Result<End> {
        let before = closed.next_state(&[])?;
        Ok(End { closed, before, materialized })
    }

    pub(super) fn next(&self) -> Result<State> {
        match self.materialized.is_empty() {
            true => Ok(self.before.clone()),
            false => Ok(self.closed.next_state(&self.materialized)?),
        }
    }

    fn reply(&self, turn: Option<&Id>) -> CommitReply {
        let texts = |ids: &[Id]| ids.iter().map(|id| id.to_string()).collect();
        let removed = &self.closed.removed;
        CommitReply {
            cycle: self.closed.cycle,
            turn: turn.map(|turn| turn.to_string()),
            expired: texts(&removed.expired),
            cascaded: texts(&removed.cascaded),
            pruned: texts(&removed.pruned),
            materialized: self.materialized.iter().map(|a| a.node.id.to_string()).collect(),
            digest: hex(&self.closed.digest),
        }
    }
}

/// Contents of the store, and of the batch in progress.
pub(super) struct BatchContents<'a> {
    reader: &'a StoreReader,
    new: HashMap<(u64, u32), Arc<Json>>,
}

impl<'a> BatchContents<'a> {
    pub(super) fn new(reader: &'a StoreReader) -> BatchContents<'a> {
        BatchContents { reader, new: HashMap::new() }
    }

    fn add(&mut self, seq: u64, contents: &[Json]) {
        for (i, content) in contents.iter().enumerate() {
            self.new.insert((seq, i as u32 + 1), Arc::new(content.clone()));
        }
    }
}

impl Contents for BatchContents<'_> {
    fn content(&self, content: &ContentRef) -> std::result::Result<Arc<Json>, ReadError> {
        match self.new.get(&(content.seq, content.item)) {
            Some(content) => Ok(content.clone()),
            None => self.reader.content(content),
        }
    }
}

fn policies_of(op: &EditOp) -> Option<Vec<Policy>> {
    match op {
        EditOp::Policy(request) => Some(request.set.clone().unwrap_or_default()),
        _ => None,
    }
}

fn reply_to(decided: &Decided, policies: Option<Vec<Policy>>) -> EditReply {
    let ids = || decided.ids.iter().map(|id| id.to_string()).collect::<Vec<_>>();
    match &decided.event {
        Event::Added(addition) => EditReply::Id(IdReply { id: Some(addition.node.id.to_string()) }),
        Event::PolicySet { .. } => EditReply::Policies(policies.unwrap_or_default()),
        Event::CadenceEnded { key } => EditReply::Key(KeyReply { key: key.to_string() }),
        _ => EditReply::Ids(IdsReply { ids: ids() }),
    }
}

/// The reply where nothing matches, and that is no error.
fn reply_to_nothing(op: &EditOp) -> EditReply {
    match op {
        EditOp::Add(_) => EditReply::Id(IdReply { id: None }),
        _ => EditReply::Ids(IdsReply::default()),
    }
}

fn unexpected(reply: &EditReply) -> Error {
    Error::request(format!("an edit was answered by {reply:?}"))
}
