//! Which store is meant, and when one is made: on purpose, and never out of a typing mistake.

use crate::support::program::Folder;
use crate::support::terminal::Terminal;

#[test]
fn a_file_where_a_command_could_stand_is_the_store() {
    let folder = Folder::new();
    folder.ok(&["demo"]);
    let terminal = Terminal::start(&folder, &["demo.pactdb"]);
    terminal.line_is("pactdb demo*>");
    drop(terminal);
    let named = folder.ok(&["demo.pactdb", "tree", "--turns", "1"]);
    assert_eq!(named, folder.ok(&["-s", "demo.pactdb", "tree", "--turns", "1"]));
    std::fs::rename(folder.path("demo.pactdb"), folder.path("any name")).unwrap();
    let ran = folder.run_with(&["any name"], "@t0 .cb | count\n");
    assert_eq!(ran.out, "count\n   66\n", "{}", ran.err);
    // Commands are recognised first, and what is neither gets the nearest command.
    folder.write("stats", "");
    assert!(folder.fails(&["stats"]).contains("there is no store memory.pactdb"));
    let ran = folder.run(&["tre"]);
    assert!(ran.status == 2 && ran.err.contains("'tree'"), "{}", ran.err);
}

#[test]
fn the_demo_is_written_where_it_is_asked_for() {
    let folder = Folder::new();
    for args in
        [&["-s", "a.pactdb", "demo"][..], &["demo", "-s", "b.pactdb"], &["demo", "c.pactdb"]]
    {
        assert!(folder.ok(args).starts_with("made "), "{args:?}");
    }
    for name in ["a.pactdb", "b.pactdb", "c.pactdb"] {
        assert!(folder.ok(&["-s", name, "stats"]).contains("25 snapshots"), "{name}");
    }
    assert!(!folder.has("demo.pactdb"));
    folder.ok(&["-s", "d.pactdb", "demo", "e.pactdb"]);
    assert!(folder.has("e.pactdb") && !folder.has("d.pactdb"), "the file itself is nearer");
    // A store of the environment is somebody's own, and no place for a demo.
    let ran = folder.command().args(["demo"]).env("PACTDB_STORE", "own.pactdb").output().unwrap();
    assert!(ran.status.success() && folder.has("demo.pactdb") && !folder.has("own.pactdb"));
}

#[test]
fn a_script_makes_a_store_only_by_an_edit() {
    let folder = Folder::new();
    folder.ok(&["demo"]);
    for line in ["@t0 .cb", ".tree", ".log 3", "select 1", "diff", ".at @c1", "policy", "nonsense"]
    {
        let ran = folder.run_with(&["-s", "demoo.pactdb"], &format!("{line}\n"));
        assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{line}");
        let missing = ran.err.contains("there is no store demoo.pactdb")
            && ran.err.contains("did you mean demo.pactdb?");
        assert!(missing || line == "nonsense", "{line}: {}", ran.err);
        assert!(!folder.has("demoo.pactdb"), "{line}");
    }
    for line in [".help", ".timing on", ".tables", ""] {
        assert_eq!(folder.run_with(&["-s", "demoo.pactdb"], line).status, 0, "{line}");
        assert!(!folder.has("demoo.pactdb"), "{line}");
    }
    let ran = folder.run_with(&["-s", "demoo.pactdb"], "add 'x'\n.cb\n");
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(ran.err, "made the store demoo.pactdb; there is also demo.pactdb\n");
    assert!(folder.has("demoo.pactdb") && ran.out.contains("cb:1"));
    let said = folder.fails(&["-s", "none.pactdb", "watch"]);
    assert!(said.contains("there is no store none.pactdb") && !folder.has("none.pactdb"), "{said}");
}

#[test]
fn a_session_says_that_it_made_a_store() {
    let folder = Folder::new();
    folder.ok(&["demo"]);
    let terminal = Terminal::start(&folder, &["-s", "dem.pactdb"]);
    let screen = terminal.shows("pactdb dem>");
    assert!(screen.contains(": created dem.pactdb (PACT 0.1, new)"), "{screen}");
    assert!(screen.contains("warning: there is also demo.pactdb"), "{screen}");
}
