//! The indexes that find turns: `sketches`, `features` and `grams`. What they must say is found
//! from the versions of the turns.

use super::Written;
use super::bytes::{Cursor, checked};
use super::log::Log;
use super::node::{Lifetime, Node};
use super::parts::{Part, Parts, Place, part, turns};
use super::tables::rows;
use redb::Database;
use std::collections::{BTreeMap, BTreeSet};

/// Checks the indexes as far as they are written.
pub(super) fn check(db: &Database, parts: &Parts, log: &Log, written: &Written) {
    check_sketches(db, parts, written);
    let mut after = 0;
    let (mut features, mut grams) = (BTreeMap::new(), BTreeMap::new());
    for cycle in &written.checkpoints {
        // New versions since the last time, by turn; of those that have gone there is nothing.
        let mut new: BTreeMap<Place, Vec<&Part>> = BTreeMap::new();
        for (place, versions) in parts.versions.iter().filter(|(place, _)| place.0 > 0) {
            let versions = versions.range(after + 1..=*cycle);
            for part in versions.filter_map(|(_, version)| version.part.as_ref()) {
                new.entry(*place).or_default().push(part);
            }
        }
        for (place, versions) in &new {
            let found: BTreeSet<u32> = versions.iter().flat_map(|part| names(part)).collect();
            for hash in found {
                features.entry((hash, *cycle)).or_insert_with(Vec::new).push(*place);
            }
        }
        let new: Vec<_> = new.into_iter().collect();
        for (chunk, number) in new.chunks(64).zip(0u32..) {
            let places: Vec<Place> = chunk.iter().map(|(place, _)| *place).collect();
            grams.insert((*cycle, number), (places, bits(chunk, log)));
        }
        after = *cycle;
    }
    // Of the last layer some rows may be missing.
    let last = after;
    let new: Vec<_> = features.keys().filter(|key: &&(u32, u64)| key.1 == last).copied().collect();
    for key in &new[written.of(new.len(), 5, 4)..] {
        features.remove(key);
    }
    let new: Vec<_> = grams.range((last, 0)..).map(|(key, _)| *key).collect();
    for key in &new[written.of(new.len(), 9, 4)..] {
        grams.remove(key);
    }
    check_features(db, &features);
    check_grams(db, &grams);
}

fn check_features(db: &Database, expected: &BTreeMap<(u32, u64), Vec<Place>>) {
    let found = rows::<(u32, u64)>(db, "features").into_iter().map(|(key, row)| {
        let (hash, cycle) = key.split_at(4);
        // The check has the key the other way round.
        let mut bytes =
            Cursor::new(checked("features", &[cycle, hash].concat(), &row), "a row of features");
        let turns = turns(&mut bytes);
        bytes.end();
        let hash = u32::from_le_bytes(hash.try_into().unwrap());
        ((hash, u64::from_le_bytes(cycle.try_into().unwrap())), turns)
    });
    assert_eq!(found.collect::<BTreeMap<_, _>>(), *expected);
}

fn fnv(sort: u8, name: &str) -> u32 {
    let bytes = [&[sort], name.as_bytes()].concat();
    let step = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(16_777_619);
    bytes.iter().fold(2_166_136_261, step)
}

/// The hashes of all names in a part.
fn names(part: &Part) -> Vec<u32> {
    let mut found = Vec::new();
    let push_type = |name: &str, found: &mut Vec<u32>| {
        found.extend([fnv(b'T', name), fnv(b't', name)]);
        found.extend(name.match_indices(':').map(|(at, _)| fnv(b't', &name[at + 1..])));
    };
    for (node, _) in part {
        found.extend(node.role.as_deref().map(|role| fnv(b'r', role)));
        found.extend(node.kind.as_deref().map(|kind| fnv(b'k', kind)));
        found.extend(node.key.as_deref().map(|key| fnv(b'K', key)));
        found.extend(node.tags.iter().map(|tag| fnv(b'+', tag)));
        found.extend(node.attrs.iter().map(|(name, _)| fnv(b'a', name)));
        push_type(&node.node_type, &mut found);
    }
    if part.iter().skip(1).any(|(node, parent)| *parent == 0 && node.offset == 0) {
        push_type("mc", &mut found);
        push_type("cont", &mut found);
    }
    found
}

