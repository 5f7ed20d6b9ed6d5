//! The table of operations: the name of each, its request and what it answers.

use super::exact::Exact;
use super::replies::{
    Attempts, BatchReply, Compacted, Completed, Difference, Dumped, Formatted, Imported, Replayed,
    Selection, StateReply, WatchedUntil,
};
use super::reply::Body;
use super::requests::{
    CheckSent, Compact, Compare, Complete, Details, Dump, Explain, Export, Fmt, GetStats, Import,
    Life, Nodes, Rebuild, Redact, Replay, Sql, State, Thread, Timeline, Tree, Undo, Verify, Watch,
};
use crate::db::{
    Add, AttemptRequest, Batch, Commit, CommitReply, Diff, EndCadence, IdReply, IdsReply, KeyReply,
    Log, LogEntry, Move, PolicyRequest, Remove, Restore, Select, Set, Stats, TimelineReply,
    UndoReply, in_words, read,
};
use crate::error::{Error, Result};
use crate::json::{Json, Map, from_json, to_json};
use crate::lifecycle::Policy;
use crate::query::Explanation;
use crate::session::{Comparison, Moment, SameThread, Scanned};
use crate::sql::SqlReply;
use crate::store::Verified;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

/// A request of one operation.
pub trait Operation: Into<Request> + Serialize + DeserializeOwned {
    /// Its name, the `op` of a request.
    const NAME: &'static str;

    /// What it answers.
    type Reply: Serialize + DeserializeOwned;

    /// The answer as it is sent.
    fn body(reply: Self::Reply) -> Result<Body> {
        Ok(Body::Value(to_json(&reply)?))
    }

    /// The answer as it was sent.
    fn reply(body: Body) -> Result<Self::Reply> {
        from_json(body.into_json()?).map_err(|error| {
            Error::request(format!("the answer to {} cannot be read: {error}", Self::NAME))
        })
    }
}

macro_rules! operations {
    ($($name:literal $variant:ident($request:ty) -> $reply:ty $({ $($special:item)* })?;)*) => {
        /// A request: one of the operations.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(tag = "op")]
        pub enum Request {
            $(
                #[doc = concat!("`", $name, "`")]
                #[serde(rename = $name)]
                $variant(Box<$request>),
            )*
        }

        impl Request {
            /// The names of all operations.
            pub const NAMES: &'static [&'static str] = &[$($name,)*];

            /// Its name.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Request::$variant(_) => $name,)*
                }
            }

            fn of(op: &str, map: Map) -> Result<Request> {
                if op == Batch::NAME {
                    return Ok(Batch::from_json(map)?.into());
                }
                match op {
                    $($name => Ok(read::<$request>(op, map)?.into()),)*
                    other => Err(unknown(other)),
                }
            }
        }

        $(
            impl From<$request> for Request {
                fn from(request: $request) -> Request {
                    Request::$variant(Box::new(request))
                }
            }

            impl Operation for $request {
                const NAME: &'static str = $name;
                type Reply = $reply;
                $($($special)*)?
            }
        )*

        /// Runs each operation as its own type says.
        macro_rules! each_operation {
            ($given:expr, $one:ident => $run:expr) => {
                match $given {
                    $(Request::$variant($one) => $run,)*
                }
            };
        }
        pub(super) use each_operation;

        /// The schemas of what is asked and answered, by the name of the operation.
        #[cfg(feature = "schema")]
        pub(super) fn schemas(
            generator: &mut schemars::SchemaGenerator,
        ) -> Vec<(&'static str, schemars::Schema, schemars::Schema)> {
            vec![$((
                $name,
                generator.subschema_for::<$request>(),
                generator.subschema_for::<$reply>(),
            ),)*]
        }
    };
}

/// What an answer whose bytes are fixed does with them.
macro_rules! exact {
    () => {
        fn body(reply: Exact) -> Result<Body> {
            Ok(Body::Exact(reply.0))
        }

        fn reply(body: Body) -> Result<Exact> {
            Ok(Exact(body.into_text()?))
        }
    };
}

