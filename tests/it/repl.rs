//! The REPL as a person meets it: the real program at a pseudo-terminal, keys typed, the screen
//! read.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod commands;
mod completion;
mod scripts;

use crate::support::program::Folder;
use crate::support::terminal::{ENTER, LEAVE, RIGHT, Terminal, UP};

/// A REPL on a new store, past its first lines.
fn started(folder: &Folder) -> Terminal {
    let terminal = Terminal::start(folder, &[]);
    terminal.line_is("pactdb memory>");
    terminal
}

/// The lines of a screen after the last one that begins with this.
fn after<'a>(screen: &'a str, line: &str) -> Vec<&'a str> {
    let lines: Vec<&str> = screen.lines().collect();
    let at = lines.iter().rposition(|shown| shown.starts_with(line));
    let at = at.unwrap_or_else(|| panic!("no line {line:?}:\n{screen}"));
    lines[at + 1..].to_vec()
}

#[test]
fn three_lines_say_where_you_are_and_what_to_try() {
    let folder = Folder::new();
    let mut terminal = started(&folder);
    let screen = terminal.screen();
    let lines: Vec<&str> = screen.lines().collect();
    assert!(lines[0].ends_with("memory.pactdb (PACT 0.1, new)"), "{screen}");
    assert_eq!(lines[1], "nothing is committed yet");
    assert!(lines[2].starts_with("try: add {role='user'} 'Hello'"), "{screen}");
    assert_eq!(lines.len(), 4, "{screen}");
    assert!(folder.has("memory.pactdb"));
    terminal.press(LEAVE);
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn what_the_first_lines_propose_works() {
    let folder = Folder::new();
    let mut terminal = started(&folder);
    let screen = terminal.enter("add {role='user'} 'Hello'");
    assert_eq!(after(&screen, "pactdb memory> add"), ["added cb:1", "pactdb memory*>"]);
    let screen = terminal.enter("commit");
    assert!(screen.contains("committed cycle 1 as mt:1"), "{screen}");
    let screen = terminal.enter("@t0 .cb");
    let answer = after(&screen, "pactdb memory> @t0 .cb");
    assert!(answer[1].starts_with("cb:1") && answer[1].ends_with("Hello"), "{screen}");
    assert_eq!(answer[2..], ["-- 1 node in @c1, the newest snapshot", "pactdb memory>"]);
    terminal.press(".quit");
    terminal.press(ENTER);
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn a_mistake_gets_a_caret_under_the_line_and_a_suggestion() {
    let folder = Folder::new();
    let terminal = started(&folder);
    for (line, caret, says) in [
        ("comit", "^^^^^", "did you mean `commit`?"),
        ("add {rol='x'} 'y'", "     ^^^", "did you mean `role`?"),
        ("^ah .cb[role=='x']", "             ^", "an operator is one of"),
        ("set #nope {ttl=1}", "    ^^^^^", "no node matches the target"),
        (".explain .cb[role==1]", "                  ^", "an operator is one of"),
        ("@c9 .cb", "^^^", "@c9"),
    ] {
        let screen = terminal.enter(line);
        let answer = after(&screen, &format!("pactdb memory> {line}"));
        let indent = " ".repeat("pactdb memory> ".len());
        assert_eq!(answer[0], format!("{indent}{caret}"), "{screen}");
        assert!(answer[1].starts_with("E_"), "{screen}");
        assert!(answer.join("\n").contains(says), "{screen}");
        // The line is not lost.
        terminal.press(UP);
        terminal.line_is(&format!("pactdb memory> {line}"));
        terminal.cancel();
    }
    let screen = terminal.enter(".hlep");
    assert!(screen.contains("the command is `.help`"), "{screen}");
}

#[test]
fn a_statement_goes_on_while_a_bracket_or_a_quote_is_open() {
    let folder = Folder::new();
    let terminal = started(&folder);
    terminal.press("add {role='user',");
    terminal.press(ENTER);
    terminal.press("ttl=2} 'one");
    terminal.press(ENTER);
    terminal.press(ENTER);
    let screen = terminal.enter("three'");
    assert!(screen.contains("added cb:1"), "{screen}");
    let screen = terminal.enter(".show #cb:1");
    let answer = after(&screen, "pactdb memory*> .show").join("\n");
    assert!(answer.contains("│ one\n  │\n  │ three"), "{screen}");
    assert!(answer.contains("ttl: 2"), "{screen}");
    // It is one entry of the history.
    terminal.press(UP);
    terminal.press(UP);
    terminal.shows("three'\n");
    let screen = terminal.enter("");
    assert!(screen.contains("added cb:2"), "{screen}");
    // An empty line gives a forgotten bracket up.
    terminal.press(".cb[role='user'");
    terminal.press(ENTER);
    let screen = terminal.enter("");
    assert!(screen.contains("this `[` is never closed"), "{screen}");
}

#[test]
fn the_history_is_kept_for_each_store_and_is_private() {
    let folder = Folder::new();
    let mut terminal = started(&folder);
    terminal.enter("add 'first'");
    terminal.press("add 'two");
    terminal.press(ENTER);
    let screen = terminal.enter("lines'");
    assert!(screen.contains("added cb:2"), "{screen}");
    terminal.press(LEAVE);
    assert_eq!(terminal.ends(), 0);

    let mut again = Terminal::start(&folder, &[]);
    again.line_is("pactdb memory*>");
    again.press(UP);
    again.shows("pactdb memory*> add 'two\nlines'");
    // The first one walks up inside the entry.
    again.press(UP);
    again.press(UP);
    again.line_is("pactdb memory*> add 'first'");
    again.cancel();
    let screen = again.enter(".history");
    let file = after(&screen, "pactdb memory*> .history").concat();
    let file = file.split("pactdb memory*>").next().unwrap().to_owned();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    again.press(LEAVE);
    assert_eq!(again.ends(), 0);

    let other = Terminal::start(&folder, &["-s", "other.pactdb"]);
    other.line_is("pactdb other>");
    other.press(UP);
    other.press("x");
    other.line_is("pactdb other> x");
}

#[test]
fn a_history_that_cannot_be_written_stops_nothing() {
    let folder = Folder::new();
    folder.write("home", "this is a file, and no folder");
    let terminal = started(&folder);
    let screen = terminal.enter("add 'x'");
    assert!(screen.contains("added cb:1"), "{screen}");
    let screen = terminal.enter(".history");
    assert!(screen.contains("no history is kept here"), "{screen}");
}

#[test]
fn the_lens_sticks_and_refuses_edits() {
    let folder = Folder::new();
    let terminal = started(&folder);
    for line in ["add 'old'", "commit", "add 'new'", "commit"] {
        terminal.enter(line);
    }
    let screen = terminal.enter(".at @t-1");
    assert!(screen.ends_with("pactdb memory@c1>"), "{screen}");
    let screen = terminal.enter(".cb");
    let answer = after(&screen, "pactdb memory@c1> .cb");
    assert_eq!(answer[2], "-- 1 node in @c1", "{screen}");
    // What only snapshots have can be asked; a time of its own wins.
    let screen = terminal.enter(".cb[age=0]");
    assert!(screen.contains("-- 1 node in @c1"), "{screen}");
    let screen = terminal.enter("@c2 .cb");
    assert!(screen.contains("-- 2 nodes in @c2"), "{screen}");
    for edit in ["add 'x'", "rm .cb", "commit", ".undo", "restore @c1"] {
        let screen = terminal.enter(edit);
        let answer = after(&screen, &format!("pactdb memory@c1> {edit}")).join("\n");
        assert!(answer.contains("E_CONFLICT: you are looking at @c1"), "{screen}");
        assert!(answer.contains("`.at now`"), "{screen}");
    }
    let screen = terminal.enter(".tree");
    assert!(screen.contains("old") && screen.contains("-- @c1"), "{screen}");
    let screen = terminal.enter(".at now");
    assert!(screen.ends_with("pactdb memory>"), "{screen}");
    let screen = terminal.enter(".cb");
    assert!(screen.contains("-- 2 nodes in the working state"), "{screen}");
    let screen = terminal.enter(".at @c7");
    assert!(screen.contains("E_SNAPSHOT_NOT_FOUND"), "{screen}");
}

#[test]
fn undo_takes_back_the_last_edit_as_an_event() {
    let folder = Folder::new();
    let terminal = started(&folder);
    terminal.enter("add 'keep'");
    terminal.enter("add 'drop'");
    let screen = terminal.enter(".undo");
    assert!(screen.contains("took back the add"), "{screen}");
    let screen = terminal.enter("^ah .cb");
    let answer = after(&screen, "pactdb memory*> ^ah .cb").join("\n");
    assert!(answer.contains("keep") && !answer.contains("drop"), "{screen}");
    let screen = terminal.enter("undo");
    assert!(screen.ends_with("pactdb memory>"), "the mark is gone:\n{screen}");
    let screen = terminal.enter(".undo");
    assert!(screen.contains("E_NODE_NOT_FOUND"), "{screen}");
    let screen = terminal.enter(".log");
    assert_eq!(screen.matches("  undo event").count(), 2, "{screen}");
}

#[test]
fn an_interrupt_drops_the_line_and_twice_says_how_to_leave() {
    let folder = Folder::new();
    let mut terminal = started(&folder);
    terminal.press("add 'half a");
    terminal.shows("add 'half a");
    terminal.cancel();
    let screen = terminal.enter("^ah");
    assert!(screen.contains("-- 1 node in the working state"), "{screen}");
    terminal.cancel();
    let screen = terminal.cancel();
    assert!(screen.contains("Ctrl-D or .quit leaves"), "{screen}");
    terminal.press(LEAVE);
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn a_long_result_is_cut_and_last_shows_it_in_other_forms() {
    let folder = Folder::new();
    let script: String = (0..60).map(|n| format!("add {{role='user'}} 'block {n}'\n")).collect();
    assert_eq!(folder.run_with(&[], &script).status, 0);
    let terminal = Terminal::start_with(&folder, &["--no-pager"], (24, 80), &[]);
    terminal.line_is("pactdb memory*>");
    let screen = terminal.enter("^ah .cb");
    assert!(screen.contains("… 43 more lines: `.last` shows them all"), "{screen}");
    assert!(screen.contains("block 16") && !screen.contains("block 17"), "{screen}");
    assert!(screen.contains("-- 60 nodes in the working state"), "{screen}");
    let screen = terminal.enter(".last");
    assert!(screen.contains("block 59"), "{screen}");
    let screen = terminal.enter(".last ids");
    assert_eq!(after(&screen, "pactdb memory*> .last ids").len(), 62, "{screen}");
    let screen = terminal.enter(".last json");
    assert!(screen.contains("\"content\": \"block 0\""), "{screen}");
    let screen = terminal.enter(".last tabel");
    assert!(screen.contains("did you mean `.last table`?"), "{screen}");
    // The result is the one that was answered, whatever happened since.
    terminal.enter("rm ^ah .cb");
    let screen = terminal.enter(".last ids");
    assert!(screen.contains("-- 60 nodes in the working state"), "{screen}");
}

#[test]
fn the_pager_shows_the_whole_of_a_long_result() {
    let folder = Folder::new();
    let script: String = (0..60).map(|n| format!("add 'block {n}'\n")).collect();
    assert_eq!(folder.run_with(&[], &script).status, 0);
    let pager = [("PAGER", "echo paged; tail -n 2")];
    let terminal = Terminal::start_with(&folder, &[], (24, 80), &pager);
    terminal.line_is("pactdb memory*>");
    terminal.enter("^ah .cb");
    let screen = terminal.enter(".last");
    let answer = after(&screen, "pactdb memory*> .last");
    assert_eq!(answer[0], "paged", "{screen}");
    assert!(answer[2].ends_with("block 59"), "{screen}");
}

#[test]
fn colours_and_hints_are_for_terminals_that_want_them() {
    let folder = Folder::new();
    let terminal = started(&folder);
    terminal.press("add {role='user");
    // What is missing stands behind the cursor, and the right arrow takes it.
    terminal.line_is("pactdb memory> add {role='user'}");
    terminal.press(RIGHT);
    let screen = terminal.enter(" 'x'");
    assert!(screen.contains("added cb:1"), "{screen}");
    terminal.press("move");
    terminal.line_is("pactdb memory*> move TARGET to PLACE [{offset=1}]");
    let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
    assert!(bytes.contains("\x1b[32m"), "text is green");
    drop(terminal);

    let plain = Terminal::start_with(&folder, &[], (24, 80), &[("NO_COLOR", "1")]);
    plain.line_is("pactdb memory*>");
    plain.enter("^ah .cb[role='user']");
    plain.enter("comit");
    plain.press("add {role='user");
    plain.line_is("pactdb memory*> add {role='user");
    let bytes = String::from_utf8_lossy(&plain.bytes()).into_owned();
    for code in ["\x1b[3", "\x1b[1m", "\x1b[2m"] {
        assert!(!bytes.contains(code), "{code:?} in {bytes:?}");
    }
}

#[test]
fn a_store_that_somebody_has_open_is_named_with_its_holder() {
    let folder = Folder::new();
    let first = started(&folder);
    let mut second = Terminal::start(&folder, &["--no-attach"]);
    let screen = second.shows("E_STORE_LOCKED");
    assert!(screen.contains(&first.id().to_string()), "{screen}");
    assert_eq!(second.ends(), 1);
}

#[test]
fn it_ends_when_the_terminal_is_gone() {
    let folder = Folder::new();
    let mut terminal = started(&folder);
    terminal.enter("add 'x'");
    terminal.vanish();
    terminal.ends();
    // The store is free and whole.
    assert!(folder.ok(&["verify"]).contains("all is well"));
}

#[test]
fn enter_steps_through_a_replay() {
    let folder = Folder::new();
    folder.ok(&["add", "--role", "user", "Hello"]);
    folder.ok(&["commit"]);
    let mut terminal = Terminal::start(&folder, &[]);
    terminal.line_is("pactdb memory>");
    let screen = terminal.enter(".replay");
    let first = after(&screen, "pactdb memory> .replay");
    assert!(first[0].contains("made for PACT 0.1"), "{screen}");
    assert!(first[1].starts_with("-- Enter shows the next event"), "{screen}");
    for shown in ["added cb:1 (Hello, role=user)", "sealed mt:1", "-- that was the last event"] {
        let screen = terminal.enter("");
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    let screen = terminal.enter(".replay all .cb");
    assert!(screen.contains("-- 1 event\n"), "{screen}");
    terminal.enter(".replay");
    // Another line ends the replay.
    let screen = terminal.enter("@t0 .cb");
    assert!(screen.contains("-- 1 node in @c1"), "{screen}");
    terminal.press(LEAVE);
    assert_eq!(terminal.ends(), 0);
}
