//! Escapes stored in every field, given in every argument and typed in every statement: nothing
//! of them comes out raw, for people and for programs, whatever the command.

use super::{hostile, raw, without_colours};
use crate::support::program::{Folder, Ran};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A hostile text that can be an argument or the name of a file.
fn argument(name: &str) -> String {
    hostile(name).replace('\0', "")
}

/// A folder with a store that has a hostile text wherever one can be.
fn store() -> Folder {
    let folder = Folder::new();
    let node = |name: &str| {
        json!({"op": "add", "id": hostile(&format!("{name}-id")), "role": hostile("role"),
            "kind": hostile("kind"), "key": hostile("key"), "tags": [hostile("tag")], "ttl": 2,
            "provenance": hostile("provenance"), "mime": hostile("mime"),
            "encoding": hostile("encoding"),
            "content": hostile("content"), "attrs": {format!("data_{}", hostile("attr")): hostile("value"),
            "data_deep": {hostile("name"): [hostile("deep")]}}})
    };
    let calls = |action: &str| {
        json!({"op": "attempt", "action": action, "attempt_id": hostile("attempt"),
            "provider": hostile("provider"), "model": hostile("model"),
            "params_hash": hostile("params")})
    };
    let mut failed = calls("finish");
    failed["status"] = json!("error");
    failed["error"] = json!(hostile("error"));
    // Names of attributes and types that no edit may give come with an import.
    let seen = json!({"id": hostile("d"), "nodeType": format!("cb:{}", hostile("type")),
        "content": hostile("content"), hostile("unknown"): hostile("value")});
    let root = json!({"id": hostile("root"), "nodeType": "^root", "children": [
        {"id": hostile("sys"), "nodeType": "^sys", "children": [seen]},
        {"id": hostile("seq"), "nodeType": "^seq", "children": []},
        {"id": hostile("ah"), "nodeType": "^ah", "children": []}]});
    let requests = [
        json!({"op": "import", "snapshot": {"cycle": 1, "root": root}}),
        node("a"),
        json!({"op": "add", "to": "^sys", "id": hostile("s"), "content": {hostile("x"): hostile("y")}}),
        calls("start"),
        failed,
        json!({"op": "commit", "rid": hostile("rid")}),
        node("b"),
        json!({"op": "set", "target": "^sys > .cb", "content": hostile("changed"), "key": hostile("k")}),
        json!({"op": "commit"}),
        node("c"),
    ];
    let input: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let ran = clean(&folder, &["pipe"], &input);
    assert!(!ran.out.contains("\"error\":{\"code\""), "{}", ran.out);
    folder
}

/// Runs the program, whose output has nothing raw in it.
fn clean(folder: &Folder, args: &[&str], input: &str) -> Ran {
    let ran = folder.run_with(args, input);
    assert!((0..=2).contains(&ran.status), "{args:?} ended with {}: {}", ran.status, ran.err);
    assert_eq!(raw(&ran.out), None, "the output of {args:?}");
    assert_eq!(raw(&ran.err), None, "the complaints of {args:?}");
    ran
}

