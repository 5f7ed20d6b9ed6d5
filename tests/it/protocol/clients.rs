//! The same operations on two stores that are alike: asked in this process, and over lines of JSON.

use crate::support::storage::Memory;
use pactdb::json::{from_json, line, parse};
use pactdb::protocol::{
    CheckSent, Client, ClientExt, Compact, Compare, Complete, Details, Dump, Envelope, Explain,
    Export, GetStats, Import, Life, LocalClient, Nodes, Notice, Operation, Rebuild, Replay, Reply,
    Request, Sink, Sql, State, Thread, Timeline, Tree, Undo, Verify, fork, handle_streaming, load,
};
use pactdb::protocol::{EndCadence, PolicyRequest};
use pactdb::session::ThreadFormat;
use pactdb::{
    Add, AttemptAction, AttemptRequest, Batch, Code, Commit, Db, Diff, EditOp, Json, Log, Map,
    Move, Options, Policy, Remove, Restore, Select, SelectOptions, Set, StackBy,
};

fn store() -> Db {
    Options::new().clock(1000).create_on(Memory::default()).unwrap()
}

/// A client at the other end of a line: nothing but text crosses it.
struct Wire(Db);

impl Client for Wire {
    fn call(&self, envelope: Envelope, sink: Sink<'_>) -> Reply {
        let exact = envelope.request.is_exact();
        let sent = line(&envelope).unwrap();
        let again: Envelope = from_json(parse(&sent).unwrap()).unwrap();
        assert_eq!(again, envelope, "{sent}");
        let near = LocalClient::new(self.0.clone());
        let answered = handle_streaming(&near, sent.into_bytes(), &mut |before| {
            let Json::Map(mut map) = parse(before).unwrap() else { panic!("{before}") };
            assert_eq!(map.remove("rid"), envelope.rid);
            sink(from_json::<Notice>(Json::Map(map)).unwrap())
        });
        let reply = Reply::from_line(&answered, exact).unwrap();
        assert_eq!(
            line(&reply).unwrap(),
            answered,
            "a reply is read and written to the same bytes"
        );
        reply
    }
}

/// Asks both, and compares what they say to the byte, and as types.
fn check<O: Operation + Clone>(near: &dyn Client, far: &dyn Client, operation: O)
where
    O::Reply: PartialEq + std::fmt::Debug,
{
    for stream in [false, true] {
        if stream && !operation.clone().into().only_reads() {
            continue;
        }
        let envelope =
            Envelope { rid: Some(Json::from(O::NAME)), stream, ..Envelope::new(operation.clone()) };
        let (mut told_near, mut told_far) = (Vec::new(), Vec::new());
        let one = near.call(envelope.clone(), &mut |notice| {
            told_near.push(notice);
            Ok(())
        });
        let other = far.call(envelope, &mut |notice| {
            told_far.push(notice);
            Ok(())
        });
        assert_eq!(line(&one).unwrap(), line(&other).unwrap(), "{}", O::NAME);
        assert_eq!(told_near, told_far, "{}", O::NAME);
        assert!(stream || told_near.is_empty());
        match (one.result, other.result) {
            (Ok(one), Ok(other)) => {
                assert_eq!(O::reply(one).unwrap(), O::reply(other).unwrap(), "{}", O::NAME);
            }
            // What was compared above is all that is sent of an error.
            (one, other) => assert_eq!(one.is_err(), other.is_err(), "{}", O::NAME),
        }
    }
}

fn add(content: Json) -> Add {
    Add { role: Some("user".into()), content: Some(content), ..Add::default() }
}

#[test]
fn a_client_in_this_process_and_one_over_lines_say_the_same() {
    let (near, far) = (LocalClient::new(store()), Wire(store()));
    everything(&near, &far);
}

/// Every operation, asked of two stores that are alike.
pub(crate) fn everything(near: &dyn Client, far: &dyn Client) {
    edits(near, far);
    questions(near, far);
    care(near, far);
}