/// Turns, and the bits of the runs in their contents.
type Grams = (Vec<Place>, Vec<u8>);

fn check_grams(db: &Database, expected: &BTreeMap<(u64, u32), Grams>) {
    let found = rows::<(u64, u32)>(db, "grams").into_iter().map(|(key, row)| {
        let mut bytes = Cursor::new(checked("grams", &key, &row), "a row of grams");
        let turns = turns(&mut bytes);
        let size = bytes.marked() as usize;
        let set = bytes.take(size).to_vec();
        bytes.end();
        let (cycle, number) = key.split_first_chunk::<8>().unwrap();
        let number = u32::from_le_bytes(number.try_into().unwrap());
        ((u64::from_le_bytes(*cycle), number), (turns, set))
    });
    assert_eq!(found.collect::<BTreeMap<_, _>>(), *expected);
}

/// The set of the runs of three bytes in the contents of some turns.
fn bits(turns: &[(Place, Vec<&Part>)], log: &Log) -> Vec<u8> {
    let mut set = vec![false; 1 << 17];
    for (node, _) in turns.iter().flat_map(|(_, versions)| versions).copied().flatten() {
        let Some([seq, part, _]) = node.content else { continue };
        let text = &log.contents[&(seq, part as u32)].plain;
        for run in text.as_bytes().windows(3) {
            let number = u32::from_le_bytes([run[0], run[1], run[2], 0]);
            set[(number.wrapping_mul(0x9e37_79b1) >> 15) as usize] = true;
        }
    }
    while set.len() > 256 && set.iter().filter(|bit| **bit).count() * 8 <= set.len() {
        set = set.chunks(2).map(|pair| pair[0] || pair[1]).collect();
    }
    set.chunks(8)
        .map(|eight| eight.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit)))
        .collect()
}

/// What a row of `sketches` says of a version.
#[derive(Debug, PartialEq)]
struct Known {
    template: Part,
    ids: Vec<String>,
    contents: Vec<[u64; 3]>,
    lives: Vec<Lifetime>,
    sames: Vec<bool>,
}

type Sketches = Vec<(Place, u64, Option<Known>)>;

fn check_sketches(db: &Database, parts: &Parts, written: &Written) {
    let page = |place: &Place| (place.0 / 64, (place.1 - 1) / 64);
    let (before, last) = written.upto();
    let changed: BTreeSet<(u64, u32)> = parts
        .versions
        .iter()
        .filter(|(place, _)| place.0 > 0)
        .filter(|(_, versions)| versions.range(before + 1..last + 1).next().is_some())
        .map(|(place, _)| page(place))
        .collect();
    let count = written.of(changed.len(), 1, 4);
    let changed: BTreeSet<(u64, u32)> = changed.into_iter().take(count).collect();
    let mut expected: BTreeMap<(u64, u32), (bool, Sketches)> = BTreeMap::new();
    for (place, versions) in parts.versions.iter().filter(|(place, _)| place.0 > 0) {
        let key = page(place);
        let upto = if changed.contains(&key) { last } else { before };
        let known: Vec<(u64, Option<Known>)> = versions
            .range(..=upto)
            .map(|(from, version)| {
                let part = version.part.as_ref().filter(|part| part.len() <= 256);
                (*from, part.map(|part| Known::of(part, parts.before(*place, *from))))
            })
            .collect();
        if known.is_empty() {
            continue;
        }
        let (whole, sketches) = expected.entry(key).or_insert((true, Vec::new()));
        *whole &= known.len() <= 4 && known.iter().all(|(_, known)| known.is_some());
        let old = known.len().saturating_sub(4);
        sketches.extend(known.into_iter().skip(old).map(|(from, known)| (*place, from, known)));
    }
    let found = rows::<(u64, u32)>(db, "sketches").into_iter().map(|(key, row)| {
        let (cycle, rank) = key.split_first_chunk::<8>().unwrap();
        let cycle = u64::from_le_bytes(*cycle);
        let bytes = Cursor::new(checked("sketches", &key, &row), "a row of sketches");
        ((cycle, u32::from_le_bytes(rank.try_into().unwrap())), read_sketches(cycle, bytes))
    });
    assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
}

