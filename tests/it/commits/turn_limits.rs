//! Policies that limit turns and nodes (R14.19).

use pactdb::{Add, Commit, Db, Generation, Policy};

fn store(folder: &tempfile::TempDir) -> Db {
    Db::create(folder.path().join("a.pactdb"), Generation::V0_1).unwrap()
}

#[test]
fn whole_turns_go_oldest_first_except_what_is_pinned_or_referred_to() {
    let folder = tempfile::tempdir().unwrap();
    let db = store(&folder);
    for (cycle, id) in ["one", "two", "three", "four"].into_iter().enumerate() {
        let add = Add::user("text").id(id);
        db.add(if cycle == 0 { add.pinned() } else { add }).unwrap();
        db.commit(Commit::new()).unwrap();
    }
    db.add(Add::user("names two").id("five").refs(["two"])).unwrap();
    let policy = Policy { max_turns: Some(3), ..Policy::default() };
    db.set_policies(vec![policy.clone()]).unwrap();
    assert_eq!(db.commit(Commit::new()).unwrap().pruned, ["mt:3", "mt:4"]);
    drop(db);
    let db = Db::open(folder.path().join("a.pactdb")).unwrap();
    assert_eq!(db.policies(), [policy]);
    db.verify(|_| {}).unwrap();
}

#[test]
fn protected_turns_stay_however_many_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let db = store(&folder);
    for _ in 0..4 {
        db.commit(Commit::new()).unwrap();
    }
    let policy = Policy { max_turns: Some(1), protect_recent_turns: Some(3), ..Policy::default() };
    db.set_policies(vec![policy]).unwrap();
    assert_eq!(db.commit(Commit::new()).unwrap().pruned, ["mt:1", "mt:2"]);
}

#[test]
fn nodes_are_counted_without_the_regions_and_blocks_go_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let db = store(&folder);
    db.add(Add::user("text").id("a")).unwrap();
    db.add(Add::user("text").id("b")).unwrap();
    // The core, and two blocks.
    db.set_policies(vec![Policy { max_nodes: Some(3), ..Policy::default() }]).unwrap();
    assert!(db.commit(Commit::new().dry_run()).unwrap().pruned.is_empty());
    db.set_policies(vec![Policy { max_nodes: Some(2), ..Policy::default() }]).unwrap();
    assert_eq!(db.commit(Commit::new()).unwrap().pruned, ["a"]);
}
