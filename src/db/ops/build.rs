//! Edits, pleasant to write: constructors, and setters that can be chained.
//!
//! They only fill in fields, and judge nothing; what is wrong with a request is found when it is run.

use super::batch::{Batch, EditOp, PolicyRequest};
use super::edit::{Add, Commit, Move, Remove, Set};
use crate::json::Json;
use crate::lifecycle::Policy;

/// Setters of fields, each of which takes whatever can become the value.
macro_rules! setters {
    ($wrap:expr; $($(#[$doc:meta])* $name:ident: $value:ty;)*) => {
        $(
            $(#[$doc])*
            #[must_use]
            pub fn $name(mut self, $name: impl Into<$value>) -> Self {
                self.$name = $wrap($name.into());
                self
            }
        )*
    };
}
pub(super) use setters;

/// Setters of counts, which take a literal as it is written.
macro_rules! count_setters {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[must_use]
            pub fn $name(mut self, $name: u64) -> Self {
                self.$name = Some($name);
                self
            }
        )*
    };
}
pub(super) use count_setters;

/// The texts of a list.
fn texts<T: Into<String>>(list: impl IntoIterator<Item = T>) -> Vec<String> {
    list.into_iter().map(Into::into).collect()
}

/// What a `set` gives a header, if not nothing.
fn given<T>(value: T) -> Option<Option<T>> {
    Some(Some(value))
}

impl Add {
    /// A block of the turn in progress.
    pub fn block(content: impl Into<Json>) -> Add {
        Add { content: Some(content.into()), ..Add::default() }
    }

    /// What the user says, in the turn in progress.
    pub fn user(content: impl Into<Json>) -> Add {
        Add::block(content).role("user")
    }

    /// What the model says, in the turn in progress.
    pub fn assistant(content: impl Into<Json>) -> Add {
        Add::block(content).role("assistant")
    }

    /// What a tool says, in the turn in progress.
    pub fn tool(content: impl Into<Json>) -> Add {
        Add::block(content).role("tool")
    }

    /// A standing instruction: a block in `^sys`.
    pub fn system(content: impl Into<Json>) -> Add {
        Add::block(content).role("system").to("^sys")
    }

    /// A container of the turn in progress, which blocks can be added to.
    pub fn container() -> Add {
        Add { container: Some(true), ..Add::default() }
    }

    setters! {
        Some;
        /// Where it goes: a selector or a position. With `?` at its end it may match nothing, and
        /// then nothing happens.
        to: String;
        /// Its type, as selectors name it behind the dot.
        node_type: String;
        /// Its id, instead of one that is made.
        id: String;
        /// Who speaks.
        role: String;
        /// What sort of thing it says.
        kind: String;
        /// The family that it is an instance of.
        key: String;
        /// How many cycles it lives.
        ttl: i64;
        /// After how many cycles it comes back.
        cad: i64;
        /// Its offset among its siblings.
        offset: i64;
        /// Its priority: what has a lower one goes first when a policy prunes.
        priority: i64;
        /// A text or any other JSON value.
        content: Json;
        /// Who or what made it.
        provenance: String;
        /// The media type of its content.
        mime: String;
        /// How its content is encoded.
        encoding: String;
        /// When it was made, in nanoseconds since 1970, instead of now.
        created_at_ns: i64;
    }

    /// Its tags.
    #[must_use]
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Add {
        self.tags = texts(tags);
        self
    }

    /// The ids of nodes that must stay while this one does.
    #[must_use]
    pub fn refs<T: Into<String>>(mut self, ids: impl IntoIterator<Item = T>) -> Add {
        self.refs = texts(ids);
        self
    }

    /// A custom attribute; more than one can be set.
    #[must_use]
    pub fn attr(mut self, name: impl Into<String>, value: impl Into<Json>) -> Add {
        self.attrs.insert(name.into(), value.into());
        self
    }

    /// A header that has no setter here; more than one can be set.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<Json>) -> Add {
        self.headers.insert(name, value);
        self
    }

    /// Never pruned.
    #[must_use]
    pub fn pinned(mut self) -> Add {
        self.pinned = true;
        self
    }

    /// A container that goes when it becomes empty.
    #[must_use]
    pub fn removable(mut self) -> Add {
        self.removable = true;
        self
    }
}

