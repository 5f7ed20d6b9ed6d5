//! The timeline says what whole snapshots say, each compared with the one before: a naive reading of exports,
//! which shares no code with the engine, is held against it over random lives, at every width of buckets,
//! live, after opening, after a rebuild and in a fork.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::life::{CLOCK, ask, grow, live, must, requests};
use crate::support::ops;
use crate::support::storage::Memory;
use pactdb::session::{Until, fork_on};
use pactdb::{Db, Generation, Options};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const ROLES: [&str; 4] = ["system", "user", "assistant", "tool"];

/// What a thread says of a block, and how large its content is.
#[derive(Debug, Clone, PartialEq)]
struct Block {
    said: Value,
    bytes: u64,
    /// Its id, and those of all above it.
    above: Vec<String>,
}

/// The figures of one snapshot.
#[derive(Debug, Clone)]
struct One {
    cycle: u64,
    roles: [u64; 5],
    regions: [u64; 3],
    blocks: u64,
    estimate: u64,
    /// came, removed, expired, cascaded, pruned, restored, imported, breaks, failed
    counts: [u64; 9],
    /// cycle, blocks kept, bytes kept, of bytes
    broken: Option<[u64; 4]>,
}

const COUNTS: [&str; 9] = [
    "came", "removed", "expired", "cascaded", "pruned", "restored", "imported", "breaks", "failed",
];

fn size(content: &Value) -> u64 {
    match content {
        Value::String(text) => text.len() as u64,
        other => {
            let parsed = pactdb::json::parse(&other.to_string()).unwrap();
            pactdb::json::canonical_string(&parsed).len() as u64
        }
    }
}

fn collect(node: &Value, above: &[String], default: Option<&str>, blocks: &mut Vec<Block>) {
    let mut above = above.to_vec();
    above.push(node["id"].as_str().unwrap().to_owned());
    if let Some(children) = node.get("children") {
        for child in children.as_array().unwrap() {
            collect(child, &above, default, blocks);
        }
        return;
    }
    let role = node.get("role").and_then(Value::as_str).or(default);
    let said = json!([node["id"], role, node.get("kind"), node.get("content")]);
    let bytes = node.get("content").map_or(0, size);
    blocks.push(Block { said, bytes, above });
}

/// The blocks of `^sys`, `^seq` and `^ah`.
fn thread(db: &Db, cycle: u64) -> [Vec<Block>; 3] {
    // Numbers in contents keep their spelling: only texts are compared.
    let export = db.export(Some(&format!("@c{cycle}"))).unwrap();
    let export: Value = serde_json::from_str(&export).unwrap();
    let old = db.generation() == Generation::V0_1;
    [("system", 0), ("user", 1), ("user", 2)].map(|(default, region)| {
        let mut blocks = Vec::new();
        let default = old.then_some(default);
        collect(&export["root"]["children"][region], &[], default, &mut blocks);
        blocks
    })
}

fn sum(blocks: &[Block]) -> u64 {
    blocks.iter().map(|block| block.bytes).sum()
}

