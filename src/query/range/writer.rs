//! Differences to the blocks of an answer, with contents where they are wanted.

use super::content::{Side, content_diff};
use super::difference::{Change, NeighbourDiff};
use super::fields::{Difference, TTL, count};
use super::result::{
    Changed, ContentDiff, Delta, DiffBlock, Field, FromTo, RangeStats, SnapshotRef,
};
use crate::json::Json;
use crate::model::{Id, TextField};
use crate::query::eval::Hit;
use crate::query::options::{Material, SelectOptions};
use crate::query::timeline::{Read, Timeline};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Writes the blocks of one range.
pub(super) struct Writer<'a> {
    pub(super) timeline: &'a dyn Timeline,
    pub(super) options: &'a SelectOptions,
    /// What the asker should know.
    pub(super) warnings: Vec<String>,
    /// Whether changes were left out because of a limit on their number.
    pub(super) cut: bool,
}

impl Writer<'_> {
    /// The block of two snapshots, the newer one first.
    pub(super) fn block(
        &mut self,
        from: &SnapshotRef,
        to: &SnapshotRef,
        mut found: NeighbourDiff,
    ) -> Read<DiffBlock> {
        let stats = RangeStats {
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
    ) -> Read<Changed> {
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
    ) -> Read<ContentDiff> {
        let (new, old) = (self.body(newer)?, self.body(older)?);
        let options = self.options;
        let (mut diff, warning) = content_diff(
            &newer.node.id,
            Side { content: &new, label: &from.label },
            Side { content: &old, label: &to.label },
            options.content_mode,
            options.context(),
        );
        let mime = TextField::Mime.value(&newer.node);
        diff.mime = mime.as_ref().and_then(Json::as_str).map(str::to_owned);
        self.warnings.extend(warning);
        Ok(diff)
    }

    /// Puts the fields that were asked for beside those that differ.
    fn materialize(&self, newer: &Hit, older: &Hit, delta: &mut Delta) -> Read<()> {
        for material in &self.options.materialize {
            let header = |field: TextField| {
                let value = |hit: &Hit| field.value(&hit.node).unwrap_or(Json::Null);
                let (from, to) = (value(newer), value(older));
                (Field::Borrowed(field.name()), FromTo { from, to })
            };
            let entry = match material {
                Material::ContentHash => continue,
                Material::Mime => header(TextField::Mime),
                Material::Encoding => header(TextField::Encoding),
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

    fn body(&self, hit: &Hit) -> Read<Arc<Json>> {
        match &hit.node.content {
            Some(content) => self.timeline.contents().content(content),
            None => Ok(Arc::new(Json::Null)),
        }
    }
}

fn ttl_changed(id: Id, newer: u64, older: u64) -> Changed {
    let values = FromTo { from: count(newer), to: count(older) };
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
