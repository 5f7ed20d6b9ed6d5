//! What a provider was sent can be had again: the thread of the state in which an attempt was
//! started, byte for byte, whatever happened since.

use crate::support::life::{CLOCK, ask, must};
use crate::support::storage::Memory;
use pactdb::internals::db::Sent;
use pactdb::internals::snapshot::hex;
use pactdb::session::{Until, check_sent, copy_on, dump, load_on};
use pactdb::{AttemptAction, AttemptRequest, Code, Db, Generation, Options};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const FORMATS: [&str; 3] = ["thread", "openai", "anthropic"];

fn store(generation: Generation, storage: &Memory) -> Db {
    Options::new().generation(generation).clock(CLOCK).create_on(storage.clone()).unwrap()
}

/// The exact bytes that a thread has.
fn bytes(db: &Db, at: &Value, format: &str) -> String {
    let mut request = json!({"op": "thread", "format": format});
    request.as_object_mut().unwrap().extend(at.as_object().unwrap().clone());
    let reply = pactdb::protocol::handle_line(db, &request.to_string());
    let ok = reply.strip_prefix("{\"ok\":").unwrap_or_else(|| panic!("{request}: {reply}"));
    ok.strip_suffix('}').unwrap().to_owned()
}

/// Asks, starts a call in each format, answers, and goes on; the bytes that were sent.
fn lived(db: &Db) -> Vec<(String, String)> {
    must(db, &json!({"op": "add", "to": "^sys", "role": "system", "content": "Be brief."}));
    must(db, &json!({"op": "add", "role": "user", "content": "how warm?"}));
    // It is in no snapshot.
    must(db, &json!({"op": "add", "role": "user", "ttl": 0, "content": "18 degrees"}));
    let mut sent = Vec::new();
    for format in FORMATS {
        let live = bytes(db, &json!({}), format);
        let start = json!({"op": "attempt", "action": "start", "format": format});
        let attempt = must(db, &start);
        let hash = hex(&Sha256::digest(live.as_bytes()));
        assert_eq!(
            (&attempt["thread_format"], &attempt["thread_sha256"]),
            (&json!(format), &json!(hash))
        );
        sent.push((attempt["attempt_id"].as_str().unwrap().to_owned(), live));
    }
    for (id, _) in &sent {
        must(db, &json!({"op": "attempt", "action": "finish", "attempt_id": id, "token_out": 3}));
    }
    must(db, &json!({"op": "add", "role": "assistant", "content": "warm"}));
    must(db, &json!({"op": "undo"}));
    must(db, &json!({"op": "set", "target": "^sys .cb[role='system']", "content": "Be long."}));
    for _ in 0..3 {
        must(db, &json!({"op": "commit"}));
    }
    sent
}

fn check(db: &Db, sent: &[(String, String)]) {
    for ((id, live), format) in sent.iter().zip(FORMATS) {
        assert_eq!(bytes(db, &json!({"attempt": id}), format), *live);
        let same = check_sent(db, id).unwrap();
        assert_eq!((&same.attempt_id, same.format.as_str()), (id, format));
        assert_eq!(same.thread_sha256, hex(&Sha256::digest(live.as_bytes())));
        let attempt = db.attempt_named(id).unwrap();
        let event = json!({"at": format!("@e{}", attempt.at_event.unwrap())});
        assert_eq!(bytes(db, &event, format), *live);
        let export = must(db, &json!({"op": "export", "attempt": id}));
        assert!(export.to_string().contains("18 degrees"));
        assert!(!export.to_string().contains("Be long."));
    }
}

#[test]
fn an_attempt_s_thread_is_what_was_sent_whatever_happened_since() {
    for generation in [Generation::V0_1, Generation::V1_0] {
        let storage = Memory::default();
        let db = store(generation, &storage);
        let sent = lived(&db);
        check(&db, &sent);
        drop(db);
        let db = Options::new().clock(CLOCK).open_on(storage).unwrap();
        check(&db, &sent);
        db.rebuild(|_| {}).unwrap();
        check(&db, &sent);
        let options = || Options::new().clock(CLOCK);
        let copy = copy_on(&db, Until::End, Memory::default(), options(), &mut |_, _| {}).unwrap();
        check(&copy, &sent);
        let mut text = Vec::new();
        dump(&db, &mut text, &mut |_, _| {}).unwrap();
        let loaded =
            load_on(text.as_slice(), Memory::default(), options(), &mut |_, _| {}).unwrap();
        check(&loaded, &sent);
    }
}

