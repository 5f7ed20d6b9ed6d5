//! Every example of the README and of the pages beside it is run, and prints what the text says.
//!
//! In a `console` block, a line after `$ ` is a command, lines after `> ` are its standard input,
//! and the rest is what it prints; `…` stands for anything. All blocks share one empty folder.
//!
//! A `repl` block is a session of the REPL: what stands behind a prompt is typed, and the whole block
//! is what the session shows. The store is the one that its first prompt names.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[cfg(unix)]
mod terminals;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

#[derive(Default)]
struct Example {
    command: String,
    input: String,
    output: Vec<String>,
}

/// A session of the REPL, run as a script that shows what it is given.
fn session(block: &[&str]) -> Example {
    let mut example = Example::default();
    let mut statement = String::new();
    for line in block {
        example.output.push((*line).to_owned());
        let typed = line.strip_prefix("pactdb ").and_then(|rest| rest.split_once("> "));
        match typed {
            Some((store, typed)) if statement.is_empty() => {
                let store = store.split(['@', '*']).next().unwrap();
                if example.command.is_empty() {
                    example.command = format!("pactdb -s {store}.pactdb run --echo --keep-going -");
                }
                statement = typed.to_owned();
            }
            _ if statement.is_empty() => continue,
            _ => statement = format!("{statement}\n{line}"),
        }
        // A statement goes on in the next line while a bracket or a quote is open.
        if pactdb::language::unclosed(&statement).is_none() {
            example.input.push_str(&format!("{statement}\n"));
            statement.clear();
        }
    }
    example
}

fn examples(text: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    let mut inside = false;
    let mut repl: Option<Vec<&str>> = None;
    for line in text.lines() {
        match (line, &mut repl) {
            ("```", Some(block)) => {
                found.push(session(block));
                repl = None;
                continue;
            }
            (line, Some(block)) => {
                block.push(line);
                continue;
            }
            ("```repl", None) => {
                repl = Some(Vec::new());
                continue;
            }
            _ => {}
        }
        match (line, inside) {
            ("```console", _) => inside = true,
            ("```", _) => inside = false,
            (_, false) => {}
            (line, true) => {
                if let Some(command) = line.strip_prefix("$ ") {
                    found.push(Example { command: command.to_owned(), ..Example::default() });
                } else if let Some(input) = line.strip_prefix("> ") {
                    let example = found.last_mut().expect("input before a command");
                    example.input.push_str(input);
                    example.input.push('\n');
                } else {
                    found.last_mut().expect("output before a command").output.push(line.to_owned());
                }
            }
        }
    }
    found
}

fn run(example: &Example, folder: &Path) -> Vec<String> {
    let program = Path::new(env!("CARGO_BIN_EXE_pactdb"));
    let path =
        format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut child = Command::new("sh")
        .args(["-c", &example.command])
        .current_dir(folder)
        .env("PATH", path)
        .env_remove("PACTDB_STORE")
        .env("FIXTURES", concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(example.input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).unwrap().lines().map(str::to_owned).collect()
}

/// Whether a line is what the README shows, where `…` stands for anything.
fn fits(shown: &str, line: &str) -> bool {
    let mut rest = line;
    let mut pieces = shown.split('…').peekable();
    let first = pieces.next().unwrap_or_default();
    let Some(after) = rest.strip_prefix(first) else { return false };
    rest = after;
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.is_empty()
}

#[test]
fn the_examples_of_the_readme_are_true() {
    check(include_str!("../../README.md"), 5);
}

#[test]
fn the_examples_of_the_page_on_the_repl_are_true() {
    check(include_str!("../../docs/repl.md"), 1);
}

#[test]
fn the_examples_of_the_page_on_the_language_are_true() {
    check(include_str!("../../docs/language.md"), 3);
}

#[test]
fn the_examples_of_the_page_on_sessions_are_true() {
    check(include_str!("../../docs/sessions.md"), 12);
}

#[test]
fn the_examples_of_the_page_on_sql_are_true() {
    check(include_str!("../../docs/sql.md"), 8);
}

/// Questions that agent developers have, each with one line that answers it.
#[test]
fn the_questions_are_answered() {
    check(include_str!("../../fixtures/questions.md"), 25);
}

fn check(text: &str, least: usize) {
    let folder = tempfile::tempdir().unwrap();
    let examples = examples(text);
    assert!(examples.len() >= least, "there are examples");
    for example in &examples {
        let printed = run(example, folder.path());
        let same = printed.len() == example.output.len()
            && example.output.iter().zip(&printed).all(|(shown, line)| fits(shown, line));
        assert!(
            same,
            "$ {}\nprints\n{}\nand the text says\n{}",
            example.command,
            printed.join("\n"),
            example.output.join("\n")
        );
    }
}

#[test]
fn a_session_in_the_readme_would_be_run() {
    let text = "```repl\npactdb a*> add 'x\ny'\nadded cb:1\npactdb a> .cb\n-- 1 node\n```\n";
    let example = examples(text).remove(0);
    assert_eq!(example.command, "pactdb -s a.pactdb run --echo --keep-going -");
    assert_eq!(example.input, "add 'x\ny'\n.cb\n");
    assert_eq!(example.output.len(), 5);
}
