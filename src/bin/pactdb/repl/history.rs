//! Where the lines that were typed are kept: one private file for each store.
//!
//! The file lies in the user's state folder, not beside the store, because a store is one file and
//! may lie in a shared folder. Nothing here may stop the session: without a folder there is no
//! history, and that is all.

use std::path::{Path, PathBuf};

/// The history file of a store, its folder made if needed.
pub fn file_for(store: &Path) -> Option<PathBuf> {
    let folder = state_folder()?.join("pactdb").join("history");
    make_private(&folder)?;
    let whole = std::path::absolute(store).ok()?;
    let whole = whole.canonicalize().unwrap_or(whole);
    let digest = blake3::hash(whole.as_os_str().as_encoded_bytes()).to_hex();
    let stem = whole.file_stem()?.to_string_lossy().into_owned();
    let stem: String = stem.chars().filter(|c| c.is_alphanumeric() || *c == '-').take(40).collect();
    Some(folder.join(format!("{stem}-{}", &digest[..12])))
}

fn state_folder() -> Option<PathBuf> {
    let given =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    given("XDG_STATE_HOME")
        .or_else(|| given("HOME").map(|home| home.join(".local").join("state")))
        .or_else(|| given("LOCALAPPDATA"))
}

/// Makes a folder that only its owner can look into.
fn make_private(folder: &Path) -> Option<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder).ok()
}
