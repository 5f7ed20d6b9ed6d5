//! `figures`, `turn_sizes`, and what commits say of the thread. What they must say is found from whole
//! snapshots, each compared with the one before.

use super::Written;
use super::bytes::{Cursor, checked};
use super::log::Log;
use super::node::BLOCK;
use super::parts::{AH, Parts, Place, SYS};
use super::tables::rows;
use redb::Database;
use std::collections::{BTreeMap, BTreeSet};

const ROLES: [&str; 4] = ["system", "user", "assistant", "tool"];

/// A block of a thread: what is said of it, and its size.
#[derive(Clone, PartialEq)]
struct Block {
    id: String,
    role: Option<String>,
    kind: Option<String>,
    content: Option<(bool, String)>,
    bytes: u64,
}

/// The figures of some snapshots.
#[derive(Debug, Clone, Default, PartialEq)]
struct Figures {
    cycle: u64,
    time: i64,
    /// Bytes of the five roles, of `^sys`, of `^ah`; blocks; tokens.
    levels: [u64; 9],
    greatest: [u64; 2],
    counts: [u64; 8],
    /// The cycle, blocks and bytes before, blocks and bytes that are left.
    worst: Option<[u64; 5]>,
}

pub(super) fn check(db: &Database, parts: &Parts, log: &Log, generation: &str, written: &Written) {
    let (mut all, mut before) = (Vec::new(), (None, Vec::new()));
    for cycle in parts.commits.keys() {
        let new = thread(parts, log, generation, *cycle);
        all.push(of_snapshot(parts, log, (*cycle, &new), (before.0, &before.1)));
        before = (Some(*cycle), new);
    }
    let upto = written.whole();
    all.retain(|figures| figures.cycle <= upto);
    check_figures(db, &all);
    check_sizes(db, parts, Some(upto).filter(|upto| *upto > 0));
}

fn thread(parts: &Parts, log: &Log, generation: &str, cycle: u64) -> Vec<(Place, Block)> {
    let mut blocks = Vec::new();
    let turns = parts.skeleton(cycle).turns;
    for place in [SYS].into_iter().chain(turns).chain([AH]) {
        for (node, _) in parts.at(place, cycle).iter().filter(|(node, _)| node.class == BLOCK) {
            let default = match (generation, place) {
                ("0.1", SYS) => Some("system".to_owned()),
                ("0.1", _) => Some("user".to_owned()),
                _ => None,
            };
            let content = node.content.map(|[seq, part, _]| {
                let content = &log.contents[&(seq, part as u32)];
                (content.is_json, content.plain.clone())
            });
            let block = Block {
                id: node.id.clone(),
                role: node.role.clone().or(default),
                kind: node.kind.clone(),
                content,
                bytes: node.content.map_or(0, |[_, _, bytes]| bytes),
            };
            blocks.push((place, block));
        }
    }
    blocks
}

fn sizes<'a>(blocks: impl Iterator<Item = &'a (Place, Block)>) -> [u64; 2] {
    blocks.fold([0, 0], |[count, bytes], (_, block)| [count + 1, bytes + block.bytes])
}

fn of_snapshot(
    parts: &Parts,
    log: &Log,
    (cycle, new): (u64, &[(Place, Block)]),
    (before, old): (Option<u64>, &[(Place, Block)]),
) -> Figures {
    let commit = &parts.commits[&cycle];
    let mut levels = [0; 9];
    for (place, block) in new {
        let role = ROLES.iter().position(|role| block.role.as_deref() == Some(*role));
        levels[role.unwrap_or(4)] += block.bytes;
        levels[5] += if *place == SYS { block.bytes } else { 0 };
        levels[6] += if *place == AH { block.bytes } else { 0 };
        levels[7] += 1;
        levels[8] += block.bytes.div_ceil(4);
    }
    let same = old.iter().zip(new).take_while(|((_, a), (_, b))| a == b).count();
    let [whole, kept] = [sizes(old.iter()), sizes(old[..same].iter())];
    let ids = |blocks: &[(Place, Block)]| -> BTreeSet<String> {
        blocks.iter().map(|(_, block)| block.id.clone()).collect()
    };
    let (old_ids, new_ids) = (ids(old), ids(new));
    let told: BTreeSet<&String> = commit.removed.iter().flatten().collect();
    let by_edit = |(place, block): &&(Place, Block)| {
        let part = parts.at(*place, before.unwrap());
        let mut at = part.iter().position(|(node, _)| node.id == block.id).unwrap();
        loop {
            if told.contains(&part[at].0.id) {
                return false;
            }
            match part[at].1 as usize {
                parent if parent == at => return true,
                parent => at = parent,
            }
        }
    };
    let gone = old.iter().filter(|(_, block)| !new_ids.contains(&block.id));
    let removed = gone.filter(by_edit).count() as u64;
    let came = new_ids.difference(&old_ids).count() as u64;
    let record = &log.records[commit.seq as usize - 1];
    let roles: [u64; 5] = levels[..5].try_into().unwrap();
    assert_eq!(commit.time, record.time);
    let said = (roles, [whole, kept].concat(), [came, removed]);
    assert_eq!((commit.roles, commit.sizes.to_vec(), commit.moves), said, "the thread of {cycle}");
    let [expired, cascaded, pruned] = [0, 1, 2].map(|list| commit.removed[list].len() as u64);
    let broken = same < old.len();
    Figures {
        cycle,
        time: record.time,
        levels,
        greatest: [roles.iter().sum(), cycle],
        counts: [
            came,
            removed,
            expired,
            cascaded,
            pruned,
            u64::from(commit.kind.0 == 2),
            u64::from(commit.kind.0 == 1),
            u64::from(broken),
        ],
        worst: broken.then_some([cycle, whole[0], whole[1], kept[0], kept[1]]),
    }
}

