//! Following the log while it grows: a replay that does not end.
//!
//! What is told comes from the log, so whoever is slow is late and misses nothing; where the past ends
//! and the present begins is the same walk. Waiting holds no lock that a commit needs.

use super::replay::{Replay, ReplayRequest, Step};
use crate::budget;
use crate::db::Db;
use crate::error::Result;
use crate::language::{Dialect, ast, parse_target};
use crate::model::Id;
use std::collections::BTreeSet;
use std::time::Duration;

/// How often somebody who waits looks whether to wait any longer.
const LOOK: Duration = Duration::from_millis(50);

/// What to follow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WatchRequest {
    /// Only events after this one; those to come if there is none.
    pub after: Option<u64>,
    /// Only what changes the result of this selector.
    pub select: Option<String>,
    /// The dialect of the selector; the store's own if there is none.
    pub dialect: Option<Dialect>,
}

/// An event, what it changed, and what it did to the result of a selector.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Watched {
    /// The event, with its changes; with a selector, only those of nodes that it matches.
    #[serde(flatten)]
    pub step: Step,
    /// With a selector: nodes that it matches now and did not before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub entered: Vec<Id>,
    /// With a selector: nodes that it matched before and does not now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub left: Vec<Id>,
}

/// Follows the log of a store.
///
/// ```
/// use pactdb::session::{Watch, WatchRequest};
/// use pactdb::{Add, Db, Generation};
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// let mut watch = Watch::new(&db, &WatchRequest::default())?;
/// // Some other thread, or some other process that is attached.
/// db.add(Add::user("Where is the key?").id("q1"))?;
/// let seen = watch.wait()?;
/// assert_eq!(seen.step.changes[0].id, "q1");
/// # Ok::<(), pactdb::Error>(())
/// ```
pub struct Watch {
    db: Db,
    replay: Replay,
    after: u64,
    target: Option<(ast::Target, Dialect)>,
    /// What the selector matched after the last step; nothing is known before the first.
    result: Option<BTreeSet<Id>>,
}

impl Watch {
    /// Begins to follow.
    pub fn new(db: &Db, request: &WatchRequest) -> Result<Watch> {
        let dialect = request.dialect.unwrap_or(db.dialect());
        let target = match &request.select {
            Some(text) => Some((parse_target(text, dialect)?, dialect)),
            None => None,
        };
        let newest = db.wait_for_event(u64::MAX, Duration::ZERO);
        let after = request.after.unwrap_or(newest).min(newest);
        let from = match after < newest {
            true => db.cycle_of_event(after + 1)?,
            false => db.last_cycle() + 1,
        };
        let mut replay = Replay::new(db, &ReplayRequest::new().from(from))?;
        // What lies before is walked through for the state that it leads to.
        replay.extend(newest);
        let mut watch = Watch { db: db.clone(), replay, after, target, result: None };
        watch.catch_up()?;
        Ok(watch)
    }

    fn catch_up(&mut self) -> Result<()> {
        while self.replay.next_event() <= self.after {
            match self.replay.next() {
                Some(step) => drop(step?),
                None => break,
            }
        }
        if let Some((target, dialect)) = &self.target {
            self.result = Some(self.replay.matching(target, *dialect)?);
        }
        Ok(())
    }

    /// The next event that is already there and concerns the watcher.
    pub fn next_there(&mut self) -> Result<Option<Watched>> {
        while let Some(step) = self.replay.next() {
            let step = step?;
            if let Some(watched) = self.seen(step)? {
                return Ok(Some(watched));
            }
        }
        Ok(None)
    }

    /// The next event that concerns the watcher, as soon as it is there. A
    /// [`Budget`](crate::Budget) ends the waiting.
    pub fn wait(&mut self) -> Result<Watched> {
        loop {
            if let Some(watched) = self.next_there()? {
                return Ok(watched);
            }
            budget::check()?;
            let known = self.replay.next_event() - 1;
            let newest = self.db.wait_for_event(known, LOOK);
            self.replay.extend(newest);
        }
    }

    /// What an event is to the watcher; nothing if it does not concern the selector's result.
    fn seen(&mut self, mut step: Step) -> Result<Option<Watched>> {
        let Some((target, dialect)) = &self.target else {
            return Ok(Some(Watched { step, entered: Vec::new(), left: Vec::new() }));
        };
        let now = self.replay.matching(target, *dialect)?;
        let before = self.result.replace(now).unwrap_or_default();
        let now = self.result.as_ref().unwrap_or(&before);
        step.changes.retain(|change| before.contains(&*change.id) || now.contains(&*change.id));
        let entered: Vec<Id> = now.difference(&before).cloned().collect();
        let left: Vec<Id> = before.difference(now).cloned().collect();
        let nothing = step.changes.is_empty() && entered.is_empty() && left.is_empty();
        Ok((!nothing).then_some(Watched { step, entered, left }))
    }
}
