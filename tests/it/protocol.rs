//! Operations as data: what a client in this process answers is what one at the other end of a line answers, the schema
//! is that of the types, and every example of docs/protocol.md says what the store says.
//!
//! `PACTDB_REFRESH=1 cargo test --test it protocol` writes the schema and the generated parts of the page anew.

#![allow(clippy::unwrap_used, clippy::expect_used)]

pub(crate) mod clients;
mod page;
#[cfg(feature = "schema")]
mod schema;

/// Whether files are to be written anew instead of being compared.
fn refresh() -> bool {
    std::env::var_os("PACTDB_REFRESH").is_some()
}

/// Compares a file of `docs/` with what it should be.
fn check_file(name: &str, expected: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    if refresh() {
        std::fs::write(&path, expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let first = found.lines().zip(expected.lines()).position(|(a, b)| a != b);
    assert!(
        found == expected,
        "docs/{name} is stale (line {:?}): `PACTDB_REFRESH=1 cargo test --test it protocol` writes it anew",
        first.map(|line| line + 1)
    );
}
