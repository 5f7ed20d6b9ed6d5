//! Sessions of browsers: how one begins, what it may do, and that nothing else begins one.

use super::*;

const STATS: &str = r#"{"op":"stats"}"#;

/// The value of a header of an answer.
fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    let lines = answer.head.lines().filter_map(|line| line.split_once(": "));
    lines.into_iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// What a browser sends back of the cookie that it was given.
fn cookie(answer: &Answer) -> String {
    let cookie = header(answer, "set-cookie").unwrap_or_else(|| panic!("no cookie: {answer:?}"));
    cookie.split(';').next().unwrap().to_owned()
}

impl Served {
    /// Opens the page with a token, as a browser does: the cookie.
    fn opened_with(&self, token: &str) -> String {
        let answer = self.send_as(&[], "GET", &format!("/?token={token}"), "");
        assert_eq!((answer.status, header(&answer, "location")), (303, Some("/")), "{answer:?}");
        cookie(&answer)
    }

    fn with_cookie(&self, cookie: &str, store: &str, body: &str) -> Answer {
        self.send_as(&[("cookie", cookie)], "POST", &format!("/v1/stores/{store}"), body)
    }
}

#[test]
fn the_page_is_there_for_everybody_and_tells_nothing() {
    let served = Served::start(|_| {});
    served.store("alice", 1);
    let page = served.send_as(&[], "GET", "/", "");
    assert_eq!(page.status, 200);
    assert!(page.body.starts_with("<!doctype html>") && !page.body.contains("alice"), "{page:?}");
    let policy = header(&page, "content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"));
    assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert_eq!(header(&page, "x-content-type-options"), Some("nosniff"));
    assert_eq!(header(&page, "referrer-policy"), Some("no-referrer"));
    assert_eq!(header(&page, "cache-control"), Some("no-cache"));
    let tag = header(&page, "etag").unwrap();
    let again = served.send_as(&[("if-none-match", tag)], "GET", "/", "");
    assert_eq!((again.status, &*again.body), (304, ""));
    let script = served.send_as(&[], "GET", "/web/app.js", "");
    assert_eq!(header(&script, "content-type"), Some("text/javascript; charset=utf-8"));
    for nothing in ["/web/", "/web/../Cargo.toml", "/web/%2e%2e/Cargo.toml", "/web/app"] {
        assert!([401, 404].contains(&served.send_as(&[], "GET", nothing, "").status), "{nothing}");
    }
}

#[test]
fn whoever_understands_zstd_gets_files_packed() {
    let served = Served::start(|_| {});
    let plain = served.send_as(&[], "GET", "/web/app.js", "");
    assert_eq!(header(&plain, "content-encoding"), None);
    assert_eq!(header(&plain, "vary"), Some("accept-encoding"));
    for refused in ["gzip, br", "zstd;q=0", "zstd-like"] {
        let answer = served.send_as(&[("accept-encoding", refused)], "GET", "/web/app.js", "");
        assert_eq!(answer.body, plain.body, "{refused}");
    }
    let mut tags = vec![header(&plain, "etag").unwrap().to_owned()];
    for accepted in ["gzip, deflate, br, zstd", "ZSTD;q=0.5", "zstd"] {
        let (head, body) = raw(&served, &format!("accept-encoding: {accepted}\r\n"));
        assert!(head.contains("\r\ncontent-encoding: zstd"), "{head}");
        assert!(body.len() * 2 < plain.body.len(), "{} bytes", body.len());
        let unpacked = zstd::bulk::decompress(&body, 1 << 20).unwrap();
        assert_eq!(String::from_utf8(unpacked).unwrap(), plain.body);
        let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
        let asked = format!("accept-encoding: {accepted}\r\nif-none-match: {tag}\r\n");
        let (head, body) = raw(&served, &asked);
        assert!(head.starts_with("HTTP/1.1 304") && body.is_empty(), "{head}");
        tags.push(tag.to_owned());
    }
    tags.dedup();
    assert_eq!(tags.len(), 2, "other bytes have another tag: {tags:?}");
}

