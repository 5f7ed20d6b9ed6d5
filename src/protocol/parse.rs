//! Requests from JSON objects.

use super::fields::{Fields, count, flag, int, object, text, texts};
use crate::change::AttemptStatus;
use crate::code::Code;
use crate::db::{
    AddRequest, AttemptAction, AttemptRequest, BatchRequest, CommitRequest, DiffRequest, EditOp,
    LogRequest, MoveRequest, RemoveRequest, RestoreRequest, SetRequest,
};
use crate::error::{Error, Result};
use crate::json::{Json, Map};
use crate::language::Dialect;
use crate::lifecycle::{Policy, Region};
use crate::query::SelectOptions;
use crate::session::{ThreadFormat, ThreadRequest};
use crate::snapshot::params_hash;
use serde::{Deserialize, Deserializer};

/// An operation.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// `add`, `set`, `move`, `remove`, `commit`, `cadence`, and a `policy` that is set.
    Edit(EditOp),
    /// `batch`
    Batch(BatchRequest),
    /// `policy` without `set`.
    Policies,
    /// `undo`
    Undo,
    /// `restore`
    Restore(RestoreRequest),
    /// `attempt`
    Attempt {
        /// What to do.
        request: Box<AttemptRequest>,
        /// The format of the thread whose hash is kept when it starts.
        format: Option<ThreadFormat>,
    },
    /// `export`
    Export(At),
    /// `thread`
    Thread {
        /// Which state.
        at: At,
        /// In which form.
        request: ThreadRequest,
    },
    /// `import` of a snapshot.
    ImportSnapshot(Json),
    /// `import` of messages.
    ImportMessages {
        /// The messages.
        messages: Vec<Json>,
        /// The time of the first node.
        created_at_ns: Option<i64>,
    },
    /// `select`
    Select(Question),
    /// `nodes`
    Nodes(Question),
    /// `diff`
    Diff(DiffRequest),
    /// `explain`
    Explain(Question),
    /// `log`
    Log(LogRequest),
    /// `stats`
    Stats,
    /// `verify`
    Verify,
}

impl<'de> Deserialize<'de> for Op {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Op, D::Error> {
        parse_request(Json::deserialize(deserializer)?)
            .map_err(|error| serde::de::Error::custom(format!("{}: {}", error.code, error.message)))
    }
}

/// The state that an operation reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// The working state.
    Working,
    /// That of a time address.
    Time(String),
    /// That in which an attempt was started.
    Attempt(String),
}

/// A selector, and how to read and answer it.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The selector.
    pub q: String,
    /// Its dialect; the store's own if there is none.
    pub dialect: Option<Dialect>,
    /// Options of the answer.
    pub options: SelectOptions,
}

/// What a request can ask for, for a message.
const OPERATIONS: &str = "add, set, move, remove, commit, batch, policy, cadence, undo, restore, \
                          attempt, import, export, thread, select, nodes, diff, \
                          explain, log, stats and verify";

/// Headers that no operation can set.
const FIXED: [&str; 16] = [
    "id",
    "nodeType",
    "type",
    "cycle",
    "created_at_ns",
    "created_at_iso",
    "creation_index",
    "role",
    "kind",
    "removable",
    "offset",
    "parent",
    "content_hash",
    "provenance",
    "children",
    "container",
];

/// Reads a request. A `rid` is not part of it.
pub fn parse_request(request: Json) -> Result<Op> {
    let Json::Map(mut map) = request else {
        return Err(Error::request(format!(
            "a request is an object with an 'op', not {}",
            request.type_name()
        )));
    };
    map.remove("rid");
    let op = match map.remove("op") {
        Some(Json::Str(op)) => op,
        Some(other) => {
            return Err(Error::request(format!(
                "'op' must be a string, not {}",
                other.type_name()
            )));
        }
        None => return Err(Error::request("the request needs an 'op'")),
    };
    let mut fields = Fields::new(&op, map);
    let parsed = parse_op(&op, &mut fields)?;
    fields.finish()?;
    Ok(parsed)
}

