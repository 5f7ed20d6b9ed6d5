//! A commit costs what it looks at, and not that times itself. Parts that are read are counted; the
//! rest are sizes at which a product of two of them would take minutes.

use super::{block, store};
use crate::support::memory;
use pactdb::internals::change;
use pactdb::internals::change::Parent;
use pactdb::{Add, Batch, Commit, EditOp, Generation, Remove, Set};

/// How many parts are read by a commit at which a chain of references in a sealed turn is due, and
/// how many nodes are left.
fn reads_of_expiry(length: usize, survivor: bool) -> (usize, usize) {
    let mut memory = memory::Memory::new(Generation::V0_1);
    memory.say("old", "user", "in a turn of its own");
    memory.commit();
    for i in 0..length {
        memory
            .add(change::Add {
                parent: Parent::HeadCore,
                id: Some(format!("n{i}")),
                ttl: Some(1),
                refs: if i > 0 { vec![format!("n{}", i - 1)] } else { Vec::new() },
                ..change::Add::default()
            })
            .unwrap();
    }
    memory.commit();
    if survivor {
        let refs = vec![format!("n{}", length - 1)];
        memory
            .add(change::Add { parent: Parent::HeadCore, refs, ..change::Add::default() })
            .unwrap();
    }
    let before = memory.reads();
    memory.commit();
    let reads = memory.reads() - before;
    let alive = |i: &usize| memory.tree().get(&format!("n{i}")).unwrap().is_some();
    (reads, (0..length).filter(alive).count())
}

#[test]
fn a_chain_of_references_is_read_once_however_long_it_is() {
    let (short, long) = (reads_of_expiry(20, false), reads_of_expiry(400, false));
    assert_eq!((short.1, long.1), (0, 0), "all of it expires");
    assert_eq!(short.0, long.0, "parts read");
    let (short, long) = (reads_of_expiry(20, true), reads_of_expiry(400, true));
    assert_eq!((short.1, long.1), (20, 400), "a survivor holds all of it");
    assert_eq!(short.0, long.0, "parts read");
}

fn chain(length: usize) -> Vec<EditOp> {
    let mut ops: Vec<EditOp> = Vec::with_capacity(length + 1);
    for i in 0..length {
        let refs = if i > 0 { vec![format!("n{}", i - 1)] } else { Vec::new() };
        let add = Add { ttl: Some(1), refs, ..block(&format!("n{i}")) };
        ops.push(EditOp::Add(Box::new(add)));
    }
    ops.push(EditOp::Commit(Commit::default()));
    ops
}

#[test]
fn chains_that_no_cache_holds_and_that_a_survivor_holds() {
    let db = store();
    db.batch(Batch { ops: chain(12_000), expected_cycle: None }).unwrap();
    let keep = Add { refs: vec!["n11999".into()], ..block("keep") };
    db.add(keep).unwrap();
    assert_eq!(db.commit(Commit::default()).unwrap().expired.len(), 0, "held");
    db.remove(Remove { target: "#keep".into(), force: false }).unwrap_err();
    db.set(Set { target: "#keep".into(), ..Set::default() }).unwrap_err();
    let reply = db.commit(Commit::default()).unwrap();
    assert_eq!(reply.expired.len(), 0, "still held");
    assert_eq!(db.stats().unwrap().blocks, 12_001);
}

#[test]
fn a_long_chain_goes_in_order() {
    let db = store();
    db.batch(Batch { ops: chain(12_000), expected_cycle: None }).unwrap();
    let expired = db.commit(Commit::default()).unwrap().expired;
    assert!(expired.iter().enumerate().all(|(i, id)| *id == format!("n{i}")), "canonical order");
    assert_eq!(expired.len(), 12_000);
}

#[test]
fn a_batch_of_many_edits_by_name() {
    let db = store();
    let count = 12_000;
    let mut ops = Vec::new();
    for i in 0..count {
        let to = Some(if i % 2 == 0 { "^ah" } else { "^sys" }.to_owned());
        ops.push(EditOp::Add(Box::new(Add { to, ..block(&format!("n{i}")) })));
    }
    for i in 0..count {
        let target = format!("#n{i}");
        let set = Set { target, priority: Some(Some(i)), ..Set::default() };
        ops.push(EditOp::Set(Box::new(set)));
    }
    let target = ".cb[priority<6000]".into();
    ops.push(EditOp::Remove(Remove { target, force: false }));
    ops.push(EditOp::Commit(Commit::default()));
    db.batch(Batch { ops, expected_cycle: None }).unwrap();
    assert_eq!(db.stats().unwrap().blocks, 6_000);
    assert!(db.working_state().violations().unwrap().is_empty());
}
