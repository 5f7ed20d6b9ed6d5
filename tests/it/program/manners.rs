//! Exit statuses, colours, help, and the pages that the program writes about itself.

use super::small;
use crate::support::program::Folder;

#[test]
fn exit_statuses() {
    let folder = small();
    assert_eq!(folder.run(&["stats"]).status, 0);
    assert_eq!(folder.run(&["export", "--at", "@c9"]).status, 1);
    assert_eq!(folder.run(&["slect", ".cb"]).status, 2);
    assert_eq!(folder.run(&["select"]).status, 2);
    assert_eq!(folder.run(&["commit", "--expected-cycle", "x"]).status, 2);
}

#[test]
fn an_error_points_at_the_fault() {
    let folder = small();
    assert_eq!(
        folder.fails(&["select", "@t0 .cb[role='user'"]),
        "E_SELECTOR_INVALID: at byte 7: this `[` is never closed\n  @t0 .cb[role='user'\n         ^\n"
    );
    let edit = folder.fails(&["set", "#cb:1 >", "--ttl", "1"]);
    assert!(edit.contains("\n  #cb:1 >\n         ^\n"), "{edit}");
}

#[test]
fn with_json_an_error_is_a_reply() {
    let folder = small();
    let ran = folder.run(&["--json", "select", ".cb["]);
    assert_eq!((ran.status, ran.err.as_str()), (1, ""));
    assert!(ran.out.starts_with("{\"error\":{\"code\":\"E_SELECTOR_INVALID\","), "{}", ran.out);
    let ran = folder.run(&["--json", "select", ".cb:frist"]);
    assert!(ran.out.contains("\"warnings\":["), "{}", ran.out);
}

#[test]
fn the_store_is_named_by_a_flag_or_the_environment() {
    let folder = small();
    std::fs::rename(folder.path("memory.pactdb"), folder.path("a.pactdb")).unwrap();
    let by_flag = folder.ok(&["-s", "a.pactdb", "select", "@t0 .cb"]);
    let mut command = folder.command();
    let by_name = command.args(["select", "@t0 .cb"]).env("PACTDB_STORE", "a.pactdb");
    let by_name = by_name.output().unwrap();
    assert_eq!(String::from_utf8(by_name.stdout).unwrap(), by_flag);
}

#[test]
fn colours_only_where_they_are_wanted() {
    let folder = small();
    assert!(!folder.ok(&["tree"]).contains('\x1b'), "no terminal, no colours");
    assert!(folder.ok(&["--color", "always", "tree"]).contains('\x1b'));
    assert!(!folder.fails(&["select", "["]).contains('\x1b'));
}

#[test]
fn every_command_has_help_with_an_example() {
    let folder = Folder::new();
    let help = folder.ok(&["--help"]);
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() >= 25, "{commands:?}");
    for command in commands {
        let help = folder.ok(&[command, "--help"]);
        assert!(help.contains("Example"), "{command} --help has no example");
    }
}

#[test]
fn completions_and_the_manual_page() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(folder.ok(&["completions", shell]).contains("pactdb"), "{shell}");
    }
    let page = folder.ok(&["man"]);
    assert!(page.contains(".TH pactdb 1") && page.contains("PACTDB SELECT"), "{page}");
}

#[test]
fn the_demo_is_the_same_every_time() {
    let folder = Folder::new();
    let said = folder.ok(&["demo"]);
    assert!(said.starts_with("made demo.pactdb: an agent plans a trip, 25 turns"), "{said}");
    folder.ok(&["demo", "again.pactdb"]);
    for at in ["@c1", "@c13", "@t0"] {
        let [a, b] =
            ["demo.pactdb", "again.pactdb"].map(|s| folder.ok(&["-s", s, "export", "--at", at]));
        assert_eq!(a, b);
    }
    folder.ok(&["-s", "demo.pactdb", "verify"]);
    let ask = |q: &str| folder.ok(&["-s", "demo.pactdb", "select", q]).lines().count();
    assert!(ask("@* .cb[kind='document']") > ask("@t0 .cb[kind='document']"), "documents expire");
    assert!(ask("@* .cb[key='reminder']") > 2, "the reminder comes back");
    assert!(ask("@t0 .cb[kind='summary']") == 2);
    assert!(ask("@t0 .cb[kind='call']") > 5);
    let manner = folder.ok(&["-s", "demo.pactdb", "diff", "@c1", "@t0", "^sys .cb[key='manner']"]);
    assert!(manner.contains("+ You plan trips. Be brief, and give a reason"), "{manner}");
    assert!(folder.fails(&["demo"]).contains("is there already"));
}

#[test]
fn an_interrupted_pipe_closes_its_store() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;
    let folder = Folder::new();
    let mut command = folder.command();
    let mut child =
        command.arg("pipe").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut replies = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |line: &str| {
        writeln!(input, "{line}").unwrap();
        replies.next().unwrap().unwrap()
    };
    assert_eq!(ask(r#"{"op":"add","content":"kept"}"#), r#"{"ok":{"id":"cb:1"}}"#);
    assert!(ask("{").starts_with("{\"error\":"));
    let interrupted = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success());
    assert_eq!(child.wait().unwrap().code(), Some(0), "while its input is still open");
    assert_eq!(folder.ok(&["select", "^ah .cb"]), "cb:1\n");
}