fn figures(db: &Db) -> Vec<One> {
    let attempts = must(db, &json!({"op": "attempt", "action": "list"}));
    let (mut old, mut all): (Vec<Block>, _) = (Vec::new(), Vec::new());
    for cycle in db.history().iter() {
        let regions = thread(db, cycle);
        let sizes = [0, 1, 2].map(|region| sum(&regions[region]));
        let new = regions.concat();
        let mut roles = [0; 5];
        for block in &new {
            let role = ROLES.iter().position(|role| block.said[1] == **role);
            roles[role.unwrap_or(4)] += block.bytes;
        }
        let info = db.cycle_info(cycle).unwrap();
        let lists = [info.removed.expired, info.removed.cascaded, info.removed.pruned];
        let told: BTreeSet<String> = lists.iter().flatten().map(|id| id.to_string()).collect();
        let ids = |blocks: &[Block]| -> BTreeSet<String> {
            blocks.iter().map(|block| block.said[0].as_str().unwrap().to_owned()).collect()
        };
        let (before, now) = (ids(&old), ids(&new));
        let gone = old.iter().filter(|block| !now.contains(block.above.last().unwrap()));
        let removed = gone.filter(|block| !block.above.iter().any(|id| told.contains(id)));
        let same = old.iter().zip(&new).take_while(|(a, b)| a.said == b.said).count();
        let kind = format!("{:?}", info.kind);
        let failed = attempts.as_array().unwrap().iter();
        let failed = failed.filter(|one| one["cycle_id"] == cycle && one["status"] == "error");
        let flag = |yes: bool| u64::from(yes);
        all.push(One {
            cycle,
            roles,
            regions: sizes,
            blocks: new.len() as u64,
            estimate: new.iter().map(|block| block.bytes.div_ceil(4)).sum(),
            counts: [
                now.difference(&before).count() as u64,
                removed.count() as u64,
                lists[0].len() as u64,
                lists[1].len() as u64,
                lists[2].len() as u64,
                flag(kind.starts_with("Restore")),
                flag(kind == "Import"),
                flag(same < old.len()),
                failed.count() as u64,
            ],
            broken: (same < old.len()).then(|| [cycle, same as u64, sum(&old[..same]), sum(&old)]),
        });
        old = new;
    }
    all
}

/// What a timeline must say of some snapshots, in buckets of a width.
fn expected(all: &[One], from: usize, to: usize, width: usize, by: &str) -> Value {
    let mut buckets: Vec<&[One]> = Vec::new();
    let mut at = from;
    while at < to {
        let end = ((at / width + 1) * width).min(to);
        buckets.push(&all[at..end]);
        at = end;
    }
    let last = |value: &dyn Fn(&One) -> u64| -> Value {
        buckets.iter().map(|bucket| value(bucket.last().unwrap())).collect()
    };
    let total = |one: &One| one.roles.iter().sum::<u64>();
    let greatest = |bucket: &[One]| -> (u64, u64) {
        let most = bucket.iter().map(total).max().unwrap();
        (most, bucket.iter().find(|one| total(one) == most).unwrap().cycle)
    };
    let (stack, bytes) = match by {
        "role" => (
            json!([ROLES[0], ROLES[1], ROLES[2], ROLES[3], "other"]),
            (0..5).map(|role| last(&|one| one.roles[role])).collect::<Value>(),
        ),
        _ => (
            json!(["^sys", "^seq", "^ah"]),
            (0..3).map(|region| last(&|one| one.regions[region])).collect(),
        ),
    };
    let mut reply = json!({
        "from": buckets.first().map_or(0, |bucket| bucket[0].cycle),
        "to": buckets.last().map_or(0, |bucket| bucket.last().unwrap().cycle),
        "snapshots": to - from,
        "width": width,
        "cycle": last(&|one| one.cycle),
        "stack": stack,
        "bytes": bytes,
        "blocks": last(&|one| one.blocks),
        "greatest": buckets.iter().map(|bucket| greatest(bucket).0).collect::<Value>(),
        "greatest_at": buckets.iter().map(|bucket| greatest(bucket).1).collect::<Value>(),
    });
    for (i, name) in COUNTS.into_iter().enumerate() {
        let counts: Vec<u64> = buckets
            .iter()
            .map(|bucket| bucket.iter().map(|one| one.counts[i]).sum::<u64>())
            .collect();
        if counts.iter().any(|count| *count > 0) {
            reply[name] = json!(counts);
        }
    }
    let worst: Vec<Option<[u64; 4]>> = buckets.iter().map(|bucket| worst(bucket)).collect();
    if worst.iter().any(Option::is_some) {
        for (i, name) in ["break_at", "kept_blocks", "kept_bytes", "kept_of"].iter().enumerate() {
            reply[name] = worst.iter().map(|worst| worst.map_or(0, |worst| worst[i])).collect();
        }
    }
    if by == "role" {
        reply["estimated_tokens"] = last(&|one| one.estimate);
    }
    reply
}