/// What is asked of a store, each with arguments that are hostile where they can be. Those that
/// only read come first.
fn asked() -> (Vec<Vec<String>>, Vec<Vec<String>>) {
    let id = argument("a-id");
    let quoted = format!("#'{}'", argument("q"));
    let texts = |args: &[&str]| args.iter().map(|arg| (*arg).to_owned()).collect();
    let reads: Vec<Vec<String>> = vec![
        texts(&["select", "*"]),
        texts(&["select", "@c1..@c2 *"]),
        texts(&["select", "--content", "@c1..@c2 *"]),
        texts(&["select", &format!("{quoted}[")]),
        texts(&["select", &format!(".cb:{}", argument("x"))]),
        texts(&["select", &format!("[{}='", argument("x"))]),
        texts(&["select", &quoted, "--order", &argument("order")]),
        texts(&["nodes", "*"]),
        texts(&["nodes", "--at", &argument("at"), "*"]),
        texts(&["tree"]),
        texts(&["tree", "--at", "@c1", ".cb"]),
        texts(&["diff", "@c1"]),
        texts(&["diff", "@c1", "@c2", "--rich"]),
        texts(&["diff", &format!("@{}", argument("x"))]),
        texts(&["explain", &quoted]),
        texts(&["nodes", "[content~'a']"]),
        texts(&["nodes", "--csv", "@* *"]),
        texts(&["nodes", "--jsonl", "@* *"]),
        texts(&["select", "--csv", "*"]),
        texts(&["select", "--jsonl", "@c1..@c2 *"]),
        texts(&["fmt", &quoted]),
        texts(&["fmt", &argument("fmt")]),
        texts(&["sql", "select * from pact('*')"]),
        texts(&["sql", "--csv", "select * from lives"]),
        texts(&["sql", "--jsonl", "select * from events"]),
        texts(&["sql", &argument("sql")]),
        texts(&["explain", &format!(".cb[role='{}']", argument("role"))]),
        texts(&["export"]),
        texts(&["export", "--all"]),
        texts(&["export", "--at", &argument("x")]),
        texts(&["thread"]),
        texts(&["thread", "--format", "openai"]),
        texts(&["thread", "--format", "anthropic"]),
        texts(&["thread", "--attempt", &argument("attempt")]),
        texts(&["thread", "--compare", "@c1", "@c2"]),
        texts(&["nodes", "@e3 *"]),
        texts(&["thread", "--at", &argument("x")]),
        texts(&["log"]),
        texts(&["log", "--node", &id]),
        texts(&["log", "--kind", &argument("kind")]),
        texts(&["replay"]),
        texts(&["watch", "--after", "0", "--limit", "5"]),
        texts(&["replay", "--cycles"]),
        texts(&["replay", &format!("{quoted}[")]),
        texts(&["attempt", "list"]),
        texts(&["attempt", "list", "--status", &argument("x")]),
        texts(&["policy"]),
        texts(&["stats"]),
        texts(&["timeline"]),
        texts(&["timeline", "--csv", "--tokens"]),
        texts(&["timeline", &argument("range")]),
        texts(&["dump"]),
        texts(&["verify"]),
        texts(&["redact", "--scan", "--own", "."]),
        texts(&["redact", "--scan", "--pattern", &argument("pattern")]),
        texts(&["completions", &argument("shell")]),
        texts(&["man"]),
        texts(&[&argument("command")]),
        texts(&["--dialect", &argument("dialect"), "stats"]),
    ];
    let new = |name: &str| argument(name) + ".new";
    let edits: Vec<Vec<String>> = vec![
        texts(&["add", "--id", &argument("new"), &argument("content")]),
        texts(&["add", "--id", &argument("new"), "again"]),
        texts(&["add", "--to", &quoted, "x"]),
        texts(&["add", "--attr", &argument("attr"), "x"]),
        texts(&["add", "--attr", &format!("{}=1", argument("attr")), "x"]),
        texts(&["add", "--ref", &argument("ref"), "x"]),
        texts(&["add", "--content-json", &argument("json")]),
        texts(&["add", "--file", &argument("missing")]),
        texts(&["set", ".cb", "--tag", &argument("tag")]),
        texts(&["set", "*", "--clear", &argument("field")]),
        texts(&["set", &quoted, "x"]),
        texts(&["move", ".cb", &quoted]),
        texts(&["remove", &quoted]),
        texts(&["undo"]),
        texts(&["commit", "--dry-run"]),
        texts(&["commit"]),
        texts(&["commit", "--expected-cycle", &argument("x")]),
        texts(&["restore", &argument("x")]),
        texts(&["policy", "--set", &argument("x")]),
        texts(&["policy", "--region", &argument("x"), "--max-blocks", "3"]),
        texts(&["cadence", "--end", &argument("key")]),
        texts(&["attempt", "finish", &argument("attempt")]),
        texts(&["attempt", "start", "--model", &argument("model")]),
        texts(&["batch", &argument("missing")]),
        texts(&["import", &argument("missing")]),
        texts(&["run", &argument("missing")]),
        texts(&["fork", &new("fork")]),
        texts(&["fork", &new("fork")]),
        texts(&["replay", "--into", &new("replay")]),
        texts(&["dump", &new("dump")]),
        texts(&["load", &new("load"), &new("dump")]),
        texts(&["demo", &new("demo")]),
        texts(&["demo", &new("demo")]),
        texts(&["-s", &new("init"), "init"]),
        texts(&["-s", &new("init"), "init"]),
        texts(&["serve", &argument("missing")]),
        texts(&["ui", &argument("missing")]),
        texts(&["export", "--html", &argument("page.html"), "--ask", "*"]),
        texts(&["-s", &argument("none"), "stats"]),
        texts(&["rebuild"]),
        texts(&["compact"]),
        texts(&["remove", "--yes", "^ah .cb"]),
    ];
    (reads, edits)
}