impl Set {
    /// Sets nothing yet on the nodes that a selector matches.
    pub fn target(target: impl Into<String>) -> Set {
        Set { target: target.into(), ..Set::default() }
    }

    setters! {
        given;
        /// The content.
        content: Json;
        /// How many cycles it lives, from the cycle in progress.
        ttl: i64;
        /// The priority.
        priority: i64;
        /// The key.
        key: String;
        /// The cadence.
        cad: i64;
        /// The media type.
        mime: String;
        /// The encoding.
        encoding: String;
    }

    setters! {
        Some;
        /// Whether it is never pruned.
        pinned: bool;
    }

    /// The tags.
    #[must_use]
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Set {
        self.tags = Some(texts(tags));
        self
    }

    /// The ids of nodes that must stay while it does.
    #[must_use]
    pub fn refs<T: Into<String>>(mut self, ids: impl IntoIterator<Item = T>) -> Set {
        self.refs = Some(texts(ids));
        self
    }

    /// A custom attribute; null removes it.
    #[must_use]
    pub fn attr(mut self, name: impl Into<String>, value: impl Into<Json>) -> Set {
        self.attrs.insert(name.into(), value.into());
        self
    }

    /// A header that has no setter here; null removes it.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<Json>) -> Set {
        self.headers.insert(name, value);
        self
    }
}

impl Move {
    /// Moves the nodes that a selector matches below another parent.
    pub fn new(target: impl Into<String>, to: impl Into<String>) -> Move {
        Move { target: target.into(), to: to.into(), ..Move::default() }
    }

    setters! {
        Some;
        /// Their new offset, instead of the one that each has.
        offset: i64;
        /// The time of a core that has to be made, in nanoseconds since 1970.
        created_at_ns: i64;
    }
}

impl Remove {
    /// Removes the nodes that a selector matches.
    pub fn target(target: impl Into<String>) -> Remove {
        Remove { target: target.into(), force: false }
    }

    /// Also if others refer to them.
    #[must_use]
    pub fn force(mut self) -> Remove {
        self.force = true;
        self
    }
}

impl Commit {
    /// Closes the cycle now.
    pub fn new() -> Commit {
        Commit::default()
    }

    /// Only if this is the last cycle: else somebody else committed meanwhile, which is a
    /// [`Conflict`](crate::code::Code::Conflict).
    #[must_use]
    pub fn expecting(mut self, cycle: u64) -> Commit {
        self.expected_cycle = Some(cycle_number(cycle));
        self
    }

    /// Only if this is the last event: else somebody else edited meanwhile.
    #[must_use]
    pub fn expecting_event(mut self, event: u64) -> Commit {
        self.expected_event = Some(cycle_number(event));
        self
    }

    setters! {
        Some;
        /// The time of the commit, in nanoseconds since 1970, instead of now.
        created_at_ns: i64;
    }

    /// Only says what would happen.
    #[must_use]
    pub fn dry_run(mut self) -> Commit {
        self.dry_run = true;
        self
    }
}

impl Batch {
    /// A batch without edits.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// And then this edit. A commit can only be the last one.
    #[must_use]
    pub fn then(mut self, edit: impl Into<EditOp>) -> Batch {
        self.ops.push(edit.into());
        self
    }

    /// Only if this is the last cycle.
    #[must_use]
    pub fn expecting(mut self, cycle: u64) -> Batch {
        self.expected_cycle = Some(cycle_number(cycle));
        self
    }
}

/// A cycle as requests have it. No store ever comes to one beyond `i64`.
fn cycle_number(cycle: u64) -> i64 {
    i64::try_from(cycle).unwrap_or(i64::MAX)
}

macro_rules! edits {
    ($($request:ident => $made:expr;)*) => {$(
        impl From<$request> for EditOp {
            fn from(request: $request) -> EditOp {
                $made(request)
            }
        }
    )*};
}

edits! {
    Add => |request| EditOp::Add(Box::new(request));
    Set => |request| EditOp::Set(Box::new(request));
    Move => EditOp::Move;
    Remove => EditOp::Remove;
    Commit => EditOp::Commit;
}

impl From<Vec<Policy>> for EditOp {
    fn from(policies: Vec<Policy>) -> EditOp {
        EditOp::Policy(PolicyRequest { set: Some(policies) })
    }
}
