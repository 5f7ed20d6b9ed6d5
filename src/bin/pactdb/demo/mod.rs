//! A store to look around in: an agent plans a trip over a few dozen turns.
//!
//! The store is made by the same edits and commits that any agent makes, one after the other; only
//! the clock is the story's own, so that the demo is the same wherever it is made.

mod story;

use crate::connect::{self, Connection};
use crate::context::{Context, name_of};
use crate::progress::Bar;
use crate::render::{plural, visible};
use pactdb::protocol::{Attempts, Client, ClientExt, EndCadence, GetStats};
use pactdb::{
    Add, AttemptAction, AttemptRequest, AttemptStatus, Clock, Code, Commit, Error, Json, Map,
    Result, Set,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use story::{Act, STORY};

/// When the story begins: 2 March 2026, 09:00 UTC.
const BEGIN: i64 = 1_772_442_000_000_000_000;
const SECOND: i64 = 1_000_000_000;

/// Makes the demo in a file that does not exist yet.
pub fn run(context: &Context, file: &Path) -> Result<()> {
    if file.exists() {
        let message = format!("{} is there already: name another file", file.display());
        return Err(Error::new(Code::StoreIo, message));
    }
    let client = make(file)?;
    let stats = client.ask(GetStats {})?;
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

/// The story's own time.
#[derive(Clone)]
struct StoryClock(Arc<AtomicI64>);

impl StoryClock {
    fn pass(&self, seconds: i64) {
        self.0.fetch_add(seconds * SECOND, Ordering::Relaxed);
    }
}

impl Clock for StoryClock {
    fn now(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

fn make(file: &Path) -> Result<Connection> {
    let clock = StoryClock(Arc::new(AtomicI64::new(BEGIN)));
    let client = connect::new_with_clock(file, clock.clone())?;
    let bar = Bar::new();
    let mut teller = Teller { client: &*client, clock, cycle: 0, seen: 0, calls: 0 };
    for (i, turn) in STORY.iter().enumerate() {
        bar.set("telling", i as u64, STORY.len() as u64);
        teller.turn(turn)?;
        // The last turn is still in progress when somebody looks.
        if i + 1 < STORY.len() {
            teller.cycle = client.ask(Commit::default())?.cycle;
            teller.clock.pass(240);
        }
    }
    Ok(client)
}

struct Teller<'a> {
    client: &'a dyn Client,
    clock: StoryClock,
    cycle: u64,
    /// Bytes of the turn so far, for the tokens of an attempt.
    seen: u64,
    /// Tool calls so far: a result has the number of the call before it.
    calls: u64,
}

impl Teller<'_> {
    fn turn(&mut self, acts: &[Act]) -> Result<()> {
        self.seen = 0;
        for act in acts {
            self.clock.pass(7);
            self.act(act)?;
        }
        Ok(())
    }

    fn act(&mut self, act: &Act) -> Result<()> {
        match *act {
            Act::System { key, text } => self.add(Add {
                to: Some("^sys".into()),
                key: Some(key.into()),
                pinned: true,
                ..block("system", text)
            }),
            Act::Plan(text) => self.add(Add {
                to: Some("^sys".into()),
                key: Some("plan".into()),
                kind: Some("plan".into()),
                role: Some("system".into()),
                content: Some(pactdb::json::parse(text)?),
                ..Add::default()
            }),
            Act::Rewrite { key, text } => self.rewrite(key, Json::from(text)),
            Act::Replan(text) => self.rewrite("plan", pactdb::json::parse(text)?),
            Act::User(text) => self.add(block("user", text)),
            Act::Answer(text) => {
                self.attempt(text.len() as u64, None)?;
                self.add(block("assistant", text))
            }
            Act::Refused(error) => self.attempt(0, Some(error)),
            Act::Call { tool, text } => {
                self.calls += 1;
                let arguments = [("query".to_owned(), Json::from(text))];
                self.add(Add {
                    role: Some("assistant".into()),
                    kind: Some("call".into()),
                    content: Some(Json::Map(arguments.into())),
                    attrs: self.tool_attrs(tool),
                    ..Add::default()
                })
            }
            Act::Result { tool, text } => self.add(Add {
                kind: Some("result".into()),
                ttl: Some(4),
                priority: Some(-1),
                attrs: self.tool_attrs(tool),
                ..block("tool", text)
            }),
            Act::Document { name, text } => self.add(Add {
                to: Some("^ah".into()),
                offset: Some(-1),
                kind: Some("document".into()),
                tags: vec!["retrieved".into()],
                ttl: Some(3),
                priority: Some(-2),
                attrs: [("data_source".to_owned(), Json::from(name))].into(),
                ..block("tool", text)
            }),
            Act::Summary(text) => self.add(Add {
                kind: Some("summary".into()),
                key: Some("summary".into()),
                offset: Some(-2),
                pinned: true,
                ..block("assistant", text)
            }),
            Act::Reminder { every, text } => self.add(Add {
                kind: Some("reminder".into()),
                key: Some("reminder".into()),
                offset: Some(1),
                ttl: Some(i64::from(every)),
                cad: Some(i64::from(every)),
                tags: vec!["sticky".into()],
                ..block("system", text)
            }),
            Act::EndReminder => {
                self.client.ask(EndCadence { end: "reminder".to_owned() }).map(drop)
            }
        }
    }

    /// What ties a result to its call, as imports have it.
    fn tool_attrs(&self, tool: &str) -> Map {
        let call = format!("call_{}", self.calls);
        let attrs = [("data_tool_name", Json::from(tool)), ("data_call_id", Json::from(call))];
        attrs.map(|(name, value)| (name.to_owned(), value)).into()
    }

    fn add(&mut self, request: Add) -> Result<()> {
        self.seen += request.content.as_ref().map_or(0, |content| content.text().len() as u64);
        self.client.ask(request).map(drop)
    }

    fn rewrite(&self, key: &str, content: Json) -> Result<()> {
        let target = format!("^sys .cb[key='{key}']");
        let request = Set { target, content: Some(Some(content)), ..Set::default() };
        self.client.ask(request).map(drop)
    }

    /// A provider call that answers, or fails.
    fn attempt(&mut self, answer: u64, error: Option<&str>) -> Result<()> {
        let mut start = AttemptRequest::new(AttemptAction::Start);
        start.provider = Some("example".into());
        start.model = Some("planner-2".into());
        let Attempts::One(attempt) = self.client.ask(start)? else { return Ok(()) };
        self.clock.pass(2 + i64::try_from(answer).unwrap_or(0) / 60);
        let mut finish = AttemptRequest::new(AttemptAction::Finish);
        finish.attempt_id = Some(attempt.attempt_id.clone());
        finish.token_in = Some(600 + self.cycle * 90 + self.seen / 4);
        finish.token_out = Some(answer.div_ceil(4));
        finish.status = Some(AttemptStatus::Completed);
        if let Some(error) = error {
            finish.status = Some(AttemptStatus::Error);
            finish.error = Some(error.to_owned());
        }
        self.client.ask(finish).map(drop)
    }
}

fn block(role: &str, text: &str) -> Add {
    Add { role: Some(role.into()), content: Some(Json::from(text)), ..Add::default() }
}
