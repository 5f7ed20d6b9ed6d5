//! Statements that no person types: from standard input and from files.

use crate::support::program::Folder;

#[test]
fn standard_input_is_a_script_where_there_is_no_terminal() {
    let folder = Folder::new();
    let ran = folder.run_with(&[], "-- a comment\n\nadd {role='user'} 'Hello'\ncommit\n@t0 .cb\n");
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    assert!(ran.out.starts_with("added cb:1\ncommitted cycle 1"), "{}", ran.out);
    assert!(ran.out.ends_with("Hello\n"), "{}", ran.out);
}

#[test]
fn a_script_stops_at_the_first_error_unless_told_to_go_on() {
    let folder = Folder::new();
    folder.write("a.pact", "add 'one'\nadd {\n  rol='x'\n} 'two'\nadd 'three'\n.at @c9\n");
    let ran = folder.run(&["run", "a.pact"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, "added cb:1\n"));
    let said: Vec<&str> = ran.err.lines().collect();
    assert!(said[0].starts_with("a.pact, line 3: E_ATTR_NAMESPACE: "), "{}", ran.err);
    assert_eq!(said[1..3], ["    rol='x'", "    ^^^"], "{}", ran.err);
    assert_eq!(said[3], "hint: did you mean `role`?");

    let ran = folder.run(&["run", "--keep-going", "a.pact"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, "added cb:2\nadded cb:3\n"));
    assert!(ran.err.contains("a.pact, line 6: E_SNAPSHOT_NOT_FOUND"), "{}", ran.err);

    let ran = folder.run(&["run", "missing.pact"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("E_STORE_IO: missing.pact"), "{}", ran.err);
}

#[test]
fn a_transcript_looks_like_a_session() {
    let folder = Folder::new();
    let script =
        "add {role='user'} 'two\nlines'\ncomit\ncommit\n.at @c1\n.cb\n.quit\nadd 'never'\n";
    let ran = folder.run_with(&["run", "--echo", "--keep-going", "-"], script);
    assert_eq!((ran.status, ran.err.as_str()), (1, ""));
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        lines[..7],
        [
            "pactdb memory> add {role='user'} 'two",
            "lines'",
            "added cb:1",
            "pactdb memory*> comit",
            "E_SELECTOR_INVALID: `comit` begins no statement",
            "  comit",
            "  ^^^^^",
        ]
    );
    assert!(ran.out.contains("\npactdb memory@c1> .cb\n"), "{}", ran.out);
    assert!(ran.out.contains("\n-- 1 node in @c1, the newest snapshot\n"), "{}", ran.out);
    assert!(ran.out.ends_with("pactdb memory@c1> .quit\n"), "{}", ran.out);
}

#[test]
fn a_statement_that_never_ends_is_an_error_where_it_begins() {
    let folder = Folder::new();
    let ran = folder.run_with(&[], "add 'one'\nadd 'two\nadd three\n");
    assert_eq!((ran.status, ran.out.as_str()), (1, "added cb:1\n"));
    assert!(ran.err.starts_with("standard input, line 2: "), "{}", ran.err);
    assert!(ran.err.contains("this quote is never closed"), "{}", ran.err);
    let ran = folder.run(&["run", "-"]);
    assert_eq!((ran.status, ran.out.as_str(), ran.err.as_str()), (0, "", ""));
}

#[test]
fn bad_bytes_and_scripts_that_run_themselves_are_refused() {
    let folder = Folder::new();
    std::fs::write(folder.path("bad.pact"), b"add '\xff'\n").unwrap();
    let said = folder.fails(&["run", "bad.pact"]);
    assert!(said.contains("line 1 is not UTF-8 text"), "{said}");
    folder.write("loop.pact", ".read loop.pact\n");
    let said = folder.fails(&["run", "loop.pact"]);
    assert!(said.contains("E_LIMIT") && said.contains("does one run itself?"), "{said}");
}