fn edits(near: &dyn Client, far: &dyn Client) {
    let large = parse("[12345678901234567890123, 1e+16, -0.0, {\"é\": null}]").unwrap();
    check(near, far, Add { tags: vec!["a".into()], ..add(Json::from("hello")) });
    check(near, far, Add { key: Some("k".into()), cad: Some(1), ..add(large) });
    check(near, far, Add { to: Some("#nothing?".into()), ..add(Json::from("gone")) });
    check(near, far, Add { to: Some("#nothing".into()), ..add(Json::from("wrong")) });
    let attrs = Map::from([("data_x".to_owned(), parse("9223372036854775808").unwrap())]);
    check(near, far, Set { target: ".cb[role='user']".into(), attrs, ..Set::default() });
    let mut clear = Set { target: "*".into(), ..Set::default() };
    clear.clear("tags").unwrap();
    check(near, far, Set { target: "^ah .cb:nth(1)".into(), ttl: Some(Some(2)), ..clear });
    check(near, far, Commit { dry_run: true, ..Commit::default() });
    check(near, far, Commit::default());
    check(near, far, Commit { expected_cycle: Some(9), ..Commit::default() });
    let ops = vec![
        EditOp::Add(Box::new(add(Json::from("in a batch")))),
        EditOp::Policy(PolicyRequest {
            set: Some(vec![Policy { max_blocks: Some(50), ..Policy::default() }]),
        }),
        EditOp::Commit(Commit::default()),
    ];
    check(near, far, Batch { ops, expected_cycle: Some(1) });
    check(near, far, PolicyRequest::default());
    check(near, far, Add { id: Some("mine".into()), ..add(Json::from("to move")) });
    let place = Move { target: "#mine".into(), to: "^sys".into(), ..Move::default() };
    check(near, far, place);
    check(near, far, Remove { target: "#mine".into(), force: false });
    check(near, far, Undo::default());
    check(near, far, EndCadence { end: "k".into() });
    check(near, far, EndCadence { end: "nobody".into() });
    let mut start = AttemptRequest::new(AttemptAction::Start);
    (start.format, start.params) = (Some(ThreadFormat::Anthropic), Some(Json::Null));
    check(near, far, start);
    check(
        near,
        far,
        AttemptRequest {
            attempt_id: Some("none".into()),
            ..AttemptRequest::new(AttemptAction::Finish)
        },
    );
    check(near, far, AttemptRequest::new(AttemptAction::List));
    check(near, far, Restore { at: "@c1".into(), discard: true });
    check(near, far, Import { messages: Some(vec![]), ..Import::default() });
    check(near, far, Import::default());
}

fn questions(near: &dyn Client, far: &dyn Client) {
    for q in [".cb", "@c1..@c3 .cb", "@* .cb", ".cb[", "@c9 *"] {
        let options = SelectOptions { limit: Some(3), ..SelectOptions::default() };
        check(near, far, Select { q: q.into(), dialect: None, options: options.clone() });
        check(near, far, Nodes { q: q.into(), dialect: None, options });
        check(near, far, Explain { q: q.into(), ..Explain::default() });
        check(near, far, State { q: Some(q.into()), ..State::default() });
        check(near, far, Tree { q: Some(q.into()), ..Tree::default() });
    }
    for at in [None, Some("@c1"), Some("@e2"), Some("@t0"), Some("@c1..@c2"), Some("nonsense")] {
        let at = at.map(str::to_owned);
        check(near, far, Export { at: at.clone(), ..Export::default() });
        check(near, far, State { at: at.clone(), ..State::default() });
        check(near, far, Dump { at: at.clone(), ..Dump::default() });
        check(
            near,
            far,
            Details { ids: vec!["cb:1".into(), "no".into()], at: at.clone(), dialect: None },
        );
        for format in ThreadFormat::ALL {
            check(near, far, Thread { at: at.clone(), format: Some(format), ..Thread::default() });
            check(near, far, Compare { a: at.clone(), format: Some(format), ..Compare::default() });
        }
        for rich in [false, true] {
            check(near, far, Diff { a: at.clone(), rich, ..Diff::default() });
        }
    }
    check(near, far, Export { all: true, ..Export::default() });
    check(near, far, Replay::default());
    check(near, far, Replay { by_cycle: true, ..Replay::default() });
    check(near, far, Replay { after: Some(3), limit: Some(2), ..Replay::default() });
    check(
        near,
        far,
        Replay { from: Some("2".into()), to: Some("@c2".into()), ..Replay::default() },
    );
    check(near, far, Life { id: "cb:1".into(), limit: None, newest_first: true });
    check(near, far, Life { id: "nobody".into(), limit: None, newest_first: false });
    check(near, far, Log { limit: Some(3), newest_first: true, ..Log::default() });
    check(near, far, CheckSent { attempt: "nobody".into() });
    check(near, far, Complete { text: "add".into(), cursor: Some(9), at: None, dialect: None });
    check(near, far, Complete { text: "add ".into(), cursor: None, at: None, dialect: None });
    for q in ["select id, born, how, 1.5, null from lives", "select ?", "drop table lives", "selct"]
    {
        check(near, far, Sql { q: q.into(), ..Sql::default() });
        check(near, far, Sql { q: q.into(), explain: true, ..Sql::default() });
    }
    for (from, to) in
        [(None, None), (Some("2"), Some("900")), (Some("@c3"), None), (Some("@c9"), None)]
    {
        let [from, to] = [from, to].map(|time| time.map(str::to_owned));
        for by in [StackBy::Role, StackBy::Region] {
            let (from, to) = (from.clone(), to.clone());
            check(near, far, Timeline { from, to, by, tokens: true, ..Timeline::default() });
        }
    }
    check(
        near,
        far,
        Timeline { from: Some("3".into()), to: Some("2".into()), ..Timeline::default() },
    );
    check(near, far, Timeline { buckets: Some(0), ..Timeline::default() });
    let params = Some(parse("[\"@t0 .cb\", 1]").unwrap());
    let q = "select content from pact(?) limit ?".to_owned();
    check(near, far, Sql { q, params, limit: Some(1), explain: false });
}