fn read_sketches(page: u64, mut bytes: Cursor<'_>) -> (bool, Sketches) {
    let whole = bytes.septets() == 1;
    let count = bytes.septets();
    let templates = (0..count).map(|_| {
        let mut bytes = Cursor::new(bytes.stretch(), "a template");
        let nodes = part(&mut bytes);
        bytes.end();
        nodes
    });
    let templates: Vec<Part> = templates.collect();
    let [mut versions, mut ids, mut lengths, mut contents, mut lives, mut sames] =
        ["versions", "ids", "lengths", "contents", "lives", "sames"]
            .map(|column| Cursor::new(bytes.stretch(), column));
    bytes.end();
    let mut found = Vec::new();
    let mut last = 0;
    while !versions.is_empty() {
        let cycle = page * 64 + versions.septets();
        let place = (cycle, versions.septets() as u32 + 1);
        let from = cycle + versions.septets();
        let template = match versions.septets() {
            0 => None,
            number => Some(&templates[number as usize - 1]),
        };
        let known = template.map(|template| Known {
            template: template.clone(),
            ids: template
                .iter()
                .map(|_| ids.take(lengths.septets() as usize))
                .map(|id| String::from_utf8(id.to_vec()).unwrap())
                .collect(),
            contents: template
                .iter()
                .filter(|(node, _)| node.content.is_some())
                .map(|_| {
                    last = (last as i64 + contents.septets_signed()) as u64;
                    [last, contents.septets(), contents.septets()]
                })
                .collect(),
            lives: template
                .iter()
                .filter(|(node, _)| node.lifetime.is_some())
                .map(|_| {
                    let given = lives.septets();
                    let since = cycle.wrapping_add_signed(lives.septets_signed());
                    [given, since, since.wrapping_add_signed(lives.septets_signed())]
                })
                .collect(),
            sames: {
                let bits = sames.take(template.len().div_ceil(8));
                (0..template.len()).map(|i| bits[i / 8] >> (i % 8) & 1 == 1).collect()
            },
        });
        found.push((place, from, known));
    }
    for column in [versions, ids, lengths, contents, lives, sames] {
        column.end();
    }
    (whole, found)
}

impl Known {
    fn of(part: &Part, before: Option<&Part>) -> Known {
        let template = part.iter().enumerate().map(|(i, (node, parent))| {
            let node = Node {
                id: String::new(),
                lifetime: node.lifetime.map(|_| [0; 3]),
                cycle: 0,
                created_at_ns: 0,
                created_at_iso: None,
                creation_index: i as u64,
                content: node.content.map(|_| [0; 3]),
                content_hash: None,
                provenance: None,
                refs: Vec::new(),
                attrs: Vec::new(),
                mime: None,
                encoding: None,
                ..node.clone()
            };
            (node, *parent)
        });
        let nodes = || part.iter().map(|(node, _)| node);
        let above = |part: &Part, i: usize| (i > 0).then(|| part[part[i].1 as usize].0.id.clone());
        let same = |i: usize| {
            let old = before?;
            let at = old.iter().position(|(node, _)| *node == part[i].0)?;
            Some(above(old, at) == above(part, i))
        };
        Known {
            template: template.collect(),
            ids: nodes().map(|node| node.id.clone()).collect(),
            contents: nodes().filter_map(|node| node.content).collect(),
            lives: nodes().filter_map(|node| node.lifetime).collect(),
            sames: (0..part.len()).map(|i| same(i).unwrap_or(false)).collect(),
        }
    }
}
