//! The tables against the operations that they stand for: `pact` against `nodes`, `each` against asking cycle by
//! cycle, `changes` against `select` of the range, `lives` against a replay.

use super::{int, old_store, rows, rows_with, texts, value};
use crate::support::life::grow;
use crate::support::ops::sequence;
use crate::support::random::{at_every_state, at_one_state, over_a_range, timeless};
use crate::support::storage::Memory;
use pactdb::json::canonical_string;
use pactdb::session::{What, life};
use pactdb::{Add, Commit, Db, Generation, Json, Map, Options, Remove, Selected};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The headers that objects of nodes have, as columns have them.
const COMPARED: &str = "id, nodeType, role, kind, key, tags, ttl, cad, offset, priority, refs, pinned, removable, \
                        provenance, content, content_hash, cycle, created_at_ns, created_at_iso, creation_index, \
                        parent, depth";

/// A node object as a row.
fn row_of(node: &Map) -> Vec<Json> {
    let column = |name: &str| {
        let value = node.get(name).cloned().unwrap_or(Json::Null);
        match (name, value) {
            ("pinned" | "removable", Json::Null) => Json::Int(0),
            (_, value @ (Json::Null | Json::Str(_))) => value,
            ("content" | "tags" | "refs", value) => Json::from(canonical_string(&value).as_str()),
            (_, Json::Bool(flag)) => Json::Int(flag.into()),
            (_, value) => value,
        }
    };
    COMPARED.split(',').map(|name| column(name.trim())).collect()
}

fn nodes_of(db: &Db, selector: &str) -> Result<Vec<Vec<Json>>, pactdb::Error> {
    Ok(db.nodes(selector)?.nodes.iter().map(row_of).collect())
}

fn same_nodes(db: &Db, selector: &str) -> Result<(), TestCaseError> {
    let asked = rows_with(db, &format!("select {COMPARED} from pact(?)"), &texts(&[selector]));
    // These columns are in the turn index, and with one that is not they come from whole nodes.
    let columns = "id, nodeType, role, kind, key, tags, cad, offset, priority, pinned, removable, \
                   parent, turn, path, bytes, chars, content, json, depth, at, first_cycle, last_cycle";
    let ask = |sql: String| rows_with(db, &sql, &texts(&[selector]));
    let indexed = ask(format!("select {columns} from pact(?)"));
    let whole = ask(format!("select {columns} from pact(?) where refs is null or refs <> ''"));
    prop_assert_eq!(indexed.ok(), whole.ok(), "{}", selector);
    match (nodes_of(db, selector), asked) {
        (Ok(nodes), Ok(found)) => prop_assert_eq!(found, nodes, "{}", selector),
        (Err(one), Err(other)) => prop_assert_eq!(one.code, other.code, "{}", selector),
        (one, other) => prop_assert!(false, "{selector}: {one:?} and {other:?}"),
    }
    Ok(())
}

fn same_changes(db: &Db, selector: &str) -> Result<(), TestCaseError> {
    let sql = "select cycle, change, id, field from changes(?)";
    let found = rows_with(db, sql, &texts(&[selector]));
    let range = match (db.select(selector), &found) {
        (Ok(Selected::Range(range)), Ok(_)) => range,
        (Ok(Selected::Ids { .. }), Err(_)) => return Ok(()),
        (Err(one), Err(other)) => {
            prop_assert_eq!(one.code, other.code, "{}", selector);
            return Ok(());
        }
        (one, other) => return Err(TestCaseError::fail(format!("{selector}: {one:?}, {other:?}"))),
    };
    let mut wanted = Vec::new();
    for block in range.diffs {
        let mut push = |change: &str, id: &str, field: Json| {
            let cycle = int(block.from.cycle);
            wanted.push(vec![cycle, Json::from(change), Json::from(id), field]);
        };
        block.added_ids.iter().for_each(|id| push("added", id, Json::Null));
        block.removed_ids.iter().for_each(|id| push("removed", id, Json::Null));
        for changed in &block.changed {
            for field in &changed.fields {
                push("changed", &changed.id, Json::from(&**field));
            }
        }
    }
    prop_assert_eq!(found.unwrap(), wanted, "{}", selector);
    Ok(())
}

