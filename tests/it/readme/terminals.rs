//! `terminals` blocks: several terminals at one store, as the README shows them.
//!
//! `1 $ ` starts a program in the first terminal, `1 > ` types a line into it, `1 < ` is the next line
//! that it prints; `…` stands for anything. At the end of the block every input ends, and servers are
//! told to. They listen at a free port instead of the one that the README shows.

use super::fits;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Where the README's server listens.
const SHOWN: &str = "127.0.0.1:7350";

struct Window {
    child: Child,
    serves: bool,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

fn free_address() -> String {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    taken.local_addr().unwrap().to_string()
}

fn start(command: &str, folder: &Path, listen: &str) -> Window {
    let program = Path::new(env!("CARGO_BIN_EXE_pactdb"));
    let path =
        format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut child = Command::new("sh")
        .args(["-c", &format!("exec {command} 2>&1")])
        .current_dir(folder)
        .env("PATH", path)
        .env_remove("PACTDB_STORE")
        .env("PACTDB_LISTEN", listen)
        .env("PACTDB_TOKEN", "a-token-for-the-readme-alone")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
    let serves = command.starts_with("pactdb serve");
    Window { child, serves, input, output: BufReader::new(output) }
}

fn play(block: &str, folder: &Path) {
    let mut windows: BTreeMap<&str, Window> = BTreeMap::new();
    let listen = free_address();
    let block = block.replace(SHOWN, &listen);
    for line in block.lines() {
        let (number, rest) = line.split_once(' ').expect("a terminal's number");
        let (mark, text) = rest.split_at(rest.len().min(2));
        match mark {
            "$ " => drop(windows.insert(number, start(text, folder, &listen))),
            "> " => {
                let window = windows.get_mut(number).expect("a program");
                writeln!(window.input.as_mut().unwrap(), "{text}").unwrap();
            }
            "< " => {
                let window = windows.get_mut(number).expect("a program");
                let mut printed = String::new();
                window.output.read_line(&mut printed).unwrap();
                assert!(fits(text, printed.trim_end()), "{line}\nis in truth\n{printed}");
            }
            _ => panic!("{line:?} is no line of a terminal"),
        }
    }
    for mut window in windows.into_values().rev() {
        drop(window.input.take());
        if window.serves {
            let id = window.child.id().to_string();
            assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        }
        assert!(window.child.wait().unwrap().success());
    }
}

#[test]
fn the_terminals_of_the_readme_are_true() {
    let text = include_str!("../../../README.md");
    let blocks: Vec<&str> = text
        .split("```terminals\n")
        .skip(1)
        .map(|rest| rest.split_once("```").expect("the end of a block").0)
        .collect();
    assert!(!blocks.is_empty(), "there are terminals");
    let folder = tempfile::tempdir().unwrap();
    blocks.into_iter().for_each(|block| play(block, folder.path()));
}
