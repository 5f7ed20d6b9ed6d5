//! Edits that happen together: one operation of a batch, and the batch.

use super::edit::{Add, Commit, Move, Remove, Set};
use super::request::request;
use crate::error::{Error, Result};
use crate::json::{Json, Map, from_json};
use crate::lifecycle::Policy;
use serde::de::{DeserializeOwned, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

request! {
    /// Sets the policies.
    pub struct PolicyRequest {} optional {
        /// The policies that are to be in force; an empty list means none. Without it nothing changes,
        /// which no batch needs.
        #[serde(deserialize_with = "policies")]
        set: Option<Vec<Policy>>,
    }
}

impl PolicyRequest {
    /// The request for a JSON list of policies.
    pub fn from_json(list: Json) -> Result<PolicyRequest> {
        read("policy", Map::from([("set".to_owned(), list)]))
    }
}

request! {
    /// Ends a cadence.
    pub struct EndCadence {
        /// Its key.
        end: String,
    }
}

/// An operation of a batch.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum EditOp {
    /// Adds a node.
    Add(Box<Add>),
    /// Sets headers.
    Set(Box<Set>),
    /// Moves nodes.
    Move(Move),
    /// Removes nodes.
    Remove(Remove),
    /// Sets the policies.
    Policy(PolicyRequest),
    /// Ends a cadence.
    Cadence(EndCadence),
    /// Closes the cycle; only as the last one.
    Commit(Commit),
}

/// Edits that happen together or not at all.
///
/// ```
/// use pactdb::{Add, Batch, Commit, Db, EditReply, Generation};
/// # let folder = tempfile::tempdir().unwrap();
/// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
/// let replies = db.batch(
///     Batch::new()
///         .then(Add::user("Where is the key?"))
///         .then(Add::assistant("Under the mat."))
///         .then(Commit::new())
///         .expecting(0),
/// )?;
/// assert!(matches!(&replies[2], EditReply::Commit(commit) if commit.cycle == 1));
/// # Ok::<(), pactdb::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Batch {
    /// The operations, in order.
    pub ops: Vec<EditOp>,
    /// The last cycle that the caller knows of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_cycle: Option<i64>,
}

impl EditOp {
    /// The operation of a JSON object with an `op`.
    pub fn from_json(value: Json) -> Result<EditOp> {
        let Json::Map(mut map) = value else {
            return Err(Error::request(format!(
                "an operation is an object with an 'op', not {}",
                value.type_name()
            )));
        };
        map.remove("rid");
        let Some(Json::Str(op)) = map.remove("op") else {
            return Err(Error::request("the operation needs an 'op', which is a string"));
        };
        Ok(match op.as_str() {
            "add" => EditOp::Add(read(&op, map)?),
            "set" => EditOp::Set(read(&op, map)?),
            "move" => EditOp::Move(read(&op, map)?),
            "remove" => EditOp::Remove(read(&op, map)?),
            "policy" if map.get("set").is_none_or(Json::is_null) => {
                return Err(Error::request("policy needs 'set'"));
            }
            "policy" => EditOp::Policy(read(&op, map)?),
            "cadence" => EditOp::Cadence(read(&op, map)?),
            "commit" => EditOp::Commit(read(&op, map)?),
            other => {
                let message = format!("'{other}' cannot be part of a batch: send it on its own");
                return Err(Error::request(message));
            }
        })
    }
}

impl Batch {
    /// The batch of a JSON object; an error names the operation that it is in.
    pub fn from_json(mut map: Map) -> Result<Batch> {
        let list = match map.remove("ops") {
            Some(Json::List(list)) => list,
            None | Some(Json::Null) => return Err(Error::request("batch needs 'ops'")),
            Some(_) => return Err(Error::request("'ops' must be a list of operations")),
        };
        let mut ops = Vec::with_capacity(list.len());
        for (i, op) in list.into_iter().enumerate() {
            ops.push(EditOp::from_json(op).map_err(|error| error.in_operation(i + 1))?);
        }
        let Rest { expected_cycle } = read("batch", map)?;
        Ok(Batch { ops, expected_cycle })
    }
}

/// What a batch has beside its operations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rest {
    expected_cycle: Option<i64>,
}

impl<'de> Deserialize<'de> for EditOp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<EditOp, D::Error> {
        EditOp::from_json(Json::deserialize(deserializer)?).map_err(in_words)
    }
}

impl<'de> Deserialize<'de> for Batch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Batch, D::Error> {
        Batch::from_json(Map::deserialize(deserializer)?).map_err(in_words)
    }
}

/// An error of ours for a deserializer that knows none.
pub(crate) fn in_words<E: serde::de::Error>(error: Error) -> E {
    E::custom(format!("{}: {}", error.code, error.message))
}

fn policies<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Vec<Policy>>, D::Error> {
    deserializer.deserialize_any(Policies)
}

struct Policies;

impl<'de> Visitor<'de> for Policies {
    type Value = Option<Vec<Policy>>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of policies; an empty one means none")
    }

    fn visit_unit<E>(self) -> std::result::Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(
        self,
        mut items: A,
    ) -> std::result::Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(policy) = items.next_element()? {
            list.push(policy);
        }
        Ok(Some(list))
    }
}

/// The request of an operation from its fields. Null means that a field is not there, except where
/// it removes or is a value of its own.
pub(crate) fn read<T: DeserializeOwned>(op: &str, mut map: Map) -> Result<T> {
    map.retain(|name, value| !value.is_null() || keeps_null(op, name));
    from_json(Json::Map(map)).map_err(|error| Error::in_request(op, error))
}

fn keeps_null(op: &str, name: &str) -> bool {
    match op {
        "set" => name != "target" && name != "attrs",
        "attempt" => name == "params",
        _ => false,
    }
}
