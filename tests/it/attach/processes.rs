//! Real processes: one holds the store, others come and go, and are killed.

#![cfg(unix)]

use crate::support::program::Folder;
use crate::support::terminal::Terminal;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A pipe: an agent that holds the store, or is attached to who does.
struct Pipe {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Pipe {
    fn start(folder: &Folder, args: &[&str]) -> Pipe {
        let mut child = folder
            .command()
            .args(args)
            .arg("pipe")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Pipe { child, input, output: BufReader::new(output) }
    }

    fn ask(&mut self, request: &Value) -> Value {
        writeln!(self.input, "{request}").unwrap();
        let mut reply = String::new();
        self.output.read_line(&mut reply).unwrap();
        serde_json::from_str(&reply).unwrap_or_else(|error| panic!("{request}: {reply}: {error}"))
    }

    fn leave(mut self) {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
    }
}

fn add(id: &str) -> Value {
    json!({"op": "add", "id": id, "role": "user", "content": id})
}

#[test]
fn every_command_works_while_an_agent_holds_the_store() {
    let folder = Folder::new();
    let mut agent = Pipe::start(&folder, &[]);
    assert_eq!(agent.ask(&add("one"))["ok"]["id"], "one");
    assert_eq!(folder.ok(&["select", "^ah .cb"]), "one\n");
    folder.ok(&["add", "--id", "two", "--role", "user", "from beside"]);
    folder.ok(&["commit"]);
    assert_eq!(agent.ask(&json!({"op": "select", "q": "@t0 .cb"}))["ok"], json!(["one", "two"]));
    let stats = folder.ok(&["stats"]);
    assert!(stats.contains(&format!("attached to process {}", agent.child.id())), "{stats}");
    // A range comes block by block, and the nodes of each block are asked for meanwhile.
    folder.ok(&["add", "--id", "more", "--role", "user", "again"]);
    folder.ok(&["commit"]);
    let range = folder.ok(&["select", "@c1..@c2 .cb"]);
    assert!(range.contains("+ more  user  again"), "{range}");
    folder.ok(&["verify"]);
    folder.ok(&["dump", "all.jsonl"]);
    folder.ok(&["fork", "fork.pactdb"]);
    let mut second = Pipe::start(&folder, &[]);
    assert_eq!(second.ask(&add("three"))["ok"]["id"], "three");
    assert!(folder.fails(&["--no-attach", "stats"]).starts_with("E_STORE_LOCKED"));
    assert!(folder.fails(&["--read-only", "add", "x"]).starts_with("E_READ_ONLY"));
    assert!(folder.fails(&["select", ".cb[role='user"]).contains("^"), "with a caret");
    second.leave();
    agent.leave();
    assert_eq!(folder.ok(&["select", "^ah .cb"]), "three\n");
}

#[test]
fn a_holder_says_what_others_may_do() {
    let folder = Folder::new();
    let mut agent = Pipe::start(&folder, &["--attach", "read"]);
    agent.ask(&add("one"));
    assert_eq!(folder.ok(&["select", "^ah .cb"]), "one\n");
    assert!(folder.fails(&["add", "x"]).starts_with("E_READ_ONLY"));
    agent.leave();
    // Whoever holds it only to read shares it like any other, and refuses only its own edits.
    let mut reader = Pipe::start(&folder, &["--read-only"]);
    assert_eq!(reader.ask(&add("two"))["error"]["code"], "E_READ_ONLY");
    folder.ok(&["add", "--id", "three", "x"]);
    assert_eq!(reader.ask(&json!({"op": "select", "q": "#three"}))["ok"], json!(["three"]));
    reader.leave();
}

#[test]
fn a_holder_that_does_not_share_is_waited_for() {
    let folder = Folder::new();
    let mut agent = Pipe::start(&folder, &["--attach", "none"]);
    agent.ask(&add("one"));
    let waiting = folder
        .command()
        .args(["select", "^ah .cb"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    agent.leave();
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "one\n");
}

#[test]
fn a_terminal_asks_and_edits_beside_the_agent_and_goes_on_without_it() {
    let folder = Folder::new();
    let mut agent = Pipe::start(&folder, &[]);
    agent.ask(&add("one"));
    let terminal = Terminal::start(&folder, &[]);
    let attached = format!("(attached to process {})>", agent.child.id());
    terminal.shows(&attached);
    terminal.enter("add {id='two'} 'typed'");
    assert_eq!(agent.ask(&json!({"op": "select", "q": "^ah .cb"}))["ok"], json!(["one", "two"]));
    // The agent is faster than the person, who is told.
    agent.ask(&add("three"));
    let screen = terminal.enter("commit");
    assert!(screen.contains("E_CONFLICT") && screen.contains("somebody else edited"), "{screen}");
    terminal.enter("commit");
    agent.child.kill().unwrap();
    agent.child.wait().unwrap();
    let screen = terminal.enter("add {id='lost'} 'into the void'");
    assert!(screen.contains("E_STORE_GONE"), "{screen}");
    assert!(screen.contains("this process has the store open now"), "{screen}");
    let screen = terminal.enter("add {id='four'} 'alone'");
    assert!(screen.contains("added four"), "{screen}");
    assert!(screen.lines().last().unwrap().starts_with("pactdb memory*>"), "{screen}");
    // And now it is the one to attach to.
    assert_eq!(folder.ok(&["select", "@t0 .cb"]), "one\ntwo\nthree\n");
    assert!(folder.ok(&["stats"]).contains(&format!("attached to process {}", terminal.id())));
}

/// What one of many clients was told.
#[derive(Default)]
struct Told {
    done: BTreeSet<String>,
    perhaps: BTreeSet<String>,
}

/// Adds one node after the other, whatever happens to the holder, and ends as a pipe does.
fn add_many(folder: &Folder, client: usize, count: usize) -> Told {
    let mut pipe = Pipe::start(folder, &[]);
    let mut told = Told::default();
    for i in 0..count {
        let id = format!("c{client}-{i}");
        let reply = pipe.ask(&add(&id));
        match reply["error"]["code"].as_str() {
            None => assert!(told.done.insert(id), "{reply}"),
            Some("E_STORE_GONE") => assert!(told.perhaps.insert(id), "{reply}"),
            other => panic!("{other:?}: {reply}"),
        }
    }
    pipe.leave();
    told
}

#[test]
fn the_holder_is_killed_and_eight_rush_in_and_nothing_is_lost_or_done_twice() {
    let folder = Folder::new();
    let mut holder = Pipe::start(&folder, &[]);
    holder.ask(&add("first"));
    let told: Vec<Told> = std::thread::scope(|scope| {
        let folder = &folder;
        let clients: Vec<_> =
            (0..8).map(|client| scope.spawn(move || add_many(folder, client, 30))).collect();
        // In the middle of it, as far as that can be known from beside.
        while folder.ok(&["select", "^ah .cb"]).lines().count() < 40 {}
        holder.child.kill().unwrap();
        holder.child.wait().unwrap();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    let kept = folder.ok(&["select", "^ah .cb"]);
    let unique: BTreeSet<&str> = kept.lines().collect();
    assert_eq!(unique.len(), kept.lines().count(), "nothing is there twice");
    let mut possible = 1;
    for told in &told {
        let lost: Vec<_> = told.done.iter().filter(|id| !unique.contains(id.as_str())).collect();
        assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
        assert_eq!(told.done.len() + told.perhaps.len(), 30);
        possible += told.done.len() + told.perhaps.len();
    }
    assert!(unique.len() <= possible);
    folder.ok(&["verify"]);
}

#[test]
fn a_question_of_an_attached_program_ends_in_the_holder() {
    let folder = Folder::new();
    let message = |i| format!("{{\"role\":\"user\",\"content\":\"message {i} of many\"}}\n");
    folder.write("messages.jsonl", &(0..1500).map(message).collect::<String>());
    folder.ok(&["import", "messages.jsonl"]);
    let mut agent = Pipe::start(&folder, &[]);
    agent.ask(&json!({"op": "stats"}));
    let terminal = Terminal::start(&folder, &[]);
    terminal.shows("(attached to process");
    terminal.ask("@* .cb[age=99999]");
    let screen = terminal.cancel();
    assert!(screen.contains("E_CANCELLED"), "{screen}");
    let slow = folder.run(&["--timeout", "50ms", "select", "@* .cb[age=99999]"]);
    assert!(slow.err.starts_with("E_TIMEOUT"), "{slow:?}");
    // The holder still answers, and the one that is killed in the middle leaves nothing behind.
    let mut killed = folder
        .command()
        .args(["select", "@* .cb[age=99999]"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(
        agent.ask(&json!({"op": "add", "content": "x", "id": "after"}))["ok"]["id"],
        "after"
    );
    // Told to end, it closes the store, whoever is attached.
    let told = Command::new("kill").arg(agent.child.id().to_string()).status().unwrap();
    assert!(told.success());
    agent.child.wait().unwrap();
    assert_eq!(folder.ok(&["select", "#after"]), "after\n");
}

#[test]
fn a_second_terminal_watches_the_agent() {
    let folder = Folder::new();
    let mut agent = Pipe::start(&folder, &[]);
    agent.ask(&add("one"));
    let watcher = folder
        .command()
        .args(["watch", "--json", "--after", "0", "--limit", "4"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    agent.ask(&add("two"));
    agent.ask(&json!({"op": "commit"}));
    let output = watcher.wait_with_output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let events: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["created", "add", "add", "commit"], "{lines}");

    let terminal = Terminal::start(&folder, &[]);
    terminal.shows("(attached to process");
    terminal.ask(".watch .cb[role='user']");
    terminal.shows("watching");
    agent.ask(&add("three"));
    terminal.shows("added three");
    let screen = terminal.cancel();
    assert!(!screen.contains("E_CANCELLED"), "that is how one ends it: {screen}");
    terminal.enter("^ah");
}

#[test]
fn a_request_of_a_pipe_is_ended_by_its_rid_wherever_the_store_is() {
    let folder = Folder::new();
    let mut holder = Pipe::start(&folder, &[]);
    holder.ask(&add("one"));
    let mut attached = Pipe::start(&folder, &[]);
    for pipe in [&mut holder, &mut attached] {
        let watch = json!({"op": "watch", "stream": true, "after": 1, "rid": "w"});
        assert_eq!(pipe.ask(&watch)["part"]["kind"], "add");
        writeln!(pipe.input, "{{\"cancel\":\"w\"}}").unwrap();
        let mut reply = String::new();
        pipe.output.read_line(&mut reply).unwrap();
        assert!(reply.starts_with("{\"rid\":\"w\",\"error\":{\"code\":\"E_CANCELLED\""), "{reply}");
        assert!(pipe.ask(&json!({"op": "stats"}))["ok"].is_object());
    }
}
