//! The dot commands: one table that drives dispatch, help and completion.

use super::arguments::definition;
use super::commands::{self as look_at, CompareArgs};
use super::events;
use super::files::{self, ExportFileArgs};
use super::help;
use super::session::{Outcome, Session};
use super::settings::{self, OpenArgs, OutputArgs};
use crate::args::{
    AttemptListArgs, CommitArgs, ExplainArgs, ForkArgs, ImportArgs, LogArgs, RedactArgs,
    ReplayArgs, StatsArgs, ThreadArgs, TimelineArgs, TreeArgs, WatchArgs,
};
use pactdb::Result;
use pactdb::language::nearest_word;
use pactdb::protocol::{Undo, Verify};

/// A dot command.
pub struct Command {
    /// Its name, without the dot.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Its arguments, as help shows them.
    pub usage: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// A line to try.
    pub example: &'static str,
    /// What its arguments are, for completion.
    pub takes: Takes,
    /// The definition of its flags, if it has any.
    pub arguments: Option<fn() -> clap::Command>,
    /// What it does.
    pub run: Run,
}

/// What a command does with the rest of its line.
type Run = fn(&mut Session<'_>, &str) -> Result<Outcome>;

/// What the arguments of a command are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// There are none.
    Nothing,
    /// A selector.
    Selector,
    /// A time address.
    Address,
    /// The id of a node.
    Id,
    /// A file.
    File,
    /// A command, a statement or another topic of the help.
    Topic,
    /// One of these words.
    Words(&'static [&'static str]),
}

/// The tables of questions in SQL.
pub const TABLES: [&str; 8] =
    ["pact", "each", "changes", "lives", "calls", "commits", "events", "attempts"];

/// The forms in which a result can be shown.
pub const FORMS: [&str; 5] = ["table", "tree", "json", "ids", "full"];

/// A command that takes nothing and has no other names, until more is said of it.
const fn command(name: &'static str, usage: &'static str, run: Run) -> Command {
    Command {
        name,
        aliases: &[],
        usage,
        help: "",
        example: "",
        takes: Takes::Nothing,
        arguments: None,
        run,
    }
}

impl Command {
    const fn aliases(self, aliases: &'static [&'static str]) -> Command {
        Command { aliases, ..self }
    }

    const fn takes(self, takes: Takes) -> Command {
        Command { takes, ..self }
    }

    /// With the flags of a command of the command line, or with flags of its own.
    const fn reads<A: clap::Args>(self) -> Command {
        Command { arguments: Some(definition::<A>), ..self }
    }

    const fn help(self, help: &'static str) -> Command {
        Command { help, ..self }
    }

    const fn example(self, example: &'static str) -> Command {
        Command { example, ..self }
    }
}

