//! Who and what is kept out: tokens, hosts, origins, names, sizes, times, numbers.

use super::*;
use pactdb::serve::Limits;

const STATS: &str = r#"{"op":"stats"}"#;
const ADD: &str = r#"{"op":"add","content":"x"}"#;

/// A question that asks every snapshot in full.
const SLOW: &str = r#"{"op":"select","q":"@* .cb[age=99999]"}"#;

fn bearer(token: &str) -> [(&'static str, String); 1] {
    [("authorization", format!("Bearer {token}"))]
}

impl Served {
    fn as_token(&self, token: &str, method: &str, path: &str, body: &str) -> Answer {
        let [(name, value)] = bearer(token);
        self.send_as(&[(name, &value)], method, path, body)
    }
}

#[test]
fn a_request_needs_a_token() {
    let served = Served::start(|_| {});
    served.store("alice", 1);
    let path = "/v1/stores/alice";
    let none = served.send_as(&[], "POST", path, STATS);
    assert_eq!(none.status, 401, "{none:?}");
    assert!(none.head.contains("www-authenticate: Bearer"), "{none:?}");
    for wrong in ["x", "the-token-of-the-write", "the-token-of-the-writer2", ""] {
        let answer = served.as_token(wrong, "POST", path, STATS);
        assert_eq!(answer.status, 401, "{wrong}: {answer:?}");
        assert!(answer.body.contains("E_UNAUTHORIZED"), "{answer:?}");
    }
    let basic = served.send_as(&[("authorization", "Basic YTpi")], "POST", path, STATS);
    assert_eq!(basic.status, 401);
    for place in ["/v1/stores", "/metrics", "/v1/openapi.json", "/nothing"] {
        assert_eq!(served.send_as(&[], "GET", place, "").status, 401, "{place}");
    }
    assert_eq!(served.send_as(&[], "GET", "/healthz", "").body, "ok\n");
    // In the address it is for reading alone.
    let given = format!("/v1/stores?token={WRITER}");
    assert_eq!(served.send_as(&[], "GET", &given, "").body, "{\"ok\":{\"stores\":[\"alice\"]}}\n");
    let given = format!("{path}?token={WRITER}");
    assert_eq!(served.send_as(&[], "POST", &given, STATS).status, 401);
}

#[test]
fn a_token_allows_what_it_says() {
    let served = Served::start(|_| {});
    served.store("alice", 1);
    served.store("bob", 1);
    let ask = |token: &str, store: &str, body: &str| {
        let answer = served.as_token(token, "POST", &format!("/v1/stores/{store}"), body);
        (answer.status, answer.body)
    };
    assert_eq!(ask(READER, "alice", STATS).0, 200);
    let (status, body) = ask(READER, "alice", ADD);
    assert_eq!(status, 403);
    assert!(body.contains("E_READ_ONLY") && body.contains("the token"), "{body}");
    assert!(ask(READER, "alice", &format!("[{ADD}]")).1.contains("E_READ_ONLY"));
    assert_eq!(ask(READER, "alice", r#"{"op":"commit","dry_run":true}"#).0, 200);
    assert_eq!(ask(READER, "new?create=0.1", STATS).0, 404, "nothing is made by who reads");
    assert_eq!(served.as_token(READER, "PUT", "/v1/stores/new", "").status, 403);
    assert_eq!(ask(ALICE, "alice", ADD).0, 200);
    for store in ["bob", "nobody"] {
        let (status, body) = ask(ALICE, store, STATS);
        assert_eq!((status, body.contains("E_FORBIDDEN")), (403, true), "{body}");
    }
    let list = served.as_token(ALICE, "GET", "/v1/stores", "");
    assert_eq!(list.body, "{\"ok\":{\"stores\":[\"alice\"]}}\n");
    let read_only = Served::start(|settings| settings.read_only = true);
    read_only.store("alice", 1);
    assert!(read_only.ask("alice", ADD).body.contains("the server allows reading alone"));
    assert!(!served.path("new").exists());
}

#[test]
fn other_sites_and_other_names_are_refused() {
    let served = Served::start(|settings| settings.hosts = vec!["memory.example".into()]);
    served.store("alice", 1);
    let token = format!("Bearer {WRITER}");
    let ask = |headers: &[(&str, &str)]| {
        let all = [&[("authorization", token.as_str())], headers].concat();
        served.send_as(&all, "POST", "/v1/stores/alice", STATS).status
    };
    let port = served.address.port();
    let own = format!("127.0.0.1:{port}");
    for host in [&own, "localhost", "LOCALHOST:1", "[::1]:7350", "memory.example", "127.0.0.1"] {
        assert_eq!(ask(&[("host", host)]), 200, "{host}");
    }
    for host in ["evil.example", "127.0.0.1.evil.example", "10.0.0.1", "localhost.evil", "a b", ""]
    {
        assert!([400, 403].contains(&ask(&[("host", host)])), "{host}");
    }
    assert_eq!(ask(&[("origin", &format!("http://{own}"))]), 200);
    let other = format!("http://localhost:{port}");
    for origin in ["http://evil.example", "null", "https://127.0.0.1", &other, "file://"] {
        assert_eq!(ask(&[("origin", origin)]), 403, "{origin}");
    }
    let health = served.send_as(&[("host", "evil.example")], "GET", "/healthz", "");
    assert_eq!(health.status, 403);
    let answer = served.send("GET", "/v1/stores", "");
    assert!(!answer.head.to_lowercase().contains("access-control"), "{answer:?}");
}

#[test]
fn names_do_not_leave_the_folder() {
    let served = Served::start(|settings| {
        let inner = settings.places[0].join("inner");
        std::fs::create_dir(&inner).unwrap();
        settings.places = vec![inner];
    });
    served.store("secret", 1);
    let before: Vec<_> = std::fs::read_dir(served.folder.path()).unwrap().collect();
    for name in [
        "..%2Fsecret",
        "%2e%2e%2fsecret",
        "..%5Csecret",
        "..",
        "%2e%2e",
        ".secret",
        "a%00b",
        "%ff",
        "a%0Ab",
        "%2Ftmp%2Fx",
        "C%3Ax",
        "inner%2F..%2F..%2Fsecret",
        &"x".repeat(300),
    ] {
        for method in ["POST", "PUT"] {
            let path = format!("/v1/stores/{name}?create=0.1");
            let answer = served.send(method, &path, STATS);
            assert!([400, 404].contains(&answer.status), "{name}: {answer:?}");
        }
    }
    assert_eq!(served.send("POST", "/v1/stores/../secret", STATS).status, 404);
    assert_eq!(served.send("POST", "/v1/stores/", STATS).status, 404);
    assert_eq!(std::fs::read_dir(served.folder.path()).unwrap().count(), before.len());
    assert_eq!(std::fs::read_dir(served.folder.path().join("inner")).unwrap().count(), 0);
}

fn limited(change: impl FnOnce(&mut Limits)) -> Served {
    let served = Served::start(|settings| change(&mut settings.limits));
    served.store("alice", 1);
    served
}

fn ended(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let read = stream.read_to_end(&mut text);
    let reset = |error: &std::io::Error| error.kind() == std::io::ErrorKind::ConnectionReset;
    assert!(read.as_ref().is_ok() || read.as_ref().is_err_and(reset), "{read:?}");
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn who_sends_slowly_is_dropped() {
    let served = limited(|limits| {
        limits.head_time = Duration::from_millis(200);
        limits.body_time = Duration::from_millis(200);
    });
    let token = format!("authorization: Bearer {WRITER}\r\nhost: localhost\r\n");
    let mut slow: Vec<TcpStream> = Vec::new();
    for beginning in [
        String::new(),
        "POST /v1/sto".to_owned(),
        format!("POST /v1/stores/alice HTTP/1.1\r\n{token}"),
        format!("POST /v1/stores/alice HTTP/1.1\r\n{token}content-length: 100\r\n\r\n{{\"op\""),
    ] {
        let mut stream = TcpStream::connect(served.address).unwrap();
        stream.write_all(beginning.as_bytes()).unwrap();
        slow.push(stream);
    }
    assert_eq!(served.ask("alice", STATS).status, 200, "others are answered meanwhile");
    let answers: Vec<String> = slow.iter_mut().map(ended).collect();
    assert!(answers[3].contains("E_TIMEOUT"), "{answers:?}");
    served.wait_for("pactdb_connections 1");
}

#[test]
fn who_does_not_read_is_dropped() {
    let served = Served::start(|settings| {
        settings.limits.read_time = Duration::from_millis(200);
    });
    served.store("alice", 0);
    let large = format!(r#"{{"op":"add","content":"{}"}}"#, "x".repeat(8 << 20));
    assert_eq!(served.ask("alice", &large).status, 200);
    let mut stream = TcpStream::connect(served.address).unwrap();
    let request = r#"{"op":"export"}"#.to_owned();
    let list = format!("[{}]", vec![request; 8].join(","));
    let head = format!(
        "POST /v1/stores/alice HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {WRITER}\r\ncontent-length: {}\r\n\r\n{list}",
        list.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    served.wait_for("pactdb_operations_total{op=\"export\",code=\"ok\"} 8");
    served.wait_for("pactdb_connections 1");
    assert!(ended(&mut stream).len() < 64 << 20);
}

#[test]
fn a_request_that_is_too_large_is_refused() {
    let served = limited(|limits| limits.body_bytes = 1000);
    let large = format!("{{\"op\":\"stats\",\"rid\":\"{}\"}}", "x".repeat(2000));
    let answer = served.ask("alice", &large);
    assert_eq!(answer.status, 413, "{answer:?}");
    assert!(answer.body.contains("E_LIMIT") && answer.body.contains("1000 bytes"), "{answer:?}");
    // One that does not say its length, and one that says a length that it does not have.
    for (how, body) in [
        ("transfer-encoding: chunked", "1000\r\n".to_owned() + &"x".repeat(0x1000)),
        ("content-length: 99999999999999", String::new()),
    ] {
        let mut stream = TcpStream::connect(served.address).unwrap();
        let head = format!(
            "POST /v1/stores/alice HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {WRITER}\r\nconnection: close\r\n{how}\r\n\r\n{body}"
        );
        stream.write_all(head.as_bytes()).unwrap();
        assert!(ended(&mut stream).starts_with("HTTP/1.1 413 "), "{how}");
    }
    let heads = vec![("x-much", "y".repeat(8000)); 20];
    let heads: Vec<(&str, &str)> = heads.iter().map(|(name, text)| (*name, &**text)).collect();
    let answer = served.send_as(&heads, "GET", "/healthz", "");
    assert_eq!(answer.status, 431, "{answer:?}");
    assert_eq!(served.ask("alice", STATS).status, 200);
}

#[test]
fn a_flood_of_connections_is_turned_away() {
    let served = limited(|limits| limits.connections = 4);
    let held: Vec<TcpStream> =
        (0..4).map(|_| TcpStream::connect(served.address).unwrap()).collect();
    // They are taken in their order.
    let mut turned_away = 0;
    for _ in 0..50 {
        let mut stream = TcpStream::connect(served.address).unwrap();
        turned_away += usize::from(ended(&mut stream).contains("E_BUSY"));
    }
    assert_eq!(turned_away, 50);
    drop(held);
    // Until the server has seen that they are gone, this one is turned away like the others, and
    // counted like them.
    let start = Instant::now();
    let metrics = loop {
        let answer = served.send("GET", "/metrics", "");
        if answer.status == 200 {
            break answer.body;
        }
        assert!(answer.body.contains("E_BUSY"), "{answer:?}");
        assert!(start.elapsed() < Duration::from_secs(20));
        turned_away += 1;
    };
    let line = format!("pactdb_turned_away_total {turned_away}");
    assert!(metrics.lines().any(|found| found == line), "{line} is not in\n{metrics}");
}

#[test]
fn an_answer_has_the_servers_time() {
    let served = Served::start(|settings| {
        settings.limits.timeout = Duration::from_millis(5);
        settings.limits.longest_timeout = Duration::from_secs(60);
    });
    served.store("alice", 400);
    let answer = served.ask("alice", SLOW);
    assert_eq!(answer.status, 504, "{answer:?}");
    assert!(answer.body.contains("E_TIMEOUT"), "{answer:?}");
    let with = |time: u64| SLOW.replacen('{', &format!("{{\"timeout_ms\":{time},"), 1);
    assert_eq!(served.ask("alice", &with(0)).status, 200, "0 is the longest time");
    assert_eq!(served.ask("alice", &with(50_000)).status, 200);
    assert_eq!(served.ask("alice", &with(1)).status, 504);
}

#[test]
fn a_longest_time_is_the_longest() {
    let served = Served::start(|settings| {
        settings.limits.longest_timeout = Duration::from_millis(5);
    });
    served.store("alice", 400);
    let with = |time: u64| SLOW.replacen('{', &format!("{{\"timeout_ms\":{time},"), 1);
    for time in [0, 50_000] {
        assert_eq!(served.ask("alice", &with(time)).status, 504, "{time}");
    }
}

#[test]
fn who_hangs_up_ends_the_question() {
    let served = Served::start(|_| {});
    served.store("alice", 400);
    let list = format!("[{}]", vec![SLOW; 500].join(","));
    let mut stream = TcpStream::connect(served.address).unwrap();
    let head = format!(
        "POST /v1/stores/alice HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {WRITER}\r\ncontent-length: {}\r\n\r\n{list}",
        list.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    served.wait_for("pactdb_operations_total{op=\"select\",code=\"ok\"} 1");
    drop(stream);
    let start = Instant::now();
    loop {
        let metrics = served.send("GET", "/metrics", "").body;
        if metrics.contains("op=\"select\",code=\"E_CANCELLED\"") {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{metrics}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn tokens_are_read_from_a_file() {
    let text = "# a comment\n\n0123456789abcdef read\n0123456789abcdeg write *\n0123456789abcdeh write a,b\n";
    assert!(Tokens::from_text(text).is_ok());
    for (wrong, word) in [
        ("", "no token"),
        ("0123456789abcdef", "line 1"),
        ("\n0123456789abcdef own", "line 2"),
        ("0123456789abcdef read * more", "line 1"),
        ("short read", "at least 16"),
        ("0123456789abcdef read\n0123456789abcdef write", "twice"),
    ] {
        let error = Tokens::from_text(wrong).unwrap_err();
        assert!(error.message.contains(word), "{wrong}: {error}");
        assert!(!error.message.contains("0123456789abcdef"), "a secret is not quoted: {error}");
    }
    let any = "0.0.0.0:0".parse().unwrap();
    let refused = |tokens| Server::bind(Settings::new(any, Vec::new(), tokens)).err().unwrap();
    assert!(refused(Tokens::generate().unwrap().0).message.contains("tokens of your own"));
    assert!(refused(Tokens::new()).message.contains("needs a token"));
}
