//! The two generations of the language and what differs between them (R6.1).
//!
//! Syntax decides only one of the four differences: what a detached `[…]` is. The other three are
//! kept raw in the tree for the stages that know the store.

use crate::model::Generation;
use crate::named::named;
use std::fmt;
use std::str::FromStr;

named! {
    /// A generation of the selector language.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, serde::Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Dialect {
        /// mt / mc / cb. No prefix reads the working state, `@t0` the newest snapshot.
        #[default]
        #[serde(rename = "0.1")]
        V0_1 = "0.1",
        /// seg / cont / block. No prefix and `@t0` both read the working state.
        #[serde(rename = "1.0")]
        V1_0 = "1.0",
    }
}

impl Dialect {
    /// The other one.
    pub fn other(self) -> Dialect {
        match self {
            Dialect::V0_1 => Dialect::V1_0,
            Dialect::V1_0 => Dialect::V0_1,
        }
    }

    /// Whether white space and `[` after a step begin a descendant step instead of filtering the
    /// chain (R6.8).
    pub fn bracket_descends(self) -> bool {
        self == Dialect::V0_1
    }

    /// Whether `#x` names a key; otherwise it names an id (R6.4).
    pub fn hash_is_key(self) -> bool {
        self == Dialect::V1_0
    }

    /// Whether `kind` in a filter is a set that also holds the name behind the base of the type, so
    /// that `.base:name` is a test of it (R14.5).
    pub fn kind_is_a_set(self) -> bool {
        self == Dialect::V0_1
    }

    /// Whether `@t0` is the working state; otherwise it is the newest snapshot (R5.2).
    pub fn t0_is_working_state(self) -> bool {
        self == Dialect::V1_0
    }

    /// Which of the two words of a base type belongs to this generation
    /// (an index into [`super::words::Base::names`]).
    pub(super) fn word_index(self) -> usize {
        match self {
            Dialect::V0_1 => 0,
            Dialect::V1_0 => 1,
        }
    }
}

impl From<Generation> for Dialect {
    fn from(generation: Generation) -> Dialect {
        match generation {
            Generation::V0_1 => Dialect::V0_1,
            Generation::V1_0 => Dialect::V1_0,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text is neither `0.1` nor `1.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a dialect is 0.1 or 1.0")]
pub struct UnknownDialect;

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(text: &str) -> Result<Self, UnknownDialect> {
        Dialect::ALL.into_iter().find(|d| d.name() == text).ok_or(UnknownDialect)
    }
}

impl<'de> serde::Deserialize<'de> for Dialect {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Dialect, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(|_| {
            let message = format!("a dialect is \"0.1\" or \"1.0\", not \"{name}\"");
            serde::de::Error::custom(message)
        })
    }
}
