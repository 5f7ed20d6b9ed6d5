//! Ranges: what changed in the answer of a selector from snapshot to snapshot (R8.1–R8.6).

mod compare;
mod content;
mod fields;
mod pages;
mod result;
mod sweep;

pub(super) use compare::{Comparer, Comparison};
pub(super) use fields::Difference;
pub use result::{
    Changed, ContentDiff, Delta, DiffBlock, Field, FromTo, Hunk, Limits, RangeDiffLatestResult,
    RangeError, SnapshotRef, Stats, Summary as ContentSummary, TokenOp,
};

use super::ast::Mode;
use super::eval::Hit;
use super::options::{Material, Options};
use super::plan::{Plan, RangeKind, State, Stop};
use super::query_error::QueryError;
use super::timeline::{Moment, Timeline};
use crate::code::Code;
use crate::json::Json;
use crate::model::{Id, Node, ReadError};
use compare::{Change, Step};
use content::{Side, content_diff};
use fields::TTL;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// The stops of a range, as resolved.
pub(super) struct Stops<'a> {
    pub(super) kind: RangeKind,
    pub(super) list: &'a [Stop],
    pub(super) cut: bool,
}

/// Compares the snapshots of a range. `whole` asks every snapshot in full.
pub(super) fn range(
    timeline: &dyn Timeline,
    query: &str,
    plan: &Plan,
    stops: Stops<'_>,
    options: &Options,
    whole: bool,
) -> Result<RangeDiffLatestResult, QueryError> {
    let comparer = Comparer::new(timeline, &plan.ask);
    let mut writer = Writer { timeline, options, warnings: plan.warnings.clone(), cut: false };
    let refs: Vec<SnapshotRef> =
        stops.list.iter().map(|stop| snapshot_ref(stop, stops.kind)).collect();
    let mut diffs = Vec::new();
    let mut newer: Option<Moment<'_>> = None;
    let mut sweep = None;
    for (i, j) in pairs(plan.mode, stops.list.len()) {
        let (new, old) = (stops.list[i].state, stops.list[j].state);
        if sweep.is_none() && plan.mode == Mode::Pairwise && !whole {
            sweep = Some(comparer.sweep(new)?);
        }
        if let (Some(Some(walk)), State::Cycle(new), State::Cycle(old)) = (&mut sweep, new, old)
            && let Some(step) = walk.step(new, old)?
        {
            diffs.push(writer.block(&refs[i], &refs[j], step)?);
            continue;
        }
        // From the working state, and over an import that brought another root, a walk begins
        // anew.
        if !matches!((&sweep, new), (Some(None), State::Cycle(_))) {
            sweep = None;
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
        diffs.push(writer.block(&refs[i], &refs[j], comparison.into())?);
        newer = sweep.as_ref().is_some_and(Option::is_none).then_some(old);
    }
    let limits = (stops.cut || writer.cut).then_some(Limits {
        max_snapshots: options.max_snapshots,
        max_changes_per_snapshot: options.max_changes_per_snapshot,
        truncated: true,
    });
    let errors = match stops.cut {
        true => vec![RangeError {
            code: Code::SnapshotRangeLimit,
            message: format!(
                "the range has more than {} snapshots: the newest are kept",
                refs.len()
            ),
            fatal: false,
        }],
        false => Vec::new(),
    };
    Ok(RangeDiffLatestResult {
        query: query.to_owned(),
        snapshots: refs,
        diffs,
        mode: plan.mode,
        limits,
        warnings: writer.warnings,
        errors,
    })
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

struct Writer<'a> {
    timeline: &'a dyn Timeline,
    options: &'a Options,
    warnings: Vec<String>,
    cut: bool,
}

impl Writer<'_> {
    fn block(
        &mut self,
        from: &SnapshotRef,
        to: &SnapshotRef,
        mut found: Step,
    ) -> Result<DiffBlock, ReadError> {
        let stats = Stats {
            added: found.added.len() as u64,
            removed: found.removed.len() as u64,
            changed: found.changed.len() as u64,
        };
        if let Some(max) = self.options.max_changes_per_snapshot {
            let mut left = usize::try_from(max).unwrap_or(usize::MAX);
            self.cut |= stats.added + stats.removed + stats.changed > max;
            cap(&mut found.added, &mut left);
            cap(&mut found.removed, &mut left);
            cap(&mut found.changed, &mut left);
        }
        let mut changed = Vec::with_capacity(found.changed.len());
        for change in found.changed {
            changed.push(match change {
                Change::Ttl { id, newer, older } => ttl_changed(id, newer, older),
                Change::Fields(all) => {
                    let (newer, older, fields) = *all;
                    self.changed((&newer, from), (&older, to), fields)?
                }
            });
        }
        Ok(DiffBlock {
            from: from.clone(),
            to: to.clone(),
            added_ids: found.added,
            removed_ids: found.removed,
            changed,
            stats,
        })
    }

    fn changed(
        &mut self,
        (newer, from): (&Hit, &SnapshotRef),
        (older, to): (&Hit, &SnapshotRef),
        differences: Vec<Difference>,
    ) -> Result<Changed, ReadError> {
        let fields: SmallVec<[Field; 1]> =
            differences.iter().map(|(name, ..)| name.clone()).collect();
        let values = differences.into_iter().map(|(name, from, to)| (name, FromTo { from, to }));
        let mut delta = Delta(values.collect());
        let mut diff = None;
        if fields.iter().any(|name| name == "content_hash") {
            if self.options.include_content {
                diff = Some(Box::new(self.content((newer, from), (older, to))?));
            }
            self.materialize(newer, older, &mut delta)?;
        }
        Ok(Changed { id: newer.node.id.clone(), fields, delta, content_diff: diff })
    }

    fn content(
        &mut self,
        (newer, from): (&Hit, &SnapshotRef),
        (older, to): (&Hit, &SnapshotRef),
    ) -> Result<ContentDiff, ReadError> {
        let (new, old) = (self.body(newer)?, self.body(older)?);
        let options = self.options;
        let (mut diff, warning) = content_diff(
            &newer.node.id,
            Side { content: &new, label: &from.label },
            Side { content: &old, label: &to.label },
            options.content_mode,
            options.context(),
        );
        let mime = newer.node.mime_value();
        diff.mime = mime.as_ref().and_then(Json::as_str).map(str::to_owned);
        self.warnings.extend(warning);
        Ok(diff)
    }

    /// Puts the fields that were asked for beside those that differ.
    fn materialize(&self, newer: &Hit, older: &Hit, delta: &mut Delta) -> Result<(), ReadError> {
        for material in &self.options.materialize {
            let header = |name: &'static str, value: fn(&Node) -> Option<Json>| {
                let [from, to] = [newer, older].map(|hit| value(&hit.node).unwrap_or(Json::Null));
                (Field::Borrowed(name), FromTo { from, to })
            };
            let entry = match material {
                Material::ContentHash => continue,
                Material::Mime => header("mime", Node::mime_value),
                Material::Encoding => header("encoding", Node::encoding_value),
                Material::Content => {
                    let (from, to) = (self.body(newer)?, self.body(older)?);
                    (
                        Field::Borrowed("content"),
                        FromTo { from: (*from).clone(), to: (*to).clone() },
                    )
                }
            };
            if !delta.0.iter().any(|(name, _)| *name == entry.0) {
                delta.0.push(entry);
            }
        }
        Ok(())
    }

    fn body(&self, hit: &Hit) -> Result<Arc<Json>, ReadError> {
        match &hit.node.content {
            Some(content) => self.timeline.contents().content(content),
            None => Ok(Arc::new(Json::Null)),
        }
    }
}

fn ttl_changed(id: Id, newer: u64, older: u64) -> Changed {
    let values = FromTo { from: fields::number(newer), to: fields::number(older) };
    Changed {
        id,
        fields: smallvec![TTL],
        delta: Delta(smallvec![(TTL, values)]),
        content_diff: None,
    }
}

/// Keeps what there is room for.
fn cap<T>(list: &mut Vec<T>, left: &mut usize) {
    list.truncate(*left);
    *left -= list.len();
}