fn parse_op(op: &str, fields: &mut Fields) -> Result<Op> {
    Ok(match op {
        "add" | "set" | "move" | "remove" | "commit" | "cadence" => {
            Op::Edit(parse_edit(op, fields)?)
        }
        "policy" => match fields.take("set") {
            Some(list) => Op::Edit(EditOp::Policy(policies(list)?)),
            None => Op::Policies,
        },
        "batch" => Op::Batch(batch(fields)?),
        "undo" => Op::Undo,
        "restore" => Op::Restore(RestoreRequest {
            at: text("at", fields.required("at")?)?,
            discard: fields.switch("discard")?,
        }),
        "attempt" => {
            let request = Box::new(attempt(fields)?);
            let format = match request.action {
                AttemptAction::Start => thread_format(fields)?,
                _ => None,
            };
            Op::Attempt { request, format }
        }
        "export" => Op::Export(address(fields)?),
        "thread" => Op::Thread {
            at: address(fields)?,
            request: ThreadRequest {
                format: thread_format(fields)?.unwrap_or_default(),
                strict: fields.switch("strict")?,
                drop_unpaired: fields.switch("drop_unpaired")?,
            },
        },
        "import" => import(fields)?,
        "select" => Op::Select(question(fields, true)?),
        "nodes" => Op::Nodes(question(fields, true)?),
        "explain" => Op::Explain(question(fields, false)?),
        "diff" => Op::Diff(DiffRequest {
            a: fields.take("a").map(|v| text("a", v)).transpose()?,
            b: fields.take("b").map(|v| text("b", v)).transpose()?,
            q: fields.take("q").map(|v| text("q", v)).transpose()?,
            rich: fields.switch("rich")?,
            dialect: dialect(fields)?,
        }),
        "log" => Op::Log(log(fields)?),
        "stats" => Op::Stats,
        "verify" => Op::Verify,
        other => {
            let message = format!("there is no operation '{other}': there are {OPERATIONS}");
            return Err(Error::request(message));
        }
    })
}

fn thread_format(fields: &mut Fields) -> Result<Option<ThreadFormat>> {
    let Some(name) = fields.take("format") else { return Ok(None) };
    let name = text("format", name)?;
    ThreadFormat::from_name(&name).map(Some).ok_or_else(|| {
        let known = ThreadFormat::ALL.map(ThreadFormat::name).join(", ");
        Error::request(format!("a thread's 'format' is one of {known}, not {name}"))
    })
}

fn log(fields: &mut Fields) -> Result<LogRequest> {
    Ok(LogRequest {
        from: fields.take("from").map(|v| count("from", v)).transpose()?,
        limit: fields.take("limit").map(|v| count("limit", v)).transpose()?,
        cycle: fields.take("cycle").map(|v| count("cycle", v)).transpose()?,
        kind: fields.take("kind").map(|v| text("kind", v)).transpose()?,
        node: fields.take("node").map(|v| text("node", v)).transpose()?,
        newest_first: fields.switch("newest_first")?,
    })
}

fn question(fields: &mut Fields, with_options: bool) -> Result<Question> {
    let options = match with_options.then(|| fields.take("options")).flatten() {
        None => SelectOptions::default(),
        Some(value) => {
            let invalid = |error: serde_json::Error| Error::request(format!("'options': {error}"));
            let value = serde_json::to_value(value).map_err(invalid)?;
            serde_json::from_value(value).map_err(invalid)?
        }
    };
    Ok(Question { q: text("q", fields.required("q")?)?, dialect: dialect(fields)?, options })
}

fn dialect(fields: &mut Fields) -> Result<Option<Dialect>> {
    let Some(name) = fields.take("dialect") else { return Ok(None) };
    let name = text("dialect", name)?;
    name.parse()
        .map(Some)
        .map_err(|_| Error::request(format!("a dialect is \"0.1\" or \"1.0\", not \"{name}\"")))
}

fn address(fields: &mut Fields) -> Result<At> {
    let mut name = |name: &str| fields.take(name).map(|value| text(name, value)).transpose();
    match (name("at")?, name("attempt")?) {
        (None, None) => Ok(At::Working),
        (Some(time), None) => Ok(At::Time(time)),
        (None, Some(id)) => Ok(At::Attempt(id)),
        (Some(_), Some(_)) => {
            Err(Error::request("'at' and 'attempt' both name the state: give one of them"))
        }
    }
}

fn parse_edit(op: &str, fields: &mut Fields) -> Result<EditOp> {
    Ok(match op {
        "add" => EditOp::Add(Box::new(add(fields)?)),
        "set" => EditOp::Set(Box::new(set(fields)?)),
        "move" => EditOp::Move(MoveRequest {
            target: text("target", fields.required("target")?)?,
            to: text("to", fields.required("to")?)?,
            offset: fields.take("offset").map(|v| int("offset", v)).transpose()?,
            created_at_ns: time(fields)?,
        }),
        "remove" => EditOp::Remove(RemoveRequest {
            target: text("target", fields.required("target")?)?,
            force: fields.switch("force")?,
        }),
        "commit" => EditOp::Commit(CommitRequest {
            created_at_ns: time(fields)?,
            expected_cycle: expected_cycle(fields)?,
            dry_run: fields.switch("dry_run")?,
        }),
        "cadence" => EditOp::EndCadence(text("end", fields.required("end")?)?),
        "policy" => EditOp::Policy(policies(fields.required("set")?)?),
        other => {
            return Err(Error::request(format!(
                "'{other}' cannot be part of a batch: send it on its own"
            )));
        }
    })
}

