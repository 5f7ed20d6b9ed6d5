//! Commands that read a store.

use super::small;
use crate::support::program::Folder;

#[test]
fn reading_makes_no_store_and_changes_not_a_byte() {
    let reads: [&[&str]; 13] = [
        &["select", ".cb"],
        &["nodes", ".cb"],
        &["tree"],
        &["diff"],
        &["explain", ".cb"],
        &["export"],
        &["thread"],
        &["log"],
        &["stats"],
        &["verify"],
        &["policy"],
        &["redact", "--scan"],
        &["select", "@c1..@c2 .cb"],
    ];
    let empty = Folder::new();
    for read in reads {
        let error = empty.fails(read);
        assert!(error.starts_with("E_STORE_IO: there is no store memory.pactdb\n"), "{error}");
        assert!(!empty.has("memory.pactdb"), "{read:?}");
    }
    let folder = small();
    let before = folder.read("memory.pactdb");
    for read in reads {
        folder.ok(read);
        assert!(folder.read("memory.pactdb") == before, "{read:?} changed the file");
    }
}

#[test]
fn ids_one_a_line_and_a_time_beside_the_selector() {
    let folder = small();
    assert_eq!(folder.ok(&["select", ".cb"]), "cb:1\ncb:2\ncb:3\ncb:4\ncb:5\n");
    assert_eq!(folder.ok(&["select", "@c1 .cb"]), "cb:1\ncb:2\ncb:3\n");
    assert_eq!(folder.ok(&["select", "--at", "@c1", ".cb"]), "cb:1\ncb:2\ncb:3\n");
    assert_eq!(
        folder.ok(&["select", "--at", "@t0", ".cb", "--limit", "2", "--skip", "1"]),
        "cb:2\ncb:3\n"
    );
    assert_eq!(folder.ok(&["select", ".cb", "--order", "recent", "--limit", "1"]), "cb:5\n");
    assert_eq!(folder.ok(&["--dialect", "1.0", "select", "@t-1 .cb[role='user']"]), "cb:2\ncb:4\n");
    let both = folder.fails(&["select", "--at", "@c1", "@c2 .cb"]);
    assert!(both.starts_with("E_REQUEST_INVALID: the selector has a time of its own"), "{both}");
}

#[test]
fn nodes_are_a_table_that_fits() {
    let folder = small();
    let long = "word ".repeat(200);
    folder.ok(&["add", "--role", "assistant", "--tag", "long", &long]);
    let ran = folder.command().args(["nodes", "^ah .cb"]).env("COLUMNS", "72").output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    assert_eq!(
        text.lines().collect::<Vec<_>>(),
        [
            "id    at   role       age  content",
            "cb:5  ^ah  user         0  Thank you.",
            "cb:6  ^ah  assistant    0  +long  word word word word word word word…",
        ],
        "{text}"
    );
}

#[test]
fn narrow_tables_keep_names_and_times_and_break_no_word() {
    let folder = Folder::new();
    folder.ok(&["demo", "memory.pactdb"]);
    let at = |columns: usize, args: &[&str]| -> Vec<String> {
        let columns = columns.to_string();
        let ran = folder.command().args(args).env("COLUMNS", columns).output().unwrap();
        assert!(ran.status.success(), "{args:?}");
        String::from_utf8(ran.stdout).unwrap().lines().map(str::to_owned).collect()
    };
    let time =
        regex::Regex::new(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\d\d-\d\d \d\d:\d\d)  ").unwrap();
    let users = ["nodes", "@t0 .cb[role='user']"];
    let whole = at(400, &users);
    for columns in [40, 60, 80, 120] {
        for args in [&["log"][..], &["replay"], &["attempt", "list"], &["log", "--node", "cb:2"]] {
            // Of eleven columns, forty are too few for whole times beside an error.
            let lines = at(if args[0] == "attempt" { columns.max(60) } else { columns }, args);
            for line in lines.iter().skip(usize::from(args[0] == "attempt")) {
                assert!(line.chars().count() <= columns.max(60), "{columns}: {line}");
                assert!(time.is_match(line), "{columns}: {line}");
            }
        }
        for (line, whole) in at(columns, &users).iter().zip(&whole).skip(1) {
            let kept = line.rsplit("  ").next().unwrap();
            let Some(kept) = kept.strip_suffix('…') else { continue };
            let after = whole.split_once(kept).unwrap().1;
            assert!(after.starts_with(char::is_whitespace), "{columns}: {line}\n{whole}");
        }
        let called = at(columns, &["nodes", "@t0 .cb[kind='call'] @limit=3"]).join("\n");
        for tool in ["  search {\"", "  trains {\"", "  book {\""] {
            assert!(called.contains(tool), "{columns}: {tool}\n{called}");
        }
    }
    assert!(folder.ok(&["log", "1"]).contains("(assistant call search) below"));
    assert!(folder.ok(&["tree", "--turns", "3"]).contains("search {\"query\""));
}

