//! One history in a pactdb store and in SQLite, made once and kept under `target/`.

use crate::support::{Random, Unsynced};
use pactdb::internals::storage::FileStorage;
use pactdb::{Add, Batch, Commit, Db, EditOp, EditReply, IdReply, Json, Options};
use rusqlite::{Connection, params};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Part of the files' names: another workload or another format needs another one.
const VERSION: u32 = 3;

/// The two stores of one history.
pub struct History {
    pub db: Db,
    #[allow(dead_code, reason = "not every bench asks SQLite the same")]
    pub sqlite: Connection,
}

/// Opens the stores of a history of so many turns, and makes them first if need be.
pub fn cached(turns: u64) -> History {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/bench");
    std::fs::create_dir_all(&folder).unwrap();
    let path = |sort: &str| folder.join(format!("history-v{VERSION}-{turns}.{sort}"));
    let (ours, theirs, done) = (path("pactdb"), path("sqlite"), path("done"));
    if !done.exists() {
        for path in [&ours, &theirs] {
            let _ = std::fs::remove_file(path);
        }
        make(turns, &ours, &theirs);
        std::fs::write(&done, "").unwrap();
    }
    let progress = |progress| println!("  rebuilding: {progress:?}");
    let db = Options::new().progress(progress).open(&ours).unwrap();
    let sqlite = Connection::open(&theirs).unwrap();
    sqlite.execute_batch("PRAGMA cache_size = -65536; PRAGMA query_only = 1;").unwrap();
    History { db, sqlite }
}

fn make(turns: u64, ours: &Path, theirs: &Path) {
    let start = Instant::now();
    let file = std::fs::OpenOptions::new().read(true).write(true).create_new(true).open(ours);
    let db = Options::new().create_on(Unsynced(FileStorage::new(file.unwrap()).unwrap())).unwrap();
    let sqlite = Connection::open(theirs).unwrap();
    sqlite.execute_batch(SCHEMA).unwrap();
    sqlite.execute_batch("PRAGMA synchronous = OFF; BEGIN").unwrap();
    let mut text = Texts::new();
    let mut rows = Rows { sqlite: &sqlite, pos: 0 };
    for cycle in 1..=turns {
        let blocks = text.turn(cycle);
        let mut ops: Vec<EditOp> = blocks.iter().map(Block::add).collect();
        ops.push(EditOp::Commit(Commit::default()));
        let replies = db.batch(Batch { ops, expected_cycle: None }).unwrap();
        rows.turn(cycle, &blocks, &replies);
        if cycle.is_multiple_of(20_000) {
            println!("  {cycle} of {turns} turns made ({:.0} s)", start.elapsed().as_secs_f64());
        }
    }
    sqlite.execute_batch("COMMIT").unwrap();
    sqlite.execute_batch(INDEXES).unwrap();
    drop(db);
    println!("  {turns} turns made in {:.1} s", start.elapsed().as_secs_f64());
}

/// A node is there from the cycle `valid_from` until before `valid_to`; `pos` is canonical order.
const SCHEMA: &str = "
    CREATE TABLE nodes (
        pos INTEGER PRIMARY KEY, id TEXT NOT NULL, turn INTEGER NOT NULL, class TEXT NOT NULL,
        role TEXT, kind TEXT, key TEXT, expires_at INTEGER,
        valid_from INTEGER NOT NULL, valid_to INTEGER NOT NULL, content TEXT
    );
    CREATE TABLE cycles (cycle INTEGER PRIMARY KEY);
";

const INDEXES: &str = "
    CREATE UNIQUE INDEX by_id ON nodes (id);
    CREATE INDEX by_turn ON nodes (turn, role, class, pos, valid_from, valid_to, id);
    CREATE INDEX by_role ON nodes (role, class, pos, valid_from, valid_to, id);
    CREATE INDEX by_key ON nodes (key) WHERE key IS NOT NULL;
    CREATE INDEX by_expiry ON nodes (expires_at, valid_from, valid_to, class, id) WHERE expires_at IS NOT NULL;
    CREATE INDEX by_start ON nodes (class, valid_from, pos, id);
    CREATE INDEX by_end ON nodes (class, valid_to, pos, id);
    ANALYZE;
