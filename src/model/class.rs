//! Classes of nodes and the two vocabularies (R1.2, R1.3).

use serde::{Deserialize, Serialize};

/// What a node is, derived once from its type and then kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Class {
    /// `^root`
    Root,
    /// `^sys`, the standing instructions.
    Sys,
    /// `^seq`, the sealed turns.
    Seq,
    /// `^ah`, the turn in progress.
    Ah,
    /// A sealed turn: `mt` or `seg`.
    Turn,
    /// A container: `mc` or `cont`.
    Container,
    /// A block, which has no children: `cb` or `block`.
    Block,
}

impl Class {
    /// The class that a type name decides by itself; `None` for a type of the user's own.
    pub fn of_type(node_type: &str) -> Option<Class> {
        let base = node_type.split(':').next().unwrap_or(node_type);
        Some(match (node_type, base) {
            ("^root", _) => Class::Root,
            ("^sys", _) => Class::Sys,
            ("^seq", _) => Class::Seq,
            ("^ah", _) => Class::Ah,
            (_, "mt" | "seg") => Class::Turn,
            (_, "mc" | "cont") => Class::Container,
            (_, "cb" | "block") => Class::Block,
            _ => return None,
        })
    }

    /// Whether nodes of this class can have children.
    pub fn has_children(self) -> bool {
        self != Class::Block
    }

    /// Whether this is the root or one of the three regions.
    pub fn is_region(self) -> bool {
        matches!(self, Class::Root | Class::Sys | Class::Seq | Class::Ah)
    }

    /// The class in a sentence.
    pub fn noun(self) -> &'static str {
        match self {
            Class::Root => "the root",
            Class::Sys | Class::Seq | Class::Ah => "a region",
            Class::Turn => "a turn",
            Class::Container => "a container",
            Class::Block => "a block",
        }
    }
}

/// The generation of the specification that a store was made for: its words and its dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Generation {
    /// mt / mc / cb
    #[default]
    #[serde(rename = "0.1")]
    V0_1,
    /// seg / cont / block
    #[serde(rename = "1.0")]
    V1_0,
}

impl Generation {
    /// The word for nodes of a class.
    pub fn word(self, class: Class) -> &'static str {
        match (class, self) {
            (Class::Root, _) => "^root",
            (Class::Sys, _) => "^sys",
            (Class::Seq, _) => "^seq",
            (Class::Ah, _) => "^ah",
            (Class::Turn, Generation::V0_1) => "mt",
            (Class::Turn, Generation::V1_0) => "seg",
            (Class::Container, Generation::V0_1) => "mc",
            (Class::Container, Generation::V1_0) => "cont",
            (Class::Block, Generation::V0_1) => "cb",
            (Class::Block, Generation::V1_0) => "block",
        }
    }

    /// What exports say in `spec_version`.
    pub fn spec_version(self) -> &'static str {
        match self {
            Generation::V0_1 => "PACT/0.1.0",
            Generation::V1_0 => "PACT/1.0.0",
        }
    }

    /// The generation that a document's `spec_version` names, if it is one (R14.10).
    pub fn of_spec_version(version: &str) -> Option<Generation> {
        match version {
            version if version.starts_with("PACT/0.1") => Some(Generation::V0_1),
            version if version.starts_with("PACT/1.") => Some(Generation::V1_0),
            _ => None,
        }
    }

    /// The short name: `0.1` or `1.0`.
    pub fn name(self) -> &'static str {
        match self {
            Generation::V0_1 => "0.1",
            Generation::V1_0 => "1.0",
        }
    }

    /// The generation with that short name.
    pub fn from_name(name: &str) -> Option<Generation> {
        match name {
            "0.1" => Some(Generation::V0_1),
            "1.0" => Some(Generation::V1_0),
            _ => None,
        }
    }
}
