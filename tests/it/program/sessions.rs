//! Commands that bring histories in and out, through the real program.

use crate::support::program::Folder;
use serde_json::Value;

fn fixture(name: &str) -> String {
    format!("{}/fixtures/import/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn json(folder: &Folder, args: &[&str]) -> Value {
    let args: Vec<&str> = ["--json"].iter().chain(args).copied().collect();
    let reply: Value = serde_json::from_str(&folder.ok(&args)).unwrap();
    reply["ok"].clone()
}

#[test]
fn import_says_what_it_made_and_refuses_twice() {
    let folder = Folder::new();
    let file = fixture("claude-code/session.jsonl");
    let out = folder.ok(&["import", &file]);
    assert_eq!(
        out,
        "imported claude-code, session s-1\n  9 records became 2 turns, 6 blocks, 1 call, 1 result\n  \
         no part of the conversation: 1 file-history-snapshot, 1 summary, 1 system\n  newest cycle 2\n"
    );
    let ran = folder.run(&["import", &file]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
    assert!(
        ran.err.starts_with("E_IMPORT_CONFLICT: the session s-1 was imported before"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("--again"), "{}", ran.err);
    assert_eq!(json(&folder, &["import", "--again", &file])["cycle"], 4);
    assert!(folder.ok(&["log", "--kind", "origin"]).contains("import claude-code from"));
    folder.ok(&["verify"]);
}

#[test]
fn import_names_a_bad_line_and_makes_no_store_for_it() {
    let folder = Folder::new();
    let document = "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\n{\"role\":\"user\",\"content\":\"b\"}\n";
    let ran = folder.run_with(&["import", "-"], document);
    assert_eq!(ran.status, 1);
    assert!(ran.err.starts_with("E_IMPORT_INVALID: line 2: it is not JSON"), "{}", ran.err);
    assert!(!folder.has("memory.pactdb"));
    let ran = folder.run_with(&["import", "--skip-bad"], document);
    assert_eq!(ran.status, 0);
    assert!(ran.out.contains("left out line 2"), "{}", ran.out);
    let ran = folder.run(&["import", "nowhere.json"]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.starts_with("E_STORE_IO: nowhere.json"), "{}", ran.err);
    assert_eq!(folder.run(&["import", "--format", "morse", "x"]).status, 2);
    let ran = folder.run_with(&["import", "--format", "anthropic"], "{\"role\":\"user\"}");
    assert!(ran.err.contains("line 1: 'content' is missing"), "{}", ran.err);
}

#[test]
fn threads_for_providers_and_what_they_share() {
    let folder = Folder::new();
    folder.ok(&["import", &fixture("anthropic/tools.json")]);
    let thread = folder.ok(&["thread", "--format", "anthropic"]);
    assert!(thread.starts_with("{\"system\":\"You keep the archive.\",\"messages\":["), "{thread}");
    let ran = folder.run(&["thread", "--format", "openai", "--strict"]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.starts_with("E_ATTR_INVALID: cb:b (image)"), "{}", ran.err);
    // Without it the image is said in the other API's form, and standard error tells so.
    let ran = folder.run(&["thread", "--format", "openai"]);
    assert_eq!(ran.status, 0);
    assert!(ran.out.contains("{\"url\":\"https://example.org/shelf.png\"}"), "{}", ran.out);
    assert!(
        ran.err.contains("warning: cb:b: is a block of the anthropic API alone"),
        "{}",
        ran.err
    );
    let reply = folder.ok(&["--json", "thread", "--format", "openai"]);
    let reply: Value = serde_json::from_str(&reply).unwrap();
    let warnings = reply["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|text| text.as_str().unwrap().starts_with("cb:b: ")), "{reply}");
    let out = folder.ok(&["thread", "--compare", "@c1", "@c2"]);
    assert!(out.ends_with("@c2 goes on with cb:a\n"), "{out}");
    let found = json(&folder, &["thread", "--compare", "@c2", "@c1"]);
    assert_eq!((&found["reason"], &found["node"]), (&"appended".into(), &"cb:a".into()));
    folder.ok(&["set", "#cb:1", "You keep the garden."]);
    let found = json(&folder, &["thread", "--compare", "@c2", "working", "--format", "anthropic"]);
    assert_eq!((&found["reason"], &found["node"]), (&"edited".into(), &"cb:1".into()));
}

#[test]
fn exports_of_several_come_back_through_import() {
    let folder = Folder::new();
    folder.ok(&["demo"]);
    let demo = |args: &[&str]| -> String {
        let args: Vec<&str> = ["-s", "demo.pactdb"].iter().chain(args).copied().collect();
        folder.ok(&args)
    };
    let all = demo(&["export", "--all"]);
    assert!(all.lines().count() > 2);
    let some = demo(&["export", "--at", "@c2..@c4"]);
    assert_eq!(some.lines().collect::<Vec<_>>(), all.lines().skip(1).take(3).collect::<Vec<_>>());
    let reply: Value =
        serde_json::from_str(&demo(&["--json", "export", "--at", "@c2..@c4"])).unwrap();
    assert_eq!(reply["ok"].as_array().unwrap().len(), 3);
    folder.write("all.jsonl", &all);
    folder.ok(&["-s", "again.pactdb", "import", "all.jsonl"]);
    assert_eq!(folder.ok(&["-s", "again.pactdb", "export", "--all"]), all);
}

#[test]
fn the_demo_dumps_and_loads_to_the_same_bytes() {
    let folder = Folder::new();
    folder.ok(&["demo"]);
    let dump = folder.ok(&["-s", "demo.pactdb", "dump"]);
    folder.ok(&["-s", "demo.pactdb", "dump", "demo.jsonl"]);
    assert_eq!(folder.read("demo.jsonl"), dump.as_bytes());
    let out = folder.ok(&["load", "new.pactdb", "demo.jsonl"]);
    assert!(out.starts_with("loaded into new.pactdb: "), "{out}");
    assert_eq!(folder.ok(&["-s", "new.pactdb", "dump"]), dump);
    folder.ok(&["-s", "new.pactdb", "verify"]);
    let ran = folder.run_with(&["load", "new.pactdb"], &dump);
    assert!(ran.err.starts_with("E_STORE_IO: new.pactdb: it exists already"), "{}", ran.err);
    let ran = folder.run_with(&["load", "half.pactdb"], &dump[..dump.len() / 2]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.starts_with("E_IMPORT_INVALID: line "), "{}", ran.err);
    assert!(!folder.has("half.pactdb"));
    let ran = folder.run(&["-s", "demo.pactdb", "dump", "demo.jsonl"]);
    assert_eq!((ran.status, folder.read("demo.jsonl")), (1, dump.into_bytes()));
    let ran = folder.run(&["import", "demo.jsonl"]);
    assert!(ran.err.contains("this is a dump"), "{}", ran.err);
}

#[test]
fn a_store_without_a_snapshot_cannot_be_forked() {
    let folder = Folder::new();
    folder.ok(&["init"]);
    assert!(folder.fails(&["fork", "new.pactdb"]).starts_with("E_SNAPSHOT_NOT_FOUND"));
    assert!(!folder.has("new.pactdb"));
}

#[test]
fn forks_and_replays() {
    let folder = Folder::new();
    folder.ok(&["demo"]);
    let before = folder.read("demo.pactdb");
    let demo = |args: &[&str]| -> String {
        let args: Vec<&str> = ["-s", "demo.pactdb"].iter().chain(args).copied().collect();
        folder.ok(&args)
    };
    assert!(demo(&["fork", "--at", "@c3", "fork.pactdb"]).starts_with("forked into fork.pactdb: "));
    let exports =
        ["demo.pactdb", "fork.pactdb"].map(|s| folder.ok(&["-s", s, "export", "--at", "@c3"]));
    assert_eq!(exports[0], exports[1]);
    assert!(
        folder
            .ok(&["-s", "fork.pactdb", "log", "--limit", "1"])
            .contains("forked from demo.pactdb at cycle 3")
    );
    folder.ok(&["-s", "fork.pactdb", "add", "--role", "user", "Another way"]);
    folder.ok(&["-s", "fork.pactdb", "commit"]);
    folder.ok(&["-s", "fork.pactdb", "verify"]);
    demo(&["replay", "--to", "@c2", "--into", "copy.pactdb"]);
    let digests =
        ["demo.pactdb", "copy.pactdb"].map(|s| folder.ok(&["-s", s, "export", "--at", "@c2"]));
    assert_eq!(digests[0], digests[1]);
    let lines = demo(&["replay", "--from", "@c2", "--to", "2"]);
    assert!(lines.lines().last().unwrap().contains("sealed mt:2"), "{lines}");
    let steps: Value = serde_json::from_str(&demo(&["--json", "replay", "--to", "1"])).unwrap();
    assert_eq!(steps["ok"][0]["kind"], "created");
    let cycles = demo(&["replay", "--cycles"]);
    assert!(cycles.lines().next().unwrap().trim().starts_with("c1 "), "{cycles}");
    let users = demo(&["replay", ".cb[role='user']"]);
    assert!(
        users.lines().count() > 1
            && users.lines().all(|line| line.contains("cb:") || line.contains("user")),
        "{users}"
    );
    assert_eq!(folder.read("demo.pactdb"), before);
}

#[test]
fn attempts_and_the_log() {
    let folder = Folder::new();
    let start = json(
        &folder,
        &["attempt", "start", "--provider", "p", "--model", "m", "--started-at", "1000000000"],
    );
    let id = start["attempt_id"].as_str().unwrap().to_owned();
    folder.ok(&[
        "attempt",
        "finish",
        &id,
        "--token-in",
        "12",
        "--token-out",
        "3",
        "--ended-at",
        "3500000000",
    ]);
    let list = folder.ok(&["attempt", "list", "--cycle", "1"]);
    assert!(list.contains(&id) && list.contains("2500 ms"), "{list}");
    let log = folder.ok(&["log", "--kind", "attempt"]);
    assert!(
        log.lines()
            .next()
            .unwrap()
            .contains("is completed (p m, 2.500 s, 12 tokens in, 3 tokens out)"),
        "{log}"
    );
    folder.ok(&["add", "--role", "user", "Hi"]);
    folder.ok(&["set", "#cb:1", "Hello"]);
    folder.ok(&["commit"]);
    let life = folder.ok(&["log", "--node", "#cb:1"]);
    let told: Vec<&str> =
        life.lines().map(|line| line.split_whitespace().nth(4).unwrap()).collect();
    assert_eq!(told, ["added", "changed", "sealed"], "{life}");
    let newest = folder.ok(&["log", "--limit", "1"]);
    assert!(newest.contains("commit cycle 1"), "{newest}");
    let oldest = folder.ok(&["log", "--reverse", "--limit", "1"]);
    assert!(oldest.contains("made for PACT"), "{oldest}");
    assert!(!folder.ok(&["export", "--at", "@c1"]).contains(&id));
    let ran = folder.run(&["log", "--node", "nobody"]);
    assert!(ran.err.starts_with("E_NODE_NOT_FOUND"), "{}", ran.err);
}

#[test]
fn what_a_provider_was_sent_is_read_again_and_checked() {
    let folder = Folder::new();
    folder.ok(&["add", "--role", "user", "Where is the key?"]);
    folder.ok(&["add", "--role", "user", "--ttl", "0", "I looked in the hall."]);
    let sent = folder.ok(&["thread", "--format", "openai"]);
    let started = folder.ok(&["attempt", "start", "--id", "a", "--format", "openai"]);
    assert!(started.contains("\"at_event\": 3") && started.contains("\"thread_sha256\": \""));
    folder.ok(&["attempt", "start", "--id", "b"]);
    folder.ok(&["add", "--role", "assistant", "Under the mat."]);
    folder.ok(&["commit"]);
    assert_eq!(folder.ok(&["thread", "--attempt", "a", "--format", "openai"]), sent);
    assert_eq!(folder.ok(&["export", "--attempt", "a"]), folder.ok(&["export", "--at", "@e3"]));
    let said = folder.ok(&["thread", "--attempt", "a", "--check"]);
    assert!(said.starts_with("the openai thread of a at @e3 is what was sent: SHA-256 "), "{said}");
    let json = folder.ok(&["--json", "thread", "--attempt", "a", "--check"]);
    assert!(json.starts_with("{\"ok\":{\"at_event\":3,\"attempt_id\":\"a\","), "{json}");
    let none = folder.run(&["thread", "--attempt", "b", "--check"]);
    assert_eq!(none.status, 1);
    assert!(none.err.starts_with("E_NODE_NOT_FOUND: no thread was kept of"), "{}", none.err);
    assert!(folder.fails(&["thread", "--attempt", "c"]).starts_with("E_NODE_NOT_FOUND"));
    assert_eq!(folder.run(&["thread", "--check"]).status, 2);
    assert_eq!(folder.run(&["thread", "--attempt", "a", "--at", "@e3"]).status, 2);
    assert_eq!(folder.run(&["export", "--attempt", "a", "--all"]).status, 2);
    let list = folder.ok(&["attempt", "list"]);
    assert!(list.contains("@e3") && list.contains("openai "), "{list}");
}

/// An id that ends in the name of a pseudo can be named in quotes, as in a selector.
#[test]
fn a_life_is_asked_for_by_an_id_in_any_spelling() {
    let folder = Folder::new();
    folder.ok(&["add", "--id", "cb:pre", "Hi"]);
    folder.ok(&["add", "--id", "it's", "there"]);
    for spelling in ["#'cb:pre'", "#\"cb:pre\"", "#cb:pre", "cb:pre", "'cb:pre'"] {
        let life = folder.ok(&["log", "--node", spelling]);
        assert!(life.contains("Hi"), "{spelling}: {life}");
        let ran = folder.run_with(&["run", "-"], &format!(".life {spelling}\n"));
        assert!(ran.out.contains("Hi"), "{spelling}: {} {}", ran.out, ran.err);
    }
    for spelling in ["it's", "#it's", r"#'it\'s'"] {
        assert!(folder.ok(&["log", "--node", spelling]).contains("there"), "{spelling}");
    }
}
