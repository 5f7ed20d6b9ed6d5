//! The table `log`: records in their envelopes, the chain of hashes, and contents.

use super::bytes::{Cursor, checked};
use super::document::Document;
use super::event::Event;
use super::notes::Policy;
use super::tables::rows;
use redb::Database;
use std::collections::BTreeMap;

/// What a content is: its plain bytes, and whether they are a text or JSON.
pub(super) struct Content {
    pub(super) is_json: bool,
    pub(super) plain: String,
    pub(super) is_compressed: bool,
}

impl Content {
    pub(super) fn document(&self) -> Document {
        match self.is_json {
            true => Document::Raw(self.plain.clone()),
            false => Document::text(&self.plain),
        }
    }

    fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("pactdb 1 content");
        hasher.update(&[u8::from(self.is_json)]);
        hasher.update(self.plain.as_bytes());
        hasher.finalize().into()
    }
}

pub(super) struct Record {
    pub(super) version: u8,
    pub(super) group: u64,
    pub(super) time: i64,
    pub(super) event: Event,
    digests: Vec<[u8; 32]>,
    pub(super) hash: [u8; 32],
}

/// All of a log.
pub(super) struct Log {
    pub(super) records: Vec<Record>,
    /// By event and part.
    pub(super) contents: BTreeMap<(u64, u32), Content>,
}

pub(super) fn read(db: &Database) -> Log {
    let mut log = Log { records: Vec::new(), contents: BTreeMap::new() };
    let mut hash =
        *blake3::Hasher::new_derive_key("pactdb 1 start of the chain").finalize().as_bytes();
    for (key, row) in rows::<(u64, u32)>(db, "log") {
        let mut key_bytes = Cursor::new(&key, "a key of log");
        let (seq, part) = (key_bytes.u64_le(), u32::from_le_bytes(key_bytes.array()));
        key_bytes.end();
        if part > 0 {
            log.contents.insert((seq, part), content(checked("log", &key, &row)));
            continue;
        }
        assert_eq!(seq, log.records.len() as u64 + 1, "no event is missing");
        let record = record(seq, &row, &hash);
        hash = record.hash;
        log.records.push(record);
    }
    let mut named = 0;
    for (record, seq) in log.records.iter().zip(1..) {
        for (digest, part) in record.digests.iter().zip(1..) {
            assert_eq!(log.contents[&(seq, part)].digest(), *digest, "content {part} of {seq}");
            named += 1;
        }
    }
    assert_eq!(named, log.contents.len(), "every content belongs to a record");
    log
}

fn record(seq: u64, row: &[u8], before: &[u8; 32]) -> Record {
    let (body, hash) = row.split_last_chunk::<32>().unwrap();
    let mut hasher = blake3::Hasher::new_derive_key("pactdb 1 record");
    hasher.update(before).update(&seq.to_le_bytes()).update(body);
    assert_eq!(hasher.finalize().as_bytes(), hash, "the hash of event {seq}");
    let mut bytes = Cursor::new(body, format!("event {seq}"));
    let version = bytes.byte();
    let back = bytes.marked();
    let time = bytes.marked_signed();
    let digests = bytes.list(|bytes| bytes.array());
    let event = Event::read(&mut bytes);
    let event = match version {
        1 => event,
        2 => event.with_extras(&mut bytes),
        other => panic!("event {seq} has the version {other}"),
    };
    bytes.end();
    Record { version, group: seq - back, time, event, digests, hash: *hash }
}

fn content(bytes: &[u8]) -> Content {
    let (tag, rest) = bytes.split_first().unwrap();
    assert!(*tag < 4, "a content has the tag {tag}");
    let plain = match tag & 2 {
        0 => rest.to_vec(),
        _ => {
            let (size, frame) = rest.split_first_chunk::<4>().unwrap();
            let size = u32::from_le_bytes(*size) as usize;
            let plain = zstd::bulk::decompress(frame, size).unwrap();
            assert_eq!(plain.len(), size);
            plain
        }
    };
    let plain = String::from_utf8(plain).unwrap();
    Content { is_json: tag & 1 == 1, plain, is_compressed: tag & 2 == 2 }
}

impl Log {
    /// The policies in force after an event: those set last, and not taken back.
    pub(super) fn policies(&self, upto: u64) -> Vec<Document> {
        let records = &self.records[..upto as usize];
        let undone = |group: u64| {
            records
                .iter()
                .any(|record| matches!(record.event, Event::Undone(other) if other == group))
        };
        let mut set = records.iter().rev().filter_map(|record| match &record.event {
            Event::PolicySet(policies) if !undone(record.group) => Some(policies),
            _ => None,
        });
        set.next().into_iter().flatten().map(Policy::dumped).collect()
    }

    /// The log as a dump has it.
    pub(super) fn dump(&self, spec: &str) -> String {
        let last = self.records.last().unwrap();
        let header = Document::map([
            ("events", Some(Document::number(self.records.len()))),
            ("hash", Some(Document::hex(&last.hash))),
            ("pactdb_dump", Some(Document::number(1))),
            ("spec", Some(Document::text(spec))),
        ]);
        let mut out = String::new();
        header.write(&mut out);
        out.push('\n');
        for (record, seq) in self.records.iter().zip(1..) {
            self.line(seq, record).write(&mut out);
            out.push('\n');
        }
        out
    }

    fn line(&self, seq: u64, record: &Record) -> Document {
        let (kind, data) = record.event.dumped();
        let contents = self.contents.range((seq, 0)..(seq + 1, 0));
        let contents: Vec<Document> = contents.map(|(_, content)| content.document()).collect();
        Document::map([
            ("seq", Some(Document::number(seq))),
            ("group", Some(Document::number(record.group))),
            ("time_ns", Some(Document::number(record.time))),
            ("event", Some(Document::text(kind))),
            ("data", Some(data)),
            ("hash", Some(Document::hex(&record.hash))),
            ("contents", (!contents.is_empty()).then_some(Document::List(contents))),
        ])
    }
}
