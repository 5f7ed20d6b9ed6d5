//! What is answered: the same bytes as in process, with a status for each code.

use super::*;
use crate::protocol::clients::everything;
use crate::support::follow::{chosen_ids, handle_following};
use crate::support::model::Model;
use crate::support::ops::{self, Op};
use pactdb::attach::Sharing;
use pactdb::json::line;
use pactdb::protocol::{Client, ClientExt, Envelope, LocalClient, handle_line, handle_streaming};
use pactdb::remote::Remote;
use pactdb::serve::{openapi, status};
use pactdb::{Code, Options, Select};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::Value;

const CLOCK: i64 = 1000;

/// A store whose clock stands still, in a file, shared with whoever wants to attach.
fn held(path: PathBuf) -> (Db, Sharing) {
    let db = Options::new().clock(CLOCK).create(path).unwrap();
    let sharing = Sharing::start(&db, Access::Write).unwrap();
    (db, sharing)
}

/// A server whose own stores have that clock too.
fn with_clock() -> Served {
    Served::start(|settings| settings.options = || Options::new().clock(CLOCK))
}

/// The server has the store, or attaches to the process that has it, which is this one.
#[test]
fn a_client_over_http_says_what_a_client_in_this_process_says() {
    for attaches in [false, true] {
        let served = with_clock();
        let held = attaches.then(|| held(served.path("far")));
        let near = Options::new().clock(CLOCK).create(served.path("near")).unwrap();
        let remote = Remote::new(&served.url("far"), Some(WRITER.into())).unwrap();
        if held.is_none() {
            remote.create(Generation::V0_1).unwrap();
        }
        everything(&LocalClient::new(near), &remote);
    }
}

fn random_life(served: &Served, name: &str, spec: &str, attaches: bool, ops: &[Op]) {
    let generation = Generation::from_name(spec).unwrap();
    let options = || Options::new().generation(generation).clock(CLOCK);
    let far = attaches.then(|| options().create(served.path(name)).unwrap());
    let _sharing = far.as_ref().map(|far| Sharing::start(far, Access::Write).unwrap());
    if far.is_none() {
        assert_eq!(served.send("PUT", &format!("/v1/stores/{name}?spec={spec}"), "").status, 200);
    }
    let near = options().create_on(crate::support::storage::Memory::default()).unwrap();
    let mut model = Model::with_clock(spec, CLOCK);
    for op in ops {
        let request = op.request(&model);
        let text = request.to_string();
        let expected = handle_line(&near, &text);
        let answer = served.ask(name, &text);
        assert_eq!(answer.body, format!("{expected}\n"), "{text}");
        let reply: Value = serde_json::from_str(&expected).unwrap();
        let code = reply["error"]["code"].as_str().map(|code| Code::from_name(code).unwrap());
        assert_eq!(answer.status, code.map_or(200, status), "{text}");
        let mut exports = vec![near.export(None).unwrap()];
        for cycle in near.history().iter() {
            exports.push(near.export(Some(&format!("@c{cycle}"))).unwrap());
        }
        let exports: Vec<Value> =
            exports.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        let chosen = match request["dry_run"] == true {
            true => Default::default(),
            false => chosen_ids(&model, &request, &exports),
        };
        handle_following(&mut model, &request, chosen);
    }
}

/// The lives of the suite's model, sent over HTTP.
#[test]
fn random_operations_are_answered_to_the_byte() {
    let served = with_clock();
    let mut runner = TestRunner::deterministic();
    for number in 0..12 {
        let ops = ops::sequence(20..40).new_tree(&mut runner).unwrap().current();
        let spec = if number % 2 == 0 { "0.1" } else { "1.0" };
        random_life(&served, &format!("far-{number}"), spec, number % 4 < 2, &ops);
    }
}