#[test]
fn commands_read_and_write_files() {
    let folder = Folder::new();
    folder.write(
        "chat.jsonl",
        "{\"role\":\"user\",\"content\":\"Hi\"}\n{\"role\":\"assistant\",\"content\":\"Hello\"}\n",
    );
    folder.write("more.pact", "add 'from a file'\ncommit\n");
    let script =
        ".import chat.jsonl\n.read more.pact\n.export out.json @c1\n.thread @t0\n.verify\n";
    let ran = folder.run_with(&[], script);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    assert!(ran.out.contains("added cb:3\ncommitted cycle 2"), "{}", ran.out);
    assert!(ran.out.contains("all is well"), "{}", ran.out);
    assert_eq!(folder.read("out.json"), folder.ok(&["export", "--at", "@c1"]).as_bytes());

    let copy = folder.run_with(&["-s", "copy.pactdb"], ".import out.json\n@t0 .cb\n");
    assert_eq!(copy.status, 0, "{copy:?}");
    assert!(copy.out.contains("Hello"), "{}", copy.out);
    folder.write("wrong.json", "3");
    let ran = folder.run_with(&[], ".import wrong.json\n");
    assert!(ran.err.contains("E_IMPORT_INVALID"), "{}", ran.err);
}

#[test]
fn whole_histories_are_walked_and_copied() {
    let folder = Folder::new();
    let script = "add 'x'\nset #cb:1 {ttl=2}\ncommit\n.life #cb:1\n.replay .cb\n.thread @t0 openai\n\
                  .fork copy.pactdb @c1\n.dump all.jsonl\n.dump all.jsonl\n";
    let ran = folder.run_with(&["run", "-", "--echo"], script);
    assert_eq!(ran.status, 1, "a dump replaces no file: {}", ran.out);
    assert!(ran.out.contains("-- 3 moments of cb:1"), "{}", ran.out);
    assert!(ran.out.contains("\"content\": \"x\""), "{}", ran.out);
    assert!(ran.out.contains("forked into copy.pactdb") && folder.has("copy.pactdb"));
    assert!(ran.out.contains("dumped 4 events to all.jsonl"), "{}", ran.out);
    folder.ok(&["load", "again.pactdb", "all.jsonl"]);
    let export = |store: &str| folder.ok(&["-s", store, "export", "--at", "@c1"]);
    assert_eq!(export("copy.pactdb"), export("memory.pactdb"));
    assert_eq!(export("again.pactdb"), export("memory.pactdb"));
    let ran = folder.run_with(&[], ".thread gemini now\n");
    assert!(ran.err.contains("thread, openai, anthropic"), "{}", ran.err);
}

#[test]
fn the_help_fits_on_a_screen_of_80_columns() {
    let folder = Folder::new();
    for topic in ["selectors", "add", "set", "move", "rm", "diff", "policy", ".tree"] {
        let help = folder.run_with(&[], &format!(".help {topic}\n")).out;
        for line in help.lines() {
            assert!(line.chars().count() <= 90, "{topic}: {line}");
        }
        assert!(help.lines().count() <= 24, "{topic} takes {} lines", help.lines().count());
    }
}

#[test]
fn every_command_and_statement_has_its_help() {
    let folder = Folder::new();
    let all = folder.run_with(&[], ".help\n").out;
    for name in [
        ".tree", ".at", ".log", ".stats", ".export", ".import", ".explain", ".dialect", ".timing",
        ".last", ".undo", ".quit", "add ", "set ", "move ", "rm ", "commit", "diff ",
    ] {
        assert!(all.contains(&format!("\n  {name}")), "{name} in\n{all}");
    }
    // Every example can be run or fails for a reason of the store, never of the language.
    let examples: Vec<String> = all
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix('.'))
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .collect();
    assert!(examples.len() >= 20, "{examples:?}");
    let page = include_str!("../../../docs/repl.md");
    for name in examples {
        assert!(page.contains(&format!("`.{name}`")), "the page on the REPL does not name .{name}");
        let help = folder.run_with(&[], &format!(".help .{name}\n"));
        assert_eq!(help.status, 0, "{name}: {}", help.err);
        let example = help.out.lines().last().unwrap().trim();
        let line = example.strip_prefix("for example ").unwrap();
        let ran = folder.run_with(&[], &format!("{line}\n"));
        for code in ["E_REQUEST_INVALID", "E_SELECTOR_INVALID"] {
            let refused = ran.err.contains(code) && !["last", "watch"].contains(&name.as_str());
            assert!(!refused, "{line}: {}", ran.err);
        }
    }
    for topic in ["add", "set", "move", "rm", "commit", "diff", "policy", "selectors"] {
        assert_eq!(folder.run_with(&[], &format!(".help {topic}\n")).status, 0, "{topic}");
    }
    let ran = folder.run_with(&[], ".help comit\n");
    assert!(ran.err.contains("did you mean `.help commit`?"), "{}", ran.err);
}

