//! Answers of selectors on the command line: CSV and JSON lines, what was searched for, names that
//! nothing has, and canonical forms.

use super::small;
use crate::support::program::Folder;

#[test]
fn selectors_are_answered_as_csv_and_json_lines() {
    let folder = small();
    assert_eq!(folder.ok(&["select", "--csv", "@c1 .cb"]), "id\ncb:1\ncb:2\ncb:3\n");
    let lines = "{\"id\":\"cb:1\"}\n{\"id\":\"cb:2\"}\n";
    assert_eq!(folder.ok(&["select", "--jsonl", "@c1 .cb", "--limit", "2"]), lines);
    let range = folder.ok(&["select", "--csv", "@c1..@c2 .cb[role='user']"]);
    assert_eq!(range, "older,newer,change,id\n@c1,@c2,added,cb:4\n");
    let nodes = folder.ok(&["nodes", "--csv", "@* .cb[role='user']"]);
    let mut lines = nodes.lines();
    let head = lines.next().unwrap();
    assert!(head.starts_with("id,nodeType,parent,depth,offset,role,kind,"), "{head}");
    assert!(head.contains(",at,") && head.ends_with(",content"), "{head}");
    assert!(lines.all(|line| line.starts_with("cb:")), "{nodes}");
    let nodes = folder.ok(&["nodes", "--jsonl", "@c1 .cb[role='user']"]);
    let node: serde_json::Value = serde_json::from_str(&nodes).unwrap();
    assert_eq!(node["id"], "cb:2");
    let counted = folder.ok(&["select", "--csv", "@c1 .cb[role='user'] | count"]);
    assert_eq!(counted, "count\n1\n");
    let both = folder.run(&["--json", "select", "--csv", ".cb"]);
    assert!(both.status == 1 && both.out.contains("E_REQUEST_INVALID"), "{both:?}");
    assert_eq!(folder.run(&["select", "--csv", "--jsonl", ".cb"]).status, 2);
}

#[test]
fn a_content_search_shows_the_text_around_the_match() {
    let folder = small();
    let text = format!("{} needle\u{1b}[31m{}", "hay ".repeat(80), " stack".repeat(80));
    folder.ok(&["add", "--role", "assistant", "--tag", "long", &text]);
    let table = folder.ok(&["nodes", ".cb[content~'needle']"]);
    let line = table.lines().nth(1).unwrap();
    assert!(line.contains("…hay hay"), "{line}");
    assert!(line.contains(" needle\\u{1b}[31m stack stack"), "{line}");
    let painted = folder.ok(&["--color", "always", "nodes", ".cb[content~'needle']"]);
    assert!(painted.contains("\u{1b}[1m\u{1b}[33mneedle\u{1b}[0m"), "{painted:?}");
    let ids = folder.ok(&["select", ".cb[content~'needle']"]);
    assert_eq!(ids.lines().count(), 1, "programs get ids: {ids}");
    assert!(!ids.contains("needle"), "{ids}");
}

#[test]
fn every_snapshot_is_named_beside_its_nodes() {
    let table = small().ok(&["nodes", "@* .cb[role='user']"]);
    let mut lines = table.lines();
    assert!(lines.next().unwrap().starts_with("id    in"), "{table}");
    assert!(lines.all(|line| line.contains("@c2")), "{table}");
}

#[test]
fn names_that_nothing_has_are_said_beside_the_answer() {
    let folder = small();
    let ran = folder.run(&["select", "@t0 .cb[role='uesr']"]);
    assert_eq!((ran.status, ran.out.as_str()), (0, ""));
    assert_eq!(ran.err, "warning: no node has the role `uesr` (did you mean `user`?)\n");
    let ran = folder.run(&["nodes", "#cb:1, #cb:999"]);
    assert!(ran.out.contains("cb:1"), "{ran:?}");
    assert!(ran.err.starts_with("warning: no node has the id `cb:999`"), "{ran:?}");
    // Ages are what the tree shows.
    assert_eq!(folder.ok(&["select", ".cb[age>1][role='user']"]), "cb:2\n");
    folder.ok(&["tree", ".cb[depth=1]"]);
    folder.ok(&["explain", ".cb[age>1]"]);
}

