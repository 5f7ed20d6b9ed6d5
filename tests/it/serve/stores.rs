//! Which stores are open: on demand, a bounded number, not longer than they are used.

use super::*;
use pactdb::Code;
use pactdb::attach::{Attached, Sharing};
use pactdb::protocol::{Client, ClientExt, GetStats};

const STATS: &str = r#"{"op":"stats"}"#;

fn open_stores(served: &Served) -> usize {
    let metrics = served.send("GET", "/metrics", "").body;
    let line = metrics.lines().find_map(|line| line.strip_prefix("pactdb_open_stores "));
    line.unwrap().parse().unwrap()
}

#[test]
fn a_store_is_closed_after_a_while_without_use() {
    let served = Served::start(|settings| settings.limits.idle = Duration::from_millis(100));
    served.store("alice", 1);
    assert_eq!(served.ask("alice", STATS).status, 200);
    served.wait_for("pactdb_open_stores 0");
    let db = Db::open(served.path("alice")).unwrap();
    drop(db);
    assert_eq!(served.ask("alice", STATS).status, 200, "it is opened again");
}

/// Whoever is attached to the server uses the store as well as those who ask over HTTP.
#[test]
fn a_store_that_somebody_is_attached_to_stays_open() {
    let served = Served::start(|settings| settings.limits.idle = Duration::from_millis(50));
    served.store("alice", 1);
    assert_eq!(served.ask("alice", STATS).status, 200);
    let attached = Attached::to(served.path("alice")).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(attached.ask(GetStats::default()).unwrap().turns, 1);
    assert_eq!(open_stores(&served), 1);
    drop(attached);
    served.wait_for("pactdb_open_stores 0");
}

/// Among many stores, the oldest one was sought by times that changed under the search, which panicked.
#[test]
fn few_stores_are_open_at_a_time() {
    let served = Served::start(|settings| settings.limits.open_stores = 4);
    let names: Vec<String> = (0..40).map(|number| format!("store-{number}")).collect();
    names.iter().for_each(|name| served.store(name, 1));
    std::thread::scope(|scope| {
        for start in 0..8 {
            let (served, names) = (&served, &names);
            scope.spawn(move || {
                for step in 0..20 {
                    let name = &names[(start * 7 + step * 3) % names.len()];
                    let answer = served.ask(name, r#"{"op":"add","content":"x"}"#);
                    assert_eq!(answer.status, 200, "{answer:?}");
                }
            });
        }
    });
    assert!(open_stores(&served) <= 4);
    let counted: usize = names
        .iter()
        .map(|name| {
            let answer = served.ask(name, r#"{"op":"select","q":"^ah .cb"}"#).body;
            let reply: serde_json::Value = serde_json::from_str(&answer).unwrap();
            reply["ok"].as_array().unwrap().len()
        })
        .sum();
    assert_eq!(counted, 160, "no edit is lost");
}

#[test]
fn stores_are_made_by_request_if_that_is_allowed() {
    let served = Served::start(|_| {});
    assert_eq!(served.ask("alice", r#"{"op":"add","content":"x"}"#).status, 404);
    assert_eq!(served.ask("alice?create=1.0", r#"{"op":"add","content":"x"}"#).status, 200);
    assert!(served.ask("alice", STATS).body.contains("\"spec\":\"1.0\""));
    let made = served.send("PUT", "/v1/stores/bob", "");
    assert_eq!(made.body, "{\"ok\":{\"spec\":\"0.1\",\"store\":\"bob\"}}\n");
    assert_eq!(served.send("PUT", "/v1/stores/bob", "").status, 409);
    let list = served.send("GET", "/v1/stores", "").body;
    assert_eq!(list, "{\"ok\":{\"stores\":[\"alice\",\"bob\"]}}\n");
    let strict = Served::start(|settings| settings.create = false);
    assert_eq!(strict.ask("alice?create=0.1", STATS).status, 404);
    assert_eq!(strict.send("PUT", "/v1/stores/alice", "").status, 403);
    assert!(!strict.path("alice").exists());
}

#[test]
fn single_stores_are_served_by_their_names() {
    let other = tempfile::tempdir().unwrap();
    let path = other.path().join("one.pactdb");
    drop(Db::create(&path, Generation::V0_1).unwrap());
    let served = Served::start(|settings| settings.places.push(path));
    served.store("alice", 0);
    let list = served.send("GET", "/v1/stores", "").body;
    assert_eq!(list, "{\"ok\":{\"stores\":[\"alice\",\"one\"]}}\n");
    assert_eq!(served.ask("one", STATS).status, 200);
    assert_eq!(served.ask("two", STATS).status, 404);
}

/// The server attaches to who has a store, and opens it when that one has left.
#[test]
fn a_store_that_somebody_has_is_attached_to() {
    let served = Served::start(|_| {});
    let db = Db::create(served.path("alice"), Generation::V0_1).unwrap();
    let sharing = Sharing::start(&db, Access::Write).unwrap();
    let add = |id: &str| served.ask("alice", &format!(r#"{{"op":"add","id":"{id}"}}"#));
    assert_eq!(add("one").status, 200);
    assert!(db.working_state().node("one").unwrap().is_some(), "it came to the holder");
    drop(sharing);
    drop(db);
    let first = add("two");
    assert!([200, 503].contains(&first.status), "{first:?}");
    assert!(first.status == 200 || first.body.contains("E_STORE_GONE"), "{first:?}");
    let start = Instant::now();
    while add("three").status != 200 {
        assert!(start.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(10));
    }
    // Now the server has it, and others attach to the server.
    let attached = Attached::to(served.path("alice")).unwrap();
    assert_eq!(attached.process(), Some(std::process::id()));
    assert_eq!(
        attached.ask(GetStats::default()).unwrap().uncommitted,
        2 + u64::from(first.status == 200)
    );
}

#[test]
fn a_store_that_is_not_shared_is_locked() {
    let served = Served::start(|settings| settings.attach = false);
    let db = Db::create(served.path("alice"), Generation::V0_1).unwrap();
    let answer = served.ask("alice", STATS);
    assert_eq!(answer.status, 423, "{answer:?}");
    drop(db);
    assert_eq!(served.ask("alice", STATS).status, 200);
    let broken = served.path("broken");
    std::fs::write(&broken, "this is no store").unwrap();
    let answer = served.ask("broken", STATS);
    assert_eq!(answer.status, 500, "{answer:?}");
    assert!(answer.body.contains(Code::StoreFormat.as_str()), "{answer:?}");
}
