//! Ranges in the shape of R8.1–R8.6, without content diffs and warnings.

use super::Store;
use super::diff::compare;
use super::select::Window;
use super::time::Stop;
use pactdb::language::ast::{Mode, Selector, TimeKind};
use pactdb::{Dialect, SelectOptions};
use serde_json::{Value, json};

impl Store {
    pub(crate) fn range(
        &self,
        (text, selector, dialect): (&str, &Selector, Dialect),
        time: TimeKind,
        mut stops: Vec<Stop>,
        window: &Window,
        options: &SelectOptions,
    ) -> Value {
        let most = options.max_snapshots.unwrap_or(u64::MAX) as usize;
        let too_many = stops.len() > most;
        stops.truncate(most);
        let kind = if matches!(time, TimeKind::CycleRange(..)) { "c" } else { "t" };
        let shown = |stop: &Stop| {
            let label = format!("@{kind}{}", stop.value);
            json!({"kind": kind, "value": stop.value, "label": label, "cycle": self.cycle_of(stop.which)})
        };
        let pairs: Vec<(Stop, Stop)> = match window.mode {
            Mode::Pairwise => stops.windows(2).map(|pair| (pair[0], pair[1])).collect(),
            Mode::Latest if stops.len() > 1 => vec![(stops[0], stops[stops.len() - 1])],
            Mode::Latest => vec![],
        };
        let mut cut = too_many;
        let mut diffs = Vec::new();
        for (from, to) in &pairs {
            let list =
                |stop: &Stop| window.apply(self.matched(stop.which, selector, dialect, window));
            let newer = (self.tree(from.which), &list(from)[..]);
            let older = (self.tree(to.which), &list(to)[..]);
            let mut found = compare(newer, older);
            let stats = json!({
                "added": found.added.len(), "removed": found.removed.len(),
                "changed": found.changed.len(),
            });
            let mut left = options.max_changes_per_snapshot.unwrap_or(u64::MAX) as usize;
            for list in [&mut found.added, &mut found.removed, &mut found.changed] {
                cut |= list.len() > left;
                list.truncate(left);
                left -= list.len();
            }
            diffs.push(json!({
                "from": shown(from), "to": shown(to), "added_ids": found.added,
                "removed_ids": found.removed, "changed": found.changed, "stats": stats,
            }));
        }
        let mode = if window.mode == Mode::Latest { "latest" } else { "pairwise" };
        let snapshots: Vec<Value> = stops.iter().map(shown).collect();
        let mut answer =
            json!({"query": text, "snapshots": snapshots, "diffs": diffs, "mode": mode});
        if cut {
            answer["limits"] = json!({"truncated": true});
            if let Some(most) = options.max_snapshots {
                answer["limits"]["maxSnapshots"] = json!(most);
            }
            if let Some(most) = options.max_changes_per_snapshot {
                answer["limits"]["maxChangesPerSnapshot"] = json!(most);
            }
        }
        if too_many {
            answer["errors"] = json!([{"code": "E_SNAPSHOT_RANGE_LIMIT", "fatal": false}]);
        }
        answer
    }
}
