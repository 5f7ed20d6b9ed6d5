//! Commands that change a store.

use super::small;
use crate::support::program::Folder;

#[test]
fn the_first_edit_makes_the_store() {
    let folder = Folder::new();
    assert_eq!(folder.ok(&["add", "--role", "user", "Hello"]), "added cb:1\n");
    assert!(folder.has("memory.pactdb"));
    assert_eq!(folder.ok(&["-s", "other.pactdb", "add", "Hi"]), "added cb:1\n");
    assert!(folder.has("other.pactdb"));
}

#[test]
fn content_comes_from_an_argument_a_file_or_standard_input() {
    let folder = Folder::new();
    folder.write("note.txt", "from a file\n");
    folder.ok(&["add", "as an argument"]);
    folder.ok(&["add", "--file", "note.txt"]);
    assert_eq!(folder.run_with(&["add", "-"], "from a pipe").status, 0);
    folder.ok(&["add", "--content-json", r#"{"b":1,"a":[true,null]}"#]);
    let thread = folder.ok(&["thread"]);
    for content in [
        r#""as an argument""#,
        r#""from a file\n""#,
        r#""from a pipe""#,
        r#"{"a":[true,null],"b":1}"#,
    ] {
        assert!(thread.contains(&format!("\"content\":{content}")), "{content} in {thread}");
    }
    let missing = folder.fails(&["add", "--file", "nothing.txt"]);
    assert!(missing.starts_with("E_STORE_IO: cannot read nothing.txt"), "{missing}");
    let broken = folder.fails(&["add", "--content-json", "{"]);
    assert!(broken.starts_with("E_REQUEST_INVALID: "), "{broken}");
}

#[test]
fn every_header_has_a_flag() {
    let folder = small();
    let add = [
        "add",
        "Note",
        "--to",
        "^ah",
        "--id",
        "note",
        "--role",
        "tool",
        "--kind",
        "note",
        "--key",
        "k",
        "--tag",
        "a",
        "--tag",
        "b",
        "--ttl",
        "4",
        "--cad",
        "2",
        "--offset",
        "-1",
        "--priority",
        "-3",
        "--ref",
        "cb:1",
        "--pinned",
        "--provenance",
        "me",
        "--attr",
        "data_score=0.5",
        "--attr",
        "data_name=x y",
        "--created-at-ns",
        "5000000000000000000",
    ];
    assert_eq!(folder.ok(&add), "added note\n");
    let nodes = folder.ok(&["--json", "nodes", "#note"]);
    for part in [
        r#""cad":2"#,
        r#""content":"Note""#,
        r#""created_at_ns":5000000000000000000"#,
        r#""data_name":"x y""#,
        r#""data_score":0.5"#,
        r#""key":"k""#,
        r#""kind":"note""#,
        r#""offset":-1"#,
        r#""pinned":true"#,
        r#""priority":-3"#,
        r#""provenance":"me""#,
        r#""refs":["cb:1"]"#,
        r#""role":"tool""#,
        r#""tags":["a","b"]"#,
        r#""ttl":4"#,
    ] {
        assert!(nodes.contains(part), "{part} in {nodes}");
    }
    folder.ok(&["set", "#note", "Other", "--ttl", "7", "--tag", "c", "--clear", "cad,refs,pinned"]);
    folder.ok(&["set", "#note", "--attr", "data_score=null", "--priority", "1", "--key", "l"]);
    let nodes = folder.ok(&["--json", "nodes", "#note"]);
    for part in
        [r#""content":"Other""#, r#""ttl":7"#, r#""tags":["c"]"#, r#""priority":1"#, r#""key":"l""#]
    {
        assert!(nodes.contains(part), "{part} in {nodes}");
    }
    for part in ["\"cad\"", "\"refs\"", "\"pinned\"", "data_score"] {
        assert!(!nodes.contains(part), "{part} in {nodes}");
    }
    let wrong = folder.fails(&["set", "#note", "--clear", "role"]);
    assert!(wrong.contains("--clear takes content, ttl"), "{wrong}");
}

#[test]
fn moving_removing_undoing() {
    let folder = small();
    assert_eq!(folder.ok(&["move", "#cb:5", "^ah", "--offset", "2"]), "moved cb:5\n");
    assert_eq!(folder.ok(&["remove", "#cb:5"]), "removed cb:5\n");
    assert_eq!(folder.ok(&["undo"]), "took back the remove of event 10\n");
    assert_eq!(folder.ok(&["select", "^ah .cb"]), "cb:5\n");
    assert_eq!(folder.ok(&["rm", "#nothing?"]), "nothing matched\n");
    assert!(folder.fails(&["rm", "#nothing"]).starts_with("E_NODE_NOT_FOUND: "));
}

#[test]
fn a_batch_is_a_list_or_lines() {
    let folder = Folder::new();
    let list = r#"[{"op":"add","content":"one"},{"op":"commit"}]"#;
    let ran = folder.run_with(&["batch"], list);
    assert!(ran.out.starts_with("added cb:1\ncommitted cycle 1 as mt:1\n"), "{}", ran.out);
    folder.write("ops.jsonl", "{\"op\":\"add\",\"content\":\"two\"}\n\n{\"op\":\"commit\"}\n");
    let second = folder.ok(&["batch", "ops.jsonl", "--expected-cycle", "1"]);
    assert!(second.contains("committed cycle 2 as mt:2"), "{second}");
    folder.write("ops.jsonl", "{\"op\":\"add\"}\n{\"op\":\n");
    assert!(folder.fails(&["batch", "ops.jsonl"]).contains("line 2"));
    assert!(folder.fails(&["batch", "ops.jsonl", "--expected-cycle", "1"]).contains("line 2"));
}

#[test]
fn policies_are_shown_set_added_and_cleared() {
    let folder = small();
    assert_eq!(folder.ok(&["policy"]), "no policy: nothing is pruned\n");
    folder.ok(&["policy", "--region", "^seq", "--max-blocks", "9", "--protect-recent-turns", "2"]);
    let two = folder.ok(&["policy", "--append", "--max-tokens", "1000"]);
    assert_eq!(two.lines().count(), 3, "{two}");
    let json = folder.ok(&["--json", "policy"]);
    assert_eq!(
        json,
        "{\"ok\":[{\"max_blocks\":9,\"protect_recent_turns\":2,\"region\":\"^seq\"},{\"max_tokens\":1000}]}\n"
    );
    assert_eq!(folder.ok(&["policy", "--clear"]), "no policy: nothing is pruned\n");
    assert!(folder.fails(&["policy", "--region", "^root"]).starts_with("E_ATTR_INVALID: "));
}

#[test]
fn a_restore_needs_a_clean_head_or_the_word() {
    let folder = small();
    assert!(folder.fails(&["restore", "@c1"]).starts_with("E_CONFLICT: "));
    let text = folder.ok(&["restore", "@c1", "--discard"]);
    assert!(text.starts_with("restored @c1: committed cycle 3\n"), "{text}");
    assert_eq!(folder.ok(&["select", "@t0 .cb"]), "cb:1\ncb:2\ncb:3\n");
}

#[test]
fn a_cadence_ends_by_its_key() {
    let folder = small();
    folder.ok(&["add", "Stretch.", "--key", "stretch", "--cad", "1", "--ttl", "1"]);
    assert!(folder.ok(&["commit"]).contains("came back: cb:7"));
    assert_eq!(folder.ok(&["cadence", "--end", "stretch"]), "ended the cadence of stretch\n");
    assert!(!folder.ok(&["commit"]).contains("came back"));
}

#[test]
fn a_dry_run_of_a_commit_changes_nothing_and_makes_no_store() {
    let folder = Folder::new();
    assert!(folder.fails(&["commit", "--dry-run"]).starts_with("E_STORE_IO: there is no store"));
    assert!(!folder.has("memory.pactdb"));
    folder.ok(&["add", "--ttl", "0", "brief"]);
    let time = ["--created-at-ns", "2000000000000000000"];
    let said = folder.ok(&["commit", "--dry-run", time[0], time[1]]);
    assert!(said.starts_with("a commit would close cycle 1 as mt:1\n  expired: cb:1\n"), "{said}");
    let ran =
        folder.run_with(&[], ".at @e2\ncommit {dry_run, created_at_ns=2000000000000000000}\n");
    assert!(ran.out.ends_with(&said), "{}", ran.out);
    assert!(folder.ok(&["stats"]).contains("uncommitted    1 edit\n"));
    let did = folder.ok(&["commit", time[0], time[1]]);
    assert_eq!(did, said.replace("a commit would close", "committed"));
}
