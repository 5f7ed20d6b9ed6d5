//! Edits as they are asked for: nodes are named by selectors in text.
//!
//! In Rust they are built by the constructors and setters of `build.rs`; as JSON they have the fields
//! of the operation protocol.

use super::absent;
use super::headers::{self, Headers};
use crate::error::{Error, Result};
use crate::json::{Json, Map, from_json, to_json};
use crate::model::settable;
use serde::{Deserialize, Serialize};

/// Adds a node.
///
/// ```
/// use pactdb::{Add, Db, Generation, Json};
/// # fn main() -> pactdb::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// // Who says what. It goes into the turn in progress, and stays.
/// db.add(Add::user("Where is the key?"))?;
/// // A tool's result that lives for two cycles.
/// db.add(Add::tool("Under the mat.").ttl(2).kind("result").tags(["search"]))?;
/// // A standing instruction, with an id and an attribute of our own.
/// db.add(Add::system("Be brief.").id("brief").attr("x:author", "ann"))?;
/// // A container after the turn's own, and a block in it.
/// db.add(Add::container().id("notes").offset(1))?;
/// db.add(Add::block("The door is green.").to("#notes"))?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
#[serde(default)]
pub struct Add {
    /// Where: a selector or a position; `^ah` if there is none. With `?` at its end it may match
    /// nothing, and then nothing happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Its type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub node_type: Option<String>,
    /// Whether it is a container, for types that do not say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<bool>,
    /// Its id; one is made if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Who speaks.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "absent::header")]
    pub role: Option<String>,
    /// What sort of thing it says.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "absent::header")]
    pub kind: Option<String>,
    /// The family that it is an instance of.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "absent::header")]
    pub key: Option<String>,
    /// Tags.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "absent::list")]
    pub tags: Vec<String>,
    /// Cycles to live.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<i64>,
    /// Cycles until it comes back.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "absent::header")]
    pub cad: Option<i64>,
    /// Its offset; 0 if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<i64>,
    /// Lower goes first when a policy prunes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i64>,
    /// A text or any other JSON value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Json>,
    /// Nodes that must stay while this one does.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "absent::list")]
    pub refs: Vec<String>,
    /// Never pruned.
    #[serde(skip_serializing_if = "std::ops::Not::not", deserialize_with = "absent::flag")]
    pub pinned: bool,
    /// A container that goes when it becomes empty.
    #[serde(skip_serializing_if = "std::ops::Not::not", deserialize_with = "absent::flag")]
    pub removable: bool,
    /// Who or what made it.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "absent::header")]
    pub provenance: Option<String>,
    /// The media type of its content.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "absent::header")]
    pub mime: Option<String>,
    /// How its content is encoded.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "absent::header")]
    pub encoding: Option<String>,
    /// Custom attributes.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub attrs: Map,
    /// When it was made; the clock if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at_ns: Option<i64>,
    /// Headers that have no field here.
    #[serde(flatten, deserialize_with = "headers::addable")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "headers::addable_schema"))]
    pub headers: Headers,
}

/// Sets headers of nodes. A field that is `None` leaves its header alone, `Some(None)` removes it.
///
/// ```
/// use pactdb::{Add, Db, Generation, Set};
/// # fn main() -> pactdb::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// db.add(Add::user("Where is teh key?").id("question").ttl(1))?;
/// let reply = db.set(Set::target("#question").content("Where is the key?").priority(5))?;
/// assert_eq!(reply.ids, ["question"]);
/// // Without a time to live it stays.
/// db.set(Set { ttl: Some(None), ..Set::target("#question") })?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Set {
    /// Which nodes.
    pub target: String,
    /// The content.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "absent::nullable"
    )]
    pub content: Option<Option<Json>>,
    /// Cycles to live, from the cycle in progress.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "absent::nullable"
    )]
    pub ttl: Option<Option<i64>>,
    /// The priority; removing it means 0.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "absent::nullable"
    )]
    pub priority: Option<Option<i64>>,
    /// The key.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "absent::nullable_header"
    )]
    pub key: Option<Option<String>>,
    /// The tags.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "absent::nullable_list"
    )]
    pub tags: Option<Vec<String>>,
    /// The cadence.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "absent::nullable_header"
    )]
    pub cad: Option<Option<i64>>,
    /// Whether it is pinned.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "absent::nullable_flag"
    )]
    pub pinned: Option<bool>,
    /// The references.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "absent::nullable_list"
    )]
    pub refs: Option<Vec<String>>,
    /// The media type.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "absent::nullable_header"
    )]
    pub mime: Option<Option<String>>,
    /// The encoding.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "absent::nullable_header"
    )]
    pub encoding: Option<Option<String>>,
    /// Custom attributes; null removes one.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub attrs: Map,
    /// Headers that have no field here; null removes one.
    #[serde(flatten, deserialize_with = "headers::settable")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "headers::settable_schema"))]
    pub headers: Headers,
}

impl Set {
    /// Removes a header instead of setting it.
    pub fn clear(&mut self, name: &str) -> Result<()> {
        let names: Vec<&str> = settable().iter().map(|row| row.name).collect();
        if !names.contains(&name) {
            let message = format!("--clear takes {}, not {name}", names.join(", "));
            return Err(Error::request(message));
        }
        // In JSON null removes a header, whatever the type of its field.
        let mut request = to_json(self)?;
        if let Json::Map(fields) = &mut request {
            fields.insert(name.to_owned(), Json::Null);
        }
        *self = from_json(request).map_err(|error| Error::in_request("set", error))?;
        Ok(())
    }
}

/// Moves nodes.
///
/// ```
/// use pactdb::{Add, Db, Generation, Move};
/// # fn main() -> pactdb::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// db.add(Add::container().id("notes"))?;
/// db.add(Add::block("The door is green.").id("door"))?;
/// assert_eq!(db.move_nodes(Move::new("#door", "#notes"))?.ids, ["door"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// Which nodes.
    pub target: String,
    /// Their new parent; with `?` at its end it may match nothing.
    pub to: String,
    /// Their new offset; each keeps its own if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<i64>,
    /// The time of a core that has to be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at_ns: Option<i64>,
}

/// Removes nodes with what is below them.
///
/// ```
/// use pactdb::{Add, Db, Generation, Remove};
/// # fn main() -> pactdb::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// db.add(Add::block("The key is a fish.").id("wrong"))?;
/// db.add(Add::block("As I said.").refs(["wrong"]))?;
/// assert!(db.remove(Remove::target("#wrong")).is_err(), "somebody refers to it");
/// assert_eq!(db.remove(Remove::target("#wrong").force())?.ids, ["wrong"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Remove {
    /// Which nodes.
    pub target: String,
    /// Also if others refer to them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

/// Closes the cycle in progress.
///
/// ```
/// use pactdb::{Add, Code, Commit, Db, Generation};
/// # fn main() -> pactdb::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// db.add(Add::tool("It rains.").id("weather").ttl(1))?;
/// assert_eq!(db.commit(Commit::new())?.cycle, 1);
/// // What would the next commit do?
/// assert_eq!(db.commit(Commit::new().dry_run())?.expired, ["weather"]);
/// // Only if nobody else committed since cycle 0: but we did.
/// let error = db.commit(Commit::new().expecting(0)).unwrap_err();
/// assert_eq!(error.code, Code::Conflict);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Commit {
    /// When; the clock if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at_ns: Option<i64>,
    /// The last cycle that the caller knows of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_cycle: Option<i64>,
    /// Whether only to say what would happen. Not in a batch.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}