/// The head and the bytes of a file of the page.
fn raw(served: &Served, headers: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(served.address).unwrap();
    let host = served.address;
    let head =
        format!("GET /web/app.js HTTP/1.1\r\nconnection: close\r\nhost: {host}\r\n{headers}\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    (String::from_utf8(bytes[..end].to_vec()).unwrap(), bytes[end + 4..].to_vec())
}

#[test]
fn a_token_in_the_address_becomes_a_cookie() {
    let served = Served::start(|_| {});
    served.store("alice", 1);
    let answer = served.send_as(&[], "GET", &format!("/?token={WRITER}"), "");
    let given = header(&answer, "set-cookie").unwrap();
    assert!(given.starts_with(&format!("pactdb-{}=", served.address.port())), "{given}");
    assert!(given.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{given}");
    assert!(!answer.head.contains(WRITER), "{answer:?}");
    for wrong in ["/?token=nobody-has-this-token", "/?code=nobody-was-invited", "/?token="] {
        let answer = served.send_as(&[], "GET", wrong, "");
        assert_eq!(header(&answer, "location"), Some("/?refused"), "{wrong}");
        assert_eq!(header(&answer, "set-cookie"), None, "{wrong}");
    }
}

#[test]
fn a_session_only_reads_what_its_token_may() {
    let served = Served::start(|_| {});
    served.store("alice", 1);
    served.store("bob", 1);
    let writer = served.opened_with(WRITER);
    assert_eq!(served.with_cookie(&writer, "alice", STATS).status, 200);
    let edit = served.with_cookie(&writer, "alice", r#"{"op":"add","content":"x"}"#);
    assert_eq!((edit.status, edit.body.contains("E_READ_ONLY")), (403, true), "{edit:?}");
    let made = served.send_as(&[("cookie", &writer)], "PUT", "/v1/stores/new", "");
    assert_eq!((made.status, served.path("new").exists()), (403, false));
    let alice = served.opened_with(ALICE);
    assert_eq!(served.with_cookie(&alice, "alice", STATS).status, 200);
    assert_eq!(served.with_cookie(&alice, "bob", STATS).status, 403);
    let other = format!("other=1; {alice}; more=2");
    assert_eq!(served.with_cookie(&other, "alice", STATS).status, 200);
    for wrong in ["", "pactdb-1=x", &format!("{alice}x"), "pactdb-"] {
        assert_eq!(served.with_cookie(wrong, "alice", STATS).status, 401, "{wrong}");
    }
}

/// Every port of a machine is the same site to a browser, so SameSite alone would let them in.
#[test]
fn a_cookie_does_not_count_for_other_sites_and_ports() {
    let served = Served::start(|_| {});
    served.store("alice", 1);
    let cookie = served.opened_with(READER);
    for (from, status) in
        [("same-origin", 200), ("none", 200), ("same-site", 401), ("cross-site", 401)]
    {
        let headers = [("cookie", &*cookie), ("sec-fetch-site", from)];
        assert_eq!(served.send_as(&headers, "GET", "/v1/stores", "").status, status, "{from}");
    }
    let headers = [("cookie", &*cookie), ("origin", "http://127.0.0.1:1")];
    assert_eq!(served.send_as(&headers, "POST", "/v1/stores/alice", STATS).status, 403);
}

#[test]
fn a_session_begins_with_a_token_and_can_be_ended() {
    let served = Served::start(|_| {});
    served.store("alice", 1);
    let token = format!("Bearer {READER}");
    let begun = served.send_as(&[("authorization", &token)], "POST", "/session", "");
    assert_eq!(begun.status, 204, "{begun:?}");
    let cookie = cookie(&begun);
    assert_eq!(served.with_cookie(&cookie, "alice", STATS).status, 200);
    assert_eq!(served.send_as(&[("cookie", &cookie)], "POST", "/session", "").status, 401);
    assert_eq!(served.send_as(&[], "POST", "/session", "").status, 401);
    assert_eq!(served.send_as(&[("cookie", &cookie)], "DELETE", "/session", "").status, 204);
    assert_eq!(served.with_cookie(&cookie, "alice", STATS).status, 401);
}

#[test]
fn an_invitation_opens_the_page_once() {
    let (tokens, token) = Tokens::generate().unwrap();
    let any = "127.0.0.1:0".parse().unwrap();
    let server = Server::bind(Settings::new(any, Vec::new(), tokens)).unwrap();
    assert!(server.invitation("nobody-has-this-token").is_err());
    let (address, stop) = (server.address(), server.stop());
    let invitation = server.invitation(&token).unwrap();
    let path = invitation.strip_prefix(&format!("http://{address}")).unwrap().to_owned();
    let thread = std::thread::spawn(move || server.run());
    let first = send(address, &[], "GET", &path, "");
    let cookie = cookie(&first);
    let list = send(address, &[("cookie", &cookie)], "GET", "/v1/stores", "");
    assert_eq!((list.status, &*list.body), (200, "{\"ok\":{\"stores\":[]}}\n"));
    let again = send(address, &[], "GET", &path, "");
    assert_eq!(header(&again, "location"), Some("/?refused"));
    // The browser that was invited may open the same address again.
    let again = send(address, &[("cookie", &cookie)], "GET", &path, "");
    assert_eq!(header(&again, "location"), Some("/"));
    stop.stop();
    thread.join().unwrap().unwrap();
}
