//! Questions that selectors ask, and questions about the past.

use crate::db::{StackBy, ThreadFormat, request};
use crate::json::Json;
use crate::language::Dialect;
use crate::query::SelectOptions;

request! {
    /// Answers a selector with node objects.
    pub struct Nodes {
        /// The selector.
        q: String,
    } optional {
        /// Its dialect; the store's own if there is none.
        dialect: Option<Dialect>,
        /// Options of the answer.
        options: SelectOptions,
    }

    /// Nodes by their ids, in one state.
    pub struct Details {
        /// The ids.
        ids: Vec<String>,
    } optional {
        /// The state: a time address; the working state if there is none.
        at: Option<String>,
        /// The dialect of the address; the store's own if there is none.
        dialect: Option<Dialect>,
    }

    /// Which states an address or a selector is about, and where the store stands.
    pub struct State {} optional {
        /// A time address; the working state if there is none.
        at: Option<String>,
        /// Instead: a selector, whose own time counts.
        q: Option<String>,
        /// The dialect of either; the store's own if there is none.
        dialect: Option<Dialect>,
        /// Whether to count the nodes that the selector finds, for a short time.
        count: bool,
    }

    /// What a selector means, what it will read, and what could be written better.
    pub struct Explain {
        /// The selector.
        q: String,
    } optional {
        /// Its dialect; the store's own if there is none.
        dialect: Option<Dialect>,
        /// Whether a person typed it, as in the options of `select`.
        typed: bool,
    }

    /// The canonical form of a selector, in its own dialect or in the other one.
    pub struct Fmt {
        /// The selector.
        q: String,
    } optional {
        /// The dialect that it is written in; the store's own if there is none.
        dialect: Option<Dialect>,
        /// The dialect to say it in; the one that it is written in if there is none.
        to: Option<Dialect>,
    }

    /// A question in SQL over the tables of the store.
    pub struct Sql {
        /// The statement.
        q: String,
    } optional {
        /// Its parameters: a list for `?`, an object for `:name`.
        params: Option<Json>,
        /// The most rows; 10,000 if there is none.
        limit: Option<u64>,
        /// Whether it is only said how the question would be answered: a row for each step.
        explain: bool,
    }

    /// A state, or several, as snapshot objects. Of several, streams one part for each.
    pub struct Export {} optional {
        /// A time address; a range of them gives a list. The working state if there is none.
        at: Option<String>,
        /// Instead: the state in which this attempt was started.
        attempt: Option<String>,
        /// Instead: every snapshot, as a list.
        all: bool,
        /// The dialect of the address; the store's own if there is none.
        dialect: Option<Dialect>,
    }

    /// The state that a selector or an address names, as a snapshot object.
    pub struct Tree {} optional {
        /// A time address; the working state if there is none.
        at: Option<String>,
        /// Instead: a selector, whose own time counts.
        q: Option<String>,
        /// The dialect of either; the store's own if there is none.
        dialect: Option<Dialect>,
    }

    /// What a provider is sent in a state.
    pub struct Thread {} optional {
        /// A time address; the working state if there is none.
        at: Option<String>,
        /// Instead: the state in which this attempt was started.
        attempt: Option<String>,
        /// In which form.
        format: Option<ThreadFormat>,
        /// Whether what would have to be said in another way is an error that names the node.
        strict: bool,
        /// Whether calls and results that have lost each other are left out.
        drop_unpaired: bool,
        /// The dialect of the address; the store's own if there is none.
        dialect: Option<Dialect>,
    }

    /// How much of two states' threads is the same from the start, and what ends it.
    pub struct Compare {} optional {
        /// One of them: a time address; the working state if there is none.
        a: Option<String>,
        /// The other one.
        b: Option<String>,
        /// In which form.
        format: Option<ThreadFormat>,
        /// Whether what would have to be said in another way is an error that names the node.
        strict: bool,
        /// Whether calls and results that have lost each other are left out.
        drop_unpaired: bool,
        /// The dialect of the addresses; the store's own if there is none.
        dialect: Option<Dialect>,
    }

    /// Whether the thread of an attempt is still what was sent; anything else is an error.
    pub struct CheckSent {
        /// The attempt.
        attempt: String,
    }

    /// How large the context was, and what happened, over a stretch of history, in buckets.
    pub struct Timeline {} optional {
        /// The first cycle, as an address, or as a number that need not have a snapshot; the oldest if
        /// there is none.
        from: Option<String>,
        /// The last cycle; the newest if there is none.
        to: Option<String>,
        /// The most buckets, up to 2,000; 500 if there is none.
        buckets: Option<u64>,
        /// What the bytes are told apart by: `role`, or `region`.
        by: StackBy,
        /// Whether tokens are wanted too.
        tokens: bool,
        /// For which provider it is said where prompts break, beside the thread.
        format: Option<ThreadFormat>,
        /// The dialect of the addresses; the store's own if there is none.
        dialect: Option<Dialect>,
    }

    /// The log again, event by event, each with what it changed. Streams one part for each event.
    pub struct Replay {} optional {
        /// The first cycle, as an address or a number; the beginning if there is none.
        from: Option<String>,
        /// The last cycle; the end of the log, with what is uncommitted, if there is none.
        to: Option<String>,
        /// Only what concerns nodes that this selector matches, before or after the event.
        q: Option<String>,
        /// Only events after this one.
        after: Option<u64>,
        /// The most events.
        limit: Option<u64>,
        /// Whether the events of each cycle are a list of their own.
        by_cycle: bool,
        /// The dialect of the selector and the addresses; the store's own if there is none.
        dialect: Option<Dialect>,
    }

    /// The log as it grows: one part for each event, with what it changed, until the request is ended or
    /// has had its limit. Only as a stream.
    pub struct Watch {} optional {
        /// Only what changes the result of this selector.
        q: Option<String>,
        /// The first cycle, to begin in the past; what is to come if there is none.
        from: Option<String>,
        /// Only events after this one.
        after: Option<u64>,
        /// The most events.
        limit: Option<u64>,
        /// The dialect of the selector and the address; the store's own if there is none.
        dialect: Option<Dialect>,
    }

    /// What happened to a node: made, edited, moved, sealed, gone.
    pub struct Life {
        /// Its id.
        id: String,
    } optional {
        /// The most moments.
        limit: Option<u64>,
        /// Whether the newest comes first.
        newest_first: bool,
    }

    /// What could be typed at a point of a line.
    pub struct Complete {
        /// The line.
        text: String,
    } optional {
        /// The byte that the cursor stands before; the end if there is none.
        cursor: Option<u64>,
        /// The state whose words are offered: a time address; the working state if there is none.
        at: Option<String>,
        /// The dialect of questions; the store's own if there is none.
        dialect: Option<Dialect>,
    }
}
