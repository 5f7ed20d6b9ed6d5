//! Edits as they are asked for: nodes are named by selectors in text.
//!
//! In Rust they are built by the constructors and setters of `build.rs`; as JSON they have the fields
//! of the operation protocol.

use super::absent;
use super::headers::{self, Headers};
use super::request::request;
use crate::error::{Error, Result};
use crate::json::{Json, Map, from_json, to_json};
use crate::model::settable;
use serde::{Deserialize, Serialize};

request! {
    /// Adds a node.
    ///
    /// ```
    /// use pactdb::{Add, Db, Generation, Json};
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
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub struct Add {} optional {
        /// Where: a selector or a position; `^ah` if there is none. With `?` at its end it may match
        /// nothing, and then nothing happens.
        to: Option<String>,
        /// Its type.
        #[serde(rename = "type")]
        node_type: Option<String>,
        /// Whether it is a container, for types that do not say so.
        container: Option<bool>,
        /// Its id; one is made if there is none.
        id: Option<String>,
        /// Who speaks.
        #[serde(deserialize_with = "absent::header")]
        role: Option<String>,
        /// What sort of thing it says.
        #[serde(deserialize_with = "absent::header")]
        kind: Option<String>,
        /// The family that it is an instance of.
        #[serde(deserialize_with = "absent::header")]
        key: Option<String>,
        /// Tags.
        #[serde(deserialize_with = "absent::list")]
        tags: Vec<String>,
        /// Cycles to live.
        ttl: Option<i64>,
        /// Cycles until it comes back.
        #[serde(deserialize_with = "absent::header")]
        cad: Option<i64>,
        /// Its offset; 0 if there is none.
        offset: Option<i64>,
        /// Lower goes first when a policy prunes.
        priority: Option<i64>,
        /// A text or any other JSON value.
        content: Option<Json>,
        /// Nodes that must stay while this one does.
        #[serde(deserialize_with = "absent::list")]
        refs: Vec<String>,
        /// Never pruned.
        #[serde(deserialize_with = "absent::flag")]
        pinned: bool,
        /// A container that goes when it becomes empty.
        #[serde(deserialize_with = "absent::flag")]
        removable: bool,
        /// Who or what made it.
        #[serde(deserialize_with = "absent::header")]
        provenance: Option<String>,
        /// The media type of its content.
        #[serde(deserialize_with = "absent::header")]
        mime: Option<String>,
        /// How its content is encoded.
        #[serde(deserialize_with = "absent::header")]
        encoding: Option<String>,
        /// Custom attributes.
        attrs: Map,
        /// When it was made; the clock if there is none.
        created_at_ns: Option<i64>,
    } flatten {
        /// Headers that have no field here.
        #[serde(deserialize_with = "headers::addable")]
        #[cfg_attr(feature = "schema", schemars(schema_with = "headers::addable_schema"))]
        headers: Headers,
    }

    /// Sets headers of nodes. A field that is `None` leaves its header alone, `Some(None)` removes it.
    ///
    /// ```
    /// use pactdb::{Add, Db, Generation, Set};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::user("Where is teh key?").id("question").ttl(1))?;
    /// let reply = db.set(Set::target("#question").content("Where is the key?").priority(5))?;
    /// assert_eq!(reply.ids, ["question"]);
    /// // Without a time to live it stays.
    /// db.set(Set { ttl: Some(None), ..Set::target("#question") })?;
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub struct Set {
        /// Which nodes.
        target: String,
    } optional {
        /// The content.
        #[serde(deserialize_with = "absent::nullable")]
        content: Option<Option<Json>>,
        /// Cycles to live, from the cycle in progress.
        #[serde(deserialize_with = "absent::nullable")]
        ttl: Option<Option<i64>>,
        /// The priority; removing it means 0.
        #[serde(deserialize_with = "absent::nullable")]
        priority: Option<Option<i64>>,
        /// The key.
        #[serde(deserialize_with = "absent::nullable_header")]
        key: Option<Option<String>>,
        /// The tags.
        #[serde(deserialize_with = "absent::nullable_list")]
        tags: Option<Vec<String>>,
        /// The cadence.
        #[serde(deserialize_with = "absent::nullable_header")]
        cad: Option<Option<i64>>,
        /// Whether it is pinned.
        #[serde(deserialize_with = "absent::nullable_flag")]
        pinned: Option<bool>,
        /// The references.
        #[serde(deserialize_with = "absent::nullable_list")]
        refs: Option<Vec<String>>,
        /// The media type.
        #[serde(deserialize_with = "absent::nullable_header")]
        mime: Option<Option<String>>,
        /// The encoding.
        #[serde(deserialize_with = "absent::nullable_header")]
        encoding: Option<Option<String>>,
        /// Custom attributes; null removes one.
        attrs: Map,
    } flatten {
        /// Headers that have no field here; null removes one.
        #[serde(deserialize_with = "headers::settable")]
        #[cfg_attr(feature = "schema", schemars(schema_with = "headers::settable_schema"))]
        headers: Headers,
    }
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

request! {
    /// Moves nodes.
    ///
    /// ```
    /// use pactdb::{Add, Db, Generation, Move};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::container().id("notes"))?;
    /// db.add(Add::block("The door is green.").id("door"))?;
    /// assert_eq!(db.move_nodes(Move::new("#door", "#notes"))?.ids, ["door"]);
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub struct Move {
        /// Which nodes.
        target: String,
        /// Their new parent; with `?` at its end it may match nothing.
        to: String,
    } optional {
        /// Their new offset; each keeps its own if there is none.
        offset: Option<i64>,
        /// The time of a core that has to be made.
        created_at_ns: Option<i64>,
    }

    /// Removes nodes with what is below them.
    ///
    /// ```
    /// use pactdb::{Add, Db, Generation, Remove};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::block("The key is a fish.").id("wrong"))?;
    /// db.add(Add::block("As I said.").refs(["wrong"]))?;
    /// assert!(db.remove(Remove::target("#wrong")).is_err(), "somebody refers to it");
    /// assert_eq!(db.remove(Remove::target("#wrong").force())?.ids, ["wrong"]);
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub struct Remove {
        /// Which nodes.
        target: String,
    } optional {
        /// Also if others refer to them.
        force: bool,
    }
}

/// Closes the cycle in progress.
///
/// ```
/// use pactdb::{Add, Code, Commit, Db, Generation};
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// db.add(Add::tool("It rains.").id("weather").ttl(1))?;
/// assert_eq!(db.commit(Commit::new())?.cycle, 1);
/// // What would the next commit do?
/// assert_eq!(db.commit(Commit::new().dry_run())?.expired, ["weather"]);
/// // Only if nobody else committed since cycle 0: but we did.
/// let error = db.commit(Commit::new().expecting(0)).unwrap_err();
/// assert_eq!(error.code, Code::Conflict);
/// # Ok::<(), pactdb::Error>(())
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
    /// The last event that the caller knows of: with a newer one of somebody else's nothing happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_event: Option<i64>,
    /// Whether only to say what would happen. Not in a batch.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}
