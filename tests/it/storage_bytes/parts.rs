//! The table `parts`: versions of parts of the tree, and commits; snapshots made from them, with
//! their exports and digests.

use super::bytes::{Cursor, checked};
use super::document::Document;
use super::log::Log;
use super::node::{BLOCK, Node, hash_text};
use super::notes::Policy;
use super::tables::rows;
use redb::Database;
use std::collections::BTreeMap;

/// The first two numbers of a key: (0, 1) is `^sys`, (0, 2) `^ah`, else a cycle, and a rank from 1.
pub(super) type Place = (u64, u32);

pub(super) const SYS: Place = (0, 1);
pub(super) const AH: Place = (0, 2);

/// Nodes in pre-order, each with the index of its parent.
pub(super) type Part = Vec<(Node, u64)>;

pub(super) struct Version {
    until: u64,
    /// None if the part has gone.
    pub(super) part: Option<Part>,
}

pub(super) struct Skeleton {
    root: Node,
    seq: Node,
    pub(super) turns: Vec<Place>,
    pub(super) history: Vec<u64>,
}

pub(super) type Instance = (Node, bool, bool);

pub(super) struct Commit {
    skeleton_at: u64,
    changed: Vec<Changed>,
    skeleton: Option<Skeleton>,
    pub(super) seq: u64,
    /// 0: commit, 1: import, 2: restore, with the cycle that was restored.
    pub(super) kind: (u64, Option<u64>),
    pub(super) digest: [u8; 32],
    /// What expired, what went because it was empty, and what a policy removed.
    pub(super) removed: [Vec<String>; 3],
    next_id: u64,
    last_ns: i64,
    pub(super) policies: Vec<Policy>,
    /// Nodes, blocks, bytes and tokens of `^sys`, `^seq` and `^ah`.
    totals: [[u64; 4]; 3],
    pub(super) used: Vec<String>,
    pub(super) placed: Vec<(String, Place)>,
    pub(super) refs: Vec<(String, String)>,
    pub(super) expiry: Vec<(u8, u64, Place)>,
    pub(super) instances: Vec<(String, Instance)>,
    pub(super) time: i64,
    /// Bytes by role.
    pub(super) roles: [u64; 5],
    /// Blocks and bytes of the thread before, and of what is left of it.
    pub(super) sizes: [u64; 4],
    /// Blocks that came, and that were removed.
    pub(super) moves: [u64; 2],
}

/// A part, its hashes before and after, and by how many blocks and bytes it grew.
type Changed = (Place, [Option<[u8; 32]>; 2], [i64; 2]);

pub(super) struct Parts {
    pub(super) versions: BTreeMap<Place, BTreeMap<u64, Version>>,
    pub(super) commits: BTreeMap<u64, Commit>,
}

pub(super) fn read(db: &Database) -> Parts {
    let mut parts = Parts { versions: BTreeMap::new(), commits: BTreeMap::new() };
    for (key, row) in rows::<(u64, u32, u64)>(db, "parts") {
        let mut key_bytes = Cursor::new(&key, "a key of parts");
        let (cycle, rank) = (key_bytes.u64_le(), u32::from_le_bytes(key_bytes.array()));
        let version = key_bytes.u64_le();
        key_bytes.end();
        let bytes =
            Cursor::new(checked("parts", &key, &row), format!("parts {cycle} {rank} {version}"));
        if rank == 0 {
            assert_eq!(cycle, version);
            parts.commits.insert(cycle, commit(bytes));
        } else {
            assert!(cycle > 0 || rank < 3);
            let versions = parts.versions.entry((cycle, rank)).or_default();
            versions.insert(version, read_version(bytes));
        }
    }
    for versions in parts.versions.values() {
        let ends = versions.keys().skip(1).copied().chain([0]);
        for (version, end) in versions.values().zip(ends) {
            assert_eq!(version.until, end, "a version says when the next one comes");
        }
    }
    parts
}

