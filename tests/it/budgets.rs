//! A question under a budget ends when its time is over or somebody ends it, says how far it was, and
//! leaves the store as it was.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::life::{CLOCK, must};
use crate::support::storage::Memory;
use pactdb::internals::budget;
use pactdb::internals::budget::Reason;
use pactdb::session::{ImportRequest, Replay, ReplayRequest, dump, import, life};
use pactdb::{Budget, Cancel, Db, Diff, Options, Result, TimelineRange};
use serde_json::json;
use std::time::{Duration, Instant};

/// Runs until it is stopped.
fn endless() -> budget::Stopped {
    for done in 0u64.. {
        if let Err(stopped) = budget::reached("things were done", done, None) {
            return stopped;
        }
    }
    unreachable!("it is stopped before it has counted that far")
}

#[test]
fn the_time_of_a_budget_ends_work() {
    let began = Instant::now();
    let stopped = Budget::new().timeout(Duration::from_millis(20)).run(endless);
    assert_eq!(stopped.reason, Reason::TimedOut);
    assert!(stopped.after >= Duration::from_millis(20) && began.elapsed() >= stopped.after);
    assert!(stopped.to_string().contains("things were done"), "{stopped}");
    assert!(budget::check().is_ok(), "nothing is in force any more");
}

#[test]
fn somebody_else_ends_work() {
    let cancel = Cancel::new();
    let stopped = std::thread::scope(|scope| {
        let work = scope.spawn(|| Budget::new().cancelled_by(&cancel).run(endless));
        cancel.cancel();
        work.join().unwrap()
    });
    assert_eq!(stopped.reason, Reason::Cancelled);
    assert_eq!(stopped.code().as_str(), "E_CANCELLED");
}

/// A budget inside of another keeps to both.
#[test]
fn an_inner_budget_cannot_loosen_an_outer_one() {
    let outer = Budget::new().timeout(Duration::from_millis(20));
    let inner = Budget::new().timeout(Duration::from_secs(3600));
    let stopped = outer.run(|| inner.run(endless));
    assert_eq!(stopped.code().as_str(), "E_TIMEOUT");
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = Budget::new().cancelled_by(&cancel).run(|| inner.run(budget::check));
    assert_eq!(stopped.unwrap_err().reason, Reason::Cancelled);
}

#[test]
fn a_panic_takes_its_budget_along() {
    let caught = std::panic::catch_unwind(|| {
        Budget::new().timeout(Duration::from_nanos(1)).run(|| {
            std::panic::resume_unwind(Box::new(()));
        })
    });
    assert!(caught.is_err());
    assert!(budget::check().is_ok());
}

#[test]
fn no_time_is_no_bound() {
    assert!(Budget::new().timeout(Duration::ZERO).run(budget::check).is_ok());
}

/// A store in which questions have something to do.
fn lived() -> Db {
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    for turn in 0..70 {
        let text = format!("question {turn}");
        must(&db, &json!({"op": "add", "id": format!("u{turn}"), "role": "user", "content": text}));
        must(&db, &json!({"op": "add", "role": "tool", "content": "for a while", "ttl": 3}));
        must(&db, &json!({"op": "commit"}));
    }
    must(&db, &json!({"op": "add", "role": "user", "content": "not committed"}));
    db
}

