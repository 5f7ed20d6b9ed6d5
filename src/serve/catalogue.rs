//! Names of stores: where a name leads, and that it leads nowhere else.
//!
//! A name is that of a file without `.pactdb`; a single file that is called otherwise keeps its whole
//! name. It is one part of a path, never more.

use crate::code::Code;
use crate::error::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What the file of a store ends in.
const EXTENSION: &str = "pactdb";

/// The longest name, in bytes: file systems have room for 255 with the extension.
const LONGEST: usize = 200;

/// The stores that are served: some files, and whatever lies in some folders.
#[derive(Debug)]
pub(super) struct Catalogue {
    files: BTreeMap<String, PathBuf>,
    folders: Vec<PathBuf>,
}

impl Catalogue {
    /// The stores of these places. The first one is made if `create` says so and it is not there.
    pub(super) fn new(places: &[PathBuf], create: bool) -> Result<Catalogue> {
        let mut catalogue = Catalogue { files: BTreeMap::new(), folders: Vec::new() };
        for (number, place) in places.iter().enumerate() {
            let about = |error| Error::io(place.display(), error);
            if create && number == 0 && name_of(place).is_none() {
                std::fs::create_dir_all(place).map_err(about)?;
            }
            let found = std::fs::metadata(place).map_err(|error| {
                let mut error = about(error);
                error.details.hint = Some("--create makes the folder, and stores in it".into());
                error
            });
            if found?.is_dir() {
                catalogue.folders.push(place.clone());
                continue;
            }
            let name = name_of(place).or_else(|| whole_name(place)).ok_or_else(|| {
                let place = place.display();
                Error::request(format!("{place} cannot be served: its name is no name of a store"))
            })?;
            if catalogue.files.insert(name.clone(), place.clone()).is_some() {
                return Err(Error::request(format!("two stores are called {name}")));
            }
        }
        Ok(catalogue)
    }

    /// The file of a store that is there.
    pub(super) fn find(&self, name: &str) -> Option<PathBuf> {
        let file = format!("{name}.{EXTENSION}");
        let given = self.files.get(name).cloned().into_iter();
        let lying = self.folders.iter().map(|folder| folder.join(&file));
        given.chain(lying).find(|path| path.is_file())
    }

    /// The file that a new store would have; none if there is no folder for it.
    pub(super) fn new_file(&self, name: &str) -> Option<PathBuf> {
        Some(self.folders.first()?.join(format!("{name}.{EXTENSION}")))
    }

    /// All names, in order.
    pub(super) fn names(&self) -> Result<BTreeSet<String>> {
        let mut names: BTreeSet<String> = self.files.keys().cloned().collect();
        for folder in &self.folders {
            let about = |error| Error::io(folder.display(), error);
            for entry in std::fs::read_dir(folder).map_err(about)? {
                let path = entry.map_err(about)?.path();
                names.extend(name_of(&path).filter(|_| path.is_file()));
            }
        }
        Ok(names)
    }
}

/// The name of the store in a file, if it can be asked for.
fn name_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.strip_suffix(&format!(".{EXTENSION}"))?;
    check_name(name).is_ok().then(|| name.to_owned())
}

/// The name of a single store whose file does not end as those in folders do.
fn whole_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    check_name(name).is_ok().then(|| name.to_owned())
}

/// Refuses a name that could lead out of a folder, or that no file should have.
pub(super) fn check_name(name: &str) -> Result<()> {
    let wrong = |symbol: char| symbol.is_control() || "/\\:".contains(symbol);
    let fits = (1..=LONGEST).contains(&name.len());
    match fits && !name.starts_with('.') && !name.contains(wrong) {
        true => Ok(()),
        false => Err(Error::request(
            "this is no name of a store: it is a file's name without .pactdb, of at most 200 bytes, without / \\ : or control characters, and does not begin with a dot",
        )),
    }
}

/// The error of a name that leads to no store.
pub(super) fn no_store(name: &str) -> Error {
    Error::new(Code::StoreNotFound, format!("there is no store {name}"))
}