fn read_version(mut bytes: Cursor<'_>) -> Version {
    let until = bytes.u64_le();
    let part = (!bytes.is_empty()).then(|| part(&mut bytes));
    bytes.end();
    Version { until, part }
}

/// Nodes, as versions and templates have them.
pub(super) fn part(bytes: &mut Cursor<'_>) -> Part {
    let count = bytes.septets();
    (0..count)
        .map(|_| {
            let parent = bytes.septets();
            (Node::in_part(bytes), parent)
        })
        .collect()
}

fn commit(mut bytes: Cursor<'_>) -> Commit {
    let bytes = &mut bytes;
    let skeleton_at = bytes.septets();
    let count = bytes.septets();
    let changed = (0..count).map(|_| {
        let place = (bytes.septets(), bytes.septets() as u32);
        let mut hash = || match bytes.septets() {
            0 => None,
            1 => Some(bytes.array()),
            other => panic!("{other} is no mark of a hash"),
        };
        let hashes = [hash(), hash()];
        (place, hashes, [bytes.septets_signed(), bytes.septets_signed()])
    });
    let changed = changed.collect();
    let own = bytes.stretch();
    let commit = Commit {
        skeleton_at,
        changed,
        skeleton: (!own.is_empty()).then(|| skeleton(own)),
        seq: bytes.marked(),
        kind: match bytes.marked() {
            2 => (2, Some(bytes.marked())),
            kind => (kind, None),
        },
        digest: bytes.array(),
        removed: [(); 3].map(|()| bytes.list(|bytes| bytes.text())),
        next_id: bytes.marked(),
        last_ns: bytes.marked_signed(),
        policies: Policy::list(bytes),
        totals: [(); 3].map(|()| [(); 4].map(|()| bytes.marked())),
        used: bytes.list(|bytes| bytes.text()),
        placed: bytes.list(|bytes| (bytes.text(), place(bytes))),
        refs: bytes.list(|bytes| (bytes.text(), bytes.text())),
        expiry: bytes.list(|bytes| (bytes.byte(), bytes.marked(), place(bytes))),
        instances: bytes.list(|bytes| (bytes.text(), instance(bytes))),
        time: bytes.marked_signed(),
        roles: [(); 5].map(|()| bytes.marked()),
        sizes: [(); 4].map(|()| bytes.marked()),
        moves: [(); 2].map(|()| bytes.marked()),
    };
    assert!(commit.kind.0 < 3 && bytes.is_empty(), "a commit is followed by stray bytes");
    commit
}

pub(super) fn instance(bytes: &mut Cursor<'_>) -> Instance {
    (Node::whole(bytes), bytes.flag(), bytes.flag())
}

pub(super) fn place(bytes: &mut Cursor<'_>) -> Place {
    match bytes.marked() {
        0 => SYS,
        1 => AH,
        2 => (bytes.marked(), bytes.marked() as u32 + 1),
        other => panic!("there is no place {other}"),
    }
}

fn skeleton(bytes: &[u8]) -> Skeleton {
    let mut bytes = Cursor::new(bytes, "a skeleton");
    let (root, seq) = (Node::in_part(&mut bytes), Node::in_part(&mut bytes));
    let turns = turns(&mut bytes);
    let runs = bytes.list(|bytes| bytes.marked()..=bytes.marked());
    bytes.end();
    Skeleton { root, seq, turns, history: runs.into_iter().flatten().collect() }
}

/// Turns as runs of neighbours.
pub(super) fn turns(bytes: &mut Cursor<'_>) -> Vec<Place> {
    let runs = bytes.list(|bytes| -> Vec<Place> {
        match bytes.marked() {
            0 => (bytes.marked()..=bytes.marked()).map(|cycle| (cycle, 1)).collect(),
            1 => {
                let cycle = bytes.marked();
                (bytes.marked()..=bytes.marked()).map(|rank| (cycle, rank as u32 + 1)).collect()
            }
            other => panic!("there is no run {other}"),
        }
    });
    runs.into_iter().flatten().collect()
}

