//! `changes(SELECTOR)`: what changed from snapshot to snapshot of a range.

use super::super::json::column_of;
use super::super::selector::plan_of;
use super::super::table::{Ask, Column, Kind, Pages, Rows, Shape, Table, Takes, Value};
use crate::code::Code;
use crate::db::View;
use crate::error::{Error, Result};
use crate::json::Json;
use crate::language::ast::Mode;
use crate::model::Id;
use crate::query::plan::When;
use crate::query::{DiffBlock, changes_between};
use std::sync::{Arc, LazyLock};

/// Snapshots that are compared at a time.
const PAGE: usize = 256;

pub(super) static CHANGES: LazyLock<Shape> = LazyLock::new(|| {
    use Kind::{Any, Integer, Text};
    Shape {
        name: "changes",
        args: &["selector"],
        columns: vec![
            Column::new("cycle", Integer, "the newer one of two snapshots").taking(Takes::Range),
            Column::new("change", Text, "added, removed or changed"),
            Column::new("id", Text, "the node"),
            Column::new("field", Text, "what changed of it"),
            Column::new("older", Any, "its value in the older snapshot"),
            Column::new("newer", Any, "its value in the newer snapshot"),
        ],
        about: "one row for each change between the snapshots of a range, newest first",
    }
});

/// `changes(SELECTOR)`
pub(super) struct Changes(pub(super) Arc<View>);

struct Change {
    cycle: u64,
    change: &'static str,
    id: Id,
    field: Option<(String, Json, Json)>,
}

impl Table for Changes {
    fn shape(&self) -> &'static Shape {
        &CHANGES
    }

    fn rows(&self, ask: Ask) -> Result<Box<dyn Rows>> {
        let mut plan = plan_of(&self.0, &ask.args[0])?;
        let When::Range { kind, stops, .. } = &mut plan.when else {
            let mut error = Error::new(Code::SqlInvalid, "changes are those of a range");
            error.details.hint = Some("begin with one, such as `@c1..@c9` or `@t-3..@t0`".into());
            return Err(error);
        };
        let (kind, mut stops) = (*kind, std::mem::take(stops));
        let pairwise = plan.mode == Mode::Pairwise;
        if pairwise {
            let (least, most) = ask.counts(0).unwrap_or((1, 0));
            // A change has the cycle of the newer of two: one more is needed at the old end.
            let first = stops.iter().position(|stop| stop.cycle <= most).unwrap_or(stops.len());
            let last = stops.iter().rposition(|stop| stop.cycle >= least);
            let end = last.map_or(first, |last| (last + 2).min(stops.len()).max(first));
            stops = stops[first..end].to_vec();
        }
        let (view, mut from) = (self.0.clone(), 0);
        let size = if pairwise { PAGE } else { usize::MAX };
        let fetch = move || {
            while from + 1 < stops.len() {
                let end = stops.len().min(from.saturating_add(size));
                let blocks = changes_between(&*view, &plan, kind, &stops[from..end])?;
                from = if end == stops.len() { end } else { end - 1 };
                let changes: Vec<Change> = blocks.into_iter().flat_map(flat).collect();
                if !changes.is_empty() {
                    return Ok(changes);
                }
            }
            Ok(Vec::new())
        };
        Ok(Box::new(Pages::new(fetch, column)))
    }
}

/// The changes of a block: nodes that came, went, and changed, in this order.
fn flat(block: DiffBlock) -> Vec<Change> {
    let cycle = block.from.cycle;
    let whole = |change: &'static str| move |id: Id| Change { cycle, change, id, field: None };
    let mut all: Vec<Change> = block.added_ids.into_iter().map(whole("added")).collect();
    all.extend(block.removed_ids.into_iter().map(whole("removed")));
    for changed in block.changed {
        let id = changed.id;
        all.extend(changed.delta.0.into_iter().map(|(name, values)| Change {
            cycle,
            change: "changed",
            id: id.clone(),
            field: Some((name.into_owned(), values.to, values.from)),
        }));
    }
    all
}

fn column(change: &Change, column: usize) -> Result<Value<'_>> {
    let field = change.field.as_ref();
    Ok(match column {
        0 => Value::int(change.cycle),
        1 => Value::text(change.change),
        2 => Value::text(&change.id),
        3 => Value::maybe_text(field.map(|(name, ..)| name.as_str())),
        4 => field.map_or(Value::Null, |(_, older, _)| column_of(older)),
        5 => field.map_or(Value::Null, |(.., newer)| column_of(newer)),
        _ => Value::Null,
    })
}
