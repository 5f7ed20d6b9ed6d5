//! What changed over a range: one block for each pair of snapshots in which something did.

use super::columns::Columns;
use super::diff::{change, content, one_sided, summary};
use super::look::{Look, Tone};
use super::units::plural;
use pactdb::answer::{DiffBlock, SnapshotRef};
use pactdb::{Db, RangeDiffLatestResult, Result, Snapshot};

/// A range, newest first. Pairs without a difference are counted and not shown.
pub fn range(look: Look, db: &Db, result: &RangeDiffLatestResult) -> Result<String> {
    let mut out = String::new();
    let mut quiet = 0;
    for block in &result.diffs {
        let stats = &block.stats;
        if stats.added + stats.removed + stats.changed == 0 {
            quiet += 1;
            continue;
        }
        out.push_str(&one_block(look, db, block)?);
    }
    if quiet > 0 {
        let words = format!("no difference in {}", plural(quiet, "other pair"));
        let words = if out.is_empty() { words.replace(" other", "") } else { words };
        out.push_str(&format!("{}\n", look.paint(Tone::Dim, &words)));
    }
    if result.diffs.is_empty() {
        let words = "one snapshot alone: there is nothing to compare it with";
        out.push_str(&format!("{}\n", look.paint(Tone::Dim, words)));
    }
    if result.limits.is_some() {
        let words = "something was cut: raise --max-snapshots or --max-changes to see it";
        out.push_str(&format!("{}\n", look.paint(Tone::Soon, words)));
    }
    Ok(out)
}

fn one_block(look: Look, db: &Db, block: &DiffBlock) -> Result<String> {
    let (newer, older) = (state(db, &block.from)?, state(db, &block.to)?);
    let stats = &block.stats;
    let counts = summary(look, [stats.added, stats.removed, stats.changed]);
    let names = format!("{} → {}", name(&block.to), name(&block.from));
    let mut out = format!("{}  {counts}\n", look.paint(Tone::Strong, &names));
    let mut table = Columns::default();
    for id in &block.added_ids {
        table.push(one_sided("  +", Tone::Added, &newer, id, None)?);
    }
    for id in &block.removed_ids {
        table.push(one_sided("  -", Tone::Removed, &older, id, None)?);
    }
    out.push_str(&table.render(look));
    for changed in &block.changed {
        let contents = [content(older.node(&changed.id)?), content(newer.node(&changed.id)?)];
        for line in change(look, &changed.id, &changed.delta, true, &contents).lines() {
            out.push_str(&format!("  {line}\n"));
        }
    }
    Ok(out)
}

/// The address as it was asked for, and the cycle beside a relative one.
fn name(snapshot: &SnapshotRef) -> String {
    match &*snapshot.kind {
        "t" => format!("{} (@c{})", snapshot.label, snapshot.cycle),
        _ => snapshot.label.to_string(),
    }
}

fn state(db: &Db, snapshot: &SnapshotRef) -> Result<Snapshot> {
    if snapshot.cycle > db.last_cycle() {
        return Ok(db.working_state());
    }
    db.snapshot(snapshot.cycle)
}
