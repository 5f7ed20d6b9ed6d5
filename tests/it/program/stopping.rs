//! Every question of the program can be stopped: by its time, by SIGTERM, and by Ctrl-C at a terminal.
//! It then says how far it was, and the store is as it was and can be opened by the next one.

#![cfg(unix)]

use super::*;
use crate::support::terminal::Terminal;
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

/// How long a process has worked, in ticks of the system.
#[cfg(target_os = "linux")]
fn worked(process: u32) -> u64 {
    let figures = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let (_, figures) = figures.rsplit_once(')').unwrap();
    figures.split_whitespace().nth(11).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn control_c_ends_a_question_and_not_the_repl() {
    let folder = long();
    let terminal = Terminal::start(&folder, &[]);
    terminal.enter("@t0 .mt:depth(1) .cb");
    let before = worked(terminal.id());
    terminal.press(&format!("{SLOW}\r"));
    // A line that is typed takes next to nothing, so this is the question.
    while worked(terminal.id()) < before + 30 {
        std::thread::yield_now();
    }
    send("-INT", terminal.id());
    terminal.shows("E_CANCELLED");
    let answer = terminal.enter("@t0 .mt:depth(1) .cb");
    assert!(answer.contains("message 1499 of many"), "{answer}");
}
