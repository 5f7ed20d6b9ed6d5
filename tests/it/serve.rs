//! Stores over HTTP: the replies are those of the store to the byte, nobody comes in who must not, and nothing that
//! comes from outside takes more than its share.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod browser;
mod files;
mod page;
#[cfg(all(unix, feature = "cli"))]
mod program;
mod replies;
mod safety;
mod sessions;
mod stores;

use pactdb::attach::Access;
use pactdb::serve::{Scope, Server, Settings, Stop, Tokens};
use pactdb::{Add, Commit, Db, Generation};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A token that may do everything, one that may read, and one that is for the store `alice` alone.
const WRITER: &str = "the-token-of-the-writer";
const READER: &str = "the-token-of-the-reader";
const ALICE: &str = "the-token-of-alice-alone";

/// A server in a thread of its own, with a folder of stores.
struct Served {
    folder: tempfile::TempDir,
    address: SocketAddr,
    stop: Stop,
    thread: Option<JoinHandle<pactdb::Result<()>>>,
}

/// What came back.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Served {
    /// Serves an empty folder, in which requests may make stores.
    fn start(change: impl FnOnce(&mut Settings)) -> Served {
        let folder = tempfile::tempdir().unwrap();
        let mut tokens = Tokens::new();
        tokens.add(WRITER, Access::Write, Scope::All).unwrap();
        tokens.add(READER, Access::Read, Scope::All).unwrap();
        let alice = Scope::Named(["alice".to_owned()].into());
        tokens.add(ALICE, Access::Write, alice).unwrap();
        let any = "127.0.0.1:0".parse().unwrap();
        let mut settings = Settings::new(any, vec![folder.path().to_owned()], tokens);
        settings.create = true;
        change(&mut settings);
        let server = Server::bind(settings).unwrap();
        let (address, stop) = (server.address(), server.stop());
        let thread = Some(std::thread::spawn(move || server.run()));
        Served { folder, address, stop, thread }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.pactdb"))
    }

    /// Makes a store with some turns, and closes it.
    fn store(&self, name: &str, turns: usize) {
        let db = Db::create(self.path(name), Generation::V0_1).unwrap();
        for turn in 0..turns {
            db.add(Add::user(format!("message {turn} of many"))).unwrap();
            db.commit(Commit::new()).unwrap();
        }
    }

    fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    /// Sends a request with the writer's token.
    fn send(&self, method: &str, path: &str, body: &str) -> Answer {
        self.send_as(&[("authorization", &format!("Bearer {WRITER}"))], method, path, body)
    }

    /// Sends a request with these headers.
    fn send_as(&self, headers: &[(&str, &str)], method: &str, path: &str, body: &str) -> Answer {
        send(self.address, headers, method, path, body)
    }

    /// An operation on a store.
    fn ask(&self, store: &str, request: &str) -> Answer {
        self.send("POST", &format!("/v1/stores/{store}"), request)
    }

    /// Waits until the metrics have a line.
    fn wait_for(&self, line: &str) {
        let start = Instant::now();
        loop {
            let metrics = self.send("GET", "/metrics", "").body;
            if metrics.lines().any(|found| found == line) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{line} is not in\n{metrics}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.stop();
        let ended = self.thread.take().unwrap().join();
        if !std::thread::panicking() {
            ended.unwrap().unwrap();
        }
    }
}

/// Sends one request on a connection of its own.
fn send(
    address: SocketAddr,
    headers: &[(&str, &str)],
    method: &str,
    path: &str,
    body: &str,
) -> Answer {
    let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "host") {
        head += &format!("host: {address}\r\n");
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("content-length: {}\r\n\r\n", body.len());
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    // Who refuses a request may hang up before it is sent to its end.
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
    read(&mut stream)
}

/// Reads an answer until the connection ends.
fn read(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8(bytes).unwrap();
    let (head, rest) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    let body = if chunked { unchunked(rest) } else { rest.to_owned() };
    Answer { status, head: head.to_owned(), body }
}

fn unchunked(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            break;
        }
        body += &after[..size];
        rest = &after[size + 2..];
    }
    body
}