/// Every dot command, in the order of the help.
pub const COMMANDS: [Command; 35] = [
    command("help", "[TOPIC]", help::run)
        .aliases(&["h", "?"])
        .takes(Takes::Topic)
        .help("what can be typed here, or more about a command, a statement or `selectors`")
        .example(".help add"),
    command("tree", "[TIME] [SELECTOR]", look_at::tree)
        .takes(Takes::Selector)
        .reads::<TreeArgs>()
        .help("a state as a tree: what fits the screen, N turns, all, or what a selector matches")
        .example(".tree @t0 ^seq"),
    command("show", "[TIME] ID | SELECTOR", look_at::show)
        .takes(Takes::Selector)
        .help("nodes with every header and their whole content; an id needs no #")
        .example(".show cb:1"),
    command("thread", "[TIME] [openai | anthropic]", look_at::thread)
        .takes(Takes::Address)
        .reads::<ThreadArgs>()
        .help("the messages that a provider would be sent, or was sent")
        .example(".thread @t0 openai"),
    command("compare", "TIME [TIME] [openai | anthropic]", look_at::compare)
        .takes(Takes::Address)
        .reads::<CompareArgs>()
        .help("how much of two threads is the same from the start, and what ends it")
        .example(".compare @t-1 @t0"),
    command("at", "[TIME | now]", settings::at)
        .takes(Takes::Address)
        .help("read every following question at one state: `.at 12` is cycle 12; `.at now` ends it")
        .example(".at @c42"),
    command("log", "[N | all]", events::log)
        .takes(Takes::Words(&["all"]))
        .reads::<LogArgs>()
        .help("the newest N events, 20 unless told otherwise, or the life of a node")
        .example(".log 5 --kind commit"),
    command("life", "ID", events::life)
        .takes(Takes::Id)
        .help("what happened to one node, from its first event on")
        .example(".life cb:1"),
    command("replay", "[all] [SELECTOR]", events::replay)
        .takes(Takes::Selector)
        .reads::<ReplayArgs>()
        .help("the log again with what each event changed: Enter shows the next one")
        .example(".replay .cb[role='tool']"),
    command("watch", "[SELECTOR]", events::watch)
        .takes(Takes::Selector)
        .reads::<WatchArgs>()
        .help("what others do with the store, as they do it, until Ctrl-C")
        .example(".watch .cb[role='tool']"),
    command("ui", "", look_at::ui)
        .help("look at the store in the browser, as long as this session lasts")
        .example(".ui"),
    command("timeline", "[TIME..TIME]", look_at::timeline)
        .takes(Takes::Address)
        .reads::<TimelineArgs>()
        .help("a chart of how large the context was, and of what happened")
        .example(".timeline @c1..@c40"),
    command("stats", "", look_at::stats)
        .aliases(&["status"])
        .reads::<StatsArgs>()
        .help("figures of the store")
        .example(".stats"),
    command("attempts", "", events::attempts)
        .reads::<AttemptListArgs>()
        .help("the recorded calls of providers")
        .example(".attempts --status error"),
    command("policy", "", look_at::policy)
        .help("the policies by which a commit prunes; `policy {…}` sets them")
        .example(".policy"),
    command("explain", "SELECTOR", look_at::explain)
        .takes(Takes::Selector)
        .reads::<ExplainArgs>()
        .help("what a selector means, what it will read, what could be written better")
        .example(".explain @t0 .mt:depth(1-3) .cb"),
    command("fmt", "SELECTOR", look_at::fmt)
        .takes(Takes::Selector)
        .help("the canonical form of a selector, in both dialects")
        .example(".fmt .cb(role='user')"),
    command("tables", "", look_at::tables)
        .help("the tables that questions in SQL read")
        .example("select role, count(*) from pact('@t0 .cb') group by role"),
    command("schema", "[TABLE]", look_at::schema)
        .takes(Takes::Words(&TABLES))
        .help("the columns of a table, or of all")
        .example(".schema lives"),
    command("last", "[table | tree | json | ids | full]", look_at::last)
        .takes(Takes::Words(&FORMS))
        .help("the last result again, whole, in this or another form")
        .example(".last json"),
    command("undo", "", |session, rest| look_at::alone(session, rest, "undo", Undo::default()))
        .help("take back the last uncommitted edit, by an event of its own")
        .example(".undo"),
    command("commit", "", look_at::commit)
        .reads::<CommitArgs>()
        .help("close the cycle, like the statement `commit`")
        .example(".commit --dry-run"),
    command("export", "FILE [TIME]", files::export)
        .takes(Takes::File)
        .reads::<ExportFileArgs>()
        .help("write a state, or several, as canonical JSON")
        .example(".export now.json @t0"),
    command("import", "FILE [FORMAT]", files::import)
        .takes(Takes::File)
        .reads::<ImportArgs>()
        .help("read snapshots, messages, or a session of another tool; the format is recognised")
        .example(".import chat.jsonl"),
    command("fork", "FILE [TIME]", files::fork)
        .takes(Takes::File)
        .reads::<ForkArgs>()
        .help("make another store with the history up to a snapshot")
        .example(".fork other.pactdb @c4"),
    command("dump", "FILE", files::dump)
        .takes(Takes::File)
        .help("write the whole history as text; `pactdb load` reads it")
        .example(".dump backup.jsonl"),
    command("read", "FILE", files::read)
        .takes(Takes::File)
        .help("run the statements of a file, up to the first error")
        .example(".read setup.pact"),
    command("open", "FILE", settings::open)
        .takes(Takes::File)
        .reads::<OpenArgs>()
        .help("look at another store; this one stays open if that cannot be opened")
        .example(".open demo.pactdb"),
    command("output", "[FILE | -]", settings::output)
        .takes(Takes::File)
        .reads::<OutputArgs>()
        .help("send results to a file, or in another form, until `.output -`")
        .example(".output sizes.csv --csv"),
    command("verify", "", |session, rest| look_at::alone(session, rest, "verify", Verify {}))
        .help("check the chain, the contents, every digest and everything derived")
        .example(".verify"),
    command("redact", "--scan", look_at::redact)
        .reads::<RedactArgs>()
        .help(
            "what looks like a key, a token or a card in the whole history; never the text itself",
        )
        .example(".redact --scan"),
    command("dialect", "[0.1 | 1.0]", settings::dialect)
        .takes(Takes::Words(&["0.1", "1.0"]))
        .help("the dialect of questions; edits are always in the store's own")
        .example(".dialect 1.0"),
    command("timing", "[on | off]", settings::timing)
        .takes(Takes::Words(&["on", "off"]))
        .help("say how long each answer took")
        .example(".timing on"),
    command("history", "", settings::history)
        .help("where the lines that you typed are kept")
        .example(".history"),
    command("quit", "", settings::quit)
        .aliases(&["exit", "q"])
        .help("leave; so does Ctrl-D")
        .example(".quit"),
];

/// The command with this name or other name.
pub fn named(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name || command.aliases.contains(&name))
}

/// The command that a line is, and the rest of the line. A line such as `.cb` is none: it selects
/// a type.
pub fn of_line(line: &str) -> Option<(&'static Command, &str)> {
    let line = line.trim();
    let word = line.strip_prefix('.')?;
    let end = word.find(char::is_whitespace).unwrap_or(word.len());
    Some((named(&word[..end])?, word[end..].trim()))
}

/// The command that a line such as `.hlep` was probably meant to be.
pub fn meant(line: &str) -> Option<&'static str> {
    let word = line.trim().strip_prefix('.')?;
    let end = word.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(word.len());
    let ends = word[end..].chars().next().is_none_or(char::is_whitespace);
    let known = pactdb::language::words::Base::from_name(&word[..end]).is_some();
    if known || !ends {
        return None;
    }
    nearest_word(&word[..end], COMMANDS.iter().map(|command| command.name))
}