";

const FOR_EVER: i64 = 9_000_000_000_000_000_000;

struct Block {
    role: &'static str,
    kind: &'static str,
    key: Option<&'static str>,
    ttl: Option<i64>,
    content: String,
}

impl Block {
    fn add(&self) -> EditOp {
        EditOp::Add(Box::new(Add {
            role: Some(self.role.to_owned()),
            kind: Some(self.kind.to_owned()),
            key: self.key.map(str::to_owned),
            ttl: self.ttl,
            content: Some(Json::Str(self.content.clone())),
            ..Add::default()
        }))
    }
}

struct Texts {
    random: Random,
    words: Vec<String>,
}

impl Texts {
    fn new() -> Texts {
        let mut random = Random::new(5);
        let syllables = ["ka", "lo", "mi", "ter", "an", "sol", "ve", "ri", "chu", "den", "po"];
        let words = (0..1500)
            .map(|_| {
                (0..1 + random.below(4)).map(|_| syllables[random.below(11) as usize]).collect()
            })
            .collect();
        Texts { random, words }
    }

    fn text(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 16);
        while text.len() < bytes {
            text.push_str(&self.words[self.random.below(1500) as usize]);
            text.push(' ');
        }
        text
    }

    /// The blocks of a turn: about 600 bytes of content. Every second tool result lives for five
    /// cycles, some answers for 1,000; a few plans have a key; now and then somebody sees a zebra.
    fn turn(&mut self, cycle: u64) -> [Block; 3] {
        let mut user = self.text(100);
        if cycle.is_multiple_of(1999) {
            user.push_str("zebra");
        }
        [
            Block { role: "user", kind: "text", key: None, ttl: None, content: user },
            Block {
                role: "assistant",
                kind: "text",
                key: (cycle % 20_000 == 77).then_some("plan"),
                ttl: cycle.is_multiple_of(100).then_some(1000),
                content: self.text(250),
            },
            Block {
                role: "tool",
                kind: "result",
                key: None,
                ttl: cycle.is_multiple_of(2).then_some(5),
                content: self.text(250),
            },
        ]
    }
}

/// Writes the rows of SQLite.
struct Rows<'a> {
    sqlite: &'a Connection,
    pos: i64,
}

impl Rows<'_> {
    fn turn(&mut self, cycle: u64, blocks: &[Block], replies: &[EditReply]) {
        self.sqlite
            .prepare_cached("INSERT INTO cycles VALUES (?1)")
            .unwrap()
            .execute([cycle as i64])
            .unwrap();
        self.row(cycle, &format!("mt:{cycle}"), "turn", None);
        self.row(cycle, &format!("mc:{cycle}"), "container", None);
        for (block, reply) in blocks.iter().zip(replies) {
            let EditReply::Id(IdReply { id: Some(id), .. }) = reply else { panic!("{reply:?}") };
            self.row(cycle, id, "block", Some(block));
        }
    }

    fn row(&mut self, cycle: u64, id: &str, class: &str, block: Option<&Block>) {
        self.pos += 1;
        let expires = block.and_then(|block| block.ttl).map(|ttl| cycle as i64 + ttl);
        self.sqlite
            .prepare_cached("INSERT INTO nodes VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)")
            .unwrap()
            .execute(params![
                self.pos,
                id,
                cycle as i64,
                class,
                block.map(|block| block.role),
                block.map(|block| block.kind),
                block.and_then(|block| block.key),
                expires,
                cycle as i64,
                expires.unwrap_or(FOR_EVER),
                block.map(|block| &block.content),
            ])
            .unwrap();
    }
}