/// The break with the smallest share of bytes left; the first of several.
fn worst(bucket: &[One]) -> Option<[u64; 4]> {
    let share = |broken: &[u64; 4]| match broken[3] {
        0 => (1, 1),
        of => (u128::from(broken[2]), u128::from(of)),
    };
    bucket.iter().filter_map(|one| one.broken).reduce(|worst, next| {
        let ((kept, of), (least, whole)) = (share(&next), share(&worst));
        if kept * whole < least * of { next } else { worst }
    })
}

/// Holds the timeline of a store against its snapshots, for many ranges and widths.
fn check(db: &Db, all: &[One]) {
    let count = all.len();
    let ranges = [(0, count), (count / 3, count), (count / 3, 2 * count / 3), (count / 2, count)];
    for (from, to) in ranges.into_iter().filter(|(from, to)| from < to) {
        for most in [1, 2, 3, 7, 64, 2000] {
            let mut width = 1;
            while (to - 1) / width - from / width >= most {
                width *= 2;
            }
            for by in ["role", "region"] {
                let request = json!({
                    "op": "timeline", "from": all[from].cycle.to_string(), "buckets": most,
                    "to": all[to - 1].cycle.to_string(), "by": by, "tokens": by == "role",
                });
                let mut found = must(db, &request);
                let found = found.as_object_mut().unwrap();
                let times = found.remove("time_ms").unwrap();
                assert!(times.as_array().unwrap().iter().all(|time| *time == CLOCK / 1_000_000));
                found.remove("tokens");
                assert_eq!(json!(found), expected(all, from, to, width, by), "{request}");
            }
        }
    }
}

/// The same at every way to a store.
fn check_everywhere(db: &Db) {
    let all = figures(db);
    check(db, &all);
    db.verify(|_| {}).unwrap();
    db.rebuild(|_| {}).unwrap();
    check(db, &all);
    if let Some(middle) = all.get(all.len() / 2) {
        let options = Options::new().clock(CLOCK).generation(db.generation());
        let until = Until::Cycle(middle.cycle);
        let forked = fork_on(db, until, Memory::default(), options, &mut |_, _| {}).unwrap();
        // An attempt of a cycle may have failed after its commit, which the fork does not know.
        let mut all = all[..=all.len() / 2].to_vec();
        let known = figures(&forked);
        all.iter_mut().zip(&known).for_each(|(one, known)| one.counts[8] = known.counts[8]);
        check(&forked, &all);
        forked.verify(|_| {}).unwrap();
    }
}

/// A life with every operation, longer than two checkpoints.
#[test]
fn a_lively_store_is_charted_as_its_snapshots_are() {
    let storage = Memory::default();
    let db = Options::new().clock(CLOCK).create_on(storage.clone()).unwrap();
    for request in [
        json!({"op": "add", "type": "mc", "id": "box", "to": "^ah", "offset": 2, "removable": true}),
        json!({"op": "add", "to": "#box", "ttl": 1, "content": "soon gone"}),
        json!({"op": "commit"}),
        json!({"op": "commit"}),
    ] {
        must(&db, &request);
    }
    for (i, request) in requests(150).iter().enumerate() {
        if i % 9 == 0 {
            let name = format!("f{i}");
            must(&db, &json!({"op": "attempt", "action": "start", "attempt_id": name}));
            let error = if i % 2 == 0 { json!("timeout") } else { Value::Null };
            let finish = json!({"op": "attempt", "action": "finish", "attempt_id": name});
            let mut finish = finish.as_object().unwrap().clone();
            if error != Value::Null {
                finish.insert("error".to_owned(), error);
            }
            must(&db, &Value::Object(finish));
        }
        live(&db, request);
    }
    let all = figures(&db);
    let happened = |count: usize| all.iter().map(|one| one.counts[count]).sum::<u64>();
    for (count, name) in COUNTS.into_iter().enumerate() {
        assert!(happened(count) > 0, "nothing {name}");
    }
    assert!(all.len() > 192 && happened(7) < all.len() as u64);
    check(&db, &all);
    drop(db);
    let db = Options::new().clock(CLOCK).open_on(storage).unwrap();
    check(&db, &all);
    check_everywhere(&db);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_lives_are_charted_as_their_snapshots_are_in_0_1(ops in ops::sequence(1..60)) {
        check_everywhere(&grow(Generation::V0_1, &ops));
    }

    #[test]
    fn random_lives_are_charted_as_their_snapshots_are_in_1_0(ops in ops::sequence(1..60)) {
        check_everywhere(&grow(Generation::V1_0, &ops));
    }
}

