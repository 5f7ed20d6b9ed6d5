//! What a commit leaves: sealing (R4.5), snapshots (R4.6), restore and undo (R4.8), and how time is named (R5.2).

use super::*;
use pactdb::{Generation, Restore};

fn restore(db: &Db, at: &str) -> Result<CommitReply, Error> {
    db.restore(Restore { at: at.into(), discard: false })
}

#[test]
fn sealing_moves_the_head_into_a_turn() {
    let db = store();
    add(&db, Add { offset: Some(-1), ..block("pre") });
    add(&db, block("a"));
    add(&db, Add { offset: Some(2), ..block("post") });
    assert_eq!(sketch(&db, None), "sys seq ah(pre@-1 mc:1(a) post@2)");
    let reply = commit(&db);
    assert_eq!((reply.cycle, reply.turn.as_deref()), (1, Some("mt:1")));
    assert_eq!(sketch(&db, None), "sys seq(mt:1(pre@-1 mc:1(a) post@2)) ah");
}

#[test]
fn every_commit_seals_a_turn_and_an_empty_head_too() {
    let db = store();
    commit_to(&db, 3);
    assert_eq!(sketch(&db, None), "sys seq(mt:1(mc:1) mt:2(mc:2) mt:3(mc:3)) ah");
}

#[test]
fn loose_blocks_of_an_imported_head_move_into_the_core_when_it_is_sealed() {
    let db = store();
    import(
        &db,
        r#"{"root":{"children":[{"id":"ah","nodeType":"^ah","children":[{"id":"a"},{"id":"b","offset":1}]}]}}"#,
    );
    assert_eq!(sketch(&db, None), "sys seq ah(a b@1)");
    commit(&db);
    assert_eq!(sketch(&db, None), "sys seq(mt:2(mc:2(a) b@1)) ah");
}

#[test]
fn a_snapshot_never_changes() {
    let db = store();
    add(&db, Add { ttl: Some(1), offset: Some(1), ..block("a") });
    commit(&db);
    let before = db.export(Some("@c1")).unwrap();
    let held = db.snapshot(1).unwrap();
    add(&db, Add { offset: Some(5), ..below("#mt:1", "note") });
    remove(&db, "#a");
    commit_to(&db, 4);
    assert_eq!(db.export(Some("@c1")).unwrap(), before);
    assert_eq!(held.export().unwrap(), before);
    assert_eq!(sketch(&db, Some("@c2")), "sys seq(mt:1(mc:1 note@5) mt:2(mc:2)) ah");
}

#[test]
fn without_edits_the_working_state_is_the_newest_snapshot() {
    let db = store();
    add(&db, Add { ttl: Some(3), ..block("a") });
    commit_to(&db, 2);
    assert_eq!(db.export(None).unwrap(), db.export(Some("@c2")).unwrap());
    db.set_policies(vec![Policy::default()]).unwrap();
    assert_eq!(db.export(None).unwrap(), db.export(Some("@c2")).unwrap());
}

#[test]
fn the_dialects_name_times_differently() {
    for (generation, newest, before) in
        [(Generation::V0_1, "@t0", "@t-1"), (Generation::V1_0, "@t-1", "@t-2")]
    {
        let db =
            Options::new().generation(generation).clock(1000).create_on(Memory::default()).unwrap();
        assert_eq!(code(db.export(Some(newest))), Code::SnapshotNotFound);
        commit_to(&db, 2);
        add(&db, block("a"));
        assert_eq!(db.export(Some(newest)).unwrap(), db.export(Some("@c2")).unwrap());
        assert_eq!(db.export(Some(before)).unwrap(), db.export(Some("@c1")).unwrap());
        assert!(sketch(&db, None).contains("(a)"), "no address is the working state");
        for missing in ["@t-9", "@t+1", "@c0", "@c3"] {
            assert_eq!(code(db.export(Some(missing))), Code::SnapshotNotFound, "{missing}");
        }
        if generation == Generation::V1_0 {
            assert_eq!(db.export(Some("@t0")).unwrap(), db.export(None).unwrap());
        }
    }
}

#[test]
fn relative_times_count_snapshots_and_not_cycles() {
    let db = store();
    commit(&db);
    import(&db, r#"{"cycle":9,"root":{}}"#);
    commit(&db);
    assert_eq!(db.history().iter().collect::<Vec<_>>(), [1, 9, 10]);
    assert_eq!(db.export(Some("@t-1")).unwrap(), db.export(Some("@c9")).unwrap());
    assert_eq!(db.export(Some("@t-2")).unwrap(), db.export(Some("@c1")).unwrap());
    assert_eq!(code(db.export(Some("@c5"))), Code::SnapshotNotFound);
}

#[test]
fn restore_makes_a_past_tree_the_newest_and_keeps_history() {
    let db = store();
    add(&db, Add { ttl: Some(4), ..below("^sys", "a") });
    commit(&db);
    remove(&db, "#a");
    commit_to(&db, 3);
    let reply = restore(&db, "@c1").unwrap();
    assert_eq!((reply.cycle, reply.turn), (4, None), "nothing is sealed");
    assert_eq!(sketch(&db, Some("@c4")), "sys(a) seq(mt:1(mc:1)) ah");
    assert_eq!(ttl(&db, Some("@c4"), "a"), number(4), "the ttl reads as it did there");
    assert!(commit_to(&db, 7).expired.is_empty());
    assert_eq!(commit(&db).expired, ["a"], "and counts from cycle 4");
    assert_eq!(sketch(&db, Some("@c3")), "sys seq(mt:1(mc:1) mt:2(mc:2) mt:3(mc:3)) ah");
}

#[test]
fn restore_does_not_throw_edits_away_unless_it_is_told_to() {
    let db = store();
    commit_to(&db, 2);
    add(&db, block("a"));
    assert_eq!(code(restore(&db, "@c1")), Code::Conflict);
    let reply = db.restore(Restore { at: "@c1".into(), discard: true }).unwrap();
    assert_eq!(reply.cycle, 3);
    assert_eq!(sketch(&db, None), "sys seq(mt:1(mc:1)) ah");
    assert_eq!(code(db.add(block("a"))), Code::NodeExists, "its id stays used");
}

#[test]
fn undo_takes_the_newest_edit_or_batch_back() {
    let db = store();
    commit(&db);
    add(&db, block("a"));
    let ops = ["b", "c"].map(|id| EditOp::Add(Box::new(block(id))));
    db.batch(Batch { ops: ops.into(), expected_cycle: None }).unwrap();
    assert_eq!(db.undo().unwrap().undone, ["add", "add"], "a batch as a whole");
    assert_eq!(sketch(&db, None), "sys seq(mt:1(mc:1)) ah(mc:2(a))");
    assert_eq!(db.undo().unwrap().undone, ["add"]);
    assert_eq!(sketch(&db, None), "sys seq(mt:1(mc:1)) ah", "and the core that it made");
    assert_eq!(code(db.undo()), Code::NodeNotFound, "a commit is not undone");
    assert_eq!(code(db.add(block("b"))), Code::NodeExists, "ids stay used");
    assert_eq!(db.export(None).unwrap(), db.export(Some("@t0")).unwrap());
    assert_eq!(db.stats().unwrap().events, 7, "what was undone stays in the log");
}
