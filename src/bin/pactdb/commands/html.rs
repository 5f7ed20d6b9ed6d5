//! `export --html`: the page as one file with the data of one store inside, for an attachment or a report.
//!
//! The newest cycles are inside, as many as fit; what was left out is said in the page and here. The shape of
//! the data is that of `web/embedded.js`. Everything is asked through operations, so the store may be anywhere.

use crate::context::{Context, private};
use pactdb::json::{canonical_string, parse};
use pactdb::protocol::{Client, Envelope};
use pactdb::serve::standalone;
use pactdb::{Code, Error, Json, Result};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

/// Bytes of parts and prompts that are put in. The newest state may take half of them.
const MOST_BYTES: usize = 12 << 20;

/// Cycles that are put in.
const MOST_CYCLES: usize = 200;

/// Bytes that are looked at to find out what fits.
const MOST_READ: usize = 400 << 20;

/// Nodes whose lives are put in, and attempts.
const MOST_LIVES: usize = 20_000;
const MOST_ATTEMPTS: usize = 2_000;

/// Nodes of which everything that happened to them is put in, moments of one, bytes of all, and events that
/// are looked at for it: each node is looked for in the whole log.
const MOST_WHOLE_LIVES: usize = 5_000;
const MOST_MOMENTS: usize = 100;
const MOST_LIFE_BYTES: usize = 4 << 20;
const MOST_LIFE_EVENTS: usize = 8_000_000;

/// Makes the file.
pub fn export(context: &Context, file: &Path, questions: &[String]) -> Result<()> {
    let client = &*context.existing()?;
    let mut inside = Inside::default();
    let state: Value = value(&ask(client, json!({"op": "state"}))?)?;
    let all = column(client, "select cycle from commits order by cycle desc")?;
    for cycle in all.iter().copied().take(MOST_CYCLES) {
        if !inside.take(client, cycle)? {
            break;
        }
    }
    inside.prompts(client)?;
    let (lives, attempts) = (lives(client)?, attempts(client)?);
    let answers = questions.iter().map(|question| answer(client, question));
    let answers = answers.collect::<Result<Vec<Value>>>()?;
    let events = state["store"]["events"].as_u64().unwrap_or_default();
    let moments = moments(client, &inside, &lives, events)?;
    let note = inside.note(&all, &lives, moments.len());
    let timeline = |format: &str| -> Result<Value> {
        let request = json!({"op": "timeline", "tokens": true, "format": format});
        value(&ask(client, request)?)
    };
    let prompts = |format| Ok::<Value, Error>(timeline(format)?["prompts"].take());
    let name = context
        .store
        .file_stem()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let data = json!({
        "store": if name.is_empty() { "store".to_owned() } else { name },
        "newest": all.first().copied().unwrap_or(0),
        "state": state["store"],
        "note": note,
        "timeline": timeline("thread")?,
        "prompts": {"openai": prompts("openai")?, "anthropic": prompts("anthropic")?},
        "cycles": inside.cycles,
        "threads": inside.threads,
        "breaks": inside.breaks,
        "lives": lives,
        "moments": moments,
        "attempts": attempts,
        "answers": answers,
    });
    // Parts keep their very digits.
    let parts = inside.parts.join(",");
    let data = data.to_string();
    let data = format!("{{\"parts\":[{parts}],{}", &data[1..]);
    write(file, &standalone(&data))?;
    let said =
        json!({"file": file.display().to_string(), "cycles": inside.order.len(), "note": note});
    context.say(&said, &format!("wrote {}: {note}\n", file.display()))
}

/// What was put in.
#[derive(Default)]
struct Inside {
    parts: Vec<String>,
    numbers: HashMap<String, usize>,
    cycles: serde_json::Map<String, Value>,
    /// The cycles, newest first.
    order: Vec<i64>,
    /// How many turns of each state are inside, if not all.
    turns: Option<usize>,
    bytes: usize,
    read: usize,
    threads: serde_json::Map<String, Value>,
    breaks: serde_json::Map<String, Value>,
}

