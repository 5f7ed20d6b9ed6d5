//! Walking the log: event by event, each with what it changed.
//!
//! A walk may start at any cycle, because every cycle's tree can be read; events are applied to it
//! by the one function that applies them when they happen. Nothing is written.

use super::changes::{NodeChange, What, compare, listed};
use crate::budget;
use crate::change::{Event, History, Pending, Working, apply};
use crate::code::Code;
use crate::db::{Db, Diff, LogEntry, concerned_ids, log_entry};
use crate::error::{Error, Result};
use crate::language::{Dialect, ast, parse_target};
use crate::log::Record;
use crate::model::{Id, Tree};
use crate::query::{self, Moment};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// Events that are read at a time.
const PAGE: usize = 64;

/// What to walk through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplayRequest {
    /// The first cycle; the beginning if there is none.
    pub from: Option<u64>,
    /// The last cycle; the end of the log, with what is uncommitted, if there is none.
    pub to: Option<u64>,
    /// Only what concerns nodes that this selector matches, before or after the event.
    pub select: Option<String>,
    /// The dialect of the selector; the store's own if there is none.
    pub dialect: Option<Dialect>,
}

impl ReplayRequest {
    /// From the beginning to the end, and every node.
    pub fn new() -> ReplayRequest {
        ReplayRequest::default()
    }

    /// The first cycle.
    #[must_use]
    pub fn from(mut self, cycle: u64) -> ReplayRequest {
        self.from = Some(cycle);
        self
    }

    /// The last cycle.
    #[must_use]
    pub fn to(mut self, cycle: u64) -> ReplayRequest {
        self.to = Some(cycle);
        self
    }

    /// Only what concerns nodes that a selector matches.
    #[must_use]
    pub fn select(mut self, selector: impl Into<String>) -> ReplayRequest {
        self.select = Some(selector.into());
        self
    }

    /// The dialect of the selector.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> ReplayRequest {
        self.dialect = Some(dialect);
        self
    }
}

/// An event and what it changed.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Step {
    /// The event.
    #[serde(flatten)]
    pub entry: LogEntry,
    /// What it changed in the tree.
    pub changes: Vec<NodeChange>,
}

/// A walk through the log. Each step is made when it is asked for.
///
/// ```
/// use pactdb::session::{Replay, ReplayRequest};
/// use pactdb::{Add, Commit, Db, Generation};
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// db.add(Add::user("Where is the key?"))?;
/// db.commit(Commit::new())?;
/// for step in Replay::new(&db, &ReplayRequest::new())? {
///     let step = step?;
///     println!("{}: {} changes", step.entry.summary, step.changes.len());
/// }
/// # Ok::<(), pactdb::Error>(())
/// ```
pub struct Replay {
    db: Db,
    history: History,
    working: Working,
    cycle: u64,
    next: u64,
    last: u64,
    read: VecDeque<Record>,
    filter: Option<(ast::Target, Dialect)>,
    failed: bool,
}

impl Replay {
    /// Begins a walk.
    pub fn new(db: &Db, request: &ReplayRequest) -> Result<Replay> {
        let dialect = request.dialect.unwrap_or(db.dialect());
        let filter = match &request.select {
            Some(text) => Some((parse_target(text, dialect)?, dialect)),
            None => None,
        };
        let history = db.history();
        let before = match request.from {
            None => 0,
            Some(from) => history.iter().rev().find(|cycle| *cycle < from).unwrap_or(0),
        };
        if let Some(cycle) = request.from.filter(|from| *from > db.last_cycle() + 1) {
            db.cycle_info(cycle)?;
        }
        let last = match request.to {
            None => db.events(),
            Some(to) => db.seq_of_cycle(to)?,
        };
        Ok(Replay {
            working: db.state_after(before)?,
            cycle: before,
            next: db.seq_of_cycle(before)? + 1,
            last,
            read: VecDeque::new(),
            filter,
            failed: false,
            db: db.clone(),
            history,
        })
    }

    /// The last event of the walk.
    pub fn last_event(&self) -> u64 {
        self.last
    }

    /// The number of the event that comes next.
    pub(super) fn next_event(&self) -> u64 {
        self.next
    }

    /// Goes on up to a later event than it was to end with.
    pub(super) fn extend(&mut self, last: u64) {
        self.last = self.last.max(last);
        self.history = self.db.history();
    }

    /// The nodes that a target matches after the steps so far.
    pub(super) fn matching(&self, target: &ast::Target, dialect: Dialect) -> Result<BTreeSet<Id>> {
        self.matching_in(target, dialect, &self.working.state.tree, self.cycle)
    }