/// Everything that may take long, each under its name.
type Work = (&'static str, fn(&Db) -> Result<()>);

const WORK: [Work; 15] = [
    ("a scan", |db| db.select("@t0 .cb[role='user']").map(drop)),
    ("nodes", |db| db.nodes(".cb").map(drop)),
    ("a search", |db| db.select(".cb[content~'question 6.']").map(drop)),
    ("counting", |db| db.select("@t0 .cb:last").map(drop)),
    ("every snapshot", |db| db.select("@* .cb").map(drop)),
    ("an id anywhere", |db| db.select("@* #u3").map(drop)),
    ("a range", |db| db.select("@c1..@c60 .cb").map(drop)),
    ("a range with depths", |db| db.select("@c1..@c60 .mt:depth(1-3) .cb").map(drop)),
    ("a diff", |db| {
        let (a, b) = (Some("@c3".to_owned()), Some("@c60".to_owned()));
        db.diff(&Diff { a, b, ..Diff::default() }).map(drop)
    }),
    ("an export", |db| db.export(Some("@c60")).map(drop)),
    ("a replay", |db| {
        Replay::new(db, &ReplayRequest::default())?.try_for_each(|step| step.map(drop))
    }),
    ("a life", |db| life(db, "u3").map(drop)),
    ("a dump", |db| dump(db, &mut std::io::sink(), &mut |_, _| {}).map(drop)),
    ("a timeline", |db| db.timeline(&TimelineRange::default()).map(drop)),
    ("a check of everything", |db| db.verify(|_| {}).map(drop)),
];

#[test]
fn whatever_takes_long_can_be_stopped() {
    let db = lived();
    let cancel = Cancel::new();
    cancel.cancel();
    for (name, work) in WORK {
        work(&db).unwrap_or_else(|error| panic!("{name} without a budget: {error}"));
        // What was read before is cached, and is asked for again all the same.
        let stopped = Budget::new().cancelled_by(&cancel).run(|| work(&db));
        let error = stopped.expect_err(name);
        assert_eq!(error.code.as_str(), "E_CANCELLED", "{name}: {error}");
        let stopped = Budget::new().timeout(Duration::from_nanos(1)).run(|| work(&db));
        assert_eq!(stopped.expect_err(name).code.as_str(), "E_TIMEOUT", "{name}");
    }
    db.verify(|_| {}).unwrap();
}

/// An import that is stopped before its last step has not happened.
#[test]
fn an_import_that_is_stopped_leaves_nothing() {
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    must(&db, &json!({"op": "add", "role": "user", "content": "before"}));
    must(&db, &json!({"op": "commit"}));
    let before = db.export(None).unwrap();
    let messages: Vec<String> = (0..300)
        .map(|i| json!({"role": "user", "content": format!("message {i}")}).to_string())
        .collect();
    let document = messages.join("\n");
    for turns in [1, 70, 299] {
        let cancel = Cancel::new();
        let mut progress = |progress| {
            if matches!(progress, pactdb::session::ImportProgress::Writing { done, .. } if done == turns)
            {
                cancel.cancel();
            }
        };
        let stopped = Budget::new()
            .cancelled_by(&cancel)
            .run(|| import(&db, document.as_bytes(), &ImportRequest::default(), &mut progress));
        let error = stopped.expect_err("it was stopped");
        assert_eq!(error.code.as_str(), "E_CANCELLED", "{error}");
        assert!(error.message.contains(&format!("{turns} of 300")), "{error}");
        assert_eq!(db.export(None).unwrap(), before);
        assert_eq!(db.last_cycle(), 1);
    }
    db.verify(|_| {}).unwrap();
    import(&db, document.as_bytes(), &ImportRequest::default(), &mut |_| {}).unwrap();
    assert_eq!(db.last_cycle(), 301);
}

/// Rebuilding the index can be given up: the old one stays.
#[test]
fn a_rebuild_that_is_stopped_leaves_the_old_index() {
    let db = lived();
    let before = db.export(Some("@c60")).unwrap();
    let cancel = Cancel::new();
    let stopped = Budget::new().cancelled_by(&cancel).run(|| db.rebuild(|_| cancel.cancel()));
    // A small log is read in one go: then it was done before anybody could stop it.
    if let Err(error) = stopped {
        assert_eq!(error.code.as_str(), "E_CANCELLED", "{error}");
    }
    cancel.cancel();
    let stopped = Budget::new().cancelled_by(&cancel).run(|| db.rebuild(|_| {}));
    assert_eq!(stopped.unwrap_err().code.as_str(), "E_CANCELLED");
    assert_eq!(db.export(Some("@c60")).unwrap(), before);
    db.verify(|_| {}).unwrap();
    must(&db, &json!({"op": "commit"}));
}