/// The figures of several together.
fn together(all: &[Figures]) -> Figures {
    let mut sum = all.last().unwrap().clone();
    sum.counts = std::array::from_fn(|i| all.iter().map(|one| one.counts[i]).sum());
    let most = all.iter().map(|one| one.greatest[0]).max().unwrap();
    sum.greatest = all.iter().find(|one| one.greatest[0] == most).unwrap().greatest;
    let share = |[_, _, of, _, kept]: [u64; 5]| match of {
        0 => (1, 1),
        of => (u128::from(kept), u128::from(of)),
    };
    sum.worst = None;
    for next in all.iter().filter_map(|one| one.worst) {
        let worse = sum.worst.is_none_or(|worst| {
            let ((kept, of), (left, whole)) = (share(next), share(worst));
            kept * whole < left * of
        });
        sum.worst = if worse { Some(next) } else { sum.worst };
    }
    sum
}

fn check_figures(db: &Database, all: &[Figures]) {
    let mut found = BTreeMap::new();
    for (key, row) in rows::<(u8, u64)>(db, "figures") {
        let mut bytes = Cursor::new(&key, "a key of figures");
        let number = (bytes.byte(), bytes.u64_le());
        bytes.end();
        let mut bytes = Cursor::new(checked("figures", &key, &row), "a row of figures");
        let (mut figures, mut last) = (Vec::new(), Figures::default());
        while !bytes.is_empty() {
            last = read(&mut bytes, &last);
            figures.push(last.clone());
        }
        found.insert(number, figures);
    }
    let (mut expected, mut level, mut size) = (BTreeMap::new(), 0, 1);
    while all.len() / size > 0 {
        let items: Vec<Figures> = all.chunks_exact(size).map(together).collect();
        // A row of single snapshots is written when it is full, the others as they grow.
        let rows = items.chunks(64).filter(|row| level > 0 || row.len() == 64);
        expected.extend((0..).zip(rows).map(|(i, row)| ((level, i), row.to_vec())));
        (level, size) = (level + 1, size * 64);
    }
    assert_eq!(found, expected);
}

fn read(bytes: &mut Cursor<'_>, last: &Figures) -> Figures {
    let cycle = last.cycle + bytes.septets();
    let time = last.time + bytes.septets_signed();
    let levels = last.levels.map(|level| level.checked_add_signed(bytes.septets_signed()).unwrap());
    let total: u64 = levels[..5].iter().sum();
    let greatest = [total + bytes.septets(), cycle - bytes.septets()];
    let counts = [(); 8].map(|()| bytes.septets());
    let worst = (counts[7] > 0).then(|| {
        let worst = [(); 5].map(|()| bytes.septets());
        [cycle - worst[0], worst[1], worst[2], worst[3], worst[4]]
    });
    Figures { cycle, time, levels, greatest, counts, worst }
}

fn check_sizes(db: &Database, parts: &Parts, upto: Option<u64>) {
    let (mut found, mut sums) = (BTreeMap::new(), Vec::new());
    for (key, row) in rows::<(u64, u32)>(db, "turn_sizes") {
        let mut bytes = Cursor::new(&key, "a key of turn_sizes");
        let (cycles, ranks) = (bytes.u64_le(), u32::from_le_bytes(bytes.array()));
        bytes.end();
        let mut bytes = Cursor::new(checked("turn_sizes", &key, &row), "a row of turn_sizes");
        let sum = [bytes.septets(), bytes.septets()];
        let mut own = [0, 0];
        while !bytes.is_empty() {
            let turn = (cycles * 256 + bytes.septets(), ranks * 256 + bytes.septets() as u32 + 1);
            let size = [bytes.septets(), bytes.septets()];
            own = [own[0] + size[0], own[1] + size[1]];
            found.insert(turn, size);
        }
        sums.push((sum, own));
    }
    assert!(sums.iter().all(|(sum, own)| sum == own && own[0] > 0), "{sums:?}");
    let mut expected = BTreeMap::new();
    for turn in upto.map(|upto| parts.skeleton(upto).turns).unwrap_or_default() {
        let blocks = parts.at(turn, upto.unwrap()).iter().filter(|(node, _)| node.class == BLOCK);
        let size = blocks.fold([0, 0], |[count, bytes], (node, _)| {
            [count + 1, bytes + node.content.map_or(0, |[_, _, size]| size)]
        });
        if size[0] > 0 {
            expected.insert(turn, size);
        }
    }
    assert_eq!(found, expected);
}