#[test]
fn the_tree_shows_regions_turns_and_words() {
    let folder = small();
    assert_eq!(
        folder.ok(&["tree", "--turns", "1"]),
        "\
^sys
└─ cb:1        system  age 2  Be brief.
^seq  2 turns
⋮  1 older turn not shown: --turns N or --all shows more
└─ mt:2  d1
   └─ mc:2
      └─ cb:4  user    age 1  And the lamp?
^ah
└─ mc:3
   └─ cb:5     user           Thank you.
"
    );
    let first = folder.ok(&["tree", "--at", "@c1", "--all"]);
    assert!(first.contains("cb:3  tool result  ttl 2  Under the mat."), "{first}");
    assert!(first.ends_with("^ah  empty\n"), "{first}");
    let part = folder.ok(&["tree", "@c1 .mt"]);
    assert!(part.starts_with("mt:1  d1\n└─ mc:1\n"), "{part}");
    assert!(folder.fails(&["tree", "@c1..@c2 .mt"]).contains("a tree is of one state"));
}

#[test]
fn differences_in_words() {
    let folder = small();
    folder.ok(&["set", "#cb:1", "Be brief\nand kind."]);
    assert_eq!(
        folder.ok(&["diff"]),
        "\
+ mc:3
+ cb:5  user  Thank you.
~ cb:1  content
    - Be brief.
    + Be brief
    + and kind.
2 nodes added, 1 node changed
"
    );
    assert_eq!(
        folder.ok(&["diff", "@c1", "@c2", ".cb"]),
        folder.ok(&["diff", "@c2", "@c1", ".cb"])
    );
    assert_eq!(
        folder.ok(&["diff", "@c1", "@c2", ".cb"]),
        "+ cb:4  user  And the lamp?\n~ cb:3  ttl 2 → 1\n1 node added, 1 node changed\n"
    );
    assert_eq!(folder.ok(&["diff", "@c1", "@c1"]), "no difference\n");
    assert_eq!(
        folder.ok(&["--json", "diff", "@c1", "@c2", ".cb"]),
        "{\"ok\":{\"added\":[\"cb:4\"],\"changed\":[{\"fields\":[\"ttl\"],\"id\":\"cb:3\"}],\"removed\":[]}}\n"
    );
    assert!(folder.fails(&["diff", ".cb", ".mt"]).contains("two times at most"));
}

#[test]
fn ranges_in_words() {
    let folder = small();
    folder.ok(&["commit"]);
    folder.ok(&["commit"]);
    assert_eq!(
        folder.ok(&["select", "@t-3..@t0 .cb[role='tool']"]),
        "\
@t-2 (@c2) → @t-1 (@c3)  1 node removed
  - cb:3  tool result  ttl 1  Under the mat.
@t-3 (@c1) → @t-2 (@c2)  1 node changed
  ~ cb:3  ttl 2 → 1
no difference in 1 other pair
"
    );
    let clipped = folder.run(&["select", "@t-9..@t0 .cb"]);
    assert!(clipped.err.starts_with("warning: the range is clipped"), "{}", clipped.err);
}

#[test]
fn export_and_thread_are_exact_bytes() {
    let folder = small();
    let export = folder.ok(&["export", "--at", "@c1"]);
    assert!(export.starts_with("{\"cycle\":1,\"root\":{") && export.ends_with('}'), "{export}");
    let reply = folder.ok(&["--json", "export", "--at", "@c1"]);
    assert_eq!(reply, format!("{{\"ok\":{export}}}\n"));
    let thread = folder.ok(&["thread", "--at", "@c1"]);
    assert_eq!(folder.ok(&["--json", "thread", "--at", "@c1"]), format!("{{\"ok\":{thread}}}\n"));
}