    fn matching_in(
        &self,
        target: &ast::Target,
        dialect: Dialect,
        tree: &Tree,
        cycle: u64,
    ) -> Result<BTreeSet<Id>> {
        let generation = self.db.generation();
        let moment = Moment::working(tree.clone(), cycle, generation, self.db.contents());
        match query::resolve_target(target, dialect, &moment) {
            Ok(ids) => Ok(ids.into_iter().collect()),
            Err(error) if error.code == Code::NodeNotFound => Ok(BTreeSet::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// The tree after the steps so far.
    pub fn tree(&self) -> &Tree {
        &self.working.state.tree
    }

    /// The last cycle that was closed so far.
    pub fn last_cycle(&self) -> u64 {
        self.cycle
    }

    fn step(&mut self) -> Result<Option<Step>> {
        while self.next <= self.last {
            if self.read.is_empty() {
                self.read = self.db.records(self.next, PAGE)?.into();
            }
            let Some(record) = self.read.pop_front() else {
                let message = format!("event {} is missing from the log", self.next);
                return Err(Error::new(Code::LogCorrupt, message));
            };
            self.next += 1;
            budget::reached("events were replayed", record.seq, Some(self.last))?;
            let before = self.working.state.tree.clone();
            let last_cycle = self.cycle;
            let cycle = self.history.after(last_cycle).unwrap_or(last_cycle + 1);
            let changes = match record.event.closes_cycle() {
                true => self.close(cycle, &record)?,
                false => self.edit(&before, &record)?,
            };
            let changes = self.filtered(changes, &before, last_cycle)?;
            if self.filter.is_none() || !changes.is_empty() {
                return Ok(Some(Step { entry: log_entry(&record, cycle), changes }));
            }
        }
        Ok(None)
    }

    fn edit(&mut self, before: &Tree, record: &Record) -> Result<Vec<NodeChange>> {
        let event = Arc::new(record.event.clone());
        let ids: Vec<Id> = match &*event {
            Event::Undone { group } => {
                let undone = self.working.pending.iter().filter(|p| p.group == *group);
                undone.flat_map(|pending| concerned_ids(&pending.event)).collect()
            }
            event => concerned_ids(event),
        };
        apply(&mut self.working, &event)?;
        let (seq, group) = (record.seq, record.group);
        self.working.pending.push(Pending { seq, group, event, undone: false });
        let after = &self.working.state.tree;
        compare(&ids, before, after, self.cycle, self.db.contents())
    }

    fn close(&mut self, cycle: u64, record: &Record) -> Result<Vec<NodeChange>> {
        let before = self.cycle;
        self.cycle = cycle;
        self.working = self.db.state_after(cycle)?;
        let mut changes = match &record.event {
            Event::Committed(commit) => {
                let removed = self.db.cycle_info(cycle)?.removed;
                let mut changes = listed(What::Expired, &removed.expired);
                changes.extend(listed(What::Cascaded, &removed.cascaded));
                changes.extend(listed(What::Pruned, &removed.pruned));
                changes.extend(listed(What::Sealed, std::slice::from_ref(&commit.turn)));
                changes
            }
            _ => self.differences(before, cycle)?,
        };
        let made = match &record.event {
            Event::Committed(commit) => commit.materialized.as_slice(),
            Event::Restored(restore) => restore.materialized.as_slice(),
            _ => &[],
        };
        let made: Vec<Id> = made.iter().map(|addition| addition.node.id.clone()).collect();
        changes.extend(listed(What::Materialized, &made));
        Ok(changes)
    }

    /// What an import or a restore changed: anything.
    fn differences(&self, before: u64, cycle: u64) -> Result<Vec<NodeChange>> {
        if before == 0 {
            let mut ids = Vec::new();
            let tree = self.db.snapshot(cycle)?.tree().clone();
            for place in tree.places() {
                let part = tree.subtree(place)?;
                ids.extend(part.entries().iter().map(|entry| entry.node.id.clone()));
            }
            ids.retain(|id| !["root", "sys", "seq", "ah"].contains(&&**id));
            return Ok(listed(What::Added, &ids));
        }
        let request = Diff {
            a: Some(format!("@c{before}")),
            b: Some(format!("@c{cycle}")),
            ..Diff::default()
        };
        let diff = self.db.diff(&request)?;
        let changed: Vec<Id> = diff.changed.into_iter().map(|change| change.id).collect();
        let mut changes = listed(What::Removed, &diff.removed);
        changes.extend(listed(What::Added, &diff.added));
        changes.extend(listed(What::Changed, &changed));
        Ok(changes)
    }

    fn filtered(
        &self,
        mut changes: Vec<NodeChange>,
        before: &Tree,
        last_cycle: u64,
    ) -> Result<Vec<NodeChange>> {
        let Some((target, dialect)) = self.filter.as_ref().filter(|_| !changes.is_empty()) else {
            return Ok(changes);
        };
        let mut matched: BTreeSet<Id> = BTreeSet::new();
        let states = [(before, last_cycle), (&self.working.state.tree, self.cycle)];
        for (tree, cycle) in states {
            matched.extend(self.matching_in(target, *dialect, tree, cycle)?);
        }
        changes.retain(|change| matched.contains(change.id.as_str()));
        Ok(changes)
    }
}

impl Iterator for Replay {
    type Item = Result<Step>;

    fn next(&mut self) -> Option<Result<Step>> {
        if self.failed {
            return None;
        }
        let step = self.step();
        self.failed = step.is_err();
        step.transpose()
    }
}