impl Inside {
    /// Puts a state in; false if there is no room for it.
    fn take(&mut self, client: &dyn Client, cycle: i64) -> Result<bool> {
        let text = ask(client, json!({"op": "export", "at": format!("@c{cycle}")}))?;
        self.read += text.len();
        let [standing, mut turns, head] = regions(&text)?;
        if let Some(most) = self.turns {
            turns.drain(..turns.len().saturating_sub(most));
        }
        if self.order.is_empty() {
            let mut room = MOST_BYTES / 2;
            let fits = |turn: &&String| {
                let fits = room >= turn.len();
                room = room.saturating_sub(turn.len());
                fits
            };
            let kept = turns.iter().rev().take_while(fits).count();
            if kept < turns.len() {
                self.turns = Some(kept);
                turns.drain(..turns.len() - kept);
            }
        }
        let new = |part: &&String| !self.numbers.contains_key(*part);
        let more: usize =
            [&standing, &turns, &head].into_iter().flatten().filter(new).map(String::len).sum();
        if !self.order.is_empty() && (self.bytes + more > MOST_BYTES || self.read > MOST_READ) {
            return Ok(false);
        }
        let [standing, turns, head] = [standing, turns, head].map(|parts| self.keep(parts));
        let state = json!({"standing": standing, "turns": turns, "head": head});
        self.cycles.insert(cycle.to_string(), state);
        self.order.push(cycle);
        Ok(true)
    }

    /// The numbers of parts.
    fn keep(&mut self, parts: Vec<String>) -> Vec<usize> {
        let mut numbers = Vec::with_capacity(parts.len());
        for part in parts {
            let next = self.parts.len();
            let number = *self.numbers.entry(part.clone()).or_insert(next);
            if number == next {
                self.bytes += part.len();
                self.parts.push(part);
            }
            numbers.push(number);
        }
        numbers
    }

    /// The prompts of the states that are inside, each as what it shares with the one before and the rest;
    /// and why it does not share more.
    fn prompts(&mut self, client: &dyn Client) -> Result<()> {
        let cycles: Vec<i64> = self.order.iter().rev().copied().collect();
        for format in ["thread", "openai", "anthropic"] {
            let mut kept = serde_json::Map::new();
            let mut before: Option<(i64, String)> = None;
            for cycle in &cycles {
                if self.bytes > 2 * MOST_BYTES || self.read > 2 * MOST_READ {
                    break;
                }
                let request = json!({"op": "thread", "at": format!("@c{cycle}"), "format": format});
                let text = ask(client, request)?;
                self.read += text.len();
                let older = before.as_ref().map_or("", |(_, text)| text);
                let same = common(older, &text);
                let rest = &text[same..];
                self.bytes += rest.len();
                let units: usize = text[..same].chars().map(char::len_utf16).sum();
                let older = before.as_ref().map(|(cycle, _)| *cycle);
                let one = json!({"before": older, "same": units, "rest": rest});
                kept.insert(cycle.to_string(), one);
                before = Some((*cycle, text));
            }
            self.threads.insert(format.to_owned(), Value::Object(kept));
        }
        for pair in cycles.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|cycle| format!("@c{cycle}"));
            let compared = ask(client, json!({"op": "compare", "a": a, "b": b}))?;
            let mut compared = value(&compared)?;
            compared["from"] = pair[0].into();
            self.breaks.insert(pair[1].to_string(), compared);
        }
        Ok(())
    }

    /// What is inside, and what was left out.
    fn note(&self, all: &[i64], lives: &[Value], whole: usize) -> String {
        let Some((newest, oldest)) = self.order.first().zip(self.order.last()) else {
            return "No cycle is committed yet.".to_owned();
        };
        let mut note = match self.order.len() == all.len() {
            true => format!("All {} cycles are inside.", all.len()),
            false => format!(
                "It has @c{oldest} to @c{newest}, {} of {} cycles.",
                self.order.len(),
                all.len()
            ),
        };
        if let Some(turns) = self.turns {
            note += &format!(" Of each state, the newest {turns} turns are inside.");
        }
        if lives.len() >= MOST_LIVES {
            note += &format!(" The lives of the first {MOST_LIVES} nodes are inside.");
        }
        if whole < lives.len() {
            note += &format!(
                " Of {whole} nodes everything that happened is inside, of the others birth and end."
            );
        }
        note
    }
}

