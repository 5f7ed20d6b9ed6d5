//! A dry run of a commit says what would happen, and nothing happens.

use super::{block, code, sketch, store};
use crate::support::disk::Disk;
use crate::support::life::{CLOCK, ask, must};
use pactdb::{Add, Batch, Code, Commit, Db, EditOp, Options};
use serde_json::json;

const DRY: Commit =
    Commit { created_at_ns: None, expected_cycle: None, expected_event: None, dry_run: true };

/// A store in which the next commit expires, cascades, prunes and brings back.
fn eventful(db: &Db) {
    for request in [
        json!({"op": "policy", "set": [{"region": "^sys", "max_blocks": 1}]}),
        json!({"op": "add", "to": "^sys", "id": "old", "content": "x"}),
        json!({"op": "add", "to": "^sys", "id": "new", "priority": 5, "content": "y"}),
        json!({"op": "add", "id": "box", "container": true, "offset": 1, "removable": true}),
        json!({"op": "add", "to": "#box", "id": "brief", "ttl": 0, "content": "z"}),
        json!({"op": "add", "id": "again", "key": "k", "cad": 1, "ttl": 0, "content": "w"}),
    ] {
        must(db, &request);
    }
}

#[test]
fn a_dry_run_says_what_the_commit_then_does() {
    let db = store();
    eventful(&db);
    let (before, events) = (sketch(&db, None), db.events());
    let said = db.commit(DRY).unwrap();
    assert_eq!((said.cycle, said.turn.as_deref()), (1, Some("mt:1")));
    assert_eq!(said.expired, ["again", "brief"]);
    assert_eq!(said.cascaded, ["box"]);
    assert_eq!(said.pruned, ["old"]);
    assert_eq!(said.materialized.len(), 1);
    assert_eq!((sketch(&db, None), db.events(), db.last_cycle()), (before, events, 0));
    assert_eq!(db.commit(DRY).unwrap(), said);
    assert_eq!(db.commit(Commit::default()).unwrap(), said);
    db.verify(|_| {}).unwrap();
}

#[test]
fn a_dry_run_writes_not_one_byte() {
    let disk = Disk::default();
    let db = Options::new().clock(CLOCK).create_on(disk.clone()).unwrap();
    eventful(&db);
    let bytes = disk.bytes();
    db.commit(DRY).unwrap();
    assert!(disk.bytes() == bytes, "a dry run wrote something");
}

#[test]
fn a_dry_run_uses_no_ids() {
    let [tried, plain] = [true, false].map(|dry_run| {
        let db = store();
        eventful(&db);
        if dry_run {
            db.commit(DRY).unwrap();
        }
        db.add(Add::default()).unwrap();
        db.commit(Commit::default()).unwrap();
        db.export(None).unwrap()
    });
    assert_eq!(tried, plain);
}

#[test]
fn a_dry_run_expects_a_cycle_and_stands_alone() {
    let db = store();
    db.add(block("a")).unwrap();
    let request = Commit { expected_cycle: Some(4), ..DRY };
    assert_eq!(code(db.commit(request)), Code::Conflict);
    let ops = vec![EditOp::Add(Box::new(block("b"))), EditOp::Commit(DRY)];
    let batch = Batch { ops, expected_cycle: None };
    assert_eq!(code(db.batch(batch)), Code::RequestInvalid);
    assert_eq!(sketch(&db, None), "sys seq ah(mc:1(a))");
    let reply = ask(&db, &json!({"op": "commit", "dry_run": "yes"}));
    assert_eq!(reply["error"]["code"], "E_ATTR_INVALID");
    let ops = json!([{"op": "commit", "dry_run": true}]);
    let reply = ask(&db, &json!({"op": "batch", "ops": ops}));
    assert_eq!(reply["error"]["code"], "E_REQUEST_INVALID");
}