fn time(fields: &mut Fields) -> Result<Option<i64>> {
    fields.take("created_at_ns").map(|value| int("created_at_ns", value)).transpose()
}

fn expected_cycle(fields: &mut Fields) -> Result<Option<i64>> {
    fields.take("expected_cycle").map(|value| int("expected_cycle", value)).transpose()
}

fn add(fields: &mut Fields) -> Result<AddRequest> {
    let mut header = |name: &str| fields.header(name).map(|value| text(name, value)).transpose();
    let (role, kind, key) = (header("role")?, header("kind")?, header("key")?);
    let (provenance, mime) = (header("provenance")?, header("mime")?);
    let encoding = header("encoding")?;
    Ok(AddRequest {
        role,
        kind,
        key,
        provenance,
        mime,
        encoding,
        to: fields.take("to").map(|v| text("to", v)).transpose()?,
        node_type: fields.take("type").map(|v| text("type", v)).transpose()?,
        container: fields.take("container").map(|v| flag("container", v)).transpose()?,
        id: fields.take("id").map(|v| text("id", v)).transpose()?,
        tags: fields.header("tags").map(|v| texts("tags", v)).transpose()?.unwrap_or_default(),
        ttl: fields.take("ttl").map(|v| int("ttl", v)).transpose()?,
        cad: fields.header("cad").map(|v| int("cad", v)).transpose()?,
        offset: fields.take("offset").map(|v| int("offset", v)).transpose()?,
        priority: fields.take("priority").map(|v| int("priority", v)).transpose()?,
        content: fields.take("content"),
        refs: fields.header("refs").map(|v| texts("refs", v)).transpose()?.unwrap_or_default(),
        pinned: fields.header("pinned").map(|v| flag("pinned", v)).transpose()?.unwrap_or(false),
        removable: fields
            .header("removable")
            .map(|v| flag("removable", v))
            .transpose()?
            .unwrap_or(false),
        attrs: attrs(fields)?,
        created_at_ns: time(fields)?,
    })
}

fn attrs(fields: &mut Fields) -> Result<Map> {
    Ok(fields.take("attrs").map(|value| object("attrs", value)).transpose()?.unwrap_or_default())
}

fn set(fields: &mut Fields) -> Result<SetRequest> {
    let request = SetRequest {
        target: text("target", fields.required("target")?)?,
        content: fields.take_nullable("content"),
        ttl: nullable(fields.take_nullable("ttl"), |value| int("ttl", value))?,
        priority: nullable(fields.take_nullable("priority"), |value| int("priority", value))?,
        key: nullable(fields.header_nullable("key"), |value| text("key", value))?,
        tags: nullable(fields.header_nullable("tags"), |value| texts("tags", value))?
            .map(Option::unwrap_or_default),
        cad: nullable(fields.header_nullable("cad"), |value| int("cad", value))?,
        pinned: nullable(fields.header_nullable("pinned"), |value| flag("pinned", value))?
            .map(Option::unwrap_or_default),
        refs: nullable(fields.header_nullable("refs"), |value| texts("refs", value))?
            .map(Option::unwrap_or_default),
        mime: nullable(fields.header_nullable("mime"), |value| text("mime", value))?,
        encoding: nullable(fields.header_nullable("encoding"), |value| text("encoding", value))?,
        attrs: attrs(fields)?,
    };
    match fields.names().find(|name| FIXED.contains(name)) {
        Some(name) => Err(Error::new(
            Code::AttrReserved,
            format!("'{name}' is fixed when a node is made; a move changes parent and offset"),
        )),
        None => Ok(request),
    }
}

fn nullable<T>(
    value: Option<Option<Json>>,
    read: impl Fn(Json) -> Result<T>,
) -> Result<Option<Option<T>>> {
    value.map(|value| value.map(&read).transpose()).transpose()
}

fn batch(fields: &mut Fields) -> Result<BatchRequest> {
    let Json::List(list) = fields.required("ops")? else {
        return Err(Error::request("'ops' must be a list of operations"));
    };
    let mut ops = Vec::with_capacity(list.len());
    for (i, op) in list.into_iter().enumerate() {
        ops.push(batch_op(op).map_err(|error| error.in_operation(i + 1))?);
    }
    Ok(BatchRequest { ops, expected_cycle: expected_cycle(fields)? })
}