/// The parts of a snapshot: what lies below each region.
fn regions(snapshot: &str) -> Result<[Vec<String>; 3]> {
    let children = |node: &Json| match node {
        Json::Map(map) => match map.get("children") {
            Some(Json::List(list)) => list.clone(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let Json::Map(snapshot) = parse(snapshot)? else { return Ok(Default::default()) };
    let root = snapshot.get("root").map(children).unwrap_or_default();
    let mut regions =
        root.iter().map(|region| children(region).iter().map(canonical_string).collect());
    Ok(std::array::from_fn(|_| regions.next().unwrap_or_default()))
}

/// How many bytes two texts have in common from the start, up to a whole letter.
fn common(older: &str, newer: &str) -> usize {
    let same = older.bytes().zip(newer.bytes()).take_while(|(a, b)| a == b).count();
    (0..=same).rev().find(|end| newer.is_char_boundary(*end)).unwrap_or(0)
}

fn lives(client: &dyn Client) -> Result<Vec<Value>> {
    let q = "select id, role, type, born, ended, how, bytes from lives order by born, id";
    rows(client, q, MOST_LIVES)
}

/// What happened to nodes, by id: first those of the newest state, then those that went last.
fn moments(
    client: &dyn Client,
    inside: &Inside,
    lives: &[Value],
    events: u64,
) -> Result<serde_json::Map<String, Value>> {
    let newest = inside.order.first().copied().unwrap_or_default();
    let mut order: Vec<(i64, i64, &str)> = lives
        .iter()
        .filter_map(|life| {
            let ended = life["ended"].as_i64().unwrap_or(newest.saturating_add(1));
            Some((ended, life["born"].as_i64()?, life["id"].as_str()?))
        })
        .collect();
    order.sort_by(|a, b| b.cmp(a));
    let most = MOST_LIFE_EVENTS / usize::try_from(events.max(1)).unwrap_or(usize::MAX);
    let (mut bytes, mut found) = (0, serde_json::Map::new());
    for (_, _, id) in order.into_iter().take(most.min(MOST_WHOLE_LIVES)) {
        let told = ask(client, json!({"op": "life", "id": id, "limit": MOST_MOMENTS}));
        let told = match told {
            // Nothing ever happens to the root and the regions.
            Err(error) if error.code == Code::NodeNotFound => "[]".to_owned(),
            told => told?,
        };
        bytes += told.len();
        if bytes > MOST_LIFE_BYTES {
            break;
        }
        found.insert(id.to_owned(), value(&told)?);
    }
    Ok(found)
}

fn attempts(client: &dyn Client) -> Result<Vec<Value>> {
    let q = "select attempt_id, cycle, status, provider, model, token_in, token_out, time, seconds, error, thread_format from attempts order by at_event desc";
    rows(client, q, MOST_ATTEMPTS)
}

/// Rows as objects.
fn rows(client: &dyn Client, q: &str, limit: usize) -> Result<Vec<Value>> {
    let reply = value(&ask(client, json!({"op": "sql", "q": q, "limit": limit}))?)?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let names: Vec<String> = list(&reply["columns"])
        .iter()
        .map(|column| column["name"].as_str().unwrap_or_default().to_owned())
        .collect();
    let row = |row: &Value| {
        names.iter().cloned().zip(list(row)).collect::<serde_json::Map<_, _>>().into()
    };
    Ok(list(&reply["rows"]).iter().map(row).collect())
}

/// The numbers of a column.
fn column(client: &dyn Client, q: &str) -> Result<Vec<i64>> {
    let reply = value(&ask(client, json!({"op": "sql", "q": q, "limit": 1_000_000}))?)?;
    let rows = reply["rows"].as_array().cloned().unwrap_or_default();
    Ok(rows.iter().filter_map(|row| row[0].as_i64()).collect())
}

/// A question that is saved into the page, with its answer.
fn answer(client: &dyn Client, question: &str) -> Result<Value> {
    let nodes = json!({"op": "nodes", "q": question, "options": {"limit": 500}});
    let sql = json!({"op": "sql", "q": question, "limit": 500});
    let is_sql = pactdb::sql::is_question(question)
        || question.contains('|')
        || question.starts_with("each ");
    let request = if is_sql { sql } else { nodes };
    let ok = value(&ask(client, request.clone())?)?;
    Ok(json!({"request": request, "ok": ok}))
}

/// The text of a reply's `ok`.
fn ask(client: &dyn Client, request: Value) -> Result<String> {
    let envelope = Envelope::from_json(parse(&request.to_string())?)?;
    client.call(envelope, &mut |_| Ok(())).result?.into_text()
}

fn value(text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| Error::request(error.to_string()))
}

/// Writes the file, which only its owner can read: it has everything that was said.
fn write(file: &Path, page: &str) -> Result<()> {
    let about = |error| Error::io(file.display(), error);
    let mut out = private().write(true).create(true).truncate(true).open(file).map_err(about)?;
    out.write_all(page.as_bytes()).map_err(about)
}
