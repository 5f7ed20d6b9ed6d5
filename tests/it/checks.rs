//! Every row that decides something has a check: a flipped bit makes no commit decide otherwise.
//!
//! Bits of the rows of the small indexes are flipped, in keys and in values. Whatever is then asked
//! for must come out as on the store as it was, or be refused because the file is damaged.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::disk::Disk;
use crate::support::life::{CLOCK, ask, must};
use crate::support::seeded::{Random, scaled};
use pactdb::session::{ImportRequest, import};
use pactdb::{Db, Options};
use redb::{Database, Key, ReadableDatabase, ReadableTable, TableDefinition};
use serde_json::{Value, json};

const SESSION: &str = r#"[{"role":"user","content":"hello"},{"role":"assistant","content":"hi"}]"#;

fn import_session(db: &Db) -> u64 {
    let report = import(db, SESSION.as_bytes(), &ImportRequest::default(), &mut |_| {});
    report.unwrap().reply.cycle
}

/// Where parts of the store came from.
fn sources(db: &Db) -> Value {
    match db.sources() {
        Ok(sources) => sources.iter().map(|source| source.seq).collect(),
        Err(error) => json!({"error": {"code": error.code.as_str()}}),
    }
}

/// A closed store with which the next commits decide much. Its first 64 snapshots are in the indexes:
/// they were written by the 25 commits after them, which bring nothing that would hide what they say.
fn store() -> Vec<u8> {
    let disk = Disk::default();
    let db = Options::new().clock(CLOCK).create_on(disk.clone()).unwrap();
    import_session(&db);
    must(&db, &json!({"op": "add", "to": "^sys", "id": "rules", "content": "Be brief."}));
    must(&db, &json!({"op": "attempt", "action": "start", "attempt_id": "open"}));
    while db.last_cycle() < 90 {
        let turn = db.last_cycle();
        let id = format!("u{turn}");
        let mut said = json!({"op": "add", "id": id, "content": format!("number {turn}")});
        match turn % 4 {
            _ if turn >= 64 => {}
            0 => said["refs"] = json!(["rules", format!("u{}", turn - 1)]),
            1 => said["ttl"] = json!(90 - turn + turn % 5),
            2 => (said["key"], said["cad"]) = (json!(format!("k{}", turn % 6)), json!(92 - turn)),
            _ => {
                let name = format!("a{turn}");
                must(&db, &json!({"op": "attempt", "action": "start", "attempt_id": name}));
                let finish = json!({"op": "attempt", "action": "finish", "attempt_id": name});
                let failed =
                    json!({"op": "attempt", "action": "finish", "attempt_id": name, "error": "x"});
                must(&db, if turn % 8 == 3 { &failed } else { &finish });
            }
        }
        must(&db, &json!({"op": "batch", "ops": [said, {"op": "commit"}]}));
    }
    drop(db);
    disk.bytes()
}

/// Decisions that the rows stand behind.
fn decide(image: &[u8]) -> Vec<Value> {
    let db = match Options::new().clock(CLOCK).open_on(Disk::with(image.to_vec())) {
        Ok(db) => db,
        Err(error) => return vec![json!({"error": {"code": error.code.as_str()}})],
    };
    let mut replies = vec![sources(&db)];
    for request in [
        json!({"op": "remove", "target": "#'rules'"}),
        json!({"op": "attempt", "action": "start", "attempt_id": "a7"}),
        json!({"op": "attempt", "action": "finish", "attempt_id": "open"}),
        json!({"op": "add", "id": "u9"}),
        json!({"op": "commit"}),
        json!({"op": "commit"}),
        json!({"op": "commit"}),
        json!({"op": "commit"}),
        json!({"op": "export"}),
        json!({"op": "timeline"}),
        json!({"op": "timeline", "from": "30", "to": "66"}),
    ] {
        replies.push(ask(&db, &request));
    }
    replies
}

/// Where the rows of a table lie in an image: the bytes of a key, and those of a value.
fn rows<K: Key + 'static>(image: &[u8], table: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let db = Database::builder().create_with_backend(Disk::with(image.to_vec())).unwrap();
    let txn = db.begin_read().unwrap();
    let table = txn.open_table(TableDefinition::<K, &[u8]>::new(table)).unwrap();
    let rows = table.iter().unwrap().map(|entry| {
        let (key, row) = entry.unwrap();
        (K::as_bytes(&key.value()).as_ref().to_vec(), row.value().to_vec())
    });
    rows.collect()
}