operations! {
    "add" Add(Add) -> IdReply;
    "set" Set(Set) -> IdsReply;
    "move" Move(Move) -> IdsReply;
    "remove" Remove(Remove) -> IdsReply;
    "commit" Commit(Commit) -> CommitReply;
    "batch" Batch(Batch) -> BatchReply;
    "policy" Policy(PolicyRequest) -> Vec<Policy>;
    "cadence" Cadence(EndCadence) -> KeyReply;
    "undo" Undo(Undo) -> UndoReply;
    "restore" Restore(Restore) -> CommitReply;
    "attempt" Attempt(AttemptRequest) -> Attempts;
    "import" Import(Import) -> Imported;
    "export" Export(Export) -> Exact { exact!(); };
    "thread" Thread(Thread) -> Exact { exact!(); };
    "select" Select(Select) -> Selection;
    "nodes" Nodes(Nodes) -> Vec<Map> {
        // They are values already.
        fn body(reply: Vec<Map>) -> Result<Body> {
            Ok(Body::Value(Json::List(reply.into_iter().map(Json::Map).collect())))
        }
    };
    "diff" Diff(Diff) -> Difference;
    "explain" Explain(Explain) -> Explanation;
    "log" Log(Log) -> Vec<LogEntry>;
    "stats" Stats(GetStats) -> Stats;
    "verify" Verify(Verify) -> Verified;
    "tree" Tree(Tree) -> Exact { exact!(); };
    "details" Details(Details) -> Vec<Option<Map>>;
    "state" State(State) -> StateReply;
    "compare" Compare(Compare) -> Comparison;
    "check" Check(CheckSent) -> SameThread;
    "replay" Replay(Replay) -> Replayed;
    "watch" Watch(Watch) -> WatchedUntil;
    "life" Life(Life) -> Vec<Moment>;
    "dump" Dump(Dump) -> Dumped;
    "compact" Compact(Compact) -> Compacted;
    "rebuild" Rebuild(Rebuild) -> Verified;
    "redact" Redact(Redact) -> Scanned;
    "complete" Complete(Complete) -> Completed;
    "sql" Sql(Sql) -> SqlReply;
    "timeline" Timeline(Timeline) -> TimelineReply;
    "fmt" Fmt(Fmt) -> Formatted;
}

impl Request {
    /// The request of a JSON object with an `op`. What belongs to its envelope is not part of it.
    pub fn from_json(value: Json) -> Result<Request> {
        let Json::Map(mut map) = value else {
            return Err(Error::request(format!(
                "a request is an object with an 'op', not {}",
                value.type_name()
            )));
        };
        let op = match map.remove("op") {
            Some(Json::Str(op)) => op,
            Some(other) => {
                let message = format!("'op' must be a string, not {}", other.type_name());
                return Err(Error::request(message));
            }
            None => return Err(Error::request("the request needs an 'op'")),
        };
        Request::of(&op, map)
    }

    /// Whether it changes nothing in the store.
    pub fn only_reads(&self) -> bool {
        match self {
            Request::Commit(request) => request.dry_run,
            Request::Policy(request) => request.set.is_none(),
            Request::Attempt(request) => request.action == crate::db::AttemptAction::List,
            Request::Add(_)
            | Request::Set(_)
            | Request::Move(_)
            | Request::Remove(_)
            | Request::Batch(_)
            | Request::Cadence(_)
            | Request::Undo(_)
            | Request::Restore(_)
            | Request::Import(_)
            | Request::Compact(_)
            | Request::Rebuild(_) => false,
            _ => true,
        }
    }

    /// Whether the very bytes of its answer are fixed.
    pub fn is_exact(&self) -> bool {
        matches!(self, Request::Export(_) | Request::Thread(_) | Request::Tree(_))
    }
}

impl<'de> Deserialize<'de> for Request {
    fn deserialize<D: Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Request, D::Error> {
        Request::from_json(Json::deserialize(deserializer)?).map_err(in_words)
    }
}

fn unknown(name: &str) -> Error {
    let known = match Request::NAMES {
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
        [] => String::new(),
    };
    Error::request(format!("there is no operation '{name}': there are {known}"))
}
