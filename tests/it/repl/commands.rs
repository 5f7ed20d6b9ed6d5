//! Dot commands: they take what the command line takes, and more than one statement fits in a line.

use super::{Terminal, after, started};
use crate::support::program::Folder;
use crate::support::terminal::{CANCEL, ENTER, LEAVE};

/// A REPL on the demo, past its first lines.
fn at_demo(folder: &Folder) -> Terminal {
    let terminal = Terminal::start(folder, &[]);
    terminal.line_is("pactdb memory*>");
    terminal
}

/// A folder with the demo as its store.
fn demo() -> Folder {
    let folder = Folder::new();
    folder.ok(&["demo", "memory.pactdb"]);
    folder
}

/// What a script of one line answers.
fn answer(folder: &Folder, line: &str) -> String {
    let ran = folder.run_with(&[], &format!("{line}\n"));
    assert_eq!(ran.status, 0, "{line}: {}", ran.err);
    ran.out
}

/// What a script of one line complains of.
fn complaint(folder: &Folder, line: &str) -> String {
    let ran = folder.run_with(&[], &format!("{line}\n"));
    assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{line}");
    ran.err
}

#[test]
fn what_the_command_line_takes_a_dot_command_takes() {
    let folder = demo();
    for (line, args) in [
        (".tree", &["tree"][..]),
        (".tree @c12", &["tree", "--at", "@c12"]),
        (".tree @c12 ^sys", &["tree", "--at", "@c12", "^sys"]),
        (".tree @c12 .cb[role='user']", &["tree", "@c12 .cb[role='user']"]),
        (".tree --at 12 --turns 2", &["tree", "--at", "@c12", "--turns", "2"]),
        (".tree 2", &["tree", "--turns", "2"]),
        (".tree all", &["tree", "--all"]),
        (".log 5", &["log", "--limit", "5"]),
        (".log all --kind commit", &["log", "--kind", "commit"]),
        (".log --from 3 --limit 2", &["log", "--from", "3", "--limit", "2"]),
        (".log --cycle 12 --reverse", &["log", "--cycle", "12", "--reverse"]),
        (".log --node cb:3", &["log", "--node", "#cb:3"]),
        (".attempts", &["attempt", "list"]),
        (".attempts --status error", &["attempt", "list", "--status", "error"]),
        (".replay --from 10 --to c11", &["replay", "--from", "@c10", "--to", "@c11"]),
        (".replay --cycles", &["replay", "--cycles"]),
        (".replay .cb[role='tool'] --to 4", &["replay", "--to", "@c4", ".cb[role='tool']"]),
        (".compare 11 @c12", &["thread", "--compare", "@c11", "@c12"]),
        (".compare t-1", &["thread", "--compare", "@t-1", "working"]),
        (".thread --compare @c1 @c2", &["thread", "--compare", "@c1", "@c2"]),
        (".explain .cb --at @c3", &["explain", "@c3 .cb"]),
    ] {
        assert_eq!(answer(&folder, line), folder.ok(args), "{line}");
    }
    let thread: serde_json::Value =
        serde_json::from_str(&answer(&folder, ".thread 3 openai --drop-unpaired")).unwrap();
    let same = folder.ok(&["thread", "@c3", "--format", "openai", "--drop-unpaired"]);
    assert_eq!(thread, serde_json::from_str::<serde_json::Value>(&same).unwrap());
    assert_eq!(folder.ok(&["thread", "c3", "openai", "--drop-unpaired"]), same);
    assert!(answer(&folder, ".commit --dry-run").starts_with("a commit would close cycle 26"));
    answer(&folder, ".replay --to 2 --into two.pactdb");
    assert!(folder.ok(&["-s", "two.pactdb", "stats"]).contains("2, with 2 snapshots"));
}

#[test]
fn wrong_arguments_are_refused_in_the_words_of_the_command_line() {
    let folder = demo();
    for (line, says) in [
        (".log --knd x", "'--kind'"),
        (".log nine", "a number, or all"),
        (".log --limit 3 5", "cannot be used with"),
        (".tree --at", "a value is required"),
        (".tree @c1 --at @c2", "the time is given twice"),
        (".attempts --status odd", "odd"),
        (".compare", "required arguments were not provided"),
        (".compare 1 2 3", "two times"),
        (".thread @c1 @c2", "one too many"),
        (".output --csv --json", "cannot be used with"),
        (".export", "<FILE>"),
        (".open", "<FILE>"),
        (".open memory.pactbd", "did you mean memory.pactdb?"),
        (".open nothing.like.it", "`.open FILE --create`"),
        (".output memory.pactdb", "is a store, and is not written over"),
        (".export memory.pactdb", "is a store, and is not written over"),
    ] {
        let said = complaint(&folder, line);
        assert!(said.contains(says), "{line}: {said}");
    }
    assert!(!folder.has("memory.pactbd") && !folder.has("nothing.like.it"));
    assert!(folder.ok(&["verify"]).contains("all is well"));
    for help in [".log --help", ".help .log"] {
        let said = answer(&folder, help);
        assert!(said.contains("--kind KIND") && said.contains("--reverse"), "{said}");
    }
}

