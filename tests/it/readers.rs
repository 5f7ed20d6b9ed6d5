//! A long question delays no commit: whoever asks is stopped in the middle, and meanwhile somebody
//! else commits.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::life::{CLOCK, live, must, requests};
use crate::support::storage::Memory;
use pactdb::internals::storage::StorageBackend;
use pactdb::session::{Replay, ReplayRequest, dump};
use pactdb::{Add, Code, Commit, Db, Diff, Log, Options, VerifyStep};
use serde_json::json;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

/// How long somebody is waited for who should not have to wait.
const LONG: Duration = Duration::from_secs(120);

/// Where a reader stops until it is let go on.
#[derive(Debug)]
struct Stop {
    stopped: Sender<()>,
    go_on: Receiver<()>,
}

/// Whoever lets it go on.
struct Release {
    stopped: Receiver<()>,
    go_on: Sender<()>,
}

fn stop() -> (Stop, Release) {
    let ((stopped, is_stopped), (go, go_on)) = (channel(), channel());
    (Stop { stopped, go_on }, Release { stopped: is_stopped, go_on: go })
}

impl Stop {
    fn here(&self) {
        self.stopped.send(()).unwrap();
        self.go_on.recv_timeout(LONG).expect("a commit waited for a reader");
    }
}

impl Release {
    /// Waits for the reader to stop, does something meanwhile, and lets it go on. Nothing if the reader
    /// ends without a stop.
    fn if_stopped<T>(&self, run: impl FnOnce() -> T) -> Option<T> {
        self.stopped.recv().ok()?;
        let done = run();
        self.go_on.send(()).unwrap();
        Some(done)
    }

    /// The same of a reader that must stop.
    fn meanwhile<T>(&self, run: impl FnOnce() -> T) -> T {
        self.if_stopped(run).expect("nobody stopped")
    }
}

/// A store with a life of some turns.
fn lived() -> Memory {
    let memory = Memory::default();
    let db = Options::new().clock(CLOCK).create_on(memory.clone()).unwrap();
    requests(90).iter().for_each(|request| drop(live(&db, request)));
    memory
}

fn open(storage: impl StorageBackend) -> Db {
    Options::new().clock(CLOCK).open_on(storage).unwrap()
}

fn commit(db: &Db) {
    db.add(Add::user("one more")).unwrap();
    db.commit(Commit::new()).unwrap();
}

#[test]
fn a_verification_looks_at_the_state_of_its_start_while_commits_go_on() {
    let db = open(lived());
    let before = db.verify(|_| {}).unwrap();
    for wanted in [VerifyStep::Replay, VerifyStep::Contents, VerifyStep::Compare] {
        let before = {
            let verified = db.verify(|_| {}).unwrap();
            assert!(verified.events >= before.events);
            verified
        };
        let (stop, release) = stop();
        let mut stops = Some(stop);
        std::thread::scope(|scope| {
            let asked = db.clone();
            let verifying = scope.spawn(move || {
                asked.verify(|progress| {
                    if progress.step == wanted
                        && let Some(stop) = stops.take()
                    {
                        stop.here();
                    }
                })
            });
            // More than the indexes take until they are written, and figures beside.
            release.meanwhile(|| {
                (0..70).for_each(|_| commit(&db));
                assert!(db.stats().unwrap().events >= before.events + 140);
            });
            assert_eq!(verifying.join().unwrap().unwrap(), before, "{wanted:?}");
        });
    }
    let after = db.verify(|_| {}).unwrap();
    assert_eq!(after.commits, before.commits + 210);
}

/// Who needs the file alone takes a state away from whoever reads it for long.
#[test]
fn a_verification_begins_again_after_a_compaction_and_an_import_that_fails() {
    let works: [fn(&Db); 3] = [
        |db| assert!(db.compact().unwrap()),
        |db| assert!(db.rebuild(|_| {}).unwrap().events > 0),
        |db| {
            let turns = json!({"op": "import", "messages": (0..200).map(|turn| {
                json!({"role": "user", "content": format!("number {turn}")})
            }).collect::<Vec<_>>()});
            must(db, &json!({"op": "undo"}));
            let cancelled = pactdb::Cancel::new();
            cancelled.cancel();
            let budget = pactdb::Budget::new().cancelled_by(&cancelled);
            let reply = budget.run(|| crate::support::life::ask(db, &turns));
            assert_eq!(reply["error"]["code"], "E_CANCELLED", "{reply}");
            db.add(Add::user("the same again")).unwrap();
        },
    ];
    let db = open(lived());
    for (i, work) in works.into_iter().enumerate() {
        db.commit(Commit::new()).unwrap();
        db.add(Add::user("for the undo")).unwrap();
        let (stop, release) = stop();
        let mut stops = Some(stop);
        std::thread::scope(|scope| {
            let asked = db.clone();
            let verifying = scope.spawn(move || {
                asked.verify(|_| {
                    if let Some(stop) = stops.take() {
                        stop.here();
                    }
                })
            });
            release.meanwhile(|| work(&db));
            verifying.join().unwrap().unwrap_or_else(|error| panic!("work {i}: {error}"));
        });
        db.verify(|_| {}).unwrap();
        commit(&db);
    }
}