/// The places of a row, in the page that is in use and in those that were before: where its key
/// stands, and its value, which is unique.
fn places(image: &[u8], key: &[u8], row: &[u8]) -> Vec<(usize, usize)> {
    let values = image.windows(row.len()).enumerate().filter(|(_, bytes)| *bytes == row);
    let both = values.filter_map(|(row_at, _)| {
        let page = row_at / 4096 * 4096;
        let key_at = image[page..row_at].windows(key.len()).position(|bytes| bytes == key)?;
        Some((page + key_at, row_at))
    });
    both.collect()
}

fn check<K: Key + 'static>(image: &[u8], right: &[Value], table: &str, random: &mut Random) {
    let rows = rows::<K>(image, table);
    assert!(!rows.is_empty(), "{table} has no rows");
    let mut found = 0;
    for _ in 0..scaled(10) {
        let (key, row) = &rows[random.below(rows.len() as u64) as usize];
        let places = places(image, key, row);
        let (in_key, in_row) = (random.below(key.len() as u64), random.below(row.len() as u64));
        let flip = |at: &dyn Fn(&(usize, usize)) -> usize, mask: u8| {
            let mut flipped = image.to_vec();
            places.iter().for_each(|place| flipped[at(place)] ^= mask);
            decide(&flipped)
        };
        let mask = 1 << random.below(8);
        let in_keys = flip(&|(key_at, _)| key_at + in_key as usize, mask);
        let in_rows = flip(&|(_, row_at)| row_at + in_row as usize, mask);
        for replies in [in_keys, in_rows] {
            let wrong = replies.iter().zip(right).find(|(reply, right)| reply != right);
            let Some((reply, right)) = wrong else { continue };
            assert_eq!(
                reply["error"]["code"], "E_LOG_CORRUPT",
                "{table}, {in_key} of {key:?}: right is {}",
                right["error"]
            );
            found += 1;
        }
    }
    assert!(found > 0, "no flipped bit of {table} was found");
}

#[test]
fn a_flipped_bit_in_a_small_index_decides_nothing() {
    crate::damage::quiet();
    let image = store();
    let right = decide(&image);
    let codes: Vec<&Value> = right.iter().map(|reply| &reply["error"]["code"]).collect();
    assert_eq!(right[0], json!([2]));
    assert_eq!(codes[1], "E_REFERENCED");
    assert_eq!(codes[2], "E_NODE_EXISTS");
    assert_eq!(codes[4], "E_NODE_EXISTS");
    assert!(right[5]["ok"]["materialized"].is_array(), "{}", right[5]);
    let expired = |reply: &Value| reply["ok"]["expired"].as_array().map_or(0, Vec::len);
    assert!(right.iter().map(expired).sum::<usize>() > 2);
    let mut random = Random::new(12);
    check::<(u8, u64, u64, u32)>(&image, &right, "expiry", &mut random);
    check::<(&str, &str)>(&image, &right, "refs", &mut random);
    check::<&str>(&image, &right, "running", &mut random);
    check::<&str>(&image, &right, "origins", &mut random);
    check::<&str>(&image, &right, "attempt_cycles", &mut random);
    check::<&str>(&image, &right, "open_attempts", &mut random);
    check::<&[u8]>(&image, &right, "ids", &mut random);
    check::<&str>(&image, &right, "instances", &mut random);
    check::<(u8, u64)>(&image, &right, "figures", &mut random);
    check::<(u64, u32)>(&image, &right, "turn_sizes", &mut random);
    check::<(u64, &str)>(&image, &right, "failed_attempts", &mut random);
}

/// What a store says of itself has a check as well: a store that is taken for one of the other
/// generation would read every selector otherwise.
#[test]
fn a_store_is_not_taken_for_one_of_the_other_generation() {
    let meta: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("meta");
    let disk = Disk::with(store());
    let db = Database::builder().create_with_backend(disk.clone()).unwrap();
    let txn = db.begin_write().unwrap();
    txn.open_table(meta).unwrap().insert("generation", b"1.0".as_slice()).unwrap();
    txn.commit().unwrap();
    drop(db);
    let error = Options::new().clock(CLOCK).open_on(disk).map(drop).unwrap_err();
    assert_eq!(error.code.as_str(), "E_LOG_CORRUPT", "{error}");
}
