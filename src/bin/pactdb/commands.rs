//! What each command does.

use crate::args::{Arguments, Command};
use crate::pipe;
use indicatif::{ProgressBar, ProgressStyle};
use pactdb::{Code, Db, Error, Options, Progress, Result};
use serde::Serialize;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

pub fn run(arguments: Arguments) -> Result<()> {
    let Arguments { store, json, command } = arguments;
    match command {
        Command::Init { spec } => {
            let db = Db::create(&store, spec.into())?;
            let made = format!("made {} for PACT {}", store.display(), db.generation().name());
            say(json, &serde_json::json!({"store": store, "spec": db.generation().name()}), &made)
        }
        Command::Pipe => {
            let db = Options::new().open_or_create(&store)?;
            pipe::serve(&db, std::io::stdin().lock(), std::io::stdout().lock())
        }
        Command::Export { at } => print_exact(&existing(&store)?.export(at.as_deref())?),
        Command::Thread { at } => print_exact(&existing(&store)?.thread(at.as_deref())?),
        Command::Log { from, limit } => {
            let entries = existing(&store)?.log(from, limit)?;
            let lines: Vec<String> = entries
                .iter()
                .map(|entry| format!("{:>6}  {}  {}", entry.seq, &entry.time[..19], entry.summary))
                .collect();
            say(json, &entries, &lines.join("\n"))
        }
        Command::Stats => {
            let stats = existing(&store)?.stats()?;
            let text = [
                format!("PACT {}, cycle {}", stats.spec, stats.cycle),
                format!("snapshots: {}, turns: {}", stats.snapshots, stats.turns),
                format!(
                    "nodes: {}, blocks: {}, content: {}",
                    stats.nodes,
                    stats.blocks,
                    size(stats.content_bytes)
                ),
                format!("events: {}, uncommitted edits: {}", stats.events, stats.uncommitted),
                format!(
                    "file: {}, live {}, in use {}, free {}",
                    size(stats.sizes.file_bytes),
                    size(stats.sizes.live_bytes),
                    size(stats.sizes.used_bytes),
                    size(stats.sizes.free_bytes)
                ),
            ];
            say(json, &stats, &text.join("\n"))
        }
        Command::Verify => {
            let bar = Bar::new();
            let verified = existing(&store)?.verify(|progress| bar.show(progress))?;
            bar.finish();
            let text = format!(
                "all is well: {} events, {} contents, {} commits, {} derived rows",
                verified.events, verified.contents, verified.commits, verified.rows
            );
            say(json, &verified, &text)
        }
        Command::Rebuild => {
            let bar = Bar::new();
            let rebuilt = existing(&store)?.rebuild(|progress| bar.show(progress))?;
            bar.finish();
            let text =
                format!("rebuilt from {} events and {} commits", rebuilt.events, rebuilt.commits);
            say(json, &rebuilt, &text)
        }
        Command::Compact => {
            let db = existing(&store)?;
            let before = db.stats()?.sizes.file_bytes;
            db.compact()?;
            let after = db.stats()?.sizes.file_bytes;
            let text = format!("{} before, {} now", size(before), size(after));
            say(json, &serde_json::json!({"before": before, "after": after}), &text)
        }
    }
}

/// Opens a store for a command that must not make one.
fn existing(path: &Path) -> Result<Db> {
    if !path.exists() {
        let message = format!("there is no store {}: make one with 'pactdb init'", path.display());
        return Err(Error::new(Code::StoreIo, message));
    }
    let bar = Bar::new();
    Options::new().progress(move |progress| bar.show(progress)).open(path)
}

/// Prints the answer for a program or for a person.
fn say<T: Serialize>(json: bool, value: &T, text: &str) -> Result<()> {
    if !json {
        return print(&format!("{text}\n"));
    }
    let value = serde_json::to_string(value).map_err(|error| Error::request(error.to_string()))?;
    print(&format!("{{\"ok\":{value}}}\n"))
}

fn print_exact(text: &str) -> Result<()> {
    print(text)
}

fn print(text: &str) -> Result<()> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::new(Code::StoreIo, format!("the output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Bytes in units that a person reads.
fn size(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}

/// A progress bar on a terminal, and nothing elsewhere.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Bar {
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::new(0)
        } else {
            ProgressBar::hidden()
        };
        let style = ProgressStyle::with_template("{msg:10} {bar:40} {pos}/{len} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Bar(bar)
    }

    fn show(&self, progress: Progress) {
        self.0.set_message(format!("{:?}", progress.step).to_lowercase());
        self.0.set_length(progress.total);
        self.0.set_position(progress.done);
    }

    fn finish(&self) {
        self.0.finish_and_clear();
    }
}