#[test]
fn explain_stats_and_log_say_what_there_is() {
    let folder = small();
    let explained = folder.ok(&["explain", "@t0 .mt:depth(1-3) .cb"]);
    assert!(explained.contains("the snapshot of cycle 2"), "{explained}");
    assert!(explained.contains(" ran "), "{explained}");
    assert!(explained.contains(" found: 2 parts read, "), "{explained}");
    let stats = folder.ok(&["stats"]);
    assert!(stats.contains("newest cycle   2, with 2 snapshots"), "{stats}");
    assert!(stats.contains("uncommitted    1 edit\n"), "{stats}");
    assert!(folder.ok(&["log"]).contains("commit cycle 2 as mt:2"));
}

#[test]
fn every_command_that_reads_a_state_takes_an_event() {
    let folder = Folder::new();
    folder.ok(&["add", "--role", "user", "Where is the key?"]);
    folder.ok(&["add", "--role", "tool", "--ttl", "0", "Under the mat."]);
    folder.ok(&["commit"]);
    assert_eq!(folder.ok(&["select", "@t0 .cb"]), "cb:1\n");
    assert_eq!(folder.ok(&["select", "@e3 .cb"]), "cb:1\ncb:2\n");
    assert_eq!(folder.ok(&["select", ".cb", "--at", "@e3"]), "cb:1\ncb:2\n");
    assert!(folder.ok(&["nodes", "@e3 #cb:2"]).contains("ttl  content\ncb:2"));
    assert!(folder.ok(&["tree", "--at", "@e3"]).contains("Under the mat."));
    assert!(folder.ok(&["tree", "#cb:2", "--at", "@e3"]).contains("Under the mat."));
    assert!(folder.ok(&["explain", "@e3 .cb"]).contains("right after event 3"));
    assert!(folder.ok(&["thread", "--at", "@e3"]).contains("Under the mat."));
    assert!(folder.ok(&["export", "--at", "@e3"]).contains("Under the mat."));
    assert!(folder.ok(&["--dialect", "1.0", "export", "--at", "@e3"]).contains("Under the mat."));
    assert!(folder.ok(&["diff", "@e3", "@e4"]).contains("- cb:2"));
    assert!(folder.ok(&["thread", "--compare", "@e4", "@e3"]).starts_with("@e3"));
    folder.ok(&["fork", "--at", "@e3", "then.pactdb"]);
    let then = folder.ok(&["-s", "then.pactdb", "export"]);
    assert_eq!(then, folder.ok(&["export", "--at", "@e3"]));
    assert!(folder.fails(&["restore", "@e3"]).starts_with("E_SELECTOR_INVALID"));
    assert!(folder.fails(&["replay", "--from", "@e3"]).starts_with("E_SELECTOR_INVALID"));
    assert!(folder.fails(&["tree", "--at", "@e9"]).starts_with("E_SNAPSHOT_NOT_FOUND"));
}

#[test]
fn a_number_is_quoted_as_it_was_written() {
    let folder = small();
    for address in ["@c99999999999999999999", "@t-99999999999999999999", "@t+99999999999999999999"]
    {
        let said = folder.fails(&["nodes", &format!("{address} *")]);
        let expected = format!("E_SNAPSHOT_NOT_FOUND: at byte 0: there is no snapshot {address} (");
        assert!(said.starts_with(&expected), "{said}");
    }
    let said = folder.fails(&["select", "@e99999999999999999999 *"]);
    assert!(said.contains("there is no event 99999999999999999999 ("), "{said}");
    let said = folder.fails(&["select", "@c99999999999999999998..99999999999999999999 *"]);
    let expected = "there is no snapshot in @c99999999999999999998..@c99999999999999999999";
    assert!(said.contains(expected), "{said}");
    let said = folder.ok(&["explain", "@c1..99999999999999999999 *"]);
    assert!(said.contains("canonical @c1..@c99999999999999999999 *\n"), "{said}");
}