impl Parts {
    /// The skeleton of a cycle: its own, or an earlier one and the turns sealed since.
    pub(super) fn skeleton(&self, cycle: u64) -> Skeleton {
        let commit = &self.commits[&cycle];
        assert_eq!(commit.skeleton.is_some(), commit.skeleton_at == cycle);
        let own = self.commits[&commit.skeleton_at].skeleton.as_ref().unwrap();
        let since = commit.skeleton_at + 1..=cycle;
        Skeleton {
            root: own.root.clone(),
            seq: own.seq.clone(),
            turns: own.turns.iter().copied().chain(since.clone().map(|c| (c, 1))).collect(),
            history: own.history.iter().copied().chain(since).collect(),
        }
    }

    pub(super) fn at(&self, place: Place, cycle: u64) -> &Part {
        let (_, version) = self.versions[&place].range(..=cycle).next_back().unwrap();
        version.part.as_ref().unwrap()
    }

    /// The version before another; none if there was none, or the part was not there.
    pub(super) fn before(&self, place: Place, version: u64) -> Option<&Part> {
        self.versions[&place].range(..version).next_back()?.1.part.as_ref()
    }

    /// The snapshot of a cycle as an export.
    pub(super) fn export(&self, cycle: u64, spec_version: &str, log: &Log) -> String {
        let skeleton = self.skeleton(cycle);
        let object = |node: &Node, children: Vec<Document>| {
            let Document::Map(mut fields) = node.exported(cycle) else { unreachable!("an object") };
            if let Some([seq, part, _]) = node.content {
                let content = log.contents[&(seq, part as u32)].document();
                fields.insert("content".to_owned(), content);
            }
            if node.class != BLOCK {
                fields.insert("children".to_owned(), Document::List(children));
            }
            Document::Map(fields)
        };
        let whole = |place: Place| {
            let part = self.at(place, cycle);
            let mut children: Vec<Vec<Document>> = part.iter().map(|_| Vec::new()).collect();
            // Children stand behind their parents, so from the end each is whole when it is met.
            for (i, (node, parent)) in part.iter().enumerate().skip(1).rev() {
                let mut own = std::mem::take(&mut children[i]);
                own.reverse();
                children[*parent as usize].push(object(node, own));
            }
            let mut own = std::mem::take(&mut children[0]);
            own.reverse();
            object(&part[0].0, own)
        };
        let turns = skeleton.turns.iter().map(|turn| whole(*turn)).collect();
        let regions = vec![whole(SYS), object(&skeleton.seq, turns), whole(AH)];
        let document = Document::map([
            ("cycle", Some(Document::number(cycle))),
            ("root", Some(object(&skeleton.root, regions))),
            ("spec_version", Some(Document::text(spec_version))),
        ]);
        let mut out = String::new();
        document.write(&mut out);
        out
    }

    /// The digest of a snapshot, and the sum over its turns.
    pub(super) fn digest(&self, cycle: u64, spec_version: &str) -> ([u8; 32], Vec<u8>) {
        let skeleton = self.skeleton(cycle);
        let mut lanes = vec![0u16; 1024];
        for turn in &skeleton.turns {
            let mut stretched = [0; 2048];
            let mut hasher = blake3::Hasher::new_derive_key("pactdb 1 turn in a snapshot");
            hasher.update(&part_hash(self.at(*turn, cycle)));
            hasher.finalize_xof().fill(&mut stretched);
            for (lane, pair) in lanes.iter_mut().zip(stretched.chunks(2)) {
                *lane = lane.wrapping_add(u16::from_le_bytes([pair[0], pair[1]]));
            }
        }
        let sum: Vec<u8> = lanes.iter().flat_map(|lane| lane.to_le_bytes()).collect();
        let mut bytes = Vec::new();
        hash_text(spec_version, &mut bytes);
        bytes.extend(cycle.to_le_bytes());
        skeleton.root.hash_into(&mut bytes);
        skeleton.seq.hash_into(&mut bytes);
        bytes.extend(part_hash(self.at(SYS, cycle)));
        bytes.extend(part_hash(self.at(AH, cycle)));
        bytes.extend((skeleton.turns.len() as u64).to_le_bytes());
        bytes.extend(&sum);
        (hash("pactdb 1 snapshot", &bytes), sum)
    }