/// More snapshots than a row of the second level has: the coarse rows say what the fine ones do.
#[test]
fn coarse_levels_are_put_together_from_fine_ones() {
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    let messages: Vec<Value> =
        (0..4200).map(|i| json!({"role": "user", "content": "x".repeat(i * 7919 % 23)})).collect();
    must(&db, &json!({"op": "import", "messages": messages}));
    must(&db, &json!({"op": "add", "to": "^sys", "content": "rules"}));
    must(&db, &json!({"op": "commit"}));
    // A change in the middle: what lies before it is known from the sizes of turns.
    must(&db, &json!({"op": "restore", "at": "@c2000"}));
    let fine = |from: u64, to: u64| {
        let [from, to] = [from, to].map(|cycle| cycle.to_string());
        must(&db, &json!({"op": "timeline", "from": from, "to": to, "buckets": 2000}))
    };
    let column = |name: &str| -> Vec<u64> {
        let pieces = [fine(1, 1500), fine(1501, 3000), fine(3001, 4202)];
        let items = pieces.iter().flat_map(|piece| match piece.get(name) {
            Some(column) => column.as_array().unwrap().clone(),
            None => vec![json!(0); piece["cycle"].as_array().unwrap().len()],
        });
        items.map(|item| item.as_u64().unwrap()).collect()
    };
    let (came, removed) = (column("came"), column("removed"));
    let (greatest, kept) = (column("greatest"), column("kept_bytes"));
    assert_eq!((came.len(), came[4201], removed[4201]), (4202, 0, 2201));
    // `^sys` was new, so nothing of the thread before is left but what the restore took away.
    assert_eq!((kept[4200], kept[4201]), (0, 0));
    for most in [1usize, 2, 5, 66, 500] {
        let mut width = 1;
        while 4201 / width >= most {
            width *= 2;
        }
        let coarse = must(&db, &json!({"op": "timeline", "buckets": most}));
        assert_eq!(coarse["width"], width);
        let sums =
            |column: &[u64]| column.chunks(width).map(|c| c.iter().sum()).collect::<Vec<u64>>();
        assert_eq!(coarse["came"], json!(sums(&came)));
        assert_eq!(coarse["removed"], json!(sums(&removed)));
        let most: Vec<u64> = greatest.chunks(width).map(|c| *c.iter().max().unwrap()).collect();
        assert_eq!(coarse["greatest"], json!(most));
    }
}

/// Whoever asks while commits go on is told of a state that was, whole.
#[test]
fn a_timeline_beside_commits_is_whole() {
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    let writer = db.clone();
    let writing = std::thread::spawn(move || {
        for turn in 0..300 {
            let said = json!({"op": "add", "role": "user", "content": format!("number {turn}")});
            must(&writer, &json!({"op": "batch", "ops": [said, {"op": "commit"}]}));
        }
    });
    let mut most = 0;
    while most < 300 {
        let asked = must(&db, &json!({"op": "timeline", "buckets": 2000}));
        let count = asked["snapshots"].as_u64().unwrap();
        assert!(count >= most, "{count} after {most}");
        assert_eq!(asked["to"], count);
        assert_eq!(asked["cycle"], json!((1..=count).collect::<Vec<u64>>()));
        assert_eq!(asked["blocks"], asked["cycle"]);
        most = count;
    }
    writing.join().unwrap();
}