#[test]
fn an_attempt_remembers_its_event_with_and_without_a_format() {
    let db = store(Generation::V0_1, &Memory::default());
    must(&db, &json!({"op": "add", "content": "x"}));
    let started = must(&db, &json!({"op": "attempt", "action": "start", "attempt_id": "a"}));
    assert_eq!(started["at_event"], json!(2));
    assert_eq!(started.get("thread_sha256"), None);
    must(&db, &json!({"op": "commit"}));
    must(&db, &json!({"op": "attempt", "action": "finish", "attempt_id": "a"}));
    let list = must(&db, &json!({"op": "attempt", "action": "list"}));
    assert_eq!((&list[0]["at_event"], &list[0]["status"]), (&json!(2), &json!("completed")));
    let started = must(&db, &json!({"op": "attempt", "action": "start", "attempt_id": "b"}));
    assert_eq!(started["at_event"], json!(5));
    let error = check_sent(&db, "a").unwrap_err();
    assert_eq!(error.code, Code::NodeNotFound);
    assert!(error.message.contains("no thread was kept of the attempt a"), "{error}");
}

#[test]
fn a_thread_that_is_another_one_is_found_out() {
    let db = store(Generation::V0_1, &Memory::default());
    must(&db, &json!({"op": "add", "content": "x"}));
    let mut request = AttemptRequest::new(AttemptAction::Start);
    request.attempt_id = Some("a".into());
    let sent = Sent { format: "openai".into(), sha256: [7; 32] };
    db.start_attempt(request, |_| Ok(sent.clone())).unwrap();
    let error = check_sent(&db, "a").unwrap_err();
    assert_eq!(error.code, Code::Conflict);
    assert!(error.message.contains("is not what was kept"), "{error}");
}

#[test]
fn a_request_for_an_attempt_s_state_is_judged() {
    let db = store(Generation::V0_1, &Memory::default());
    must(&db, &json!({"op": "attempt", "action": "start", "attempt_id": "a"}));
    for (request, code) in [
        (json!({"op": "thread", "attempt": "b"}), "E_NODE_NOT_FOUND"),
        (json!({"op": "export", "attempt": "b"}), "E_NODE_NOT_FOUND"),
        (json!({"op": "thread", "attempt": "a", "at": "@e1"}), "E_REQUEST_INVALID"),
        (json!({"op": "export", "attempt": 3}), "E_ATTR_INVALID"),
        (json!({"op": "select", "q": "*", "attempt": "a"}), "E_REQUEST_INVALID"),
        (json!({"op": "attempt", "action": "start", "format": "gemini"}), "E_REQUEST_INVALID"),
        (
            json!({"op": "attempt", "action": "finish", "attempt_id": "a", "format": "openai"}),
            "E_REQUEST_INVALID",
        ),
        (json!({"op": "attempt", "action": "list", "format": "openai"}), "E_REQUEST_INVALID"),
    ] {
        let reply = ask(&db, &request);
        assert_eq!(reply["error"]["code"], code, "{request}: {reply}");
    }
    assert_eq!(db.events(), 2);
    must(&db, &json!({"op": "thread", "attempt": "a"}));
}

#[test]
fn an_attempt_of_an_earlier_release_says_that_it_has_no_event() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("demo.pactdb");
    std::fs::copy("fixtures/stores/envelope-1/demo.pactdb", &path).unwrap();
    let db = Db::open(&path).unwrap();
    let list = db.attempt(AttemptRequest::new(AttemptAction::List)).unwrap();
    assert!(!list.is_empty() && list.iter().all(|attempt| attempt.at_event.is_none()));
    let error = db.at_attempt(&list[0].attempt_id).err().unwrap();
    assert_eq!(error.code, Code::SnapshotNotFound);
    assert!(error.message.contains("an earlier release recorded it"), "{error}");
    assert_eq!(check_sent(&db, &list[0].attempt_id).unwrap_err().code, Code::NodeNotFound);
}
