//! Streams that nobody reads, disks that are full, names that are no text.

use crate::program::small;
use crate::support::program::Folder;
use std::fs::OpenOptions;
use std::process::{Output, Stdio};

/// Where the streams of a run go.
#[derive(Clone, Copy, PartialEq)]
enum To {
    Kept,
    Full,
    Closed,
}

fn stream(to: To) -> Stdio {
    match to {
        To::Kept => Stdio::piped(),
        To::Full => OpenOptions::new().write(true).open("/dev/full").unwrap().into(),
        To::Closed => {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            writer.into()
        }
    }
}

fn run(folder: &Folder, args: &[&str], out: To, err: To) -> Output {
    let mut command = folder.command();
    command.args(args).stdin(Stdio::null()).stdout(stream(out)).stderr(stream(err));
    command.spawn().unwrap().wait_with_output().unwrap()
}

const ASKED: [&[&str]; 13] = [
    &["tree"],
    &["--json", "tree"],
    &["select", "@t0 *"],
    &["--json", "select", "@t0 *"],
    &["--json", "stats"],
    &["export", "--all"],
    &["thread"],
    &["log"],
    &["dump"],
    &["replay"],
    &["verify"],
    &["--help"],
    &["man"],
];

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_a_reader_who_left_is_none() {
    let folder = small();
    for args in ASKED {
        let full = run(&folder, args, To::Full, To::Kept);
        let said = String::from_utf8(full.stderr).unwrap();
        assert_eq!(full.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.starts_with("E_STORE_IO: the output: "), "{args:?}: {said}");
        let left = run(&folder, args, To::Closed, To::Kept);
        assert_eq!(
            left.status.code(),
            Some(0),
            "{args:?}: {}",
            String::from_utf8_lossy(&left.stderr)
        );
        for to in [To::Full, To::Closed] {
            let status = run(&folder, args, to, to).status.code();
            assert!(matches!(status, Some(0 | 1)), "{args:?} ended with {status:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_error_that_nobody_can_read_is_still_an_error() {
    let folder = small();
    for to in [To::Full, To::Closed] {
        for args in [&["select", "["][..], &["--json", "select", "["], &["set", "#x", "y"]] {
            let ran = run(&folder, args, to, to);
            assert_eq!(ran.status.code(), Some(1), "{args:?}");
        }
        assert_eq!(run(&folder, &["slect"], to, to).status.code(), Some(2));
        assert_eq!(run(&folder, &["nodes", "@t0 .frist"], To::Kept, to).status.code(), Some(0));
    }
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_text_is_a_name() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = small();
    let name = |name: &str| OsStr::from_bytes(&[name.as_bytes(), b"\xff\xfe"].concat()).to_owned();
    for json in [false, true] {
        let new = |what: &str| name(&format!("{what}{json}"));
        let dump = new("dump");
        for args in [
            vec![OsStr::new("-s"), &new("init"), OsStr::new("init")],
            vec![OsStr::new("-s"), &new("init"), OsStr::new("add"), OsStr::new("x")],
            vec![OsStr::new("demo"), &new("demo")],
            vec![OsStr::new("fork"), &new("fork")],
            vec![OsStr::new("dump"), &dump],
            vec![OsStr::new("load"), &new("load"), &dump],
            vec![OsStr::new("replay"), OsStr::new("--into"), &new("replay")],
        ] {
            let mut command = folder.command();
            let flag = json.then_some("--json");
            let ran = command.args(flag).args(&args).stdin(Stdio::null()).output().unwrap();
            let said = String::from_utf8(ran.stderr).unwrap();
            assert_eq!(ran.status.code(), Some(0), "{args:?}: {said}");
            let out = String::from_utf8(ran.stdout).unwrap();
            assert!(args[1] == dump || out.contains('\u{fffd}') || args.len() == 4, "{out}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_pager_that_fails_takes_nothing_away() {
    use crate::support::terminal::Terminal;
    let folder = small();
    for pager in ["false", "no-such-pager"] {
        let size = (5, 80);
        let mut terminal = Terminal::start_with(&folder, &["tree"], size, &[("PAGER", pager)]);
        terminal.shows("Thank you.");
        assert_eq!(terminal.ends(), 0);
    }
}