#[test]
fn the_dialect_of_questions_can_be_chosen() {
    let folder = Folder::new();
    folder.run_with(&[], "add {key='k', id='i'} 'x'\ncommit\nadd 'y'\n");
    let script = "@t0 .cb\n.dialect 1.0\n@t0 .cb\n#k\nset #i {ttl=3}\n.dialect 2\n";
    let ran = folder.run_with(&["run", "--echo", "-"], script);
    let sources: Vec<&str> = ran.out.lines().filter(|line| line.starts_with("-- ")).collect();
    assert_eq!(
        sources,
        [
            "-- 1 node in @c1, the newest snapshot",
            "-- 2 nodes in the working state",
            "-- 1 node in the working state"
        ],
        "{}",
        ran.out
    );
    assert!(ran.out.contains("E_SEALED"), "edits name ids: {}", ran.out);
}

#[test]
fn a_script_can_answer_in_json() {
    let folder = Folder::new();
    let script = "add 'x'\ncommit\n.at @c1\n.cb\nadd 'y'\n.timing on\nset #nope {ttl=1}\n";
    let ran = folder.run_with(&["--json", "run", "--keep-going", "-"], script);
    let replies: Vec<&str> = ran.out.lines().collect();
    assert_eq!((ran.status, replies.len()), (1, 7), "{}", ran.out);
    assert_eq!(replies[0], r#"{"ok":{"id":"cb:1"}}"#);
    assert!(replies[3].starts_with(r#"{"ok":[{"content":"x""#), "{}", replies[3]);
    assert!(replies[4].starts_with(r#"{"error":{"code":"E_CONFLICT""#), "{}", replies[4]);
    assert_eq!(replies[5], r#"{"ok":"timing is on"}"#);
}

#[test]
fn the_lens_looks_at_the_state_after_an_event() {
    let folder = Folder::new();
    let script = "add 'x'\nadd {ttl=0} 'gone'\ncommit\n.at @e3\n.cb\n.tree\nadd 'y'\nrestore @e3\n\
                  .replay\n.export then.json\n.fork then.pactdb\n.at @e9\n.at now\ndiff @e3 now .cb\n";
    let ran = folder.run_with(&["run", "--echo", "--keep-going", "-"], script);
    for part in [
        "questions read @e3, before the first commit; `.at now` goes back",
        "pactdb memory@e3> .cb",
        "-- 2 nodes in @e3, before the first commit",
        "ttl 0  gone",
        "E_CONFLICT: you are looking at @e3, where nothing can be changed",
        "the state after an event cannot be restored, only a snapshot",
        "a replay goes by cycles, and you are looking at @e3",
        "forked into then.pactdb: 4 events, newest cycle 0",
        "there is no event 9",
        "- cb:2",
    ] {
        assert!(ran.out.contains(part), "{part} in\n{}", ran.out);
    }
    assert_eq!(folder.read("then.json"), folder.ok(&["export", "--at", "@e3"]).as_bytes());
    let forked = folder.ok(&["-s", "then.pactdb", "export"]);
    assert_eq!(forked, folder.ok(&["export", "--at", "@e3"]));
}

#[test]
fn a_statement_may_have_many_lines() {
    let folder = Folder::new();
    let lines = "a line with a ' and a }\n".replace('\'', "\\'").repeat(40_000);
    let attrs: String = (0..2_000).map(|i| format!("data_{i}='x',\n")).collect();
    folder.write("a.pact", &format!("add '{lines}'\nadd {{\n{attrs}role='user'}} 'b'\nadd 'c'\n"));
    let ran = folder.run(&["run", "a.pact"]);
    assert_eq!((ran.status, ran.out.as_str()), (0, "added cb:1\nadded cb:2\nadded cb:3\n"));
    let ran = folder.run_with(&["run", "-"], "add {\n\nadd 'after an empty line'\n");
    assert_eq!(ran.status, 1);
    assert!(ran.err.starts_with("standard input, line 1: E_SELECTOR_INVALID"), "{}", ran.err);
}

#[test]
fn a_statement_that_never_ends_is_refused() {
    if !std::path::Path::new("/dev/zero").exists() {
        return;
    }
    let said = Folder::new().fails(&["run", "/dev/zero"]);
    assert!(said.contains("E_LIMIT: line 1: a statement has at most"), "{said}");
}