fn same_each(db: &Db, selector: &str) -> Result<(), TestCaseError> {
    let (first, last) = (db.history().iter().next().unwrap(), db.last_cycle());
    let range = format!("@c{first}..@c{last}");
    let sql = format!("select at, {COMPARED} from each(?, ?)");
    let found = rows_with(db, &sql, &texts(&[&range, selector]));
    let mut wanted = Vec::new();
    for cycle in db.history().iter() {
        match nodes_of(db, &format!("@c{cycle} {selector}")) {
            Ok(nodes) => wanted.extend(nodes.into_iter().map(|mut row| {
                row.insert(0, int(cycle));
                row
            })),
            Err(_) => {
                prop_assert!(found.is_err(), "{selector}");
                return Ok(());
            }
        }
    }
    prop_assert_eq!(found.unwrap(), wanted, "{}", selector);
    Ok(())
}

/// What a replay says of each node: born, ended, how.
fn replayed(db: &Db) -> BTreeMap<String, (u64, Option<(u64, String)>)> {
    let mut lives: BTreeMap<String, (u64, Option<(u64, String)>)> = BTreeMap::new();
    let mut states: Vec<(u64, String)> =
        db.history().iter().map(|cycle| (cycle, format!("@c{cycle} *"))).collect();
    states.push((db.last_cycle() + 1, "*".to_owned()));
    for (cycle, selector) in states {
        let there: Vec<String> =
            db.select(selector.as_str()).unwrap().ids().iter().map(|id| id.to_string()).collect();
        for (id, (_, ended)) in &mut lives {
            if there.contains(id) {
                *ended = None;
            } else if ended.is_none() {
                *ended = Some((cycle, how(db, id, cycle)));
            }
        }
        for id in there {
            lives.entry(id).or_insert((cycle, None));
        }
    }
    lives
}

fn how(db: &Db, id: &str, cycle: u64) -> String {
    let restored = db.history().contains(cycle)
        && rows(db, &format!("select kind from commits where cycle = {cycle}"))
            == [[Json::from("restore")]];
    if restored {
        return "restored".to_owned();
    }
    let gone = [What::Removed, What::Expired, What::Cascaded, What::Pruned];
    let moments = life(db, id).unwrap_or_default();
    let last =
        moments.iter().rev().find(|moment| moment.cycle == cycle && gone.contains(&moment.what));
    last.map_or("removed", |moment| moment.what.word()).to_owned()
}

fn same_lives(db: &Db) -> Result<(), TestCaseError> {
    let found = rows(db, "select id, born, ended, how from lives");
    let wanted = replayed(db);
    prop_assert_eq!(found.len(), wanted.len());
    for row in found {
        let (born, ended) = &wanted[row[0].as_str().unwrap()];
        let text = |how: &(u64, String)| Json::from(how.1.as_str());
        let expected = [
            int(*born),
            ended.as_ref().map_or(Json::Null, |ended| int(ended.0)),
            ended.as_ref().map_or(Json::Null, text),
        ];
        prop_assert_eq!(&row[1..], &expected, "{:?}", row[0]);
    }
    // Some of them are found without the others.
    let last = db.last_cycle();
    let windows =
        [(0, 1), (1, 1), (2, 5), (last / 2, last / 2 + 3), (last, last + 1), (last + 2, last + 9)];
    for (from, to) in windows {
        let some = |born: &str| {
            let range = format!("{born} between {from} and {to}");
            rows(db, &format!("select * from lives where {range} order by +born, +id"))
        };
        prop_assert_eq!(some("born"), some("+born"), "{} to {}", from, to);
    }
    for id in wanted.keys() {
        let one =
            |id_column: &str| rows(db, &format!("select * from lives where {id_column} = '{id}'"));
        if id.contains('\'') {
            continue;
        }
        prop_assert_eq!(one("id"), one("+id"), "{}", id);
    }
    Ok(())
}