#[test]
fn times_and_ids_need_no_sign() {
    let folder = demo();
    let ran = folder.run_with(&["run", "--echo", "-"], ".at 12\n.cb @limit=1\n.at c3\n.at now\n");
    for part in ["questions read @c12;", "memory@c12> .cb", "questions read @c3;"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let show = answer(&folder, ".show cb:29");
    assert!(show.starts_with("cb:29\n") && show.contains("Can Maño"), "{show}");
    assert_eq!(answer(&folder, ".show #cb:29"), show);
    assert_eq!(answer(&folder, ".dialect 1.0; .show cb:29").split_once('\n').unwrap().1, show);
    let two = answer(&folder, ".show @c12 cb:17 cb:18");
    assert!(two.starts_with("cb:17\n") && two.contains("\ncb:18\n"), "{two}");
}

#[test]
fn another_store_is_opened_and_the_old_one_kept_if_that_fails() {
    let folder = demo();
    folder.ok(&["-s", "second.pactdb", "add", "elsewhere"]);
    let terminal = at_demo(&folder);
    let screen = terminal.enter(".at @c2");
    assert!(screen.ends_with("pactdb memory@c2>"), "{screen}");
    let screen = terminal.enter(".open secnd.pactdb");
    assert!(screen.contains("did you mean second.pactdb?"), "{screen}");
    assert!(screen.ends_with("pactdb memory@c2>") && !folder.has("secnd.pactdb"), "{screen}");
    let screen = terminal.enter(".open second.pactdb");
    assert!(screen.ends_with("pactdb second*>"), "{screen}");
    let screen = terminal.enter(".cb");
    assert!(screen.contains("elsewhere"), "{screen}");
    // The old one is free again.
    assert!(folder.ok(&["--no-attach", "add", "x"]).contains("added"));
    let screen = terminal.enter(".open third.pactdb --create");
    assert!(screen.ends_with("pactdb third>") && folder.has("third.pactdb"), "{screen}");
    let screen = terminal.enter(".open ./third.pactdb");
    assert!(screen.contains("is the store that is open"), "{screen}");
}

#[test]
fn results_go_where_they_are_sent() {
    let folder = demo();
    let script = ".output sizes.csv --csv\n@t0 .cb | count by role\n.output all.jsonl --jsonl\n\
                  @t0 .cb[role='user'] @limit=2\n.output --json\n@t0 .mt:first\n.output text.txt --text\n\
                  @t0 .mt:last\n.output\n.output -\n@t0 .mt:last\n";
    let ran = folder.run_with(&[], script);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let read = |name: &str| String::from_utf8(folder.read(name)).unwrap();
    assert_eq!(read("sizes.csv"), "role,count\nassistant,38\nsystem,2\ntool,1\nuser,25\n");
    let lines = read("all.jsonl");
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].starts_with("{\"content\":") && lines[2].starts_with("{\"ok\":[{"));
    assert!(read("text.txt").contains("mt:25"));
    let said: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        said[0],
        "results go to sizes.csv as CSV where they are rows; `.output -` ends that"
    );
    assert!(ran.out.contains("results go to text.txt as text; `.output -` ends that\n"));
    assert!(ran.out.contains("results go to the screen as text\n"), "{}", ran.out);
    assert_eq!(ran.out.matches("mt:25").count(), 1, "{}", ran.out);
    let csv = answer(&folder, ".output --csv; .log 1 --kind commit");
    assert!(csv.contains("\ncycle,group,hash,ids,kind,seq,summary,time,time_ns\n25,"), "{csv}");
}

#[test]
fn a_semicolon_ends_a_statement() {
    let folder = Folder::new();
    let script = "add 'a;b'; add {role='user',\n data_x='c;d'} 'e'; commit;\n;; .log 1; select ';' as x;\n\
                  -- a comment; of one line\n@t0 .cb[role='user'] | count; nonsense; add 'never'\n";
    let ran = folder.run_with(&["run", "-"], script);
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(ran.out.starts_with("added cb:1\nadded cb:2\ncommitted cycle 1"), "{}", ran.out);
    assert!(ran.out.ends_with("commit cycle 1 as mt:1\nx\n;\ncount\n    1\n"), "{}", ran.out);
    assert!(ran.err.starts_with("standard input, line 5: E_SELECTOR_INVALID"), "{}", ran.err);
}

