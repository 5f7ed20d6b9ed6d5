//! The real program, run in a folder of its own.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder in which the program is run.
pub struct Folder {
    folder: tempfile::TempDir,
}

/// What a run came to.
#[derive(Debug)]
pub struct Ran {
    /// The exit status.
    pub status: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Folder {
    /// An empty folder.
    pub fn new() -> Folder {
        Folder { folder: tempfile::tempdir().unwrap() }
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Whether there is such a file.
    pub fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// The bytes of a file.
    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The program in this folder, with an environment that does not depend on the caller's.
    pub fn command(&self) -> Command {
        let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_pactdb")));
        command.current_dir(self.folder.path());
        for name in ["PACTDB_STORE", "NO_COLOR", "COLUMNS", "PAGER"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs the program.
    pub fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, "")
    }

    /// Runs the program with a standard input.
    pub fn run_with(&self, args: &[&str], input: &str) -> Ran {
        let mut child = self
            .command()
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The program may end before it has read all of it.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        Ran {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs the program, which must end well, and gives what it prints.
    pub fn ok(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.status, 0, "{args:?} said {}{}", ran.out, ran.err);
        ran.out
    }

    /// Runs the program, which must fail with status 1, and gives what it says.
    pub fn fails(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.status, 1, "{args:?} said {}{}", ran.out, ran.err);
        assert_eq!(ran.out, "", "an error goes to standard error");
        ran.err
    }
}
