//! A store to look around in: an agent plans a trip over a few dozen turns.
//!
//! The store is made by the same operations that any agent sends, one after the other, which
//! `demo/story.jsonl` has as lines of the protocol. Each line says how many seconds it comes after
//! the one before: the clock is the story's own, so that the demo is the same wherever it is made.
//! The last turn is still in progress when somebody looks.

use crate::connect;
use crate::context::{Context, name_of};
use crate::progress::Bar;
use crate::render::{plural, visible};
use pactdb::json::parse;
use pactdb::protocol::{Client, ClientExt, Envelope, GetStats};
use pactdb::{Clock, Code, Error, Json, Result};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// 2026-03-02, 09:00 UTC.
const BEGIN: i64 = 1_772_442_000_000_000_000;

const SECOND: i64 = 1_000_000_000;

const STORY: &str = include_str!("demo/story.jsonl");

/// Makes the demo and says what to try. `named` is the store that the arguments name.
pub fn run(context: &Context, file: Option<PathBuf>, named: Option<PathBuf>) -> Result<()> {
    let file = &file.or(named).unwrap_or_else(|| PathBuf::from("demo.pactdb"));
    if connect::is_behind_http(file) {
        let message = "the demo is a file of its own: it cannot be made behind an address";
        return Err(Error::request(message));
    }
    if file.exists() {
        let message = format!("{} is there already: name another file", file.display());
        return Err(Error::new(Code::StoreIo, message));
    }
    let clock = StoryClock(Arc::new(AtomicI64::new(BEGIN)));
    let client = connect::new_with_clock(file, clock.clone())?;
    tell(&*client, &clock)?;
    let stats = client.ask(GetStats::default())?;
    let store = name_of(file);
    let name = visible(&store);
    let text = format!(
        "made {name}: an agent plans a trip, {} and {}\n\nTry:\n  \
         pactdb -s {name} tree\n  \
         pactdb -s {name} nodes \"@t0 .mt:depth(1-3) .cb[role='user']\"\n  \
         pactdb -s {name} select \"@t-3..@t0 .cb\"\n  \
         pactdb -s {name} diff @c6 @t0 '^sys .cb'\n",
        plural(stats.snapshots, "turn"),
        plural(stats.events, "event"),
    );
    context.say(&serde_json::json!({"store": store, "cycle": stats.cycle}), &text)
}

/// A clock that only the story moves.
#[derive(Clone)]
struct StoryClock(Arc<AtomicI64>);

impl Clock for StoryClock {
    fn now(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

fn tell(client: &dyn Client, clock: &StoryClock) -> Result<()> {
    let bar = Bar::new();
    let total = STORY.lines().count() as u64;
    for (done, line) in STORY.lines().enumerate() {
        bar.set("telling", done as u64, total);
        let mut request = parse(line)?;
        if let Json::Map(fields) = &mut request
            && let Some(Json::Int(seconds)) = fields.remove("after")
        {
            clock.0.fetch_add(seconds * SECOND, Ordering::Relaxed);
        }
        client.call(Envelope::from_json(request)?, &mut |_| Ok(())).result?;
    }
    Ok(())
}