fn batch_op(op: Json) -> Result<EditOp> {
    let Json::Map(mut map) = op else {
        return Err(Error::request(format!(
            "an operation is an object with an 'op', not {}",
            op.type_name()
        )));
    };
    map.remove("rid");
    let Some(Json::Str(name)) = map.remove("op") else {
        return Err(Error::request("the operation needs an 'op', which is a string"));
    };
    let mut fields = Fields::new(&name, map);
    let parsed = parse_edit(&name, &mut fields)?;
    fields.finish()?;
    Ok(parsed)
}

fn policies(list: Json) -> Result<Vec<Policy>> {
    let Json::List(list) = list else {
        let message = "'set' must be a list of policies; an empty one means none";
        return Err(Error::new(Code::AttrInvalid, message));
    };
    list.into_iter().map(policy).collect()
}

fn policy(value: Json) -> Result<Policy> {
    let mut fields = Fields::new("a policy", object("set", value)?);
    let mut limit = |name: &str| fields.take(name).map(|value| count(name, value)).transpose();
    let policy = Policy {
        max_blocks: limit("max_blocks")?,
        max_bytes: limit("max_bytes")?,
        max_tokens: limit("max_tokens")?,
        protect_recent_turns: limit("protect_recent_turns")?,
        region: match fields.take("region").map(|value| text("region", value)).transpose()? {
            None => None,
            Some(region) => Some(match region.as_str() {
                "^sys" => Region::Sys,
                "^seq" => Region::Seq,
                "^ah" => Region::Ah,
                other => {
                    let message =
                        format!("a policy is for ^sys, ^seq or ^ah, or has no region: not {other}");
                    return Err(Error::new(Code::AttrInvalid, message));
                }
            }),
        },
    };
    fields.finish()?;
    Ok(policy)
}

fn attempt(fields: &mut Fields) -> Result<AttemptRequest> {
    let action = match text("action", fields.required("action")?)?.as_str() {
        "start" => AttemptAction::Start,
        "finish" => AttemptAction::Finish,
        "list" => AttemptAction::List,
        other => {
            return Err(Error::request(format!(
                "an attempt can start, finish or list, not {other}"
            )));
        }
    };
    let status = match fields.take("status").map(|v| text("status", v)).transpose()?.as_deref() {
        None => None,
        Some("running") => Some(AttemptStatus::Running),
        Some("completed") => Some(AttemptStatus::Completed),
        Some("canceled") => Some(AttemptStatus::Canceled),
        Some("error") => Some(AttemptStatus::Error),
        Some(other) => {
            let message = format!("a status is completed, canceled or error, not {other}");
            return Err(Error::new(Code::AttrInvalid, message));
        }
    };
    let mut field = |name: &str| fields.take(name).map(|value| text(name, value)).transpose();
    let mut request = AttemptRequest::new(action);
    request.status = status;
    request.attempt_id = field("attempt_id")?;
    request.provider = field("provider")?;
    request.model = field("model")?;
    request.params_hash = field("params_hash")?;
    request.error = field("error")?;
    if request.action == AttemptAction::Start
        && let Some(params) = fields.take_nullable("params")
    {
        if request.params_hash.is_some() {
            return Err(Error::request("'params' are hashed: leave 'params_hash' out"));
        }
        request.params_hash = Some(params_hash(&params.unwrap_or(Json::Null)));
    }
    request.started_at = fields.take("started_at").map(|v| int("started_at", v)).transpose()?;
    request.ended_at = fields.take("ended_at").map(|v| int("ended_at", v)).transpose()?;
    request.token_in = fields.take("token_in").map(|v| count("token_in", v)).transpose()?;
    request.token_out = fields.take("token_out").map(|v| count("token_out", v)).transpose()?;
    if request.action == AttemptAction::List {
        // Records call it `cycle_id`; both names find them.
        let cycle = fields.take("cycle_id").or(fields.take("cycle"));
        request.cycle = cycle.map(|v| count("cycle_id", v)).transpose()?;
    }
    Ok(request)
}

fn import(fields: &mut Fields) -> Result<Op> {
    match (fields.take("snapshot"), fields.take("messages")) {
        (Some(snapshot), None) => Ok(Op::ImportSnapshot(snapshot)),
        (None, Some(Json::List(messages))) => {
            Ok(Op::ImportMessages { messages, created_at_ns: time(fields)? })
        }
        (None, Some(other)) => {
            Err(Error::request(format!("'messages' must be a list, not {}", other.type_name())))
        }
        _ => Err(Error::request("import needs one of 'snapshot' and 'messages'")),
    }
}