#[test]
fn a_list_of_operations_is_a_list_of_replies() {
    let served = Served::start(|_| {});
    served.store("alice", 2);
    let answer = served.ask(
        "alice",
        r#"[{"op":"add","id":"q1","content":"x","rid":7}, {"op":"add","id":"q1"}, 5, {"op":"select","q":"^ah .cb","stream":true}]"#,
    );
    assert_eq!(answer.status, 200);
    let replies: Vec<Value> = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(replies[0].to_string(), r#"{"ok":{"id":"q1"},"rid":7}"#);
    assert_eq!(replies[1]["error"]["code"], "E_NODE_EXISTS");
    assert_eq!(replies[2]["error"]["code"], "E_REQUEST_INVALID");
    assert_eq!(replies[3]["ok"], serde_json::json!(["q1"]));
    let wrong = served.ask("alice", "[1, 2");
    assert_eq!(wrong.status, 400, "{wrong:?}");
    assert_eq!(served.ask("alice", "[]").body, "[]\n");
}

#[test]
fn a_request_that_streams_is_answered_in_lines() {
    let served = Served::start(|_| {});
    served.store("alice", 40);
    let request = r#"{"op":"dump","stream":true,"rid":"a"}"#;
    let client = LocalClient::new(Db::open(served.path("alice")).unwrap());
    let mut expected = String::new();
    let last = handle_streaming(&client, request.as_bytes().to_vec(), &mut |line| {
        expected += &format!("{line}\n");
        Ok(())
    });
    drop(client);
    let answer = served.ask("alice", request);
    assert!(answer.head.contains("content-type: application/x-ndjson"), "{answer:?}");
    assert_eq!(answer.body, format!("{expected}{last}\n"));
    let refused = served.ask("alice", r#"{"op":"dump","at":"@c99","stream":true}"#);
    assert_eq!(refused.status, 404, "what is refused at once has its status: {refused:?}");
}

#[test]
fn a_watch_is_asked_for_as_an_operation() {
    let served = Served::start(|_| {});
    served.store("alice", 1);
    let answer = served.send("GET", "/v1/stores/alice/watch?q=.cb[", "");
    assert_eq!(answer.status, 400, "{answer:?}");
    assert!(answer.body.starts_with("{\"error\":{\"code\":\"E_"), "{answer:?}");
    let token = format!("Bearer {WRITER}");
    let all = [("authorization", token.as_str())];
    let path = "/v1/stores/alice/watch?from=@c1&limit=2";
    let past = served.send_as(&all, "GET", path, "");
    assert!(past.head.contains("content-type: text/event-stream"), "{past:?}");
    let events: Vec<&str> = past.body.split("\n\n").filter(|event| event.len() > 1).collect();
    assert_eq!(events.len(), 3, "{past:?}");
    assert!(events[0].starts_with("id: 1\nevent: part\ndata: {"), "{past:?}");
    assert!(events[2].starts_with("event: reply\ndata: {\"ok\":"), "{past:?}");
    let on = [all[0], ("last-event-id", "1")];
    let rest = served.send_as(&on, "GET", "/v1/stores/alice/watch?from=@c1&limit=1", "");
    assert!(rest.body.contains("id: 2\n") && !rest.body.contains("id: 1\n"), "{rest:?}");
}

/// A watch tells of what happens, ends when nobody reads it, and does not keep the server from ending.
#[test]
fn a_watch_goes_on_until_somebody_ends_it() {
    let served = Served::start(|settings| settings.limits.timeout = Duration::from_millis(100));
    served.store("alice", 1);
    let watch = || {
        let mut stream = TcpStream::connect(served.address).unwrap();
        let head = format!(
            "GET /v1/stores/alice/watch?token={WRITER} HTTP/1.1\r\nhost: localhost\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut reader = std::io::BufReader::new(stream);
        let mut line = String::new();
        // The head comes when the watch has begun.
        while line != "\r\n" {
            line.clear();
            std::io::BufRead::read_line(&mut reader, &mut line).unwrap();
        }
        reader
    };
    let until = |reader: &mut std::io::BufReader<TcpStream>, word: &str| {
        let mut line = String::new();
        while !line.contains(word) {
            line.clear();
            assert!(std::io::BufRead::read_line(reader, &mut line).unwrap() > 0, "{word}");
        }
    };
    let (mut first, mut second) = (watch(), watch());
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(served.ask("alice", r#"{"op":"add","id":"seen"}"#).status, 200);
    until(&mut first, "\"seen\"");
    until(&mut second, "\"seen\"");
    drop(first);
    served.wait_for("pactdb_operations_total{op=\"watch\",code=\"E_CANCELLED\"} 1");
    let start = Instant::now();
    served.stop.stop();
    until(&mut second, "event: reply");
    until(&mut second, "E_CANCELLED");
    drop(served);
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
}

#[test]
fn an_error_brings_its_text_to_who_asks_for_it() {
    let served = Served::start(|_| {});
    served.store("alice", 1);
    let request = r#"{"op":"select","q":".cb["}"#;
    let plain = served.ask("alice", request);
    assert_eq!(plain.status, 400);
    let (ends, with) = ("}}\n", served.send("POST", "/v1/stores/alice?text", request).body);
    let before = plain.body.strip_suffix("}\n").unwrap();
    assert!(plain.body.ends_with(ends), "{}", plain.body);
    assert_eq!(with, format!("{before},\"text\":\".cb[\"}}\n"));
    let remote = Remote::new(&served.url("alice"), Some(WRITER.into())).unwrap();
    let error = remote.ask(Select::new(".cb[")).unwrap_err();
    assert_eq!(error.details.text.as_deref(), Some(".cb["));
}

#[test]
fn every_code_has_a_status() {
    for code in Code::ALL {
        assert!((400..600).contains(&status(*code)), "{code}");
    }
    let of = |name: &str| status(Code::from_name(name).unwrap());
    assert_eq!(of("E_NODE_NOT_FOUND"), 404);
    assert_eq!(of("E_STORE_LOCKED"), 423);
    assert_eq!(of("E_TIMEOUT"), 504);
}

#[test]
fn what_is_no_operation_is_answered_as_one() {
    let served = Served::start(|_| {});
    served.store("alice", 1);
    for (method, path, body, status) in [
        ("POST", "/v1/stores/alice", "{", 400),
        ("POST", "/v1/stores/alice", "", 400),
        ("POST", "/v1/stores/alice", "{\"op\":\"nothing\"}", 400),
        ("POST", "/v1/stores/nobody", "{\"op\":\"stats\"}", 404),
        ("GET", "/v1/stores/alice", "", 405),
        ("GET", "/v2", "", 404),
        ("PUT", "/v1/stores/alice", "", 409),
        ("PUT", "/v1/stores/new?spec=7", "", 400),
    ] {
        let answer = served.send(method, path, body);
        assert_eq!(answer.status, status, "{method} {path} {body}: {answer:?}");
        assert!(answer.body.starts_with("{\"error\":{\"code\":\"E_"), "{answer:?}");
        assert!(answer.head.contains("content-type: application/json"), "{answer:?}");
    }
}

#[test]
fn the_metrics_count() {
    let served = Served::start(|_| {});
    served.store("alice", 1);
    served.ask("alice", r#"{"op":"add","content":"a secret"}"#);
    served.ask("alice", r#"{"op":"commit"}"#);
    served.ask("alice", r#"{"op":"batch","ops":[{"op":"add"},{"op":"commit"}]}"#);
    served.ask("alice", r#"{"op":"commit","dry_run":true}"#);
    served.ask("alice", r#"{"op":"select","q":"[["}"#);
    served.send_as(&[], "GET", "/v1/stores", "");
    let metrics = served.send("GET", "/metrics", "");
    assert!(metrics.head.contains("content-type: text/plain; version=0.0.4"), "{metrics:?}");
    for line in [
        "pactdb_operations_total{op=\"add\",code=\"ok\"} 1",
        "pactdb_operations_total{op=\"commit\",code=\"ok\"} 2",
        "pactdb_operations_total{op=\"select\",code=\"E_SELECTOR_INVALID\"} 1",
        "pactdb_operation_seconds_count{op=\"commit\"} 2",
        "pactdb_operation_seconds_bucket{op=\"add\",le=\"+Inf\"} 1",
        "pactdb_refused_total{code=\"E_UNAUTHORIZED\"} 1",
        "pactdb_commits_total 2",
        "pactdb_open_stores 1",
    ] {
        assert!(metrics.body.lines().any(|found| found == line), "{line} in\n{}", metrics.body);
    }
    assert!(!metrics.body.contains("alice") && !metrics.body.contains("secret"));
}

#[test]
fn the_description_is_whole() {
    let served = Served::start(|_| {});
    let answer = served.send("GET", "/v1/openapi.json", "");
    let document: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(document, serde_json::from_str::<Value>(&line(&openapi()).unwrap()).unwrap());
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let mut left = vec![&document];
    let mut references = 0;
    while let Some(value) = left.pop() {
        match value {
            Value::Object(map) => {
                if let Some(Value::String(place)) = map.get("$ref") {
                    let name = place.strip_prefix("#/components/schemas/").unwrap();
                    assert!(schemas.contains_key(name), "{name} is nowhere");
                    references += 1;
                }
                left.extend(map.values());
            }
            Value::Array(list) => left.extend(list),
            _ => {}
        }
    }
    assert!(references > 20 && schemas.contains_key("select.ok"), "{references}");
    for path in ["/v1/stores", "/v1/stores/{name}", "/v1/stores/{name}/watch", "/metrics"] {
        assert!(document["paths"][path].is_object(), "{path}");
    }
}

/// A client over HTTP keeps its connection, and finds the server again after it was away.
#[test]
fn a_server_that_has_gone_is_told_from_one_that_never_was() {
    let served = Served::start(|_| {});
    served.store("alice", 1);
    let remote = Remote::new(&served.url("alice"), Some(WRITER.into())).unwrap();
    for _ in 0..5 {
        remote.ask(Select::new(".cb")).unwrap();
    }
    let metrics = served.send("GET", "/metrics", "").body;
    assert!(metrics.contains("pactdb_connections_total 2"), "one of its own, and this: {metrics}");
    let error = |reply: pactdb::protocol::Reply| reply.result.unwrap_err();
    drop(served);
    let gone = error(remote.call(Envelope::new(Add::user("x")), &mut |_| Ok(())));
    assert_eq!(gone.code, Code::StoreGone, "{gone}");
    assert!(gone.message.contains("nothing was done"), "{gone}");
    for (address, word) in [
        ("http://127.0.0.1:1", "there is no name"),
        ("http://127.0.0.1:1/a?token=b", "PACTDB_TOKEN"),
        ("http://:1/a", "the host"),
        ("http://127.0.0.1:99999/a", "the host"),
    ] {
        let error = Remote::new(address, None).unwrap_err();
        assert!(error.message.contains(word), "{address}: {error}");
    }
}
