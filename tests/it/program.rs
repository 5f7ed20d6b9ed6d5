//! The command line: every operation is a command, reading makes nothing, and mistakes have an
//! exit status and an answer.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::program::Folder;

mod bounds;
mod creation;
mod edits;
mod listings;
mod manners;
mod reads;
mod sessions;
mod stopping;

/// A folder with a store of two turns and one edit in progress.
pub(crate) fn small() -> Folder {
    let folder = Folder::new();
    folder.ok(&["add", "--to", "^sys", "--role", "system", "Be brief."]);
    folder.ok(&["add", "--role", "user", "Where is the key?"]);
    folder.ok(&["add", "-r", "tool", "-k", "result", "--ttl", "2", "Under the mat."]);
    folder.ok(&["commit"]);
    folder.ok(&["add", "--role", "user", "And the lamp?"]);
    folder.ok(&["commit"]);
    folder.ok(&["add", "--role", "user", "Thank you."]);
    folder
}