/// Where a thread parts in the middle of many turns, what is left is told from the nearer end.
#[test]
fn a_break_anywhere_is_told_exactly() {
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    let turns = 700u64;
    for turn in 0..turns {
        let content = "y".repeat((turn * 31 % 17) as usize + 1);
        // Each of these expires when all turns are there, one in each cycle.
        let ttl = turns - turn + (turn * 7 % 40);
        let said = json!({"op": "add", "role": "user", "content": content, "ttl": ttl});
        let kept = json!({"op": "add", "role": "assistant", "content": "z"});
        must(&db, &json!({"op": "batch", "ops": [said, kept, {"op": "commit"}]}));
    }
    for _ in 0..40 {
        must(&db, &json!({"op": "commit"}));
    }
    let newest = json!({"op": "timeline", "from": "700"});
    let found = must(&db, &newest);
    let threads: Vec<Vec<Block>> = (700..=740).map(|cycle| thread(&db, cycle).concat()).collect();
    for (i, pair) in threads.windows(2).enumerate() {
        let [old, new] = pair else { unreachable!() };
        let same = old.iter().zip(new).take_while(|(a, b)| a.said == b.said).count();
        assert!(same < old.len(), "something expires in each");
        assert_eq!(found["kept_blocks"][i + 1], same);
        assert_eq!(found["kept_bytes"][i + 1], sum(&old[..same]));
        assert_eq!(found["kept_of"][i + 1], sum(old));
    }
    db.verify(|_| {}).unwrap();
}

#[test]
fn what_cannot_be_charted_is_refused_and_an_empty_store_is_empty() {
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    let empty = must(&db, &json!({"op": "timeline", "tokens": true}));
    assert_eq!(
        (&empty["snapshots"], &empty["cycle"], &empty["to"]),
        (&json!(0), &json!([]), &json!(0))
    );
    must(&db, &json!({"op": "commit"}));
    for (request, code, word) in [
        (json!({"buckets": 0}), "E_REQUEST_INVALID", "between 1 and 2000"),
        (json!({"buckets": 2001}), "E_REQUEST_INVALID", "between 1 and 2000"),
        (json!({"from": "3", "to": "2"}), "E_REQUEST_INVALID", "comes before"),
        (json!({"from": "@c3"}), "E_SNAPSHOT_NOT_FOUND", "@c3"),
        (json!({"from": "soon"}), "E_SELECTOR_INVALID", "soon"),
        (json!({"by": "size"}), "E_ATTR_INVALID", "role, region"),
        (json!({"at": "@c1"}), "E_REQUEST_INVALID", "at"),
    ] {
        let mut request = request;
        request["op"] = json!("timeline");
        let reply = ask(&db, &request);
        assert_eq!(reply["error"]["code"], code, "{reply}");
        assert!(reply["error"]["message"].as_str().unwrap().contains(word), "{reply}");
    }
    // A number is a bound: what is beyond it is not there.
    let beyond = must(&db, &json!({"op": "timeline", "from": "9"}));
    assert_eq!(beyond["snapshots"], 0);
}

/// Tokens are those that a question in SQL counts.
#[cfg(all(feature = "sql", feature = "tokens"))]
#[test]
fn tokens_are_counted_exactly() {
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    for request in requests(60) {
        live(&db, &request);
    }
    must(&db, &json!({"op": "add", "content": "few words", "attrs": {"data_tokens": 1000}}));
    must(&db, &json!({"op": "commit"}));
    let counted = must(&db, &json!({"op": "timeline", "tokens": true}));
    for (cycle, tokens) in
        counted["cycle"].as_array().unwrap().iter().zip(counted["tokens"].as_array().unwrap())
    {
        let q =
            format!("select coalesce(sum(tokens), 0) from pact('@c{cycle} *') where bytes >= 0");
        let sum = must(&db, &json!({"op": "sql", "q": q}));
        assert_eq!(sum["rows"][0][0], *tokens, "in {cycle}");
    }
    // What would take too long is left out: the newest are counted first.
    let large = "word ".repeat(1_000_000);
    must(&db, &json!({"op": "add", "content": large}));
    must(&db, &json!({"op": "commit"}));
    let counted = must(&db, &json!({"op": "timeline", "tokens": true, "buckets": 1}));
    assert_eq!(counted["tokens"], json!([null]));
    // So is a context that no model reads, even if everything in it is known.
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    let large = "x".repeat(6 << 20);
    for expected in [json!([7]), json!([14]), json!([null])] {
        must(&db, &json!({"op": "add", "content": large, "attrs": {"data_tokens": 7}}));
        must(&db, &json!({"op": "commit"}));
        let counted = must(&db, &json!({"op": "timeline", "tokens": true, "buckets": 1}));
        assert_eq!(counted["tokens"], expected);
    }
}