fn words(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

#[test]
fn nothing_raw_comes_out_of_any_command() {
    let folder = store();
    let (reads, edits) = asked();
    for args in reads.iter().chain(&edits) {
        clean(&folder, &words(args), "");
    }
    let folder = store();
    for args in reads.iter().chain(&edits) {
        let ran = clean(&folder, &[&["--json"], &*words(args)].concat(), "");
        let exact = ["dump", "man", "completions"].contains(&args[0].as_str());
        for line in ran.out.lines().filter(|_| !exact && ran.status < 2) {
            let reply: Value = serde_json::from_str(line).unwrap();
            assert!(reply.is_object(), "{line}");
        }
    }
    let asked: BTreeSet<&str> = reads.iter().chain(&edits).flat_map(|args| words(args)).collect();
    let help = folder.ok(&["--help"]);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    for command in commands.take_while(|line| line.starts_with("  ")) {
        let name = command.split_whitespace().next().unwrap();
        // These two read, and have tests of their own below.
        assert!(asked.contains(name) || ["pipe", "repl", "help"].contains(&name), "{name}");
    }
}

#[test]
fn colours_are_ours_alone() {
    let folder = store();
    for args in asked().0 {
        let args = words(&args);
        let plain = folder.run(&args);
        let coloured = folder.run(&[&["--color", "always"], &*args].concat());
        assert_eq!(without_colours(&coloured.out), plain.out, "{args:?}");
        assert_eq!(without_colours(&coloured.err), plain.err, "{args:?}");
    }
    assert!(folder.ok(&["--color", "always", "tree"]).contains('\u{1b}'));
}

#[test]
fn nothing_raw_comes_out_of_a_script() {
    let folder = store();
    let text = hostile("q");
    let lines = [
        "*".to_owned(),
        "@c1..@c2 *".to_owned(),
        ".last".to_owned(),
        ".last json".to_owned(),
        ".cb".to_owned(),
        ".last json".to_owned(),
        ".last full".to_owned(),
        ".last ids".to_owned(),
        ".last tree".to_owned(),
        ".show *".to_owned(),
        ".tree all".to_owned(),
        ".thread".to_owned(),
        ".thread openai".to_owned(),
        ".log all".to_owned(),
        ".replay all".to_owned(),
        ".attempts".to_owned(),
        "diff @c1 @c2".to_owned(),
        format!(".explain #'{text}'"),
        format!(".life '{}'", argument("a-id").replace(['\r', '\n'], "")),
        format!("#'{text}'["),
        format!(".cb[role='{text}'] ]"),
        format!("add {{id='{text}', data_x='{text}'}} '{text}'"),
        format!("add {{{}='x'}} 'y'", argument("field").replace(['\r', '\n', ' '], "")),
        format!("set #'{text}' {{key='{text}'}}"),
        format!("cadence end '{text}'"),
        format!(".{}", argument("command").replace(['\r', '\n'], "")),
        format!(".at {}", argument("at").replace(['\r', '\n'], "")),
        format!(".help {}", argument("topic").replace(['\r', '\n'], "")),
        format!(".read {}", argument("file").replace(['\r', '\n'], "")),
        format!(".export {}", argument("export").replace(['\r', '\n'], "")),
        format!(".fork {}", argument("fork").replace(['\r', '\n'], "")),
        format!(".dump {}", argument("dump").replace(['\r', '\n'], "")),
        ".compare 1 2".to_owned(),
        format!(".compare {}", argument("at").replace(['\r', '\n'], "")),
        format!(".open {}", argument("none").replace(['\r', '\n'], "")),
        format!(".output '{}' --csv", argument("output").replace(['\r', '\n'], "")),
        "*".to_owned(),
        "select * from lives".to_owned(),
        ".output --jsonl".to_owned(),
        "*".to_owned(),
        ".output -".to_owned(),
        ".output --json".to_owned(),
        "*; .log 3".to_owned(),
        ".output -".to_owned(),
        format!(".log --{}", argument("flag").replace(['\r', '\n'], "")),
        ".log --node a --help".to_owned(),
        format!(".import {}", argument("dump").replace(['\r', '\n'], "")),
        "commit".to_owned(),
    ];
    let script = lines.join("\n") + "\n";
    let name = argument("script");
    folder.write(&name, &script);
    for args in [
        vec!["repl"],
        vec!["run", "--keep-going", &name],
        vec!["run", "--keep-going", "--echo", "-"],
        vec!["--json", "run", "--keep-going", "-"],
    ] {
        let ran = clean(&folder, &args, &script);
        assert!(ran.out.lines().count() > 20, "{args:?}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn nothing_raw_comes_out_of_the_pipe_or_an_import() {
    let folder = store();
    let wrong: String = ["op", "q", "target", "to", "at", "id"]
        .map(|name| {
            let mut request = json!({"op": "nodes", "q": "*", "rid": {hostile("rid"): 1}});
            request[name] = json!(hostile("x"));
            format!("{request}\n")
        })
        .concat();
    let ran = clean(&folder, &["pipe"], &format!("{wrong}{}\n", hostile("x")));
    assert!(ran.out.lines().count() > 6 && ran.out.contains("\\u009b"), "{}", ran.out);
    let good = json!({"role": "user", "content": hostile("x")});
    let bad = json!({"role": "user", "timestamp": hostile("x"), hostile("x"): 1});
    let input = format!("{good}\n{bad}\n{}\n", hostile("x"));
    clean(&folder, &["import", "--skip-bad", "-"], &input);
    let snapshot =
        json!({"cycle": 1, "root": {"id": hostile("x"), "children": [{hostile("x"): 1}]}});
    clean(&folder, &["import", "--format", "pact", "-"], &snapshot.to_string());
}

#[cfg(unix)]
const PASTED: &str = "\u{9b}31m\u{202e}\u{200b}\u{e0041}\u{7f}⚠️ لا e\u{301}pasted-end";

#[cfg(unix)]
#[test]
fn nothing_raw_reaches_the_line_editor() {
    use crate::support::terminal::{LEAVE, TAB, Terminal, UP};
    let folder = store();
    let mut terminal = Terminal::start(&folder, &[]);
    terminal.shows("pactdb memory");
    terminal.enter(".cb");
    terminal.press(LEAVE);
    terminal.ends();
    let history = folder.path("home/.local/state/pactdb/history");
    let file = std::fs::read_dir(history).unwrap().next().unwrap().unwrap().path();
    let kept = std::fs::read_to_string(&file).unwrap();
    let line = ".cb[role='\u{1b}]0;payload\u{7}\u{9b}2Jfrom-history']";
    std::fs::write(&file, format!("{kept}{line}\n")).unwrap();
    for environment in [&[][..], &[("NO_COLOR", "1")]] {
        let terminal = Terminal::start_with(&folder, &[], (24, 80), environment);
        terminal.shows("pactdb memory");
        terminal.press(UP);
        terminal.shows("from-history");
        terminal.cancel();
        terminal.press("#'");
        terminal.press(TAB);
        terminal.press(TAB);
        terminal.cancel();
        terminal.enter(line);
        // Pasted text comes without escapes, but with all else.
        terminal.press(&format!("\u{1b}[200~.cb[role='{PASTED}\u{1b}[201~"));
        terminal.shows("pasted-end");
        terminal.press("\u{1b}[D'");
        terminal.cancel();
        let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
        assert!(!bytes.contains("\u{1b}]0;") && !bytes.contains("\u{9b}"), "{bytes:?}");
        assert!(!bytes.contains(['\u{202e}', '\u{200b}', '\u{e0041}']), "{bytes:?}");
    }
}
