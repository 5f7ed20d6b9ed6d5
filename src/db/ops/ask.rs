//! Questions and other requests that are no edits of nodes.

use super::build::{count_setters, setters};
use super::request::request;
use crate::language::Dialect;
use crate::language::ast::{Mode, Order};
use crate::query::SelectOptions;

request! {
    /// A question: a selector, its dialect and the options of its answer. A text alone is one too.
    ///
    /// ```
    /// use pactdb::{Add, Commit, Db, Generation, Select};
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
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub struct Select {
        /// The selector.
        q: String,
    } optional {
        /// Its dialect; the store's own if there is none.
        dialect: Option<Dialect>,
        /// Options of the answer.
        options: SelectOptions,
    }
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

request! {
    /// Makes a past snapshot the newest one.
    ///
    /// ```
    /// use pactdb::{Add, Commit, Db, Generation, Restore};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::user("Where is the key?").id("q1"))?;
    /// db.commit(Commit::new())?;
    /// db.add(Add::user("Forget it.").id("q2"))?;
    /// db.commit(Commit::new())?;
    /// assert_eq!(db.restore(Restore::at("@c1"))?.cycle, 3);
    /// assert!(db.snapshot(3)?.node("q2")?.is_none());
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub struct Restore {
        /// The snapshot: a time address.
        at: String,
    } optional {
        /// Throws uncommitted edits away.
        discard: bool,
    }
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

request! {
    /// Compares two states.
    ///
    /// ```
    /// use pactdb::{Add, Commit, Db, Diff, Generation};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::user("Where is the key?").id("q1"))?;
    /// db.commit(Commit::new())?;
    /// db.add(Add::assistant("Under the mat.").id("a1"))?;
    /// db.commit(Commit::new())?;
    /// let diff = db.diff(&Diff::between("@c1", "@c2").of(".cb"))?;
    /// assert_eq!(diff.added.len(), 1);
    /// assert!(diff.removed.is_empty());
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub struct Diff {} optional {
        /// One of them: a time address, or the working state.
        a: Option<String>,
        /// The other one.
        b: Option<String>,
        /// Which nodes; all of them if there is no selector.
        q: Option<String>,
        /// The rich report.
        rich: bool,
        /// The dialect of the selector and the addresses; the store's own if there is none.
        dialect: Option<Dialect>,
    }
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

request! {
    /// Which events to show: those that agree with every field.
    ///
    /// ```
    /// use pactdb::{Add, Commit, Db, Generation, Log};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::user("Where is the key?").id("q1"))?;
    /// db.commit(Commit::new())?;
    /// let kinds: Vec<_> = db.log(&Log::new())?.into_iter().map(|entry| entry.kind).collect();
    /// assert_eq!(kinds, ["created", "add", "commit"]);
    /// assert_eq!(db.log(&Log::new().node("q1").newest_first().limit(1))?.len(), 1);
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub struct Log {} optional {
        /// The first event.
        from: Option<u64>,
        /// How many.
        limit: Option<u64>,
        /// Only those of a cycle, the one in progress too.
        cycle: Option<u64>,
        /// Only those of a kind.
        kind: Option<String>,
        /// Only those that concern the node with this id.
        node: Option<String>,
        /// Whether the newest comes first.
        newest_first: bool,
    }
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
