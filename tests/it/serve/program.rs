//! The command `serve` and the program as a client of it: real processes.

use super::*;
use crate::program::small;
use crate::support::program::{Folder, Ran};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A server that is a process.
struct Process {
    child: Child,
    address: SocketAddr,
    token: String,
}

impl Process {
    /// Serves a folder of the program's tests; the address has the token.
    fn start(folder: &Folder, args: &[&str]) -> Process {
        let mut command = folder.command();
        command.env_remove("PACTDB_TOKEN").env_remove("PACTDB_TOKEN_FILE");
        command.args(["serve", "--listen", "127.0.0.1:0", "."]).args(args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let rest = line.trim().split_once("://").unwrap().1;
        let (address, query) = rest.split_once('/').unwrap();
        let token = query.strip_prefix("?token=").unwrap_or_default().to_owned();
        Process { child, address: address.parse().unwrap(), token }
    }

    /// The program as a client.
    fn client(&self, folder: &Folder, args: &[&str]) -> Ran {
        let url = format!("http://{}/memory", self.address);
        let mut command = folder.command();
        command.env("PACTDB_TOKEN", &self.token).args(["-s", &url]).args(args);
        let output = command.stdin(Stdio::null()).output().unwrap();
        Ran {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn signal(&self, signal: &str) {
        kill(signal, self.child.id());
    }

    /// Waits for its end: the status, and what it said on standard error.
    fn end(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn kill(signal: &str, process: u32) {
    let sent = Command::new("kill").args([signal, &process.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// A store of many turns.
fn long() -> Folder {
    let folder = Folder::new();
    let message = |i| format!("{{\"role\":\"user\",\"content\":\"message {i} of many\"}}\n");
    folder.write("messages.jsonl", &(0..1500).map(message).collect::<String>());
    folder.ok(&["import", "messages.jsonl"]);
    folder
}

/// Who has the file attaches to the server, and who has the address asks it: both are answered alike.
#[test]
fn every_command_is_a_client_of_the_server() {
    let folder = small();
    let served = Process::start(&folder, &[]);
    assert_eq!(served.token.len(), 48);
    for args in [
        &["tree"][..],
        &["nodes", "@t0 .cb"],
        &["select", "@t-1..@t0 .cb"],
        &["--json", "select", ".cb"],
        &["log"],
        &["diff"],
        &["explain", ".cb"],
        &["export", "--at", "@t0"],
        &["thread"],
        &["--json", "stats"],
        &["verify"],
        &["replay"],
        &["dump"],
        &["policy"],
        &["sql", "select id, role, bytes from pact('@t0 .cb')"],
        &["sql", "--csv", "@t0 .cb | count by role"],
        &["select", "@t0 .cb | sum bytes by role"],
        &["select", "@t0 .cb | wher x"],
        &["select", ".cb["],
        &["nodes", "#nobody"],
        &["--read-only", "commit"],
    ] {
        let (near, far) = (folder.run(args), served.client(&folder, args));
        assert_eq!((near.status, near.out, near.err), (far.status, far.out, far.err), "{args:?}");
    }
    let made = served.client(&folder, &["add", "--role", "user", "--id", "mine", "From afar."]);
    assert_eq!((made.status, &*made.out), (0, "added mine\n"), "{made:?}");
    assert!(folder.ok(&["tree"]).contains("From afar."));
    let ran = served.client(&folder, &["run", "-"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let forked = served.client(&folder, &["fork", "--at", "@c1", "forked.pactdb"]);
    assert_eq!(forked.status, 0, "{forked:?}");
    assert!(folder.has("forked.pactdb"));
}

#[test]
fn a_client_says_what_it_misses() {
    let folder = small();
    let served = Process::start(&folder, &[]);
    let url = |name: &str| format!("http://{}/{name}", served.address);
    let err = folder.fails(&["-s", &url("memory"), "stats"]);
    assert!(err.starts_with("E_UNAUTHORIZED: ") && err.contains("PACTDB_TOKEN"), "{err}");
    folder.write("token", &format!("# mine\n{} write\n", served.token));
    let ask = |args: &[&str]| {
        let mut command = folder.command();
        command.env_remove("PACTDB_TOKEN").env("PACTDB_TOKEN_FILE", "token").args(args);
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    assert_eq!(ask(&["-s", &url("memory"), "stats"]), "");
    assert!(ask(&["-s", &url("other"), "stats"]).starts_with("E_STORE_NOT_FOUND: "));
    assert!(ask(&["-s", &url("other"), "init"]).starts_with("E_FORBIDDEN: "));
    assert!(ask(&["-s", "http://127.0.0.1:1/a", "stats"]).starts_with("E_STORE_GONE: "));
}

#[test]
fn a_signal_lets_requests_end_and_closes_the_stores() {
    let folder = long();
    let served = Process::start(&folder, &["--grace", "100ms", "--log", "json"]);
    let (address, token) = (served.address, format!("Bearer {}", served.token));
    let asked = std::thread::spawn(move || {
        let select = r##"{"op":"select","q":"#a-name-in-a-question"}"##.to_owned();
        let list = [vec![select], vec![r#"{"op":"verify"}"#.to_owned(); 200]].concat();
        let list = format!("[{}]", list.join(","));
        send(address, &[("authorization", &token)], "POST", "/v1/stores/memory", &list)
    });
    // It is being answered when others are answered beside it, and has asked for something already.
    let start = Instant::now();
    loop {
        let header = format!("Bearer {}", served.token);
        let metrics = send(address, &[("authorization", &header)], "GET", "/metrics", "").body;
        if metrics.contains("op=\"verify\",code=\"ok\"") {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{metrics}");
        std::thread::sleep(Duration::from_millis(10));
    }
    served.signal("-TERM");
    let answer = asked.join().unwrap();
    assert!(answer.body.contains("E_CANCELLED"), "{}", answer.status);
    assert!(TcpStream::connect(address).is_err() || answer.status == 200);
    let token = served.token.clone();
    let (status, said) = served.end();
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("a-name-in-a-question") && !said.contains(&token), "{said}");
    let last: serde_json::Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!(last["message"], "stopped", "{said}");
    let requests = said.lines().filter(|line| line.contains("\"op\":\"verify\"")).count();
    assert_eq!(requests, 200, "a line for each");
    folder.ok(&["verify"]);
}

#[test]
fn ctrl_c_at_a_client_ends_the_question_at_the_server() {
    let folder = small();
    let served = Process::start(&folder, &["--log", "text"]);
    let url = format!("http://{}/memory", served.address);
    let mut command = folder.command();
    command.env("PACTDB_TOKEN", &served.token).args(["-s", &url, "watch", "--after", "0"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("created"), "{first}");
    kill("-INT", child.id());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let header = format!("Bearer {}", served.token);
    let start = Instant::now();
    loop {
        let metrics = send(served.address, &[("authorization", &header)], "GET", "/metrics", "");
        if metrics.body.contains("op=\"watch\",code=\"E_CANCELLED\"") {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{}", metrics.body);
        std::thread::sleep(Duration::from_millis(10));
    }
    served.signal("-INT");
    assert_eq!(served.end().0, Some(0));
}

#[test]
fn others_are_let_in_with_tokens_of_ones_own_alone() {
    let folder = small();
    let mut command = folder.command();
    command.env_remove("PACTDB_TOKEN").args(["serve", "--listen", "0.0.0.0:0", "."]);
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("E_REQUEST_INVALID: others can reach this address"), "{said}");
    folder.write("tokens", "a-token-of-my-own-choice write\n");
    let mut command = folder.command();
    command.args(["serve", "--listen", "0.0.0.0:0", "--token-file", "tokens", "."]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("http://0.0.0.0:") && !line.contains("token"), "{line}");
    kill("-TERM", child.id());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("can read tokens and contents: --tls-cert"), "{said}");
    assert!(said.contains("other users can read tokens: chmod 600"), "{said}");
}

#[test]
fn connections_can_be_encrypted() {
    let folder = small();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    folder.write("cert.pem", &made.cert.pem());
    folder.write("key.pem", &made.signing_key.serialize_pem());
    let served = Process::start(&folder, &["--tls-cert", "cert.pem", "--tls-key", "key.pem"]);
    let url = format!("https://localhost:{}/memory", served.address.port());
    let ask = |roots: &str| {
        let mut command = folder.command();
        command.env("PACTDB_TOKEN", &served.token).env("SSL_CERT_FILE", folder.path(roots));
        let output = command.args(["-s", &url, "tree"]).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(ask("cert.pem"), (Some(0), folder.ok(&["tree"])));
    let other = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    folder.write("other.pem", &other.cert.pem());
    assert_eq!(ask("other.pem"), (Some(1), String::new()));
}

/// What the page of an address answers, once a browser has opened it.
fn opened(line: &str) -> Answer {
    let (address, query) = line.trim().split_once("://").unwrap().1.split_once('/').unwrap();
    let address: SocketAddr = address.parse().unwrap();
    assert!(address.ip().is_loopback(), "{line}");
    let begun = send(address, &[], "GET", &format!("/{query}"), "");
    let cookie = begun.head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = cookie.unwrap_or_else(|| panic!("{line}: {begun:?}")).split(';').next().unwrap();
    send(address, &[("cookie", cookie)], "GET", "/v1/stores", "")
}

#[test]
fn the_page_of_one_store_is_there_until_a_signal() {
    let folder = small();
    for file in ["memory.pactdb", "other.db"] {
        if file == "other.db" {
            std::fs::copy(folder.path("memory.pactdb"), folder.path(file)).unwrap();
        }
        let mut command = folder.command();
        command.env_remove("PACTDB_TOKEN").args(["ui", file]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let name = file.trim_end_matches(".pactdb");
        let expected = format!("{{\"ok\":{{\"stores\":[\"{name}\"]}}}}\n");
        assert_eq!(opened(&line).body, expected);
        // Others use the store meanwhile, and the page only reads, even with its token.
        folder.ok(&["-s", file, "add", "--role", "user", "Meanwhile."]);
        let (address, token) = line.trim().split_once("/?token=").unwrap();
        let mut edit = folder.command();
        edit.env("PACTDB_TOKEN", token).args(["-s", &format!("{address}/{name}"), "add", "x"]);
        let refused = String::from_utf8(edit.output().unwrap().stderr).unwrap();
        assert!(refused.starts_with("E_READ_ONLY: "), "{refused}");
        kill("-INT", child.id());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    let missing = folder.fails(&["ui", "nowhere.pactdb"]);
    assert!(missing.contains("there is no store nowhere.pactdb"), "{missing}");
}

#[test]
fn the_page_of_a_session_is_there_as_long_as_the_session() {
    let folder = small();
    for attach in ["none", "write"] {
        let mut command = folder.command();
        command.args(["--attach", attach, "run", "-"]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, ".ui").unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(opened(&line).body, "{\"ok\":{\"stores\":[\"memory\"]}}\n");
        drop(input);
        assert!(child.wait().unwrap().success());
        let address = line.split_once("://").unwrap().1.split_once('/').unwrap().0;
        assert!(TcpStream::connect(address).is_err(), "it has ended");
    }
    let there = folder.ok(&["-s", "http://127.0.0.1:9/alice", "ui", "--no-open"]);
    assert_eq!(there, "http://127.0.0.1:9/#/alice\n");
}
