//! Every question of the program can be stopped: by its time, and by SIGTERM. It then says how far it was, and the store is as it was and can be opened by the next one.

#![cfg(unix)]

use super::*;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// A question that asks every snapshot in full: it takes long on a store of many turns.
const SLOW: &str = "@* .cb[age>99999]";

/// A store of many turns.
fn long() -> Folder {
    let folder = Folder::new();
    let message = |i| format!("{{\"role\":\"user\",\"content\":\"message {i} of many\"}}\n");
    folder.write("messages.jsonl", &(0..1500).map(message).collect::<String>());
    folder.ok(&["import", "messages.jsonl"]);
    folder
}

fn send(signal: &str, process: u32) {
    let sent = Command::new("kill").args([signal, &process.to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn a_question_keeps_to_its_time() {
    let folder = long();
    let ran = folder.run(&["--timeout", "20ms", "select", SLOW]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.err.starts_with("E_TIMEOUT: the time was over after "), "{}", ran.err);
    assert!(ran.err.contains(" of 1500 snapshots were asked"), "{}", ran.err);
    let reply = folder.run(&["--json", "--timeout", "20ms", "select", SLOW]);
    assert!(reply.out.starts_with("{\"error\":{\"code\":\"E_TIMEOUT\""), "{reply:?}");
    folder.ok(&["--timeout", "0", "select", "@t0 .mt:depth(1) .cb"]);
}

/// A pipe that was computing a range did not end on SIGTERM for minutes.
#[test]
fn a_pipe_ends_its_answer_when_it_is_told_to() {
    let folder = long();
    let mut child = folder
        .command()
        .arg("pipe")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // What nobody reads yet keeps the answer from being complete when the signal comes.
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"{\"op\":\"replay\",\"stream\":true,\"rid\":1}\n").unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    output.read_line(&mut first).unwrap();
    assert!(first.contains("\"rid\":1") && !first.contains("\"ok\""), "{first}");
    send("-TERM", child.id());
    let last = output.lines().map(Result::unwrap).last().unwrap();
    assert!(last.contains("E_CANCELLED") && last.contains("events were replayed"), "{last}");
    child.wait().unwrap();
    drop(input);
    folder.ok(&["verify"]);
}
