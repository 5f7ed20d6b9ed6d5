//! A new file in the place of an open one, by one rename: whoever opens the name finds the old file or
//! the new one, whole. What the files hold is none of its business.
//!
//! The new file keeps the owner and the permissions of the old one. Where that cannot be done, or the
//! old file has a second name that would go on meaning the old bytes, nothing is replaced.

use super::error::StoreError;
use super::file::{NewFile, Watch};
use std::fs::File;
use std::path::PathBuf;

impl Watch {
    /// Where a file must be put to take the place of this one; nowhere if that would not be the same
    /// to everybody who knows it.
    #[cfg(unix)]
    pub(super) fn replaceable(&self) -> Option<PathBuf> {
        use std::os::unix::fs::MetadataExt;
        // A link stays a link: what it points to is replaced.
        let path = self.path().canonicalize().ok()?;
        let (found, ours) = (std::fs::symlink_metadata(&path).ok()?, self.file().metadata().ok()?);
        let same = (found.dev(), found.ino()) == (ours.dev(), ours.ino());
        (same && ours.is_file() && ours.nlink() == 1).then_some(path)
    }

    /// Open files cannot be replaced everywhere.
    #[cfg(not(unix))]
    pub(super) fn replaceable(&self) -> Option<PathBuf> {
        None
    }

    /// An empty file that may take the place of this one, if there can be such a file.
    pub(super) fn successor(&self) -> Option<NewFile> {
        let new = NewFile::create(&self.replaceable()?).ok()?;
        let file = new.file().ok()?;
        belongs_to_the_same(self.file(), &file).then_some(new)
    }

    /// Puts a file that is whole and on disk in the place of this one. The folder is not synced yet.
    pub(super) fn replace_by(&self, new: &NewFile) -> Result<Watch, StoreError> {
        self.check()?;
        if self.replaceable().is_none() {
            let path = self.path().display();
            let message =
                format!("{path} was moved or got a second name meanwhile: it stays as it was");
            return Err(StoreError::Io(message.into()));
        }
        let file = new.file()?;
        new.take_the_name()?;
        Watch::new(self.path(), &file)
    }
}

/// Gives a new file the owner and the permissions of an old one; whether that could be done.
#[cfg(unix)]
fn belongs_to_the_same(old: &File, new: &File) -> bool {
    use std::os::unix::fs::{MetadataExt, fchown};
    let (Ok(was), Ok(is)) = (old.metadata(), new.metadata()) else { return false };
    let same_owner = (was.uid(), was.gid()) == (is.uid(), is.gid());
    let owned = same_owner || fchown(new, Some(was.uid()), Some(was.gid())).is_ok();
    owned && new.set_permissions(was.permissions()).is_ok()
}

#[cfg(not(unix))]
fn belongs_to_the_same(_: &File, _: &File) -> bool {
    false
}
