//! What a closed file names is found, all of it is right, and whatever is changed is noticed where it
//! matters and passed where it does not.

#![allow(clippy::unwrap_used)]

use super::super::backend::FileStorage;
use super::super::base::Base;
use super::super::guarded::Readable;
use super::super::page_format::read_header;
use super::super::table::{Side, Table};
use super::*;
use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

const WIDE: TableDefinition<'_, (u64, u32), &[u8]> = TableDefinition::new("wide");
const NAMES: TableDefinition<'_, &str, u64> = TableDefinition::new("names");
const FIXED: TableDefinition<'_, u64, u64> = TableDefinition::new("fixed");
const TEXTS: TableDefinition<'_, &str, &str> = TableDefinition::new("texts");

fn file(path: &Path) -> File {
    File::options().read(true).write(true).create(true).truncate(false).open(path).unwrap()
}

/// A closed database with tables of every sort of width, large values, and pages that are free.
fn database(path: &Path) {
    let db = Database::builder().create_file(file(path)).unwrap();
    for round in 0..60u64 {
        let txn = db.begin_write().unwrap();
        for i in round * 200..round * 200 + 200 {
            let long = vec![i as u8; if i % 97 == 0 { 20_000 } else { i as usize % 300 }];
            txn.open_table(WIDE).unwrap().insert((i, i as u32), long.as_slice()).unwrap();
            txn.open_table(NAMES).unwrap().insert(format!("name {i}").as_str(), i).unwrap();
            txn.open_table(FIXED).unwrap().insert(i * 7 % 12_000, i).unwrap();
            txn.open_table(TEXTS).unwrap().insert(format!("{i}").as_str(), "text").unwrap();
        }
        txn.open_table(WIDE).unwrap().retain(|key, _| key.0 % 3 != round % 3).unwrap();
        txn.commit().unwrap();
    }
}

fn pages(path: &Path) -> Pages {
    Pages::new(OnApproval::new(FileStorage::new(file(path)).unwrap()).unwrap())
}

fn open(pages: &Pages) -> Database {
    Database::builder().set_cache_size(0).create_with_backend(pages.clone()).unwrap()
}

fn read_all(db: &Database) {
    let txn = db.begin_read().unwrap();
    let rows = [
        txn.open_table(WIDE).unwrap().iter().unwrap().map(Result::unwrap).count(),
        txn.open_table(NAMES).unwrap().iter().unwrap().map(Result::unwrap).count(),
        txn.open_table(FIXED).unwrap().iter().unwrap().map(Result::unwrap).count(),
        txn.open_table(TEXTS).unwrap().iter().unwrap().map(Result::unwrap).count(),
    ];
    assert!(rows.iter().all(|rows| *rows > 100), "{rows:?}");
}

/// Every page that is named from the header on: where it lies, its length, its tree.
fn all_named(path: &Path) -> Vec<Named> {
    let file = file(path);
    let read = |at: u64, len: u64| {
        let mut bytes = vec![0; len as usize];
        file.read_exact_at(&mut bytes, at).unwrap();
        bytes
    };
    let (layout, mut next) = read_header(&read(0, PAGE)).unwrap();
    let mut all = Vec::new();
    while let Some(page) = next.pop() {
        let bytes = read(page.at, PAGE << page.order);
        assert_eq!(sum_of(&bytes, page.tree), Some(page.sum), "{page:?}");
        assert!(bytes[0] == 2 || is_sound_leaf(&bytes, page.tree), "{page:?}");
        next.extend(named_by(&bytes, page.tree, layout));
        all.push(page);
    }
    all
}

#[test]
fn every_page_of_a_closed_file_is_known_and_right() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    database(&path);
    let all = all_named(&path);
    assert!(all.iter().any(|page| page.order > 2) && all.len() > 200, "{}", all.len());
    assert!(all.iter().filter(|page| page.tree.is_redbs).count() > 2);
    let pages = pages(&path);
    let db = open(&pages);
    read_all(&db);
    pages.check().unwrap();
    let (read, known) = pages.state().counts;
    assert!(known * 100 > read * 95 && known >= all.len() as u64, "{known} of {read}");
    assert!(all.iter().all(|page| pages.state().known.contains_key(&page.at)));
}

