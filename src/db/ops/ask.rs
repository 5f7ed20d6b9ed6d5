//! Questions and other requests that are no edits of nodes.

use super::build::{count_setters, setters};
use crate::language::Dialect;
use crate::language::ast::{Mode, Order};
use crate::query::SelectOptions;
use serde::{Deserialize, Serialize};

/// A question: a selector, its dialect and the options of its answer. A text alone is one too.
///
/// ```
/// use pactdb::{Add, Commit, Db, Generation, Select};
/// # fn main() -> pactdb::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// db.add(Add::user("Where is the key?").id("q1"))?;
/// db.commit(Commit::new())?;
/// db.add(Add::user("And the door?").id("q2"))?;
/// db.commit(Commit::new())?;
/// // The newest snapshot, then one of the past.
/// assert_eq!(db.select("@t0 .cb[role='user']")?.ids().len(), 2);
/// assert_eq!(db.select("@c1 .cb[role='user']")?.ids().len(), 1);
/// let one = db.select(Select::new("@t0 .cb[role='user']").limit(1))?;
/// assert_eq!(one.ids().len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Select {
    /// The selector.
    pub q: String,
    /// Its dialect; the store's own if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Dialect>,
    /// Options of the answer.
    #[serde(default, skip_serializing_if = "is_default")]
    pub options: SelectOptions,
}

impl Select {
    /// A question in the store's own dialect.
    pub fn new(q: impl Into<String>) -> Select {
        Select { q: q.into(), ..Select::default() }
    }

    setters! {
        std::convert::identity;
        /// The dialect of the selector.
        dialect: Option<Dialect>;
        /// All options of the answer.
        options: SelectOptions;
    }

    /// The most results.
    #[must_use]
    pub fn limit(mut self, limit: u64) -> Select {
        self.options.limit = Some(limit);
        self
    }

    /// How many results to leave out at the start.
    #[must_use]
    pub fn skip(mut self, skip: u64) -> Select {
        self.options.skip = Some(skip);
        self
    }

    /// The order of the results.
    #[must_use]
    pub fn order(mut self, order: Order) -> Select {
        self.options.order = Some(order);
        self
    }

    /// How the snapshots of a range are paired.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Select {
        self.options.mode = Some(mode);
        self
    }
}

impl From<&str> for Select {
    fn from(q: &str) -> Select {
        Select::new(q)
    }
}

impl From<&String> for Select {
    fn from(q: &String) -> Select {
        Select::new(q)
    }
}

impl From<String> for Select {
    fn from(q: String) -> Select {
        Select::new(q)
    }
}

/// Makes a past snapshot the newest one.
///
/// ```
/// use pactdb::{Add, Commit, Db, Generation, Restore};
/// # fn main() -> pactdb::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// db.add(Add::user("Where is the key?").id("q1"))?;
/// db.commit(Commit::new())?;
/// db.add(Add::user("Forget it.").id("q2"))?;
/// db.commit(Commit::new())?;
/// assert_eq!(db.restore(Restore::at("@c1"))?.cycle, 3);
/// assert!(db.snapshot(3)?.node("q2")?.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Restore {
    /// The snapshot: a time address.
    pub at: String,
    /// Throws uncommitted edits away.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub discard: bool,
}

impl Restore {
    /// The snapshot at a time address.
    pub fn at(at: impl Into<String>) -> Restore {
        Restore { at: at.into(), discard: false }
    }

    /// Throws uncommitted edits away, which are an error otherwise.
    #[must_use]
    pub fn discard(mut self) -> Restore {
        self.discard = true;
        self
    }
}

/// Compares two states.
///
/// ```
/// use pactdb::{Add, Commit, Db, Diff, Generation};
/// # fn main() -> pactdb::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// db.add(Add::user("Where is the key?").id("q1"))?;
/// db.commit(Commit::new())?;
/// db.add(Add::assistant("Under the mat.").id("a1"))?;
/// db.commit(Commit::new())?;
/// let diff = db.diff(&Diff::between("@c1", "@c2").of(".cb"))?;
/// assert_eq!(diff.added.len(), 1);
/// assert!(diff.removed.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Diff {
    /// One of them: a time address, or the working state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// The other one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    /// Which nodes; all of them if there is no selector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// The rich report.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rich: bool,
    /// The dialect of the selector and the addresses; the store's own if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Dialect>,
}

impl Diff {
    /// Two states, by their time addresses.
    pub fn between(a: impl Into<String>, b: impl Into<String>) -> Diff {
        Diff { a: Some(a.into()), b: Some(b.into()), ..Diff::default() }
    }

    /// A state and the working state.
    pub fn since(a: impl Into<String>) -> Diff {
        Diff { a: Some(a.into()), ..Diff::default() }
    }

    /// Only nodes that this selector matches.
    #[must_use]
    pub fn of(mut self, q: impl Into<String>) -> Diff {
        self.q = Some(q.into());
        self
    }

    setters! {
        Some;
        /// The dialect of the selector and the addresses, if it is not the store's own.
        dialect: Dialect;
    }
}

/// Which events to show: those that agree with every field.
///
/// ```
/// use pactdb::{Add, Commit, Db, Generation, Log};
/// # fn main() -> pactdb::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// db.add(Add::user("Where is the key?").id("q1"))?;
/// db.commit(Commit::new())?;
/// let kinds: Vec<_> = db.log(&Log::new())?.into_iter().map(|entry| entry.kind).collect();
/// assert_eq!(kinds, ["created", "add", "commit"]);
/// assert_eq!(db.log(&Log::new().node("q1").newest_first().limit(1))?.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// The first event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// How many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Only those of a cycle, the one in progress too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<u64>,
    /// Only those of a kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Only those that concern the node with this id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Whether the newest comes first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub newest_first: bool,
}

impl Log {
    /// All of them, oldest first.
    pub fn new() -> Log {
        Log::default()
    }

    count_setters! {
        /// The sequence number of the first event.
        from;
        /// How many.
        limit;
        /// Only those of a cycle, the one in progress too.
        cycle;
    }

    setters! {
        Some;
        /// Only those of a kind.
        kind: String;
        /// Only those that concern the node with this id.
        node: String;
    }

    /// The newest comes first.
    #[must_use]
    pub fn newest_first(mut self) -> Log {
        self.newest_first = true;
        self
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