#[test]
fn an_unfinished_line_gets_a_prompt_of_its_own() {
    let folder = demo();
    let terminal = at_demo(&folder);
    for (lines, says) in [
        (&["@t0 .cb |", "count by", "role"][..], "assistant     38"),
        (&["select", "role,", "count(*) from", "pact('@t0 .cb') group by role"], "-- 4 rows"),
        (&["@t0 .mt:first,", ".mt:last"], "-- 2 nodes in @c25"),
        (&["@t0 .cb[role in [", "'tool']]"], "-- 1 node in @c25"),
        (&["@t0 .cb[role='user'", ""], "this `[` is never closed"),
    ] {
        let (last, first) = lines.split_last().unwrap();
        for line in first {
            terminal.press(line);
            // Until then the last line is the prompt before, which looks like the next.
            terminal.line_has(line);
            terminal.press(ENTER);
            terminal.line_is("           ...>");
        }
        let screen = terminal.enter(last);
        assert!(screen.contains(says), "{lines:?}:\n{screen}");
    }
    // Ctrl-C leaves it.
    terminal.press("add 'never");
    terminal.press(ENTER);
    terminal.line_is("           ...>");
    terminal.press(CANCEL);
    terminal.line_is("pactdb memory*>");
    let screen = terminal.enter("^ah .cb[content~'never'] | count");
    assert!(screen.contains("count\n    0\n"), "{screen}");
}

#[test]
fn several_lines_can_be_pasted() {
    let folder = Folder::new();
    let mut terminal = started(&folder);
    let text = "add {role='user'} 'one'\nadd 'two\nlines'\n\ncommit\n@t0 .cb[role in [\n'user']]\n";
    terminal.press(&format!("\x1b[200~{text}\x1b[201~"));
    let screen = terminal.enter("");
    for part in ["added cb:1", "added cb:2", "committed cycle 1 as mt:1", "-- 1 node in @c1"] {
        assert!(screen.contains(part), "{part}:\n{screen}");
    }
    // A line stops at the first error, and says what it left.
    let screen = terminal.enter("add 'x'; comit; add 'y'; commit");
    let answer = after(&screen, "pactdb memory> add 'x'; comit").join("\n");
    assert!(answer.contains("added cb:3") && answer.contains("did you mean `commit`?"), "{screen}");
    assert!(answer.contains("-- 2 statements behind it not run"), "{screen}");
    // Statements of one line follow each other without a look in between.
    let screen = terminal.enter("add 'y'; commit");
    assert!(screen.contains("committed cycle 2"), "{screen}");
    terminal.press(LEAVE);
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn the_tree_fits_the_screen_and_has_all_of_the_head() {
    let folder = demo();
    for rows in [16u16, 24, 50] {
        let terminal = Terminal::start_with(&folder, &[], (rows, 80), &[]);
        terminal.line_is("pactdb memory*>");
        let screen = terminal.enter(".tree");
        let drawn = after(&screen, "pactdb memory*> .tree");
        assert!(drawn.len() <= usize::from(rows), "{rows}:\n{screen}");
        assert!(drawn.len() + 6 > usize::from(rows), "{rows}:\n{screen}");
        let left = drawn.iter().find(|line| line.starts_with("⋮")).unwrap();
        assert!(left.ends_with("older turns not shown: --turns N or --all shows more"), "{left}");
        for part in ["^sys", "^ah", "mt:25  d1", "cb:2f", "search {\"query\""] {
            assert!(drawn.join("\n").contains(part), "{part}:\n{screen}");
        }
    }
    assert!(!folder.ok(&["tree"]).contains('⋮'), "into a pipe goes everything");
}

#[test]
fn a_command_that_does_not_exist_names_the_nearest() {
    let folder = demo();
    for (line, says) in
        [(".tre", "`.tree`"), (".cmpare @c1 @c2", "`.compare`"), (".ouput", "`.output`")]
    {
        let ran = folder.run_with(&[], &format!("{line}\n"));
        assert!(ran.err.contains(says), "{line}: {}{}", ran.out, ran.err);
    }
    let said = complaint(&folder, "@t0 .cb | cuont by role");
    assert!(said.contains("did you mean `count`?"), "{said}");
    let said = complaint(&folder, "@t0 .cb | count, sun bytes by role");
    assert!(said.contains("did you mean `sum`?"), "{said}");
}
