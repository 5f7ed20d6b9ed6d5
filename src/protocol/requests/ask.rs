//! Questions that selectors ask, and questions about the past.

use crate::db::ThreadFormat;
use crate::language::Dialect;
use crate::query::SelectOptions;
use serde::{Deserialize, Serialize};

/// Answers a selector with node objects.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Nodes {
    /// The selector.
    pub q: String,
    /// Its dialect; the store's own if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Dialect>,
    /// Options of the answer.
    #[serde(default, skip_serializing_if = "is_default")]
    pub options: SelectOptions,
}

/// Nodes by their ids, in one state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Details {
    /// The ids.
    pub ids: Vec<String>,
    /// The state: a time address; the working state if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The dialect of the address; the store's own if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Dialect>,
}

/// Which states an address or a selector is about, and where the store stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct State {
    /// A time address; the working state if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Instead: a selector, whose own time counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// The dialect of either; the store's own if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Dialect>,
}

/// What a selector means, what it will read, and what could be written better.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Explain {
    /// The selector.
    pub q: String,
    /// Its dialect; the store's own if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Dialect>,
}

/// A state, or several, as snapshot objects. Of several, streams one part for each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Export {
    /// A time address; a range of them gives a list. The working state if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Instead: the state in which this attempt was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<String>,
    /// Instead: every snapshot, as a list.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// The dialect of the address; the store's own if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Dialect>,
}

/// The state that a selector or an address names, as a snapshot object.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Tree {
    /// A time address; the working state if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Instead: a selector, whose own time counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// The dialect of either; the store's own if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Dialect>,
}

/// What a provider is sent in a state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Thread {
    /// A time address; the working state if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Instead: the state in which this attempt was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<String>,
    /// In which form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<ThreadFormat>,
    /// Whether what would have to be said in another way is an error that names the node.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// Whether calls and results that have lost each other are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub drop_unpaired: bool,
    /// The dialect of the address; the store's own if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Dialect>,
}

/// How much of two states' threads is the same from the start, and what ends it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Compare {
    /// One of them: a time address; the working state if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// The other one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    /// In which form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<ThreadFormat>,
    /// Whether what would have to be said in another way is an error that names the node.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// Whether calls and results that have lost each other are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub drop_unpaired: bool,
    /// The dialect of the addresses; the store's own if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Dialect>,
}

/// Whether the thread of an attempt is still what was sent; anything else is an error.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CheckSent {
    /// The attempt.
    pub attempt: String,
}

/// The log again, event by event, each with what it changed. Streams one part for each event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Replay {
    /// The first cycle, as an address or a number; the beginning if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The last cycle; the end of the log, with what is uncommitted, if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Only what concerns nodes that this selector matches, before or after the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Only events after this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// The most events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Whether the events of each cycle are a list of their own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_cycle: bool,
    /// The dialect of the selector and the addresses; the store's own if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Dialect>,
}

/// What happened to a node: made, edited, moved, sealed, gone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Life {
    /// Its id.
    pub id: String,
    /// The most moments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Whether the newest comes first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub newest_first: bool,
}

/// What could be typed at a point of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Complete {
    /// The line.
    pub text: String,
    /// The byte that the cursor stands before; the end if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<u64>,
    /// The state whose words are offered: a time address; the working state if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The dialect of questions; the store's own if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Dialect>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
