//! Which state of a store an address or a selector means.

use super::call::Call;
use super::exact::Exact;
use super::replies::{StateKind, StateReply, StoreState};
use super::requests::{Export, State, Timeline};
use crate::budget;
use crate::code::Code;
use crate::db::{Address, Db, Snapshot, TimelineRange, TimelineReply};
use crate::error::{Error, Result};
use crate::json;
use crate::language::Dialect;
use crate::query::ReadStates;
use crate::session::{Until, prompt_breaks};

/// The state at an address in a dialect; the working state if there is none.
pub(super) fn state_at(db: &Db, at: Option<&str>, dialect: Option<Dialect>) -> Result<Snapshot> {
    let Some(at) = at else { return Ok(db.working_state()) };
    if dialect.is_none() {
        return db.at(Some(at));
    }
    one(db, db.asked(&format!("{at} *"), dialect)?)?.ok_or_else(|| {
        let message = format!("{at} is not one state: give an address such as @t0, @c4 or @e7");
        Error::new(Code::SelectorInvalid, message)
    })
}

/// The state that an attempt or an address names.
pub(super) fn named(
    db: &Db,
    at: Option<&str>,
    attempt: Option<&str>,
    dialect: Option<Dialect>,
) -> Result<Snapshot> {
    match (at, attempt) {
        (Some(_), Some(_)) => {
            Err(Error::request("'at' and 'attempt' both name the state: give one of them"))
        }
        (None, Some(id)) => db.at_attempt(id),
        (at, None) => state_at(db, at, dialect),
    }
}

/// The state that a selector is about, which must be one.
pub(super) fn of_selector(db: &Db, q: &str, dialect: Option<Dialect>) -> Result<Snapshot> {
    one(db, db.asked(q, dialect)?)?.ok_or_else(|| {
        let message = "a tree is of one state: give an address such as @t0, @c4 or @e7";
        Error::new(Code::SelectorInvalid, message)
    })
}

/// The state, if it is one.
fn one(db: &Db, asked: ReadStates) -> Result<Option<Snapshot>> {
    Ok(Some(match asked {
        ReadStates::Working => db.working_state(),
        ReadStates::Snapshot(cycle) => db.snapshot(cycle)?,
        ReadStates::Event { seq, .. } => db.after_event(seq)?,
        ReadStates::Every { .. } | ReadStates::Range { .. } => return Ok(None),
    }))
}

/// The cycles of an export that means more than one state.
pub(super) fn several(db: &Db, request: &Export) -> Result<Option<Vec<u64>>> {
    let Some(at) = &request.at else {
        return Ok(request.all.then(|| db.history().iter().collect()));
    };
    Ok(match db.asked(&format!("{at} *"), request.dialect) {
        Ok(ReadStates::Range { newest, oldest, .. }) => {
            let inside = |cycle: &u64| (oldest..=newest).contains(cycle);
            Some(db.history().iter().filter(inside).collect())
        }
        Ok(ReadStates::Every { .. }) => Some(db.history().iter().collect()),
        Err(error) if at.contains("..") => return Err(error),
        _ => None,
    })
}

/// The snapshots of several cycles as a list; if the request streams, one part for each and an empty
/// list.
pub(super) fn export_several(cycles: Vec<u64>, call: &mut Call<'_>) -> Result<Exact> {
    let (mut exports, total) = (Vec::new(), cycles.len() as u64);
    for (done, cycle) in cycles.into_iter().enumerate() {
        budget::reached("snapshots were exported", done as u64, Some(total))?;
        let text = call.db.snapshot(cycle)?.export()?;
        match call.stream {
            true => call.part(json::parse(&text)?)?,
            false => exports.push(text),
        }
    }
    Ok(Exact(format!("[{}]", exports.join(","))))
}

