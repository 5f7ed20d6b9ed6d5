//! The snapshots of a range, compared pair by pair. Each block is given away as soon as it is made, so
//! that a long range is held by whoever wants all of it, and begun at once by whoever does not.

use super::comparer::Comparer;
use super::result::{DiffBlock, Limits, RangeDiffLatestResult, RangeError, SnapshotRef};
use super::writer::Writer;
use crate::budget;
use crate::code::Code;
use crate::language::ast::Mode;
use crate::query::options::SelectOptions;
use crate::query::plan::{Plan, RangeKind, State, Stop};
use crate::query::query_error::QueryError;
use crate::query::timeline::{Moment, Timeline};

/// The stops of a range, as resolved.
pub(crate) struct Stops<'a> {
    pub(crate) kind: RangeKind,
    pub(crate) list: &'a [Stop],
    pub(crate) cut: bool,
}

/// Compares the snapshots of a range. `whole` asks every snapshot in full.
pub(crate) fn range(
    timeline: &dyn Timeline,
    query: &str,
    plan: &Plan,
    stops: Stops<'_>,
    options: &SelectOptions,
    whole: bool,
) -> Result<RangeDiffLatestResult, QueryError> {
    let mut diffs = Vec::new();
    let mut keep = |block| {
        diffs.push(block);
        true
    };
    let result = range_by_block(timeline, query, plan, stops, (options, whole), &mut keep)?;
    Ok(RangeDiffLatestResult { diffs, ..result })
}

/// The same, with each block given to `each` and none in the result. It ends early if that says no.
pub(crate) fn range_by_block(
    timeline: &dyn Timeline,
    query: &str,
    plan: &Plan,
    stops: Stops<'_>,
    (options, whole): (&SelectOptions, bool),
    each: &mut dyn FnMut(DiffBlock) -> bool,
) -> Result<RangeDiffLatestResult, QueryError> {
    let comparer = Comparer::new(timeline, &plan.ask);
    let mut writer = Writer { timeline, options, warnings: plan.warnings.clone(), cut: false };
    let refs: Vec<SnapshotRef> =
        stops.list.iter().map(|stop| snapshot_ref(stop, stops.kind)).collect();
    let mut newer: Option<Moment<'_>> = None;
    let mut scan = None;
    let pairs = pairs(plan.mode, stops.list.len());
    for (done, (i, j)) in pairs.iter().copied().enumerate() {
        budget::reached("pairs of snapshots were compared", done as u64, Some(pairs.len() as u64))?;
        let (new, old) = (stops.list[i].state, stops.list[j].state);
        if scan.is_none() && plan.mode == Mode::Pairwise && !whole {
            scan = Some(comparer.backward_scan(new)?);
        }
        if let (Some(Some(scan)), State::Cycle(new), State::Cycle(old)) = (&mut scan, new, old)
            && let Some(step) = scan.step(new, old)?
        {
            if !each(writer.block(&refs[i], &refs[j], step)?) {
                break;
            }
            continue;
        }
        // From the working state, and over an import that brought another root, a scan begins
        // anew.
        if !matches!((&scan, new), (Some(None), State::Cycle(_))) {
            scan = None;
        }
        let new = match newer.take() {
            Some(moment) => moment,
            None => comparer.moment(stops.list[i].state)?,
        };
        let old = comparer.moment(stops.list[j].state)?;
        let comparison = match whole {
            true => comparer.compare_whole(&new, &old)?,
            false => comparer.compare((&new, stops.list[i].state), (&old, stops.list[j].state))?,
        };
        if !each(writer.block(&refs[i], &refs[j], comparison.into())?) {
            break;
        }
        newer = scan.as_ref().is_some_and(Option::is_none).then_some(old);
    }
    let limits = (stops.cut || writer.cut).then_some(Limits {
        max_snapshots: options.max_snapshots,
        max_changes_per_snapshot: options.max_changes_per_snapshot,
        truncated: true,
    });
    let errors = stops.cut.then(|| too_many(refs.len())).into_iter().collect();
    Ok(RangeDiffLatestResult {
        query: query.to_owned(),
        snapshots: refs,
        diffs: Vec::new(),
        mode: plan.mode,
        limits,
        warnings: writer.warnings,
        errors,
    })
}

/// What is said of a range that has more snapshots than are kept.
fn too_many(kept: usize) -> RangeError {
    RangeError {
        code: Code::SnapshotRangeLimit,
        message: format!("the range has more than {kept} snapshots: the newest are kept"),
        fatal: false,
    }
}

/// Which snapshots are compared, each pair with the newer one first.
fn pairs(mode: Mode, count: usize) -> Vec<(usize, usize)> {
    match mode {
        _ if count < 2 => Vec::new(),
        Mode::Latest => vec![(0, count - 1)],
        Mode::Pairwise => (1..count).map(|i| (i - 1, i)).collect(),
    }
}

fn snapshot_ref(stop: &Stop, kind: RangeKind) -> SnapshotRef {
    let word = match kind {
        RangeKind::Relative => "t",
        RangeKind::Cycles => "c",
    };
    SnapshotRef {
        kind: word.into(),
        value: stop.value,
        label: stop.label(kind).into(),
        cycle: stop.cycle,
    }
}
