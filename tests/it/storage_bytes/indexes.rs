//! The small indexes: `ids`, `expiry`, `refs`, `prunes`, `instances`, `running`, and the rows of
//! provider calls and origins. What they must say is found from the commits and the log.

use super::Written;
use super::bytes::{Cursor, checked};
use super::document::Document;
use super::event::Event;
use super::log::Log;
use super::node::BLOCK;
use super::notes::Attempt;
use super::parts::{Instance, Parts, Place, instance, place};
use super::tables::{rows, texts};
use redb::Database;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Checks the indexes as far as they are written.
pub(super) fn check(db: &Database, parts: &Parts, written: &Written) {
    check_ids(db, parts, written);
    check_expiry(db, parts, written.whole());
    check_refs(db, parts, written.whole());
    check_prunes(db, parts, written);
    check_instances(db, parts, written.whole());
}

fn check_ids(db: &Database, parts: &Parts, written: &Written) {
    let found = texts::<&[u8]>(db, "ids").into_iter().map(|(id, row)| {
        let mut bytes = Cursor::new(&row, format!("ids {id}"));
        let places = bytes.list(|bytes| (bytes.marked(), place(bytes)));
        bytes.end();
        (id, places)
    });
    let of = |cycles: Range<u64>| {
        let mut places: BTreeMap<String, Vec<(u64, Place)>> = BTreeMap::new();
        for (cycle, commit) in parts.commits.range(cycles) {
            for id in &commit.used {
                places.entry(id.clone()).or_default();
            }
            for (id, place) in &commit.placed {
                places.entry(id.clone()).or_default().push((*cycle, *place));
            }
        }
        places
    };
    let (before, last) = written.upto();
    let (mut expected, new) = (of(0..before + 1), of(before + 1..last + 1));
    let count = written.of(new.len(), 17, 8);
    for (id, places) in new.into_iter().take(count) {
        expected.entry(id).or_default().extend(places);
    }
    assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
}

fn check_expiry(db: &Database, parts: &Parts, upto: u64) {
    let mut found = BTreeSet::new();
    for (key, row) in rows::<(u8, u64, u64, u32)>(db, "expiry") {
        assert_eq!(checked("expiry", &key, &row), [0; 0]);
        let mut bytes = Cursor::new(&key, "a key of expiry");
        let (span, due) = (bytes.byte(), bytes.u64_le());
        found.insert((span, due, (bytes.u64_le(), u32::from_le_bytes(bytes.array()))));
        bytes.end();
    }
    let commits = parts.commits.range(..=upto);
    let expected: BTreeSet<_> = commits.flat_map(|(_, commit)| commit.expiry.clone()).collect();
    assert_eq!(found, expected);
    for (place, cycle, life) in parts.versions.iter().flat_map(|(place, versions)| {
        let versions = versions.range(..=upto);
        versions.flat_map(|(cycle, version)| {
            let lives = version.part.iter().flatten().filter_map(|(node, _)| node.lifetime);
            lives.map(|life| (*place, *cycle, life))
        })
    }) {
        let [_, since, end] = life;
        // How many bits the length of the life takes; what is overdue is due at once.
        let span = (64 - end.saturating_sub(since).leading_zeros()) as u8;
        let (span, due) = if end > cycle { (span, end) } else { (1, cycle + 1) };
        assert!(found.contains(&(span, due, place)), "{place:?} as of {cycle} has {life:?}");
    }
}

fn check_refs(db: &Database, parts: &Parts, upto: u64) {
    let mut found = BTreeSet::new();
    for (key, row) in rows::<(&str, &str)>(db, "refs") {
        assert_eq!(checked("refs", &key, &row), [0; 0]);
        let mut bytes = Cursor::new(&key, "a key of refs");
        let length = match bytes.byte() {
            254 => usize::from(u16::from_le_bytes(bytes.array())),
            255 => u32::from_le_bytes(bytes.array()) as usize,
            small => usize::from(small),
        };
        let (target, referrer) = (bytes.take(length), bytes.rest());
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        found.insert((text(target), text(referrer)));
    }
    let commits = parts.commits.range(..=upto);
    let expected: BTreeSet<_> = commits.flat_map(|(_, commit)| commit.refs.clone()).collect();
    assert_eq!(found, expected);
    for version in parts.versions.values().flat_map(|versions| versions.range(..=upto)) {
        for (node, _) in version.1.part.iter().flatten() {
            for target in &node.refs {
                assert!(found.contains(&(target.clone(), node.id.clone())), "{node:?}");
            }
        }
    }
}