/// The cycle of an address, which may be a bare number.
pub(super) fn cycle_at(db: &Db, time: &str, dialect: Option<Dialect>) -> Result<u64> {
    let time = match time.parse::<u64>() {
        Ok(cycle) => format!("@c{cycle}"),
        Err(_) => time.to_owned(),
    };
    let state = state_at(db, Some(&time), Some(dialect.unwrap_or(db.dialect())))?;
    if let Some(at @ Address::Event(_)) = state.address() {
        let message = format!("{at} is the state after an event: name a cycle here, such as @c4");
        return Err(Error::new(Code::SelectorInvalid, message));
    }
    Ok(if state.is_committed() { state.cycle() } else { state.cycle() + 1 })
}

/// Sizes and happenings over a stretch of history.
pub(super) fn timeline(db: &Db, request: &Timeline) -> Result<TimelineReply> {
    // A number is a bound, an address names a snapshot.
    let cycle = |time: &Option<String>| {
        let Some(time) = time else { return Ok(None) };
        match time.parse::<u64>() {
            Ok(cycle) => Ok(Some(cycle)),
            Err(_) => cycle_at(db, time, request.dialect).map(Some),
        }
    };
    let (from, to) = (cycle(&request.from)?, cycle(&request.to)?);
    if let (Some(from), Some(to)) = (from, to)
        && from > to
    {
        let message = format!("'from' is cycle {from}, and 'to' is {to}, which comes before it");
        return Err(Error::request(message));
    }
    let Timeline { buckets, by, tokens, format, .. } = *request;
    let mut reply = db.timeline(&TimelineRange { from, to, buckets, by, tokens })?;
    if let Some(format) = format {
        reply.prompts = prompt_breaks(db, &reply, format)?;
    }
    Ok(reply)
}

/// Where a history ends that is cut at an address.
pub(super) fn until(db: &Db, at: Option<&str>, dialect: Option<Dialect>) -> Result<Until> {
    let Some(at) = at else { return Ok(Until::End) };
    let dialect = Some(dialect.unwrap_or(db.dialect()));
    match state_at(db, Some(at), dialect).map(|state| state.address()) {
        Ok(Some(address @ Address::Event(_))) => Ok(address.into()),
        _ => cycle_at(db, at, dialect).map(Until::Cycle),
    }
}

/// Which states are meant, and where the store stands.
pub(super) fn describe(db: &Db, request: &State) -> Result<StateReply> {
    let State { at, q, dialect, count } = request;
    let asked = match (at, q) {
        (Some(_), Some(_)) => {
            return Err(Error::request("'at' and 'q' both name the state: give one of them"));
        }
        (None, None) => ReadStates::Working,
        (None, Some(q)) => db.asked(q, *dialect)?,
        (Some(at), None) => db.asked(&format!("{at} *"), *dialect)?,
    };
    let last = db.last_cycle();
    let mut reply = StateReply {
        kind: StateKind::Working,
        cycle: last,
        oldest: None,
        event: None,
        now: None,
        turns: one(db, asked)?.map(|state| state.turns()),
        snapshots: None,
        total: None,
        more: false,
        store: StoreState {
            spec: db.generation().name().to_owned(),
            dialect: db.dialect(),
            cycle: last,
            snapshots: db.history().len(),
            events: db.events(),
            uncommitted: db.uncommitted(),
        },
    };
    if let (true, Some(q)) = (*count, q)
        && let Some(counted) = db.count(q, *dialect)?
    {
        (reply.total, reply.more) = (Some(counted.count), counted.more);
    }
    match asked {
        ReadStates::Working => reply.now = Some(last + 1),
        ReadStates::Snapshot(cycle) => {
            (reply.kind, reply.cycle, reply.now) = (StateKind::Snapshot, cycle, Some(cycle));
        }
        ReadStates::Event { seq, after } => {
            (reply.kind, reply.cycle, reply.now) = (StateKind::Event, after, Some(after + 1));
            reply.event = Some(seq);
        }
        ReadStates::Every { snapshots } => {
            (reply.kind, reply.snapshots) = (StateKind::Every, Some(snapshots));
        }
        ReadStates::Range { newest, oldest, snapshots } => {
            (reply.kind, reply.cycle) = (StateKind::Range, newest);
            (reply.oldest, reply.snapshots) = (Some(oldest), Some(snapshots));
        }
    }
    Ok(reply)
}