/// A store of which most turns are in the turn index, some in several versions, and some are not.
fn long_store() -> Db {
    let db = Options::new().clock(1000).create_on(Memory::default()).unwrap();
    for turn in 0..210u64 {
        db.add(Add::user(format!("question {turn}")).id(format!("q{turn}"))).unwrap();
        let answer = Add::assistant("x".repeat(turn as usize % 97)).id(format!("a{turn}"));
        db.add(if turn % 3 == 0 { answer.ttl(4) } else { answer }).unwrap();
        if turn % 5 == 0 {
            let plan = Add { content: Some(Json::List(vec![int(turn)])), ..Add::tool("") };
            db.add(plan.kind("call").offset(-1).id(format!("c{turn}"))).unwrap();
        }
        // Turns that were sealed long ago have another version.
        if turn % 15 == 0 && turn > 60 {
            db.remove(Remove::target(format!("#c{}", turn - 60))).unwrap();
        }
        db.commit(Commit::new()).unwrap();
    }
    db.add(Add::user("not committed")).unwrap();
    db
}

#[test]
fn a_long_store_says_the_same_from_the_index_and_from_its_nodes() {
    let db = long_store();
    for selector in [
        "@t0 *",
        "@t0 .cb",
        "@t0 .mt",
        "@t0 .cb[role='assistant']",
        "@t0 .cb[content~'7']",
        "@t0 .mt:depth(5-9) .cb",
        "@t0 .cb:last",
        "@t0 .mt > *",
        "@t0 .cb @limit=70 @skip=9",
        "@t0 .cb @order=id",
        "@t0 .cb[role='user'], @t0 .cb[kind='call']",
        "@c150 .cb",
        "@* .cb[role='tool']",
        "*",
        ".cb",
    ] {
        same_nodes(&db, selector).unwrap();
    }
    let bytes = |condition: &str| {
        let taken = rows(&db, &format!("select id from pact('@t0 *') where {condition}"));
        let left = condition.replace("bytes", "+bytes");
        let left = rows(&db, &format!("select id from pact('@t0 *') where {left}"));
        assert_eq!(taken, left, "{condition}");
        taken.len()
    };
    let some = ["bytes > 90", "bytes between 3 and 10", "bytes = 13", "bytes < 4.5"];
    assert!(some.iter().all(|condition| bytes(condition) > 0));
    let none = ["bytes > 9e99", "bytes = null", "bytes = 'x'", "bytes < -1", "bytes = 2.5"];
    assert!(none.iter().all(|condition| bytes(condition) == 0));
    let count = |sql: &str| value(&db, &format!("select count(*) from pact('@t0 *') where {sql}"));
    assert_eq!(count("bytes >= '90'"), count("bytes >= 90"));
    assert!(bytes("bytes is null") > 0 && bytes("bytes < 'x'") > 0);
    same_lives(&db).unwrap();
}

#[test]
fn lives_of_an_old_store_are_those_of_a_replay() {
    same_lives(old_store()).unwrap();
    let one = rows(old_store(), "select * from lives where id = 'u3'");
    let all = rows(old_store(), "select * from lives");
    assert_eq!(one, all.into_iter().filter(|row| row[0] == Json::from("u3")).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn pact_is_nodes(selector in prop_oneof![at_one_state(), at_every_state()]) {
        same_nodes(old_store(), &selector)?;
    }

    #[test]
    fn changes_are_select_of_the_range(selector in over_a_range()) {
        same_changes(old_store(), &selector)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn each_is_asking_cycle_by_cycle(selector in timeless()) {
        same_each(old_store(), &selector)?;
    }

    #[test]
    fn random_lives_agree(ops in sequence(1..12), late in any::<bool>()) {
        let db = grow(if late { Generation::V1_0 } else { Generation::V0_1 }, &ops);
        same_lives(&db)?;
        for selector in ["*", "@t0 *", "@* *", "@* [ttl]", "@* #x"] {
            same_nodes(&db, selector)?;
        }
        if db.last_cycle() > 0 {
            same_each(&db, "*")?;
            same_changes(&db, "@history *")?;
        }
    }
}