/// The same file goes on being written to and read, with nothing kept in memory: what was written
/// since is not compared with what was there before.
#[test]
fn what_was_written_since_is_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    database(&path);
    let pages = pages(&path);
    pages.0.storage.approve().unwrap();
    let mut db = open(&pages);
    for round in 0..40u64 {
        let txn = db.begin_write().unwrap();
        for i in 0..100 {
            let key = (round * 131 + i * 17) % 6000;
            let long = vec![7; (key * round) as usize % 5000];
            txn.open_table(WIDE).unwrap().insert((key, 0), long.as_slice()).unwrap();
            txn.open_table(TEXTS).unwrap().remove(format!("{key}").as_str()).unwrap();
        }
        strictly(|| txn.commit()).unwrap();
        if round % 10 == 9 {
            strictly(|| db.compact()).unwrap();
        }
        read_all(&db);
        pages.check().unwrap();
    }
}

/// A byte is changed in each page in turn. What every commit goes by is found before anything is
/// written, whatever else when it is read.
#[test]
fn a_page_that_was_changed_is_found_where_it_matters() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    database(&path);
    let (mut passed, mut refused) = (0, 0);
    for page in all_named(&path) {
        let at = page.at + 4 + page.at / PAGE % 3;
        let (file, mut byte) = (file(&path), [0]);
        file.read_exact_at(&mut byte, at).unwrap();
        file.write_all_at(&[byte[0] ^ 0x40], at).unwrap();
        let pages = pages(&path);
        let mut first = vec![0; HEADER];
        pages.read(0, &mut first).unwrap();
        let early = pages.check().is_err();
        assert_eq!(early, page.tree.lists_tables || page.tree.is_redbs, "{page:?}");
        assert_eq!(pages.redbs_are_damaged(), page.tree.is_redbs, "{page:?}");
        pages.state().learn(&[page]);
        let mut bytes = vec![0; (PAGE << page.order) as usize];
        file.read_exact_at(&mut bytes, page.at).unwrap();
        let sound = !early && is_sound_leaf(&bytes, page.tree);
        assert_eq!(strictly(|| pages.read(page.at, &mut bytes)).is_err(), !sound, "{page:?}");
        pages.read(page.at, &mut bytes).unwrap();
        assert_eq!(pages.check().is_err(), !sound, "{page:?}");
        *(if sound { &mut passed } else { &mut refused }) += 1;
        file.write_all_at(&byte, at).unwrap();
    }
    assert!(passed > 10 && refused > 50, "{passed} passed, {refused} refused");
}

/// A crash may have left what the header names half written, a newer redb may write otherwise, and a
/// slot may be torn: then nothing is known, and everything passes.
#[test]
fn nothing_is_known_of_what_is_in_doubt() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    database(&path);
    let mut header = vec![0; HEADER];
    file(&path).read_exact_at(&mut header, 0).unwrap();
    assert_eq!(read_header(&header).unwrap().1.len(), 2);
    let slot = [64, 192][usize::from(header[9] & 1)];
    for (at, mask) in [(0, 1), (9, 4), (12, 1), (slot, 7), (slot + 9, 1), (slot + 120, 1)] {
        let mut other = header.clone();
        other[at] ^= mask;
        assert!(read_header(&other).is_none(), "byte {at}");
    }
    // What was cut off or written is not known any more either.
    let pages = pages(&path);
    pages.read(0, &mut header).unwrap();
    let (at, known) =
        pages.state().known.iter().map(|(at, known)| (*at, *known)).max_by_key(|p| p.0).unwrap();
    let len = PAGE << known.order;
    assert!(pages.state().expected(at, len).is_some());
    pages.write(at + len - 1, &[1]).unwrap();
    assert!(pages.state().expected(at, len).is_none());
    let (at, known) = pages.state().known.iter().map(|(at, known)| (*at, *known)).next().unwrap();
    assert!(pages.state().expected(at, PAGE << known.order).is_some());
    pages.set_len(at + 1).unwrap();
    assert!(pages.state().expected(at, PAGE << known.order).is_none());
}

/// A database in which a branch of the table `wide` is not what was written, though it can be read.
fn damaged_branch(path: &Path) -> Vec<u8> {
    database(path);
    let is_branch = |page: &Named| {
        let mut first = [0];
        file(path).read_exact_at(&mut first, page.at).unwrap();
        first[0] == 2 && !page.tree.is_redbs && page.tree.key == Some(12)
    };
    let branch = all_named(path).into_iter().find(is_branch).unwrap();
    // The checksum of a child.
    let mut byte = [0];
    file(path).read_exact_at(&mut byte, branch.at + 8).unwrap();
    file(path).write_all_at(&[!byte[0]], branch.at + 8).unwrap();
    std::fs::read(path).unwrap()
}