fn care(near: &dyn Client, far: &dyn Client) {
    check(near, far, GetStats::default());
    check(near, far, Verify {});
    check(near, far, Rebuild {});
    check(near, far, Compact {});
}

#[test]
fn a_fork_is_made_by_the_client_out_of_what_it_is_sent() {
    let db = store();
    for text in ["one", "two"] {
        db.add(add(Json::from(text))).unwrap();
        db.commit(Commit::default()).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let [forked, copied] = ["fork.pactdb", "copy.pactdb"].map(|name| folder.path().join(name));
    let client = Wire(db.clone());
    let dump = Dump { at: Some("@c1".into()), dialect: None };
    let made = fork(&client, dump, Some("here".into()), &forked, &mut |_| {}).unwrap();
    let events = db.seq_of_cycle(1).unwrap();
    assert_eq!((made.cycle, made.events), (1, events + 1), "and where it came from");
    let fork = Db::open(&forked).unwrap();
    assert_eq!(fork.export(Some("@c1")).unwrap(), db.export(Some("@c1")).unwrap());

    let mut text = Vec::new();
    let dumped =
        pactdb::protocol::dump_to(&client, Dump::default(), &mut text, &mut |_| {}).unwrap();
    let mut direct = Vec::new();
    pactdb::session::dump(&db, &mut direct, &mut |_, _| {}).unwrap();
    assert_eq!(text, direct, "a dump over lines is the dump of the store");
    assert_eq!((dumped.events, dumped.lines.len()), (db.events(), 0));
    assert_eq!(load(&text[..], &copied, &mut |_| {}).unwrap().cycle, 2);
}

/// Blocks of a range are told as they are made: whoever wants no more after the first gets no more.
#[test]
fn a_range_is_told_block_by_block_and_ends_when_nobody_reads_on() {
    let db = store();
    for _ in 0..50 {
        db.add(add("x".into())).unwrap();
        db.commit(Commit::new()).unwrap();
    }
    let near = LocalClient::new(db.clone());
    let whole = db.select("@history .cb").unwrap();
    let pactdb::Selected::Range(whole) = whole else { panic!("{whole:?}") };
    for client in [&near as &dyn Client, &Wire(db.clone())] {
        let mut told = Vec::new();
        let mut take = |notice| {
            if let Notice::Part(part) = notice {
                told.push(from_json::<pactdb::answer::DiffBlock>(part).unwrap());
            }
            Ok(())
        };
        let reply = client.ask_streaming(Select::new("@history .cb"), &mut take).unwrap().reply;
        assert_eq!(told, whole.diffs);
        let pactdb::protocol::Selection::Range(reply) = reply else { panic!("{reply:?}") };
        assert_eq!((reply.diffs.len(), &reply.snapshots), (0, &whole.snapshots));
        let mut parts = 0;
        let mut refuse = |_| {
            parts += 1;
            Err(pactdb::Error::new(Code::Cancelled, "that is enough"))
        };
        let ended = client.ask_streaming(Select::new("@history .cb"), &mut refuse);
        assert_eq!(ended.map(|_| ()).unwrap_err().message, "that is enough");
        assert_eq!(parts, 1);
    }
}

/// A sink that refuses ends the operation: nobody is there any more.
#[test]
fn a_sink_that_has_gone_ends_the_operation() {
    let client = LocalClient::new(store());
    client.ask(add(Json::from("text"))).unwrap();
    let mut parts = 0;
    let error = client.ask_streaming(Dump::default(), &mut |_| {
        parts += 1;
        Err(pactdb::Error::new(Code::StoreIo, "nobody reads"))
    });
    assert_eq!((error.unwrap_err().message.as_str(), parts), ("nobody reads", 1));
}

/// What goes around a request is told from what is in it.
#[test]
fn an_envelope_is_judged_like_a_request() {
    let db = store();
    let told = |request: &str| pactdb::protocol::handle_line(&db, request);
    assert!(
        told(r#"{"op":"stats","timeout_ms":100,"stream":false,"rid":[1]}"#)
            .starts_with(r#"{"rid":[1],"ok""#)
    );
    for (request, code, word) in [
        (
            r#"{"op":"stats","timeout_ms":"soon","rid":1}"#,
            "E_ATTR_INVALID",
            "'timeout_ms' must be an integer",
        ),
        (r#"{"op":"stats","timeout_ms":-1}"#, "E_ATTR_INVALID", "'timeout_ms' cannot be negative"),
        (r#"{"op":"stats","stream":1}"#, "E_ATTR_INVALID", "'stream' must be true or false"),
        (r#"{"op":"stats","deadline":1}"#, "E_REQUEST_INVALID", "stats does not know 'deadline'"),
    ] {
        let reply = told(request);
        assert!(reply.contains(code) && reply.contains(word), "{request}: {reply}");
    }
    let envelope: Envelope = from_json(parse(r#"{"op":"undo","timeout_ms":7}"#).unwrap()).unwrap();
    assert_eq!(envelope.timeout_ms, Some(7));
    assert_eq!(envelope.request, Request::from(Undo::default()));
}
