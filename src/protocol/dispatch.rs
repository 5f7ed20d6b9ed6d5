//! The one dispatcher: each operation, and what of the store answers it.

use super::call::Call;
use super::complete::complete;
use super::envelope::Envelope;
use super::exact::Exact;
use super::operation::{Operation, Request, each_operation};
use super::replies::{
    Attempts, BatchReply, Compacted, Completed, Difference, Dumped, Formatted, Imported, Replayed,
    Selection, StateReply, WatchedUntil,
};
use super::reply::{Body, Reply, Sink};
use super::requests::{
    CheckSent, Compact, Compare, Complete, Details, Dump, Explain, Export, Fmt, GetStats, Import,
    Life, Nodes, Rebuild, Redact, Replay, Sql, State, Thread, Timeline, Tree, Undo, Verify, Watch,
};
use super::{run_session, states};
use crate::db::{
    Add, AttemptAction, AttemptRequest, Batch, Commit, CommitReply, Db, Diff, EndCadence, IdReply,
    IdsReply, KeyReply, Log, LogEntry, Move, PolicyRequest, Remove, Restore, Select, Set, Stats,
    TimelineReply, UndoReply,
};
use crate::error::{Error, Result};
use crate::json::{Json, Map, to_json};
use crate::language::{Rewritten, rewrite};
use crate::lifecycle::Policy;
use crate::query::{DiffBlock, Explanation, Selected};
use crate::session::{self, Comparison, Moment, SameThread, Scanned, ThreadRequest};
use crate::sql::{self, SqlReply};
use crate::store::{Packed, Verified};

/// Answers one request as it came; nothing is told before the reply.
pub fn handle(db: &Db, request: Json) -> Reply {
    let rid = match &request {
        Json::Map(map) => map.get("rid").cloned(),
        _ => None,
    };
    match Envelope::from_json(request) {
        Ok(envelope) => respond(db, Envelope { stream: false, ..envelope }, &mut |_| Ok(())),
        Err(error) => Reply::refused(rid, error),
    }
}

/// Answers one operation; nothing is told before the reply.
pub fn answer(db: &Db, request: impl Into<Request>) -> Reply {
    respond(db, Envelope::new(request), &mut |_| Ok(()))
}

/// Answers one request, in the time that it brings. What is told before the reply goes to the sink if
/// the request streams.
pub(super) fn respond(db: &Db, envelope: Envelope, sink: Sink<'_>) -> Reply {
    let budget = envelope.budget();
    let Envelope { rid, stream, request, .. } = envelope;
    let mut call = Call::new(db, stream, sink);
    let result = budget.run(|| each_operation!(request, one => run(*one, &mut call)));
    Reply { rid, result, warnings: call.warnings }
}

fn run<O: Run>(operation: O, call: &mut Call<'_>) -> Result<Body> {
    O::body(operation.run(call)?)
}

