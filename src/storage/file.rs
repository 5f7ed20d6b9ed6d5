//! The file of a store: made whole or not at all, for its owner alone, and watched while it is
//! open.
//!
//! A store in the making has no name. It gets one when it is whole, unless somebody took the name
//! meanwhile; until then the system forgets it with the process. Where files without a name cannot
//! be had, it lies beside its place as `NAME.PID-N.partial`.

use super::error::StoreError;
use crate::cause::Failure;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file on its way to its name.
#[derive(Debug)]
pub(crate) struct NewFile {
    path: PathBuf,
    file: File,
    /// Where it lies until then; nowhere if it has no name.
    beside: Option<PathBuf>,
}

impl NewFile {
    /// An empty file that is to become `path`.
    pub(crate) fn create(path: &Path) -> Result<NewFile, StoreError> {
        let path = absolute(path)?;
        forget_partial(&path);
        if let Some(file) = nameless(&path) {
            return Ok(NewFile { path, file, beside: None });
        }
        let beside = partial_name(&path);
        let file = private().create_new(true).open(&beside);
        let file = file.map_err(|error| io_error(&path, error))?;
        Ok(NewFile { path, file, beside: Some(beside) })
    }

    /// The file, to be written.
    pub(crate) fn file(&self) -> Result<File, StoreError> {
        self.file.try_clone().map_err(|error| io_error(&self.path, error))
    }

    /// Gives it its name, which must be free, and sees to it that the name stays.
    pub(crate) fn place(&self) -> Result<Watch, StoreError> {
        let placed = match &self.beside {
            None => link_nameless(&self.file, &self.path),
            // A hard link refuses a name that somebody took, where a rename would not.
            Some(beside) => match std::fs::hard_link(beside, &self.path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    match self.path.exists() {
                        true => Err(io::ErrorKind::AlreadyExists.into()),
                        false => std::fs::rename(beside, &self.path),
                    }
                }
                linked => linked,
            },
        };
        placed.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists_already(&self.path),
            _ => io_error(&self.path, error),
        })?;
        sync_folder(&self.path)?;
        Watch::new(&self.path, &self.file)
    }

    /// Gives it its name, which another file has until then. The folder is not synced yet.
    pub(super) fn take_the_name(&self) -> Result<(), StoreError> {
        let beside = match &self.beside {
            Some(beside) => beside.clone(),
            None => {
                let beside = partial_name(&self.path);
                let linked = link_nameless(&self.file, &beside);
                linked.map_err(|error| io_error(&self.path, error))?;
                beside
            }
        };
        std::fs::rename(&beside, &self.path).map_err(|error| {
            let _ = std::fs::remove_file(&beside);
            io_error(&self.path, error)
        })
    }

    /// Sees to it that the name stays.
    pub(super) fn sync_name(&self) -> Result<(), StoreError> {
        sync_folder(&self.path)
    }
}

/// A name beside a path that nobody else uses.
fn partial_name(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{number}.partial", std::process::id()));
    path.with_file_name(name)
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            // It may have its name already.
            let _ = std::fs::remove_file(beside);
        }
    }
}

/// A file of a store that is open. Edits that go into a file which nobody can find any more must
/// not be acknowledged.
#[derive(Debug)]
pub(crate) struct Watch {
    path: PathBuf,
    file: File,
}

impl Watch {
    pub(crate) fn new(path: &Path, file: &File) -> Result<Watch, StoreError> {
        let file = file.try_clone().map_err(|error| io_error(path, error))?;
        Ok(Watch { path: absolute(path)?, file })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Refuses to go on if the file was deleted, or another one has its name.
    #[cfg(unix)]
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        use std::os::unix::fs::MetadataExt;
        let ours = self.file.metadata().map_err(|error| io_error(&self.path, error))?;
        let lost = match std::fs::metadata(&self.path) {
            Ok(found) if (found.dev(), found.ino()) == (ours.dev(), ours.ino()) => return Ok(()),
            Ok(_) => "was replaced by another file while it was open",
            // Somebody gave it another name, by which it can be found.
            Err(_) if ours.nlink() > 0 => return Ok(()),
            Err(_) => "was deleted while it was open",
        };
        let path = self.path.display();
        let message = format!("{path} {lost}: nothing more is written to it; open it again");
        Err(StoreError::Io(message.into()))
    }

    #[cfg(not(unix))]
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// A file that is there already, to be written.
pub(super) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open(path)
}

/// Whether there is a file with something in it.
pub(crate) fn holds_something(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| !file.is_file() || file.len() > 0)
}

pub(crate) fn exists_already(path: &Path) -> StoreError {
    StoreError::Format(format!("{} exists already", path.display()))
}

pub(crate) fn io_error(path: &Path, error: io::Error) -> StoreError {
    StoreError::Io(Failure::from(error).of(path.display()))
}

/// How many bytes a file has.
pub(crate) fn file_bytes(path: &Path) -> Result<u64, StoreError> {
    Ok(std::fs::metadata(path).map_err(|error| io_error(path, error))?.len())
}

/// How many bytes can still be written to the file system of a file; none where that is not known.
#[cfg(target_os = "linux")]
pub(crate) fn room(path: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(path).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn room(_: &Path) -> Option<u64> {
    None
}

/// What a store holds is its owner's business.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn absolute(path: &Path) -> Result<PathBuf, StoreError> {
    std::path::absolute(path).map_err(|error| io_error(path, error))
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

/// Makes a new name in a folder durable. Not every file system can, or needs to.
fn sync_folder(path: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    {
        let synced = File::open(folder(path)).and_then(|folder| folder.sync_all());
        match synced {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
            synced => synced.map_err(|error| io_error(path, error))?,
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

#[cfg(target_os = "linux")]
fn nameless(path: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(folder(path), flags, Mode::RUSR | Mode::WUSR).ok()?);
    // The name that it is linked by later must be there.
    std::fs::metadata(descriptor(&file)).is_ok().then_some(file)
}

#[cfg(target_os = "linux")]
fn descriptor(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

#[cfg(target_os = "linux")]
fn link_nameless(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, descriptor(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Path) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
fn link_nameless(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Removes what processes that were killed left beside this name.
fn forget_partial(path: &Path) {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return };
    let Ok(found) = std::fs::read_dir(folder(path)) else { return };
    for entry in found.flatten() {
        let other = entry.file_name();
        let number = other.to_str().and_then(|other| {
            let rest = other.strip_prefix(name)?.strip_prefix('.')?.strip_suffix(".partial")?;
            rest.split('-').next()?.parse::<u32>().ok()
        });
        if number.is_some_and(is_gone) && is_free(&entry.path()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Whether there is surely no process of that number.
fn is_gone(process: u32) -> bool {
    Path::new("/proc/self").exists() && !Path::new(&format!("/proc/{process}")).exists()
}

/// Whether nobody has a file locked, here or on another machine.
fn is_free(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| file.try_lock().is_ok())
}