/// What is written stops in the middle.
struct SlowWriter(Option<Stop>, Vec<u8>);

impl io::Write for SlowWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(stop) = self.0.take() {
            stop.here();
        }
        self.1.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_dump_that_nobody_takes_delays_no_commit() {
    let db = open(lived());
    let mut before = Vec::new();
    dump(&db, &mut before, &mut |_, _| {}).unwrap();
    let (stop, release) = stop();
    std::thread::scope(|scope| {
        let asked = db.clone();
        let dumping = scope.spawn(move || {
            let mut out = SlowWriter(Some(stop), Vec::new());
            dump(&asked, &mut out, &mut |_, _| {}).unwrap();
            out.1
        });
        release.meanwhile(|| (0..70).for_each(|_| commit(&db)));
        assert!(dumping.join().unwrap() == before);
    });
}

/// Storage in which one thread stops at its next read.
#[derive(Debug, Clone)]
struct Gate {
    memory: Memory,
    closed: Arc<Mutex<Option<(ThreadId, Stop)>>>,
}

impl Gate {
    /// Stops this thread.
    fn close(&self, stop: Stop) {
        *self.closed.lock().unwrap() = Some((std::thread::current().id(), stop));
    }

    /// Stops nobody any more.
    fn open(&self) {
        *self.closed.lock().unwrap() = None;
    }
}

impl StorageBackend for Gate {
    fn len(&self) -> io::Result<u64> {
        self.memory.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let this = std::thread::current().id();
        let closed = self.closed.lock().unwrap().take_if(|(thread, _)| *thread == this);
        if let Some((_, stop)) = closed {
            stop.here();
        }
        self.memory.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.memory.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.memory.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.memory.write(offset, data)
    }
}

/// A question, and its answer in words.
type Question = (&'static str, fn(&Db) -> String);

const QUESTIONS: &[Question] = &[
    ("select", |db| format!("{:?}", db.select("@c40 .cb[content~'sky.*blue']"))),
    ("a range", |db| format!("{:?}", db.select("@c20..@c60 .cb[role='user']"))),
    ("nodes", |db| format!("{:?}", db.nodes("@c50 .cb[priority=3]"))),
    ("export", |db| db.export(Some("@c30")).unwrap()),
    ("thread", |db| db.thread(Some("@c30")).unwrap()),
    ("log", |db| format!("{:?}", db.log(&Log::new().cycle(12)))),
    ("diff", |db| format!("{:?}", db.diff(&Diff::between("@c9", "@c70")))),
    ("replay", |db| {
        let request = ReplayRequest { from: Some(3), to: Some(20), ..Default::default() };
        format!("{:?}", Replay::new(db, &request).unwrap().collect::<Result<Vec<_>, _>>())
    }),
    ("stats", |db| format!("{}", db.stats().unwrap().sizes.used_bytes > 0)),
];

#[test]
fn a_question_that_stops_at_a_page_delays_no_commit() {
    let (bytes, mut stopped) = (lived().bytes(), Vec::new());
    for (name, question) in QUESTIONS {
        let memory = Memory::with(bytes.clone());
        let gate = Gate { memory, closed: Arc::default() };
        let expected = question(&open(Memory::with(bytes.clone())));
        let db = open(gate.clone());
        commit(&db);
        let (stop, release) = stop();
        std::thread::scope(|scope| {
            let (asked, gate) = (db.clone(), gate.clone());
            let asking = scope.spawn(move || {
                gate.close(stop);
                let answer = question(&asked);
                gate.open();
                answer
            });
            let committed = release.if_stopped(|| (0..70).for_each(|_| commit(&db)));
            stopped.extend(committed.map(|()| *name));
            assert_eq!(asking.join().unwrap(), expected, "{name}");
        });
        db.verify(|_| {}).unwrap();
    }
    // A page that opening has read is not read again.
    assert!(stopped.len() * 3 > QUESTIONS.len() * 2, "{stopped:?}");
}

/// An undo without an edit is refused for its own reason, and not for that of a store that is only
/// read.
#[test]
fn a_store_that_can_be_written_to_is_not_only_read() {
    let db = Options::new().create_on(Memory::default()).unwrap();
    assert!(!db.is_read_only() && db.stats().unwrap().read_only.is_none());
    assert_eq!(db.undo().unwrap_err().code, Code::NodeNotFound);
}