    /// What a commit says of the parts that it changed, against their versions.
    pub(super) fn check_changes(&self, cycle: u64) {
        let commit = &self.commits[&cycle];
        let made = self.versions.iter().filter(|(_, versions)| versions.contains_key(&cycle));
        let mut places: Vec<Place> = commit.changed.iter().map(|(place, ..)| *place).collect();
        places.sort_unstable();
        assert!(made.map(|(place, _)| place).eq(&places), "the parts that {cycle} changed");
        let mut placed = Vec::new();
        for (place, hashes, grown) in &commit.changed {
            let new = self.versions[place][&cycle].part.as_ref();
            let old = self.before(*place, cycle);
            let both = [old, new].map(|part| part.filter(|_| place.0 > 0).map(part_hash));
            assert_eq!(*hashes, both, "the hashes of {place:?} in {cycle}");
            let [old_size, new_size] = [old, new].map(block_sizes);
            let sizes = [new_size[0] - old_size[0], new_size[1] - old_size[1]];
            assert_eq!(*grown, sizes, "by how much {place:?} grew in {cycle}");
            let known = |id: &str| old.is_some_and(|old| old.iter().any(|(node, _)| node.id == id));
            let new = new.into_iter().flatten().filter(|(node, _)| !known(&node.id));
            placed.extend(new.map(|(node, _)| (node.id.clone(), *place)));
        }
        assert_eq!(commit.placed, placed, "what {cycle} placed");
        let made = |part: Option<&Part>| {
            part.into_iter().flatten().map(|(node, _)| node.created_at_ns).max()
        };
        let newest = commit
            .changed
            .iter()
            .filter_map(|(place, ..)| made(self.versions[place][&cycle].part.as_ref()))
            .max();
        assert!(newest.is_none_or(|newest| newest <= commit.last_ns), "the last time of {cycle}");
        let before = self.commits.range(..cycle).next_back();
        assert!(before.is_none_or(|(_, before)| before.next_id <= commit.next_id));
        self.check_totals(cycle);
    }

    fn check_totals(&self, cycle: u64) {
        let skeleton = self.skeleton(cycle);
        let mut found = [[0; 4]; 3];
        let turns = skeleton.turns.iter().map(|turn| (1, *turn));
        for (region, place) in turns.chain([(0, SYS), (2, AH)]) {
            for (node, _) in self.at(place, cycle) {
                found[region][0] += 1;
                if node.class == BLOCK {
                    let size = node.content.map_or(0, |[_, _, size]| size);
                    found[region][1] += 1;
                    found[region][2] += size;
                    found[region][3] += size.div_ceil(4);
                }
            }
        }
        assert_eq!(self.commits[&cycle].totals, found, "totals of {cycle}");
    }
}

/// How many blocks a part has, and their bytes.
fn block_sizes(part: Option<&Part>) -> [i64; 2] {
    let blocks = part.into_iter().flatten().filter(|(node, _)| node.class == BLOCK);
    blocks.fold([0, 0], |[count, bytes], (node, _)| {
        [count + 1, bytes + node.content.map_or(0, |[_, _, size]| size as i64)]
    })
}

fn part_hash(part: &Part) -> [u8; 32] {
    let mut bytes = Vec::new();
    for (node, parent) in part {
        bytes.extend((*parent as u32).to_le_bytes());
        node.hash_into(&mut bytes);
    }
    hash("pactdb 1 subtree", &bytes)
}

fn hash(context: &str, bytes: &[u8]) -> [u8; 32] {
    blake3::derive_key(context, bytes)
}