/// How an operation is answered.
pub(super) trait Run: Operation {
    fn run(self, call: &mut Call<'_>) -> Result<Self::Reply>;
}

macro_rules! run {
    ($($request:ty => $reply:ty: |$me:pat_param, $call:ident| $body:expr;)*) => {$(
        impl Run for $request {
            fn run(self, $call: &mut Call<'_>) -> Result<$reply> {
                let $me = self;
                $body
            }
        }
    )*};
}

run! {
    Add => IdReply: |request, call| call.db.add(request);
    Set => IdsReply: |request, call| call.db.set(request);
    Move => IdsReply: |request, call| call.db.move_nodes(request);
    Remove => IdsReply: |request, call| call.db.remove(request);
    Commit => CommitReply: |request, call| call.db.commit(request);
    Batch => BatchReply: |request, call| {
        Ok(BatchReply { results: call.db.batch(request)? })
    };
    PolicyRequest => Vec<Policy>: |request, call| match request.set {
        Some(policies) => call.db.set_policies(policies),
        None => Ok(call.db.policies()),
    };
    EndCadence => KeyReply: |request, call| call.db.end_cadence(request.end);
    Undo => UndoReply: |request, call| call.db.undo_expecting(request.expected_event);
    Restore => CommitReply: |request, call| call.db.restore(request);
    AttemptRequest => Attempts: |request, call| {
        let list = request.action == AttemptAction::List;
        let (mut attempts, said) = session::attempt(call.db, request)?;
        call.warnings.extend(said);
        Ok(match attempts.pop() {
            Some(attempt) if !list => Attempts::One(Box::new(attempt)),
            last => {
                attempts.extend(last);
                Attempts::List(attempts)
            }
        })
    };
    Import => Imported: |request, call| run_session::import(request, call);
    Export => Exact: |request, call| {
        let Export { at, attempt, dialect, .. } = &request;
        if attempt.is_none() && let Some(cycles) = states::several(call.db, &request)? {
            return states::export_several(cycles, call);
        }
        let state = states::named(call.db, at.as_deref(), attempt.as_deref(), *dialect)?;
        Ok(Exact(state.export()?))
    };
    Thread => Exact: |request, call| {
        let Thread { at, attempt, format, strict, drop_unpaired, dialect } = request;
        let state = states::named(call.db, at.as_deref(), attempt.as_deref(), dialect)?;
        let format = format.unwrap_or_default();
        let thread = session::thread(&state, ThreadRequest { format, strict, drop_unpaired })?;
        call.warnings.extend(thread.warnings);
        Ok(Exact(thread.text))
    };
    Select => Selection: |request, call| {
        let db = call.db;
        let selected = match call.stream {
            true => {
                let mut told = Ok(());
                let mut each = |block: DiffBlock| {
                    told = to_json(&block).map_err(Error::from).and_then(|block| call.part(block));
                    told.is_ok()
                };
                let selected = db.select_by_block(request, &mut each)?;
                told?;
                selected
            }
            false => db.select(request)?,
        };
        Ok(match selected {
            Selected::Ids { ids, warnings } => {
                call.warnings.extend(warnings);
                Selection::Ids(ids)
            }
            Selected::Range(range) => Selection::Range(range.into()),
        })
    };
    Nodes => Vec<Map>: |Nodes { q, dialect, options }, call| {
        let nodes = call.db.nodes(Select { q, dialect, options })?;
        call.warnings.extend(nodes.warnings);
        Ok(nodes.nodes)
    };
    Diff => Difference: |request, call| Ok(match request.rich {
        true => Difference::Rich(Box::new(call.db.rich_diff(&request)?)),
        false => Difference::Plain(call.db.diff(&request)?),
    });
    Explain => Explanation: |Explain { q, dialect, typed }, call| {
        call.db.explain_typed(&q, dialect, typed)
    };
    Fmt => Formatted: |Fmt { q, dialect, to }, call| {
        let from = dialect.unwrap_or(call.db.dialect());
        let to = to.unwrap_or(from);
        let Rewritten { text: canonical, notes } = rewrite(&q, from, to)
            .map_err(|refused| Error::from(refused.error).in_text(&refused.text))?;
        Ok(Formatted { canonical, dialect: to, notes })
    };
    Log => Vec<LogEntry>: |request, call| call.db.log(&request);
    GetStats => Stats: |GetStats { tables }, call| {
        let mut stats = call.db.stats()?;
        if tables {
            stats.tables = Some(call.db.table_sizes()?);
        }
        Ok(stats)
    };
    Verify => Verified: |Verify {}, call| call.watched(|db, tell| db.verify(tell));
    Rebuild => Verified: |Rebuild {}, call| call.watched(|db, tell| db.rebuild(tell));
    Compact => Compacted: |Compact {}, call| {
        let before = call.db.stats()?.sizes.file_bytes;
        let packed = call.watched(|db, tell| db.compact_watched(tell))?;
        let after = call.db.stats()?.sizes.file_bytes;
        let copied = packed == Packed::Copied;
        Ok(Compacted { before, after, packed: packed != Packed::Trimmed, copied })
    };
    Redact => Scanned: |request, call| run_session::redact(&request, call);
    Tree => Exact: |Tree { at, q, dialect }, call| {
        let state = match (&at, &q) {
            (_, None) => states::state_at(call.db, at.as_deref(), dialect)?,
            (None, Some(q)) => states::of_selector(call.db, q, dialect)?,
            (Some(_), Some(_)) => {
                return Err(Error::request("'at' and 'q' both name the state: give one of them"));
            }
        };
        Ok(Exact(state.export()?))
    };
    Details => Vec<Option<Map>>: |Details { ids, at, dialect }, call| {
        let state = states::state_at(call.db, at.as_deref(), dialect)?;
        let mut nodes = Vec::with_capacity(ids.len());
        for id in ids {
            nodes.push(match state.node(&id)? {
                Some(Json::Map(node)) => Some(node),
                _ => None,
            });
        }
        Ok(nodes)
    };
    State => StateReply: |request, call| states::describe(call.db, &request);
    Compare => Comparison: |request, call| run_session::compare(&request, call);
    CheckSent => SameThread: |CheckSent { attempt }, call| session::check_sent(call.db, &attempt);
    Replay => Replayed: |request, call| run_session::replay(request, call);
    Watch => WatchedUntil: |request, call| run_session::watch(request, call);
    Life => Vec<Moment>: |Life { id, limit, newest_first }, call| {
        let mut moments = session::life(call.db, &id)?;
        if newest_first {
            moments.reverse();
        }
        moments.truncate(limit.map_or(usize::MAX, |limit| limit as usize));
        Ok(moments)
    };
    Dump => Dumped: |request, call| run_session::dump(&request, call);
    Complete => Completed: |request, call| complete(call.db, &request);
    Timeline => TimelineReply: |request, call| states::timeline(call.db, &request);
    Sql => SqlReply: |Sql { q, params, limit, explain }, call| match explain {
        true => sql::explain(call.db, &q),
        false => {
            let reply = sql::ask(call.db, &q, &params.unwrap_or(Json::Null), limit)?;
            // A count of nothing is a row, so this does not wait for an empty answer.
            if let (false, Some(stage)) = (sql::is_sql(&q), sql::first_stage(&q)) {
                call.warnings.extend(call.db.unknown_names_in(&q[..stage])?);
            }
            Ok(reply)
        }
    };
}
