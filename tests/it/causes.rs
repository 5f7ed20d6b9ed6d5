//! An error keeps what stands behind it: a program can tell a full disk from other failures.

#![allow(clippy::unwrap_used)]

use crate::support::storage::Memory;
use pactdb::internals::storage::StorageBackend;
use pactdb::{Add, Code, Commit, Db, Error, Options};
use std::error::Error as _;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A disk that takes nothing more once it is full.
#[derive(Clone, Debug, Default)]
struct Disk {
    memory: Memory,
    full: Arc<AtomicBool>,
}

impl Disk {
    fn check(&self) -> io::Result<()> {
        match self.full.load(Ordering::Relaxed) {
            true => Err(ErrorKind::StorageFull.into()),
            false => Ok(()),
        }
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        self.memory.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.memory.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.check()?;
        self.memory.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.check()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.check()?;
        self.memory.write(offset, data)
    }
}

fn is_full(error: &Error) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    let kind = source.map(io::Error::kind);
    assert_eq!(error.io_kind(), kind, "{error:?}");
    error.code == Code::StoreIo && kind == Some(ErrorKind::StorageFull)
}

#[test]
fn a_full_disk_can_be_recognised() {
    let disk = Disk::default();
    let db = Options::new().create_on(disk.clone()).unwrap();
    db.add(Add::user("Where is the key?")).unwrap();
    disk.full.store(true, Ordering::Relaxed);
    let error = db.commit(Commit::new()).unwrap_err();
    assert!(is_full(&error), "{error:?}");
    // What is refused because the room would not suffice looks the same to a program.
    let db = Options::new().room(|| 0).create_on(Memory::default()).unwrap();
    let error = db.import_messages(&[], None).unwrap_err();
    assert!(is_full(&error), "{error:?}");
}

#[test]
fn two_errors_that_say_the_same_are_equal() {
    let missing = || Db::open("/no/such/folder/memory.pactdb").unwrap_err();
    assert_eq!(missing(), missing());
    assert_eq!(missing().io_kind(), Some(ErrorKind::NotFound));
    let same = Error::new(missing().code, missing().message);
    assert_eq!(same, missing());
    assert!(same.source().is_none() && same.io_kind().is_none());
}
