//! Batches: all or nothing, at most one commit, and that one last; and the cycle that a caller expects.

use super::*;

fn adds(ids: &[&str]) -> Vec<EditOp> {
    ids.iter().map(|id| EditOp::Add(Box::new(block(id)))).collect()
}

fn batch(db: &Db, ops: Vec<EditOp>) -> Result<usize, Error> {
    Ok(db.batch(Batch { ops, expected_cycle: None })?.len())
}

fn close() -> EditOp {
    EditOp::Commit(Commit::default())
}

/// A call leaves the tree, the log and the history as they were.
fn unchanged<T>(db: &Db, call: impl FnOnce() -> T) -> T {
    let state = || (db.export(None).unwrap(), db.stats().unwrap().events, db.last_cycle());
    let before = state();
    let result = call();
    assert_eq!(state(), before);
    result
}

#[test]
fn a_batch_with_a_commit_is_a_turn_in_one_call() {
    let db = store();
    let ops = adds(&["a", "b"]).into_iter().chain([close()]).collect();
    assert_eq!(batch(&db, ops).unwrap(), 3);
    assert_eq!(sketch(&db, None), "sys seq(mt:1(mc:1(a b))) ah");
}

#[test]
fn later_operations_see_what_earlier_ones_did() {
    let db = store();
    let ops = vec![
        EditOp::Add(Box::new(container("^ah", "box", 1))),
        EditOp::Add(Box::new(Add { content: Some("x".into()), ..below("#box", "a") })),
        EditOp::Set(Box::new(Set {
            attrs: [("data_y".to_owned(), Json::Int(1))].into(),
            ..set("#a")
        })),
        EditOp::Remove(Remove { target: "#nobody?".into(), force: false }),
        close(),
    ];
    assert_eq!(batch(&db, ops).unwrap(), 5);
    // printf '%s' '{"content":"x","data_y":1,"kind":"","role":""}' | sha256sum
    let hash = "ae0a2583287280182916dd146c37eb4bbc22c843af8f42b7c533c271219d6c36";
    assert_eq!(header(&db, Some("@c1"), "a", "content_hash"), Some(Json::from(hash)));
}

#[test]
fn one_refused_operation_refuses_all() {
    let db = store();
    commit(&db);
    let wrong = EditOp::Remove(Remove { target: "#nobody".into(), force: false });
    for at in 0..3 {
        let mut ops = adds(&["a", "b"]);
        ops.insert(at, wrong.clone());
        ops.push(close());
        let error = unchanged(&db, || batch(&db, ops)).unwrap_err();
        assert_eq!(error.code, Code::NodeNotFound);
        assert!(
            error.message.starts_with(&format!("operation {} of the batch: ", at + 1)),
            "{error}"
        );
    }
    batch(&db, adds(&["a", "b"])).unwrap();
}

#[test]
fn a_commit_comes_last_and_once() {
    let db = store();
    for ops in [vec![close(), adds(&["a"]).remove(0)], vec![close(), close()]] {
        assert_eq!(code(unchanged(&db, || batch(&db, ops))), Code::RequestInvalid);
    }
    assert_eq!(unchanged(&db, || batch(&db, vec![])).unwrap(), 0, "an empty one is no event");
}

#[test]
fn another_cycle_than_the_expected_one_is_a_conflict_that_names_it() {
    let db = store();
    commit_to(&db, 2);
    add(&db, block("a"));
    for expected in [-1, 0, 1, 3] {
        let request = Commit { expected_cycle: Some(expected), ..Commit::default() };
        let error = unchanged(&db, || db.commit(request)).unwrap_err();
        assert_eq!((error.code, error.details.cycle), (Code::Conflict, Some(2)));
        let request = Batch { ops: adds(&["b"]), expected_cycle: Some(expected) };
        let error = unchanged(&db, || db.batch(request)).unwrap_err();
        assert_eq!((error.code, error.details.cycle), (Code::Conflict, Some(2)));
    }
    let ops = adds(&["b"]).into_iter().chain([close()]).collect();
    db.batch(Batch { ops, expected_cycle: Some(2) }).unwrap();
    assert_eq!(db.last_cycle(), 3);
    let request = Commit { expected_cycle: Some(3), ..Commit::default() };
    assert_eq!(db.commit(request).unwrap().cycle, 4);
}

/// What a program builds in Rust is the JSON of the protocol, and the other way round.
#[test]
fn requests_are_plain_data() {
    use pactdb::protocol::Request;
    use pactdb::{Add, Json, Set};
    let add = Add {
        to: Some("^sys".into()),
        node_type: Some("cb:note".into()),
        ttl: Some(2),
        tags: vec!["a".into()],
        content: Some(Json::from("text")),
        ..Add::default()
    };
    let mut json = serde_json::to_value(&add).unwrap();
    assert_eq!(
        json,
        serde_json::json!({"to": "^sys", "type": "cb:note", "ttl": 2, "tags": ["a"], "content": "text"})
    );
    json["op"] = "add".into();
    let op: Request = serde_json::from_value(json).unwrap();
    assert_eq!(op, Request::from(add));
    let set = Set { target: "#a".into(), ttl: Some(None), ..Set::default() };
    let mut json = serde_json::to_value(&set).unwrap();
    assert_eq!(json, serde_json::json!({"target": "#a", "ttl": null}));
    json["op"] = "set".into();
    let op: Request = serde_json::from_value(json).unwrap();
    assert_eq!(op, Request::from(set));
}
