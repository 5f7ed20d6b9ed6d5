//! Where the socket of a store is.
//!
//! It is named by the numbers that the file system has for the file, so that long, odd and linked
//! paths lead to the same one. On Unix it lies in a folder of the user's own that nobody else may
//! enter; on Windows it is a named pipe.

use interprocess::local_socket::Name;
use std::io::{self, ErrorKind};
use std::path::Path;

/// The places where the socket of a store's file may be, the best one first.
#[derive(Debug)]
pub(super) struct Places(Vec<Place>);

/// A place.
#[derive(Debug)]
#[cfg(unix)]
pub(super) struct Place(std::path::PathBuf);
#[derive(Debug)]
#[cfg(not(unix))]
pub(super) struct Place(String);

impl Places {
    /// Of a file.
    pub(super) fn of(store: &Path) -> io::Result<Places> {
        use file_id::FileId;
        let name = match file_id::get_file_id(store)? {
            FileId::Inode { device_id, inode_number } => format!("{device_id:x}-{inode_number:x}"),
            FileId::LowRes { volume_serial_number, file_index } => {
                format!("{volume_serial_number:x}-{file_index:x}")
            }
            FileId::HighRes { volume_serial_number, file_id } => {
                format!("{volume_serial_number:x}-{file_id:x}")
            }
        };
        Ok(Places(places(&name)))
    }

    /// What can be done at the first place where it can.
    pub(super) fn first<T>(&self, mut act: impl FnMut(&Place) -> io::Result<T>) -> io::Result<T> {
        let mut failed = io::Error::from(ErrorKind::NotFound);
        for place in &self.0 {
            match act(place) {
                Ok(done) => return Ok(done),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }
}

/// The longest path that every Unix takes for a socket.
#[cfg(unix)]
const LONGEST: usize = 100;

/// The runtime folder of the user. A process without a login may not know it, so there is one more
/// that depends on the user alone.
#[cfg(unix)]
fn places(name: &str) -> Vec<Place> {
    let user = rustix::process::geteuid().as_raw();
    let mut folders = Vec::new();
    if let Some(runtime) = std::env::var_os("XDG_RUNTIME_DIR") {
        folders.push(Path::new(&runtime).join("pactdb"));
    }
    folders.push(Path::new("/run/user").join(user.to_string()).join("pactdb"));
    folders.push(std::env::temp_dir().join(format!("pactdb-{user}")));
    folders.push(Path::new("/tmp").join(format!("pactdb-{user}")));
    folders.retain(|folder| folder.is_absolute());
    let sockets = folders.into_iter().map(|folder| folder.join(format!("{name}.sock")));
    let mut places: Vec<Place> = Vec::new();
    for socket in sockets.filter(|socket| socket.as_os_str().len() <= LONGEST) {
        if !places.iter().any(|place| place.0 == socket) {
            places.push(Place(socket));
        }
    }
    places
}

#[cfg(not(unix))]
fn places(name: &str) -> Vec<Place> {
    vec![Place(format!("pactdb-{name}"))]
}

impl Place {
    /// The name by which the socket is found.
    #[cfg(unix)]
    pub(super) fn name(&self) -> io::Result<Name<'_>> {
        use interprocess::local_socket::{GenericFilePath, ToFsName};
        self.0.as_path().to_fs_name::<GenericFilePath>()
    }

    /// The name by which the pipe is found.
    #[cfg(not(unix))]
    pub(super) fn name(&self) -> io::Result<Name<'_>> {
        use interprocess::local_socket::{GenericNamespaced, ToNsName};
        self.0.as_str().to_ns_name::<GenericNamespaced>()
    }

    /// Makes the folder, and takes away what somebody left who was killed. Only who holds the store
    /// may do that.
    #[cfg(unix)]
    pub(super) fn clear(&self) -> io::Result<()> {
        use std::os::unix::fs::DirBuilderExt;
        let folder = self.0.parent().unwrap_or(Path::new("/"));
        match std::fs::DirBuilder::new().mode(0o700).create(folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => self.check()?,
        }
        match std::fs::remove_file(&self.0) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Refuses a folder that is not the user's alone.
    #[cfg(unix)]
    pub(super) fn check(&self) -> io::Result<()> {
        use std::os::unix::fs::MetadataExt;
        let folder = self.0.parent().unwrap_or(Path::new("/"));
        let found = std::fs::symlink_metadata(folder)?;
        let own = found.is_dir()
            && found.uid() == rustix::process::geteuid().as_raw()
            && found.mode() & 0o077 == 0;
        match own {
            true => Ok(()),
            false => Err(io::Error::new(
                ErrorKind::PermissionDenied,
                format!("{} is not a folder of yours alone (mode 0700)", folder.display()),
            )),
        }
    }

    /// A pipe ends with its process, and its name belongs to the user who made it first.
    #[cfg(not(unix))]
    pub(super) fn clear(&self) -> io::Result<()> {
        Ok(())
    }

    #[cfg(not(unix))]
    pub(super) fn check(&self) -> io::Result<()> {
        Ok(())
    }
}
