//! Pruning policies (R4.4) as data, and how their limits are counted.

use crate::model::{Class, Node, Subtree};
use serde::{Deserialize, Deserializer, Serialize};

/// The part of the tree that a policy limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Region {
    /// `^sys`
    #[serde(rename = "^sys")]
    Sys,
    /// `^seq`
    #[serde(rename = "^seq")]
    Seq,
    /// `^ah`
    #[serde(rename = "^ah")]
    Ah,
}

impl Region {
    /// Its word in the language.
    pub fn name(self) -> &'static str {
        match self {
            Region::Sys => "^sys",
            Region::Seq => "^seq",
            Region::Ah => "^ah",
        }
    }
}

/// Limits on the whole tree, or on one region of it.
///
/// ```
/// use pactdb::{Add, Commit, Db, Generation, Policy, Region};
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// // At most one block of the past is kept; the one with the lower priority goes first.
/// db.set_policies(vec![Policy { region: Some(Region::Seq), max_blocks: Some(1), ..Policy::default() }])?;
/// db.add(Add::user("Where is the key?").id("question").priority(1))?;
/// db.add(Add::tool("A long list of files.").id("list"))?;
/// db.commit(Commit::new())?;
/// assert_eq!(db.commit(Commit::new())?.pruned, ["list"]);
/// # Ok::<(), pactdb::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// The region; the whole tree if there is none.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "region")]
    pub region: Option<Region>,
    /// The most blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_blocks: Option<u64>,
    /// The most bytes of content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// The most estimated tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The most turns, the head that is about to be sealed among them: whole turns go, oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u64>,
    /// The most nodes below the region, or below all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_nodes: Option<u64>,
    /// Turns that are left alone, counted from the newest; the head is the newest of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protect_recent_turns: Option<u64>,
}

/// The region of a policy that comes from outside.
fn region<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Region>, D::Error> {
    use serde::de::{Error, Unexpected};
    let name = Option::<String>::deserialize(deserializer)?;
    name.map(|name| name.parse()).transpose().map_err(|message: String| {
        D::Error::invalid_value(Unexpected::Other(&message), &"a region")
    })
}

impl std::str::FromStr for Region {
    type Err = String;

    fn from_str(name: &str) -> Result<Region, String> {
        let mut known = [Region::Sys, Region::Seq, Region::Ah].into_iter();
        known.find(|region| region.name() == name).ok_or_else(|| {
            format!("a policy is for ^sys, ^seq or ^ah, or has no region: not {name}")
        })
    }
}

impl Policy {
    /// Whether a region counts against its limits. Blocks of `^sys` are never candidates of a
    /// policy for the whole tree.
    pub fn reaches(&self, region: Region) -> bool {
        self.region.is_none_or(|own| own == region)
    }

    /// Whether these totals are within every limit.
    pub fn allows(&self, totals: &Totals) -> bool {
        let within = |limit: Option<u64>, value: u64| limit.is_none_or(|limit| value <= limit);
        within(self.max_blocks, totals.blocks)
            && within(self.max_bytes, totals.bytes)
            && within(self.max_tokens, totals.tokens)
            && within(self.max_nodes, totals.nodes)
    }
}

/// What limits count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// All nodes.
    pub nodes: u64,
    /// Blocks.
    pub blocks: u64,
    /// Their content, in bytes.
    pub bytes: u64,
    /// Their content, in estimated tokens: a quarter of the bytes, rounded up for each block.
    pub tokens: u64,
}

impl Totals {
    /// The totals of a part of the tree.
    pub fn of(part: &Subtree) -> Totals {
        let mut totals = Totals::default();
        for entry in part.entries() {
            totals = totals.plus(Totals::of_node(&entry.node));
        }
        totals
    }

    /// What one node counts for.
    pub fn of_node(node: &Node) -> Totals {
        if node.class != Class::Block {
            return Totals { nodes: 1, ..Totals::default() };
        }
        let bytes = node.content.map_or(0, |content| content.bytes);
        Totals { nodes: 1, blocks: 1, bytes, tokens: bytes.div_ceil(4) }
    }

    /// These and those.
    pub fn plus(self, other: Totals) -> Totals {
        Totals {
            nodes: self.nodes + other.nodes,
            blocks: self.blocks + other.blocks,
            bytes: self.bytes + other.bytes,
            tokens: self.tokens + other.tokens,
        }
    }

    /// These without those.
    pub fn minus(self, other: Totals) -> Totals {
        Totals {
            nodes: self.nodes.saturating_sub(other.nodes),
            blocks: self.blocks.saturating_sub(other.blocks),
            bytes: self.bytes.saturating_sub(other.bytes),
            tokens: self.tokens.saturating_sub(other.tokens),
        }
    }
}

/// Totals of the three regions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionTotals {
    /// Of `^sys`.
    pub sys: Totals,
    /// Of the turns.
    pub seq: Totals,
    /// Of `^ah`.
    pub ah: Totals,
}

impl RegionTotals {
    /// The totals that a policy for a region, or for the whole tree, looks at.
    pub fn of(&self, region: Option<Region>) -> Totals {
        match region {
            Some(Region::Sys) => self.sys,
            Some(Region::Seq) => self.seq,
            Some(Region::Ah) => self.ah,
            None => self.sys.plus(self.seq).plus(self.ah),
        }
    }

    /// What a policy's limits are held against: `^sys` and `^ah` are no nodes below a region.
    pub fn limited(&self, region: Option<Region>) -> Totals {
        let tops = match region {
            Some(Region::Sys | Region::Ah) => 1,
            Some(Region::Seq) => 0,
            None => 2,
        };
        self.of(region).minus(Totals { nodes: tops, ..Totals::default() })
    }
}