fn read_shown(base: &Base<()>) {
    let shown = base.shown(Side::Main).unwrap();
    let wide = Table::<(u64, u32)>::primary("wide");
    assert!(shown.open_table(wide).unwrap().iter().unwrap().count() > 100);
}

const NOTES: Table<u64> = Table::primary("notes");

/// Whoever writes would be given what somebody else has read, without asking the storage again.
#[test]
fn what_a_reader_finds_stops_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let before = damaged_branch(&path);
    let base = Base::<()>::open(FileStorage::new(file(&path)).unwrap(), 1 << 20).unwrap();
    let txn = base.begin_write(Side::Main).unwrap();
    txn.open_table(NOTES).unwrap().insert(1, b"note".as_slice()).unwrap();
    read_shown(&base);
    assert!(matches!(base.commit(txn), Err(StoreError::Corrupt(_))));
    // The transaction was left alone.
    let refused = base.begin_write(Side::Main).err().unwrap().to_string();
    assert!(refused.contains("failed half way"), "{refused}");
    read_shown(&base);
    drop(base);
    assert!(std::fs::read(&path).unwrap() == before);
}

/// redb refuses a damaged file as a whole if it was not closed properly.
#[test]
fn a_file_that_was_written_before_damage_was_found_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    damaged_branch(&path);
    let base = Base::<()>::open(FileStorage::new(file(&path)).unwrap(), 1 << 20).unwrap();
    let txn = base.begin_write(Side::Main).unwrap();
    txn.open_table(NOTES).unwrap().insert(1, b"note".as_slice()).unwrap();
    base.commit(txn).unwrap();
    read_shown(&base);
    assert!(matches!(base.begin_write(Side::Main), Err(StoreError::Corrupt(_))));
    assert!(matches!(base.measure(), Err(StoreError::Corrupt(_))));
    drop(base);
    let base = Base::<()>::open(FileStorage::new(file(&path)).unwrap(), 1 << 20).unwrap();
    let shown = base.shown(Side::Main).unwrap();
    assert_eq!(shown.open_table(NOTES).unwrap().get(1).unwrap().unwrap().value(), b"note");
    read_shown(&base);
}

/// What redb says of itself, to somebody who has the database alone and the time to read all of it.
#[test]
fn a_file_is_measured_without_reading_most_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    database(&path);
    let pages = pages(&path);
    pages.0.storage.approve().unwrap();
    let db = open(&pages);
    for round in 0..20u64 {
        let txn = db.begin_write().unwrap();
        for i in round * 500..round * 500 + 500 {
            txn.open_table(FIXED).unwrap().insert(20_000 + i, i).unwrap();
            let long = vec![1; 50 + i as usize % 200];
            txn.open_table(WIDE).unwrap().insert((20_000 + i, 0), long.as_slice()).unwrap();
        }
        txn.commit().unwrap();
        let measured = pages.measure().unwrap();
        check_tables(&measured, &db);
        let stats = db.begin_write().unwrap().stats().unwrap();
        let (live, used) = (stats.stored_bytes(), stats.allocated_pages() * PAGE);
        assert!(measured.live.abs_diff(live) * 20 < live, "{measured:?}, {live} live");
        // Pages that were given up by the last commits count as allocated.
        assert!(measured.used <= used && measured.used * 4 > used * 3, "{measured:?}, {used} used");
    }
}

fn check_tables(measured: &Measured, db: &Database) {
    let txn = db.begin_read().unwrap();
    let names: Vec<&str> = measured.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["fixed", "names", "texts", "wide"]);
    let rows: Vec<u64> = measured.tables.iter().map(|table| table.rows).collect();
    let expected = [
        txn.open_table(FIXED).unwrap().len().unwrap(),
        txn.open_table(NAMES).unwrap().len().unwrap(),
        txn.open_table(TEXTS).unwrap().len().unwrap(),
        txn.open_table(WIDE).unwrap().len().unwrap(),
    ];
    assert_eq!(rows, expected);
    let stats = txn.open_table(WIDE).unwrap().stats().unwrap();
    let pages = (stats.leaf_pages() + stats.branch_pages()) * PAGE;
    let wide = &measured.tables[3];
    assert!(wide.live.abs_diff(stats.stored_bytes()) * 20 < stats.stored_bytes(), "{wide:?}");
    // Large values have pages of several times the smallest.
    assert!(wide.used >= pages && wide.used > wide.live, "{wide:?}, {pages}");
    assert_eq!(measured.live, measured.tables.iter().map(|table| table.live).sum::<u64>());
}
