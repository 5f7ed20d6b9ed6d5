//! Every question of the program can be stopped: by its time, by Ctrl-C and by SIGTERM. It then says
//! how far it was, and the store is as it was and can be opened by the next one. A program that waits
//! ends too, and closes its store.

#![cfg(unix)]

use super::*;
use crate::support::terminal::Terminal;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

/// A question that asks every snapshot in full: it takes long on a store of many turns.
const SLOW: &str = "@* .cb[age=99999]";

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

/// A program that was told to end while it waits, by its status and what it says.
fn ended(mut child: std::process::Child) -> (i32, String) {
    // The end of its input would end it too.
    let _input = child.stdin.take();
    send("-TERM", child.id());
    let status = child.wait().unwrap();
    let mut said = String::new();
    if let Some(mut err) = child.stderr.take() {
        err.read_to_string(&mut said).unwrap();
    }
    (status.code().unwrap_or(-1), said)
}

#[test]
fn a_pipe_that_nobody_reads_ends() {
    let folder = long();
    let mut child = folder
        .command()
        .arg("pipe")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"{\"op\":\"add\",\"id\":\"kept\",\"content\":\"x\"}\n").unwrap();
    // More than a pipe holds, and nobody takes it.
    input.write_all(b"{\"op\":\"dump\",\"stream\":true,\"rid\":1}\n").unwrap();
    let mut first = [0];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    while !is_asleep(child.id()) {
        std::thread::yield_now();
    }
    let (status, said) = ended(child);
    assert_eq!((status, said.as_str()), (0, ""));
    assert_eq!(folder.ok(&["select", "#kept"]), "kept\n");
}

/// Whether a process waits for something.
fn is_asleep(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let waits = std::fs::read_to_string(format!("/proc/{process}/wchan")).unwrap_or_default();
    stat.rsplit(')').next().unwrap().trim_start().starts_with('S') && waits.contains("poll")
}

#[test]
fn whoever_waits_for_input_ends_and_closes_the_store() {
    let folder = long();
    for arguments in [&["import", "-"][..], &["add", "--file", "-"], &["run", "-"]] {
        let child = folder
            .command()
            .args(arguments)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while !is_asleep(child.id()) {
            std::thread::yield_now();
        }
        let (status, said) = ended(child);
        assert_eq!(status, 143, "{arguments:?}: {said}");
        assert!(said.starts_with("E_CANCELLED: "), "{arguments:?}: {said}");
    }
    folder.ok(&["verify"]);
}

#[test]
fn ctrl_c_at_a_terminal_ends_the_question_and_not_the_session() {
    let folder = long();
    let mut terminal = Terminal::start(&folder, &[]);
    terminal.shows("pactdb memory>");
    for time in 1..=3 {
        terminal.ask(SLOW);
        // Too early for the question is as good as in the middle of it.
        let screen = terminal.cancel();
        assert_eq!(screen.matches("E_CANCELLED: cancelled after ").count(), time, "{screen}");
        let answer = terminal.enter("^ah");
        assert!(answer.contains("ah"), "{answer}");
    }
    // While a line is typed the signal itself means nothing.
    send("-INT", terminal.id());
    let answer = terminal.enter("add {id='after'} 'still here'");
    assert!(answer.contains("after"), "{answer}");
    terminal.press(".quit\r");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn a_terminal_is_given_back_and_the_store_closed_when_the_program_is_told_to_end() {
    let folder = long();
    let mut terminal = Terminal::start(&folder, &[]);
    terminal.shows("pactdb memory>");
    terminal.enter("add {id='after'} 'still here'");
    terminal.press("half a li");
    terminal.shows("half a li");
    assert!(!terminal.echoes());
    send("-TERM", terminal.id());
    assert_eq!(terminal.ends(), 143);
    assert!(terminal.echoes());
    let verified = folder.ok(&["verify"]);
    assert!(!verified.contains("repair"), "{verified}");
    assert_eq!(folder.ok(&["select", "#after"]), "after\n");
}

/// What is typed while an answer is computed is the beginning of the next line.
#[test]
fn what_is_typed_ahead_is_kept() {
    let folder = long();
    let terminal = Terminal::start(&folder, &[]);
    terminal.shows("pactdb memory>");
    terminal.press("add {id='one'} 'x'\radd {id='two'} 'y'\r.cou");
    terminal.shows("added two");
    terminal.line_has(".cou");
    assert_eq!(terminal.screen().matches("added ").count(), 2);
}
