//! A journey in time: every commit stays readable, can be compared with others, and can come back.
//!
//! Run it with `cargo run --example time_travel`.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "an example prints, and needs a folder"
)]

use pactdb::{Add, Commit, Db, Diff, Generation, Restore, Result, Selected, Set};

/// Makes a short history and looks at it from several sides.
pub fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder for the store");
    let db = Db::create(folder.path().join("memory.pactdb"), Generation::V0_1)?;

    // Cycle 1: a plan among the standing instructions. Cycle 2: another plan.
    db.add(Add::system("Look under the mat.").id("plan"))?;
    db.commit(Commit::new())?;
    db.set(Set::target("#plan").content("Ask the neighbour."))?;
    db.add(Add::user("Nothing under the mat."))?;
    db.commit(Commit::new())?;

    // `@c1` is the snapshot of cycle 1, `@t0` the newest one.
    for address in ["@c1", "@t0"] {
        for node in db.nodes(format!("{address} #plan"))?.nodes {
            println!("{address}: {:?}", node["content"]);
        }
    }

    // What happened between the two: as a difference of two states, and as a range of snapshots.
    let diff = db.diff(&Diff::between("@c1", "@c2"))?;
    println!("added {:?}, changed {:?}", diff.added, diff.changed);
    if let Selected::Range(range) = db.select("@c1..@c2 .cb")? {
        println!("{} snapshots, {} comparisons", range.snapshots.len(), range.diffs.len());
    }

    // Going back is a commit like any other: nothing is lost, and cycle 2 stays where it is.
    let restored = db.restore(Restore::at("@c1"))?;
    println!("cycle {} is cycle 1 again", restored.cycle);
    assert_eq!(db.select("@c3 .cb[role='user']")?.ids().len(), 0);
    assert_eq!(db.select("@c2 .cb[role='user']")?.ids().len(), 1);
    Ok(())
}