#[test]
fn canonical_forms_need_no_store() {
    let folder = Folder::new();
    assert_eq!(folder.ok(&["fmt", ".cb(role='user')+b+a"]), ".cb[role='user']+a+b\n");
    assert_eq!(folder.ok(&["fmt", "--to", "1.0", "@t0 #x > .cb"]), "@t-1 [id='x'] > .block\n");
    let ran = folder.run(&["fmt", "(d1, c@0, *)"]);
    assert_eq!(ran.out, "(d1, 0, *)\n");
    assert_eq!(ran.err, "warning: `c@0` is written `0`\n");
    assert_eq!(folder.run(&["fmt", "--check", ".cb"]).status, 0);
    assert_eq!(folder.run(&["fmt", "--check", ".block"]).status, 1);
    let json = folder.ok(&["--json", "fmt", ".block"]);
    assert_eq!(json, "{\"ok\":{\"canonical\":\".cb\",\"dialect\":\"0.1\"}}\n");
    let refused = folder.fails(&["--dialect", "1.0", "fmt", "--to", "0.1", ".block[kind=x]"]);
    assert!(refused.contains("       ^^^^^^"), "{refused}");
    assert!(!folder.has("memory.pactdb"));
}

#[test]
fn files_of_selectors_are_formatted_line_by_line() {
    let folder = Folder::new();
    let text = "# blocks\n.cb\n\n  .block(a=1)\n// ids\n#x\n.cb[\n";
    folder.write("queries.txt", text);
    let ran = folder.run(&["fmt", "--file", "queries.txt"]);
    assert_eq!(ran.out, "# blocks\n.cb\n\n.cb[a=1]\n// ids\n#x\n.cb[\n");
    assert_eq!(ran.status, 1, "a line is no selector");
    assert!(ran.err.starts_with("queries.txt, line 7: E_SELECTOR_INVALID"), "{}", ran.err);
    let ran = folder.run_with(&["fmt", "-", "--check"], ".cb\n.block\n");
    assert_eq!((ran.status, ran.out.as_str()), (1, "standard input, line 2: .cb\n"));
    let ran = folder.run_with(&["fmt", "-", "--check"], "# fine\n.cb\n#x\n");
    assert_eq!((ran.status, ran.out.as_str()), (0, ""));
    assert!(folder.fails(&["fmt", "--file", "none.txt"]).starts_with("E_STORE_IO: none.txt"));
}

#[test]
fn files_of_selectors_are_rewritten_whole_or_not_at_all() {
    let folder = Folder::new();
    let path = folder.path("queries.txt");
    let text = "# blocks\n.cb\n\n  .block(a=1)\r\n// ids\n#x\n.block";
    folder.write("queries.txt", text);
    let said = folder.ok(&["fmt", "--write", "queries.txt"]);
    assert_eq!(said, "queries.txt: 2 lines changed\n");
    let canonical = "# blocks\n.cb\n\n.cb[a=1]\r\n// ids\n#x\n.cb";
    assert_eq!(std::fs::read_to_string(&path).unwrap(), canonical);
    assert_eq!(folder.ok(&["fmt", "--write", "queries.txt"]), "queries.txt: 0 lines changed\n");
    let json = folder.ok(&["--json", "fmt", "--write", "queries.txt"]);
    assert_eq!(json, "{\"ok\":{\"file\":\"queries.txt\",\"changed\":0}}\n");
    // One line that is no selector, and nothing changes.
    let text = ".block\n.cb[\n.block\n.mt[\n";
    folder.write("queries.txt", text);
    let ran = folder.run(&["fmt", "--write", "queries.txt"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
    assert!(ran.err.starts_with("queries.txt, line 2: E_SELECTOR_INVALID"), "{}", ran.err);
    assert!(ran.err.contains("queries.txt, line 4: E_SELECTOR_INVALID"), "{}", ran.err);
    assert!(ran.err.ends_with("queries.txt stays as it is\n"), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    assert!(folder.fails(&["fmt", "--write", "none.txt"]).starts_with("E_STORE_IO: none.txt"));
}