/// Whether two prompts part before the older one ends, and how many of its bytes are left of how many.
fn parted(db: &Db, older: u64, newer: u64, format: &str) -> (bool, u64, u64) {
    let (a, b) = (format!("@c{older}"), format!("@c{newer}"));
    let compared = must(db, &json!({"op": "compare", "a": a, "b": b, "format": format}));
    let goes_on = ["same", "appended"].contains(&compared["reason"].as_str().unwrap());
    let number = |value: &Value| value.as_u64().unwrap();
    (!goes_on, number(&compared["common_bytes"]), number(&compared["bytes"][0]))
}

/// The prompts of providers break where two of them, compared, part before the older one ends.
#[test]
fn prompts_break_where_two_compared_ones_part() {
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    let call = |kind: &str, role: &str| {
        json!({"op": "add", "role": role, "kind": kind, "content": "x", "attrs":
            {"data_call_id": "c", "data_tool_name": "look"}})
    };
    must(&db, &call("call", "assistant"));
    must(&db, &json!({"op": "commit"}));
    // The prompt before said that there is no result, and the thread only goes on.
    must(&db, &call("result", "tool"));
    must(&db, &json!({"op": "commit"}));
    for request in requests(60) {
        live(&db, &request);
    }
    let cycles: Vec<u64> = db.history().iter().collect();
    for format in ["openai", "anthropic"] {
        let pairs = cycles.windows(2).map(|two| (two[1], parted(&db, two[0], two[1], format)));
        let mut all = vec![(cycles[0], (false, 0, 0))];
        all.extend(pairs);
        assert!(all[1].1.0, "the result came late");
        for buckets in [cycles.len(), 9, 1] {
            let request = json!({"op": "timeline", "buckets": buckets, "format": format});
            let found = must(&db, &request);
            assert_eq!(found["prompts"]["format"], format);
            let mut left = all.as_slice();
            for (at, last) in found["cycle"].as_array().unwrap().iter().enumerate() {
                let here = left.partition_point(|(cycle, _)| *cycle <= last.as_u64().unwrap());
                let broken: Vec<_> = left[..here].iter().filter(|(_, one)| one.0).collect();
                left = &left[here..];
                let worst = broken
                    .iter()
                    .min_by(|(_, a), (_, b)| (a.1 * b.2.max(1)).cmp(&(b.1 * a.2.max(1))));
                let worst = worst.map_or([0; 3], |(cycle, one)| [*cycle, one.1, one.2]);
                let names = ["break_at", "kept_bytes", "kept_of"];
                let said = names.map(|name| found["prompts"][name][at].as_u64().unwrap());
                assert_eq!(found["prompts"]["breaks"][at], broken.len(), "{format} {last}");
                assert_eq!(said, worst, "{format} {last}");
            }
            assert!(left.is_empty());
        }
    }
    let thread = must(&db, &json!({"op": "timeline", "format": "thread"}));
    assert_eq!(thread, must(&db, &json!({"op": "timeline"})), "the thread's are there anyway");
    let wrong = ask(&db, &json!({"op": "timeline", "format": "telegram"}));
    assert_eq!(wrong["error"]["code"], "E_REQUEST_INVALID");
}

/// Long prompts are compared newest first, some for each answer.
#[test]
fn long_prompts_are_compared_step_by_step() {
    let db = Options::new().clock(CLOCK).create_on(Memory::default()).unwrap();
    must(&db, &json!({"op": "add", "role": "user", "content": "x".repeat(3 << 20)}));
    for _ in 0..5 {
        must(&db, &json!({"op": "commit"}));
    }
    let ask =
        || must(&db, &json!({"op": "timeline", "format": "openai"}))["prompts"]["breaks"].clone();
    assert_eq!(ask(), json!([0, null, null, null, 0]));
    assert_eq!(ask(), json!([0, null, null, 0, 0]));
    assert_eq!(ask(), json!([0, null, 0, 0, 0]));
    assert_eq!(ask(), json!([0, 0, 0, 0, 0]));
}
