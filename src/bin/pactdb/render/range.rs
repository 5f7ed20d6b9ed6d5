//! What changed over a range: one block for each pair of snapshots in which something did.

use super::columns::Columns;
use super::diff::{Sides, change, one_sided, summary};
use super::look::{Look, Tone};
use super::units::plural;
use pactdb::RangeDiffLatestResult;
use pactdb::answer::{DiffBlock, SnapshotRef};

/// A range, newest first; `sides` has the nodes of each block. Pairs without a difference are counted
/// and not shown.
pub fn range(look: Look, sides: &[Sides], result: &RangeDiffLatestResult) -> String {
    let blocks: Vec<String> = result
        .diffs
        .iter()
        .zip(sides)
        .filter(|(block, _)| has_changes(block))
        .map(|(block, sides)| range_block(look, sides, block))
        .collect();
    let quiet = result.diffs.len() - blocks.len();
    blocks.concat() + &range_end(look, (blocks.len() as u64, quiet as u64), result)
}

/// Whether there is something to show of a block.
pub fn has_changes(block: &DiffBlock) -> bool {
    let stats = &block.stats;
    stats.added + stats.removed + stats.changed > 0
}

/// What is said behind the blocks: so many were shown, and in so many others nothing changed.
pub fn range_end(look: Look, (shown, quiet): (u64, u64), result: &RangeDiffLatestResult) -> String {
    let mut out = String::new();
    if quiet > 0 {
        let words = format!("no difference in {}", plural(quiet, "other pair"));
        let words = if shown == 0 { words.replace(" other", "") } else { words };
        out.push_str(&format!("{}\n", look.paint(Tone::Dim, &words)));
    }
    if shown + quiet == 0 {
        let words = "one snapshot alone: there is nothing to compare it with";
        out.push_str(&format!("{}\n", look.paint(Tone::Dim, words)));
    }
    if result.limits.is_some() {
        let words = "something was cut: raise --max-snapshots or --max-changes to see it";
        out.push_str(&format!("{}\n", look.paint(Tone::Soon, words)));
    }
    out
}

/// What changed from one snapshot to another; `sides` has the nodes of both.
pub fn range_block(look: Look, sides: &Sides, block: &DiffBlock) -> String {
    let stats = &block.stats;
    let counts = summary(look, [stats.added, stats.removed, stats.changed]);
    let names = format!("{} → {}", name(&block.to), name(&block.from));
    let mut out = format!("{}  {counts}\n", look.paint(Tone::Strong, &names));
    let mut table = Columns::default();
    for id in &block.added_ids {
        table.push(one_sided("  +", Tone::Added, &sides.newer, id, None));
    }
    for id in &block.removed_ids {
        table.push(one_sided("  -", Tone::Removed, &sides.older, id, None));
    }
    out.push_str(&table.render(look));
    for changed in &block.changed {
        let contents = sides.contents(&changed.id);
        for line in change(look, &changed.id, &changed.delta, true, contents).lines() {
            out.push_str(&format!("  {line}\n"));
        }
    }
    out
}

/// The address as it was asked for, and the cycle beside a relative one.
fn name(snapshot: &SnapshotRef) -> String {
    match &*snapshot.kind {
        "t" => format!("{} (@c{})", snapshot.label, snapshot.cycle),
        _ => snapshot.label.to_string(),
    }
}