fn check_prunes(db: &Database, parts: &Parts, written: &Written) {
    let mut found = BTreeMap::new();
    for (key, row) in rows::<(i64, i64, &str)>(db, "prunes") {
        let mut bytes = Cursor::new(&key, "a key of prunes");
        let (priority, time) = (bytes.u64_le() as i64, bytes.u64_le() as i64);
        let id = String::from_utf8(bytes.rest().to_vec()).unwrap();
        let mut bytes = Cursor::new(checked("prunes", &key, &row), "a row of prunes");
        let turn = (bytes.septets(), bytes.septets() as u32 + 1);
        bytes.end();
        found.insert((priority, time, id), turn);
    }
    let mut expected = BTreeMap::new();
    let (before, last) = written.upto();
    let turns = || parts.versions.iter().filter(|(place, _)| place.0 > 0);
    let changed: Vec<&Place> = turns()
        .filter(|(_, versions)| versions.range(before + 1..last + 1).next().is_some())
        .map(|(place, _)| place)
        .collect();
    let changed = &changed[..written.of(changed.len(), 13, 4)];
    for (place, versions) in turns() {
        let upto = if changed.contains(&place) { last } else { before };
        let newest = versions.range(..=upto).next_back();
        for (node, _) in newest.into_iter().flat_map(|(_, version)| &version.part).flatten() {
            if node.class == BLOCK && !node.pinned {
                expected.insert((node.priority, node.created_at_ns, node.id.clone()), *place);
            }
        }
    }
    assert_eq!(found, expected);
}

fn check_instances(db: &Database, parts: &Parts, upto: u64) {
    let found = texts::<&str>(db, "instances").into_iter().map(|(key, row)| {
        let mut bytes = Cursor::new(&row, format!("instances {key}"));
        let instance = instance(&mut bytes);
        bytes.end();
        assert_eq!(instance.0.key.as_ref(), Some(&key));
        (key, instance)
    });
    let found: BTreeMap<String, Instance> = found.collect();
    let mut expected: BTreeMap<String, Instance> = BTreeMap::new();
    for (_, commit) in parts.commits.range(..=upto) {
        expected.extend(commit.instances.iter().cloned());
    }
    assert_eq!(found, expected);
    let runs = |(node, ended, removed): &Instance| node.cad.is_some() && !ended && !removed;
    let running: BTreeMap<String, Vec<u8>> = found
        .iter()
        .filter(|(_, instance)| runs(instance))
        .map(|(key, _)| (key.clone(), Vec::new()))
        .collect();
    assert_eq!(texts::<&str>(db, "running"), running);
}

/// Provider calls and origins, which are written with their events.
pub(super) fn check_notes(db: &Database, log: &Log) {
    let (mut attempts, mut cycles) = (BTreeMap::new(), BTreeMap::new());
    let (mut open, mut origins) = (BTreeMap::new(), BTreeMap::new());
    let mut failed = BTreeSet::new();
    for (record, seq) in log.records.iter().zip(1..) {
        if let Event::Attempt(attempt) = &record.event {
            attempts.insert((attempt.cycle, attempt.id.clone()), attempt.dumped());
            cycles.insert(attempt.id.clone(), attempt.cycle);
            open.remove(&attempt.id);
            if attempt.status == 3 {
                failed.insert((attempt.cycle, attempt.id.clone()));
            }
            if attempt.status == 0 {
                open.insert(attempt.id.clone(), attempt.cycle);
            }
        }
        for key in record.event.origin_keys() {
            origins.entry(key).or_insert(seq);
        }
    }
    let found = rows::<(u64, &str)>(db, "attempts").into_iter().map(|(key, row)| {
        let mut bytes = Cursor::new(checked("attempts", &key, &row), "a row of attempts");
        let attempt = Attempt::whole(&mut bytes);
        bytes.end();
        let (cycle, id) = key.split_first_chunk::<8>().unwrap();
        assert_eq!((u64::from_le_bytes(*cycle), id), (attempt.cycle, attempt.id.as_bytes()));
        ((attempt.cycle, attempt.id.clone()), attempt.dumped())
    });
    assert_eq!(found.collect::<BTreeMap<_, Document>>(), attempts);
    let found = rows::<(u64, &str)>(db, "failed_attempts").into_iter().map(|(key, row)| {
        assert_eq!(checked("failed_attempts", &key, &row), [0; 0]);
        let (cycle, id) = key.split_first_chunk::<8>().unwrap();
        (u64::from_le_bytes(*cycle), String::from_utf8(id.to_vec()).unwrap())
    });
    assert_eq!(found.collect::<BTreeSet<_>>(), failed);
    for (table, expected) in
        [("attempt_cycles", cycles), ("open_attempts", open), ("origins", origins)]
    {
        let found = texts::<&str>(db, table).into_iter().map(|(key, row)| {
            let mut bytes = Cursor::new(&row, table);
            let number = bytes.septets();
            bytes.end();
            (key, number)
        });
        assert_eq!(found.collect::<BTreeMap<String, u64>>(), expected, "{table}");
    }
}
